package transcript

import (
	"bytes"
	"slices"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/sorting"
)

// recent is the number of unanswered calls that are compared one by one before the sorted index is used. Real sessions
// have only a handful; without the index, a hostile session could take quadratic time.
const recent = 64

// pairer finds the call that a result answers: the newest unanswered call before the result that has the same id.
type pairer struct {
	t    *Transcript // the transcript whose calls are paired
	open []int32     // part indexes of unanswered calls, oldest first; some may have been answered since
	// The calls that can be answered by name alone. There is one queue for each name and message, and the newest
	// message is last.
	named critbit.Map[[]queue]
	// The sorted index. order has all calls, sorted by id and position. For each rank in order, skip has the rank, plus
	// one, at which to look for an unanswered call at or before it. skip is a disjoint-set forest, which passes over
	// answered calls in nearly constant time.
	order, skip []int32
}

// queue holds the calls in one message that have the same name, oldest first.
type queue struct {
	msg   int32   // the index of the message
	calls []int32 // part indexes
}

// PairCalls links tool calls and results, for the parts at or after index from. Ids may be reused in later turns, so a
// result answers the newest unanswered call with its id. A result without an id answers the oldest unanswered call with
// its name in the newest message that has one, as in Gemini's API.
func (t *Transcript) PairCalls(from int) {
	newPairer(t, from).link(from)
}

// newPairer returns a pairer that knows the unanswered calls before part index from.
func newPairer(t *Transcript, from int) *pairer {
	p := &pairer{t: t}
	for i := 0; i < from; i++ {
		if part := &t.Parts[i]; part.Kind == ToolCall && part.Pair < 0 && !part.Has(Removed) {
			p.add(int32(i))
		}
	}
	return p
}

// link pairs the parts at or after index from. Parts that were removed, and parts in results, have no pair.
func (p *pairer) link(from int) {
	t := p.t
	for i := from; i < len(t.Parts); i++ {
		part := &t.Parts[i]
		if part.Has(Removed) || part.Parent >= 0 {
			continue
		}
		switch part.Kind {
		case ToolCall:
			if part.Pair < 0 {
				p.add(int32(i))
			}
		case ToolResult:
			if part.Pair >= 0 {
				continue
			}
			if call := p.find(int32(i)); call >= 0 {
				part.Pair = call
				t.Parts[call].Pair = int32(i)
			}
		}
	}
}

// add registers a call that waits for its result.
func (p *pairer) add(call int32) {
	p.open = append(p.open, call)
	c := &p.t.Parts[call]
	if p.t.Named || c.ID.IsZero() {
		p.queue(string(p.t.idBytes(c.Name)), call)
	}
	if p.t.Ordered && !c.Name.IsZero() {
		p.queue("", call)
	}
}

// queue adds a call to the queues of a name. The name "" is for results without a name.
func (p *pairer) queue(name string, call int32) {
	c := &p.t.Parts[call]
	queues := p.named.At(name)
	if n := len(*queues); n > 0 && (*queues)[n-1].msg == c.Msg {
		(*queues)[n-1].calls = append((*queues)[n-1].calls, call)
	} else {
		*queues = append(*queues, queue{c.Msg, []int32{call}})
	}
}

func (p *pairer) find(i int32) int32 {
	result := &p.t.Parts[i]
	if !result.ID.IsZero() {
		if call := p.byID(i); call >= 0 || !p.t.Named {
			return call
		}
	}
	return p.byName(result)
}

func (p *pairer) byID(i int32) int32 {
	t := p.t
	result := &t.Parts[i]
	id := t.idBytes(result.ID)
	for n, tried := len(p.open)-1, 0; n >= 0; n-- {
		c := p.open[n]
		if t.Parts[c].Pair >= 0 {
			p.open = slices.Delete(p.open, n, n+1)
			continue
		}
		if p.matches(c, result, id) {
			p.open = slices.Delete(p.open, n, n+1)
			return c
		}
		if tried++; tried == recent {
			return p.slow(i, id)
		}
	}
	return -1
}

