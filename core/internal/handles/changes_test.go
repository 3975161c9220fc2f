package handles

import "testing"

// Only white space and a comma may separate messages, and a bracket may precede the first one. No other text from a
// body is used.
func TestParseChanges(t *testing.T) {
	for lines, want := range map[string]bool{
		``:                                true,
		`,"space 3 ,"`:                    true,
		`,"space 1 [","space 3 ,\n "`:     true,
		`,"space 2 ["`:                    false,
		`,"space 3 ,","space 1 ["`:        false,
		`,"space 0 ,"`:                    false,
		`,"space -1 ,"`:                   false,
		`,"space 99999999999 ,"`:          false,
		`,"space x ,"`:                    false,
		`,"space 1 ,,"`:                   false,
		`,"space 1 {\"role\":\"user\"},"`: false,
		`,"end ] "`:                       true,
		`,"end ],"`:                       false,
		`,"last 0123456789abcdef"`:        true,
		`,"was 3",{"role":"user"}`:        true,
		`,"was -1",{"role":"user"}`:       false,
		`,"twice 1","keep 0 1"`:           true,
		`,"twice 65"`:                     false,
		`,"last"`:                         false,
		`,"keep 0"`:                       false,
		`,{"role":"user"},"space 1 ,"`:    true,
		`,7`:                              false,
	} {
		body := `["` + changesHeader + `"` + lines + `]`
		if _, ok := parseChanges(body); ok != want {
			t.Errorf("%s: %t", body, ok)
		}
	}
}
