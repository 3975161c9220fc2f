package convert

import (
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/sorting"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// recordedMembers lists the members of messages and parts, in any format, that are read into records. Their content is
// carried over, or is recorded as lost with its part.
var recordedMembers = wordSet("role content parts type text tool_calls toolCalls function_call function custom index images thinking reasoning_content " +
	"reasoning tool_call_id toolCallId call_id tool_use_id toolUseId tool_name toolName arguments args input rawInput output result response " +
	"summary action operation state errorText isError is_error functionCall functionResponse function_response toolUse toolResult " +
	"reasoningContent guardContent citationsContent thought encrypted_content image image_url imageUrl input_audio inputAudio file file_data " +
	"fileData inlineData inline_data document document_url documentUrl video audio source data url uri mediaType media_type mimeType " +
	"mime_type filename json command exit_code custom_type execution providerExecuted experimental_content refusal " +
	"redactedContent closed prefix exitCode customType toolCall excludeFromContext redacted callId invalid_tool_calls tool_call_chunks lc toolUseId argsText modelContent attachments " +
	"format toolInvocation toolInvocations experimental_attachments details toolRequest toolResponse media contentType " +
	"tool_call tool_call_result origin base64_image base64_data reasoning_text part_kind kind dynamic_ref")

// set is a sorted list of words. has searches it by bisection.
type set []string

func wordSet(list string) set {
	all := strings.Fields(list)
	sorting.Ordered(all)
	return all
}

func (s set) has(word string) bool {
	_, found := slices.BinarySearch(s, word)
	return found
}

// lossReason returns the reason that reports give for the loss of a member.
func lossReason(name string) api.LossReason {
	switch name {
	case "cache_control", "cachePoint", "cache_point":
		return api.LossCacheMark
	case "citations", "annotations":
		return api.LossCitations
	case "providerOptions", "providerMetadata", "callProviderMetadata", "resultProviderMetadata",
		"experimental_providerMetadata", "extra_content", "caller", "providerData":
		return api.LossProviderOnly
	case "signature", "thoughtSignature", "thought_signature", "thinkingSignature", "textSignature", "encryptedValue":
		return api.LossSigned
	case "name":
		return api.LossName
	}
	return api.LossMetadata
}

// loseMembers reports as lost those members of message i and of its parts that aren't in any record.
func (c *conversion) loseMembers(i int32) {
	t, m := c.t, &c.t.Messages[i]
	var own map[uint32]bool // the offsets of members that are parts themselves
	item := transcript.Opaque
	for n := m.First; n < m.First+m.Count; n++ {
		p := &t.Parts[n]
		switch {
		case p.List == transcript.Member && !p.Has(transcript.Stored):
			if own == nil {
				own = map[uint32]bool{}
			}
			own[p.Span.Start] = true
		case p.List == transcript.NoList && p.Span == m.Span && item == transcript.Opaque:
			item = p.Kind
		case p.Kind != transcript.Opaque && !p.Kind.IsMedia() && !isRecorded(p, m):
			c.loseOtherMembers(i, n, p.Span, p.Kind, nil)
		}
	}
	if m.Role == transcript.Tool && item == transcript.Opaque {
		item = transcript.ToolResult
	}
	c.loseOtherMembers(i, -1, m.Span, item, own)
}

// isRecorded reports whether the members of a part are recorded with its message or with another part, because they
// belong to it.
func isRecorded(p *transcript.Part, m *transcript.Message) bool {
	return p.Parent >= 0 || p.List < 0 && (p.List != transcript.NoList || p.Span == p.Body || p.Span == m.Span)
}

// loseOtherMembers reports as lost those members of the object at span that aren't in any record,
// except for members without information: null, false, and empty values. The object is part n of
// message i, of the given kind, or the message itself if n is -1. own are the offsets of members
// that are parts themselves.
func (c *conversion) loseOtherMembers(i, n int32, span transcript.Span, kind transcript.Kind, own map[uint32]bool) {
	b := c.t.Bytes(span)
	s := jsonspan.New(b)
	if s.Kind() != jsonspan.Object {
		return
	}
	for key := range s.Members {
		name, at := string(key), s.KeyPos()
		v := s.Skip()
		if n < 0 && c.holdsMembers(i, name) {
			c.loseOtherMembers(i, n, transcript.Span{Start: span.Start + v.Start, End: span.Start + v.End}, kind, own)
			continue
		}
		switch why := lossReason(name); {
		case recordedMembers.has(name) || own[span.Start+at] || !isInformative(v) || n < 0 && isImplied(name, v):
		case isReadFor(name, kind) && (name != "id" || !c.isOtherID(i, n, span.Start+v.Start)):
		case string(v.Slice(b)) == `"completed"` && name == "status":
		case kind == transcript.Reasoning && why == api.LossSigned: // recorded with the part
		case why == api.LossMetadata && c.countLossAgain(n, name):
		default:
			c.recordLoss(i, n, "member", why, api.InsteadNothing, name)
		}
	}
}

// isImplied reports whether a member of a message only repeats the message's type, as the path of a serialized class
// does.
func isImplied(name string, v jsonspan.Value) bool { return name == "id" && v.Kind == jsonspan.Array }

// countLossAgain reports whether a loss of metadata with this name was already recorded for any part (or, if n is -1,
// for any message). In that case it counts the loss in the existing entry. Otherwise the caller must record it next.
func (c *conversion) countLossAgain(n int32, name string) bool {
	if n >= 0 {
		name = " " + name
	}
	if at, seen := c.metadata.Get(name); seen {
		l := &c.lost[at]
		l.Count = max(l.Count, 1) + 1
		return true
	}
	c.metadata.Set(name, len(c.lost))
	return false
}

// holdsMembers reports whether a member of message i is an object with further members of the message.
func (c *conversion) holdsMembers(i int32, name string) bool {
	spelling := int(c.t.Messages[i].Spelling)
	return name == "additional_kwargs" || spelling < len(c.from.Within) && name != "" && name == c.from.Within[spelling]
}

// isOtherID reports whether the id at an offset of message i differs from the id that links part n, a call or a result, to
// its counterpart. If n is -1, it takes the message's first part.
func (c *conversion) isOtherID(i, n int32, at uint32) bool {
	m := &c.t.Messages[i]
	if n < 0 && m.Count > 0 {
		n = m.First
	}
	if n < 0 {
		return false
	}
	p := &c.t.Parts[n]
	return p.Kind != transcript.Reasoning && !p.ID.IsZero() && p.ID.Start != at
}

// isInformative reports whether a value contains any information.
func isInformative(v jsonspan.Value) bool {
	switch v.Kind {
	case jsonspan.Null, jsonspan.False:
		return false
	case jsonspan.String, jsonspan.Array, jsonspan.Object:
		return v.Bytes > 2
	}
	return true
}

// isReadFor reports whether a member that is not read for all kinds of parts is read for this kind.
func isReadFor(name string, kind transcript.Kind) bool {
	switch name {
	case "id":
		return kind == transcript.Reasoning || kind == transcript.ToolCall || kind == transcript.ToolResult
	case "name":
		return kind == transcript.ToolCall || kind == transcript.ToolResult || kind == transcript.File
	case "status":
		return kind == transcript.ToolResult
	}
	return false
}

// otherMembers reads the system prompt and the tool definitions of a request body, and records its other members as
// lost, except for the list of messages.
func (c *conversion) otherMembers() {
	t := c.t
	if t.Outer == t.List {
		return
	}
	b := t.Bytes(t.Outer)
	s := jsonspan.New(b)
	for key := range s.Members {
		name := string(key)
		v := s.Skip()
		switch {
		case v.Start == t.List.Start-t.Outer.Start || !isInformative(v):
		case name == "system" || name == "systemPrompt" || name == "instructions" || name == "systemInstruction" ||
			name == "system_instruction":
			texts := promptTexts(nil, b, jsonspan.New(b).At(v.Start), 0)
			c.system = append(c.system, texts...)
			if len(texts) == 0 {
				c.recordLoss(-1, -1, "member", api.LossOpaque, api.InsteadNothing, name)
			}
		case name == "tools" || name == "functions" || name == "toolConfig":
			c.definitions(name, v.Slice(b))
		default:
			c.recordLoss(-1, -1, "member", api.LossBeside, api.InsteadNothing, name)
		}
	}
}

// promptTexts appends the texts of a system prompt, which is a string or contains its texts in
// nested lists and objects such as {"parts":[{"text":…}]}. b is the scanner's source. depth is the
// number of lists and objects around the value; an object with four or more of them around it is
// skipped. Blank texts are left out.
func promptTexts(texts []string, b []byte, s *jsonspan.Scanner, depth int) []string {
	switch s.Kind() {
	case jsonspan.String:
		if v := s.Text(); !jsonspan.IsBlank(b, v.Span) {
			texts = append(texts, jsonspan.Text(b, v.Span))
		}
	case jsonspan.Array:
		for s.Array(); s.Elem(); {
			texts = promptTexts(texts, b, s, depth+1)
		}
	case jsonspan.Object:
		for key := range s.Members {
			if name := string(key); depth < 4 && (name == "text" || name == "parts" || name == "content") {
				texts = promptTexts(texts, b, s, depth+1)
			} else {
				s.Skip()
			}
		}
		return texts
	default:
		s.Skip()
	}
	return texts
}
