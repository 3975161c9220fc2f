package summary

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// local is the digest that ctxfold writes itself, of at most budget tokens, the block of standing instructions, and spare tokens
// more for requests; or larger, where the target leaves room for it.
func (w *Writer) local(j Job, prior string, budget, spare int, standing string, why api.SummaryFault) string {
	chats := digest.Chats(w.doc.T, j.Messages, j.Ledger)
	budget = min(budget, w.mostLocal(j, chats))
	if w.target > 0 {
		free := w.free(j, chats)
		if !chats { // files that are restored have the rest
			free = free * 7 / 8
		}
		if free > budget {
			if chats { // its share comes before what was said, which has the rest
				standing = w.StandingIn(j.Ledger, min(w.StandingShare(), 3*free/4), chats)
			} else {
				standing = w.standing(j.Ledger, j.Gain, free, j.Room, chats)
			}
			budget = max(budget, free-w.doc.P.Text(standing))
			spare = w.spare(j.Gain, budget+w.doc.P.Text(standing))
		}
	}
	if chats { // there is no log of requests
		spare = 0
	} else { // the user's words have half of the digest, and more only as far as they need it
		spare = min(spare, max(0, w.doc.P.Text(j.Ledger.Asked())-budget/2))
	}
	most := max(leastLocal, 3*(j.Gain-Frame)/4-w.doc.P.Text(standing))
	budget = min(budget, most)
	spare = min(spare, most-budget)
	extract := digest.NewExtract(w.doc.T, j.Messages, prior, j.Ledger)
	extract.Keep(standing, w.doc.P.MaxUnits(spare))
	extract.SetNearby(w.besides(j.Messages))
	budget += w.doc.P.Text(standing) + spare
	text := w.filled(budget, w.bytesOf(j, budget-w.doc.P.Text(standing)-spare), extract.Digest)
	if j.Least && w.doc.P.Text(text) > budget {
		text = digest.Minimal(len(j.Messages), "")
	}
	facts, found := extract.Check(text)
	w.report.Summary = api.ReportSummary{Source: api.SourceLocal, Why: why, Score: share(found, facts)}
	return text
}

// bytesOf is about how many bytes so many tokens have of what a job is about.
func (w *Writer) bytesOf(j Job, tokens int) int {
	least, size := w.doc.P.MaxUnits(tokens), 0
	for _, m := range j.Messages {
		for _, p := range w.doc.T.PartsOf(int(m)) {
			if p.Kind == transcript.Text {
				size += int(p.Size.Bytes)
			}
		}
	}
	if j.Gain == 0 {
		return least
	}
	return max(least, min(size/j.Gain, 5)*tokens)
}

// filled is the longest text of write that was found in a few tries and has at most budget tokens: write takes a size in bytes, and
// how many tokens these have only the text itself tells. It is longer than budget where even a small one was.
func (w *Writer) filled(budget, size int, write func(size int) string) (best string) {
	most, last := 0, -1
	for range 3 {
		text := write(size)
		n := w.doc.P.Text(text)
		if n <= budget && n > most || best == "" || most == 0 && n < w.doc.P.Text(best) {
			if best = text; n <= budget {
				most = n
			}
		}
		switch {
		case n > budget:
			size = size * budget / n * 98 / 100
		case n*100 >= budget*95 || n <= last: // there is no more to say
			return best
		default:
			size, last = min(size*budget/max(n, 1)*99/100, size*2), n
		}
	}
	return best
}

// leastLocal is what a digest without a model may have in any case, in tokens; but for that it leaves a quarter of what is folded as a
// gain.
const leastLocal = 32

// mostChat is how many times summary.max_output_tokens the digest of a chat without a model may have where the target leaves more, and
// sessionPart is what part of a working session its digest may have where that is more than eleven sixteenths of max_output_tokens.
const (
	mostChat    = 4
	sessionPart = 32
)

// free is how many tokens the target leaves for the digest of a job: no more than half of what it represents.
func (w *Writer) free(j Job, chats bool) int {
	left := int(float64(w.target)*w.policy.DigestShare()) - (w.doc.Total - j.Gain) - Frame
	if j.Room > 0 {
		left = min(left, j.Room)
	}
	return min(left, (j.Gain+j.Old)/2, w.mostLocal(j, chats))
}

// mostLocal is the most that a digest without a model may have, in tokens: it is sent with each request from then on. What that of a
// working session leaves out is in files and in the archive.
func (w *Writer) mostLocal(j Job, chats bool) int {
	if chats {
		return mostChat * w.policy.Summary.MaxOutputTokens
	}
	return max(w.policy.Summary.MaxOutputTokens*11/16, (j.Gain+j.Old)/sessionPart)
}

// lookBeside is how much of what stays is looked at for what need not be said again, in bytes.
const lookBeside = 1 << 16

// besides are the texts of the newest messages that are not among those of a digest.
func (w *Writer) besides(messages []int32) (texts []string) {
	last := int32(-1)
	if len(messages) > 0 {
		last = messages[len(messages)-1]
	}
	room := lookBeside
	for i := len(w.doc.Items) - 1; i >= 0 && w.doc.Items[i].Msg > last && room > 0; i-- {
		for _, p := range w.doc.T.PartsOf(int(w.doc.Items[i].Msg)) {
			if p.Kind == transcript.Text && !p.Has(transcript.Removed) {
				text := w.doc.T.Text(p.Body)
				text = text[:min(len(text), room)]
				room -= len(text)
				texts = append(texts, text)
			}
		}
	}
	return texts
}

// chatTail is the share of the target that the newest messages of a chat may take where its digest is made without a model, in
// percent: set on public chats by halving and doubling, judged as docs/inside/memory.md says.
const ChatTail = 15

// chats reports whether no tool was called in what the run works on.
func (w *Writer) Chats() bool {
	messages := make([]int32, 0, len(w.doc.Items))
	for _, it := range w.doc.Items {
		messages = append(messages, it.Msg)
	}
	return digest.Chats(w.doc.T, messages, w.ledger)
}
