package jsonspan

import (
	"fmt"
	"strings"
	"testing"
)

func TestLone(t *testing.T) {
	for _, c := range []struct {
		text string
		want string
	}{
		{`"abc"`, "[]"}, {`"\ud83d\ude00"`, "[]"}, {`"\ud800"`, "[1]"}, {`"a\udfff"`, "[2]"}, {`"\ud800\ud83d\ude00"`, "[1]"},
		{`"\ud83d\ude00\udc00"`, "[13]"}, {`"\ud800\ud800"`, "[1 7]"}, {`"\\ud800"`, "[]"}, {`"\n\udbff\n"`, "[3]"}, {`"\ud800x\udc00"`, "[1 8]"},
		{`"\ud7ff\ue000"`, "[]"}, {`"\ud800\u0041"`, "[1]"}, {`"\ud800\\u"`, "[1]"}, {`"\ud83d\ue000"`, "[1]"}, {`"\udc00\udc00"`, "[1 7]"},
		{`["a","\udc00",{"\ud800":1}]`, "[6 16]"},
	} {
		src := []byte(c.text)
		if got := fmt.Sprint(LoneSurrogates(src, Span{0, uint32(len(src))})); got != c.want {
			t.Errorf("%s: %s, want %s", c.text, got, c.want)
		}
		s := New([]byte(c.text))
		s.Lenient = true
		if s.Skip(); s.Err() != nil || s.Lone != len(LoneSurrogates(src, Span{0, uint32(len(src))})) {
			t.Errorf("%s: the scanner counts %d: %v", c.text, s.Lone, s.Err())
		}
		ReplaceLone(src, Span{0, uint32(len(src))})
		if got := LoneSurrogates(src, Span{0, uint32(len(src))}); got != nil || len(src) != len(c.text) {
			t.Errorf("%s: %v are left in %s", c.text, got, src)
		}
	}
}

// TestPathAt checks the path at each position marked by ^.
func TestPathAt(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{`^{"a":1}`, ""}, {`{"a":^1}`, "a"}, {`{"a":1,"b":^2}`, "b"}, {`{^"a":1}`, "a"}, {`{"a":1,^"b":2}`, "b"}, {`{"a"^:1}`, "a"},
		{`[^1,2]`, "[0]"}, {`[1,^2]`, "[1]"}, {`[1^,2]`, "[0]"}, {`[[],^{}]`, "[1]"}, {`[{"a":[0,{"b":^"x"}]}]`, "[0].a[1].b"},
		{`{"a b":^1}`, `["a b"]`}, {`{"a.b":{"c":^1}}`, `["a.b"].c`}, {`{"a\"b":^1}`, `["a\"b"]`}, {`{"":^1}`, `[""]`}, {`{"a":{"b":1},"c":^2}`, "c"},
		{`{"a":"x^y"}`, "a"}, {`["a","b",^"c"]`, "[2]"}, {`"a^b"`, ""}, {`"a"^`, ""}, {`"a" ^1`, ""}, {`{"a":"x"^,"b":1}`, "a"}, {`{"a":["x"^]}`, "a[0]"}, {`{"a":[1,2,3],"b":[4,^5]}`, "b[1]"}, {`{"a":{},"b":^{}}`, "b"},
		{`{"a":[1,2^`, "a[1]"}, {`{"a":{"b":"x^`, "a.b"}, {`{"a":}^`, ""}, {`]^`, ""}, {`1,^2`, ""}, {`{"` + strings.Repeat("k", 70) + `":^1}`, `["` + strings.Repeat("k", 64) + `…"]`},
	} {
		at := strings.IndexByte(c.src, '^')
		src := c.src[:at] + c.src[at+1:]
		if got := PathAt([]byte(src), at); got != c.want {
			t.Errorf("%s: %q, want %q", c.src, got, c.want)
		}
	}
}

