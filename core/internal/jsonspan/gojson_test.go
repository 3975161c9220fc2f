package jsonspan_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// TestAppendGo compares the output with encoding/json's.
func TestAppendGo(t *testing.T) {
	for _, src := range []string{
		`{"b":1,"a":{"z":[],"y":{}},"b":2}`, ` [ 1 , "x" , null , true , { } ] `, `"<a&b>\u2028\ud83d\ude00\u0001\u007f\b\f\/"`,
		`[0,-0,1e21,1e-7,100.0,0.1,12345678901234567890,1E2,-1.50,1e20,123456.789e3]`, `{"":1," ":2,"é":3,"\u0065":4}`,
		"\"日本\"", `{"a":{"c":1,"b":[{"e":1,"d":2}]},"A":0}`, `[[[[]]]]`,
	} {
		var v any
		if err := json.Unmarshal([]byte(src), &v); err != nil {
			t.Fatal(err)
		}
		want, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if got := jsonspan.AppendGo([]byte("x"), []byte(src)); string(got) != "x"+string(want) {
			t.Errorf("%s\ngot  %s\nwant %s", src, got[1:], want)
		}
	}
	for _, src := range []string{`{"a":`, `1e999`, `"a" b`, strings.Repeat("[", 600)} {
		if got := jsonspan.AppendGo(nil, []byte(src)); string(got) != src {
			t.Errorf("%s became %s", src, got)
		}
	}
}
