package summary

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// local returns the digest that ctxfold writes without a model. It has at most budget tokens, plus the block of
// standing instructions, plus spare tokens for the user's requests. It may be larger if the target leaves enough room.
// prior is the text of the previous digest. standing is the block of standing instructions. why says why the model's
// summary wasn't used; "" if none was requested.
func (w *writing) local(j Job, prior string, budget, spare int, standing string, why api.SummaryFault) (d Digest) {
	chats := digest.Chats(w.t, j.Messages, prior, j.Ledger)
	budget = min(budget, w.usualLocal(j, chats))
	if w.target() > 0 {
		free := w.free(j, chats)
		if !chats { // the rest is left for restored files
			free = free * 7 / 8
		}
		switch {
		case chats && w.policy.Summary.Standing == nil: // the block gets its share first; the rest is left for the conversation
			free = max(free, budget)
			standing = w.StandingIn(j.Ledger, max(free/2, min(leastRules, 7*free/8)), chats)
			budget = free - w.doc.P.Text(standing)
			if free < 2*leastRules {
				d.Lacks = w.doc.P.Text(w.StandingIn(j.Ledger, 2*leastRules, chats)) - w.doc.P.Text(standing)
			}
		case chats && free > budget:
			standing = w.StandingIn(j.Ledger, min(w.StandingShare(), 3*free/4), chats)
			budget = max(budget, free-w.doc.P.Text(standing))
		case free > budget:
			standing = w.standing(j.Ledger, j.Gain, free, j.Room, chats)
			budget = max(budget, free-w.doc.P.Text(standing))
			spare = w.spare(j.Gain, budget+w.doc.P.Text(standing))
		}
	}
	if chats { // a chat has no log of requests
		spare = 0
	} else { // the user's words get at most half of the digest, or more if nothing else needs the room
		spare = min(spare, max(0, w.doc.P.Text(j.Ledger.AllRequests())-budget/2))
	}
	most := max(leastLocal, 3*(j.Gain-Frame)/4-w.doc.P.Text(standing))
	budget = min(budget, most)
	spare = min(spare, most-budget)
	extract := digest.NewExtract(w.t, j.Messages, prior, j.Ledger)
	extract.Keep(standing, w.doc.P.MaxUnits(spare))
	extract.SetNearby(w.besides(j.Messages))
	budget += w.doc.P.Text(standing) + spare
	text := w.filled(budget, w.bytesOf(j, budget-w.doc.P.Text(standing)-spare), extract.Digest)
	if j.Least && w.doc.P.Text(text) > budget {
		text = digest.Minimal(len(j.Messages), "")
	}
	facts, found := extract.Check(text)
	w.report.Summary = api.ReportSummary{Source: api.SourceLocal, Fault: why, Score: share(found, facts)}
	d.Text = text
	return d
}

// leastRules is the number of tokens that the user's rules and preferences may take up in the digest of a chat, even if
// that is more than half of the digest. They never take up more than seven eighths of it. The rest of the digest
// doesn't repeat these rules, so it loses little.
const leastRules = 160

