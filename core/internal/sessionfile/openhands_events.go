package sessionfile

import (
	"strconv"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// event starts an event. The caller writes its remaining members and calls end. source is who caused it, such as
// "agent".
func (w *ohSaver) event(kind, source string) {
	w.separate()
	w.write(`{"kind":"`+kind+`","source":"`+source+`","timestamp":`, w.now())
	w.link()
}

// now returns the time for the next event, without a time zone.
func (w *ohSaver) now() quoted { return quoted(strings.TrimSuffix(w.nextTime(), "Z")) }

// separate writes the separator before the next event.
func (w *ohSaver) separate() {
	if !w.o.list.IsZero() && !w.first {
		w.write(`,`)
	}
	w.first = false
}

// link writes a new id for the event, and the id of its parent in files whose events name their parents.
func (w *ohSaver) link() {
	if w.parent != "" {
		w.write(`,"parent_id":` + w.parent)
	}
	w.newest = w.newID()
	w.write(`,"id":` + w.newest)
	if w.parent != "" {
		w.parent = w.newest
	}
}

func (w *ohSaver) end() {
	w.write(`}`)
	if w.o.list.IsZero() {
		w.write("\n")
	}
}

// again writes the events of message i, which is unchanged, as new events.
func (w *ohSaver) again(i int) {
	answer := w.newID()
	for _, r := range w.recordsOf(w.from[i]) {
		if r.record < 0 {
			w.event("CondensationSummaryEvent", "environment")
			w.write(`,"summary":`, w.o.events[ohSummaryOf(r.record)].summary)
			w.end()
			continue
		}
		w.copied(&w.o.events[r.record], answer, nil)
		w.end()
	}
}

// copied writes a copy of an event with a new id, without its closing brace. answer is the id of the model's response,
// without quotes. The caller must write the members that the table changed removes. A call that has no result among the
// messages must not look executable, because the agent would run it again.
func (w *ohSaver) copied(e *ohEvent, answer string, changed rename) {
	response := func(dst, _ []byte, v jsonspan.Span) []byte {
		if w.src[v.Start] != '"' {
			return append(dst, v.Slice(w.src)...)
		}
		return append(dst, answer...)
	}
	table := append(append(withoutKeys("id timestamp"),
		member{key: "llm_response_id", to: "llm_response_id", with: response}), changed...)
	if w.parent != "" {
		table = append(table, member{key: "parent_id"})
	}
	call := w.call(textOf(w.src, e.at, "tool_call_id"))
	if e.kind == ohAction && !call.answered {
		table = append(table, member{key: "action"})
	}
	if e.kind.answers() && call.id != "" {
		table = table.withValue("action_id", call.id)
	}
	w.separate()
	w.out = withoutBrace(appendObject(w.out, w.src, e.at, table.conversionOf))
	w.write(`,"timestamp":`, w.now())
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

// member copies a member of message i, if the message has it.
func (w *ohSaver) member(i int, key string) {
	if v := w.value(i, key); v != nil {
		w.write(`,"`+key+`":`, v)
	}
}

// message writes the events for message i, which is new or changed.
func (w *ohSaver) message(i int) {
	role := w.role(i)
	calls := w.callsOf(i)
	switch {
	case role == "assistant" && len(calls) > 0:
		answer := w.newID()
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
	w.write(`,"llm_message":{"role":`, quoted(role), `,"content":`)
	w.content(i, false)
	for _, key := range []string{"name", "thinking_blocks", "reasoning_content"} {
		w.member(i, key)
	}
	w.write(`}`)
	w.end()
}

// content writes the content of message i as OpenHands stores it. If failed is true, the first text only announces that
// the call failed. It is left out, because another member of the event records the failure.
func (w *ohSaver) content(i int, failed bool) {
	src := w.in.Src
	w.write(`[`)
	n := 0
	part := func(text jsonspan.Span) {
		if failed && n == 0 {
			failed = false
			return
		}
		w.writeComma(n)
		n++
		w.write(`{"type":"text","text":`, text.Slice(src), `}`)
	}
	content := find(src, w.in.Messages[i], "content")
	if !content.IsZero() && src[content.Start] == '"' && content.Len() > 2 {
		part(content)
	}
	for _, at := range items(src, content) {
		if text := stringAt(src, at, "text"); !text.IsZero() {
			part(text)
		} else if url := stringAt(src, at, "image_url.url"); !url.IsZero() {
			w.writeComma(n)
			n++
			w.write(`{"type":"image","image_urls":[`, url.Slice(src), `]}`)
		}
	}
	w.write(`]`)
}

// action writes the event for call n of message i: the old event with the message's changes applied, or a new event if
// the file has none. call is the call in the message, and answer the id of the model's response.
func (w *ohSaver) action(i, n int, call jsonspan.Span, answer string) {
	spelled := func(path string) string {
		if at := stringAt(w.in.Src, call, path); !at.IsZero() {
			return string(at.Slice(w.in.Src))
		}
		return `""`
	}
	known := w.call(textOf(w.in.Src, call, "id"))
	id, name, arguments := spelled("id"), spelled("function.name"), spelled("function.arguments")
	if known.action >= 0 {
		changed := append(withoutKeys("thought thinking_blocks"),
			member{key: "tool_call", to: "tool_call", with: func(dst, src []byte, v jsonspan.Span) []byte {
				return appendObject(dst, src, v,
					rename{}.withValue("name", name).withValue("arguments", arguments).conversionOf)
			}})
		if w.o.reasoned {
			changed = append(changed, member{key: "reasoning_content"})
		}
		w.copied(&w.o.events[known.action], answer, changed)
	} else {
		w.event("ActionEvent", "agent")
		known.id = w.newest
		w.write(`,"tool_name":`, name, `,"tool_call_id":`, id, `,"tool_call":{"id":`, id, `,"name":`, name,
			`,"arguments":`, arguments, `,"origin":"completion"},"llm_response_id":`, answer)
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

// result writes an event for message i, which is a changed or new tool result. If OpenHands generates the text of the
// tool's observations, it can't store any other text there, so the result becomes the observation of an MCP tool.
func (w *ohSaver) result(i int) {
	id := w.answers(i)
	known := w.call(id)
	name, action := known.name, known.id
	if name == "" {
		name = `""`
	}
	if action == "" && known.action >= 0 {
		action = string(find(w.src, w.o.events[known.action].at, "id").Slice(w.src))
	} else if action == "" {
		action = `""`
	}
	failed := false
	for k, part := range items(w.in.Src, find(w.in.Src, w.in.Messages[i], "content")) {
		failed = failed || k == 0 && jsonspan.EqualText(w.in.Src, stringAt(w.in.Src, part, "text"), ohFailed)
	}
	w.event("ObservationEvent", "environment")
	w.write(`,"tool_name":`, name, `,"tool_call_id":`, quoted(id), `,"action_id":`, action, `,"observation":`)
	var seen jsonspan.Span
	if known.result >= 0 {
		seen = find(w.src, w.o.events[known.result].at, "observation")
	}
	if !stringAt(w.src, seen, "kind").IsZero() && ohObserved(w.src, seen) == ohPlain {
		w.out = withoutBrace(appendObject(w.out, w.src, seen, withoutKeys("content is_error").conversionOf))
	} else {
		w.write(`{"kind":"MCPToolObservation","tool_name":`, name)
	}
	w.write(`,"content":`)
	w.content(i, failed)
	w.write(`,"is_error":` + strconv.FormatBool(failed) + `}`)
	w.end()
}

// appendPreserved implements [writer]. It ignores everything without content: tool names, cache
// breakpoints, and blank texts next to calls. Consecutive user messages count as one message.
func (o *openHands) appendPreserved(dst, src []byte, message jsonspan.Span, i int) []byte {
	role := jsonspan.Text(src, stringAt(src, message, "role"))
	plain := role == "user" && find(src, message, "name").IsZero()
	if !plain || !o.afterUser || i == 0 {
		dst = append(append(dst, '\n'), role...)
	}
	o.afterUser = plain
	t := ohPreserved{dst: dst, src: src, calls: !find(src, message, "tool_calls").IsZero()}
	s := scanner(src, message.Start)
	members(s, func(key []byte) bool {
		t.member(string(key), s.Skip().Span)
		return true
	})
	return t.dst
}

// ohPreserved is the content of a message, as appendPreserved writes it.
type ohPreserved struct {
	dst, src []byte // the result so far, and the source of the message
	calls    bool   // whether the message has tool calls
}

func (t *ohPreserved) member(name string, v jsonspan.Span) {
	value := v.Slice(t.src)
	switch {
	case name == "role", name == "name", name == "cache_control":
	case name != "content":
		if said := string(value); said != `[]` && said != `""` && said != `null` {
			t.dst = jsonspan.AppendCompact(append(append(append(t.dst, '\n'), name...), ' '), value)
		}
	case value[0] == '"':
		t.text(v)
	case value[0] == '[':
		for _, p := range elements(value) {
			t.part(jsonspan.Span{Start: p.Start + v.Start, End: p.End + v.Start})
		}
	}
}

func (t *ohPreserved) part(p jsonspan.Span) {
	if at := stringAt(t.src, p, "text"); !at.IsZero() {
		t.text(at)
	} else {
		t.dst = jsonspan.AppendCompact(append(t.dst, '\n'), p.Slice(t.src))
	}
}

func (t *ohPreserved) text(at jsonspan.Span) {
	if at.Len() > 2 && !(t.calls && jsonspan.IsBlank(t.src, at)) {
		t.dst = jsonspan.AppendCompact(append(t.dst, "\ntext "...), at.Slice(t.src))
	}
}
