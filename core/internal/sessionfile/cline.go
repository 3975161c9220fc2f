package sessionfile

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// Cline's command line, its SDK, and the extension built on the same core keep one object with a list of messages in a
// file named ID.messages.json. The blocks are Anthropic's, with members for other providers. Images and files have a
// form of their own, and each tool result is a separate user message. Cline also writes its own compactions to another
// file, which it ignores if the list has changed.
var clineKind = Kind{
	Name:   "cline",
	Doc:    "Cline since its command line: ID.messages.json",
	Format: "anthropic",
	Signs:  []Sign{{"", []string{"messages", "updated_at", "agent", "sessionId"}}},
	Usage:  usageKeys{"inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens"},
	Read:   readCline,
}

func init() {
	register(&clineKind)
}

// clineRecord is a message in the list.
type clineRecord struct {
	at, content jsonspan.Span // the whole message, and its content
	role        string        // "user" or "assistant"; "" if missing
	ts          int64         // its time, in milliseconds since 1970
	usage       Usage         // the provider's counts for it
}

type cline struct {
	*file
	merged
	list    jsonspan.Span // the list of messages
	records []clineRecord // in the order of the file
	folded  int64         // the time of the newest digest, in milliseconds since 1970
	model   jsonspan.Span // the name of the model that was called last, a string; zero if unknown
}

func readCline(f *file) writer {
	c := &cline{file: f, merged: merged{sends: clineSends, block: clineBlock}}
	s := f.scannerAt(uint32(textStart(f.src)))
	var system jsonspan.Span
	read(s, field{"messages", func(s *jsonspan.Scanner) { c.list = readList(s, "messages", "a message", c.record) }},
		field{"system_prompt", &system}, field{"updated_at", timeOf{f}})
	s.End()
	if f.fail(s.Err(), 0); f.err == nil {
		f.System = f.textAt(system)
		c.write()
		f.Model = f.textAt(c.model)
	}
	return c
}

func (c *cline) record(s *jsonspan.Scanner) {
	r := clineRecord{at: jsonspan.Span{Start: s.Pos()}}
	digest, made := "", int64(0)
	read(s, field{"role", oneOf(&r.role, "user", "assistant")}, field{"content", anyValue{&r.content}},
		field{"ts", &r.ts},
		field{"metadata", []field{{"kind", oneOf(&digest, "compaction_summary")}, {"generatedAt", &made}}},
		field{"modelInfo", []field{{"id", &c.model}}},
		field{"metrics", func(s *jsonspan.Scanner) { r.usage = c.kind.Usage.read(s).uncached() }})
	if r.at.End = s.Pos(); digest != "" {
		c.folded = max(c.folded, made)
	}
	c.records = append(c.records, r)
}

// write writes the messages that Cline sends, and counts the others as skipped. Consecutive user messages become one,
// because Cline stores each result of parallel calls as a separate message. It also notes the provider's counts for the
// responses since the last digest.
func (c *cline) write() {
	var sent []int32
	for i := range c.records {
		switch r := &c.records[i]; {
		case r.role == "" || r.content.IsZero():
			c.noteSkipped(api.SkipMeta, 1)
		case c.blocks(c.file, r.role, r.content, func(jsonspan.Span) {}) == 0:
			c.noteSkipped(api.SkipEmpty, 1)
		default:
			sent = append(sent, int32(i))
		}
	}
	for len(sent) > 0 {
		r, n := &c.records[sent[0]], 1
		contents := []jsonspan.Span{r.content}
		for ; r.role == "user" && n < len(sent) && c.records[sent[n]].role == "user"; n++ {
			contents = append(contents, c.records[sent[n]].content)
		}
		c.merged.write(c.file, r.role, contents)
		for _, k := range sent[:n] {
			c.addOrigin(k)
		}
		if sent = sent[n:]; r.role == "assistant" && r.ts > c.folded {
			c.noteUsage(c.Count-1, r.usage)
		}
	}
}

// clineSends reports whether Cline sends blocks of a type to Anthropic.
func clineSends(_, typ string, _ jsonspan.Span) bool {
	return typ != "media" && typ != "redacted_thinking"
}

var (
	clineUse      = withoutKeys("call_id signature")
	clineThinking = withoutKeys("call_id details summary")
)

// clineBlock appends a block in Anthropic's form. A string becomes a text block. Cline has its own form for images and
// files.
func clineBlock(dst, src []byte, at jsonspan.Span) []byte {
	table := rename(nil)
	switch typeOf(src, at) {
	case "tool_use":
		table = clineUse
	case "tool_result":
		table = rename{{key: "name"}, {key: "content", to: "content", with: clineOutput}}
	case "thinking":
		table = clineThinking
	case "image":
		if !stringAt(src, at, "data").IsZero() && !stringAt(src, at, "mediaType").IsZero() {
			return appendFilled(dst, src, at,
				`{"type":"image","source":{"type":"base64","media_type":$mediaType,"data":$data}}`)
		}
	case "file":
		said := "<file_content path=\"" + textOf(src, at, "path") + "\">\n" + textOf(src, at, "content") +
			"\n</file_content>"
		return appendJSON(dst, src, `{"type":"text","text":`, quoted(said), `}`)
	}
	return withoutMembers(dst, src, at, table)
}

// clineOutput appends the output of a tool: text, or a list of texts, images and files. Any other list is sent as a
// text that contains its JSON.
func clineOutput(dst, src []byte, value jsonspan.Span) []byte {
	for _, at := range items(src, value) {
		switch typeOf(src, at) {
		case "text", "image", "file":
		default:
			return jsonspan.AppendString(dst, jsonspan.AppendCompact(nil, value.Slice(src)))
		}
	}
	return appendList(dst, src, value, clineBlock)
}
