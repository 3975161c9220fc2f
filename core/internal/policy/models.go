package policy

import "strings"

//go:generate go run ../../../internal/models

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
// model that is not known. A build for browsers has the window of such builds, where that of its model is larger or not known.
func ModelByName(name string) (Model, bool) {
	name = strings.ToLower(name)
	if len(name) > 200 {
		return Model{}, false
	}
	m, known := published(name)
	if b, ok := build(name); ok && (!known || b.Window < m.Window) {
		return b, true
	}
	return m, known
}

// build finds what a name says about the build: a suffix, which more suffixes may follow, or an owner with its slash. Of several
// the smallest window counts.
func build(name string) (found Model, ok bool) {
	for _, b := range builds {
		if says(name, b.Name) && (!ok || b.Window < found.Window) {
			found, ok = b, true
		}
	}
	return found, ok
}

func says(name, mark string) bool {
	owner := strings.HasSuffix(mark, "/")
	for from := 0; ; {
		i := strings.Index(name[from:], mark)
		if i < 0 {
			return false
		}
		at, end := from+i, from+i+len(mark)
		if owner && (at == 0 || name[at-1] == '/') || !owner && (end == len(name) || strings.IndexByte("-:@", name[end]) >= 0) {
			return true
		}
		from = at + 1
	}
}

// published finds a model as its maker has published it, by its name in lower case.
func published(name string) (Model, bool) {
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
