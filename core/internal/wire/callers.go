package wire

import (
	"bytes"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// linkCallers links each tool call that was made by a provider's tool to the call of that tool
// (AN11), if any part from index from on names such a caller. For example, a program that the
// provider runs may call the application's tools; it returns its own result once it has theirs.
func linkCallers(t *transcript.Transcript, from int) {
	if !markCalled(t, from) {
		return
	}
	t.Calls = true
	var servers critbit.Map[int32] // by id, the index of the call plus one
	for i := range t.Parts {
		p := &t.Parts[i]
		if p.Kind != transcript.ToolCall || p.Has(transcript.Removed) {
			continue
		}
		if p.Has(transcript.Called) && p.Caller == 0 {
			c, _ := CallerOf(t.Bytes(p.Span))
			p.Caller, _ = servers.Get(c.ID)
		}
		if p.Has(transcript.Server) && !p.ID.IsZero() {
			servers.Set(t.Text(p.ID), int32(i)+1)
		}
	}
}

// markCalled marks the tool calls from part index from on that name a caller. It reports whether there are any.
func markCalled(t *transcript.Transcript, from int) (called bool) {
	for i := from; i < len(t.Parts); i++ {
		p := &t.Parts[i]
		if p.Kind != transcript.ToolCall || p.Caller > 0 || !bytes.Contains(t.Bytes(p.Span), []byte(`"caller"`)) {
			continue
		}
		if _, ok := CallerOf(t.Bytes(p.Span)); ok {
			p.Flags |= transcript.Called
			called = true
		}
	}
	return called
}

// Caller identifies the tool that made a tool call.
type Caller struct {
	ID     string        // id of that tool's call
	Member jsonspan.Span // in the JSON of the call, key and value
}

// optionKeys lists the members in which the AI SDK keeps provider-specific data.
var optionKeys = []string{"providerOptions", "providerMetadata", "callProviderMetadata"}

// CallerOf returns the tool that made a tool call, which is given as JSON. ok is false if the model itself made the
// call.
func CallerOf(call []byte) (c Caller, ok bool) {
	s := jsonspan.New(call)
	s.Lenient = true
	for key := range s.Members {
		switch {
		case s.Kind() != jsonspan.Object:
			s.Skip()
		case string(key) == "caller":
			c.read(s)
		case indexOf(optionKeys, key) >= 0:
			c.options(s)
		default:
			s.Skip()
		}
	}
	return c, c.ID != ""
}

// options reads the caller from provider-specific data, which has an object for each provider.
func (c *Caller) options(s *jsonspan.Scanner) {
	for range s.Members {
		if s.Kind() != jsonspan.Object {
			s.Skip()
			continue
		}
		for key := range s.Members {
			if string(key) == "caller" && s.Kind() == jsonspan.Object {
				c.read(s)
			} else {
				s.Skip()
			}
		}
	}
}

// read reads the value of a caller, {"type","tool_id"}. A value that isn't an object of this form leaves c without an
// id.
func (c *Caller) read(s *jsonspan.Scanner) {
	member := jsonspan.Span{Start: s.KeyPos()}
	for key := range s.Members {
		if (string(key) == "tool_id" || string(key) == "toolId") && s.Kind() == jsonspan.String {
			c.ID = jsonspan.Text(s.Src(), s.Text().Span)
		} else {
			s.Skip()
		}
	}
	if member.End = s.Pos(); c.ID != "" {
		c.Member = member
	}
}
