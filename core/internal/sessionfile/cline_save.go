package sessionfile

import (
	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// clineCounted removes the provider's counts, which describe a prompt that won't be sent again.
var clineCounted = withoutKeys("metrics")

// save replaces the list with the new messages. Unchanged messages keep everything but the provider's counts. The
// digest gets the metadata that Cline writes for its own compactions. Afterwards, folded messages only exist in the old
// file.
func (c *cline) save(s *saver) {
	s.kept, s.out = int(c.list.Start), []byte{'['}
	names := c.names(s)
	digest, now := s.digest(), millis(s.in.Time)
	for i := range s.in.Messages {
		s.writeComma(i)
		if k := s.from[i]; k >= 0 {
			for n, o := range s.recordsOf(k) {
				s.writeComma(n)
				s.out = appendObject(s.out, c.src, c.records[o.record].at, clineCounted.conversionOf)
			}
			continue
		}
		s.write(`{"id":`, s.newID(), `,"role":`, quoted(s.role(i)), `,"content":`)
		s.out = appendList(s.out, s.in.Src, find(s.in.Src, s.in.Messages[i], "content"), names.block)
		if i == digest {
			_, said := s.roleText(i)
			s.write(`,"metadata":{"kind":"compaction_summary","summary":`, quoted(said), `,"tokensBefore":`,
				s.in.Tokens, `,"generatedAt":`, now, `}}`)
		} else {
			s.write(`,"ts":`, now, `}`)
		}
	}
	s.write(`]`, c.src[c.list.End:])
}

// clineTools maps a call's id to its tool's name, as JSON.
type clineTools struct{ critbit.Map[[]byte] }

// names returns the tool names of all calls in the file and in the new messages.
func (c *cline) names(s *saver) *clineTools {
	var names clineTools
	note := func(src []byte, messages []jsonspan.Span) {
		for _, at := range messages {
			for _, block := range items(src, find(src, at, "content")) {
				if id, name := stringAt(src, block, "id"), stringAt(src, block, "name"); !id.IsZero() && !name.IsZero() {
					names.Set(jsonspan.Text(src, id), name.Slice(src))
				}
			}
		}
	}
	note(s.Messages, s.old)
	note(s.in.Src, s.in.Messages)
	return &names
}

// block appends an Anthropic block in Cline's form, in which a result names its tool and an image has no source object.
func (t *clineTools) block(dst, src []byte, at jsonspan.Span) []byte {
	switch typeOf(src, at) {
	case "image":
		if !stringAt(src, at, "source.data").IsZero() && !stringAt(src, at, "source.media_type").IsZero() {
			return appendFilled(dst, src, at, `{"type":"image","data":$source.data,"mediaType":$source.media_type}`)
		}
	case "tool_result":
		name, known := t.Get(textOf(src, at, "tool_use_id"))
		if !known {
			name = []byte(`"tool"`)
		}
		own := func(dst, src []byte, value jsonspan.Span) []byte { return appendList(dst, src, value, t.block) }
		dst = appendObject(dst, src, at, rename{{key: "content", to: "content", with: own}}.conversionOf)
		return appendJSON(withoutBrace(dst), src, `,"name":`, name, `}`)
	}
	return append(dst, at.Slice(src)...)
}
