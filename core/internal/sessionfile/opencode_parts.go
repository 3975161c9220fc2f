package sessionfile

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// Texts that the agent sends in place of a part.
const (
	ocStep      = `{"type":"step-start"}`
	ocCompacted = `"[Old tool result content cleared]"`
	ocBroken    = `"[Tool execution was interrupted]"`
	ocAsked     = `"What did we do so far?"`
	ocSubtask   = `"The following tool was executed by the user"`
)

// member writes a member of a part if the value is there.
func (o *opencode) member(key string, value jsonspan.Span) {
	if !value.Zero() {
		o.put(`,"` + key + `":`)
		o.copy(value)
	}
}

// userPart writes a user part. Text files are not sent: an adjacent text contains their contents.
func (o *opencode) userPart(p jsonspan.Span, next func(begin string)) {
	switch o.textAt(stringAt(o.src, p, "type")) {
	case "text":
		said := stringAt(o.src, p, "text")
		if said.Len() > 2 && string(find(o.src, p, "ignored").Of(o.src)) != "true" {
			next(`{"type":"text"`)
			o.member("text", said)
			o.put(`}`)
		}
	case "file":
		if mime := o.textAt(stringAt(o.src, p, "mime")); mime != "text/plain" && mime != "application/x-directory" {
			next(`{"type":"file"`)
			o.member("url", find(o.src, p, "url"))
			o.member("mediaType", find(o.src, p, "mime"))
			o.member("filename", find(o.src, p, "filename"))
			o.put(`}`)
		}
	case "compaction":
		next(`{"type":"text","text":` + ocAsked + `}`)
	case "subtask":
		next(`{"type":"text","text":` + ocSubtask + `}`)
	}
}

// part writes a part of an answer.
func (o *opencode) part(p jsonspan.Span, foreign, signed bool, next func(begin string)) {
	metadata := find(o.src, p, "metadata")
	if foreign || !metadata.Zero() && o.src[metadata.Start] != '{' {
		metadata = jsonspan.Span{}
	}
	switch o.textAt(stringAt(o.src, p, "type")) {
	case "text":
		next(`{"type":"text"`)
		if said := stringAt(o.src, p, "text"); said.Len() == 2 && signed {
			o.put(`,"text":" "`) // providers refuse an empty text after signed reasoning
		} else {
			o.member("text", said)
		}
		o.member("providerMetadata", metadata)
		o.put(`}`)
	case "reasoning":
		said := stringAt(o.src, p, "text")
		switch {
		case !foreign:
			next(`{"type":"reasoning"`)
			o.member("text", said)
			o.member("providerMetadata", metadata)
			o.put(`}`)
		case strings.TrimSpace(o.textAt(said)) != "":
			next(`{"type":"text"`)
			o.member("text", said)
			o.put(`}`)
		}
	case "step-start":
		next(ocStep)
	case "tool":
		o.tool(p, metadata, next)
	}
}

// signed reports whether a provider has signed reasoning among the parts.
func (o *opencode) signed(parts []jsonspan.Span) bool {
	for _, p := range parts {
		if o.textAt(stringAt(o.src, p, "type")) == "reasoning" {
			if sign := find(o.src, find(o.src, find(o.src, p, "metadata"), "anthropic"), "signature"); !sign.Zero() && o.src[sign.Start] != 'n' {
				return true
			}
		}
	}
	return false
}

// tool writes a call with its result. A call that has not ended was interrupted.
func (o *opencode) tool(p, metadata jsonspan.Span, next func(begin string)) {
	name, state := stringAt(o.src, p, "tool"), find(o.src, p, "state")
	if name.Zero() {
		return
	}
	next(`{"type":"tool-`)
	o.copy(jsonspan.Span{Start: name.Start + 1, End: name.End})
	done := o.textAt(stringAt(o.src, state, "status"))
	output := find(o.src, state, "output")
	if done == "error" {
		if about := find(o.src, state, "metadata"); string(find(o.src, about, "interrupted").Of(o.src)) == "true" {
			if output = stringAt(o.src, about, "output"); !output.Zero() {
				done = "completed" // as far as it came
			}
		}
	}
	if done == "completed" {
		o.put(`,"state":"output-available"`)
	} else {
		o.put(`,"state":"output-error"`)
	}
	o.member("toolCallId", find(o.src, p, "callID"))
	o.member("input", find(o.src, state, "input"))
	attachments := find(o.src, state, "attachments")
	compacted := find(o.src, find(o.src, state, "time"), "compacted")
	switch {
	case done == "completed" && !compacted.Zero() && string(compacted.Of(o.src)) != "0":
		o.put(`,"output":` + ocCompacted)
	case done == "completed" && !attachments.Zero() && len(elements(attachments.Of(o.src))) > 0:
		o.put(`,"output":{"text":`)
		o.copy(output)
		o.member("attachments", attachments)
		o.put(`}`)
	case done == "completed":
		o.member("output", output)
	case done == "error":
		o.member("errorText", find(o.src, state, "error"))
	default:
		o.put(`,"errorText":` + ocBroken)
	}
	if executed := find(o.src, find(o.src, p, "metadata"), "providerExecuted"); string(executed.Of(o.src)) == "true" {
		o.put(`,"providerExecuted":true`)
	}
	if !metadata.Zero() {
		rest := appendObject(nil, o.src, metadata, rename{{key: "providerExecuted"}}.find)
		if len(rest) > 2 {
			o.put(`,"callProviderMetadata":` + string(rest))
		}
	}
	o.put(`}`)
}
