package sessionfile

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// JSON that opencode sends in place of a part or its content.
const (
	ocStep      = `{"type":"step-start"}`
	ocCompacted = `"[Old tool result content cleared]"`
	ocBroken    = `"[Tool execution was interrupted]"`
	ocAsked     = `"What did we do so far?"`
	ocSubtask   = `"The following tool was executed by the user"`
)

// userPart writes a part of a user message. Text files are left out, because an adjacent text part
// has their contents. next begins a part with the given text.
func (o *opencode) userPart(p jsonspan.Span, next func(begin string)) {
	switch typeOf(o.src, p) {
	case "text":
		if said := stringAt(o.src, p, "text"); said.Len() > 2 && !isTrue(o.src, p, "ignored") {
			next(`{"type":"text"`)
			o.appendMember("text", said)
			o.appendPieces(`}`)
		}
	case "file":
		if mime := textOf(o.src, p, "mime"); mime != "text/plain" && mime != "application/x-directory" {
			next(`{"type":"file"`)
			o.appendMember("url", find(o.src, p, "url"))
			o.appendMember("mediaType", find(o.src, p, "mime"))
			o.appendMember("filename", find(o.src, p, "filename"))
			o.appendPieces(`}`)
		}
	case "compaction":
		next(`{"type":"text","text":` + ocAsked + `}`)
	case "subtask":
		next(`{"type":"text","text":` + ocSubtask + `}`)
	}
}

// part writes a part of a response. foreign is true if the response came from another model, and signed if it
// includes signed reasoning. next starts a part with the given text.
func (o *opencode) part(p jsonspan.Span, foreign, signed bool, next func(begin string)) {
	metadata := find(o.src, p, "metadata")
	if foreign || !metadata.IsZero() && o.src[metadata.Start] != '{' {
		metadata = jsonspan.Span{}
	}
	typ, said := typeOf(o.src, p), stringAt(o.src, p, "text")
	switch {
	case typ == "text" && said.Len() == 2 && signed:
		next(`{"type":"text","text":" "`) // providers reject an empty text after signed reasoning
	case typ == "text", typ == "reasoning" && foreign && strings.TrimSpace(o.textAt(said)) != "":
		next(`{"type":"text"`)
		o.appendMember("text", said)
	case typ == "reasoning" && !foreign:
		next(`{"type":"reasoning"`)
		o.appendMember("text", said)
	case typ == "step-start":
		next(ocStep)
		return
	case typ == "tool":
		o.writeTool(p, metadata, next)
		return
	default:
		return
	}
	o.appendMember("providerMetadata", metadata)
	o.appendPieces(`}`)
}

// output writes the output of a call with its attachments, unless the agent cleared it. state is
// the state of the call.
func (o *opencode) output(state, output jsonspan.Span) {
	attachments, compacted := find(o.src, state, "attachments"), find(o.src, state, "time.compacted")
	switch {
	case !compacted.IsZero() && string(compacted.Slice(o.src)) != "0":
		o.appendPieces(`,"output":` + ocCompacted)
	case len(items(o.src, attachments)) > 0:
		o.appendPieces(`,"output":{"text":`, output)
		o.appendMember("attachments", attachments)
		o.appendPieces(`}`)
	default:
		o.appendMember("output", output)
	}
}

// signed reports whether the parts include reasoning that a provider signed.
func (o *opencode) signed(parts []jsonspan.Span) bool {
	for _, p := range parts {
		if sign := find(o.src, p, "metadata.anthropic.signature"); !sign.IsZero() && o.src[sign.Start] != 'n' && typeOf(o.src, p) == "reasoning" {
			return true
		}
	}
	return false
}

// writeTool writes a call together with its result. A call that has not ended is written as
// interrupted, and a call without a name is left out. next begins a part with the given text.
func (o *opencode) writeTool(p, metadata jsonspan.Span, next func(begin string)) {
	name, state := stringAt(o.src, p, "tool"), find(o.src, p, "state")
	if name.IsZero() {
		return
	}
	next(`{"type":"tool-`)
	o.appendPieces(jsonspan.Span{Start: name.Start + 1, End: name.End})
	status, output := textOf(o.src, state, "status"), find(o.src, state, "output")
	if status == "error" && isTrue(o.src, state, "metadata.interrupted") {
		if output = stringAt(o.src, state, "metadata.output"); !output.IsZero() {
			status = "completed" // the output before the interruption
		}
	}
	if status == "completed" {
		o.appendPieces(`,"state":"output-available"`)
	} else {
		o.appendPieces(`,"state":"output-error"`)
	}
	o.appendMember("toolCallId", find(o.src, p, "callID"))
	o.appendMember("input", find(o.src, state, "input"))
	switch status {
	case "completed":
		o.output(state, output)
	case "error":
		o.appendMember("errorText", find(o.src, state, "error"))
	default:
		o.appendPieces(`,"errorText":` + ocBroken)
	}
	if isTrue(o.src, p, "metadata.providerExecuted") {
		o.appendPieces(`,"providerExecuted":true`)
	}
	if !metadata.IsZero() {
		if rest := appendObject(nil, o.src, metadata, withoutKeys("providerExecuted").conversionOf); len(rest) > 2 {
			o.appendPieces(`,"callProviderMetadata":`, rest)
		}
	}
	o.appendPieces(`}`)
}