func TestFind(t *testing.T) {
	src := ` {"a":{"b":[10,{"c":"x"}],"d":null},"e":"f"}`
	for path, want := range map[string]string{
		"": `{"a"`, "a": `{"b"`, "a.b": `[10,`, "a.b[0]": `10`, "a.b[1]": `{"c"`, "a.b[1].c": `"x"`, "e": `"f"`, "a.d": `null`,
		"a.b[2]": `[10,`, "a.x": `{"b"`, "x": `{"a"`, "a[0]": `{"b"`, "e.f": `"f"`, "a.b.c": `[10,`, "a.b[x]": `[10,`, "a.d.x": "null",
	} {
		if got := Find([]byte(src), 1, path); !strings.HasPrefix(src[got:], want) {
			t.Errorf("%s is at %s, not %s", path, src[got:], want)
		}
	}
}

func TestTrimRune(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""}, {"a", "a"}, {"é", "é"}, {"é"[:1], ""}, {"a" + "漢"[:1], "a"}, {"a" + "漢"[:2], "a"}, {"漢", "漢"}, {"a" + "😀"[:3], "a"}, {"😀", "😀"},
		{"😀"[:1], ""}, {"\x80\x80\x80\x80", "\x80\x80\x80\x80"}, {"é\x80", "é\x80"},
	} {
		if got := string(TrimRune([]byte(c.text))); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

func TestEqualText(t *testing.T) {
	for _, c := range []struct {
		src, text string
		want      bool
	}{
		{`"abc"`, "abc", true}, {`"abc"`, "ab", false}, {`"ab"`, "abc", false}, {`"a\u0062c"`, "abc", true}, {`"\n"`, "\n", true}, {`"\n"`, "n", false},
		{`""`, "", true}, {`""`, "a", false}, {`"a"`, "", false}, {`"\ud83d\ude00"`, "😀", true}, {`"😀"`, "😀", true}, {`"\ud83d\ude00"`, "\xf0\x9f\x98", false}, {`"\/"`, "/", true},
	} {
		if got := EqualText([]byte(c.src), Span{0, uint32(len(c.src))}, c.text); got != c.want {
			t.Errorf("%s reads as %q: %t", c.src, c.text, got)
		}
	}
	if EqualText([]byte(`""`), Span{}, "") {
		t.Error("no string reads as the empty text")
	}
}

func TestBlank(t *testing.T) {
	for text, want := range map[string]bool{`""`: true, `" "`: true, `" \n\t\r"`: true, `"\u0020\u000a"`: false, `"a"`: false, `" a "`: false, `"\\"`: false, `"\u0041"`: false, `"\""`: false} {
		if got := IsBlank([]byte(text), Span{0, uint32(len(text))}); got != want {
			t.Errorf("%s is blank: %t", text, got)
		}
	}
}

func TestInt(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		ok   bool
	}{
		{"0", 0, true}, {"7", 7, true}, {"-12", -12, true}, {"123456789", 123456789, true}, {"1234567890", 0, false}, {"-123456789", -123456789, true}, {"1.5", 0, false}, {"1e3", 0, false}, {"-", 0, false}, {"", 0, false},
		{`"1"`, 0, false}, {"99999999999999999999", 0, false}, {"null", 0, false},
	} {
		if n, ok := Int([]byte(c.text), Span{0, uint32(len(c.text))}); ok != c.ok || ok && n != c.n {
			t.Errorf("%s is %d, %t", c.text, n, ok)
		}
	}
}

func TestAppendCompact(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{` { "a" : [ 1 , 2.50 , "x  y" ] , "b\"" : null } `, `{"a":[1,2.50,"x  y"],"b\"":null}`}, {"\n[\t]\r", "[]"}, {"{ }", "{}"}, {"12", "12"}, {`" \\ "`, `" \\ "`},
	} {
		if got := string(AppendCompact([]byte("<"), []byte(c.src))); got != "<"+c.want {
			t.Errorf("%s: %s, want %s", c.src, got, c.want)
		}
	}
}
