package digest

import (
	"bytes"
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/dates"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// largeMessage is the maximum size of a message that is searched for its author and time, in bytes of JSON.
const largeMessage = 1 << 16

// author holds the metadata of a message that is outside its content.
type author struct {
	day  dates.Date // zero if the message has no date
	name string     // the author's name
}

// writtenBy returns the author and the time of message i, which are in its members or in its metadata.
func writtenBy(t *transcript.Transcript, i int) (w author) {
	src := t.Bytes(t.Messages[i].Span)
	if len(src) > 0 && len(src) <= largeMessage && src[0] == '{' {
		w.read(jsonspan.New(src), "metadata")
	}
	return w
}

// read reads the author and the time from an object, and from the object in its member inner.
func (w *author) read(s *jsonspan.Scanner, inner string) {
	for key := range s.Members {
		kind := s.Kind()
		switch {
		case dates.IsKey(key):
			start := s.Pos()
			if s.Skip(); s.Err() == nil {
				w.day = max(w.day, dates.DateOfValue(bytes.TrimSpace(s.Src()[start:s.Pos()])))
			}
		case kind == jsonspan.String && string(key) == "name":
			if name := s.Text(); s.Err() == nil && name.Len() <= longestName {
				w.name = strings.ReplaceAll(Fence(clipLine(jsonspan.Text(s.Src(), name.Span), longestName)), ":", "")
			}
		case inner != "" && string(key) == inner && kind == jsonspan.Object:
			w.read(s, "")
		default:
			s.Skip()
		}
	}
}

// longestName is the maximum length of a speaker's name, in bytes.
const longestName = 32

// speakerNames returns the names with which the user's and the assistant's messages begin. The assistant's messages can
// only begin with the assistant's name, so the user's name and the names of roles don't count there.
func speakerNames(t *transcript.Transcript, messages []int32) (names [2][]string) {
	for side, role := range []transcript.Role{transcript.User, transcript.Assistant} {
		names[side] = slices.DeleteFunc(labelsOf(t, messages, role), func(name string) bool {
			return isRole(name) || side == 1 && slices.ContainsFunc(names[0], func(user string) bool { return strings.EqualFold(user, name) })
		})
	}
	return names
}

// isBetweenPeople reports whether messages are a conversation between people: on both sides, most of them begin with a
// name. People advise and encourage each other; they don't instruct a model.
func isBetweenPeople(t *transcript.Transcript, messages []int32) bool {
	names := speakerNames(t, messages)
	return len(names[0]) > 0 && len(names[1]) > 0
}

// isRole reports whether a name is the label of a role.
func isRole(name string) bool {
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "user", "assistant", "system", "tool":
		return true
	}
	return false
}

// mostLabelled is the number of messages of a role that are searched for names. mostNames is the maximum number of
// names to find.
const (
	mostLabelled = 64
	mostNames    = 16
)

// labelsOf returns the names with which at least two messages of a role begin ("Anna: …"). It
// returns nil if most messages of the role don't begin with such a name.
func labelsOf(t *transcript.Transcript, messages []int32, role transcript.Role) (names []string) {
	var counts []int
	all, with := 0, 0
	for _, i := range messages {
		if t.Messages[i].Role != role || t.Messages[i].Count == 0 {
			continue
		}
		if all++; all > mostLabelled {
			break
		}
		head := t.Text(t.FirstText(int(i)))
		if found, size := dates.Header(head); found.Date != 0 {
			head = head[size:]
		}
		name, _ := spokenLabel(head)
		if name == "" || strings.ContainsAny(name, "\n.,!?*#，。！？") || strings.Count(name, " ") > 2 {
			continue
		}
		name = Fence(name)
		at := slices.Index(names, name)
		switch {
		case at >= 0:
			counts[at]++
		case len(names) < mostNames:
			names, counts = append(names, name), append(counts, 1)
		}
	}
	n := 0
	for at, name := range names {
		if counts[at] > 1 {
			names[n], with = name, with+counts[at]
			n++
		}
	}
	if with*2 <= min(all, mostLabelled) {
		return nil
	}
	return names[:n]
}

// labelMark ends a speaker's label in a message and in a line of a digest.
const labelMark = ": "

// wideLabelMark ends a speaker's label in messages in scripts that have wide punctuation.
const wideLabelMark = "："

// spokenLabel splits a message that begins with a name and a colon. It returns the name, and the text after the colon.
// Without a name, it returns "" and text.
func spokenLabel(text string) (name, rest string) {
	if at := labelEnd(text); at > 0 {
		return text[:at], text[at+len(labelMark):]
	}
	if at := strings.Index(text[:min(len(text), longestName+len(wideLabelMark))], wideLabelMark); at > 0 {
		return text[:at], text[at+len(wideLabelMark):]
	}
	return "", text
}

// labelEnd returns the length, in bytes, of the label at the beginning of text, or of what looks like a label. It
// returns 0 if there is none.
func labelEnd(text string) int {
	return max(strings.Index(text[:min(len(text), longestName+len(labelMark))], labelMark), 0)
}
