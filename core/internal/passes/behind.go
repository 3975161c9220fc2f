package passes

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/wire"
)

// PrefixRequest is the id of the digest request that is appended to the conversation.
const PrefixRequest = FoldRequest + "-prefix"

// Behind is a request for a summary that is appended to the conversation as it was last sent. Messages are named by index, not copied.
type Behind struct {
	Until  int    // the number of input messages in it
	At     int    // the index of the one that is rewritten, or -1
	Anew   []byte // the rewritten message, as JSON
	Joined bool   // the rewritten message also contains the instruction, so no message follows
	Asks   []byte // the message with the instruction, as JSON; nil if it is joined
	Patch  []byte // the changes to the request body, as a JSON Merge Patch
	Cached int    // the number of its tokens that the provider probably has in its cache
}

// Write writes the messages of the request. It calls keep for input messages that are used as they are, and set for one that is rewritten.
func (b *Behind) Write(keep func(message int), set func(message int, text []byte), insert func(text []byte)) {
	for m := range b.Until {
		if m == b.At {
			set(m, b.Anew)
		} else {
			keep(m)
		}
	}
	if !b.Joined {
		insert(b.Asks)
	}
}

// told returns the model's digest for a job. It asks after the conversation if that pays, and otherwise, or if that answer was rejected,
// from a record.
func (c *Run) told(j job, output int) (text string, why api.SummaryFault, ok bool) {
	c.shape = api.ShapeFlat
	if r, b := c.prefixed(&j, output); b != nil {
		reply, found := c.Reply(PrefixRequest)
		if !found {
			c.Requests, c.Behind = append(c.Requests, r), b
			return "", "", false
		}
		c.Asked.In += r.InputTokens
		c.Asked.Cached += b.Cached
		c.Asked.Out += c.P.Text(reply.Text)
		if text, why = digest.AcceptDigest(reply, c.P, j.gain, output, true); why == "" && (c.Policy.Summary.Prompt != "" || digest.Headed(text)) {
			c.shape = api.ShapePrefix
			return text, "", true
		}
	}
	return c.written(j, output)
}

// prefixed returns the request of a job that is appended to the conversation, or nil if a record is used instead.
func (c *Run) prefixed(j *job, output int) (r api.SummaryRequest, b *Behind) {
	s, how := &c.Policy.Summary, c.F.Behind()
	if !c.Policy.AsksBehind() || how == nil || !c.style().Own || j.scope == api.ScopeBranch || j.cut || c.Report.Repaired > 0 {
		return r, nil
	}
	if s.Request != "prefix" && c.Policy.Prices == nil || c.Policy.Cold != "" { // it can't be read from a cache that it isn't in
		return r, nil
	}
	body := []byte(nil)
	if t := c.T; t.Outer != t.List {
		body = t.Src[t.Outer.Start:t.Outer.End]
	} else if s.Request != "prefix" { // the system prompt and the tools are not known
		return r, nil
	}
	sent, until := c.lastCall()
	if until < j.tail || j.tail < 0 {
		return r, nil
	}
	patch, thinking, ok := how.AppendPatch(nil, body, output)
	if !ok {
		return r, nil
	}
	p := digest.Prompt{Style: c.style(), Scope: j.scope, Prior: j.prior, Instructions: s.Instructions, Template: s.Prompt, Language: c.language(*j),
		Chat: digest.Chats(c.T, j.messages, j.ledger)}
	text := p.Behind(digest.Opening(c.T, int32(j.tail)))
	r = api.SummaryRequest{ID: PrefixRequest, Scope: j.scope, Prompt: text, MaxOutputTokens: output, Temperature: c.style().Temperature}
	b = &Behind{Until: until, At: -1, Patch: patch, Cached: c.Report.Tokens.Before}
	if r.Scope == api.ScopeSession && j.prior != "" {
		r.Scope = api.ScopeUpdate
	}
	for m := sent; m < c.N; m++ {
		size := c.P.Message(c.T, m)
		if b.Cached -= size; m < until {
			r.InputTokens += size
		}
	}
	r.InputTokens += b.Cached + c.P.Text(text)
	if window := c.Policy.Window.Tokens; window > 0 && r.InputTokens+output+thinking > window || s.MaxInputTokens > 0 && r.InputTokens > s.MaxInputTokens {
		return r, nil
	}
	if !c.write(b, sent, text) || s.Request != "prefix" && !c.cheaper(j, output, r.InputTokens, b.Cached) {
		return r, nil
	}
	return r, b
}

