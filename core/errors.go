package core

import (
	"strconv"
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/wire"
	"github.com/ctxfold/ctxfold/internal/operations"
)

// errorAnswer returns {"error":…} for an error in request: its code, its text, the JSON path of the value at its
// offset, and the offset in bytes, which is limited to the request.
func errorAnswer(request []byte, e *jsonspan.Error) []byte {
	offset := max(0, min(e.Offset, len(request)))
	dst := jsonspan.AppendString([]byte(`{"error":{"code":`), string(e.Code))
	dst = append(dst, `,"message":`...)
	dst = jsonspan.AppendString(dst, e.Message)
	dst = append(dst, `,"path":`...)
	dst = jsonspan.AppendString(dst, jsonspan.PathAt(request, offset))
	dst = append(dst, `,"offset":`...)
	dst = strconv.AppendInt(dst, int64(offset), 10)
	return append(dst, `}}`...)
}

// nameSession replaces an error in the messages if they are a session file: the new error says how to open it. It keeps
// errors in a single message, because some session files are lists of messages with a few more members, which apps
// write too. If the messages may be in several formats, the error stays as well, because the caller can name the
// format.
func (r *request) nameSession() {
	at := int(r.members[operations.InMessages].Start)
	if r.err.Offset < at || r.err.Code == api.CodeAmbiguousFormat || r.op == &operations.Operations[operations.OpSave] {
		return
	}
	s := jsonspan.New(r.src).At(uint32(at))
	within := r.err.Offset < int(s.Skip().Span.End)
	if s.Err() == nil && !within && r.err.Code != api.CodeInvalidJSON {
		return // the error is in a later member
	}
	kind, _ := r.sessionKind()
	if kind == "" {
		return
	}
	message := "this is " + sessionFile(kind) + ", not a list of messages: call open with it, and pass what open returns"
	if r.err.Offset > at && within {
		message += "; as a list of messages: " + r.err.Message
	}
	r.err = &jsonspan.Error{Code: api.CodeUnknownFormat, Offset: at, Message: message}
}

// sessionFile returns a description of a session file of the given kind, for use in error messages.
func sessionFile(kind string) string {
	return "a session file of the kind \"" + kind + "\", which open reads"
}

// elsewhere returns the error for a feature that only the whole build has. feature is its name.
func elsewhere(feature string, offset uint32) *jsonspan.Error {
	return &jsonspan.Error{Code: api.CodeNeedsWhole, Offset: int(offset),
		Message: feature + " is in the whole module, ctxfold.wasm, and not in this slim one"}
}

// notHere returns the error for a transcript at an offset whose format this build can only detect. It returns nil if
// the build can read the format, or f is nil.
func notHere(f *wire.Format, offset uint32) *jsonspan.Error {
	if f == nil || !f.IsUnlinked() {
		return nil
	}
	return elsewhere("the format \""+f.Name+"\"", offset)
}

// undetected returns the error, at offset, for a transcript that may be in several formats, or in none.
func undetected(found *wire.Detection, offset int) *jsonspan.Error {
	if shape := found.Shape; shape != nil {
		return &jsonspan.Error{Code: api.CodeUnknownFormat, Offset: offset,
			Message: "these look like " + shape.Name + " (" + strings.Join(found.Signs, ", ") +
				"), which no wire format reads; the nearest format is \"" + shape.Nearest +
				"\": convert the messages, or set \"format\" in the policy"}
	}
	var names []string
	for _, g := range found.Guesses {
		names = append(names, g.Format.Name)
	}
	switch len(names) {
	case 0:
		return &jsonspan.Error{Code: api.CodeUnknownFormat, Offset: offset,
			Message: "no wire format has messages like these; there are: " + strings.Join(wire.Names(), ", ")}
	case 1:
		return &jsonspan.Error{Code: api.CodeUnknownFormat, Offset: offset,
			Message: "no wire format has messages like these; the nearest format is \"" +
				names[0] + "\": convert the messages, or set \"format\" in the policy"}
	}
	return &jsonspan.Error{Code: api.CodeAmbiguousFormat, Offset: offset,
		Message: "these messages may be in any of these formats: " + strings.Join(names, ", ") +
			`; set "format" in the policy`}
}
