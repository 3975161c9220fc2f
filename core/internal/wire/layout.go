//go:build !ctxfold_no_formats

package wire

import (
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// layout describes a format whose messages consist of a role and a list of parts. The formats of many SDKs differ only
// in what this type describes, so each of them is a table, and one reader reads them all.
type layout struct {
	message []string   // the members of a message: its role, its content, and others that end reads
	roles   []roleName // its roles
	text    bool       // the content may be a string
	single  bool       // the content may be one part, which then is in no list; it can't be a string then
	// tag is the member that names the type of a part. If it is "", a part has a single member, whose name is the
	// type and whose value is the part's text or an object with the part's members.
	tag     string
	members []string  // the members of a part; member 0 is the tag or, if a part has a single member, its value
	parts   partForms // the types of parts; others are opaque
	// within reads a member that is an object or a list. It returns false for a member that it doesn't know. within
	// may be nil.
	within func(r *Reader, p *transcript.Part, key int) bool
	// neighbours lists the members next to the one that holds a part. within reads them, with keys that follow those of
	// members.
	neighbours []string
	// own reads a part instead of the layout, for formats whose parts can't be fully described by this table. It may
	// be nil.
	own func(r *Reader, l *layout)
	// end completes a message from its members f; first is the index of its first part. It may be nil.
	end  func(r *Reader, m *transcript.Message, f *frame, first int)
	keys []string // the keys of a part: the tag and the members, or the types and their neighbours
}

// reader returns a function that reads messages with this layout, for Format.ReadMessage.
func (l *layout) reader() func(r *Reader, m *transcript.Message) {
	if l.keys = l.members; l.tag == "" {
		l.keys = nil
		for _, form := range l.parts {
			l.keys = append(l.keys, form.name)
		}
		l.keys = append(l.keys, l.neighbours...)
	}
	return l.read
}

// read reads a message of a format with this layout. The parts are added to r.T.
func (l *layout) read(r *Reader, m *transcript.Message) {
	first := len(r.T.Parts)
	fp, _ := r.fields(l.message, func(r *Reader, key int, _ *frame) bool {
		switch kind := r.Kind(); {
		case key == 1 && kind == jsonspan.Array:
			m.Lists[transcript.ContentList] = r.list(l.item)
		case key == 1 && l.single:
			l.part(r, transcript.NoList, -1)
		default:
			return false
		}
		return true
	})
	f := *fp
	role, content := f[0], f[1]
	r.setRole(m, &role, l.roles)
	other, or := jsonspan.Array, ""
	switch {
	case l.text:
		other, or = jsonspan.String, "a string or "
	case l.single:
		other, or = jsonspan.Object, "a part or "
	}
	r.wantKind(&content, other, jsonspan.Array, "\""+l.message[1]+"\" must be "+or+"a list of parts")
	m.Content = content.Span
	if content.Str() {
		r.Add(wholePart(transcript.Text, &content))
	}
	if l.end != nil && r.Err() == nil {
		l.end(r, m, &f, first)
	}
}

// item reads a part in the list of a message. It is added to r.T.
func (l *layout) item(r *Reader) {
	if l.own != nil {
		l.own(r, l)
		return
	}
	l.part(r, transcript.ContentList, -1)
}

// part reads a part of a list. parent is the part index of the result that contains it, or -1.
func (l *layout) part(r *Reader, list int8, parent int32) {
	p := transcript.Part{Kind: transcript.Opaque, List: list, Parent: parent}
	if l.tag != "" {
		l.tagged(r, p)
		return
	}
	self, form := -1, (*partForm)(nil)
	f, size := r.object(&p, "a part", l.keys, func(r *Reader, key int, _ *frame) bool {
		if key >= len(l.parts) {
			return l.within != nil && l.within(r, &p, len(l.members)+key-len(l.parts))
		}
		if form != nil || r.Kind() != jsonspan.Object || l.parts[key].body == 0 {
			return false
		}
		form = &l.parts[key]
		f, size := r.fields(l.members, l.inner(&p, form, &self))
		p.Size = size
		form.fill(r, &p, f)
		return true
	})
	for k := 0; form == nil && k < len(l.parts); k++ {
		if l.parts[k].body == 0 && f[k].Str() {
			form = &l.parts[k]
			f[k].setText(&p, form.kind)
			p.Flags |= form.flags
		}
	}
	if form == nil {
		p.Size = size
	}
	r.addReserved(self, p)
}

// inner returns the function that reads the members of a part whose type is known. If the part is a result that
// contains parts, *self becomes its index, because those parts must follow it. The function returns false for members
// that it doesn't read.
func (l *layout) inner(p *transcript.Part, form *partForm, self *int) func(r *Reader, key int, f *frame) bool {
	return func(r *Reader, key int, _ *frame) bool {
		if key == int(form.inner) && key > 0 && p.Parent < 0 && r.Kind() == jsonspan.Array {
			if *self < 0 {
				*self = r.Add(*p)
			}
			r.list(func(r *Reader) { l.part(r, transcript.ContentList, int32(*self)) })
			return true
		}
		return l.within != nil && l.within(r, p, key)
	}
}

// tagged reads a part that has its type in a member. Most writers put the type first; if it comes later, a list of
// parts is read a second time.
func (l *layout) tagged(r *Reader, p transcript.Part) {
	self, form := -1, l.parts.named(r.leadingType(l.tag))
	f, size := r.object(&p, "a part", l.keys, func(r *Reader, key int, f *frame) bool {
		if form == nil {
			form = l.parts.named(r.shortText(&f[0]))
		}
		return form != nil && l.inner(&p, form, &self)(r, key, f)
	})
	p.Size = size
	members := *f
	if form == nil {
		if form = l.parts.named(r.shortText(&members[0])); form != nil {
			l.late(r, &p, form, &members, &self)
		}
	}
	if form != nil {
		form.fill(r, &p, &members)
	}
	r.addReserved(self, p)
}

// late reads the members of a part that are objects or lists, once the type of the part is known.
func (l *layout) late(r *Reader, p *transcript.Part, form *partForm, f *frame, self *int) {
	for key := range l.members {
		if kind := f[key].Kind; kind == jsonspan.Object || kind == jsonspan.Array {
			r.readAgain(&f[key], func(r *Reader) {
				if l.inner(p, form, self)(r, key, f) {
					f[key].Size = jsonspan.Measure{} // its parts have the size
				}
			})
		}
	}
}
