package sessionfile

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// save adds a compaction as Claude Code writes one, followed by one line per message. All versions of the agent load that; only newer ones
// understand lists of kept messages in a compaction's metadata. A copied message also gets a new provider id, because the agent merges all
// lines with one id into one message, wherever they are.
func (c *claudeCode) save(s *saver) {
	if c.leaf < 0 {
		s.fail(&jsonspan.Error{Code: api.CodeCannotSave, Message: "the session file holds no message to continue from"}, 0)
		return
	}
	leaf := c.records[c.leaf].at
	boundary := s.id()
	s.write(`{"type":"system","subtype":"compact_boundary","parentUuid":null,"logicalParentUuid":`)
	if p := find(c.src, leaf, "uuid"); p.Zero() {
		s.write(`null`)
	} else {
		s.out = append(s.out, p.Of(c.src)...)
	}
	common := c.common(leaf)
	s.write(common)
	s.write(`,"content":"Conversation compacted","isMeta":false,"timestamp":`)
	s.quote(s.next())
	s.write(`,"uuid":`)
	s.quote(boundary)
	s.write(`,"level":"info","compactMetadata":{"trigger":"manual","preTokens":`)
	s.number(s.in.Tokens)
	s.write("}}\n")
	parent, digest := boundary, s.digest()
	for i := range s.in.Messages {
		id := s.id()
		s.write(`{"parentUuid":`)
		s.quote(parent)
		role := s.role(i)
		if role != "assistant" {
			role = "user"
		}
		s.write(`,"type":"` + role + `"`)
		var line jsonspan.Span
		if k := s.from[i]; k >= 0 {
			line = c.records[s.first(k)].at
			c.rest(s, line, s.begins[k+1]-s.begins[k] == 1)
		} else {
			s.write(common)
		}
		s.write(`,"timestamp":`)
		s.quote(s.next()) // older versions continue from the line with the newest time
		if i == digest {
			s.write(`,"isVisibleInTranscriptOnly":true,"isCompactSummary":true`)
		}
		s.write(`,"message":`)
		if role == "user" {
			s.out = append(s.out, s.body(i)...)
		} else {
			c.answer(s, i, find(c.src, line, "message"))
		}
		s.write(`,"uuid":`)
		s.quote(id)
		s.write("}\n")
		parent = id
	}
}

// ccCommon are the members that all lines of a session have alike.
var ccCommon = []string{"isSidechain", "userType", "entrypoint", "cwd", "sessionId", "version", "gitBranch", "slug", "agentId"}

// common returns the members that all lines share, each after a comma.
func (c *claudeCode) common(line jsonspan.Span) (all string) {
	for _, key := range ccCommon {
		if p := find(c.src, line, key); !p.Zero() {
			all += `,"` + key + `":` + string(p.Of(c.src))
		}
	}
	return all
}

// ccOwn are the members of a line that are its own, or that name other lines.
var ccOwn = []string{"timestamp",
	"type", "uuid", "parentUuid", "logicalParentUuid", "message", "attachment", "sourceToolAssistantUUID", "sourceToolUseID",
	"subtype", "compactMetadata",
}

// rest writes the members of a line that a copy keeps. What a tool has answered to the user interface is in it only where the
// line is the whole message.
func (c *claudeCode) rest(s *saver, line jsonspan.Span, whole bool) {
	in := scanner(c.src, line.Start)
	members(in, func(key []byte) bool {
		from := in.KeyPos()
		v := in.Skip().Span
		for _, own := range ccOwn {
			if own == string(key) {
				return true
			}
		}
		if whole || string(key) != "toolUseResult" {
			s.out = append(append(s.out, ','), c.src[from:v.End]...)
		}
		return true
	})
}

// ccUnused is a usage that says nothing: what the provider counted before is of what is gone.
const ccUnused = `{"input_tokens":0,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":0}`

// answer writes an assistant message in the provider's form; was is the message that it copies.
func (c *claudeCode) answer(s *saver, i int, was jsonspan.Span) {
	content := string(find(s.in.Src, s.in.Messages[i], "content").Of(s.in.Src))
	id := string(jsonspan.AppendString(nil, "msg_"+s.id()))
	if !was.Zero() {
		s.out = appendObject(s.out, c.src, was, rename{
			{key: "id", to: "id", value: id}, {key: "content", to: "content", value: content}, {key: "usage", to: "usage", value: ccUnused},
		}.find)
		return
	}
	s.write(`{"id":` + id + `,"type":"message","role":"assistant","model":`)
	s.quote(c.Model)
	s.write(`,"content":` + content + `,"stop_reason":null,"stop_sequence":null,"usage":` + ccUnused + `}`)
}

func (c *claudeCode) tell(dst, src []byte, message jsonspan.Span, _ int) []byte {
	return jsonspan.AppendCompact(dst, message.Of(src))
}
