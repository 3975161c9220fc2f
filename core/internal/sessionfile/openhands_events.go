package sessionfile

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// event begins an event; its members follow, and end.
func (w *ohSaver) event(kind, source string) {
	w.separate()
	w.write(`{"kind":"` + kind + `","source":"` + source + `","timestamp":`)
	w.quote(w.now())
	w.link()
}

// now is the time of the next event, without a zone.
func (w *ohSaver) now() string { return strings.TrimSuffix(w.next(), "Z") }

// separate goes before an event.
func (w *ohSaver) separate() {
	if !w.o.list.Zero() && !w.first {
		w.write(`,`)
	}
	w.first = false
}

// link writes the id of an event, and its parent in files that name parents.
func (w *ohSaver) link() {
	if w.parent != "" {
		w.write(`,"parent_id":` + w.parent)
	}
	w.newest = string(jsonspan.AppendString(nil, w.id()))
	w.write(`,"id":` + w.newest)
	if w.parent != "" {
		w.parent = w.newest
	}
}

func (w *ohSaver) end() {
	w.write(`}`)
	if w.o.list.Zero() {
		w.write("\n")
	}
}

// again writes the events of a message that is as it was, as new ones.
func (w *ohSaver) again(i int) {
	answer := string(jsonspan.AppendString(nil, w.id()))
	k := w.from[i]
	for _, r := range w.origins[w.begins[k]:w.begins[k+1]] {
		if r.record < 0 {
			w.event("CondensationSummaryEvent", "environment")
			w.write(`,"summary":`)
			w.out = append(w.out, w.o.events[ohSummaryOf(r.record)].summary.Of(w.src)...)
			w.end()
			continue
		}
		w.copied(&w.o.events[r.record], answer, nil)
		w.end()
	}
}

// copied writes an event of the file under another id, without its closing bracket. Members in changed are left out: the caller writes
// them. A call without a result among the messages is not one that the agent may run: it would run it once more.
func (w *ohSaver) copied(e *ohEvent, answer string, changed rename) {
	table := append(rename{{key: "id"}, {key: "timestamp"}, {key: "llm_response_id", to: "llm_response_id", with: func(dst, _ []byte, v jsonspan.Span) []byte {
		if w.src[v.Start] != '"' {
			return append(dst, v.Of(w.src)...)
		}
		return append(dst, answer...)
	}}}, changed...)
	if w.parent != "" {
		table = append(table, member{key: "parent_id"})
	}
	call := w.call(w.textAt(stringAt(w.src, e.at, "tool_call_id")))
	if e.kind == ohAction && !call.answered {
		table = append(table, member{key: "action"})
	}
	if e.kind.answers() && call.id != "" {
		table = append(table, member{key: "action_id", to: "action_id", value: call.id})
	}
	w.separate()
	w.out = appendObject(w.out, w.src, e.at, table.find)
	w.out = append(w.out[:len(w.out)-1], `,"timestamp":`...)
	w.quote(w.now())
	w.link()
	if e.kind == ohAction {
		call.id = w.newest
	}
}

func (w *ohSaver) call(id string) *ohCall {
	if c, ok := w.calls.Get(id); ok {
		return c
	}
	return &ohCall{action: -1, result: -1}
}

// member copies a member of a message, if it has it.
func (w *ohSaver) member(i int, key string) {
	if v := find(w.in.Src, w.in.Messages[i], key); !v.Zero() {
		w.write(`,"` + key + `":`)
		w.out = append(w.out, v.Of(w.in.Src)...)
	}
}

// message writes a message that the file does not have.
func (w *ohSaver) message(i int) {
	role := w.role(i)
	calls := w.callsOf(i)
	switch {
	case role == "assistant" && len(calls) > 0:
		answer := string(jsonspan.AppendString(nil, w.id()))
		for n, call := range calls {
			w.action(i, n, call, answer)
		}
		return
	case role == "tool":
		w.result(i)
		return
	}
	source := "user"
	if role != "user" {
		source = "agent"
	}
	w.event("MessageEvent", source)
	w.write(`,"llm_message":{"role":`)
	w.quote(role)
	w.write(`,"content":`)
	w.content(i, false)
	for _, key := range []string{"name", "thinking_blocks", "reasoning_content"} {
		w.member(i, key)
	}
	w.write(`}`)
	w.end()
}

// content writes the content of a message as the agent keeps it, without a note that a call has failed if it is told apart.
func (w *ohSaver) content(i int, failed bool) {
	w.write(`[`)
	n := 0
	part := func(text jsonspan.Span) {
		if failed && n == 0 {
			failed = false
			return
		}
		w.comma(n)
		n++
		w.write(`{"type":"text","text":`)
		w.out = append(w.out, text.Of(w.in.Src)...)
		w.write(`}`)
	}
	content := find(w.in.Src, w.in.Messages[i], "content")
	if !content.Zero() && w.in.Src[content.Start] == '"' {
		if content.Len() > 2 {
			part(content)
		}
	} else if !content.Zero() && w.in.Src[content.Start] == '[' {
		s := scanner(w.in.Src, content.Start)
		for s.Array(); s.Elem(); {
			at := s.Skip().Span
			if text := stringAt(w.in.Src, at, "text"); !text.Zero() {
				part(text)
			} else if url := stringAt(w.in.Src, find(w.in.Src, at, "image_url"), "url"); !url.Zero() {
				w.comma(n)
				n++
				w.write(`{"type":"image","image_urls":[`)
				w.out = append(w.out, url.Of(w.in.Src)...)
				w.write(`]}`)
			}
		}
	}
	w.write(`]`)
}

