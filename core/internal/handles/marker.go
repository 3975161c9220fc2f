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

// The markers left where something was removed. If the host keeps an archive they name the handle of what they replace.
const (
	ClearedMarker    = "[Old tool result content cleared]" // S3.33
	DuplicateMarker  = "[The same as a newer result of this tool]"
	SupersededMarker = "[Superseded by a newer result of the same call]"
	SummaryMarker    = "[Tool output summary]" // the first line of a result that a summary replaces (S4.25)
	ImageMarker      = "[Image removed to make the request smaller]"
	AudioMarker      = "[Audio removed to make the request smaller]"
	FileMarker       = "[File removed to make the request smaller]"
	TruncatedMarker  = "[Truncated]"        // the first line of a shortened text that has a handle
	ExcerptMarker    = digest.ExcerptMarker // the first line of a result that keeps some of its lines
	SqueezedMarker   = "[Squeezed]"         // the beginning of the first line of a squeezed text
)

// Marking is a marker that a pass writes.
type Marking struct {
	Text string // in brackets
	// Follows means that something follows the marker in a tool result; Heads, that it is the first line of a shortened text.
	Follows, Heads bool
}

// The declared markers: those that replace tool results, those of them that something follows, and those that are the first line of a text.
var resultMarkers, summaryMarkers, headMarkers []string

// Declare declares a marker, once. It is called from init.
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

// named precedes the handle in a marker, instead of the closing bracket.
const named = ". Handle: "

// Zeros stands for a handle if only the size of a marker matters.
const Zeros = "0000000000000000"

// WithHandle returns a marker that names a handle; the bare marker if there is none.
func WithHandle(marker, handle string) string {
	if handle == "" {
		return marker
	}
	return marker[:len(marker)-1] + named + handle[:Short] + "]"
}

// Sized returns a marker of about the same size as one that will be written.
func (a *Archive) Sized(marker string) string {
	if a.mode == "" {
		return marker
	}
	return WithHandle(marker, Zeros)
}

// MarkerRoom is how many bytes of a value are searched for a marker: it is at the beginning of a string, with only the
// wire format's own structure before it.
const MarkerRoom = 512

// handleIn returns the leading digits of the handle that one of some markers names, at the beginning of a string in value, JSON.
func handleIn(value []byte, markers ...string) (handle string, found bool) {
	value = value[:min(len(value), MarkerRoom)]
	if len(value) > 0 && value[0] == '"' { // a string either begins with a marker or has none
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

// handleAt returns the handle that one of some markers names at the beginning of text.
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

// MediaMarker is a marker that replaces a part, and the kind of body that it stands for.
type MediaMarker struct {
	Marker string
	What   api.BodyKind
}

// MediaMarkers are the markers that replace parts.
var MediaMarkers = [...]MediaMarker{{ImageMarker, api.BodyImage}, {AudioMarker, api.BodyAudio}, {FileMarker, api.BodyFile}}

// mediaHandle returns the handle that a text, a JSON string, names if it is the marker of a part.
func mediaHandle(text []byte) (handle string, what api.BodyKind) {
	for _, m := range MediaMarkers {
		if h, found := handleIn(text, m.Marker); found {
			return h, m.What
		}
	}
	return "", ""
}

// Placeholder reports whether a text stands for an image, audio or a file.
func Placeholder(c *view.View, n int32) bool {
	body := c.T.Bytes(c.T.Parts[n].Body)
	for _, m := range MediaMarkers {
		if bytes.HasPrefix(body[1:], []byte(m.Marker[:len(m.Marker)-1])) {
			return true
		}
	}
	return false
}

// Cleared reports whether the body of a tool result is already a marker.
func Cleared(c *view.View, n int32) bool {
	p := &c.T.Parts[n]
	if p.Has(transcript.Cleared) {
		return true
	}
	if b := c.T.Bytes(p.Body); len(b) > 1 && b[0] == '"' && b[1] != '[' && b[1] != '\\' {
		return false // no marker begins like this text
	}
	if _, found := handleIn(c.T.Bytes(p.Body), resultMarkers...); found {
		return true
	}
	body := p.Body
	if inner := c.T.Inner(int(n)); len(inner) == 1 && inner[0].Kind == transcript.Text {
		body = inner[0].Body
	}
	for _, marker := range summaryMarkers {
		if at := bytes.Index(c.T.Bytes(body)[:min(body.Len(), len(marker)+1)], []byte(marker)); at == 1 {
			return true
		}
	}
	for _, marker := range resultMarkers {
		if slices.Contains(summaryMarkers, marker) {
			continue
		}
		if c.T.EqualText(body, marker) {
			return true
		}
		if p.Body.Len() > MarkerRoom {
			continue
		}
		if value, _ := c.F.ResultBody(nil, c.T, n, marker); bytes.Equal(c.T.Bytes(p.Body), value) {
			return true
		}
	}
	return false
}

// OwnBody reports whether the part at index n is a tool result with a body of its own: not a marker, not stored by the
// provider, and not awaited by one of the provider's tools.
func OwnBody(doc *view.View, n int32) bool {
	p := &doc.T.Parts[n]
	return p.Kind == transcript.ToolResult && !p.Has(transcript.Server|transcript.Removed) && (!p.Has(transcript.Edited) || p.Has(transcript.Squeezed)) &&
		!p.Body.Zero() && p.Pair >= 0 && !doc.T.Waits(&doc.T.Parts[p.Pair]) && !Cleared(doc, n)
}

// BeginsMarked reports whether the text of a tool result begins with the marker of a removed one.
func BeginsMarked(text string) bool {
	return slices.ContainsFunc(resultMarkers, func(marker string) bool { return strings.HasPrefix(text, marker[:len(marker)-1]) })
}

// foldHandle begins the line of a digest message that names the handle of what was folded.
const foldHandle = "Handle of the folded messages: "

// NameFold adds the handle of the folded messages to the text of a digest message, after its header.
func NameFold(text, handle string) string {
	if handle == "" {
		return text
	}
	header, rest, _ := strings.Cut(text, "\n")
	return header + "\n" + foldHandle + handle[:Short] + "\n" + rest
}

// listHandle returns the handle of the messages that one of our messages replaces: a digest, the line of a turn, or a count of dropped
// messages.
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

// FoldHandleOf splits the handle off the text of a digest message.
func FoldHandleOf(text string) (handle, rest string) {
	header, rest, _ := strings.Cut(text, "\n")
	after, found := strings.CutPrefix(rest, foldHandle)
	if !found || len(after) < Short || !IsHandle(after[:Short]) {
		return "", text
	}
	return after[:Short], header + after[Short:]
}

// SqueezedHandle splits off the line that says that a text was squeezed.
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

// shortened reports whether the body of a part begins with the marker of a shortened text.
func shortened(c *view.View, n int32) bool {
	b := c.T.Bytes(c.T.Parts[n].Body)
	return len(b) > 1 && b[0] == '"' && slices.ContainsFunc(headMarkers, func(marker string) bool {
		return bytes.HasPrefix(b[1:], []byte(marker[:len(marker)-1]))
	})
}

// TruncatedHandle splits off the line of a truncated text that names its handle.
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
