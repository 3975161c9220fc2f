package wire

import (
	"strings"
	"sync"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
)

// Signs distinguish a format from the others. Each field is a list of words, separated by spaces. A sign that messages
// show but that isn't among a format's signs counts against the format; a sign in Own counts for it.
type Signs struct {
	Roles string // the roles that messages may have
	Keys  string // the keys of messages
	Types string // the types of parts
	Items string // the types of messages, if they have any
	// Apps lists types of parts that applications have added and that they translate themselves. They aren't signs of
	// the format.
	Apps string
	// Content lists the JSON types that a message's content may have; objects have several words (see readBlock). ""
	// allows every type except objects.
	Content string
	// Also lists signs that other formats own and that count neither for nor against this format.
	Also string
	// Decisive lists those signs in Own that no other format shows, so that one of them ends the search; "" means all
	// of Own.
	Decisive string
	// Shy means that messages without a sign of Own are attributed to another format if one is possible. Only if there
	// is none is this format a guess.
	Shy bool
	// Closed means that applications can't add types of parts: a type of another format rules this format out.
	Closed bool
	// Own lists the signs that count for the format, by kind and name: role:…, key:…, type:…, part:… (a key of a part),
	// body:… (a key of a request body), model:… (the beginning of the model's name) and others that detection knows.
	Own string
}

// sign is a feature of messages, with the formats that it distinguishes.
type sign struct {
	name     string    // its kind, a colon and a word, such as key:tool_calls
	known    bool      // whether a format or a shape has it; the other signs are ignored
	shape    bool      // whether a shape has it that no format reads
	shown    formatSet // the formats that may show it
	owned    formatSet // those that list it in Own
	decisive formatSet // those that it identifies beyond doubt
}

// signs contains signs by name.
type signs struct{ critbit.Map[*sign] }

// vocabulary returns all signs of formats and shapes. It is built on first use, because data that exists when the
// program starts becomes part of the module. Detection rates all formats after each new sign; thanks to the vocabulary,
// it only compares bits.
var vocabulary = sync.OnceValue(func() *signs {
	all := new(signs)
	for _, f := range formats {
		all.ofFormat(f)
	}
	for _, s := range shapes {
		for _, name := range strings.Fields(s.Signs) {
			sign := all.learn(name)
			sign.known, sign.shape = true, true
		}
	}
	return all
})

// formatSet is a set of formats, with a bit for each by its number. There are at most 64 formats.
type formatSet uint64

func (s formatSet) has(f *Format) bool { return s>>f.number&1 == 1 }

func (s *formatSet) add(f *Format) { *s |= 1 << f.number }

// learn returns the sign with the given name, and adds it if it is missing.
func (all *signs) learn(name string) *sign {
	s := all.At(name)
	if *s == nil {
		*s = &sign{name: name}
	}
	return *s
}

// ofFormat adds the signs of format f, and records that they show it.
func (all *signs) ofFormat(f *Format) {
	show := func(prefix, words string) {
		for _, word := range strings.Fields(words) {
			s := all.learn(prefix + word)
			s.known = true
			s.shown.add(f)
		}
	}
	show("role:", f.Signs.Roles)
	show("key:", f.Signs.Keys)
	show("type:", f.Signs.Types)
	show("item:", f.Signs.Items)
	show("list:", f.List)
	content := f.Signs.Content
	if content == "" {
		content = "string list other"
	}
	show("content:", content)
	for _, name := range strings.Fields(f.Signs.Own) {
		s := all.learn(name)
		s.known = true
		s.owned.add(f)
		if f.Signs.Decisive == "" || hasWord(f.Signs.Decisive, name) {
			s.decisive.add(f)
		}
		if kind := s.kind(); kind == "type" || !listedKind(kind) {
			s.shown.add(f)
		}
	}
	for _, name := range strings.Fields(f.Signs.Also) {
		if s := all.learn(name); !listedKind(s.kind()) { // it is known only if another format has it
			s.shown.add(f)
		}
	}
}

// kind returns the part of the name before the colon.
func (s *sign) kind() string {
	kind, _, _ := strings.Cut(s.name, ":")
	return kind
}

// listedKind reports whether Signs has separate lists for the signs of a kind that a format may show. Signs of such a
// kind in Own, except types, and in Also don't count as shown.
func listedKind(kind string) bool { return hasWord("role key type item list content", kind) }

// HasSign reports whether the format may show a sign.
func (f *Format) HasSign(name string) bool {
	s, found := vocabulary().Get(name)
	return found && s.shown.has(f)
}

// hasWord reports whether a list of words, which are separated by single spaces, contains w. It allocates nothing.
func hasWord(list, w string) bool {
	for list != "" {
		var first string
		if first, list, _ = strings.Cut(list, " "); first == w {
			return true
		}
	}
	return false
}
