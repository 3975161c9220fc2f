package jsonspan

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestUTF8 reads strings with all first and second bytes, in characters of two to four bytes, and compares validity,
// characters and UTF-16 units with those of Go's decoder. A valid string without its closing quote is truncated.
func TestUTF8(t *testing.T) {
	for _, tail := range []string{"", "\x80", "\xbf", "\x80\x80", "\xbf\xbf", "\x80\x41", "\x41\x80", "\x80\x80\x80"} {
		for first := 0x80; first < 0x100; first++ {
			for second := range 0x100 {
				if second == '"' || second == '\\' || second < ' ' {
					continue
				}
				for _, end := range []string{"", " and more text behind it"} { // near the end of the source, and far from it
					text := string([]byte{byte(first), byte(second)}) + tail + end
					s := New([]byte(`"` + text + `"`))
					r := s.Text()
					if valid := utf8.ValidString(text); valid != (s.Err() == nil) {
						t.Fatalf("% x: valid %v, error %v", text, valid, s.Err())
					} else if !valid {
						continue
					}
					cut := New([]byte(`"` + text))
					if cut.Text(); cut.Err() == nil || cut.Err().Code != TruncatedJSON {
						t.Fatalf("% x without a quote behind it: %v", text, cut.Err())
					}
					units := 0
					for _, c := range text {
						units += utf8.RuneLen(c) / 4
					}
					runes := utf8.RuneCountInString(text)
					if r.Bytes != uint32(len(text)) || r.Runes != uint32(runes) || r.UTF16 != uint32(runes+units) {
						t.Fatalf("% x: %+v", text, r.Measure)
					}
				}
			}
		}
	}
}

// TestAppendText compares decoded strings with those of encoding/json, with escapes at every offset of an 8-byte word.
func TestAppendText(t *testing.T) {
	pieces := []string{`\n`, `\"`, `\\`, `\/`, `\u0041`, `\ud83d\ude00`, `é`, `日`, `abcdefg`, `\t\t\t`, ``, `\u000a`, `0123456789abcdef`}
	for pad := range 18 {
		for _, a := range pieces {
			for _, b := range pieces {
				src := []byte(`"` + strings.Repeat("x", pad) + a + b + strings.Repeat("y", 17-pad) + b + `"`)
				var want string
				if err := json.Unmarshal(src, &want); err != nil {
					t.Fatal(err)
				}
				if got := string(AppendText([]byte("before "), src, Span{0, uint32(len(src))})); got != "before "+want {
					t.Fatalf("%s: %q, want %q", src, got, want)
				}
			}
		}
	}
}

// A surrogate pair is one character, from the first pair to the last.
func TestSurrogatePairs(t *testing.T) {
	for escaped, want := range map[string]string{
		`"\ud800\udc00"`: "\U00010000", `"\ud800\udfff"`: "\U000103ff", `"\udbff\udc00"`: "\U0010fc00", `"\udbff\udfff"`: "\U0010ffff", `"\ud83d\ude00x"`: "😀x",
	} {
		if got := Text([]byte(escaped), Span{End: uint32(len(escaped))}); got != want {
			t.Errorf("%s: %q, want %q", escaped, got, want)
		}
	}
}

// A run ends before a character or escape that only begins like those of the run.
func TestHeadRun(t *testing.T) {
	for _, c := range []struct {
		one, next string
		want      int
	}{{"a", "b", 200}, {"é", "è", 400}, {"日", "旦", 600}, {"😀", "😁", 800}, {`\n`, `\t`, 400}, {`\\`, `\"`, 400}} {
		if got := headRun([]byte(strings.Repeat(c.one, 200) + c.next + "x")); got != c.want {
			t.Errorf("%s: %d bytes, want %d", c.one, got, c.want)
		}
	}
}
