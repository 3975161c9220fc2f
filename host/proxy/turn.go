package proxy

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"github.com/ctxfold/ctxfold/host"
)

type turnKey struct{}

// turn is one request of a conversation.
type turn struct {
	proxy    *Proxy
	route    *route
	key      string
	body     []byte
	model    string
	prefixes []string // prefixes[n-1] is the hash of the first n messages
	record   record
	known    *entry // what the first messages of this request were compacted to, if they were
	ask      host.Summarizer
	report   string
	tokens   int // the estimate of what was compacted last, before it was
}

// record is what is known of a conversation. It is JSON in [Records].
type record struct {
	Version int     `json:"version"`
	Entries []entry `json:"entries"` // the newest last
}

// entry says what the first messages of a conversation were compacted to.
type entry struct {
	Messages  int             `json:"messages"`
	Hash      string          `json:"hash"`
	Compacted json.RawMessage `json:"compacted"`
	State     json.RawMessage `json:"state"`
}

const (
	recordVersion = 1
	// maxEntries is how many branches of one conversation are known, and conversations that begin alike.
	maxEntries = 8
)

// open reads the conversation that a request belongs to. It returns nil for what cannot be compacted: no
// JSON, no list of messages, or a conversation that the endpoint itself keeps.
func (p *Proxy) open(r *http.Request, at *route, body []byte) *turn {
	if !json.Valid(body) {
		return nil
	}
	list := gjson.GetBytes(body, at.list)
	if !list.IsArray() || len(list.Array()) == 0 {
		return nil
	}
	for _, kept := range []string{"previous_response_id", "conversation"} {
		if at.format == "openai-responses" && gjson.GetBytes(body, kept).Exists() {
			return nil
		}
	}
	t := &turn{proxy: p, route: at, body: body, model: gjson.GetBytes(body, "model").String()}
	messages := list.Array()
	hash := sha256.Sum256([]byte(at.format))
	for _, m := range messages {
		hash = sha256.Sum256(append(hash[:], canonical(m.Raw)...))
		t.prefixes = append(t.prefixes, hex.EncodeToString(hash[:]))
	}
	t.key = t.prefixes[min(len(messages), 2)-1]
	if name := r.Header.Get(HeaderConversation); name != "" {
		sum := sha256.Sum256([]byte(at.format + " " + name))
		t.key = hex.EncodeToString(sum[:])
	}
	model := t.model
	if p.SummaryModel != "" {
		model = p.SummaryModel
	}
	t.ask = &summarizer{p: p, t: t, at: at, from: r, model: model}
	return t
}

// base is the URL that an SDK would be given for the endpoint of a request.
func (p *Proxy) base(r *http.Request, at *route) string {
	return p.Upstream.JoinPath(strings.TrimSuffix(strings.TrimSuffix(r.URL.Path, "/"), at.suffix)).String()
}

// canonical is a message without what clients change from one request to the next: the order of keys, white space, and
// the marks that say up to where a prompt cache goes.
func canonical(message string) []byte {
	var v any
	if json.Unmarshal([]byte(message), &v) != nil {
		return []byte(message)
	}
	text, err := json.Marshal(withoutCacheMarks(v))
	if err != nil {
		return []byte(message)
	}
	return text
}

func withoutCacheMarks(v any) any {
	switch v := v.(type) {
	case map[string]any:
		delete(v, "cache_control")
		for k, inner := range v {
			v[k] = withoutCacheMarks(inner)
		}
	case []any:
		for i, inner := range v {
			v[i] = withoutCacheMarks(inner)
		}
	}
	return v
}

// load finds the longest run of first messages that was compacted before. A record that cannot be read is as good as none.
func (t *turn) load(ctx context.Context) {
	t.record, t.known = record{Version: recordVersion}, nil
	text, err := t.proxy.Records.Load(ctx, t.key)
	if err != nil {
		t.proxy.Logger.Warn("ctxfold: a record could not be read", "error", err)
	}
	var kept record
	if err != nil || text == nil || json.Unmarshal(text, &kept) != nil || kept.Version != recordVersion {
		return
	}
	t.record = kept
	for _, e := range kept.Entries {
		if e.Messages > 0 && e.Messages <= len(t.prefixes) && t.prefixes[e.Messages-1] == e.Hash && gjson.ParseBytes(e.Compacted).IsArray() &&
			(t.known == nil || e.Messages > t.known.Messages) {
			t.known = &e
		}
	}
}

// compact gives the body to send, and whether it was compacted just now. extra is laid over the policy, for a request that
// the endpoint has refused. The record is kept before anything is sent.
func (t *turn) compact(ctx context.Context, extra map[string]any) (body []byte, changed bool) {
	p := t.proxy
	p.locks.lock(t.key)
	defer p.locks.unlock(t.key)
	t.load(ctx)
	in := host.Input{Messages: t.body, Policy: p.Policy, Format: t.route.format}
	if t.known != nil {
		in.Messages, in.State = t.joined(), t.known.State
	}
	for path, value := range extra {
		if len(in.Policy) == 0 {
			in.Policy = []byte(`{}`)
		}
		if policy, err := sjson.SetBytes(slices.Clone(in.Policy), path, value); err == nil {
			in.Policy = policy
		}
	}
	r, err := p.Compactor.CompactWith(ctx, in, t.ask)
	if err != nil {
		p.Logger.Warn("ctxfold: not compacted", "format", t.route.format, "error", err)
		return in.Messages, false
	}
	t.report = fmt.Sprintf("%s; before=%d; after=%d; summary=%s", r.Reason, r.Report.Tokens.Before, r.Report.Tokens.After, r.Report.Summary.Source)
	t.tokens = r.Report.Tokens.Before
	if !r.Changed {
		return in.Messages, false
	}
	p.Logger.Info("ctxfold: compacted", "format", t.route.format, "messages", r.Report.Messages.Before, "messages_after",
		r.Report.Messages.After, "tokens", r.Report.Tokens.Before, "tokens_after", r.Report.Tokens.After, "summary", r.Report.Summary.Source)
	if err := t.keep(ctx, r); err != nil {
		p.Logger.Warn("ctxfold: a record could not be kept", "error", err)
	}
	return r.Messages, true
}

// keep writes down what all messages of this request were compacted to.
func (t *turn) keep(ctx context.Context, r *host.Result) error {
	n := len(t.prefixes)
	made := entry{n, t.prefixes[n-1], json.RawMessage(gjson.GetBytes(r.Messages, t.route.list).Raw), r.State}
	entries := slices.DeleteFunc(t.record.Entries, func(e entry) bool { return e.Messages == n && e.Hash == made.Hash })
	entries = append(entries, made)
	t.record.Entries = entries[max(0, len(entries)-maxEntries):]
	text, err := json.Marshal(t.record)
	if err != nil {
		return err
	}
	return t.proxy.Records.Save(ctx, t.key, text)
}

// joined is the body with what is known in the place of the first messages, and all other bytes as they came.
func (t *turn) joined() []byte {
	list := gjson.GetBytes(t.body, t.route.list)
	out := append([]byte(nil), t.body[:list.Index]...)
	compacted := gjson.ParseBytes(t.known.Compacted).Raw
	out = append(out, compacted[:len(compacted)-1]...)
	for _, m := range list.Array()[t.known.Messages:] {
		out = append(append(out, ','), m.Raw...)
	}
	out = append(out, ']')
	return append(out, t.body[list.Index+len(list.Raw):]...)
}