func (p *pairer) matches(call int32, result *Part, id []byte) bool {
	c := &p.t.Parts[call]
	if c.ID.IsZero() || c.Has(Server) != result.Has(Server) {
		return false
	}
	if p.t.Named && !c.Name.IsZero() && !result.Name.IsZero() && !bytes.Equal(p.t.idBytes(c.Name), p.t.idBytes(result.Name)) {
		return false
	}
	return bytes.Equal(p.t.idBytes(c.ID), id)
}

// slow looks up the call for the result at part i in the sorted index. It returns the part of the call, or -1 if there
// is none.
func (p *pairer) slow(i int32, id []byte) int32 {
	if p.order == nil {
		p.sort()
	}
	t := p.t
	// The rank after the newest call that has this id and precedes the result.
	rank, _ := slices.BinarySearchFunc(p.order, i, func(c, i int32) int {
		if d := bytes.Compare(t.idBytes(t.Parts[c].ID), id); d != 0 {
			return d
		}
		return int(c - i)
	})
	tried := 0
	for n := p.unanswered(int32(rank)); n > 0 && tried < recent; n = p.unanswered(n - 1) {
		tried++
		c := p.order[n-1]
		if !bytes.Equal(t.idBytes(t.Parts[c].ID), id) {
			break
		}
		if p.matches(c, &t.Parts[i], id) {
			return c
		}
	}
	return -1
}

// sort builds p.order, the indexes of all calls that have an id, sorted by id and then by index.
func (p *pairer) sort() {
	t := p.t
	for i := range t.Parts {
		if c := &t.Parts[i]; c.Kind == ToolCall && !c.ID.IsZero() {
			p.order = append(p.order, int32(i))
		}
	}
	sorting.Func(p.order, func(a, b int32) int {
		if c := bytes.Compare(t.idBytes(t.Parts[a].ID), t.idBytes(t.Parts[b].ID)); c != 0 {
			return c
		}
		return int(a - b)
	})
	p.skip = make([]int32, len(p.order)+1)
	for n := range p.skip {
		p.skip[n] = int32(n)
	}
}

// unanswered returns the largest number up to n such that the call at the preceding rank has no result; 0 if there is
// none.
func (p *pairer) unanswered(n int32) int32 {
	for n > 0 {
		if p.skip[n] != n {
			p.skip[n] = p.skip[p.skip[n]]
			n = p.skip[n]
		} else if p.t.Parts[p.order[n-1]].Pair >= 0 {
			p.skip[n] = n - 1
		} else {
			break
		}
	}
	return n
}

// byName returns the oldest unanswered call with the result's name in the newest message that has one, or -1. If both
// the call and the result have an id, byID has already decided.
func (p *pairer) byName(result *Part) int32 {
	t := p.t
	name := string(t.idBytes(result.Name))
	if !p.named.Has(name) {
		return -1
	}
	queues := p.named.At(name)
	for len(*queues) > 0 {
		q := &(*queues)[len(*queues)-1]
		for len(q.calls) > 0 && t.Parts[q.calls[0]].Pair >= 0 {
			q.calls = q.calls[1:]
		}
		if len(q.calls) == 0 {
			*queues = (*queues)[:len(*queues)-1]
			continue
		}
		if call := q.calls[0]; result.ID.IsZero() || t.Parts[call].ID.IsZero() {
			return call
		}
		return -1
	}
	return -1
}

// idBytes returns the decoded id at a span, without quotes. It returns nil if p is zero. An id that is no string is
// returned as it is spelled.
func (t *Transcript) idBytes(p Span) []byte {
	if p.IsZero() {
		return nil
	}
	b := t.Bytes(p)
	if b[0] != '"' {
		return b
	}
	if bytes.IndexByte(b, '\\') >= 0 {
		return t.AppendText(nil, p)
	}
	return b[1 : len(b)-1]
}