// lastCall returns how many messages the app's last call sent, and how many input messages a request after the conversation uses: those
// plus the answer, unless the answer calls a tool. Both are 0 if there was no call.
func (c *Run) lastCall() (sent, until int) {
	end := c.N
	for end > 0 && c.T.Messages[end-1].Role != transcript.Assistant {
		end--
	}
	start := end
	for start > 0 && c.T.Messages[start-1].Role == transcript.Assistant {
		start--
	}
	if start == 0 {
		return 0, 0
	}
	for m := start; m < end; m++ {
		for _, p := range c.T.PartsOf(m) {
			if p.Kind == transcript.ToolCall || p.Kind == transcript.Reasoning {
				return start, start
			}
		}
	}
	return start, end
}

// write writes what a request after the conversation adds: the instruction and, if the app uses cache breakpoints, one at the end of its
// last call. It returns false if the provider would have nothing in its cache.
func (c *Run) write(b *Behind, sent int, text string) bool {
	t := c.T
	message := t.Bytes(t.Messages[sent-1].Span)
	if c.F.Marks != 0 {
		outer := t.Src[t.Outer.Start:t.Outer.End]
		marks := c.F.MarksBeside(nil, outer)
		for m := range b.Until {
			marks = c.F.MarksOf(marks, t.Bytes(t.Messages[m].Span))
		}
		like := marks
		for m := b.Until; m < t.Input && len(like) == 0; m++ {
			like = c.F.MarksOf(nil, t.Bytes(t.Messages[m].Span))
		}
		switch {
		case len(like) == 0 && c.F.OnlyMarked():
			return false
		case len(like) > 0 && len(marks) < wire.MaxMarks && len(c.F.MarksOf(nil, message)) == 0:
			if at, with, ok := c.F.Marked(message, like[len(like)-1]); ok {
				b.At, b.Anew = sent-1, spliced(message, at, with)
			}
		}
	}
	last := b.Until - 1
	if c.F.Rules.Alternate == "" || t.Messages[last].Role != transcript.User {
		b.Asks = c.NewMessage(-1, transcript.User, text)
		return true
	}
	if b.Anew == nil || b.At != last {
		b.Anew = t.Bytes(t.Messages[last].Span)
	}
	b.At = last
	b.Anew, b.Joined = c.F.Joined(b.Anew, text)
	return b.Joined
}

func spliced(message []byte, at transcript.Span, text []byte) []byte {
	out := append(make([]byte, 0, len(message)+len(text)), message[:at.Start]...)
	return append(append(out, text...), message[at.End:]...)
}

// cheaper reports whether the request after the conversation costs less than a record, by the policy's prices.
func (c *Run) cheaper(j *job, output, input, cached int) bool {
	price := c.Policy.Prices
	read := price.Input
	if price.CacheRead != nil {
		read = *price.CacheRead
	}
	p := digest.Prompt{Style: c.style(), Scope: j.scope, Prior: j.prior, Instructions: c.Policy.Summary.Instructions}
	flat := c.P.Text(p.System()) + c.P.Text(p.Text())
	for _, part := range c.parts(j.messages, c.room(&p, output)) {
		flat += part.tokens
	}
	return float64(float64(cached)*read)+float64(float64(input-cached)*price.Input) < float64(float64(flat)*price.Input)
}

// counts reports the shape of the request that produced the summary, if the host has a choice, and the provider's counts for all requests.
func (c *Run) counts(shape api.SummaryShape) {
	sum := &c.Report.Summary
	if c.Policy.Summary.Prefix {
		sum.Request = shape
	}
	for i := range c.Replies {
		u := c.Replies[i].Usage
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
	price := c.Policy.Prices
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

// perTokens is the number of tokens that a price is for.
const perTokens = 1e6
