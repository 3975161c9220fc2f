package view

import (
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/wire"
)

// DateNewMessages dates new messages in formats whose store sorts messages by date. A new message gets the newest date
// of the removed input messages at its position. If there is none, it gets the date of the previous message, or else of
// the next one. If input messages have no dates, neither do new ones.
func (v *View) DateNewMessages() {
	if v.F.Stamp == "" {
		return
	}
	next := v.Rest // the next input message after the new ones
	for end := len(v.Items); end > 0; {
		if it := &v.Items[end-1]; it.In >= 0 {
			next = int(it.In)
			end--
			continue
		}
		from := end
		for from > 0 && v.Items[from-1].In < 0 {
			from--
		}
		before := -1
		if from > 0 {
			before = int(v.Items[from-1].In)
		}
		first := before // the first of the messages that may provide a date
		if before+1 < next {
			first++
		}
		for i, at := end-1, next-1; i >= from; i, at = i-1, at-1 {
			v.stamp(&v.Items[i], v.stampNear(max(at, first), next))
		}
		end = from
	}
}

// stampNear returns the date of the input message with index at or, if that has none, the date of the one with index
// next; zero if neither has a date.
func (v *View) stampNear(at, next int) transcript.Span {
	for _, m := range [...]int{at, next} {
		if m < 0 || m >= v.T.Input {
			continue
		}
		if member, value := v.stampOf(int32(m)); !member.IsZero() {
			return value
		}
	}
	return transcript.Span{}
}

// stamp replaces the placeholder date of a new message with the given date, or removes it if the date is zero.
func (v *View) stamp(it *Item, date transcript.Span) {
	member, value := v.stampOf(it.Msg)
	if member.IsZero() || string(v.T.Bytes(value)) != wire.NoStamp {
		return
	}
	if it.Dirty = true; date.IsZero() {
		v.Splice(it.Msg, v.Member(member, v.T.Messages[it.Msg].Span), date)
	} else {
		v.Splice(it.Msg, value, date)
	}
}

// stampOf returns the spans of the member that holds a message's date and of the date itself; both are zero if the
// message has no date. The spans are those of the source.
func (v *View) stampOf(m int32) (member, value transcript.Span) {
	base := v.T.Messages[m].Span.Start
	s := jsonspan.New(v.T.Bytes(v.T.Messages[m].Span))
	for s.Object(); ; {
		key, ok := s.Key()
		if !ok {
			return member, value
		}
		start, match := s.KeyPos(), string(key) == v.F.Stamp
		if val := s.Skip(); match && val.Kind != jsonspan.Null {
			value = transcript.Span{Start: base + val.Start, End: base + val.End}
			return transcript.Span{Start: base + start, End: value.End}, value
		}
	}
}
