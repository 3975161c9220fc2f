package policy

import "strings"

//go:generate go run ../../internal/models

// Model is what is known of a model.
type Model struct {
	// Name is what the model's name begins with, behind what tells the provider ("anthropic/", "us.anthropic.", "models/"). It
	// ends there, or goes on with a dash or colon; behind a star it may go on in any way.
	Name   string
	Window int // context window, tokens
	// Reserve is how much of it the provider keeps for the answer, tokens; 0 is that the usual reserve will do.
	Reserve int
}

// ModelByName finds a model by the name that a request gives it. The longest Name that fits counts; nothing is assumed of a
// model that is not known.
func ModelByName(name string) (Model, bool) {
	name = strings.ToLower(name)
	if len(name) > 200 {
		return Model{}, false
	}
	for _, m := range models {
		want, open := strings.CutSuffix(m.Name, "*")
		for from := 0; ; {
			i := strings.Index(name[from:], want)
			if i < 0 {
				break
			}
			at := from + i
			end := at + len(want)
			if (at == 0 || strings.IndexByte("./:@", name[at-1]) >= 0) && (open || end == len(name) || strings.IndexByte("-:@", name[end]) >= 0) {
				return m, true
			}
			from = at + 1
		}
	}
	return Model{}, false
}

// know fills in the window of the model that the policy names, where it tells no window itself. With wire_safe off a policy
// is as published, and the published systems know no models.
func (p *Policy) know() {
	if p.Window.Tokens != 0 || p.Model == "" || !p.Safe() {
		return
	}
	m, ok := ModelByName(p.Model)
	if !ok {
		return
	}
	p.Window.Tokens = m.Window
	if p.Window.Reserve == nil && m.Reserve > 0 {
		p.Window.Reserve = &m.Reserve
	}
}
