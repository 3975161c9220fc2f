package jsonspan

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

func skip(src string) (Value, *Error) {
	s := New([]byte(src))
	v := s.Skip()
	s.End()
	return v, s.Err()
}

func TestSkipMeasuresCompactJSON(t *testing.T) {
	for _, src := range []string{
		`0`, `-1.5e+3`, `1e400`, `""`, `"a"`, `null`, `true`, `false`, `[]`, `{}`, `[1,2]`, ` [ 1 , 2 ] `,
		`{"a":1,"b":[{},[],"x"]}`, "{ \"a\" : 1 ,\n\"b\" : [ { } , [ ] ] }", `"日本語"`, `"é😀"`, `"\u00e9\ud83d\ude00"`,
		`"\n\t\\\""`, `"\u0001\u0041\/"`, `[[[["deep"]]]]`, `{"k\n":"v"}`, `"long enough for words, 日本 and \"more\""`,
		`[[],[[]],{"a":{}},1]`, "\"\u007f\"", `"\u0008"`, `"\u0009"`, `"\u000a"`, `"\u000c"`, `"\u000d"`, `"\u0022\u005c\u002f"`, `"\u001f\u0020"`,
	} {
		v, err := skip(src)
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		want := compact(t, src)
		got := Measure{Bytes: uint32(len(want)), Runes: uint32(utf8.RuneCountInString(want)), UTF16: uint32(len(utf16.Encode([]rune(want))))}
		if v.Measure != got {
			t.Errorf("%s: measured %+v, want %+v (%s)", src, v.Measure, got, want)
		}
		if s := strings.TrimSpace(src); src[v.Start:v.End] != s {
			t.Errorf("%s: span %q", src, src[v.Start:v.End])
		}
	}
}

// compact writes src as JSON.stringify would, but keeps the spelling of numbers.
func compact(t *testing.T, src string) string {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(src))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatal(src, err)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		src    string
		code   Code
		offset int
		path   string
	}{
		{``, TruncatedJSON, 0, ""},
		{`nope`, InvalidJSON, 0, ""},
		{`{"a":[1,`, TruncatedJSON, 8, "a[1]"},
		{`{"a":[1,2`, TruncatedJSON, 9, "a[1]"},
		{`{"a":"x`, TruncatedJSON, 7, "a"},
		{`{"a":tru`, TruncatedJSON, 8, "a"},
		{`{"a":trux}`, InvalidJSON, 5, "a"},
		{`{"a":1,}`, InvalidJSON, 7, "a"},
		{`[1,]`, InvalidJSON, 3, "[1]"},
		{`[1 2]`, InvalidJSON, 3, "[0]"},
		{`{"a" 1}`, InvalidJSON, 5, "a"},
		{`{a:1}`, InvalidJSON, 1, ""},
		{`01`, InvalidJSON, 1, ""},
		{`-`, TruncatedJSON, 1, ""},
		{`[1.x]`, InvalidJSON, 3, "[0]"},
		{`"\x"`, InvalidJSON, 1, ""},
		{`"\u12"`, TruncatedJSON, 6, ""},
		{`"\u12zz"`, InvalidJSON, 1, ""},
		{`["ok","\ud800"]`, LoneSurrogate, 7, "[1]"},
		{`["\ude00\ud83d"]`, LoneSurrogate, 2, "[0]"},
		{"[\"a\xff\"]", InvalidUTF8, 3, "[0]"},
		{"[\"\xed\xa0\x80\"]", InvalidUTF8, 2, "[0]"},
		{"[\"\xc0\x80\"]", InvalidUTF8, 2, "[0]"},
		{"[\"a\nb\"]", InvalidJSON, 3, "[0]"},
		{`{"messages":[{"role":"user","content":[{"text":"\q"}]}]}`, InvalidJSON, 48, "messages[0].content[0].text"},
		{`{"a.b":{"":[!]}}`, InvalidJSON, 12, `["a.b"][""][0]`},
		{strings.Repeat("[", 100000), TooDeep, 512, strings.Repeat("[0]", 512)},
		{strings.Repeat(`{"a":`, 100000), TooDeep, 2560, strings.Repeat(`.a`, 512)[1:]},
		{`[] []`, InvalidJSON, 3, ""},
	} {
		strict := New([]byte(c.src))
		strict.Lenient = false
		strict.Skip()
		strict.End()
		err := strict.Err()
		name := c.src[:min(len(c.src), 60)]
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		if err.Code != c.code || err.Offset != c.offset {
			t.Errorf("%s: %s at %d (%s), want %s at %d", name, err.Code, err.Offset, err.Message, c.code, c.offset)
		}
		if path := PathAt([]byte(c.src), err.Offset); path != c.path {
			t.Errorf("%s: path %q, want %q", name, path, c.path)
		}
	}
}

