package policy

import (
	"strconv"
	"strings"

	"github.com/ctxfold/ctxfold/api"
)

// ThinkingAuto lets the request body and the model's name decide how the model thinks.
const ThinkingAuto = "auto"

// version is the version in the name of a Claude model.
type version struct{ major, minor int }

// lastManual is the newest version that can think only with a budget, and lastBudget the newest version that accepts a
// budget at all.
var (
	lastManual = version{4, 5}
	lastBudget = version{4, 6}
)

func (v version) over(w version) bool {
	return v.major > w.major || v.major == w.major && v.minor > w.minor
}

// ThinkingOf returns how a model thinks: manual, adaptive, or unknown if the model can do both, or if its name isn't
// that of a Claude model with a version. It compares the version in the name, so that it works for future models too.
func ThinkingOf(model string) api.ThinkingMode {
	model = strings.ToLower(model)
	at := strings.Index(model, "claude-")
	if at < 0 || len(model) > 200 {
		return api.ThinkingUnknown
	}
	name := model[at+len("claude-"):]
	if strings.HasPrefix(name, "mythos-preview") {
		return api.ThinkingAdaptive
	}
	v, found := versionIn(name)
	switch {
	case !found || v.over(lastManual) && !v.over(lastBudget):
		return api.ThinkingUnknown
	case v.over(lastManual):
		return api.ThinkingAdaptive
	}
	return api.ThinkingManual
}

// versionIn finds the version in a model's name, before or after the family: 4-5 in opus-4-5-20251101, 3-7 in
// 3-7-sonnet. found is false if there is none.
func versionIn(name string) (v version, found bool) {
	for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return strings.ContainsRune("-.@:/", r) }) {
		n, err := strconv.Atoi(word)
		switch isNumber := err == nil && len(word) <= 2; { // a date has more digits
		case isNumber && !found:
			v.major, found = n, true
		case isNumber:
			v.minor = n
			return v, true
		case found:
			return v, true
		}
	}
	return v, found
}
