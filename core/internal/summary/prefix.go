package summary

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/wire"
)

// Prefix is a request for a summary that is appended to the conversation in the form in which it was last sent. So the
// provider reads the conversation from its prompt cache. The messages are referenced, not copied.
type Prefix struct {
	Until       int    // the number of input messages in the request
	At          int    // the index of the message that is rewritten, or -1
	Rewritten   []byte // the rewritten message, as JSON
	Joined      bool   // whether the rewritten message also contains the instruction, so that no message follows it
	Instruction []byte // the message with the instruction, as JSON; nil if it is joined
	Patch       []byte // changes to the request body, as a JSON Merge Patch
	Cached      int    // the number of tokens in the request that the provider probably has in its cache
}

// WriteEdits writes the messages of the request. It calls keep for each unchanged input message, set for a rewritten
// message, and insert for a new one.
func (b *Prefix) WriteEdits(keep func(message int), set func(message int, text []byte), insert func(text []byte)) {
	for m := range b.Until {
		if m == b.At {
			set(m, b.Rewritten)
		} else {
			keep(m)
		}
	}
	if !b.Joined {
		insert(b.Instruction)
	}
}

// modelDigest returns the model's digest for a job, of at most output tokens. The request is appended to the
// conversation if that is cheaper. Otherwise, or if the reply to an appended request was rejected, the request contains
// a record.
func (w *writing) modelDigest(j Job, output int) answer {
	if r, b := w.prefixed(&j, output); b != nil {
		reply, found := w.ReplyTo(PrefixRequest)
		if !found {
			w.requests, w.prefix = append(w.requests, r), b
			return answer{pending: true}
		}
		w.callCost.In += r.InputTokens
		w.callCost.Cached += b.Cached
		w.callCost.Out += w.doc.P.Text(reply.Text)
		if text, why := digest.AcceptDigest(reply, w.doc.P, j.Gain, output, true); why == "" && (w.policy.Summary.Prompt != "" || digest.Headed(text)) {
			return answer{text: text, shape: api.ShapePrefix}
		}
	}
	a := w.written(j, output)
	a.shape = api.ShapeFlat
	return a
}

// prefixed returns the request of a job that is appended to the conversation, for a digest of at most output tokens. b
// is nil if a record should be sent instead.
func (w *writing) prefixed(j *Job, output int) (r api.SummaryRequest, b *Prefix) {
	body, possible := w.mayFollow(j)
	sent, until := w.lastCall()
	if !possible || until < j.Tail || j.Tail < 0 {
		return r, nil
	}
	patch, thinking, ok := w.doc.F.PrefixForm().AppendPatch(nil, body, output)
	if !ok {
		return r, nil
	}
	s := &w.policy.Summary
	p := digest.Prompt{Style: w.Style(), Scope: j.Scope, Prior: j.Prior, Instructions: s.Instructions,
		Template: s.Prompt, Language: w.language(*j),
		Chat: digest.Chats(w.t, j.Messages, j.Prior, j.Ledger)}
	text := p.ForPrefix(digest.Opening(w.t, int32(j.Tail)))
	r = api.SummaryRequest{ID: PrefixRequest, Scope: j.Scope, Prompt: text, MaxOutputTokens: output,
		Temperature: w.Style().Temperature}
	b = &Prefix{Until: until, At: -1, Patch: patch, Cached: w.report.Tokens.Before}
	if r.Scope == api.ScopeSession && j.Prior != "" {
		r.Scope = api.ScopeUpdate
	}
	for m := sent; m < w.doc.N; m++ {
		size := w.doc.P.Message(w.t, m)
		if b.Cached -= size; m < until {
			r.InputTokens += size
		}
	}
	r.InputTokens += b.Cached + w.doc.P.Text(text)
	window := w.policy.Window.Tokens
	switch {
	case window > 0 && r.InputTokens+output+thinking > window, s.MaxInputTokens > 0 && r.InputTokens > s.MaxInputTokens,
		!w.write(b, sent, text), s.Request != "prefix" && !w.cheaper(j, output, r.InputTokens, b.Cached):
		return r, nil
	}
	return r, b
}

// mayFollow reports whether the request of a job may be appended to the conversation. body contains those members of
// the request body that are known. body is nil if they are unknown.
func (w *writing) mayFollow(j *Job) (body []byte, ok bool) {
	if !w.policy.AsksPrefix() || w.doc.F.PrefixForm() == nil || !w.Style().Own || j.Scope == api.ScopeBranch || j.Cut || w.report.Repaired > 0 {
		return nil, false
	}
	always := w.policy.Summary.Request == "prefix"
	if !always && w.policy.Prices == nil || w.policy.Cold != "" { // a cold cache saves nothing
		return nil, false
	}
	if t := w.t; t.Outer != t.List {
		return t.Src[t.Outer.Start:t.Outer.End], true
	}
	return nil, always // the system prompt and the tools are unknown
}

