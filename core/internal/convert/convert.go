// Package convert converts a conversation from one wire format to another, and lists what could not be carried over.
//
// It reads records (transcript.Part) and fills in templates (wire.Target), and knows no format by name. It knows
// nothing about budgets and passes, and doesn't repair the result: the rules of the target format determine what has to
// be repaired.
package convert

import (
	"strconv"
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/sorting"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/wire"
)

// Output is the converted conversation.
type Output struct {
	Messages []byte // a list of messages, or a request body if the input was one
	// The system prompt in the target's form, for targets that keep it outside the messages; nil if there is none or it
	// is in Messages.
	System []byte
	Lost   []api.Loss // what the target can't represent
}

// conversion is the state of one conversion.
type conversion struct {
	t    *transcript.Transcript // the transcript to convert
	from *wire.Format           // its format
	f    *wire.Format           // the target's format
	to   *wire.Target           // the templates of the target

	list  string     // the path of the list of messages
	paths wire.Paths // finds the paths of lost content
	lost  []api.Loss // what the target can't represent

	ids    []string     // for each part that is a call, its id in the target
	system []string     // the texts of the system prompt, for targets that keep it outside the list
	tools  []definition // the tool definitions
	turns  []turn       // the source's turns, in order
	folded int          // the number of leading messages that a provider's own, unreadable summary covers

	// The index in lost of each loss of metadata, by the member's name, with a space before it for a part's
	// member.
	metadata   critbit.Map[int]
	order      []int32 // a buffer for spoken
	written    []bool  // for each part that is a result, whether it is in the output
	copied     []bool  // for each part, whether it repeats a call that another part describes; nil if none does
	out        []byte  // the messages that are written, separated by commas
	n          int     // messages written so far
	number     int     // the next number for templates that count
	current    message // the message that is being written
	mediaAfter []piece // media of results, which go into a user message after the results
}

// turn is everything that one speaker says without interruption, from one or more messages.
type turn struct {
	role   transcript.Role // of the speaker
	msg    int32           // the index of the first of these messages
	pieces []piece         // what was said, in order
}

// piece is a part from the source or, if part is -1, text that the conversion wrote.
type piece struct {
	kind transcript.Kind // as in the source; Text if the conversion wrote it
	part int32           // its index in the source, or -1
	text string          // the text, if part is -1
}

// Convert converts t from one format to another, which must have a Target. list is the path of the list of messages,
// for reports. prompt is a system prompt outside t, or "".
func Convert(t *transcript.Transcript, from, to *wire.Format, list, prompt string) *Output {
	c := &conversion{t: t, from: from, f: to, to: to.Convert, list: list, paths: wire.Paths{F: from, T: t}}
	if strings.TrimSpace(prompt) != "" {
		c.system = append(c.system, prompt)
	}
	c.otherMembers()
	c.nameCalls()
	c.markCopies()
	c.written = make([]bool, len(t.Parts))
	c.folded = c.sealedMessages()
	c.readTurns()
	c.writeTurns()
	c.loseUnwritten()
	o := &Output{}
	defer func() {
		sorting.Stable(c.lost, func(a, b api.Loss) int { return a.Message - b.Message })
		o.Lost = c.lost
	}()
	messages := append(append([]byte{'['}, c.out...), ']')
	var system []byte
	if len(c.system) > 0 {
		v := wire.Values{'t': jsonspan.AppendString(nil, strings.Join(c.system, "\n\n"))}
		system = wire.FillTemplate(nil, c.to.Apart, &v)
	}
	if t.Outer == t.List {
		o.Messages, o.System = messages, system
		return o
	}
	body := []byte{'{'}
	if system != nil {
		body = append(append(append(append(body, '"'), c.to.ApartKey...), `":`...), system...)
		body = append(body, ',')
	}
	if len(c.tools) > 0 {
		body = append(c.appendTools(body), ',')
	}
	body = append(append(append(append(body, '"'), to.List...), `":`...), messages...)
	o.Messages = append(body, '}')
	return o
}

