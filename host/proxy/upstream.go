package proxy

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"

	"github.com/tidwall/gjson"

	"github.com/ctxfold/ctxfold/host"
)

// maxErrorBody is how much of an error is read to find out what it is, in bytes.
const maxErrorBody = 64 << 10

// roundTripper sends a request, and once more where the conversation was too long for the endpoint.
type roundTripper struct{ p *Proxy }

func (rt roundTripper) RoundTrip(r *http.Request) (*http.Response, error) {
	t, _ := r.Context().Value(turnKey{}).(*turn)
	response, err := rt.p.Transport.RoundTrip(r)
	if t == nil || err != nil {
		return response, err
	}
	if response.StatusCode >= 400 {
		text, err := io.ReadAll(io.LimitReader(response.Body, maxErrorBody))
		if err != nil {
			response.Body.Close()
			return nil, err
		}
		if again := rt.p.shorter(r, t, response.StatusCode, text); again != nil {
			response.Body.Close()
			if response, err = rt.p.Transport.RoundTrip(again); err != nil {
				return nil, err
			}
		} else {
			response.Body = struct {
				io.Reader
				io.Closer
			}{io.MultiReader(bytes.NewReader(text), response.Body), response.Body}
		}
	}
	if t.report != "" {
		response.Header.Set(HeaderReport, t.report)
	}
	return response, nil
}

// shorter gives the request anew if the endpoint refused it for its length and a compaction makes it shorter.
func (p *Proxy) shorter(r *http.Request, t *turn, status int, text []byte) *http.Request {
	arguments, err := json.Marshal(map[string]any{"status": status, "body": string(text), "model": t.model, "current_model": t.model})
	if err != nil {
		return nil
	}
	answer, err := p.Compactor.Function(r.Context(), "classify_error", host.FunctionInput{Arguments: arguments})
	if err != nil {
		p.Logger.Warn("ctxfold: an error of the endpoint could not be classified", "status", status, "error", err)
		return nil
	}
	var verdict struct {
		Overflow bool `json:"overflow"`
		Limit    int  `json:"limit_tokens"`
	}
	if json.Unmarshal(answer, &verdict) != nil || !verdict.Overflow {
		return nil
	}
	extra := map[string]any{"force": true}
	if window := gjson.GetBytes(p.Policy, "window.tokens").Int(); verdict.Limit > 0 && (window == 0 || int64(verdict.Limit) < window) {
		extra["window.tokens"] = verdict.Limit
	}
	body, changed := t.compact(r.Context(), extra)
	if !changed && t.tokens > 0 { // it fits in the window that is known, but only by the estimate
		window := map[string]int{"tokens": host.RefusedWindow(t.tokens), "reserve": 0}
		body, changed = t.compact(r.Context(), map[string]any{"force": true, "window": window})
	}
	if !changed { // the endpoint would refuse it again
		return nil
	}
	again := r.Clone(r.Context())
	again.Body, again.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return again
}
