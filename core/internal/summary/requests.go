package summary

import (
	"strconv"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/digest"
)

// AskOnce returns the model's text for a single prompt, or the reason why it was rejected. output is the maximum size
// of the text, and represents is the size of what it replaces, both in tokens. ok is false as long as the model has to
// be called. [Writer.WriteDigest] handles jobs that need several prompts.
func (w *Writer) AskOnce(id string, p digest.Prompt, output,
	represents int) (text string, why api.SummaryFault, ok bool) {
	a := w.requestText(id, p, output, represents)
	return a.text, a.why, !a.pending
}

// requestText returns the answer to a single prompt. output is the maximum length of the answer, and represents the
// size of the messages that it stands for, both in tokens. If an answer is rejected, the model is called again, under
// an id that is derived from id, as often as the policy allows. The answer is pending if the host has not replied yet.
func (w *Writer) requestText(id string, p digest.Prompt, output, represents int) (a answer) {
	for try := 0; ; try++ {
		key := id
		if try > 0 {
			key += "-retry-" + strconv.Itoa(try)
		}
		r, fits := w.request(key, p, output)
		if !fits {
			return answer{why: api.FaultNoRoom}
		}
		reply, found := w.ReplyTo(key)
		if !found {
			w.requests = append(w.requests, r)
			return answer{pending: true}
		}
		w.callCost.In += r.InputTokens
		w.callCost.Out += w.doc.P.Text(reply.Text)
		a.text, a.why, p.Wrong = w.judged(reply, &p, output, represents)
		if a.why == "" || a.why == api.FaultFailed || try >= w.policy.Summary.Retries {
			return a
		}
		p.Objection = a.why
	}
}

// judged returns the usable text in a reply to a prompt, or the reason for rejecting the reply.
// output and represents are those of AskOnce. wrong lists names and quotes in the reply that the
// prompt's sources don't contain, for use in the next request.
func (w *Writer) judged(reply api.Summary, p *digest.Prompt, output,
	represents int) (text string, why api.SummaryFault, wrong string) {
	if p.Scope == api.ScopeToolOutput {
		text, why = digest.Accept(reply, w.doc.P, represents)
		return text, why, ""
	}
	if text, why = digest.AcceptDigest(reply, w.doc.P, represents, output, p.Template == ""); why != "" {
		return text, why, ""
	}
	if why, wrong = p.Check(text); why != "" {
		text = ""
	}
	return text, why, wrong
}

// request returns the request for a prompt, for an answer of at most output tokens. If the request would exceed its
// size limit, it clips the record. fits is false if even that isn't enough.
func (w *Writer) request(id string, p digest.Prompt, output int) (r api.SummaryRequest, fits bool) {
	r = api.SummaryRequest{ID: id, Scope: p.Scope, System: p.System(), MaxOutputTokens: output,
		Temperature: w.Style().Temperature}
	if p.Scope == api.ScopeToolOutput {
		r.Temperature = 0
	}
	limit := w.inputLimit(output)
	for {
		r.Prompt = p.Text()
		r.InputTokens = w.doc.P.Text(r.System) + w.doc.P.Text(r.Prompt)
		switch {
		case limit == 0 || r.InputTokens <= limit:
			return r, true
		case len(p.Record) < 200:
			return r, false
		}
		keep := len(p.Record) * 4 / 5
		if record := w.doc.P.Text(p.Record); w.Style().Fitted && record > 0 {
			keep = max(keep/2, min(len(p.Record)-leastClip,
				len(p.Record)*max(0, record-(r.InputTokens-limit)-clipMark)/record))
		}
		p.Record = digest.Clip(p.Record, keep)
	}
}

// clipMark is the approximate size, in tokens, of the mark that replaces clipped text. leastClip is larger than the
// mark in bytes, so a clipped record always becomes shorter.
const (
	clipMark  = 12
	leastClip = 64
)

// FitsWindow reports whether a prompt fits into a request without being clipped, together with the objection that is
// added if the request is repeated, and leaves room for an answer of output tokens.
func (w *Writer) FitsWindow(p *digest.Prompt, output int) bool {
	limit := w.inputLimit(output)
	return limit == 0 || w.doc.P.Text(p.System())+w.doc.P.Text(p.Text())+objectionRoom <= limit
}

// inputLimit returns the maximum size, in tokens, of a request for an answer of output tokens, or 0 for no limit.
func (w *Writer) inputLimit(output int) int {
	if limit := w.policy.Summary.MaxInputTokens; limit > 0 || w.policy.Window.Tokens == 0 {
		return limit
	}
	return max(1, w.policy.UsableTokens()-output)
}

// leastRoom is the minimum room for a record, in tokens, at which it makes sense to ask the model.
const leastRoom = 64

// objectionRoom is the room, in tokens, for the objection to the first reply that a repeated request contains.
const objectionRoom = 60

// unlimited is a number of tokens that is enough room for any record.
const unlimited = 1 << 30

// room returns the number of tokens that a prompt leaves for its record, if the answer has up to output tokens. It
// clips the previous digest and the user's first request if they would take up most of the room.
func (w *Writer) room(p *digest.Prompt, output int) int {
	limit := w.inputLimit(output)
	if limit == 0 {
		return unlimited
	}
	limit -= w.doc.P.Text(p.System()) + objectionRoom
	prior, task := p.Prior, p.Task
	p.Prior, p.Task = "", ""
	bare := w.doc.P.Text(p.Text())
	p.Prior, p.Task = w.clipped(prior, (limit-bare)/3), w.clipped(task, (limit-bare)/6)
	return limit - w.doc.P.Text(p.Text())
}

// clipped returns text, shortened to about most tokens.
func (w *Writer) clipped(text string, most int) string {
	if w.doc.P.Text(text) <= most {
		return text
	}
	return digest.Clip(text, max(0, w.doc.P.MaxUnits(most)-80))
}
