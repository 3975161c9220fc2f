package proxy

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/api"
)

// turn is one request of a conversation.
type turn struct {
	proxy  *Proxy
	route  *route
	from   *http.Request
	body   []byte
	owner  string
	model  string
	reason api.Reason // of the last compaction, or why there was none
	report string
}

// open reads the conversation that a request belongs to. It returns nil for what cannot be compacted: no JSON, no list of
// messages, or a conversation that the endpoint itself keeps.
func (p *Proxy) open(r *http.Request, at *route, body []byte) *turn {
	if !json.Valid(body) {
		return nil
	}
	if list := gjson.GetBytes(body, at.list); !list.IsArray() || len(list.Array()) == 0 {
		return nil
	}
	for _, key := range at.kept {
		if gjson.GetBytes(body, key).Type != gjson.Null { // clients write null for none
			return nil
		}
	}
	return &turn{proxy: p, route: at, from: r, body: body, model: gjson.GetBytes(body, "model").String(),
		owner: p.Owner(r) + "\x00" + r.Header.Get(HeaderConversation)}
}

// first gives the body to send.
func (t *turn) first(ctx context.Context) []byte {
	fit := t.fit
	if t.route.ask == nil {
		fit = t.recollect
	}
	r, err := fit(ctx, t.input())
	if err != nil {
		t.proxy.Logger.Warn("ctxfold: not compacted", "format", t.route.format, "error", err)
		return t.body
	}
	return r.Messages
}

func (t *turn) input() ctxfold.Input {
	return ctxfold.Input{Messages: t.body, Policy: t.proxy.Policy, Format: t.route.format, Owner: t.owner}
}

func (t *turn) fit(ctx context.Context, in ctxfold.Input) (*ctxfold.Result, error) {
	r, err := t.finish(ctx, in)
	if err != nil {
		return nil, err
	}
	t.reason = r.Reason
	t.report = fmt.Sprintf("%s; before=%d; after=%d; summary=%s", r.Reason, r.Report.Tokens.Before, r.Report.Tokens.After, r.Report.Summary.Source)
	if r.Report.Cold != "" {
		t.report += "; cold=" + string(r.Report.Cold)
	}
	if r.Report.Summary.Request == api.ShapePrefix {
		t.report += "; request=prefix"
	}
	if r.Background != nil {
		t.report += "; background=running"
	}
	if r.Changed {
		t.proxy.Logger.Info("ctxfold: compacted", "format", t.route.format, "messages", r.Report.Messages.Before, "messages_after",
			r.Report.Messages.After, "tokens", r.Report.Tokens.Before, "tokens_after", r.Report.Tokens.After, "summary", r.Report.Summary.Source)
	}
	return r, nil
}

// finish compacts to the end although the client may go before: clients that time out send the same request again, which finds the result
// then. Otherwise each of their requests would begin again, and ask for summaries that nobody gets.
func (t *turn) finish(ctx context.Context, in ctxfold.Input) (*ctxfold.Result, error) {
	type outcome struct {
		r   *ctxfold.Result
		err error
	}
	done := make(chan outcome, 1)
	go func() {
		r, err := t.proxy.Compactor.Fit(context.WithoutCancel(ctx), in, &summarizer{t})
		done <- outcome{r, err}
	}()
	select {
	case o := <-done:
		return o.r, o.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// recollect gives what would be sent, for a request that only wants it counted.
func (t *turn) recollect(ctx context.Context, in ctxfold.Input) (*ctxfold.Result, error) {
	r, err := t.proxy.Compactor.Recollect(ctx, in)
	if err == nil {
		t.reason = cmp.Or(r.Reason, "counted")
	}
	return r, err
}

// credentials are the headers that say who asks.
var credentials = []string{"Authorization", "X-Api-Key", "Api-Key", "X-Goog-Api-Key", "Proxy-Authorization", "Cf-Aig-Authorization",
	"Ocp-Apim-Subscription-Key", "Openai-Organization", "Openai-Project"}

// credentialParameters are those of the query.
var credentialParameters = []string{"key", "api-key", "api_key", "subscription-key"}

// Credentials tells owners apart by the keys with which they ask the endpoint: a hash of the headers Authorization, X-Api-Key and
// the like, and of keys in the query. An owner whose key changes, such as a token that is good for an hour, is another one.
func Credentials(r *http.Request) string {
	sum := sha256.New()
	query := r.URL.Query()
	for _, name := range credentials {
		fmt.Fprintf(sum, "%s %q\n", name, r.Header.Values(name))
	}
	for _, name := range credentialParameters {
		fmt.Fprintf(sum, "%s %q\n", name, query[name])
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// base is the URL that an SDK would be given for the endpoint of a request, and the request's query.
func (p *Proxy) base(r *http.Request, at *route) (base, query string) {
	u := p.Upstream.JoinPath(strings.TrimSuffix(strings.TrimSuffix(r.URL.EscapedPath(), "/"), at.suffix))
	query = strings.Join(slices.DeleteFunc([]string{u.RawQuery, r.URL.RawQuery}, func(q string) bool { return q == "" }), "&")
	u.RawQuery = ""
	return u.String(), query
}
