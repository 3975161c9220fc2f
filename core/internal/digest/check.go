package digest

import (
	"bytes"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// checked is the maximum number of terms from the folded messages that Check looks for in a digest.
const checked = 64

// Check looks in a digest for facts from the messages that it replaces: the most important paths, addresses,
// identifiers and numbers, and the ledger's open errors. It returns the number of facts, and how many of them the
// digest mentions. A fact counts as mentioned even if the digest says something false about it.
func (e *Extract) Check(body string) (facts, found int) { return e.check(body, e.terms()) }

// check is like Check, but looks for the terms in of.
func (e *Extract) check(body string, of *terms) (facts, found int) {
	known := new(critbit.Map[struct{}])
	said(body, known)
	best := of.best(checked)
	for _, term := range best {
		if known.Has(term.text) {
			found++
		}
	}
	facts = len(best)
	for _, f := range e.ledger.Errors {
		facts++
		if has(body, clipLine(Fence(f.Text), 160)) {
			found++
		}
	}
	return facts, found
}

// The weights of a term by where it is mentioned. Later mentions weigh more.
const (
	written   = 6 // by the user or the agent
	argued    = 4 // in the arguments of a tool call
	pasted    = 3 // in a long argument, such as the content of a file
	answered  = 1 // in a tool's output
	inherited = 3 // in the previous digest
)

// sampleSize is the number of bytes that are read of a tool's output, at its beginning and at its end. Terms that only
// outputs mention seldom rank high.
const sampleSize = 1000

// lookTerms is the number of bytes of the newest messages that are searched for terms. Of the older messages, only the
// very first would rank high.
const lookTerms = 1 << 16

// terms returns the terms of the previous digest, of the first message, and of the newest messages with lookTerms
// bytes.
func (e *Extract) terms() *terms {
	ts := new(terms)
	for _, lines := range e.old {
		ts.add(lines, inherited*recency(0, 1)/8, -2)
	}
	for k := len(e.messages) - 1; k >= 0; k-- {
		if k == 0 || ts.size < lookTerms {
			e.addTerms(ts, e.messages[k], recency(k, len(e.messages)))
		}
	}
	return ts
}

// addTerms adds the terms of message i. weight is the result of recency for it, in 1024ths.
func (e *Extract) addTerms(ts *terms, i int32, weight int64) {
	m := &e.t.Messages[i]
	if m.Variant == transcript.Shell {
		ts.add(e.t.Text(m.Label), argued*weight, i)
	}
	for n, p := range e.t.OuterParts(m) {
		switch p.Kind {
		case transcript.Text:
			ts.add(beginning(e.t, p.Body, lookText), written*weight, i)
		case transcript.ToolCall:
			arguments(e.t, p, func(_, text string) {
				w := int64(argued)
				if len(text) > 400 {
					w = pasted
				}
				ts.add(text[:min(len(text), lookText)], w*weight, i)
			})
		case transcript.ToolResult:
			head, tail := e.sample(int(n))
			ts.add(head, answered*weight, i)
			ts.add(tail, answered*weight, i)
		}
	}
}

// sample returns about the first and the last sampleSize bytes of a tool's output. tail is "" if head is the whole
// output.
func (e *Extract) sample(part int) (head, tail string) {
	body := e.t.Parts[part].Body
	if size := int(body.Len()); e.t.IsString(body) && size > 2*sampleSize {
		end := e.t.Bytes(body)[size-sampleSize:]
		// What follows a space is outside of escapes.
		if at := bytes.IndexByte(end, ' '); at >= 0 {
			tail = e.t.Text(transcript.Span{Start: body.End - uint32(len(end)-at), End: body.End})
		}
		return beginning(e.t, body, sampleSize), tail
	}
	text := ResultText(e.t, part)
	if len(text) > 2*sampleSize {
		return text[:sampleSize], text[len(text)-sampleSize:]
	}
	return text, ""
}

// recency returns the weight of message k of n: 1024 for the newest one, and about a tenth of that for the oldest of
// many. In between, the value falls hyperbolically with age.
func recency(k, n int) int64 { return int64(1024 * n / (n + 9*(n-1-k))) }

// has reports whether text contains line, ignoring differences in white space.
func has(text, line string) bool {
	return strings.Contains(onOneLine(text), onOneLine(line))
}
