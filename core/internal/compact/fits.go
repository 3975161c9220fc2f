package compact

import (
	"strconv"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// maxCauses is the maximum number of causes in a report.
const maxCauses = 5

// advice maps each cause to a suggestion, which follows the numbers in the text.
var advice = map[api.ExcessCause]string{
	api.CauseBeside:     "shorten the system prompt or the tools, or raise the window",
	api.CauseSystem:     "shorten it or raise the window",
	api.CauseNewestUser: "shorten it or raise the window",
	api.CausePinned:     "unpin it or raise the window",
	api.CauseProvider:   "raise the window",
	api.CauseOpenCall:   "answer its tool call or raise the window",
	api.CausePair:       "unpin what it belongs to or raise the window",
	api.CauseNew:        "allow a smaller digest (summary.max_output_tokens) or raise the window",
	api.CauseKept:       "allow more passes and the last resort, or raise the window",
}

// phrase maps each cause to the words that describe it.
var phrase = map[api.ExcessCause]string{
	api.CauseSystem: "a message of the system", api.CauseNewestUser: "the newest message of the user",
	api.CausePinned: "pinned", api.CauseProvider: "only its provider can read it",
	api.CauseOpenCall: "its tool call is open", api.CausePair: "it belongs to what must stay", api.CauseKept: "kept",
}

// ReportFit reports whether the result fits within the limit and, if not, which messages take up the room. While
// summaries are pending, it considers only content that can be neither folded nor cut. staying returns which items must
// stay, and their groups. The size of an unchanged input is the provider's count if that is larger than the estimate.
func (c *Run) ReportFit(staying func() ([]bool, []int32)) {
	r := &c.report
	size := r.Tokens.After
	if !r.Changed && len(c.summary.Requests()) == 0 {
		size = max(size, c.counted)
	}
	pending := len(c.summary.Requests()) > 0
	if r.Fits = c.limit <= 0 || size <= c.limit; r.Fits {
		return
	}
	causes := c.causes(pending, staying)
	if pending {
		size = 0
		for _, cause := range causes {
			size += cause.Tokens
		}
		if r.Fits = size <= c.limit; r.Fits {
			return
		}
	}
	over := &api.Excess{Limit: size - c.limit, Causes: largest(causes)}
	if r.Tokens.Window > 0 {
		over.Window = max(0, size-r.Tokens.Window)
	}
	over.Text = excessText(size, c.limit, over.Causes)
	r.Over = over
}

// largest returns up to maxCauses causes with the most tokens, in descending order.
func largest(causes []api.Cause) []api.Cause {
	top := make([]api.Cause, 0, maxCauses+1)
	for _, cause := range causes {
		if len(top) == maxCauses && cause.Tokens <= top[maxCauses-1].Tokens {
			continue
		}
		at := len(top)
		for top = append(top, cause); at > 0 && top[at-1].Tokens < cause.Tokens; at-- {
			top[at] = top[at-1]
		}
		top[at] = cause
		top = top[:min(len(top), maxCauses)]
	}
	return top
}

// causes returns the messages in the result, each with the reason why it stays, after an entry for the system prompt
// and the tools outside the list. fixed means that only messages that must stay unchanged are returned. staying returns
// which items of the result must stay.
func (c *Run) causes(fixed bool, staying func() ([]bool, []int32)) (causes []api.Cause) {
	if n := c.doc.P.OutsideMessages(c.doc.T); n > 0 {
		causes = append(causes, api.Cause{Message: -1, Reason: api.CauseBeside, Tokens: n})
	}
	newest := c.keep.NewestUser()
	c.keep.PinItems()
	stays, _ := staying()
	for i := range c.doc.Items {
		it := &c.doc.Items[i]
		why := c.causeOf(it, i == newest, stays[i])
		if it.Tokens > 0 && !(fixed && sparable[why]) {
			causes = append(causes, api.Cause{Message: int(it.In), Reason: why, Tokens: it.Tokens})
		}
	}
	return causes
}

// sparable is the set of causes whose messages the last resort can still cut.
var sparable = map[api.ExcessCause]bool{api.CausePinned: true, api.CauseOpenCall: true, api.CausePair: true,
	api.CauseNew: true, api.CauseKept: true}

// causeOf returns the reason why an item is in the result. newest means that the item is the newest user message. stays
// means that the item must stay.
func (c *Run) causeOf(it *view.Item, newest, stays bool) api.ExcessCause {
	switch m := it.Msg; {
	case newest:
		return api.CauseNewestUser
	case c.doc.T.Messages[m].Role == transcript.System && !c.authors.IsOwn(m):
		return api.CauseSystem
	case c.keep.ProviderOnly(m):
		return api.CauseProvider
	case it.Pinned:
		return api.CausePinned
	case c.doc.T.OpenCalls(int(m)):
		return api.CauseOpenCall
	case it.In < 0:
		return api.CauseNew
	case stays:
		return api.CausePair
	}
	return api.CauseKept
}

// excessText returns a text about a result of size tokens that exceeds limit, such as "10,282 tokens do not fit into
// 8,000: message 3 alone has 6,117 (pinned); unpin it or raise the window". The largest cause comes first in causes.
func excessText(size, limit int, causes []api.Cause) string {
	text := thousands(size) + " tokens do not fit into " + thousands(limit)
	if len(causes) == 0 {
		return text
	}
	first := causes[0]
	switch first.Reason {
	case api.CauseBeside:
		text += ": the system prompt and the tools have " + thousands(first.Tokens)
	case api.CauseNew:
		text += ": text written instead of other messages has " + thousands(first.Tokens)
	default:
		text += ": message " + strconv.Itoa(first.Message) + " alone has " + thousands(first.Tokens) + " (" +
			phrase[first.Reason] + ")"
	}
	return text + "; " + advice[first.Reason]
}

// thousands returns a number with commas between groups of three digits: 10,282.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
