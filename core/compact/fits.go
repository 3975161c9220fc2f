package compact

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/ctxfold/ctxfold/core/transcript"
)

// Excess tells by how much a result is over its limit, and what takes the room. All sizes are tokens.
//
//easyjson:json
type Excess struct {
	Limit  int     `json:"limit"`  // over the limit
	Window int     `json:"window"` // over the window; 0 where it fits into that, or the window is unknown
	Causes []Cause `json:"causes"` // the largest first, at most maxCauses
	Text   string  `json:"text"`   // for people: the numbers, the largest cause, and what to do
}

// Cause is a message that takes room of a result that does not fit, and why it is still there.
type Cause struct {
	// Message is an index of the input's list, or -1 for what is not in it.
	Message int    `json:"message"`
	Why     string `json:"why"` // docs/ABI.md lists the words
	Tokens  int    `json:"tokens"`
}

// The words of Cause.Why. They are stable.
const (
	whyBeside   = "beside"      // the system prompt and the tools of a request body
	whySystem   = "system"      // a message of the system
	whyNewest   = "newest_user" // the newest message of the user
	whyPinned   = "pinned"      // by the policy
	whyProvider = "provider"    // it stands for what only its provider can read
	whyOpen     = "open_call"   // its tool call waits for a result
	whyPair     = "pair"        // it belongs to a tool call or result that must stay
	whyNew      = "new"         // the compaction wrote it
	whyKept     = "kept"        // nothing has taken it out
)

// maxCauses is how many causes a report names at the most.
const maxCauses = 5

// advice is what may be done about a cause, behind the numbers.
var advice = map[string]string{
	whyBeside:   "shorten the system prompt or the tools, or raise the window",
	whySystem:   "shorten it or raise the window",
	whyNewest:   "shorten it or raise the window",
	whyPinned:   "unpin it or raise the window",
	whyProvider: "raise the window",
	whyOpen:     "answer its tool call or raise the window",
	whyPair:     "unpin what it belongs to or raise the window",
	whyNew:      "allow a smaller digest (summary.max_output_tokens) or raise the window",
	whyKept:     "allow more passes and the last resort, or raise the window",
}

// phrase is a cause in words.
var phrase = map[string]string{
	whySystem: "a message of the system", whyNewest: "the newest message of the user", whyPinned: "pinned", whyProvider: "only its provider can read it",
	whyOpen: "its tool call is open", whyPair: "it belongs to what must stay", whyKept: "kept",
}

// judge says in the report whether the result fits into the limit and, where it does not, what takes the room. While
// summaries are wanted, only what can neither be folded nor cut counts.
func (c *Run) judge() {
	r := &c.Report
	size := r.Tokens.After
	if !r.Changed && len(c.Requests) == 0 {
		size = max(size, c.counted)
	}
	pending := len(c.Requests) > 0
	if r.Fits = c.Limit <= 0 || size <= c.Limit; r.Fits {
		return
	}
	causes := c.causes(pending)
	if pending {
		size = 0
		for _, cause := range causes {
			size += cause.Tokens
		}
		if r.Fits = size <= c.Limit; r.Fits {
			return
		}
	}
	slices.SortStableFunc(causes, func(a, b Cause) int { return cmp.Compare(b.Tokens, a.Tokens) })
	over := &Excess{Limit: size - c.Limit, Causes: causes[:min(len(causes), maxCauses)]}
	if r.Tokens.Window > 0 {
		over.Window = max(0, size-r.Tokens.Window)
	}
	over.Text = excessText(size, c.Limit, over.Causes)
	r.Over = over
}

// causes are what stands in the result, and why; only what must stay as it is where fixed.
func (c *Run) causes(fixed bool) (causes []Cause) {
	if n := c.P.Beside(c.T); n > 0 {
		causes = append(causes, Cause{-1, whyBeside, n})
	}
	newest := c.newestUser()
	pinned := make([]bool, len(c.Items))
	for i := range c.Items {
		pinned[i] = c.Items[i].Pinned
	}
	c.pin()
	held, _ := c.held()
	for i := range c.Items {
		it := &c.Items[i]
		why := whyKept
		switch m := it.Msg; {
		case i == newest:
			why = whyNewest
		case c.T.Messages[m].Role == transcript.System && !c.own(m):
			why = whySystem
		case c.holds(m):
			why = whyProvider
		case it.Pinned:
			why = whyPinned
		case c.T.OpenCalls(int(m)):
			why = whyOpen
		case it.In < 0:
			why = whyNew
		case held[i]:
			why = whyPair
		}
		if fixed && (why == whyPinned || why == whyOpen || why == whyPair || why == whyNew || why == whyKept) {
			continue // the last resort may still cut it
		}
		if it.Tokens > 0 {
			causes = append(causes, Cause{int(it.In), why, it.Tokens})
		}
	}
	for i := range c.Items {
		c.Items[i].Pinned = pinned[i]
	}
	return causes
}

// excessText is like "10,282 tokens do not fit into 8,000: message 3 alone has 6,117 (pinned); unpin it or raise the window".
func excessText(size, limit int, causes []Cause) string {
	text := thousands(size) + " tokens do not fit into " + thousands(limit)
	if len(causes) == 0 {
		return text
	}
	first := causes[0]
	switch first.Why {
	case whyBeside:
		text += ": the system prompt and the tools have " + thousands(first.Tokens)
	case whyNew:
		text += ": what was written in the place of other messages has " + thousands(first.Tokens)
	default:
		text += ": message " + strconv.Itoa(first.Message) + " alone has " + thousands(first.Tokens) + " (" + phrase[first.Why] + ")"
	}
	return text + "; " + advice[first.Why]
}

// thousands is a number for people: 10,282.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
