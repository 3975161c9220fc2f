package sessionfile

import "github.com/ctxfold/ctxfold/core/internal/jsonspan"

// save appends a compaction in pi's own form if the messages begin with a digest, whose text becomes the summary. If
// the following messages are the unchanged end of the conversation, the compaction names their first entry, and nothing
// else is written. Otherwise it keeps no entry, and the messages follow it as new entries. If the messages don't begin
// with a digest, they become a separate path from a new root, because a compaction in pi needs a summary. A file of
// version 1 first gets ids, as when pi opens it.
func (p *pi) save(s *saver) {
	if p.version < 2 {
		p.migrate(s)
	}
	for _, i := range p.path {
		if e := &p.entries[i]; e.role != nil && e.role.native == "assistant" {
			p.answer = e.body
		}
	}
	summary, ok := firstText(s.in.Src, s.in.Messages[0])
	if ok && (s.from[0] < 0 || s.role(0) != "user") { // otherwise the user's own words would become the summary
		first := p.tail(s)
		id := p.compaction(s, summary, first)
		if first < 0 {
			p.entriesFrom(s, 1, id)
		}
	} else {
		p.entriesFrom(s, 0, p.settings(s))
	}
}

// compaction writes a compaction with a summary and returns the compaction's id. The compaction keeps the entries from
// index first on, or none if first is -1.
func (p *pi) compaction(s *saver, summary string, first int32) string {
	parent, id := p.idOf(p.path[len(p.path)-1]), s.newID()
	kept := id
	if first >= 0 {
		kept = p.idOf(first)
	}
	s.write(`{"type":"compaction","id":`, id, `,"parentId":`, parent, `,"timestamp":`, quoted(s.nextTime()),
		`,"summary":`, quoted(summary),
		`,"firstKeptEntryId":`, kept, `,"tokensBefore":`, s.in.Tokens)
	if prompt := p.prompt(max(millis(s.in.Time), s.latest)); prompt != "" {
		s.write(`,"systemMessage":`, prompt)
	}
	s.write("}\n")
	return id
}

// entriesFrom writes the messages from index i on as entries that follow a parent.
func (p *pi) entriesFrom(s *saver, i int, parent string) {
	for ; i < len(s.in.Messages); i++ {
		id := s.newID()
		if k := s.from[i]; k >= 0 && p.entries[s.firstRecord(k)].edit < 0 {
			p.copyEntry(s, p.entries[s.firstRecord(k)].at, id, parent)
		} else {
			p.newEntry(s, i, id, parent)
		}
		parent = id
	}
}

// firstText returns the text of a message that can become a compaction's summary: a plain user text, or a summary. It
// returns false for any other message.
func firstText(src []byte, message jsonspan.Span) (string, bool) {
	role := jsonspan.Text(src, find(src, message, "role"))
	switch role {
	case "compaction_summary":
		return jsonspan.Text(src, find(src, message, "summary")), true
	case "user":
		content := ""
		if at := find(src, message, "content"); !at.IsZero() {
			content = onlyText(scanner(src, at.Start))
		}
		return content, content != ""
	}
	return "", false
}

// tail returns the index of the second message's entry if the messages from the second one on are the unchanged end of
// the conversation; otherwise -1.
func (p *pi) tail(s *saver) int32 {
	rest := s.from[1:]
	if len(rest) == 0 || rest[0] < 0 || p.entries[s.firstRecord(rest[0])].kind == piCompaction {
		return -1
	}
	for i, k := range rest {
		if k < 0 || k != rest[0]+int32(i) {
			return -1
		}
	}
	if int(rest[len(rest)-1]) != len(s.old)-1 {
		return -1
	}
	return s.firstRecord(rest[0])
}

// idOf returns the id of entry i as JSON, a new one in a migrated file. It is null for the header and if there is none.
func (p *pi) idOf(i int32) string {
	if p.made != nil {
		return p.made[i]
	}
	if p.entries[i].id == noID {
		return "null"
	}
	return string(find(p.src, p.entries[i].at, "id").Slice(p.src))
}

// settings starts a new root with copies of the last model change, the last thinking level and the system prompt. It
// returns the id of the last of these entries. The id is JSON; it is null if there are no such entries.
func (p *pi) settings(s *saver) (parent string) {
	parent = "null"
	kinds := [...]string{"model_change", "thinking_level_change"}
	last := [len(kinds)]int32{-1, -1}
	for _, i := range p.path {
		for k, kind := range kinds {
			if typ := find(p.src, p.entries[i].at, "type"); jsonspan.EqualText(p.src, typ, kind) {
				last[k] = i
			}
		}
	}
	for k, i := range last {
		id := s.newID()
		switch {
		case i >= 0:
			p.copyEntry(s, p.entries[i].at, id, parent)
		case k == 0:
			s.write(`{"type":"model_change","id":`, id, `,"parentId":`, parent, `,"timestamp":`, quoted(s.nextTime()),
				`,"provider":`, p.lastAnswerMember("provider"), `,"modelId":`, p.lastAnswerMember("model"), "}\n")
		default:
			continue
		}
		parent = id
	}
	if prompt := p.prompt(max(millis(s.in.Time), s.latest)); prompt != "" {
		id := s.newID()
		s.write(`{"type":"message","id":`, id, `,"parentId":`, parent, `,"timestamp":`, quoted(s.nextTime()),
			`,"message":`, prompt, "}\n")
		parent = id
	}
	return parent
}

