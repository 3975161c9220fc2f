package proxy

import (
	"bytes"
	"io"
	"net/http"

	"github.com/ctxfold/ctxfold/api"
)

// maxErrorBody is the maximum number of bytes of an error response that are read to classify it.
const maxErrorBody = 64 << 10

// roundTripper sends a request. If the endpoint finds the conversation too long, it sends the request once more with
// a compacted conversation.
type roundTripper struct{ p *Proxy }

// RoundTrip sends the request and returns the endpoint's response. If there is a report on the compaction, the header
// [HeaderReport] has it. RoundTrip returns an error if no response came, or if an error response can't be read.
func (rt roundTripper) RoundTrip(r *http.Request) (*http.Response, error) {
	c := r.Context().Value(callKey{}).(*call)
	response, err := rt.send(r, c.turn)
	if err != nil {
		return nil, err
	}
	if report := c.passed; report != "" {
		response.Header.Set(HeaderReport, report)
	} else if c.turn.report != "" {
		response.Header.Set(HeaderReport, c.turn.report)
	}
	rt.p.count(c, response.StatusCode)
	return response, nil
}

// send sends a request. If the provider refuses it because it is too long, send compacts the messages further and sends
// them once more. t is nil for a request that is forwarded unchanged.
func (rt roundTripper) send(r *http.Request, t *turn) (*http.Response, error) {
	response, err := rt.p.Transport.RoundTrip(r)
	if t == nil || t.route.ask == nil || err != nil {
		return response, err
	}
	status, text := response.StatusCode, []byte(nil)
	if status >= 400 {
		text, err = io.ReadAll(io.LimitReader(response.Body, maxErrorBody))
		if err != nil {
			response.Body.Close()
			return nil, err
		}
		replay(response, text)
	} else {
		text = failure(response)
		status = http.StatusBadRequest
	}
	if len(text) == 0 {
		return response, nil
	}
	if again := t.shorter(r, status, text); again != nil {
		_, _ = io.CopyN(io.Discard, response.Body, maxErrorBody) // so that the connection can be reused
		response.Body.Close()
		return rt.p.Transport.RoundTrip(again)
	}
	return response, nil
}

// replay puts the part of a body that has been read back in front of the rest, so that it can be read again.
func replay(response *http.Response, read []byte) {
	response.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(read), response.Body), response.Body}
}

// shorter returns the request with a compacted body, or nil if the endpoint didn't reject it as too long or a
// compaction doesn't help. text is the body of the response.
func (t *turn) shorter(r *http.Request, status int, text []byte) *http.Request {
	verdict, err := t.proxy.Compactor.Classify(r.Context(), api.Failure{Status: status, Body: string(text), Model: t.model, CurrentModel: t.model})
	if err != nil {
		t.proxy.Logger.Warn("ctxfold: an error of the endpoint could not be classified", "status", status, "error", err)
		return nil
	}
	if !verdict.Overflow {
		return nil
	}
	in := t.input()
	in.Force, in.Limit = true, verdict.Limit
	done, err := t.fit(r.Context(), in)
	if err != nil {
		t.proxy.Logger.Warn("ctxfold: not compacted", "format", t.route.format, "error", err)
		return nil
	}
	if !done.Changed { // the endpoint would reject it again
		return nil
	}
	again := r.Clone(r.Context())
	again.Header.Del("Content-Encoding")
	again.Body, again.ContentLength = io.NopCloser(bytes.NewReader(done.Messages)), int64(len(done.Messages))
	return again
}
