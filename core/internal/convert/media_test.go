package convert

import (
	"encoding/base64"
	"testing"
)

func TestBase64(t *testing.T) {
	for _, text := range []string{"", "a", "ab", "abc", "abcd", "\xff\xfe\xfd\xfc\xfb"} {
		want := base64.StdEncoding.EncodeToString([]byte(text))
		if got := encoded([]byte(text)); got != want {
			t.Errorf("%q: %s, not %s", text, got, want)
		}
		for _, spelled := range []string{want, base64.URLEncoding.EncodeToString([]byte(text)), base64.RawURLEncoding.EncodeToString([]byte(text)), want + "\n"} {
			if got := standard(spelled); got != want {
				t.Errorf("%q becomes %q, not %q", spelled, got, want)
			}
		}
	}
	if got := standard("<left out>"); got != "" {
		t.Errorf("what is no base64 becomes %q", got)
	}
}
