package redact

import (
	"unicode/utf8"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// matcher finds many texts in one pass (Aho-Corasick). Its time is linear in the size of the searched text, no matter
// how many texts there are and how they overlap.
type matcher struct {
	nodes []node     // the root is first; empty before the first add
	first [256]int32 // the root's child for each first byte
}

// node is a state of the automaton. The bytes on the path to it are the longest suffix of the input so far that is a
// prefix of one of the texts to find.
type node struct {
	fail   int32 // the state for the longest proper suffix that is a prefix of one of the texts
	longer int32 // this state, or the longest of its suffixes at which one of the texts ends; 0 for none
	text   int32 // the index of the text that ends here, plus one
	depth  int32 // the length of the path to it, in bytes
	child  int32 // its newest child; 0 if it has none
	next   int32 // the next child of the same node
	by     byte  // the byte that leads to it
}

// hit is a place to replace: a half-open range of bytes, and the index of the text whose placeholder is inserted.
type hit struct{ from, to, text int32 }

func (m *matcher) child(at int32, c byte) int32 {
	if at == 0 {
		return m.first[c]
	}
	for n := m.nodes[at].child; n != 0; n = m.nodes[n].next {
		if m.nodes[n].by == c {
			return n
		}
	}
	return 0
}

// add adds text; hits of that text have the given index. If the same text is added twice, it keeps the first index.
func (m *matcher) add(text string, index int) {
	if len(m.nodes) == 0 {
		m.nodes = append(m.nodes, node{})
	}
	at := int32(0)
	for i := 0; i < len(text); i++ {
		n := m.child(at, text[i])
		if n == 0 {
			n = int32(len(m.nodes))
			m.nodes = append(m.nodes, node{depth: m.nodes[at].depth + 1, by: text[i], next: m.nodes[at].child})
			if m.nodes[at].child = n; at == 0 {
				m.first[text[i]] = n
			}
		}
		at = n
	}
	if at != 0 && m.nodes[at].text == 0 {
		m.nodes[at].text = int32(index) + 1
	}
}

// completeLinks completes the automaton. It must be called after the last add and before appendHits.
func (m *matcher) completeLinks() {
	if len(m.nodes) == 0 {
		return
	}
	queue := make([]int32, 1, len(m.nodes))
	for i := 0; i < len(queue); i++ {
		at := queue[i]
		for n := m.nodes[at].child; n != 0; n = m.nodes[n].next {
			if at != 0 {
				m.nodes[n].fail = m.nextState(m.nodes[at].fail, m.nodes[n].by)
			}
			if m.nodes[n].longer = n; m.nodes[n].text == 0 {
				m.nodes[n].longer = m.nodes[m.nodes[n].fail].longer
			}
			queue = append(queue, n)
		}
	}
}

// nextState returns the state that follows state at after byte c.
func (m *matcher) nextState(at int32, c byte) int32 {
	for {
		if n := m.child(at, c); n != 0 || at == 0 {
			return n
		}
		at = m.nodes[at].fail
	}
}

// appendHits appends the places in b where texts occur. Overlapping texts become one place, which gets the placeholder
// of the longest text.
func (m *matcher) appendHits(hits []hit, b []byte) []hit {
	if len(m.nodes) == 0 {
		return hits
	}
	base, at := len(hits), int32(0)
	for i, c := range b {
		if at == 0 {
			at = m.first[c]
		} else {
			at = m.nextState(at, c)
		}
		if at == 0 || m.nodes[at].longer == 0 {
			continue
		}
		n := &m.nodes[m.nodes[at].longer]
		h := hit{int32(i) + 1 - n.depth, int32(i) + 1, n.text - 1}
		longest := n.depth
		for len(hits) > base && hits[len(hits)-1].to > h.from {
			last := hits[len(hits)-1]
			hits = hits[:len(hits)-1]
			if h.from = min(h.from, last.from); last.to-last.from >= longest {
				h.text, longest = last.text, last.to-last.from
			}
		}
		hits = append(hits, h)
	}
	return hits
}

// spellings returns the ways in which JSON libraries may spell text, without the quotes: with the fewest escapes, in
// ASCII only, with HTML characters escaped, and in ASCII with slashes escaped.
func spellings(text string) []string {
	plain := escapeInside(text)
	list := []string{plain}
	for _, as := range [...]func(r rune) bool{
		func(r rune) bool { return r >= utf8.RuneSelf },
		func(r rune) bool { return r == '<' || r == '>' || r == '&' || r == '\u2028' || r == '\u2029' },
	} {
		list = append(list, escapeMore(plain, as, false))
	}
	return append(list, escapeMore(plain, func(r rune) bool { return r >= utf8.RuneSelf }, true))
}

func escapeInside(text string) string {
	quoted := jsonspan.AppendString(nil, text)
	return string(quoted[1 : len(quoted)-1])
}

// escapeMore escapes more characters of text that is already JSON-escaped: those for which the function as returns true
// and, if slashes is set, slashes.
func escapeMore(text string, as func(r rune) bool, slashes bool) string {
	const digits = "0123456789abcdef"
	var out []byte
	unit := func(u rune) {
		out = append(out, '\\', 'u', digits[u>>12&15], digits[u>>8&15], digits[u>>4&15], digits[u&15])
	}
	for _, r := range text {
		switch {
		case slashes && r == '/':
			out = append(out, '\\', '/')
		case !as(r):
			out = utf8.AppendRune(out, r)
		case r >= 0x10000:
			unit(0xd800 + (r-0x10000)>>10)
			unit(0xdc00 + (r-0x10000)&0x3ff)
		default:
			unit(r)
		}
	}
	return string(out)
}
