package wire

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

func init() {
	Register(&Format{
		Name: "anthropic", Model: "claude",
		Doc:     "Anthropic Messages: MessageParam[]",
		List:    "messages",
		Convert: target(&anthropicTarget),
		Signs: Signs{
			Roles: "system user assistant",
			Keys:  "content clear_at output_config",
			Types: "text image document thinking redacted_thinking tool_use tool_result server_tool_use compaction search_result container_upload tool_reference browser_state " +
				"tool_addition tool_removal fallback mcp_tool_use mcp_tool_result mcp_tool_listing",
			Items: "message", // as in the API's responses
			Apps:  "file",    // from Cline
			Own: "type:thinking type:redacted_thinking type:tool_use type:tool_result type:server_tool_use type:document type:container_upload " +
				"type:tool_addition type:tool_removal type:mcp_tool_listing key:clear_at key:output_config body:system body:anthropic_version model:claude part:tool_use_id",
			// Calls and results are also blocks in MCP, with other member names.
			Decisive: "type:thinking type:redacted_thinking type:server_tool_use type:document type:container_upload type:tool_addition " +
				"type:tool_removal type:mcp_tool_listing key:clear_at key:output_config part:tool_use_id",
		},
		ReadMessage: readAnthropic,
		Marks:       ControlMark,
		Message:     textMessage(roleAndText),
		ResultBody:  stringBody,
		Tool:        `{"name":%n,"description":%d,"input_schema":%p}`,
		TextPart:    `{"type":"text","text":%t}`,
		Results: answers{each: `{"type":"tool_result","tool_use_id":%i,"is_error":true,"content":%t}`,
			all: `{"role":"user","content":[%c]}`}.results,
		Wrap:        wrapContent,
		SystemApart: true,
		FreshID:     "toolu_ctxfold_",
		Link:        linkCallers,
		Rules: Rules{
			Unanswered: "AN3", Orphan: "AN3", Duplicate: "AN3", Empty: "AN6", BlankText: "AN6", First: "AN2",
			Role: "AN1", Answers: NextRun, ResultRole: transcript.User, Server: "AN11", Bound: "AN9",
		},
		Extra: checkAnthropic,
	})
}

var anthropicRoles = []roleName{
	{"system", transcript.System}, {"user", transcript.User}, {"assistant", transcript.Assistant},
}

var anthropicMessage = []string{"role", "content", "output_config", "clear_at"}

// readAnthropic reads a message. A system message may have settings instead of text, and may apply only until the next
// user message.
func readAnthropic(r *Reader, m *transcript.Message) {
	f := r.roleAndList(m, anthropicMessage, func(r *Reader) { anthropicBlock(r, -1) })
	role, content, config := f[0], f[1], f[2]
	m.Passing = r.isText(&f[3], "next_user_message")
	r.setRole(m, &role, anthropicRoles)
	r.wantKind(&content, jsonspan.String, jsonspan.Array, "content must be a string or a list of blocks")
	m.Content = content.Span
	if m.Passing = m.Passing && m.Role == transcript.System; m.Role == transcript.System && config.Kind == jsonspan.Object {
		// Settings that apply from here on. A message with settings may have nothing else (AN14).
		p := memberPart(transcript.Opaque, &config)
		p.Flags |= transcript.NotSent
		r.Add(p)
	}
	if content.Str() {
		r.Add(wholePart(transcript.Text, &content))
	}
}

const (
	anType = iota
	anText
	anThinking
	anSignature
	anData
	anID
	anName
	anInput
	anUseID
	anContent
	anError
	anSource
	anEncrypted
)

var anthropicKeys = []string{
	"type", "text", "thinking", "signature", "data", "id", "name", "input", "tool_use_id", "content", "is_error",
	"source", "encrypted_content",
}

// anthropicForms lists the types of blocks that anthropicBlock completes with this table alone.
var anthropicForms = partForms{
	{name: "text", kind: transcript.Text, body: anText},
	{name: "redacted_thinking", kind: transcript.Reasoning, flags: transcript.Signed | transcript.Bound},
	{name: "tool_use", kind: transcript.ToolCall, body: anInput, id: anID, tool: anName},
	{name: "tool_result", kind: transcript.ToolResult, body: anContent, id: anUseID, failed: anError, fails: "true"},
	{name: "image", kind: transcript.Image, body: anSource},
	{name: "document", kind: transcript.File, body: anSource},
	{name: "server_tool_use", kind: transcript.ToolCall, flags: transcript.Server, body: anInput, id: anID, tool: anName},
	{name: "mcp_tool_use", kind: transcript.ToolCall, flags: transcript.Server, body: anInput, id: anID, tool: anName},
}

// anthropicBlock reads one content block. parent is the part index of the tool result that contains it, or -1.
func anthropicBlock(r *Reader, parent int32) {
	p := transcript.Part{Kind: transcript.Opaque, List: transcript.ContentList, Parent: parent}
	in := inside{part: anthropicBlock, self: -1}
	f, size := r.object(&p, "a content block", anthropicKeys, func(r *Reader, key int, f *frame) bool {
		return key == anContent && r.isText(&f[anType], "tool_result") && in.read(r, &p)
	})
	p.Size = size
	switch typ := r.shortText(&f[anType]); typ {
	case "thinking":
		if f[anThinking].setText(&p, transcript.Reasoning); p.Kind == transcript.Reasoning {
			f[anSignature].setFlags(&p, transcript.Signed|transcript.Bound)
		}
	case "compaction":
		anthropicCompaction(r, &p, f)
	case toolReference:
		p.Name = f[anType].Span
	default:
		if form := anthropicForms.named(typ); form != nil {
			form.fill(r, &p, f)
		} else if strings.HasSuffix(typ, "_tool_result") && f[anUseID].Str() {
			p.Kind, p.Flags, p.ID = transcript.ToolResult, transcript.Server, f[anUseID].Span
		}
	}
	r.keepReferences(in.end(r, &p, &f[anContent]))
}