// action writes the n-th call of a message: as the event that it was with what the message says now, or as a new one.
func (w *ohSaver) action(i, n int, call jsonspan.Span, answer string) {
	id := stringAt(w.in.Src, call, "id")
	known := w.call(jsonspan.Text(w.in.Src, id))
	function := find(w.in.Src, call, "function")
	spelled := func(at jsonspan.Span) string {
		if at.Zero() {
			return `""`
		}
		return string(at.Of(w.in.Src))
	}
	name, arguments := spelled(stringAt(w.in.Src, function, "name")), spelled(stringAt(w.in.Src, function, "arguments"))
	if known.action >= 0 {
		e := &w.o.events[known.action]
		changed := rename{{key: "thought"}, {key: "thinking_blocks"}, {key: "tool_call", to: "tool_call", with: func(dst, src []byte, v jsonspan.Span) []byte {
			return appendObject(dst, src, v, rename{{key: "name", to: "name", value: name}, {key: "arguments", to: "arguments", value: arguments}}.find)
		}}}
		if w.o.reasoned {
			changed = append(changed, member{key: "reasoning_content"})
		}
		w.copied(e, answer, changed)
	} else {
		w.event("ActionEvent", "agent")
		known.id = w.newest
		w.write(`,"tool_name":` + name + `,"tool_call_id":` + spelled(id) + `,"tool_call":{"id":` + spelled(id) + `,"name":` + name +
			`,"arguments":` + arguments + `,"origin":"completion"},"llm_response_id":` + answer)
	}
	w.write(`,"thought":`)
	if n > 0 {
		w.write(`[]`)
	} else {
		w.content(i, false)
		w.member(i, "thinking_blocks")
		if w.o.reasoned || known.action < 0 {
			w.member(i, "reasoning_content")
		}
	}
	w.end()
}

// result writes a result in other words than it had. Tools that make a text of their own of what they have observed cannot hold it, and
// what comes from a server is any text.
func (w *ohSaver) result(i int) {
	id := w.answers(i)
	known := w.call(id)
	name := known.name
	if name == "" {
		name = `""`
	}
	kind := `"MCPToolObservation","tool_name":` + name
	if known.result >= 0 {
		seen := find(w.src, w.o.events[known.result].at, "observation")
		if at := stringAt(w.src, seen, "kind"); !at.Zero() && ohObserved(w.src, seen) == ohPlain {
			kind = ""
		}
	}
	content := find(w.in.Src, w.in.Messages[i], "content")
	failed := false
	if !content.Zero() && w.in.Src[content.Start] == '[' {
		s := scanner(w.in.Src, content.Start)
		if s.Array(); s.Elem() {
			failed = jsonspan.EqualText(w.in.Src, stringAt(w.in.Src, s.Skip().Span, "text"), ohFailed)
		}
	}
	w.event("ObservationEvent", "environment")
	w.write(`,"tool_name":` + name + `,"tool_call_id":`)
	w.quote(id)
	w.write(`,"action_id":`)
	switch {
	case known.id != "":
		w.write(known.id)
	case known.action >= 0:
		w.out = append(w.out, find(w.src, w.o.events[known.action].at, "id").Of(w.src)...)
	default:
		w.write(`""`)
	}
	w.write(`,"observation":`)
	if kind == "" {
		seen := find(w.src, w.o.events[known.result].at, "observation")
		w.out = appendObject(w.out, w.src, seen, rename{{key: "content"}, {key: "is_error"}}.find)
		w.out = w.out[:len(w.out)-1]
	} else {
		w.write(`{"kind":` + kind)
	}
	w.write(`,"content":`)
	w.content(i, failed)
	if failed {
		w.write(`,"is_error":true`)
	} else {
		w.write(`,"is_error":false`)
	}
	w.write(`}`)
	w.end()
}

// tell leaves out the parts of a message that carry no content: tool names, cache breakpoints, empty texts next to calls. Consecutive user
// messages count as one.
func (o *openHands) tell(dst, src []byte, message jsonspan.Span, i int) []byte {
	role := jsonspan.Text(src, stringAt(src, message, "role"))
	plain := role == "user" && find(src, message, "name").Zero()
	if !plain || !o.told || i == 0 {
		dst = append(append(dst, '\n'), role...)
	}
	o.told = plain
	calls := !find(src, message, "tool_calls").Zero()
	text := func(at jsonspan.Span) {
		if at.Len() > 2 && !(calls && jsonspan.Blank(src, at)) {
			dst = jsonspan.AppendCompact(append(dst, "\ntext "...), at.Of(src))
		}
	}
	s := scanner(src, message.Start)
	members(s, func(key []byte) bool {
		v := s.Skip().Span
		switch name := string(key); {
		case name == "role", name == "name", name == "cache_control":
		case name != "content":
			if said := string(v.Of(src)); said != `[]` && said != `""` && said != `null` {
				dst = jsonspan.AppendCompact(append(append(append(dst, '\n'), key...), ' '), v.Of(src))
			}
		case src[v.Start] == '"':
			text(v)
		case src[v.Start] == '[':
			for _, p := range elements(v.Of(src)) {
				p = jsonspan.Span{Start: p.Start + v.Start, End: p.End + v.Start}
				if at := stringAt(src, p, "text"); !at.Zero() {
					text(at)
				} else {
					dst = jsonspan.AppendCompact(append(dst, '\n'), p.Of(src))
				}
			}
		}
		return true
	})
	return dst
}
