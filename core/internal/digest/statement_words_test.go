package digest

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// lower returns the same as strings.ToLower for every character, in any text around it, and for invalid UTF-8.
func TestLower(t *testing.T) {
	for r := range rune(utf8.MaxRune + 1) {
		for _, s := range []string{string(r), "a" + string(r) + "字b", string(r)[:1], "字" + string(r)[:len(string(r))-1], string(r)[:1] + "a"} {
			if got, want := lower(s), strings.ToLower(s); got != want {
				t.Fatalf("%q: %q, want %q", s, got, want)
			}
		}
	}
}

// Each sign is found at its first position, in the order of the table, as if each were searched for separately.
func TestSigns(t *testing.T) {
	ready()
	var all strings.Builder
	for i := len(signIndex.rows) - 1; i >= 0; i-- {
		all.WriteString(signIndex.text(i))
		if i%3 == 0 {
			all.WriteString(" and ")
		}
	}
	for _, text := range []string{all.String(), all.String() + all.String(), "nothing", "请用中文，不要用英文。", "不", ""} {
		var want []signAt
		for n := range signIndex.rows {
			if at := strings.Index(text, signIndex.text(n)); at >= 0 {
				want = append(want, signAt{n, at})
			}
		}
		got := signIndex.first(nil, text)
		if len(got) != len(want) {
			t.Fatalf("%d signs in %q, want %d", len(got), text, len(want))
		}
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("%v in %q, want %v", got[i], text, want[i])
			}
		}
	}
	if n := len(signIndex.rows); n > 32*64 {
		t.Fatal(n, "signs are more than a set holds")
	}
	for n := range signIndex.rows {
		if sign := signIndex.text(n); len(sign) < 3 || sign[0] < leadByte {
			t.Errorf("the sign %q cannot be found", sign)
		}
	}
}

// At least half of the table is empty, and it has no word of a script without spaces, because the text between signs in
// such scripts is excluded from the words.
func TestVocabulary(t *testing.T) {
	ready()
	if n := len(vocabulary.rows); 2*n > len(vocabulary.slots) {
		t.Error(n, "words in", len(vocabulary.slots), "slots")
	}
	if n := len(rowTexts); n > 256 {
		t.Error(n, "rows are more than a byte counts")
	}
	for n := range vocabulary.rows {
		text := vocabulary.text(n)
		if vocabulary.get(text) != n {
			t.Errorf("%q is not found", text)
		}
		if r, _ := utf8.DecodeRuneInString(text); scriptOf(r) == unspaced {
			t.Errorf("%q is of a script without spaces", text)
		}
	}
}

// A cue is found by the words that wordsOf returns for text, so it must be written like these words.
func TestCues(t *testing.T) {
	for n := range cues.rows {
		var list []string
		for _, w := range wordsOf(cues.text(n), nil) {
			list = append(list, w.text)
		}
		if text := cues.text(n); text != strings.Join(list, " ") {
			t.Errorf("the words of the cue %q are %q", text, list)
		}
	}
}
