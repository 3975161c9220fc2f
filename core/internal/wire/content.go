package wire

import (
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// content turns a field into the message's content, unless the field is null. It reports an error if the field is
// neither a string nor a list; elements names the elements of the list in the error.
func (r *Reader) content(m *transcript.Message, f *field, elements string) {
	if f.Kind != jsonspan.Null {
		r.wantKind(f, jsonspan.String, jsonspan.Array, "content must be a string, a list of "+elements+" or null")
		m.Content = f.Span
	}
}

// wantList checks that a field, if present, is a list or null.
//
//go:noinline
func (r *Reader) wantList(f *field, message string) {
	r.wantKind(f, jsonspan.Array, jsonspan.Null, message)
}

// contentResult returns the content of a message as a tool result with the given id and tool name. A list has no size
// of its own, because the parts inside it have theirs.
func contentResult(content, id, name *field) transcript.Part {
	p := wholePart(transcript.ToolResult, content)
	if !content.Str() {
		p.Size = jsonspan.Measure{}
	}
	id.setID(&p)
	name.setToolName(&p)
	return p
}

// addResult adds the tool result p, which is the whole content of the message being read. The parts that begin at index
// first are inside the result and follow it.
func (r *Reader) addResult(m *transcript.Message, first int, p transcript.Part) {
	m.Lists[transcript.ContentList] = jsonspan.Span{}
	r.Add(p)
	parts := r.T.Parts[first:]
	p = parts[len(parts)-1]
	copy(parts[1:], parts)
	parts[0] = p
	for i := 1; i < len(parts); i++ {
		parts[i].Parent = int32(first)
	}
}

// addShared adds the result of a call that is in the same part, and pairs it with the call, which is at index call in
// Parts. It returns the index of the result.
func (r *Reader) addShared(call int, result transcript.Part) int {
	result.Kind, result.List = transcript.ToolResult, transcript.Shared
	n := r.Add(result)
	r.T.Parts[call].Pair, r.T.Parts[n].Pair = int32(n), int32(call)
	return n
}

// shell reads a command that the user ran, with its output and its exit code.
func (r *Reader) shell(m *transcript.Message, command, output, exit *field) {
	m.Variant = transcript.Shell
	r.Add(memberPart(transcript.Text, output))
	if command.Str() {
		m.Label, m.Extra = command.Span, command.Size
	}
	if exit.Kind == jsonspan.Number {
		m.Exit = exit.Span
	}
}

// usage reads a provider's token counts. keys are the names of the counts for input, output, cache reads, cache writes
// and the total. Numbers that aren't whole or have more than 9 digits are read as 0.
func (r *Reader) usage(m *transcript.Message, keys []string) {
	usage := &r.meta(m).Usage
	f, _ := r.fields(keys, nil)
	for i, to := range []*int{&usage.Input, &usage.Output, &usage.CacheRead, &usage.CacheWrite, &usage.Total} {
		if f[i].Kind == jsonspan.Number {
			*to, _ = jsonspan.Int(r.Src(), f[i].Span)
		}
	}
}
