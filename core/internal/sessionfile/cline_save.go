package sessionfile

import (
	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// clineCounted are what the provider has counted, of a prompt that is not sent again.
var clineCounted = rename{{key: "metrics"}}

// save replaces the list with the messages. Unchanged messages keep everything but the provider's counts. The digest is marked the way Cline
// marks its own. Folded messages exist only in the old file.
func (c *cline) save(s *saver) {
	s.kept, s.out = int(c.list.Start), []byte{'['}
	names := c.names(s)
	digest, now := s.digest(), millis(s.in.Time)
	for i := range s.in.Messages {
		s.comma(i)
		if k := s.from[i]; k >= 0 {
			for n, o := range s.origins[s.begins[k]:s.begins[k+1]] {
				s.comma(n)
				s.out = appendObject(s.out, c.src, c.records[o.record].at, clineCounted.find)
			}
			continue
		}
		s.write(`{"id":`)
		s.quote(s.id())
		s.write(`,"role":`)
		s.quote(s.role(i))
		s.write(`,"content":`)
		content := find(s.in.Src, s.in.Messages[i], "content")
		if s.in.Src[content.Start] != '[' {
			s.out = append(s.out, content.Of(s.in.Src)...)
		} else {
			s.write(`[`)
			in := scanner(s.in.Src, content.Start)
			n := 0
			for in.Array(); in.Elem(); n++ {
				s.comma(n)
				s.out = clineOwn(s.out, s.in.Src, in.Skip().Span, names)
			}
			s.write(`]`)
		}
		if i == digest {
			_, said := s.textOf(i)
			s.write(`,"metadata":{"kind":"compaction_summary","summary":`)
			s.quote(said)
			s.write(`,"tokensBefore":`)
			s.number(s.in.Tokens)
			s.write(`,"generatedAt":`)
			s.number(now)
			s.write(`}`)
		} else {
			s.write(`,"ts":`)
			s.number(now)
		}
		s.write(`}`)
	}
	s.write(`]`)
	s.out = append(s.out, c.src[c.list.End:]...)
}

// names are the tools of all calls, as JSON, by the ids of the calls.
func (c *cline) names(s *saver) *critbit.Map[[]byte] {
	var names critbit.Map[[]byte]
	read := func(src []byte, at jsonspan.Span) {
		content := find(src, at, "content")
		if content.Zero() || src[content.Start] != '[' {
			return
		}
		in := scanner(src, content.Start)
		for in.Array(); in.Elem(); {
			block := in.Skip().Span
			if id, name := stringAt(src, block, "id"), stringAt(src, block, "name"); !id.Zero() && !name.Zero() {
				names.Set(jsonspan.Text(src, id), name.Of(src))
			}
		}
	}
	for _, at := range s.old {
		read(s.Messages, at)
	}
	for _, at := range s.in.Messages {
		read(s.in.Src, at)
	}
	return &names
}

// clineOwn appends a block of Anthropic's as Cline keeps it: a result names its tool, and an image has no source.
func clineOwn(dst, src []byte, at jsonspan.Span, names *critbit.Map[[]byte]) []byte {
	switch jsonspan.Text(src, stringAt(src, at, "type")) {
	case "image":
		source := find(src, at, "source")
		if data, mime := stringAt(src, source, "data"), stringAt(src, source, "media_type"); !data.Zero() && !mime.Zero() {
			dst = append(append(dst, `{"type":"image","data":`...), data.Of(src)...)
			return append(append(append(dst, `,"mediaType":`...), mime.Of(src)...), '}')
		}
	case "tool_result":
		name, known := names.Get(jsonspan.Text(src, stringAt(src, at, "tool_use_id")))
		if !known {
			name = []byte(`"tool"`)
		}
		own := func(dst, src []byte, value jsonspan.Span) []byte {
			if src[value.Start] != '[' {
				return append(dst, value.Of(src)...)
			}
			dst = append(dst, '[')
			in := scanner(src, value.Start)
			n := 0
			for in.Array(); in.Elem(); n++ {
				if n > 0 {
					dst = append(dst, ',')
				}
				dst = clineOwn(dst, src, in.Skip().Span, names)
			}
			return append(dst, ']')
		}
		dst = appendObject(dst, src, at, rename{{key: "content", to: "content", with: own}}.find)
		return append(append(append(dst[:len(dst)-1], `,"name":`...), name...), '}')
	}
	return append(dst, at.Of(src)...)
}
