package policy

import "strings"

//go:generate go run ../../../internal/models

// Model is an entry in the list of known models.
type Model struct {
	// Name is a prefix of the model's name without the provider's own prefix ("anthropic/", "us.anthropic.",
	// "models/"). The model's name ends after it, or continues with a dash, a colon or an at sign. If Name ends with a
	// star, the model's name may continue in any way.
	Name   string
	Window int // context window in tokens
	// Reserve is the part of the window that the provider keeps free for the output, in tokens; 0 means the default
	// reserve.
	Reserve int
}

// longestName is the maximum length, in bytes, of a model's name that is looked up.
const longestName = 200

// ModelByName finds a model by its name in a request. If several names match, the longest one is used. It returns false
// for an unknown model. A model built for browsers has the window that is usual there, unless its own window is
// smaller.
func ModelByName(name string) (Model, bool) {
	name = strings.ToLower(name)
	if len(name) > longestName {
		return Model{}, false
	}
	m, known := published(name)
	if b, ok := build(name); ok && (!known || b.Window < m.Window) {
		return b, true
	}
	return m, known
}

// build finds the window of a model built for browsers by the name of the build: by a suffix, which may be followed by
// other suffixes, or by an owner and a slash. If several match, the smallest window is used. name is in lower case. ok
// is false if no build matches.
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

// published finds a model by the name under which its maker published it. name is in lower case. It returns false if
// the model isn't known.
func published(name string) (Model, bool) {
	for _, m := range models {
		if namesModel(m.Name, name) {
			return m, true
		}
	}
	return Model{}, false
}

// namesModel reports whether a table entry, written like Model.Name, matches the model called name.
func namesModel(entry, name string) bool {
	want, open := strings.CutSuffix(entry, "*")
	for from := 0; ; {
		i := strings.Index(name[from:], want)
		if i < 0 {
			return false
		}
		at := from + i
		end := at + len(want)
		if (at == 0 || strings.IndexByte("./:@", name[at-1]) >= 0) && (open || end == len(name) || strings.IndexByte("-:@", name[end]) >= 0) {
			return true
		}
		from = at + 1
	}
}

// listPrice is a provider's price for a model, in millionths of a US dollar per million tokens. It is the price of
// inputs below the length from which the provider charges more.
type listPrice struct {
	Name                                 string // as Model.Name
	Input, Output, CacheRead, CacheWrite uint32 // prices of input, output, and input that is read from or written to the prompt cache
}

// KnownPrices returns the policy's prices or, if it has none, the list prices of its model in US dollars. It returns
// nil if these are unknown too, or without wire_safe, because the published systems know no models.
func (p *Policy) KnownPrices() *Prices {
	if p.Prices != nil || p.Model == "" || len(p.Model) > longestName || !p.IsWireSafe() {
		return p.Prices
	}
	name := strings.ToLower(p.Model)
	if i := strings.Index(name, "claude"); i >= 0 { // some providers write claude-opus-4.8 for claude-opus-4-8
		name = name[:i] + strings.ReplaceAll(name[i:], ".", "-")
	}
	known, _ := published(name)
	for _, l := range listPrices {
		if !namesModel(l.Name, name) {
			continue
		}
		if len(known.Name) > len(l.Name) && !strings.HasSuffix(known.Name, "*") {
			break // a different model, whose price is unknown
		}
		read, write := float64(l.CacheRead)/1e6, float64(l.CacheWrite)/1e6
		return &Prices{Input: float64(l.Input) / 1e6, Output: float64(l.Output) / 1e6, CacheRead: &read,
			CacheWrite: &write}
	}
	return nil
}

// know sets the policy's window to that of its model, if the policy has none. An unlimited window gets the size 0.
// Without wire_safe it does nothing, because the published systems know no models.
func (p *Policy) know() {
	if p.Window.Unlimited {
		p.Window.Tokens = 0
		return
	}
	if p.Window.Tokens != 0 || p.Model == "" || !p.IsWireSafe() {
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
