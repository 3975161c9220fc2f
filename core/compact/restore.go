package compact

import (
	"bytes"
	"strconv"

	"github.com/ctxfold/ctxfold/core/archive"
	"github.com/ctxfold/ctxfold/core/critbit"
	"github.com/ctxfold/ctxfold/core/jsonspan"
	"github.com/ctxfold/ctxfold/core/policy"
	"github.com/ctxfold/ctxfold/core/transcript"
)

// Given is a body that the host has kept.
//
//easyjson:json
type Given struct {
	Handle string `json:"handle"` // or its first digits, 16 or more
	Text   string `json:"body"`
}

// Marker is a place of a transcript where a body stood that has a handle.
//
//easyjson:json
type Marker struct {
	Handle  string `json:"handle"` // its first 16 digits
	What    string `json:"what"`   // as of a Body
	Message int    `json:"message"`
}

// HandleMismatch is the code of the error that a body is not the one that its handle names.
const HandleMismatch jsonspan.Code = "handle_mismatch"

// mark is a Marker in the list of items: with the part that holds it, or -1 for the digest of a fold.
type mark struct {
	Marker
	item int
	part int32
}

// markers finds what names a handle.
func (c *Run) markers() (found []mark) {
	for i := range c.Items {
		m := c.Items[i].Msg
		add := func(handle, what string, part int32) {
			found = append(found, mark{Marker{handle, what, int(c.Items[i].In)}, i, part})
		}
		if c.kindOf(m) != notOurs { // what comes back is what the archive has, whoever names it
			if handle := c.listHandle(m); handle != "" {
				add(handle, "fold", -1)
			}
			continue
		}
		msg := &c.T.Messages[m]
		for n := msg.First; n < msg.First+msg.Count; n++ {
			p := &c.T.Parts[n]
			switch {
			case p.Kind == transcript.ToolResult && !p.Body.Zero() && !p.Has(transcript.Removed):
				if handle, ok := handleIn(c.T.Bytes(p.Body), resultMarkers[:]...); ok {
					add(handle, "tool_result", n)
				} else if handle := c.truncated(n); handle != "" {
					add(handle, "tool_result", n)
				}
			case p.Kind == transcript.Text && !p.Has(transcript.Removed) && c.truncated(n) != "":
				add(c.truncated(n), "text", n)
			case p.Kind == transcript.Text && p.Body.Len() < markerRoom:
				if handle, what := mediaHandle(c.T.Bytes(p.Body)); handle != "" {
					add(handle, what, n)
				}
			}
		}
	}
	return found
}

// truncated is the handle that the body of a part names if it is a text that was truncated, or JSON that a text stands for.
func (c *Run) truncated(n int32) string {
	p := &c.T.Parts[n]
	if p.Kind == transcript.ToolResult && !c.T.IsString(p.Body) && len(c.T.Inner(int(n))) == 0 {
		handle, _ := handleIn(c.T.Bytes(p.Body), TruncatedMarker)
		return handle
	}
	if !c.T.IsString(p.Body) || !bytes.HasPrefix(c.T.Bytes(p.Body)[1:], []byte(TruncatedMarker[:len(TruncatedMarker)-1])) {
		return ""
	}
	handle, _ := truncatedHandle(c.T.Text(p.Body))
	return handle
}

// Restore puts bodies back where markers name their handles. Markers are those that are left in the result.
func Restore(in Input, given []Given) (*Run, []Marker, *policy.Error) {
	c := newRun(in)
	var bodies critbit.Map[int]
	for i, g := range given {
		at := "bodies[" + strconv.Itoa(i) + "]"
		if !archive.IsHandle(g.Handle) {
			return nil, nil, &policy.Error{Code: policy.OutOfRange, At: at + ".handle", Message: "a handle has from 16 to 64 hexadecimal digits"}
		}
		if h := archive.Handle([]byte(g.Text)); h[:len(g.Handle)] != g.Handle {
			return nil, nil, &policy.Error{Code: HandleMismatch, At: at, Message: "this is not the body of the handle, which is that of another text"}
		}
		if s := jsonspan.New([]byte(g.Text)); true {
			s.Skip()
			if s.End(); s.Err() != nil {
				return nil, nil, &policy.Error{Code: s.Err().Code, At: at + ".body", Message: "this body is no JSON: " + s.Err().Message}
			}
		}
		bodies.Set(g.Handle[:archive.Short], i)
	}
	all := c.markers()
	left := []Marker{}
	folds := map[int]int{}
	dirty := map[int]int{} // by item: one of the bodies that are put back in it
	for _, m := range all {
		i, found := bodies.Get(m.Handle)
		if !found {
			left = append(left, m.Marker)
			continue
		}
		if m.part < 0 {
			folds[m.item] = i
			continue
		}
		p := &c.T.Parts[m.part]
		old := p.Body
		if m.What != "tool_result" && m.What != "text" { // the placeholder is a part of its own
			old = p.Span
		} else if given[i].Text[0] == '{' && c.T.IsString(old) {
			old = c.wrapper(p)
		}
		c.edits = append(c.edits, edit{p.Msg, old, c.T.Write([]byte(given[i].Text))})
		c.sorted = false
		c.Items[m.item].Dirty = true
		dirty[m.item] = i
	}
	at := func(i int) *policy.Error {
		return &policy.Error{Code: jsonspan.WrongType, At: "bodies[" + strconv.Itoa(i) + "].body", Message: "this body does not fit where its handle is named"}
	}
	for i := range c.Items { // in order, not in that of the map
		body, found := dirty[i]
		if !found {
			continue
		}
		before := c.Total
		m, ok := c.F.AddOne(c.T, c.appendMessage(nil, &c.Items[i]))
		if !ok {
			return nil, nil, at(body)
		}
		c.Items[i].Msg = m
		c.changed(i)
		c.act(Action{Action: "restore", Pass: "restore", Message: int(c.Items[i].In), Tokens: before - c.Total})
		c.Report.Restored++
	}
	if len(folds) > 0 {
		if bad := c.unfold(folds, given); bad >= 0 {
			return nil, nil, at(bad)
		}
	}
	defer c.judge()
	if !c.Changed() {
		return c.unchanged(NothingToRestore), left, nil
	}
	c.finish()
	c.Report.Reason = RestoredBodies
	return c, left, nil
}

