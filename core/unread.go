package core

import (
	"strconv"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/wire"
)

// unread returns an error if most of a transcript's text is in places that its format doesn't read. A detected format
// must read more than half of all text. A format named by the caller only has to do so within the parts of messages,
// because applications may store other data elsewhere. If another format is certain and reads more, missing a tenth of
// the text is enough for an error. Otherwise it returns nil. named says that the caller has named the format. offset is
// where the error is reported.
func unread(f *wire.Format, t *transcript.Transcript, named bool, offset uint32) *jsonspan.Error {
	if read, missed, beside := f.CoverageFrom(t, 0); readsMost(read, missed, beside, named) {
		return nil
	}
	return misread(f, t, named, offset)
}

// readsMost reports whether a format has read so much of the text that unread needs no closer look. The three numbers
// are in bytes: what the format has read, what it missed within parts, and what it missed elsewhere. The latter doesn't
// count if the policy has named the format.
func readsMost(read, missed, beside int, named bool) bool {
	if named {
		beside = 0
	}
	return missed <= read/minor && missed+beside <= read
}

// unreadSince is like unread, for a session to which messages were appended and whose format has read all earlier ones.
// It examines the whole session again only if the session has doubled since the last time, so that the cost stays
// linear. It returns nil if the format reads enough of it.
func (s *session) unreadSince() *jsonspan.Error {
	read, missed, beside := s.format.CoverageFrom(s.t, s.glanced)
	s.read, s.missed, s.glanced = s.read+read, s.missed+missed, len(s.t.Messages)
	if readsMost(s.read, s.missed, beside, !s.auto) || len(s.t.Src) < 2*s.judged {
		return nil
	}
	s.judged = len(s.t.Src)
	return misread(s.format, s.t, !s.auto, s.t.Outer.Start)
}

// misread examines the transcript more closely for unread. It returns an error, at offset, or nil if the format reads
// enough. named means that the policy has named the format.
func misread(f *wire.Format, t *transcript.Transcript, named bool, offset uint32) *jsonspan.Error {
	c := f.Coverage(t)
	says := "the format \"" + f.Name + "\" reads " + strconv.Itoa(c.Read) +
		" bytes of the text of these messages and misses " + strconv.Itoa(c.MissedBytes())
	if !named {
		if !c.IsDoubtful() {
			return nil
		}
		return &jsonspan.Error{Code: api.CodeUnknownFormat, Offset: int(offset),
			Message: says + ": convert the messages, or set \"format\" in the policy"}
	}
	if c.Lost+c.Foreign <= c.Read/minor {
		return nil
	}
	other := better(f, c, t, offset)
	if e := notHere(other, offset); e != nil {
		return e
	}
	if other != nil {
		return &jsonspan.Error{Code: api.CodeWrongFormat, Offset: int(offset),
			Message: says + "; they look like \"" + other.Name + "\": set that as \"format\" in the policy"}
	}
	if c.IsLossy() {
		return &jsonspan.Error{Code: api.CodeWrongFormat, Offset: int(offset),
			Message: says + ": name another format in the policy, or convert the messages"}
	}
	return nil
}

// minor limits the text that a named format may miss although another format reads it: to 1/minor of what it has read.
const minor = 9

// better returns the format that the messages certainly have, if it reads more than f and misses at most half of what f
// misses; otherwise nil. If this build can only detect that format, it returns it without comparing the two.
func better(f *wire.Format, c wire.Coverage, t *transcript.Transcript, offset uint32) *wire.Format {
	s := jsonspan.New(t.Src)
	found := wire.Detect(s.At(offset))
	other := found.CertainFormat()
	if other == nil || other == f {
		return nil
	}
	if other.IsUnlinked() { // only the whole build can tell how much it reads
		return other
	}
	s = s.At(offset)
	o := other.Read(s)
	if s.Err() != nil {
		return nil
	}
	if r := other.Coverage(o); r.Read <= c.Read || r.MissedBytes() > c.MissedBytes()/2 {
		return nil
	}
	return other
}

// readable reports whether the signs make a format certain that can read the messages at the scanner. It lowers the
// confidence in a format that reads less than half of their text.
func readable(found *wire.Detection, s *jsonspan.Scanner) bool {
	f := found.CertainFormat()
	if f == nil {
		return false
	}
	t := f.Read(s)
	if s.Err() != nil {
		return false // an error says nothing about the format
	}
	if read, missed, beside := f.CoverageFrom(t, 0); missed+beside <= read {
		return true
	}
	c := f.Coverage(t)
	if !c.IsDoubtful() {
		return true
	}
	found.Guesses[0].Confidence *= float64(c.Read) / float64(c.Read+c.MissedBytes())
	return false
}
