// Package convert writes a conversation in another wire format than it came in, and lists what could not be carried over.
//
// It goes by records (transcript.Part) on the one side and by templates (wire.Target) on the other, and knows no format by name. What
// never enters this package: budgets, passes, and repairs of the result, which the rules of the target say.
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

// Output is a conversation as it was written in the target's format.
type Output struct {
	Messages []byte // a list of messages, or a request body where the input was one
	System   []byte // the system prompt as the target has it next to a list; nil if there is none, or where it is in Messages
	Lost     []api.Loss
}

// conversion is one conversion on its way.
type conversion struct {
	t    *transcript.Transcript
	from *wire.Format
	f    *wire.Format
	to   *wire.Target

	list  string // the path of the list of messages
	paths wire.Paths
	lost  []api.Loss

	ids    []string // of each part that is a call: its id in the target
	system []string // texts of the system that are next to the list
	tools  []definition
	turns  []turn
	folded int // messages at the front that a summary represents which only its provider reads

	metadata critbit.Map[int] // by the name of a member of messages, and of parts after a space: its index in lost
	order    []int32          // of spoken, to be used again
	written  []bool           // of each part that is a result: it is in the output
	copied   []bool           // of each part: it describes a call that another part describes; nil if there is none
	out      []byte
	n        int // messages that were written
	number   int // of the next thing that wants a number
	current  message
	behind   []piece // media of results that are in a user message's after them
}

// turn is what one speaker says without a pause: pieces of one or more messages.
type turn struct {
	role   transcript.Role
	msg    int32
	pieces []piece
}

// piece is a part of the source, or a text of our own where part is -1.
type piece struct {
	kind transcript.Kind
	part int32
	text string
}

// Convert writes t, which is in the format from, in the format to, which must have a Target. list is the path of t's list of messages,
// prompt a system prompt that is elsewhere, or "".
func Convert(t *transcript.Transcript, from, to *wire.Format, list, prompt string) *Output {
	c := &conversion{t: t, from: from, f: to, to: to.Convert, list: list, paths: wire.Paths{F: from, T: t}}
	if strings.TrimSpace(prompt) != "" {
		c.system = append(c.system, prompt)
	}
	c.otherMembers()
	c.name()
	c.copies()
	c.written = make([]bool, len(t.Parts))
	c.folded = c.sealed()
	c.read()
	c.write()
	c.unwritten()
	o := &Output{}
	defer func() {
		sorting.Stable(c.lost, func(a, b api.Loss) int { return a.Message - b.Message })
		o.Lost = c.lost
	}()
	messages := append(append([]byte{'['}, c.out...), ']')
	var system []byte
	if len(c.system) > 0 {
		v := wire.Values{'t': jsonspan.AppendString(nil, strings.Join(c.system, "\n\n"))}
		system = wire.Fill(nil, c.to.Apart, &v)
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

// sealed returns how many messages at the front precede a provider's own summary that no other can read: they are carried over, since
// nothing else says what they say.
func (c *conversion) sealed() int {
	n := c.t.Summarized()
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

// unsent reports whether a message is one that no model is sent any more.
func (c *conversion) unsent(i int32) bool {
	m := &c.t.Messages[i]
	return m.Unsent && (m.Passing || int(i) >= c.folded) || m.Meta > 0 && c.t.Metas[m.Meta-1].Agent == transcript.Off
}

// lose notes that a part of message i, or the message where part is -1, is not carried over as it is.
func (c *conversion) lose(i, part int32, kind api.LossKind, why api.LossReason, instead api.LossInstead, detail string) {
	path := c.list
	if i >= 0 {
		path += c.paths.Of(&wire.Violation{Message: i, Part: part})
	}
	c.lost = append(c.lost, api.Loss{Message: int(i), Path: path, Kind: kind, Reason: why, Instead: instead, Detail: clip(detail)})
}

// losePart is lose for a part.
func (c *conversion) losePart(n int32, why api.LossReason, instead api.LossInstead, detail string) {
	p := &c.t.Parts[n]
	c.lose(p.Msg, n, api.LossKind(p.Kind.String()), why, instead, detail)
}

// clip bounds what a report quotes of the source.
func clip(s string) string {
	const most = 120
	if len(s) <= most {
		return s
	}
	return string(jsonspan.TrimRune([]byte(s[:most]))) + "…"
}

// name gives each tool call its id in the target: its own one where that has the form and no other call has it.
func (c *conversion) name() {
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
		if !p.ID.Zero() {
			id = t.Text(p.ID)
		}
		if c.to.ID.Fits(id) && !taken.Has(id) {
			c.ids[n] = id
			taken.Add(id)
			continue
		}
		fresh = append(fresh, int32(n))
	}
	next := 1
	for _, n := range fresh {
		id := ""
		for ; id == "" || taken.Has(id); next++ {
			digits := strconv.FormatInt(int64(next), 10)
			id = c.f.FreshID + strings.Repeat("0", max(0, c.to.ID.Exact-len(c.f.FreshID)-len(digits))) + digits
		}
		taken.Add(id)
		c.ids[n] = id
		if p := &t.Parts[n]; !p.ID.Zero() {
			c.losePart(n, api.LossIDForm, api.InsteadChanged, id)
		}
	}
}

// copies finds the parts that say once more what another one says.
func (c *conversion) copies() {
	for n := range c.t.Parts {
		for k := c.t.Parts[n].Copy; k > 0; k = c.t.Parts[k-1].Copy {
			if c.copied == nil {
				c.copied = make([]bool, len(c.t.Parts))
			}
			c.copied[k-1] = true
		}
	}
}
