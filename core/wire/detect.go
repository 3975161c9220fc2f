package wire

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/jsonspan"
)

// Signs tell a format from the others. Each is a list of words, separated by spaces. A sign that some format names and
// this one does not speaks against this one; a sign in Own speaks for it.
type Signs struct {
	Roles string // the roles that messages may have
	Keys  string // the keys of messages
	Types string // the types of parts
	Items string // the types of messages, where they have one
	Own   string // role:…, key:…, type:…, item:…, part:… (a key of a part), list:…, body:… (keys of a request body) or model:… (how its name begins)
}

// Guess is a format that a transcript may be in.
type Guess struct {
	Format     *Format
	Confidence float64  // 0 to 1; all guesses together make 1
	Evidence   []string // the format's own signs that were seen
}

// Detect looks at the transcript that stands at s, a list or a request body, and tells in which formats it may be, the
// likeliest first. It is a guess only: reading tells whether the transcript really is in a format.
func Detect(s *jsonspan.Scanner) []Guess {
	d := &detector{Scanner: s}
	switch d.Kind() {
	case jsonspan.Array:
		d.list()
	case jsonspan.Object:
		d.body()
	default:
		d.Skip()
	}
	if d.Err() != nil {
		return nil
	}
	return d.guesses()
}

type detector struct {
	*jsonspan.Scanner
	seen []string
	done bool // one format is left, and has shown signs of its own
}

// note records a sign that at least one format knows. The set is small: it is bounded by what formats name.
func (d *detector) note(kind string, name []byte) {
	if len(name) > 64 {
		return
	}
	sign := kind + ":" + string(name)
	for _, s := range d.seen {
		if s == sign {
			return
		}
	}
	for _, f := range formats {
		if f.knows(sign) {
			d.seen = append(d.seen, sign)
			if strings.HasPrefix(sign, "key:") || strings.HasPrefix(sign, "type:") || strings.HasPrefix(sign, "part:") ||
				strings.HasPrefix(sign, "item:") {
				g := d.guesses()
				d.done = len(g) == 1 && len(g[0].Evidence) > 0
			}
			return
		}
	}
}

func (d *detector) body() {
	for d.Object(); ; {
		name, ok := d.Key()
		if !ok {
			return
		}
		d.note("body", name)
		switch {
		case string(name) == "model" && d.Kind() == jsonspan.String:
			model := jsonspan.Text(d.Src(), d.Text().Span)
			model = model[strings.LastIndexByte(model, '/')+1:]
			for _, f := range formats {
				for _, own := range strings.Fields(f.Signs.Own) {
					if p, ok := strings.CutPrefix(own, "model:"); ok && strings.HasPrefix(model, p) {
						d.note("model", []byte(p))
					}
				}
			}
		case d.Kind() == jsonspan.Array && ListKey(string(name)):
			d.note("list", name)
			if d.list(); d.done {
				return
			}
		case d.Kind() == jsonspan.String && ListKey(string(name)):
			d.note("list", name)
			d.Skip()
		default:
			d.Skip()
		}
	}
}

// ListKey tells whether request bodies of a format hold their messages under a key.
func ListKey(name string) bool {
	for _, f := range formats {
		if f.List == name {
			return true
		}
	}
	return false
}

func (d *detector) list() {
	for d.Array(); !d.done && d.Elem(); {
		if d.Kind() == jsonspan.Object {
			d.message("")
		} else {
			d.Skip()
		}
	}
}

// partLists are the keys of messages that hold parts.
var partLists = []string{"content", "parts", "tool_calls", "summary", "output"}

// message notes the signs of a message or, where list is the key of a list in it, of a part in that.
func (d *detector) message(list string) {
	top, typed := list == "", false
	for d.Object(); ; {
		name, ok := d.Key()
		if !ok {
			if list == "parts" && !typed {
				d.note("part", []byte("untyped"))
			}
			return
		}
		kind := d.Kind()
		typed = typed || string(name) == "type"
		switch {
		case kind == jsonspan.String && (string(name) == "role" || string(name) == "type"):
			v := d.Text()
			if v.Len() > 66 {
				continue
			}
			value := jsonspan.AppendText(nil, d.Src(), v.Span)
			if string(name) == "role" && top {
				d.note("role", value)
			} else if string(name) == "type" && top {
				d.note("item", value)
			} else if string(name) == "type" {
				d.note("type", value)
			}
			continue
		case top:
			d.note("key", name)
		default:
			d.note("part", name)
		}
		if n := index(partLists, name); top && kind == jsonspan.Array && n >= 0 {
			for d.Array(); d.Elem(); {
				if d.Kind() == jsonspan.Object {
					d.message(partLists[n])
				} else {
					d.Skip()
				}
			}
			continue
		}
		d.Skip()
	}
}

// knows tells whether a sign is one that the format names.
func (f *Format) knows(sign string) bool {
	kind, name, _ := strings.Cut(sign, ":")
	switch kind {
	case "role":
		return word(f.Signs.Roles, name)
	case "key":
		return word(f.Signs.Keys, name)
	case "type":
		return word(f.Signs.Types, name) || word(f.Signs.Own, sign)
	case "item":
		return word(f.Signs.Items, name)
	case "list":
		return f.List == name
	}
	return word(f.Signs.Own, sign)
}

func word(list, w string) bool {
	for _, x := range strings.Fields(list) {
		if x == w {
			return true
		}
	}
	return false
}

func (d *detector) guesses() []Guess {
	guesses := d.weigh(0)
	if len(guesses) == 0 {
		// Applications add parts of their own to a format; the one that is contradicted least is meant.
		guesses = d.weigh(1. / 16)
	}
	return guesses
}

// weigh rates the formats. A type of parts that a format does not know takes its confidence down to a fraction, doubt; any
// other sign rules it out.
func (d *detector) weigh(doubt float64) []Guess {
	var guesses []Guess
	total := 0.0
	for _, f := range formats {
		g := Guess{Format: f, Confidence: 1}
		factor := 1.0
		for _, sign := range d.seen {
			kind, _, _ := strings.Cut(sign, ":")
			switch {
			case word(f.Signs.Own, sign):
				g.Evidence = append(g.Evidence, sign)
				g.Confidence += 4
			case f.knows(sign):
			case kind == "body" || kind == "model":
				factor /= 4 // a gateway may take any model's name
			case kind == "type":
				factor *= doubt
			default:
				factor = 0
			}
		}
		g.Confidence *= factor
		if g.Confidence > 0 {
			total += g.Confidence
			guesses = append(guesses, g)
		}
	}
	if len(guesses) == 1 && len(guesses[0].Evidence) == 0 && !d.rare() {
		total *= 2 // nothing speaks against it, but nothing for it either
	}
	for i := range guesses {
		guesses[i].Confidence /= total
	}
	for i := 1; i < len(guesses); i++ { // stable, by confidence; there are few
		for j := i; j > 0 && guesses[j].Confidence > guesses[j-1].Confidence; j-- {
			guesses[j], guesses[j-1] = guesses[j-1], guesses[j]
		}
	}
	return guesses
}

// rare tells whether a sign was seen that at most two formats know.
func (d *detector) rare() bool {
	for _, sign := range d.seen {
		n := 0
		for _, f := range formats {
			if f.knows(sign) {
				n++
			}
		}
		if n <= 2 {
			return true
		}
	}
	return false
}

// Sure is the confidence from which a guess is taken without asking.
const Sure = 0.75
