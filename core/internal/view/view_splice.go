package view

import "github.com/ctxfold/ctxfold/core/internal/transcript"

// removals returns the edits that remove the removed parts of a message, each with the comma that would be left over.
// A part is removed together with the bytes up to the next part or, if no later part is kept, with the bytes after
// the previous one.
func (v *View) removals(m int32) []edit {
	var out []edit
	msg := &v.T.Messages[m]
	parts := v.T.PartsOf(int(m))
	if !transcript.AnyHas(parts, transcript.Removed) {
		return nil
	}
	kept := v.laterParts(parts)
	var last [transcript.Lists + 1]neighbour
	for i := range parts {
		p := &parts[i]
		list := listOf(p)
		if list < 0 {
			if e, gone := v.removal(m, msg.First+int32(i)); gone {
				out = append(out, e)
			}
			continue
		}
		if last[list].parent != p.Parent || !last[list].any {
			last[list] = neighbour{parent: p.Parent}
		}
		if p.Has(transcript.Removed) {
			old := p.Span
			if next := kept[i].at; next >= 0 && (kept[i].any || !last[list].kept) {
				old.End = parts[next].Span.Start
			} else if last[list].kept {
				old.Start = parts[last[list].at].Span.End
			}
			out = append(out, edit{msg: m, Old: old})
		}
		last[list].any, last[list].at = true, i
		last[list].kept = last[list].kept || !p.Has(transcript.Removed)
	}
	return out
}

// removal returns the edit that removes part n of message m, which is in no list. gone is false if the part stays, or
// is removed with its message.
func (v *View) removal(m, n int32) (e edit, gone bool) {
	p := &v.T.Parts[n]
	switch {
	case !p.Has(transcript.Removed):
	case p.List == transcript.Member:
		return edit{msg: m, Old: v.Member(p.Span, v.T.Messages[m].Span)}, true
	case p.List == transcript.Emptied:
		return edit{msg: m, Old: v.Original(n), new: v.T.WriteToArena([]byte(`""`))}, true
	}
	return edit{}, false
}

// neighbour describes the parts after a part in its list (see laterParts) or before it. parent is the tool result that
// holds the list, or -1 for a list of the message.
type neighbour struct {
	parent    int32
	any, kept bool // whether a part after it is kept, or before it
	at        int  // the index of the next part of the list, or -1
}

// listOf returns the index of the list that a part belongs to: one of its message's lists, or the list inside a tool
// result; -1 for no list.
func listOf(p *transcript.Part) int {
	if p.Parent >= 0 {
		return transcript.Lists
	}
	return int(max(p.List, -1))
}

// laterParts returns, for each part, the index of the next part in its list (at, or -1) and whether any later part in
// the list is kept (any).
func (v *View) laterParts(parts []transcript.Part) []neighbour {
	out := make([]neighbour, len(parts))
	var next [transcript.Lists + 1]neighbour
	for i := range next {
		next[i] = neighbour{parent: -2, at: -1}
	}
	for i := len(parts) - 1; i >= 0; i-- {
		p := &parts[i]
		list := listOf(p)
		out[i].at = -1
		if list < 0 {
			continue
		}
		if next[list].parent != p.Parent {
			next[list] = neighbour{parent: p.Parent, at: -1}
		}
		out[i] = next[list]
		next[list].at = i
		next[list].any = next[list].any || !p.Has(transcript.Removed)
	}
	return out
}

// Member extends the span p of a member (key and value) of message by the comma after it or, for
// the last member, by the one before it.
func (v *View) Member(p, message transcript.Span) transcript.Span {
	b := v.T.Bytes(message)
	at := func(off uint32) byte { return b[off-message.Start] }
	space := func(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }
	end := p.End
	for space(at(end)) {
		end++
	}
	if at(end) == ',' {
		p.End = end + 1
		return p
	}
	start := p.Start
	for space(at(start - 1)) {
		start--
	}
	if at(start-1) == ',' {
		p.Start = start - 1
	}
	return p
}