// wrapper is the object of a part around its body, a string: formats that say in an object what kind of result it is wrap
// a marker in one, of type "text", in the place of the whole of what stood there. Where there is none it is the body.
func (c *Run) wrapper(p *transcript.Part) transcript.Span {
	found := p.Body
	s := jsonspan.New(c.T.Src).At(p.Span.Start)
	inside := func() bool { // leaves s at the value that holds the body, or behind one that does not
		kind, start := s.Kind(), s.Pos()
		end := s.Skip().End
		if s.Err() != nil || start > p.Body.Start || end < p.Body.End || kind == jsonspan.String {
			return false
		}
		if kind == jsonspan.Object && start > p.Span.Start {
			found = transcript.Span{Start: start, End: end}
		}
		s = s.At(start)
		return true
	}
	for deeper := inside(); deeper; {
		deeper = false
		if s.Kind() == jsonspan.Array {
			for s.Array(); !deeper && s.Elem(); {
				deeper = inside()
			}
			continue
		}
		for s.Object(); !deeper; {
			if _, ok := s.Key(); !ok {
				break
			}
			deeper = inside()
		}
	}
	s = jsonspan.New(c.T.Src).At(found.Start)
	if s.Kind() == jsonspan.Object {
		for s.Object(); ; {
			key, ok := s.Key()
			if !ok {
				break
			}
			if value := s.Skip(); string(key) == "type" && c.T.EqualText(value.Span, "text") {
				return found
			}
		}
	}
	return p.Body
}

// unfold puts the messages of folds back in the place of their digests. It returns the index of a body that is no list of
// messages, or -1.
func (c *Run) unfold(folds map[int]int, given []Given) (bad int) {
	var out []Item
	for i := 0; i < len(c.Items); {
		k, found := folds[i]
		if !found {
			out = append(out, c.Items[i])
			i++
			continue
		}
		c.Total -= c.Items[i].Tokens
		in, before := c.Items[i].In, c.Total
		if n := len(out); n > 0 && c.isTurn(out[n-1].Msg) { // a repair has put it before the digest
			c.Total -= out[n-1].Tokens
			out = out[:n-1]
		}
		i++
		skip := func() { // files and turns that came with the fold
			for i < len(c.Items) && c.isCompanion(c.Items[i].Msg) {
				c.Total -= c.Items[i].Tokens
				i++
			}
		}
		skip()
		body := []byte(given[k].Text)
		s := jsonspan.New(body)
		if s.Kind() != jsonspan.Array {
			return k
		}
		for s.Array(); s.Elem(); {
			kind, start := s.Kind(), s.Pos()
			s.Skip()
			text := body[start:s.Pos()]
			if kind == jsonspan.Object {
				m, ok := c.F.AddOne(c.T, text)
				if !ok {
					return k
				}
				it := Item{Msg: m, In: -1, Tokens: c.P.Message(c.T, int(m))}
				c.Total += it.Tokens
				out = append(out, it)
				continue
			}
			n, err := strconv.Atoi(string(text))
			if err != nil || n < -1 || n == 0 {
				return k
			}
			for ; n != 0 && i < len(c.Items); i++ {
				if skip(); i >= len(c.Items) {
					break
				}
				if n < 0 { // the rest of a message that is back whole
					c.Total -= c.Items[i].Tokens
					n++
					continue
				}
				out = append(out, c.Items[i])
				n--
			}
		}
		if s.Err() != nil {
			return k
		}
		skip()
		c.act(Action{Action: "restore", Pass: "restore", Message: int(in), Tokens: before - c.Total})
		c.Report.Restored++
	}
	c.Items = out
	return -1
}

// isTurn tells whether a message is what a repair lets somebody say so that the roles take turns.
func (c *Run) isTurn(m int32) bool {
	first := c.T.FirstText(int(m))
	return c.T.Messages[m].Count == 1 && (c.T.EqualText(first, turn) || c.T.EqualText(first, opening))
}

// isCompanion tells whether a message came into the transcript with a fold: a restored file, or a turn.
func (c *Run) isCompanion(m int32) bool {
	return c.isTurn(m) || c.T.Messages[m].Role == transcript.User && c.T.StartsWith(int(m), RestoredPrefix)
}