// sealedMessages returns the number of leading messages that are covered by a provider's own summary; 0 if its text is
// readable. No other provider can read such a summary, so these messages are carried over.
func (c *conversion) sealedMessages() int {
	n := c.t.ProviderSummarized()
	if n == 0 {
		return 0
	}
	for _, p := range c.t.PartsOf(n - 1) {
		if p.Has(transcript.Summary) && p.Kind == transcript.Text {
			return 0
		}
	}
	return n
}

// isUnsent reports whether message i would not be sent to any model.
func (c *conversion) isUnsent(i int32) bool {
	m := &c.t.Messages[i]
	return m.Unsent && (m.Passing || int(i) >= c.folded) || m.Meta > 0 && c.t.Metas[m.Meta-1].Agent == transcript.Off
}

// recordLoss records that a part of message i, or the whole message if part is -1, could not be carried over unchanged.
// why is the reason, instead is what replaces it, and detail is a name or text for reports.
func (c *conversion) recordLoss(i, part int32, kind api.LossKind, why api.LossReason, instead api.LossInstead,
	detail string) {
	path := c.list
	if i >= 0 {
		path += c.paths.Of(&wire.Violation{Message: i, Part: part})
	}
	c.lost = append(c.lost, api.Loss{Message: int(i), Path: path, Kind: kind, Reason: why, Instead: instead,
		Detail: clipDetail(detail)})
}

// recordPartLoss calls recordLoss for part n of the source. Its kind of loss is the kind of the part. The other
// parameters are those of recordLoss.
func (c *conversion) recordPartLoss(n int32, why api.LossReason, instead api.LossInstead, detail string) {
	p := &c.t.Parts[n]
	c.recordLoss(p.Msg, n, api.LossKind(p.Kind.String()), why, instead, detail)
}

// clipDetail shortens a quotation from the source to about 120 bytes, for a report.
func clipDetail(s string) string {
	const most = 120
	if len(s) <= most {
		return s
	}
	return string(jsonspan.TrimRune([]byte(s[:most]))) + "…"
}

// nameCalls assigns to each tool call its id in the target: the call's own id if it has a valid form and isn't used
// by another call, otherwise a new one.
func (c *conversion) nameCalls() {
	if c.to.NoID || c.to.Call == "" {
		return
	}
	t := c.t
	c.ids = make([]string, len(t.Parts))
	var taken critbit.Map[bool]
	var fresh []int32
	for n := range t.Parts {
		p := &t.Parts[n]
		if p.Kind != transcript.ToolCall || p.Has(transcript.Server) {
			continue
		}
		id := ""
		if !p.ID.IsZero() {
			id = t.Text(p.ID)
		}
		if c.to.ID.Accepts(id) && !taken.Has(id) {
			c.ids[n] = id
			taken.Add(id)
		} else {
			fresh = append(fresh, int32(n))
		}
	}
	c.nameNewCalls(fresh, &taken)
}

// nameNewCalls assigns new ids to tool calls, given by their parts, and adds the ids to taken. None of them is in taken
// yet. If a call had another id, that is recorded as lost.
func (c *conversion) nameNewCalls(calls []int32, taken *critbit.Map[bool]) {
	next := 1
	for _, n := range calls {
		id := ""
		for ; id == "" || taken.Has(id); next++ {
			digits := strconv.FormatInt(int64(next), 10)
			id = c.f.FreshID + strings.Repeat("0", max(0, c.to.ID.Exact-len(c.f.FreshID)-len(digits))) + digits
		}
		taken.Add(id)
		c.ids[n] = id
		if p := &c.t.Parts[n]; !p.ID.IsZero() {
			c.recordPartLoss(n, api.LossIDForm, api.InsteadChanged, id)
		}
	}
}

// markCopies records in c.copied which parts repeat a call that another part describes.
func (c *conversion) markCopies() {
	for n := range c.t.Parts {
		for k := c.t.Parts[n].Copy; k > 0; k = c.t.Parts[k-1].Copy {
			if c.copied == nil {
				c.copied = make([]bool, len(c.t.Parts))
			}
			c.copied[k-1] = true
		}
	}
}