// anthropicCompaction reads the provider's own summary of everything before it. It may be encrypted.
func anthropicCompaction(r *Reader, p *transcript.Part, f *frame) {
	p.Flags = transcript.ProviderOnly | transcript.Signed
	if content := &f[anContent]; content.Str() && !jsonspan.IsBlank(r.Src(), content.Span) {
		content.setText(p, transcript.Text)
		p.Flags |= transcript.Summary
	} else if f[anEncrypted].Str() {
		p.Flags, p.Size = p.Flags|transcript.Summary, encryptedSize(&f[anEncrypted])
	}
}

// toolReference is the type of a block in a tool result that loads the definition of a tool whose definition was
// deferred.
const toolReference = "tool_reference"

// keepReferences removes the body from a tool result that supplies tool definitions, so that no pass clears it. If it
// were cleared, the model could no longer call these tools.
func (r *Reader) keepReferences(result int) {
	for i := result + 1; i < len(r.T.Parts); i++ {
		if p := &r.T.Parts[i]; p.Kind == transcript.Opaque && !p.Name.IsZero() && jsonspan.EqualText(r.Src(), p.Name, toolReference) {
			r.T.Parts[result].Body = jsonspan.Span{}
			return
		}
	}
}

// wrapContent writes {"role":…,"content":[part]}.
func wrapContent(dst []byte, role transcript.Role, part, _ []byte) []byte {
	dst = append(dst, `{"role":"`...)
	dst = append(dst, role.String()...)
	dst = append(dst, `","content":[`...)
	dst = append(dst, part...)
	return append(dst, `]}`...)
}

// blockRules holds parameters for formats whose tool results are blocks in user messages: the rules
// about the order of results (order) and about ids (id), the characters other than letters and
// digits that the id of a tool call may contain (marks), and the error message for other characters
// (says).
type blockRules struct{ order, id, marks, says string }

// checkAnthropic reports violations of AN4 (results must come first in their message), AN5 (the form of ids), and the
// part of AN11 that requires a call's caller to be present.
func checkAnthropic(c *Checker) {
	c.checkBlocks(&blockRules{order: "AN4", id: "AN5", marks: "_-",
		says: "a tool id has 1 to 64 of the characters a-z A-Z 0-9 _ -"})
}

// checkBlocks checks the messages of formats that have tool results among other blocks (Anthropic, Bedrock). Results
// must come first, ids must have the form that the provider requires, and the caller of a call must be present.
func (c *Checker) checkBlocks(rules *blockRules) {
	// other means that this message or its run has had content other than results.
	last, other := int32(-1), false
	for n, p := range c.parts {
		if p.Msg != last {
			last = p.Msg
			place := c.place[last]
			other = place > 0 && c.run[place-1] == c.run[place] && !c.hasOnlyResults(c.Seq[place-1])
		}
		if p.Has(transcript.Called) && !c.isPresent(p.Caller-1) {
			c.Add(c.F.Rules.Server, p.Msg, n, DropCaller, "the tool that has made this call is not there")
		}
		switch {
		case p.Has(transcript.Server | transcript.Mark):
			continue
		case p.Kind != transcript.ToolResult:
			other = true
		case other && p.Pair >= 0:
			c.Add(rules.order, p.Msg, n, MoveResult, "tool results must come before other content")
		}
		if p.Kind == transcript.ToolCall && !validToolID(c.T.Text(p.ID), rules.marks) {
			c.badID(rules.id, n, p, rules.says)
		}
	}
}

func validToolID(id, marks string) bool {
	for i := 0; i < len(id); i++ {
		c := id[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte(marks, c) >= 0) {
			return false
		}
	}
	return len(id) > 0 && len(id) <= 64
}

// images lists the image types that most providers accept.
const images = "image/png image/jpeg image/gif image/webp"

// anthropicTarget can't express reasoning, because it must be signed.
var anthropicTarget = Target{
	Tools:     `"tools":[%l]`,
	User:      `{"role":"user","content":%c}`,
	Assistant: `{"role":"assistant","content":%c}`,
	Apart:     `%t`, ApartKey: "system",
	Content:  AsEither,
	Text:     `{"type":"text","text":%t}`,
	Call:     `{"type":"tool_use","id":%i,"name":%n,"input":%o}`,
	Result:   `{"type":"tool_result","tool_use_id":%i,"content":%c%?e,"is_error":true%;}`,
	Gathered: `{"role":"user","content":[%c]}`,
	Outcome:  Outcome{List: `[%l]`, Part: `{"type":"text","text":%t}`},
	Media: []MediaForm{
		{transcript.Image, images, `{"type":"image","source":{"type":"base64","media_type":%m,"data":%d}}`,
			`{"type":"image","source":{"type":"url","url":%u}}`, ByUser | InResult},
		{transcript.File, "application/pdf", `{"type":"document","source":{"type":"base64","media_type":%m,"data":%d}%?f,"title":%f%;}`,
			`{"type":"document","source":{"type":"url","url":%u}%?f,"title":%f%;}`, ByUser | InResult},
	},
	ID: NameForm{Max: 64, Marks: "_-"}, ToolName: NameForm{Max: 128, Marks: "_-"},
}
