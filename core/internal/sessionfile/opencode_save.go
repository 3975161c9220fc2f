package sessionfile

import (
	"strconv"
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// save writes a separate session with the remaining messages, because opencode's import only adds to its database and would leave existing
// messages in place. All ids are new. An unchanged message keeps its parts, and a changed one keeps what the agent has noted about its
// calls. A remaining compaction becomes a plain question and answer, since it would otherwise hide the messages before it.
func (o *opencode) save(s *saver) {
	w := &ocWriter{o: o, saver: s, ms: max(0, millis(s.in.Time), s.latest+1)}
	for i := range o.records {
		r := &o.records[i]
		switch {
		case r.role == "user":
			w.user = r
		case r.role == "assistant" && !r.model.Zero():
			w.assistant = r
		}
		if !r.id.Zero() {
			w.ids.Set(o.textAt(r.id), r)
		}
	}
	session := string(jsonspan.AppendString(nil, "ses_"+strings.ReplaceAll(s.id(), "-", "")[:26]))
	w.session = session
	s.kept, s.out = int(o.whole.Start), nil
	s.out = appendObject(s.out, o.src, o.whole, rename{
		{key: "info", to: "info", with: func(dst, src []byte, v jsonspan.Span) []byte {
			return appendObject(dst, src, v, rename{{key: "id", to: "id", value: session}, {key: "revert"}, {key: "share"}}.find)
		}},
		{key: "messages", to: "messages", with: func(dst, _ []byte, _ jsonspan.Span) []byte {
			s.out = append(dst, '[')
			for i := range s.in.Messages {
				s.comma(i)
				w.message(i)
			}
			return append(s.out, ']')
		}},
	}.find)
	s.out = append(s.out, o.src[o.whole.End:]...)
}

type ocWriter struct {
	o *opencode
	*saver
	ids             critbit.Map[*ocRecord]
	user, assistant *ocRecord // the last of each, which tell what a new one must have
	session         string
	ms              int64
	given           int64  // ids so far
	id              string // of the message that is being written
	parent          string // the last user message
	calls           critbit.Map[jsonspan.Span]
}

// next is an id as opencode makes them: they ascend with time.
func (w *ocWriter) next(prefix string) string {
	w.given++
	head := strconv.FormatInt((w.ms*4096+w.given)&(1<<48-1), 16)
	tail := strings.ReplaceAll(w.saver.id(), "-", "")[:14]
	return `"` + prefix + "_" + strings.Repeat("0", 12-len(head)) + head + tail + `"`
}

func (w *ocWriter) message(i int) {
	s := w.saver
	src, at := s.in.Src, s.in.Messages[i]
	role := s.role(i)
	var was *ocRecord // the record that the message is of, in this form or in another one
	if k := s.from[i]; k >= 0 {
		was = &w.o.records[s.first(k)]
	} else if r, ok := w.ids.Get(jsonspan.Text(src, stringAt(src, at, "id"))); ok && r.role == role {
		was = r
	}
	like := was
	if like == nil && role == "user" {
		like = w.user
	} else if like == nil && role == "assistant" {
		like = w.assistant
	}
	if like == nil {
		s.fail(&jsonspan.Error{Code: api.CodeCannotSave, Message: "the session has no message with the role " + strconv.Quote(role) + ", which tells the model and the agent that a new one is for"}, 0)
		return
	}
	w.id = w.next("msg")
	if role == "user" {
		w.parent = w.id
	} else if w.parent == "" {
		w.parent = w.id
	}
	created := strconv.FormatInt(w.ms+int64(i), 10)
	times := `{"created":` + created + `}`
	if role == "assistant" {
		times = `{"created":` + created + `,"completed":` + created + `}`
	}
	s.write(`{"info":`)
	s.out = appendObject(s.out, w.src, like.info, rename{
		{key: "id", to: "id", value: w.id}, {key: "sessionID", to: "sessionID", value: w.session}, {key: "parentID", to: "parentID", value: w.parent},
		{key: "time", to: "time", value: times}, {key: "cost", to: "cost", value: "0"}, {key: "summary"}, {key: "error"}, {key: "structured"},
		{key: "tokens", to: "tokens", value: `{"input":0,"output":0,"reasoning":0,"cache":{"read":0,"write":0}}`},
	}.find)
	s.write(`,"parts":[`)
	n := 0
	if s.from[i] >= 0 {
		for _, p := range w.o.partsOf(was) {
			w.copyPart(&n, p)
		}
	} else {
		w.calls = critbit.Map[jsonspan.Span]{}
		if was != nil {
			for _, p := range w.o.partsOf(was) {
				if call := stringAt(w.src, p, "callID"); !call.Zero() {
					w.calls.Set(w.textAt(call), p)
				}
			}
		}
		for _, p := range elements(find(src, at, "parts").Of(src)) {
			at := find(src, at, "parts").Start
			w.part(&n, jsonspan.Span{Start: at + p.Start, End: at + p.End})
		}
	}
	s.write(`]}`)
}

// begin begins a part with its ids.
func (w *ocWriter) begin(n *int, typ string) {
	w.comma(*n)
	*n++
	w.write(`{"id":` + w.next("prt") + `,"sessionID":` + w.session + `,"messageID":` + w.id + `,"type":"` + typ + `"`)
}

// copyPart writes a part of the file again. What a step has cost goes: it is of what was sent before.
func (w *ocWriter) copyPart(n *int, p jsonspan.Span) {
	src := w.src
	switch jsonspan.Text(src, stringAt(src, p, "type")) {
	case "step-finish", "":
	case "compaction":
		w.begin(n, "text")
		w.write(`,"text":` + ocAsked + `}`)
	default:
		typ := stringAt(src, p, "type")
		w.begin(n, string(src[typ.Start+1:typ.End-1]))
		if rest := appendObject(nil, src, p, rename{{key: "id"}, {key: "sessionID"}, {key: "messageID"}, {key: "type"}}.find); len(rest) > 2 {
			w.write(`,`)
			w.out = append(w.out, rest[1:len(rest)-1]...)
		}
		w.write(`}`)
	}
}

// value writes a member of a part from another one of the message.
func (w *ocWriter) value(to string, at jsonspan.Span, key string) {
	if v := find(w.in.Src, at, key); !v.Zero() {
		w.write(`,"` + to + `":`)
		w.out = append(w.out, v.Of(w.in.Src)...)
	}
}

// part writes a part of a message that is new or changed.
func (w *ocWriter) part(n *int, p jsonspan.Span) {
	src := w.in.Src
	typ := jsonspan.Text(src, stringAt(src, p, "type"))
	switch typ {
	case "text":
		w.begin(n, typ)
		w.value("text", p, "text")
		w.value("metadata", p, "providerMetadata")
	case "reasoning":
		w.begin(n, typ)
		w.value("text", p, "text")
		w.value("metadata", p, "providerMetadata")
		w.write(`,"time":`)
		w.times()
	case "file":
		w.begin(n, typ)
		w.value("mime", p, "mediaType")
		w.value("filename", p, "filename")
		w.value("url", p, "url")
	case "step-start":
		w.begin(n, typ)
	default:
		name := strings.TrimPrefix(typ, "tool-")
		if typ == "dynamic-tool" {
			name = jsonspan.Text(src, stringAt(src, p, "toolName"))
		} else if name == typ {
			return // a part that opencode does not have; the file is compared with the messages
		}
		w.begin(n, "tool")
		w.tool(name, p)
	}
	w.write(`}`)
}

func (w *ocWriter) times() {
	ms := strconv.FormatInt(w.ms, 10)
	w.write(`{"start":` + ms + `,"end":` + ms + `}`)
}

func (w *ocWriter) tool(name string, p jsonspan.Span) {
	src := w.in.Src
	was, _ := w.calls.Get(jsonspan.Text(src, stringAt(src, p, "toolCallId")))
	state := find(w.src, was, "state")
	w.value("callID", p, "toolCallId")
	w.write(`,"tool":`)
	w.quote(name)
	w.write(`,"state":{`)
	output := find(src, p, "output")
	done := jsonspan.Text(src, stringAt(src, p, "state")) == "output-available"
	var attachments jsonspan.Span
	if done {
		if !output.Zero() && src[output.Start] == '{' {
			attachments, output = find(src, output, "attachments"), find(src, output, "text")
		}
		w.write(`"status":"completed"`)
	} else {
		w.write(`"status":"error"`)
	}
	w.value("input", p, "input")
	if done {
		if output.Zero() {
			w.write(`,"output":""`)
		} else {
			w.write(`,"output":`)
			w.out = append(w.out, output.Of(src)...)
		}
		if !attachments.Zero() {
			w.write(`,"attachments":`)
			w.out = append(w.out, attachments.Of(src)...)
		}
		w.noted(state, "title", `""`)
		w.noted(state, "metadata", `{}`)
	} else {
		w.value("error", p, "errorText")
	}
	w.write(`,"time":`)
	if at := find(w.src, state, "time"); !at.Zero() && !find(w.src, at, "end").Zero() {
		w.out = appendObject(w.out, w.src, at, rename{{key: "compacted"}}.find)
	} else {
		w.times()
	}
	w.write(`}`)
	metadata := find(src, p, "callProviderMetadata")
	executed := string(find(src, p, "providerExecuted").Of(src)) == "true"
	switch {
	case executed && !metadata.Zero():
		w.write(`,"metadata":`)
		w.out = append(w.out, metadata.Of(src)...)
		w.out = append(w.out[:len(w.out)-1], `,"providerExecuted":true}`...)
	case executed:
		w.write(`,"metadata":{"providerExecuted":true}`)
	default:
		w.value("metadata", p, "callProviderMetadata")
	}
}

// noted writes what the file has noted of a call, or what opencode wants there.
func (w *ocWriter) noted(state jsonspan.Span, key, none string) {
	w.write(`,"` + key + `":`)
	if v := find(w.src, state, key); !v.Zero() && (w.src[v.Start] == none[0]) {
		w.out = append(w.out, v.Of(w.src)...)
	} else {
		w.write(none)
	}
}

// tell leaves out the id of a message, which is another one in the new session.
func (o *opencode) tell(dst, src []byte, message jsonspan.Span, _ int) []byte {
	dst = append(append(dst, '\n'), jsonspan.Text(src, find(src, message, "role"))...)
	parts := find(src, message, "parts")
	return jsonspan.AppendCompact(append(dst, '\n'), parts.Of(src))
}
