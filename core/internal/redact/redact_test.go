package redact

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

func apply(texts []api.Redaction, known []string, src string) (string, *Redactor) {
	r := New(texts, known)
	out, origin := r.Apply([]byte(src), jsonspan.Span{End: uint32(len(src))}, true)
	if origin == nil {
		return src, r
	}
	return string(out), r
}

// Every byte in an occurrence of text is replaced, and no other byte.
func TestFindsWhatOverlaps(t *testing.T) {
	for i := range 3000 {
		r := rand.New(rand.NewPCG(1, uint64(i)))
		word := func(n int) string {
			b := make([]byte, 1+r.IntN(n))
			for k := range b {
				b[k] = "ab"[r.IntN(2)]
			}
			return string(b)
		}
		var m matcher
		var texts []string
		for k := range 1 + r.IntN(4) {
			texts = append(texts, word(5))
			m.add(texts[k], k)
		}
		m.completeLinks()
		text := word(40)
		want := make([]bool, len(text))
		for _, s := range texts {
			for at := 0; at+len(s) <= len(text); at++ {
				if text[at:at+len(s)] == s {
					for k := range len(s) {
						want[at+k] = true
					}
				}
			}
		}
		got, last := make([]bool, len(text)), int32(0)
		for _, h := range m.appendHits(nil, []byte(text)) {
			if h.from < last || h.to <= h.from || !strings.Contains(text[h.from:h.to], texts[h.text]) {
				t.Fatalf("%q in %q: %v", texts, text, h)
			}
			for k := h.from; k < h.to; k++ {
				got[k] = true
			}
			last = h.to
		}
		for k := range want {
			if got[k] != want[k] {
				t.Fatalf("%q in %q: %v, not %v", texts, text, got, want)
			}
		}
	}
}

// Text is found however JSON spells it, also in JSON that is in a string, and the result is JSON.
func TestFindsEverySpelling(t *testing.T) {
	secret := "pä\"ss/😀<&>\n\\x"
	texts := []api.Redaction{{Text: secret, Placeholder: `<"gone">`}}
	for _, list := range [][]string{{secret}, spellings(secret)} {
		for _, inner := range list {
			quoted := string(jsonspan.AppendString(nil, inner))
			for _, src := range append([]string{quoted}, `"`+escapeMore(quoted[1:len(quoted)-1], func(r rune) bool { return r >= 0x80 }, false)+`"`) {
				out, r := apply(texts, nil, `[{"a":`+src+`,"b":"x"}]`)
				var v []struct{ A string }
				if err := json.Unmarshal([]byte(out), &v); err != nil || r.Counts.Places != 1 {
					t.Fatalf("%s: %v, %+v", out, err, r.Counts)
				}
				if v[0].A != `<"gone">` && v[0].A != `<\"gone\">` {
					t.Errorf("%s gives %q", src, v[0].A)
				}
			}
		}
	}
}

// Texts are numbered in the order in which they are first found, and keep their numbers over all rounds.
func TestNumbersStay(t *testing.T) {
	texts := []api.Redaction{{Text: "first"}, {Text: "second"}, {Text: "third"}}
	out, r := apply(texts, nil, `["second and first"]`)
	if out != `["[REDACTED:1] and [REDACTED:2]"]` {
		t.Error(out)
	}
	if out, r = apply(texts, r.Known, `["third, first and third"]`); out != `["[REDACTED:3], [REDACTED:2] and [REDACTED:3]"]` || len(r.Known) != 3 {
		t.Error(out, r.Known)
	}
}

// Keys and words of the format stay where the structure must not change.
func TestLeavesTheStructure(t *testing.T) {
	src := `[{"role" : "user","type":"text","text":"role user type text"}]`
	out, _ := New([]api.Redaction{{Text: "role"}, {Text: "user"}, {Text: "text"}}, nil).Apply([]byte(src), jsonspan.Span{End: uint32(len(src))}, false)
	if want := `[{"role" : "user","type":"text","text":"[REDACTED:1] [REDACTED:2] type [REDACTED:3]"}]`; string(out) != want {
		t.Errorf("%s", out)
	}
}

// Texts that overlap everywhere cost no more than others: each byte is examined a bounded number of times.
func TestManyTextsStayLinear(t *testing.T) {
	var texts []api.Redaction
	for n := range 1000 {
		texts = append(texts, api.Redaction{Text: strings.Repeat("a", n+4) + "b"})
	}
	out, r := apply(texts, nil, `["`+strings.Repeat("a", 1<<20)+`","`+strings.Repeat("aaaab", 1<<17)+`"]`)
	if r.Counts.Places != 1<<17 || strings.Count(out, "[REDACTED:1]") != 1<<17 {
		t.Errorf("%+v", r.Counts)
	}
}
