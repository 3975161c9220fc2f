package wire

import "strings"

// Shape is a known form of messages that no format reads.
type Shape struct {
	Name    string // for people
	Nearest string // the most similar format
	Signs   string // signs that only this shape has, in the form of Signs.Own; one is enough
}

// shapes lists shapes that have been mistaken for a format or occur often. The first shape that matches is used. No
// format may have one of their signs.
var shapes = []Shape{
	{"entries of a session, which open reads", "anthropic", "entry:session"},
	{"messages whose content is an object", "mastra", "content:object"},
}

// findShape returns the shape of the messages and the signs that show it, or nil if it is unknown. evidence has the
// names of these signs.
func (d *detector) findShape() (s *Shape, evidence []string) {
	for i := range shapes {
		for _, sign := range d.seen {
			if sign.shape && hasWord(shapes[i].Signs, sign.name) {
				s, evidence = &shapes[i], append(evidence, sign.name)
			}
		}
		if s != nil {
			return s, evidence
		}
	}
	return nil, nil
}

// strange reports whether an unknown part type is evidence against all formats. Types that applications and tools
// define are not.
func strange(name string) bool {
	return !strings.HasPrefix(name, "tool-") && !strings.HasPrefix(name, "data-") &&
		!strings.HasSuffix(name, "_tool_result")
}

// Shapes returns the known shapes that no format reads.
func Shapes() []Shape { return shapes }
