package proxy

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/api"
)

// turn is one client request that belongs to a conversation.
type turn struct {
	proxy  *Proxy        // the proxy that serves it
	route  *route        // the endpoint's API
	from   *http.Request // the client's request
	body   []byte        // its body, decompressed
	owner  string        // identifies who the conversation belongs to
	model  string        // the model that the client calls
	reason api.Reason    // the reason in the last report
	report string        // what was done, for the response's header
}

// open reads the conversation of a request. If the request cannot be compacted, t is nil and why is the reason: the
// body isn't JSON, it has no list of messages, or the endpoint stores the conversation.
func (p *Proxy) open(r *http.Request, at *route, body []byte) (t *turn, why string) {
	if !json.Valid(body) {
		return nil, "no_json"
	}
	if list := gjson.GetBytes(body, at.list); !list.IsArray() || len(list.Array()) == 0 {
		return nil, "no_messages"
	}
	for _, key := range at.kept {
		if gjson.GetBytes(body, key).Type != gjson.Null { // some clients send null if there is none
			return nil, "kept_by_the_endpoint"
		}
	}
	model := cmp.Or(gjson.GetBytes(body, "model").String(), modelIn(r.URL.Path))
	return &turn{proxy: p, route: at, from: r, body: body, model: model, owner: p.ownerOf(r, at, body)}, ""
}

// first returns the body to send first. The conversation in it is compacted if that is due and succeeds.
func (t *turn) first(ctx context.Context) []byte {
	fit := t.fit
	if t.route.ask == nil {
		fit = t.recollect
	}
	r, err := fit(ctx, t.input())
	if err != nil {
		t.proxy.Logger.Warn("ctxfold: not compacted", "format", t.route.format, "error", err)
		t.report = passed("error")
		var e *ctxfold.Error
		if errors.As(err, &e) {
			t.report = passed(string(e.Code))
		}
		return t.body
	}
	return r.Messages
}

func (t *turn) input() ctxfold.Input {
	return ctxfold.Input{Messages: t.body, Policy: t.proxy.Policy, Format: t.route.format, Owner: t.owner,
		Redact: t.proxy.Redact}
}

// fit fits the messages of the turn, and notes what was done for the response's header and the log. If it returns an
// error, the report stays as it was.
func (t *turn) fit(ctx context.Context, in ctxfold.Input) (*ctxfold.Result, error) {
	r, err := t.finish(ctx, in)
	if err != nil {
		return nil, err
	}
	t.reason = r.Reason
	t.report = fmt.Sprintf("%s; before=%d; after=%d; summary=%s", r.Reason, r.Report.Tokens.Before, r.Report.Tokens.After, r.Report.Summary.Source)
	if why := r.Report.Summary.Fault; why != "" {
		t.report += "; why=" + string(why)
	}
	if r.Report.Cold != "" {
		t.report += "; cold=" + string(r.Report.Cold)
	}
	if r.Report.Summary.Request == api.ShapePrefix {
		t.report += "; request=prefix"
	}
	if r.BackgroundDone != nil {
		t.report += "; background=running"
	}
	if r.Changed {
		line := []any{"format", t.route.format, "messages", r.Report.Messages.Before, "messages_after", r.Report.Messages.After,
			"tokens", r.Report.Tokens.Before, "tokens_after", r.Report.Tokens.After, "summary", r.Report.Summary.Source}
		if s := r.Report.Summary; s.Fault != "" {
			if line = append(line, "why", s.Fault); s.Error != "" {
				line = append(line, "error", s.Error)
			}
		}
		t.proxy.Logger.Info("ctxfold: compacted", line...)
	}
	return r, nil
}

// finish compacts the conversation. Clients that send the same request at the same time, or again after a timeout,
// share one compaction, which is cancelled soon after the last of them has left. The result may be shared, and must not
// be modified. It returns an error if the messages can't be read, or if ctx ends.
func (t *turn) finish(ctx context.Context, in ctxfold.Input) (*ctxfold.Result, error) {
	key := sha256.Sum256(fmt.Appendf(nil, "%q %s %v %d ", t.owner, t.route.suffix, in.Force, in.Limit))
	body := sha256.Sum256(t.body)
	return t.proxy.flights.join(ctx, string(key[:])+string(body[:]), func(ctx context.Context) (*ctxfold.Result, error) {
		return t.proxy.Compactor.Fit(ctx, in, &summarizer{t})
	})
}

// recollect applies remembered compactions without making a new one. It is for requests that only count tokens. It
// returns an error if the messages can't be read.
func (t *turn) recollect(ctx context.Context, in ctxfold.Input) (*ctxfold.Result, error) {
	r, err := t.proxy.Compactor.Recollect(ctx, in)
	if err == nil {
		t.reason = cmp.Or(r.Reason, "counted")
	}
	return r, err
}

// base returns the base URL with which an SDK would be configured for the endpoint of a request, and the request's query.
func (p *Proxy) base(r *http.Request, at *route) (base, query string) {
	u := p.Upstream.JoinPath(strings.TrimSuffix(strings.TrimSuffix(r.URL.EscapedPath(), "/"), at.suffix))
	query = strings.Join(slices.DeleteFunc([]string{u.RawQuery, r.URL.RawQuery}, func(q string) bool { return q == "" }), "&")
	u.RawQuery = ""
	return u.String(), query
}
