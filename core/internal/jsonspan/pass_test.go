package jsonspan_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// For valid JSON, SkipUnchecked ends where Skip ends; for other input, it never goes beyond the end.
func TestPass(t *testing.T) {
	pieces := []string{`"a"`, `"\""`, `"\\"`, `"]\\\"["`, `1`, `null`, `[`, `]`, `{"k":`, `}`, `,`, ` `, `"`, `\`}
	found := 0
	for seed := range uint64(20000) {
		r := rand.New(rand.NewPCG(seed, 1))
		var text strings.Builder
		text.WriteString("[")
		for range r.IntN(8) {
			text.WriteString(pieces[r.IntN(len(pieces))])
		}
		text.WriteString("]")
		src := []byte(text.String())
		skip, pass := jsonspan.New(src), jsonspan.New(src)
		v := skip.Skip()
		p, ok := pass.SkipUnchecked()
		if skip.Err() == nil {
			if found++; !ok || p != v.Span || pass.Pos() != skip.Pos() {
				t.Fatalf("%s: %v, %v; want %v", src, p, ok, v.Span)
			}
		}
		if int(p.End) > len(src) {
			t.Fatalf("%s: %v", src, p)
		}
	}
	if found < 1000 {
		t.Errorf("only %d texts were JSON", found)
	}
	for _, text := range []string{``, `1`, `"a"`, `[`, `{"a":"`, `["\"]`} {
		if p, ok := jsonspan.New([]byte(text)).SkipUnchecked(); ok {
			t.Errorf("%s: %v", text, p)
		}
	}
}
