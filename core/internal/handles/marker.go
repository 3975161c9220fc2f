package handles

import (
	"bytes"
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/authorship"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// The markers that replace removed content. If the host keeps an archive, a marker includes the handle of the content
// that it replaces.
const (
	ClearedMarker    = "[Old tool result content cleared]" // S3.33
	DuplicateMarker  = "[The same as a newer result of this tool]"
	SupersededMarker = "[Superseded by a newer result of the same call]"
	SummaryMarker    = "[Tool output summary]" // the first line of a tool result that was replaced by a summary (S4.25)
	ImageMarker      = "[Image removed to make the request smaller]"
	AudioMarker      = "[Audio removed to make the request smaller]"
	FileMarker       = "[File removed to make the request smaller]"
	TruncatedMarker  = "[Truncated]"        // the first line of a truncated text whose original is archived
	ExcerptMarker    = digest.ExcerptMarker // the first line of a tool result reduced to some of its lines
	SqueezedMarker   = "[Squeezed]"         // the beginning of the first line of a squeezed text
)

// Marking declares a marker that a pass writes.
type Marking struct {
	Text string // the marker, including the brackets
	// Follows means that text follows the marker in a tool result. Heads means that the marker is the first line of a
	// shortened text, and doesn't replace a tool result.
	Follows, Heads bool
}

// The declared markers. resultMarkers replace tool results. summaryMarkers are the markers in resultMarkers that text
// follows. headMarkers are the first lines of shortened texts.
var resultMarkers, summaryMarkers, headMarkers []string

// Declare registers a marker. Registering the same text again has no effect. Packages call Declare from init.
func Declare(m Marking) {
	list := &resultMarkers
	if m.Heads {
		list = &headMarkers
	}
	if slices.Contains(*list, m.Text) {
		return
	}
	if *list = append(*list, m.Text); m.Follows {
		summaryMarkers = append(summaryMarkers, m.Text)
	}
}

// named is the text between a marker and its handle. It replaces the closing bracket, which comes after the
// handle.
const named = ". Handle: "

// Zeros is a placeholder for a handle when only the size of a marker matters.
const Zeros = "0000000000000000"

// WithHandle returns a marker with the first digits of a handle added, or the bare marker if handle is "".
func WithHandle(marker, handle string) string {
	if handle == "" {
		return marker
	}
	return marker[:len(marker)-1] + named + handle[:Short] + "]"
}

// Sized returns a marker of about the size that it will have in the result. If the host keeps an archive, the marker
// includes a placeholder for the handle.
func (a *Archive) Sized(marker string) string {
	if a.mode == "" {
		return marker
	}
	return WithHandle(marker, Zeros)
}

// MarkerRoom is the number of bytes at the beginning of a value in which a marker is looked for. A marker is always at
// the beginning of a string, preceded only by the structure that the wire format requires.
const MarkerRoom = 512

// handleIn returns the short handle in the first string of a JSON value that begins with one of the markers and a
// handle. It looks only at the first MarkerRoom bytes. found is false if there is none.
func handleIn(value []byte, markers ...string) (handle string, found bool) {
	value = value[:min(len(value), MarkerRoom)]
	if len(value) > 0 && value[0] == '"' { // a string begins with its marker, if it has one
		return handleAt(value[1:], markers)
	}
	for {
		at := bytes.IndexByte(value, '[')
		if at < 0 {
			return "", false
		}
		if at > 0 && value[at-1] == '"' {
			if handle, found = handleAt(value[at:], markers); found {
				return handle, true
			}
		}
		value = value[at+1:]
	}
}

// handleAt returns the short handle in the marker at the beginning of text if that marker is one of markers and has a
// handle.
func handleAt(text []byte, markers []string) (handle string, found bool) {
	if len(text) == 0 || text[0] != '[' {
		return "", false
	}
	for _, marker := range markers {
		n := len(marker) - 1
		if len(text) < n || string(text[:n]) != marker[:n] {
			continue
		}
		rest, ok := bytes.CutPrefix(text[n:], []byte(named))
		if ok && len(rest) > Short && rest[Short] == ']' && IsHandle(string(rest[:Short])) {
			return string(rest[:Short]), true
		}
	}
	return "", false
}

// MediaMarker is the marker that replaces a media part, together with the kind of the removed body.
type MediaMarker struct {
	Marker string       // the text of the marker
	What   api.BodyKind // the kind of the body
}

// MediaMarkers lists the markers for all kinds of media.
var MediaMarkers = [...]MediaMarker{{ImageMarker, api.BodyImage}, {AudioMarker, api.BodyAudio},
	{FileMarker, api.BodyFile}}

// mediaHandle returns the handle in a media marker and the kind of the removed body, or "" twice if there is no such
// marker. text must be a JSON string.
func mediaHandle(text []byte) (handle string, what api.BodyKind) {
	for _, m := range MediaMarkers {
		if h, found := handleIn(text, m.Marker); found {
			return h, m.What
		}
	}
	return "", ""
}

// Placeholder reports whether the text of part n is the marker of a removed image, audio or file.
func Placeholder(c *view.View, n int32) bool {
	body := c.T.Bytes(c.T.Parts[n].Body)
	for _, m := range MediaMarkers {
		if bytes.HasPrefix(body[1:], []byte(m.Marker[:len(m.Marker)-1])) {
			return true
		}
	}
	return false
}

// Cleared reports whether the body of the tool result at index n is already a marker.
func Cleared(c *view.View, n int32) bool {
	p := &c.T.Parts[n]
	if p.Has(transcript.Cleared) {
		return true
	}
	if b := c.T.Bytes(p.Body); len(b) > 1 && b[0] == '"' && b[1] != '[' && b[1] != '\\' {
		return false // ordinary text, because every marker begins with a bracket
	}
	if _, found := handleIn(c.T.Bytes(p.Body), resultMarkers...); found {
		return true
	}
	body := p.Body
	if inner := c.T.InnerParts(int(n)); len(inner) == 1 && inner[0].Kind == transcript.Text {
		body = inner[0].Body
	}
	for _, marker := range summaryMarkers {
		if at := bytes.Index(c.T.Bytes(body)[:min(body.Len(), len(marker)+1)], []byte(marker)); at == 1 {
			return true
		}
	}
	return slices.ContainsFunc(resultMarkers, func(marker string) bool {
		return !slices.Contains(summaryMarkers, marker) && (c.T.EqualText(body, marker) || isResultWith(c, n, marker))
	})
}

// isResultWith reports whether the body of the tool result at index n is what the format writes for a marker.
func isResultWith(c *view.View, n int32, marker string) bool {
	body := c.T.Parts[n].Body
	if body.Len() > MarkerRoom {
		return false
	}
	value, _ := c.F.ResultBody(nil, c.T, n, marker)
	return bytes.Equal(c.T.Bytes(body), value)
}

// OwnBody reports whether the part at index n is a tool result whose original body is in the transcript. It returns
// false if the result has no call, or if the body is a marker, is stored by the provider, or is still awaited by a tool
// of the provider.
func OwnBody(doc *view.View, n int32) bool {
	p := &doc.T.Parts[n]
	return p.Kind == transcript.ToolResult && !p.Has(transcript.Server|transcript.Removed) &&
		(!p.Has(transcript.Edited) || p.Has(transcript.Squeezed)) &&
		!p.Body.IsZero() && p.Pair >= 0 && !doc.T.AwaitsResult(&doc.T.Parts[p.Pair]) && !Cleared(doc, n)
}

// BeginsMarked reports whether the text of a tool result begins with a marker for removed content.
func BeginsMarked(text string) bool {
	return slices.ContainsFunc(resultMarkers, func(marker string) bool {
		return strings.HasPrefix(text, marker[:len(marker)-1])
	})
}

// foldHandle is the beginning of the line in a digest that gives the handle of the folded messages.
const foldHandle = "Handle of the folded messages: "

// NameFold inserts the handle of the folded messages after the header line in the text of a digest. If handle is "", it
// returns text unchanged.
func NameFold(text, handle string) string {
	if handle == "" {
		return text
	}
	header, rest, _ := strings.Cut(text, "\n")
	return header + "\n" + foldHandle + handle[:Short] + "\n" + rest
}

// listHandle returns the handle of the messages that message m replaces, or "". A message with such a handle is a
// digest, a line that replaces a turn, or a count of dropped messages.
func listHandle(t *transcript.Transcript, m int32) string {
	text := t.Text(t.FirstText(int(m)))
	if handle, _ := FoldHandleOf(text); handle != "" {
		return handle
	}
	before, after, found := strings.Cut(text[:min(len(text), MarkerRoom)], named)
	if !found || len(after) <= Short || after[Short] != ']' || !IsHandle(after[:Short]) {
		return ""
	}
	for _, kind := range authorship.Declared() {
		whole := strings.HasSuffix(kind.Prefix, "]")
		if kind.Lists && (whole && before+"]" == kind.Prefix || !whole && strings.HasPrefix(before, kind.Prefix)) {
			return after[:Short]
		}
	}
	return ""
}

// FoldHandleOf returns the handle in the text of a digest, and the text without the line that contains it. If there is
// no handle, it returns "" and the whole text.
func FoldHandleOf(text string) (handle, rest string) {
	header, rest, _ := strings.Cut(text, "\n")
	after, found := strings.CutPrefix(rest, foldHandle)
	if !found || len(after) < Short || !IsHandle(after[:Short]) {
		return "", text
	}
	return after[:Short], header + after[Short:]
}

// SqueezedHandle splits a squeezed text (a tool result rewritten in fewer tokens) into the handle in its first line and
// the rest. For any other text, it returns "" and the whole text.
func SqueezedHandle(text string) (handle, rest string) {
	line, rest, found := strings.Cut(text, "\n")
	const start = len(SqueezedMarker) - 1 + len(named)
	if !found || len(line) <= start+Short {
		return "", text
	}
	if handle = line[start : start+Short]; !IsHandle(handle) || !strings.HasPrefix(line, WithHandle(SqueezedMarker, handle)) {
		return "", text
	}
	return handle, rest
}

// shortened reports whether the body of the part at index n begins with the marker of a shortened text.
func shortened(c *view.View, n int32) bool {
	b := c.T.Bytes(c.T.Parts[n].Body)
	return len(b) > 1 && b[0] == '"' && slices.ContainsFunc(headMarkers, func(marker string) bool {
		return bytes.HasPrefix(b[1:], []byte(marker[:len(marker)-1]))
	})
}

// TruncatedHandle splits a truncated text into the handle in its first line and the rest. For any other text it returns
// "" and the whole text.
func TruncatedHandle(text string) (handle, rest string) {
	const start = len(TruncatedMarker) - 1 + len(named)
	line, rest, _ := strings.Cut(text, "\n")
	if len(line) != start+Short+1 {
		return "", text
	}
	if handle = line[start : start+Short]; !IsHandle(handle) || line != WithHandle(TruncatedMarker, handle) {
		return "", text
	}
	return handle, rest
}