// lastCall returns the number of messages that the app sent in its last call, which are those before the newest run of
// assistant messages, and the number of input messages in an appended request. The latter also includes the response to
// that call, unless the response calls a tool or contains reasoning. Both numbers are 0 if there was no call.
func (w *Writer) lastCall() (sent, until int) {
	end := w.doc.N
	for end > 0 && w.doc.T.Messages[end-1].Role != transcript.Assistant {
		end--
	}
	start := end
	for start > 0 && w.doc.T.Messages[start-1].Role == transcript.Assistant {
		start--
	}
	if start == 0 {
		return 0, 0
	}
	for m := start; m < end; m++ {
		for _, p := range w.doc.T.PartsOf(m) {
			if p.Kind == transcript.ToolCall || p.Kind == transcript.Reasoning {
				return start, start
			}
		}
	}
	return start, end
}

// write adds to b what an appended request adds to the conversation. This is the instruction, text, and, if the app
// uses cache breakpoints, a breakpoint at the end of the app's last call, which contained the first sent messages. It
// returns false if the provider would have nothing in its cache.
func (w *Writer) write(b *Prefix, sent int, text string) bool {
	t := w.doc.T
	message := t.Bytes(t.Messages[sent-1].Span)
	if w.doc.F.Marks != 0 {
		outer := t.Src[t.Outer.Start:t.Outer.End]
		marks := w.doc.F.MarksBeside(nil, outer)
		for m := range b.Until {
			marks = w.doc.F.MarksOf(marks, t.Bytes(t.Messages[m].Span))
		}
		like := marks
		for m := b.Until; m < t.Input && len(like) == 0; m++ {
			like = w.doc.F.MarksOf(nil, t.Bytes(t.Messages[m].Span))
		}
		switch {
		case len(like) == 0 && w.doc.F.OnlyMarked():
			return false
		case len(like) > 0 && len(marks) < wire.MaxMarks && len(w.doc.F.MarksOf(nil, message)) == 0:
			if at, with, ok := w.doc.F.CacheMarkPlace(message, like[len(like)-1]); ok {
				b.At, b.Rewritten = sent-1, spliced(message, at, with)
			}
		}
	}
	last := b.Until - 1
	if w.doc.F.Rules.Alternate == "" || t.Messages[last].Role != transcript.User {
		b.Instruction = w.doc.NewMessage(-1, transcript.User, text)
		return true
	}
	if b.Rewritten == nil || b.At != last {
		b.Rewritten = t.Bytes(t.Messages[last].Span)
	}
	b.At = last
	b.Rewritten, b.Joined = w.doc.F.AppendToMessage(b.Rewritten, text)
	return b.Joined
}

func spliced(message []byte, at transcript.Span, text []byte) []byte {
	out := append(make([]byte, 0, len(message)+len(text)), message[:at.Start]...)
	return append(append(out, text...), message[at.End:]...)
}

// cheaper reports whether an appended request costs less than a record at the policy's prices. output and input
// are the sizes in tokens of the summary and of the appended request. cached is the part of input that is in the
// cache.
func (w *writing) cheaper(j *Job, output, input, cached int) bool {
	price := w.policy.Prices
	read := price.Input
	if price.CacheRead != nil {
		read = *price.CacheRead
	}
	p := digest.Prompt{Style: w.Style(), Scope: j.Scope, Prior: j.Prior, Instructions: w.policy.Summary.Instructions}
	flat := w.doc.P.Text(p.System()) + w.doc.P.Text(p.Text())
	for _, part := range w.parts(j.Messages, w.room(&p, output)) {
		flat += part.tokens
	}
	return float64(float64(cached)*read)+float64(float64(input-cached)*price.Input) < float64(float64(flat)*price.Input)
}

// counts adds the provider's counts for all requests to the report. If the host supports both shapes of requests, it
// also adds the shape of the request that led to the summary.
func (w *Writer) counts(shape api.SummaryShape) {
	sum := &w.report.Summary
	if w.policy.Summary.Prefix {
		sum.Request = shape
	}
	for i := range w.replies {
		u := w.replies[i].Usage
		if u == nil {
			continue
		}
		if sum.Usage == nil {
			sum.Usage = new(api.CallUsage)
		}
		sum.Usage.InputTokens += u.InputTokens
		sum.Usage.CacheReadTokens += u.CacheReadTokens
		sum.Usage.CacheWriteTokens += u.CacheWriteTokens
		sum.Usage.OutputTokens += u.OutputTokens
	}
	price := w.policy.Prices
	if sum.Usage == nil || price == nil {
		return
	}
	saved := 0.0
	if price.CacheRead != nil {
		saved += float64(float64(sum.Usage.CacheReadTokens) * (price.Input - *price.CacheRead))
	}
	if price.CacheWrite != nil {
		saved -= float64(float64(sum.Usage.CacheWriteTokens) * (*price.CacheWrite - price.Input))
	}
	saved /= perTokens
	sum.Saved = &saved
}

// perTokens is the number of tokens that prices refer to.
const perTokens = 1e6
