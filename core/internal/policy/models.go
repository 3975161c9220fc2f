package policy

import "strings"

//go:generate go run ../../../internal/models

// Model is an entry of the list of models.
type Model struct {
	// Name is a prefix of the model's name without the provider's own prefix ("anthropic/", "us.anthropic.",
	// "models/"). The model's name ends after it, or continues with a dash or colon. If Name ends with a star, the
	// model's name may continue in any way.
	Name   string
	Window int // context window in tokens
	// Reserve is how much of the window the provider keeps free for the output, in tokens; 0 means the default reserve.
	Reserve int
}

// ModelByName finds a model by its name in a request. The longest matching Name counts. Nothing is assumed about
// unknown models. A build for browsers has the window that such builds usually have if its model's window is larger
// or unknown.
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

// build finds the window of a browser build by the build's name: by a suffix, which other suffixes may follow, or by
// an owner and a slash. If several match, the smallest window counts.
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

// published finds a model by the name that its maker published. name is in lower case.
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

// know sets the window of the policy's model, if the policy has none. An unlimited window has no tokens. Without
// wire_safe it does nothing, because the published systems know no models.
func (p *Policy) know() {
	if p.Window.Unlimited {
		p.Window.Tokens = 0
		return
	}
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
