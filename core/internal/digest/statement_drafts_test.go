package digest

import "testing"

func TestReviewsOfDraftsAreNoRules(t *testing.T) {
	for _, s := range []string{
		"You are no longer hiding the lamp, you are just setting its size.", "There is no lamp in your drawing, only a description of one.", "PyLamp has no attribute 'setWick'.",
		"(Lotte can't make it on Thursday, she looks at the lamp on Friday.)", "From here on come questions about the kiln.",
	} {
		if got := statements(s, new(readRoom)); len(got) > 0 {
			t.Errorf("a remark is listed as a rule: %q", got)
		}
	}
	for _, s := range []string{
		"You are not using metres, please do so from now on.", "From here on, use metres only.", "Lotte can't read small print, so use a large font.",
	} {
		if got := statements(s, new(readRoom)); len(got) != 1 {
			t.Errorf("%q isn't listed as a rule: %q", s, got)
		}
	}
}
