package compact

import (
	"bytes"
	"strings"

	"github.com/ctxfold/ctxfold/core/archive"
	"github.com/ctxfold/ctxfold/core/digest"
	"github.com/ctxfold/ctxfold/core/transcript"
)

// The markers that stand where something was. Where the host keeps an archive they name the handle of what they stand for.
const (
	ClearedMarker    = "[Old tool result content cleared]" // S3.33
	DuplicateMarker  = "[The same as a newer result of this tool]"
	SupersededMarker = "[Superseded by a newer result of the same call]"
	SummaryMarker    = "[Tool output summary]" // the first line of a result that a summary stands for (S4.25)
	ImageMarker      = "[Image removed to make the request smaller]"
	AudioMarker      = "[Audio removed to make the request smaller]"
	FileMarker       = "[File removed to make the request smaller]"
	TruncatedMarker  = "[Truncated]" // the first line of a text that was shortened, where it has a handle
)

// resultMarkers are those of tool results; after all but the last nothing follows.
var resultMarkers = [...]string{ClearedMarker, DuplicateMarker, SupersededMarker, SummaryMarker}

// named begins what a marker says of its handle, in the place of the closing bracket.
const named = ". Handle: "

// zeros stands for a handle where only the size of a marker counts.
const zeros = "0000000000000000"

// withHandle is a marker that names a handle; the marker itself where there is none.
func withHandle(marker, handle string) string {
	if handle == "" {
		return marker
	}
	return marker[:len(marker)-1] + named + handle[:archive.Short] + "]"
}

// sized is a marker as it is about as large as one that will be written.
func (c *Run) sized(marker string) string {
	if c.Policy.Archive == "" {
		return marker
	}
	return withHandle(marker, zeros)
}

// markerRoom is how far into a value a marker is looked for, in bytes: it stands at the beginning of a string, with only
// the wire format's own shape before it.
const markerRoom = 512

// handleIn finds the handle that one of some markers names, the first digits of it: a marker at the beginning of a string of
// value, JSON.
func handleIn(value []byte, markers ...string) (handle string, found bool) {
	value = value[:min(len(value), markerRoom)]
	if len(value) > 0 && value[0] == '"' { // a string, at whose beginning a marker is or is not
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

// handleAt is the handle that one of some markers names at the beginning of text.
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
		if ok && len(rest) > archive.Short && rest[archive.Short] == ']' && archive.IsHandle(string(rest[:archive.Short])) {
			return string(rest[:archive.Short]), true
		}
	}
	return "", false
}

type mediaMarker struct{ marker, what string }

// mediaMarkers are the markers of parts, and what they stand for.
var mediaMarkers = [...]mediaMarker{{ImageMarker, "image"}, {AudioMarker, "audio"}, {FileMarker, "file"}}

// mediaHandle finds the handle that a text, a string of JSON, names if it is the marker of a part.
func mediaHandle(text []byte) (handle, what string) {
	for _, m := range mediaMarkers {
		if h, found := handleIn(text, m.marker); found {
			return h, m.what
		}
	}
	return "", ""
}

// placeholder tells whether a text stands for an image, audio or a file.
func (c *View) placeholder(n int32) bool {
	body := c.T.Bytes(c.T.Parts[n].Body)
	for _, m := range mediaMarkers {
		if bytes.HasPrefix(body[1:], []byte(m.marker[:len(m.marker)-1])) {
			return true
		}
	}
	return false
}

// cleared tells whether the body of a tool result is a marker already.
func (c *View) cleared(n int32) bool {
	p := &c.T.Parts[n]
	if p.Has(transcript.Cleared) {
		return true
	}
	if b := c.T.Bytes(p.Body); len(b) > 1 && b[0] == '"' && b[1] != '[' && b[1] != '\\' {
		return false // a text that begins in another way than all markers
	}
	if _, found := handleIn(c.T.Bytes(p.Body), resultMarkers[:]...); found {
		return true
	}
	body := p.Body
	if inner := c.T.Inner(int(n)); len(inner) == 1 && inner[0].Kind == transcript.Text {
		body = inner[0].Body
	}
	if at := bytes.Index(c.T.Bytes(body)[:min(body.Len(), len(SummaryMarker)+1)], []byte(SummaryMarker)); at == 1 {
		return true
	}
	for _, marker := range resultMarkers[:3] {
		if c.T.EqualText(body, marker) {
			return true
		}
		if p.Body.Len() > markerRoom {
			continue
		}
		if value, _ := c.F.ResultBody(nil, c.T, n, marker); bytes.Equal(c.T.Bytes(p.Body), value) {
			return true
		}
	}
	return false
}

// foldHandle begins the line of a digest message that names the handle of what was folded.
const foldHandle = "Handle of the folded messages: "

// nameFold adds the handle of what was folded to the text of a digest message, behind its header.
func nameFold(text, handle string) string {
	if handle == "" {
		return text
	}
	header, rest, _ := strings.Cut(text, "\n")
	return header + "\n" + foldHandle + handle[:archive.Short] + "\n" + rest
}

// listHandle is the handle that a message of ours names of the messages that it stands for: a digest, the line of a turn, or
// the count of what was dropped.
func (c *Run) listHandle(m int32) string {
	text := c.T.Text(c.T.FirstText(int(m)))
	if handle, _ := foldHandleOf(text); handle != "" {
		return handle
	}
	before, after, found := strings.Cut(text[:min(len(text), markerRoom)], named)
	if !found || len(after) <= archive.Short || after[archive.Short] != ']' || !archive.IsHandle(after[:archive.Short]) ||
		before+"]" != digest.LineMarker && before+"]" != digest.LoopMarker && !strings.HasPrefix(before, droppedPrefix) {
		return ""
	}
	return after[:archive.Short]
}

// foldHandleOf takes the handle out of the text of a digest message.
func foldHandleOf(text string) (handle, rest string) {
	header, rest, _ := strings.Cut(text, "\n")
	after, found := strings.CutPrefix(rest, foldHandle)
	if !found || len(after) < archive.Short || !archive.IsHandle(after[:archive.Short]) {
		return "", text
	}
	return after[:archive.Short], header + after[archive.Short:]
}
