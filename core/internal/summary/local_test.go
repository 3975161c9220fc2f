package summary

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/ctxfold/ctxfold/core/internal/tokens"
	"github.com/ctxfold/ctxfold/core/internal/view"
	"github.com/ctxfold/ctxfold/core/internal/wire"
)

// Text that is written with a guess of its size comes near to its budget, from below, whether the guess was high or low.
func TestFilled(t *testing.T) {
	w := &Writer{doc: &view.View{P: tokens.ByName("bytes4")}}
	for _, size := range []int{100, 200, 390, 400, 410, 800, 4000} {
		text := w.filled(100, size, func(size int) string { return strings.Repeat("w", size) })
		if n := w.doc.P.Text(text); n < 95 || n > 100 {
			t.Errorf("%d tokens of 100, from a guess of %d bytes", n, size)
		}
	}
}

// Standing instructions take at most half of the digest's maximum size.
func TestStandingTakesHalfOfADigest(t *testing.T) {
	w := &Writer{doc: &view.View{P: tokens.ByName("bytes4")}, target: func() int { return 0 }}
	w.policy, _ = policy.Resolve([]byte(`{}`))
	l := &digest.Ledger{}
	for i := range 100 {
		l.Standing = append(l.Standing, fmt.Sprintf("Never touch the file %d.", i))
	}
	for _, most := range []int{100, 200, 400} {
		if n := w.doc.P.Text(w.standing(l, 10000, 0, most, false)); n > most/2 || n < most/4 {
			t.Errorf("%d tokens of %d", n, most)
		}
	}
}

// A record is divided only if a part would exceed its room, and things that must stay together do.
func TestSplit(t *testing.T) {
	f := wire.ByName("openai-chat")
	tr := f.Read(jsonspan.New([]byte(`[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"c"},{"role":"assistant","content":"d"}]`)))
	w := writing{&Writer{doc: view.NewView(tr, f, tokens.ByName("bytes4"), len(tr.Messages)), policy: &policy.Policy{}}, tr}
	for room, want := range map[int]string{40: "abcd", 39: "abc d", 30: "abc d", 29: "ab cd", 20: "ab cd", 19: "a b c d", 10: "a b c d"} {
		var got []string
		for _, p := range w.split("", []int32{0, 1, 2, 3}, []string{"a", "b", "c", "d"}, []int{10, 10, 10, 10}, room) {
			got = append(got, p.record)
			if p.tokens > room || len(p.messages) != len(p.record) {
				t.Errorf("%d: %+v", room, p)
			}
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("in %d: %s, want %s", room, s, want)
		}
	}
}
