package sessionfile

import (
	"strconv"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// save writes a separate session with the remaining messages, because opencode's import only adds to its database and
// would leave existing messages in place. All ids are new. An unchanged message keeps its parts, and a changed message
// keeps what the agent recorded about its calls. A remaining compaction becomes an ordinary question and answer;
// otherwise it would hide the messages before it.
func (o *opencode) save(s *saver) {
	w := &ocWriter{o: o, saver: s, ms: max(0, millis(s.in.Time), s.latest+1)}
	for i := range o.records {
		r := &o.records[i]
		switch {
		case r.role == "user":
			w.user = r
		case r.role == "assistant" && !r.model.IsZero():
			w.assistant = r
		}
		if !r.id.IsZero() {
			w.ids.Set(o.textAt(r.id), r)
		}
	}
	w.session = `"ses_` + strings.ReplaceAll(s.id(), "-", "")[:26] + `"`
	s.kept, s.out = int(o.whole.Start), nil
	s.out = appendObject(s.out, o.src, o.whole, rename{
		{key: "info", to: "info", with: func(dst, src []byte, v jsonspan.Span) []byte {
			return appendObject(dst, src, v, withoutKeys("revert share").withValue("id", w.session).conversionOf)
		}},
		{key: "messages", to: "messages", with: func(dst, _ []byte, _ jsonspan.Span) []byte {
			s.out = append(dst, '[')
			for i := range s.in.Messages {
				s.writeComma(i)
				w.message(i)
			}
			return append(s.out, ']')
		}},
	}.conversionOf)
	s.write(o.src[o.whole.End:])
}

type ocWriter struct {
	o *opencode // the file's reader
	*saver
	ids             critbit.Map[*ocRecord]     // the records of the file, by id
	user, assistant *ocRecord                  // the last message of each role, whose settings new messages copy
	session         string                     // the id of the new session, as JSON
	ms              int64                      // the time of the compaction, in milliseconds since 1970; later than all times in the file
	given           int64                      // the number of ids made so far
	id              string                     // the id of the message being written
	parent          string                     // the id of the last user message
	calls           critbit.Map[jsonspan.Span] // the parts with the calls of the old record, by the calls' ids
}

// next returns a new id in opencode's form, as JSON: prefix, such as "msg", an underscore, and
// digits. Such ids ascend with time.
func (w *ocWriter) next(prefix string) string {
	w.given++
	head := strconv.FormatInt((w.ms*4096+w.given)&(1<<48-1), 16)
	tail := strings.ReplaceAll(w.saver.id(), "-", "")[:14]
	return `"` + prefix + "_" + strings.Repeat("0", 12-len(head)) + head + tail + `"`
}

// ocUncounted holds the token counts for a copied message. The original's counts describe an older prompt.
const ocUncounted = `{"input":0,"output":0,"reasoning":0,"cache":{"read":0,"write":0}}`

// recordOf returns the record in the file that message i comes from, or nil if the message is new.
func (w *ocWriter) recordOf(i int) *ocRecord {
	s := w.saver
	if k := s.from[i]; k >= 0 {
		return &w.o.records[s.firstRecord(k)]
	}
	if r, ok := w.ids.Get(textOf(s.in.Src, s.in.Messages[i], "id")); ok && r.role == s.role(i) {
		return r
	}
	return nil
}

// knowCalls sets w.calls to the calls of the record r, which may be nil.
func (w *ocWriter) knowCalls(r *ocRecord) {
	w.calls = critbit.Map[jsonspan.Span]{}
	if r == nil {
		return
	}
	for _, p := range w.o.partsOf(r) {
		if call := stringAt(w.src, p, "callID"); !call.IsZero() {
			w.calls.Set(w.textAt(call), p)
		}
	}
}

// message writes message i as a record of the new session. It copies the info of the old record or, for a new message,
// of one with the same role; without one, it refuses to save.
func (w *ocWriter) message(i int) {
	s := w.saver
	src, at := s.in.Src, s.in.Messages[i]
	role := s.role(i)
	was := w.recordOf(i)
	like := was // the record whose info is copied
	switch {
	case like != nil:
	case role == "user":
		like = w.user
	case role == "assistant":
		like = w.assistant
	}
	if like == nil {
		s.refuse("the session has no message with the role " + strconv.Quote(role) +
			", which tells the model and the agent that a new one is for")
		return
	}
	w.id = w.next("msg")
	if role == "user" || w.parent == "" {
		w.parent = w.id
	}
	created := strconv.FormatInt(w.ms+int64(i), 10)
	times := `{"created":` + created + `}`
	if role == "assistant" {
		times = `{"created":` + created + `,"completed":` + created + `}`
	}
	s.write(`{"info":`)
	s.out = appendObject(s.out, w.src, like.info,
		withoutKeys("summary error structured").withValue("id", w.id).withValue("sessionID", w.session).
			withValue("parentID", w.parent).withValue("time", times).withValue("cost", "0").
			withValue("tokens", ocUncounted).conversionOf)
	s.write(`,"parts":[`)
	n := 0
	if s.from[i] >= 0 {
		for _, p := range w.o.partsOf(was) {
			w.copyPart(&n, p)
		}
	} else {
		w.knowCalls(was)
		for _, p := range items(src, find(src, at, "parts")) {
			w.part(&n, p)
		}
	}
	s.write(`]}`)
}

// begin starts a part and writes its ids and its type. n counts the parts.
func (w *ocWriter) begin(n *int, typ string) {
	w.writeComma(*n)
	*n++
	w.write(`{"id":`, w.next("prt"), `,"sessionID":`, w.session, `,"messageID":`, w.id, `,"type":"`+typ+`"`)
}

// copyPart writes a copy of a part from the file. It leaves out step-finish parts, whose costs describe the old prompt. A
// part that requested a compaction becomes the text that the agent sent for it. n counts the parts.
func (w *ocWriter) copyPart(n *int, p jsonspan.Span) {
	switch typeOf(w.src, p) {
	case "step-finish", "":
	case "compaction":
		w.begin(n, "text")
		w.write(`,"text":` + ocAsked + `}`)
	default:
		typ := stringAt(w.src, p, "type")
		w.begin(n, string(w.src[typ.Start+1:typ.End-1]))
		if rest := appendObject(nil, w.src, p, withoutKeys("id sessionID messageID type").conversionOf); len(rest) > 2 {
			w.write(`,`, rest[1:len(rest)-1])
		}
		w.write(`}`)
	}
}

// value copies the member key of an object in a new message into the part being written, where its key is to. If the
// object has no such member, nothing is written.
func (w *ocWriter) value(to string, at jsonspan.Span, key string) {
	if v := find(w.in.Src, at, key); !v.IsZero() {
		w.write(`,"`+to+`":`, v.Slice(w.in.Src))
	}
}

// part writes part p of a new or changed message. n is the number of parts written so far in the message, and grows by
// one. A part that opencode doesn't have is left out.
func (w *ocWriter) part(n *int, p jsonspan.Span) {
	typ := typeOf(w.in.Src, p)
	switch typ {
	case "text", "reasoning":
		w.begin(n, typ)
		w.value("text", p, "text")
		w.value("metadata", p, "providerMetadata")
		if typ == "reasoning" {
			w.write(`,"time":`, w.times())
		}
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
			name = textOf(w.in.Src, p, "toolName")
		} else if name == typ {
			return // opencode has no such part; the comparison after saving detects this
		}
		w.begin(n, "tool")
		w.tool(name, p)
	}
	w.write(`}`)
}