func TestPullReading(t *testing.T) {
	src := []byte(` {"role":"us\u0065r", "r\u006fle2" : [ "a" , {"x":[1,{}]}, "b" ] , "n":null}`)
	s := New(src)
	var got []string
	if !s.Object() {
		t.Fatal(s.Err())
	}
	for {
		key, ok := s.Key()
		if !ok {
			break
		}
		got = append(got, string(key))
		switch s.Kind() {
		case String:
			got = append(got, Text(src, s.Text().Span))
		case Array:
			s.Array()
			for s.Elem() {
				v := s.Skip()
				got = append(got, string(v.Slice(src)))
			}
		default:
			s.Skip()
		}
	}
	s.End()
	if s.Err() != nil {
		t.Fatal(s.Err())
	}
	want := "role user role2 \"a\" {\"x\":[1,{}]} \"b\" n"
	if strings.Join(got, " ") != want {
		t.Errorf("got %v", got)
	}
}

func TestLenientCountsLoneSurrogates(t *testing.T) {
	s := New([]byte(`["a","\udc00x","\ud800"]`))
	s.Skip()
	if s.Err() != nil || s.Lone != 2 || s.FirstLone != 6 {
		t.Error(s.Err(), s.Lone, s.FirstLone)
	}
}

func TestTextRoundTrip(t *testing.T) {
	for _, text := range []string{"", "plain", "日本\n\"q\" \\ \x01 \u007f 😀 é", "\u2028 <&>", "bad \xff byte"} {
		enc := AppendString(nil, text)
		s := New(enc)
		str := s.Text()
		s.End()
		if s.Err() != nil {
			t.Fatal(text, s.Err())
		}
		want := strings.ToValidUTF8(text, "\ufffd")
		if got := Text(enc, str.Span); got != want {
			t.Errorf("%q came back as %q", want, got)
		}
		if m := MeasureText(want); m != str.Measure {
			t.Errorf("%q: %+v by MeasureText, %+v by the scanner", want, m, str.Measure)
		}
		if !EqualText(enc, str.Span, want) {
			t.Errorf("%q is not equal to itself", want)
		}
		for _, other := range []string{want + "x", want + "\"", "x" + want, strings.TrimSuffix(want, "e"), want[:len(want)/2]} {
			if EqualText(enc, str.Span, other) != (want == other) {
				t.Errorf("%q and %q: wrong about whether they are equal", want, other)
			}
		}
		if int(str.JSON().Bytes) != len(enc) {
			t.Errorf("%q: JSON measure %d, want %d", want, str.JSON().Bytes, len(enc))
		}
	}
}

func FuzzSkip(f *testing.F) {
	for _, s := range []string{`{"a":[1,"x\u00e9😀",null]}`, `"\ud83d\ude00"`, `[[[]]]`, "\"\xff\""} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		s := New(src)
		v := s.Skip()
		s.End()
		valid := json.Valid(src) && utf8.Valid(src)
		if s.Err() == nil {
			if !valid {
				t.Fatalf("accepted %q", src)
			}
			w := compact(t, string(v.Slice(src)))
			var dup map[string]json.RawMessage // encoding/json merges equal keys, so lengths differ then
			if json.Unmarshal(src, &dup) == nil || v.Kind == Array {
				return
			}
			if int(v.Bytes) != len(w) && !bytes.ContainsAny(src, "\u2028\u2029\x7f") {
				t.Fatalf("%q: %d bytes, want %d (%q)", src, v.Bytes, len(w), w)
			}
			return
		}
		PathAt(src, s.Err().Offset)
		if valid && s.Err().Code != LoneSurrogate && s.Err().Code != TooDeep {
			t.Fatalf("rejected %q: %v", src, s.Err())
		}
	})
}
