package digest

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/wire"
)

// recordFrom returns a conversation in which the user's words, the agent's thoughts and the outputs of tools have the
// given sizes in bytes.
func recordFrom(t *testing.T, sizes ...[3]int) (*transcript.Transcript, []int32) {
	t.Helper()
	var b strings.Builder
	b.WriteString("[")
	for i, s := range sizes {
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, `{"role":"user","content":"u%s"},{"role":"assistant","content":[{"type":"reasoning","text":"t%s"},{"type":"tool_call","id":"%d","name":"x","arguments":{}}]},`+
			`{"role":"tool_result","tool_call_id":"%d","tool_name":"x","content":"r%s"}`, strings.Repeat("u", s[0]), strings.Repeat("t", s[1]), i, i, strings.Repeat("r", s[2]))
	}
	b.WriteString("]")
	s := jsonspan.New([]byte(b.String()))
	tr := wire.ByName("native").Read(s)
	if s.Err() != nil {
		t.Fatal(s.Err())
	}
	seq := make([]int32, len(tr.Messages))
	for i := range seq {
		seq[i] = int32(i)
	}
	return tr, seq
}

func tokensOf(text string) int { return (len(text) + 3) / 4 }

func TestFit(t *testing.T) {
	for _, c := range []struct {
		name                  string
		sizes                 [][3]int
		room                  int // tokens
		said, thought, result int // bytes of all that are left, about; -1 is any number
		fits                  bool
	}{
		{"all", [][3]int{{400, 400, 400}}, 1000, 401, 401, 401, true},
		{"the longest result is clipped", [][3]int{{400, 400, 40000}, {400, 400, 2000}}, 3000, 802, 802, -1, true},
		{"reasoning after results", [][3]int{{400, 8000, 40000}}, 1500, 401, -1, 1000, true},
		{"no reasoning", [][3]int{{4000, 8000, 40000}}, 1200, 4001, 0, -1, true},
		{"too much was said", [][3]int{{40000, 0, 0}}, 1200, 0, 0, 0, false},
	} {
		tr, seq := recordFrom(t, c.sizes...)
		records, size, ok := NewPieces(tr, seq, 1<<20, tokensOf).Fit(c.room)
		if ok != c.fits {
			t.Errorf("%s: %v", c.name, ok)
			continue
		}
		all := strings.Join(records, "")
		if !ok {
			continue
		}
		if n := tokensOf(all); n != size || n > c.room {
			t.Errorf("%s: %d tokens, says %d, of %d", c.name, n, size, c.room)
		}
		if strings.Contains(all, "left out") && size*10 < c.room*9 {
			t.Errorf("%s: %d tokens of %d", c.name, size, c.room)
		}
		for sign, want := range map[string]int{"u": c.said, "t": c.thought, "r": c.result} {
			got := 0
			for _, run := range strings.FieldsFunc(all, func(r rune) bool { return string(r) != sign }) {
				if len(run) > 3 {
					got += len(run)
				}
			}
			if want >= 0 && (got < want*9/10 || got > want*11/10) {
				t.Errorf("%s: %d bytes of %s, not %d", c.name, got, sign, want)
			}
		}
	}
}

// A short result stays whole even if another result is long.
func TestFitTakesFromTheLongest(t *testing.T) {
	tr, seq := recordFrom(t, [3]int{10, 10, 20000}, [3]int{10, 10, 1500}, [3]int{10, 10, 30000})
	records, _, ok := NewPieces(tr, seq, 1<<20, tokensOf).Fit(3000)
	all := strings.Join(records, "")
	if !ok || !strings.Contains(all, strings.Repeat("r", 1501)) || strings.Count(all, "left out") != 2 {
		t.Errorf("%v: %d bytes, %d of them left out", ok, len(all), strings.Count(all, "left out"))
	}
}

func TestClipResult(t *testing.T) {
	long := strings.Repeat("line of a log that says nothing\n", 400)
	text := "begin\n" + long + "src/a.go:12: error: undefined: parseItem\n" + long + "--- FAIL: TestSplit (0.01s)\n" + long + "end"
	got := clipResult(text, 3000)
	for _, want := range []string{"begin\n", "error: undefined: parseItem\n", "--- FAIL: TestSplit", "bytes left out", "\nend"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is gone: %s", want, got)
		}
	}
	if n := len(got); n > 3100 || n < 2800 {
		t.Errorf("%d bytes", n)
	}
	if at := strings.Index(got, "[… "); at < 1700 || at > 2000 {
		t.Errorf("the head has %d bytes", at)
	}
	for max := range 2000 {
		if got := clipResult("für "+strings.Repeat("ä€😀 Error: ö\n", 500), max); !utf8.ValidString(got) || len(got) > max+80 {
			t.Fatalf("%d: %d bytes, valid: %v", max, len(got), utf8.ValidString(got))
		}
	}
}