// bytesOf returns an estimate of the number of bytes that make up the given number of tokens in a job's messages.
func (w *writing) bytesOf(j Job, tokens int) int {
	least, size := w.doc.P.MaxUnits(tokens), 0
	for _, m := range j.Messages {
		for _, p := range w.t.PartsOf(int(m)) {
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

// fillTries is the number of sizes that filled tries, and moreTries that of further ones if the longest text that fits
// leaves more than an eighth of the budget unused.
const (
	fillTries = 3
	moreTries = 2
)

// filled calls write several times with different sizes in bytes, because only the finished text shows how many tokens
// it has. It returns the longest text with at most budget tokens. size is the first size that it tries. The result
// exceeds budget if even a small text does.
func (w *Writer) filled(budget, size int, write func(size int) string) (best string) {
	most, last := 0, -1
	low, high := 0, 0 // the largest size whose text fits, and the smallest one whose text doesn't; 0 if there is none
	for try := range fillTries + moreTries {
		text := write(size)
		n := w.doc.P.Text(text)
		if n <= budget && n > most || best == "" || most == 0 && n < w.doc.P.Text(best) {
			if best = text; n <= budget {
				most = n
			}
		}
		if n > budget && (high == 0 || size < high) {
			high = size
		} else if n <= budget {
			low = max(low, size)
		}
		switch {
		case try+1 >= fillTries && (most*8 >= budget*7 || low == 0 || high <= low+1):
			return best
		case try+1 >= fillTries:
			size = (low + high) / 2
		case n > budget:
			size = size * budget / n * 98 / 100
		case n*100 >= budget*95 || n <= last: // there is nothing more to write
			return best
		default:
			size, last = min(size*budget/max(n, 1)*99/100, size*2), n
		}
	}
	return best
}

// leastLocal is the minimum limit, in tokens, of a digest written without a model. Larger limits are chosen so that the
// digest frees at least a quarter of what it replaces.
const leastLocal = 32

// mostChat and mostSession are the factors by which the digests of chats and of working sessions may exceed
// summary.max_output_tokens without a model if the target leaves room. usualSession, in sixteenths, is the factor for
// working sessions if it leaves none. sessionPart divides a session's size to yield a size that its digest may always
// have.
const (
	mostChat     = 4
	mostSession  = 2
	usualSession = 11
	sessionPart  = 32
)

// free returns the number of tokens that the target leaves for the digest of a job. It is at most
// half of the number of tokens that the digest replaces, and at most mostLocal. It may be negative.
// chats means that the digest is of a chat.
func (w *writing) free(j Job, chats bool) int {
	left := int(float64(w.target())*w.policy.DigestShare()) - (w.doc.Total - j.Gain) - Frame
	if j.Room > 0 {
		left = min(left, j.Room)
	}
	return min(left, (j.Gain+j.Old)/2, w.mostLocal(j, chats))
}

// mostLocal returns the maximum size, in tokens, of a digest written without a model if the target leaves room for it.
// chats means that the digest is of a chat. There is a maximum because every later request includes the digest. What
// the digest of a working session omits is still available in files and in the archive.
func (w *Writer) mostLocal(j Job, chats bool) int {
	if chats {
		return mostChat * w.policy.Summary.MaxOutputTokens
	}
	return max(mostSession*w.policy.Summary.MaxOutputTokens, w.usualLocal(j, chats))
}

// usualLocal returns the maximum size, in tokens, of a digest written without a model if the target leaves no room.
// chats means that the digest is of a chat.
func (w *Writer) usualLocal(j Job, chats bool) int {
	if chats {
		return mostChat * w.policy.Summary.MaxOutputTokens
	}
	return max(w.policy.Summary.MaxOutputTokens*usualSession/16, (j.Gain+j.Old)/sessionPart)
}

// lookBeside is the number of bytes of the remaining messages that are searched for information, so that the digest
// need not repeat it.
const lookBeside = 1 << 16

// besides returns the newest texts that follow the messages covered by the digest, up to lookBeside bytes.
func (w *writing) besides(messages []int32) (texts []string) {
	last := int32(-1)
	if len(messages) > 0 {
		last = messages[len(messages)-1]
	}
	room := lookBeside
	for i := len(w.doc.Items) - 1; i >= 0 && w.doc.Items[i].Msg > last && room > 0; i-- {
		for _, p := range w.t.PartsOf(int(w.doc.Items[i].Msg)) {
			if p.Kind == transcript.Text && !p.Has(transcript.Removed) {
				text := w.t.Text(p.Body)
				text = text[:min(len(text), room)]
				room -= len(text)
				texts = append(texts, text)
			}
		}
	}
	return texts
}

// ChatTail is the percentage of the target that the newest messages of a chat may take up if the digest is written
// without a model. It was tuned on public chats by halving and doubling, judged as docs/inside/memory.md describes.
const ChatTail = 15

// HasNoToolCalls reports whether the document is a chat, that is, neither its items nor earlier digests contain tool
// calls.
func (w *Writer) HasNoToolCalls() bool {
	messages := make([]int32, 0, len(w.doc.Items))
	for _, it := range w.doc.Items {
		messages = append(messages, it.Msg)
	}
	return digest.Chats(w.doc.T, messages, "", w.ledger)
}