// HashID returns a hash of a part's decoded id, which is equal for parts with the same id.
func (t *Transcript) HashID(p *Part) uint64 { return hash(0, t.idBytes(p.ID)) }

// SameID reports whether two parts have the same id.
func (t *Transcript) SameID(a, b *Part) bool { return bytes.Equal(t.idBytes(a.ID), t.idBytes(b.ID)) }

// CompareID compares two parts by id, as bytes.Compare does.
func (t *Transcript) CompareID(a, b *Part) int {
	return bytes.Compare(t.idBytes(a.ID), t.idBytes(b.ID))
}

// Groups returns the group number of each position in seq, a sequence of indexes of Messages. Groups are numbered from
// 0 in order. Each is an unbroken range of positions that can be kept or removed as a whole without separating parts
// that belong together: a tool call and its result, joined messages, or an assistant message and the output of the
// calls in its text.
func (t *Transcript) Groups(seq []int32) []int32 {
	place := make([]int32, len(t.Messages))
	for i := range place {
		place[i] = -1
	}
	for i, m := range seq {
		place[m] = int32(i)
	}
	groups := make([]int32, len(seq))
	reach := t.reach(seq, place)
	var group, until int32 = -1, -1
	for i, m := range seq {
		if int32(i) > until {
			group++
			until = int32(i)
		}
		groups[i] = group
		if reach != nil {
			until = max(until, reach[i])
		}
		if i+1 < len(seq) && t.Messages[seq[i+1]].Output && t.Messages[m].Role == Assistant {
			until = max(until, int32(i+1))
		}
		until = max(until, t.joined(m, place), t.answers(m, place))
	}
	return groups
}

// joined returns the position of the message to which message m is joined, or -1. If that message was moved or removed,
// it returns the position of the next one in the chain. place has the position of each message, or -1.
func (t *Transcript) joined(m int32, place []int32) int32 {
	for int(m)+1 < len(t.Messages) && t.Messages[m].Joined {
		if m++; place[m] >= 0 {
			return place[m]
		}
	}
	return -1
}

// answers returns the position of the last result of the calls in message m, or -1. place has the position of each
// message, or -1.
func (t *Transcript) answers(m int32, place []int32) int32 {
	last := int32(-1)
	for _, p := range t.PartsOf(int(m)) {
		if p.Kind == ToolCall && !p.Has(Removed) && p.Pair >= 0 {
			last = max(last, place[t.Parts[p.Pair].Msg])
		}
	}
	return last
}

// reach returns, for each position with a call of a provider's tool, the position of the last tool call that this tool
// made, or of its result (AN11). It returns nil if the transcript has no such calls. seq has the message at each
// position, and place the position of each message, or -1.
func (t *Transcript) reach(seq, place []int32) []int32 {
	if !t.Calls {
		return nil
	}
	reach := make([]int32, len(seq))
	for i, m := range seq {
		for _, p := range t.PartsOf(int(m)) {
			if p.Caller == 0 || p.Has(Removed) {
				continue
			}
			from := place[t.Parts[p.Caller-1].Msg]
			if from < 0 || from > int32(i) {
				continue
			}
			reach[from] = max(reach[from], int32(i))
			if p.Pair >= 0 {
				reach[from] = max(reach[from], place[t.Parts[p.Pair].Msg])
			}
		}
	}
	return reach
}

// AwaitsResult reports whether a tool call was made by a provider's tool that is still running. That tool must receive
// the result unchanged.
func (t *Transcript) AwaitsResult(call *Part) bool {
	return call.Caller > 0 && t.Parts[call.Caller-1].Pair < 0
}

// OpenCalls reports whether message i contains a tool call without a result, not counting those of a provider's tools.
func (t *Transcript) OpenCalls(i int) bool {
	for _, p := range t.PartsOf(i) {
		if p.Kind == ToolCall && p.Pair < 0 && !p.Has(Removed|Server) {
			return true
		}
	}
	return false
}
