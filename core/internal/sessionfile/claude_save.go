package sessionfile

import (
	"slices"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// save appends a compaction in Claude Code's own form, followed by one line per message. All
// versions of the agent can load these lines, but only newer ones understand the lists of kept
// messages in a compaction's metadata. A copied message also gets a new provider id, because the
// agent merges all lines with the same id into one message, wherever they are. If the file is a
// list, the entries are added at its end. It fails if the file has no message.
func (c *claudeCode) save(s *saver) {
	if c.leaf < 0 {
		s.refuse("the session file holds no message to continue from")
		return
	}
	leaf := c.records[c.leaf].at
	boundary, logical := s.newID(), "null"
	if p := find(c.src, leaf, "uuid"); !p.IsZero() {
		logical = string(p.Slice(c.src))
	}
	common, metadata, end := c.common(leaf), `"compactMetadata":{"trigger":"manual","preTokens":`, "}\n"
	if !find(c.src, leaf, "session_id").IsZero() {
		metadata = `"compact_metadata":{"trigger":"manual","pre_tokens":`
	}
	if !c.list.IsZero() {
		s.kept, s.out, end = int(c.list.End)-1, []byte(",\n"), "},\n"
	}
	s.write(`{"type":"system","subtype":"compact_boundary","parentUuid":null,"logicalParentUuid":`, logical, common,
		`,"content":"Conversation compacted","isMeta":false,"timestamp":`, quoted(s.nextTime()), `,"uuid":`, boundary,
		`,"level":"info",`, metadata, s.in.Tokens, "}", end)
	parent, digest := boundary, s.digest()
	for i := range s.in.Messages {
		id, role := s.newID(), s.role(i)
		if role != "assistant" {
			role = "user"
		}
		s.write(`{"parentUuid":`, parent, `,"type":"`+role+`"`)
		var line jsonspan.Span
		if k := s.from[i]; k >= 0 {
			line = c.records[s.firstRecord(k)].at
			c.rest(s, line, len(s.recordsOf(k)) == 1)
		} else {
			s.write(common)
		}
		s.write(`,"timestamp":`, quoted(s.nextTime())) // older versions resume from the line with the latest time
		if i == digest {
			s.write(`,"isVisibleInTranscriptOnly":true,"isCompactSummary":true`)
		}
		s.write(`,"message":`)
		if role == "user" {
			s.write(s.body(i))
		} else {
			c.answer(s, i, find(c.src, line, "message"))
		}
		s.write(`,"uuid":`, id, end)
		parent = id
	}
	if !c.list.IsZero() {
		s.out = append(s.out[:len(s.out)-len(",\n")], c.src[c.list.End-1:]...)
	}
}

// ccCommon lists the members that have the same value on all lines of a session.
var ccCommon = []string{
	"isSidechain", "userType", "entrypoint", "cwd", "sessionId", "version", "gitBranch", "slug", "agentId",
	"session_id", "parent_tool_use_id",
}

// common returns the members that all lines of a session share as JSON, copied from a line, each preceded by a comma.
// It returns "" if the line has none of them.
func (c *claudeCode) common(line jsonspan.Span) (all string) {
	for _, key := range ccCommon {
		if p := find(c.src, line, key); !p.IsZero() {
			all += `,"` + key + `":` + string(p.Slice(c.src))
		}
	}
	return all
}

// ccOwn lists the members that a copy of a line can't keep, because they are specific to the line or refer to other
// lines.
var ccOwn = []string{
	"timestamp", "type", "uuid", "parentUuid", "logicalParentUuid", "message", "attachment", "sourceToolAssistantUUID",
	"sourceToolUseID", "subtype", "compactMetadata", "compact_metadata", "isReplay",
}

// rest copies the members of a line other than those in ccOwn. toolUseResult, in either spelling, is what a tool
// returned to the user interface, and is only copied with a whole message.
func (c *claudeCode) rest(s *saver, line jsonspan.Span, whole bool) {
	in := scanner(c.src, line.Start)
	members(in, func(key []byte) bool {
		from := in.KeyPos()
		v := in.Skip().Span
		if !slices.Contains(ccOwn, string(key)) && (whole || string(key) != "toolUseResult" && string(key) != "tool_use_result") {
			s.write(`,`, c.src[from:v.End])
		}
		return true
	})
}

// ccUnused holds the token counts of written responses. An original's counts describe a prompt that no longer exists.
const ccUnused = `{"input_tokens":0,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":0}`

// answer writes message i, an assistant message, in the provider's form. was is the message in the file that it was
// copied from, or the zero Span.
func (c *claudeCode) answer(s *saver, i int, was jsonspan.Span) {
	content := string(s.value(i, "content"))
	id := `"msg_` + s.id() + `"`
	if !was.IsZero() {
		s.out = appendObject(s.out, c.src, was,
			rename{}.withValue("id", id).withValue("content", content).withValue("usage", ccUnused).conversionOf)
		return
	}
	s.write(`{"id":`, id, `,"type":"message","role":"assistant","model":`, quoted(c.Model),
		`,"content":`, content, `,"stop_reason":null,"stop_sequence":null,"usage":`+ccUnused+`}`)
}
