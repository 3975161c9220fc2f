package wire

import "strings"

// Shape is a known shape of messages that no format reads.
type Shape struct {
	Name    string // for people
	Nearest string // the most similar format
	Signs   string // signs that only this shape has, in the form of Signs.Own; one is enough
}

// shapes are shapes that have been mistaken for a format or occur often. The first match wins. No format may have one
// of their signs.
var shapes = []Shape{
	{"entries of a session, which open reads", "anthropic", "key:parent_tool_use_id key:parentUuid"},
	{"messages whose content is an object", "mastra", "content:object"},
}

func init() {
	for _, s := range shapes {
		learn("", s.Signs)
	}
}

func (s *Shape) has(sign string) bool { return word(s.Signs, sign) }

// shape returns the shape that the signs show, and the signs that show it; nil if there is none.
func (d *detector) shape() (s *Shape, evidence []string) {
	for i := range shapes {
		for _, sign := range d.seen {
			if shapes[i].has(sign) {
				s, evidence = &shapes[i], append(evidence, sign)
			}
		}
		if s != nil {
			return s, evidence
		}
	}
	return nil, nil
}

// listed reports whether a shape names a sign.
func listed(sign string) bool {
	for i := range shapes {
		if shapes[i].has(sign) {
			return true
		}
	}
	return false
}

// strange reports whether an unknown part type counts against all formats. Types that applications or tools define
// don't.
func strange(name string) bool {
	return !strings.HasPrefix(name, "tool-") && !strings.HasPrefix(name, "data-") && !strings.HasSuffix(name, "_tool_result")
}

// Shapes returns the shapes that no format reads.
func Shapes() []Shape { return shapes }
