package handles

import (
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/authorship"
	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// mark is a marker with a handle, found in a part.
type mark struct {
	handle string       // the digits in the marker
	what   api.BodyKind // the kind of the body
	part   int32        // the part with the marker
}

// namedIn returns the markers with handles in message m. It ignores the texts of digests, which listHandle parses. A
// marker without a handle isn't among them.
func namedIn(doc *view.View, m int32) (found []mark) {
	msg := &doc.T.Messages[m]
	for n := msg.First; n < msg.First+msg.Count; n++ {
		p := &doc.T.Parts[n]
		switch {
		case p.Kind == transcript.ToolResult && !p.Body.IsZero() && !p.Has(transcript.Removed):
			if handle, ok := handleIn(doc.T.Bytes(p.Body), resultMarkers...); ok {
				found = append(found, mark{handle, "tool_result", n})
			} else if handle := truncated(doc, n); handle != "" {
				found = append(found, mark{handle, api.BodyToolResult, n})
			}
		case p.Kind == transcript.Text && !p.Has(transcript.Removed) && truncated(doc, n) != "":
			found = append(found, mark{truncated(doc, n), api.BodyText, n})
		case p.Kind == transcript.Text && p.Body.Len() < MarkerRoom:
			if handle, what := mediaHandle(doc.T.Bytes(p.Body)); handle != "" {
				found = append(found, mark{handle, what, n})
			}
		}
	}
	return found
}

// markers returns all markers in the document, in order.
func (r *restoring) markers() []api.Marker {
	found := []api.Marker{}
	for i := range r.doc.Items {
		m := r.doc.Items[i].Msg
		if authorship.LooksLike(r.doc.T, m) != authorship.NotOurs { // restoring depends only on what is archived, so anybody may have written the marker
			if handle := listHandle(r.doc.T, m); handle != "" {
				found = append(found, api.Marker{Handle: handle, What: api.BodyFold, Message: i})
			}
			continue
		}
		for _, k := range namedIn(r.doc, m) {
			found = append(found, api.Marker{Handle: k.handle, What: k.what, Message: i})
		}
	}
	return found
}

// truncated returns the handle at the beginning of the body of part n if the body was truncated or squeezed, and ""
// otherwise. The body is the shortened text itself, or JSON that contains it.
func truncated(doc *view.View, n int32) string {
	p := &doc.T.Parts[n]
	if p.Kind == transcript.ToolResult && !doc.T.IsString(p.Body) && len(doc.T.InnerParts(int(n))) == 0 {
		handle, _ := handleIn(doc.T.Bytes(p.Body), headMarkers...)
		return handle
	}
	if !doc.T.IsString(p.Body) || !shortened(doc, n) {
		return ""
	}
	text := doc.T.Text(p.Body)
	handle, _ := TruncatedHandle(text)
	if handle == "" {
		handle, _ = SqueezedHandle(text)
	}
	return handle
}

// Of returns the handles that bodies contain in markers or as changes, in order of appearance. With them, a host can
// fetch all bodies before it restores. Some may not be real handles, because text can quote a marker. corrupt lists the
// given handles whose bodies don't match them; these bodies are not searched.
func Of(given []api.Kept) (handles, corrupt []string) {
	var seen critbit.Map[struct{}]
	add := func(h string) {
		if IsHandle(h) && !seen.Has(h) {
			seen.Add(h)
			handles = append(handles, h)
		}
	}
	for i := range given {
		if !whole(&given[i]) {
			corrupt = append(corrupt, given[i].Handle)
			continue
		}
		eachNamed(given[i].Text, add)
		if isChanges(given[i].Text) {
			if c, ok := parseChanges(given[i].Text); ok {
				add(c.before)
			}
		} else {
			add(pointer(given[i].Text))
		}
	}
	return handles, corrupt
}

// eachNamed calls yield with the Short bytes after each "handle: " or "handle of the folded messages: " in text, with a
// small or a capital h. Markers and digests have these forms. The caller must check whether the bytes are a handle.
func eachNamed(text string, yield func(handle string)) {
	for {
		_, rest, found := strings.Cut(text, "andle")
		if !found {
			return
		}
		text = rest
		rest, found = strings.CutPrefix(rest, ": ")
		if !found {
			rest, found = strings.CutPrefix(rest, " of the folded messages: ")
		}
		if found && len(rest) >= Short {
			yield(rest[:Short])
		}
	}
}

// pointer returns the handle of the compaction's changes, which is the last element in the body of a fold, or "".
func pointer(body string) string {
	const n = Size
	if len(body) < n+4 || body[0] != '[' || body[len(body)-2:] != `"]` || body[len(body)-n-3] != '"' {
		return ""
	}
	if h := body[len(body)-n-2 : len(body)-2]; IsHandle(h) {
		return h
	}
	return ""
}