// piUnused is a usage object with zero counts, for copied and new messages. The provider's own counts aren't copied,
// because they describe an older prompt.
const piUnused = `{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}`

// copyEntry writes a copy of an entry with a new id and parent.
func (p *pi) copyEntry(s *saver, at jsonspan.Span, id, parent string) {
	unused := func(dst, src []byte, v jsonspan.Span) []byte {
		return appendObject(dst, src, v, rename{}.withValue("usage", piUnused).conversionOf)
	}
	moved := append(withoutKeys("id parentId timestamp"), member{key: "message", to: "message", with: unused})
	s.out = withoutBrace(appendObject(s.out, p.src, at, moved.conversionOf))
	s.write(`,"id":`, id, `,"parentId":`, parent, `,"timestamp":`, quoted(s.nextTime()), "}\n")
}

// newEntry writes an entry for message i, which is new or changed. id and parent are ids as JSON.
func (p *pi) newEntry(s *saver, i int, id, parent string) {
	head := func(typ string) {
		s.write(`{"type":"`+typ+`","id":`, id, `,"parentId":`, parent, `,"timestamp":`, quoted(s.nextTime()))
	}
	src, at := s.in.Src, s.in.Messages[i]
	role := s.role(i)
	if role == "branch_summary" {
		head("branch_summary")
		from := []byte(`"root"`)
		if known := s.value(i, "from_id"); known != nil {
			from = known
		}
		s.write(`,"fromId":`, from, `,"summary":`, s.value(i, "summary"), "}\n")
		return
	}
	head("message")
	s.write(`,"message":`)
	s.out = withoutBrace(appendPi(s.out, src, at))
	lacks := func(key string) bool { return find(src, at, key).IsZero() }
	switch {
	case role == "assistant":
		s.write(p.answerMembers())
	case role == "tool_result" && lacks("is_error"):
		s.write(`,"isError":false`)
	case role == "custom" && lacks("display"):
		s.write(`,"display":true`)
	}
	if lacks("timestamp") {
		s.write(`,"timestamp":`, max(0, s.time))
	}
	s.write("}}\n")
}

// answerMembers returns the members other than the content that pi requires in an assistant message. API, provider and
// model are copied from the last such message.
func (p *pi) answerMembers() string {
	return `,"api":` + p.lastAnswerMember("api") + `,"provider":` + p.lastAnswerMember("provider") + `,"model":` + p.lastAnswerMember("model") +
		`,"usage":` + piUnused + `,"stopReason":"stop"`
}

// lastAnswerMember returns a member of the last assistant message, as JSON; the string "unknown" if there is none.
func (p *pi) lastAnswerMember(key string) string {
	if v := find(p.src, p.answer, key); !v.IsZero() {
		return string(v.Slice(p.src))
	}
	return `"unknown"`
}

// migrate converts a file of version 1 to version 2: each entry gets an id, and the previous entry as its parent. pi
// itself makes the changes from version 2 to 3.
func (p *pi) migrate(s *saver) {
	s.kept, s.out = 0, append([]byte(nil), p.src[:textStart(p.src)]...)
	p.made = make([]string, len(p.entries))
	parent := "null"
	for i := range p.entries {
		e := &p.entries[i]
		if e.header {
			p.made[i] = "null"
			s.out = withoutBrace(appendObject(s.out, p.src, e.at, withoutKeys("version").conversionOf))
			s.write(`,"version":2}` + "\n")
			continue
		}
		p.made[i] = s.newID()
		s.out = withoutBrace(appendObject(s.out, p.src, e.at,
			withoutKeys("id parentId firstKeptEntryIndex firstKeptEntryId").conversionOf))
		s.write(`,"id":`, p.made[i], `,"parentId":`, parent)
		if e.kind == piCompaction {
			kept := p.made[i]
			if e.byLine && int(e.kept) < i && e.kept >= 0 && !p.entries[e.kept].header {
				kept = p.made[e.kept]
			}
			s.write(`,"firstKeptEntryId":` + kept)
		}
		s.write("}\n")
		parent = p.made[i]
	}
}

// appendPreserved implements [writer]. It ignores the members that saving adds to a message.
func (p *pi) appendPreserved(dst, src []byte, message jsonspan.Span, i int) []byte {
	if i == 0 {
		if text, ok := firstText(src, message); ok {
			return append(append(dst, "\nsummary "...), text...)
		}
	}
	var out []byte
	if jsonspan.Text(src, find(src, message, "role")) == "branch_summary" {
		out = find(src, message, "summary").Slice(src)
	} else {
		said := appendPi(nil, src, message)
		out = appendObject(nil, said, jsonspan.Span{End: uint32(len(said))},
			withoutKeys("timestamp isError display").conversionOf)
		if isTrue(src, message, "is_error") {
			dst = append(dst, "\nfailed"...)
		}
	}
	return jsonspan.AppendCompact(append(dst, '\n'), out)
}