// times returns a time object whose start and end are the time at which the file is saved.
func (w *ocWriter) times() string {
	ms := strconv.FormatInt(w.ms, 10)
	return `{"start":` + ms + `,"end":` + ms + `}`
}

// tool writes the members of a tool part with its state: completed, or failed with an error. It takes what the message
// lacks, such as times, from the call's old part.
func (w *ocWriter) tool(name string, p jsonspan.Span) {
	src := w.in.Src
	was, _ := w.calls.Get(textOf(src, p, "toolCallId"))
	state := find(w.src, was, "state")
	w.value("callID", p, "toolCallId")
	w.write(`,"tool":`, quoted(name), `,"state":{`)
	if textOf(src, p, "state") != "output-available" {
		w.write(`"status":"error"`)
		w.value("input", p, "input")
		w.value("error", p, "errorText")
	} else {
		w.write(`"status":"completed"`)
		w.value("input", p, "input")
		output := "output"
		if at := find(src, p, output); !at.IsZero() && src[at.Start] == '{' {
			output = "output.text"
		}
		if find(src, p, output).IsZero() {
			w.write(`,"output":""`)
		}
		w.value("output", p, output)
		w.value("attachments", p, "output.attachments")
		w.noted(state, "title", `""`)
		w.noted(state, "metadata", `{}`)
	}
	w.write(`,"time":`)
	if at := find(w.src, state, "time"); !find(w.src, at, "end").IsZero() {
		w.out = appendObject(w.out, w.src, at, withoutKeys("compacted").conversionOf)
	} else {
		w.write(w.times())
	}
	w.write(`}`)
	if !isTrue(src, p, "providerExecuted") {
		w.value("metadata", p, "callProviderMetadata")
	} else if metadata := find(src, p, "callProviderMetadata"); !metadata.IsZero() {
		w.write(`,"metadata":`, withoutBrace(metadata.Slice(src)), `,"providerExecuted":true}`)
	} else {
		w.write(`,"metadata":{"providerExecuted":true}`)
	}
}

// noted writes a member that the file has recorded in state, the state of a call. opencode requires
// the member, so if the file has none, fallback is written instead. A value of another kind than
// fallback counts as missing.
func (w *ocWriter) noted(state jsonspan.Span, key, fallback string) {
	if v := find(w.src, state, key); !v.IsZero() && w.src[v.Start] == fallback[0] {
		w.write(`,"`+key+`":`, v)
	} else {
		w.write(`,"` + key + `":` + fallback)
	}
}

// appendPreserved implements [writer]. It ignores the messages' ids, because the new session has
// new ids.
func (o *opencode) appendPreserved(dst, src []byte, message jsonspan.Span, _ int) []byte {
	dst = append(append(dst, '\n'), textOf(src, message, "role")...)
	return jsonspan.AppendCompact(append(dst, '\n'), find(src, message, "parts").Slice(src))
}
