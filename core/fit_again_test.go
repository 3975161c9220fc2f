package core_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/internal/testing/gen"
	"github.com/ctxfold/ctxfold/internal/testing/judge"
)

// An app that continues from the sent messages passes the same list again if a call failed or an answer is regenerated. The list is
// compacted once, like a whole history, even if its newest message has changed. The whole history finds the compaction too.
func TestFitAgain(t *testing.T) {
	t.Parallel()
	for _, format := range judged() {
		t.Run(format, func(t *testing.T) {
			r := rand.New(rand.NewPCG(9, 1))
			history := gen.New(r, gen.Options{Messages: budget(160, 160, 240)}).Render(format, r)
			other := gen.New(r, gen.Options{Messages: 40}).Render(format, r)
			other = slices.DeleteFunc(other, func(m json.RawMessage) bool { return judge.LastUser(format, []byte(list([]json.RawMessage{m}))) == nil })
			small := slices.MinFunc(other, func(a, b json.RawMessage) int { return len(a) - len(b) })
			size := estimateOf(t, fmt.Sprintf(`{"format":%q}`, format), list(history))
			a := &app{policy: fmt.Sprintf(`{"format":%q,"window":{"tokens":%d,"reserve":100},"summary":{"mode":"local"}}`, format, size/5)}
			var sent []json.RawMessage
			from, again := 0, 0
			for turn, end := range turnsOf(format, history) {
				given := append(slices.Clone(sent), history[from:end]...)
				from = end
				f := a.fit(t, list(given))
				sent = nil
				if err := json.Unmarshal(f.Messages, &sent); err != nil {
					t.Fatal(err)
				}
				if !f.Report.Changed {
					continue
				}
				again++
				if f2 := a.fit(t, list(given)); f2.Report.Changed || compacted(t, f2.Messages) != compacted(t, f.Messages) {
					t.Fatalf("turn %d: the same list again: changed %v, known %d of %d", turn, f2.Report.Changed, f2.Known, len(a.memory))
				}
				last := judge.LastUser(format, []byte(list(given)))
				if at := slices.IndexFunc(given, func(m json.RawMessage) bool { return string(m) == string(last) }); at == len(given)-1 && at > 0 {
					f2 := a.fit(t, list(append(slices.Clone(given[:at]), small)))
					if f2.Report.Changed {
						t.Fatalf("turn %d: the same list with another newest message: known %d of %d", turn, f2.Known, len(a.memory))
					}
				}
				if f2 := a.fit(t, list(history[:end])); f2.Report.Changed {
					t.Fatalf("turn %d: the whole history: known %d of %d", turn, f2.Known, len(a.memory))
				}
			}
			if again < 3 {
				t.Errorf("%d compactions", again)
			}
		})
	}
}

// A compaction may replace exactly the messages that an earlier one sent. A list that begins with these messages continues from the earlier
// one, and the newer one was made of it: the newer one applies.
func TestFitAgainOfWhatWasSent(t *testing.T) {
	for _, c := range []struct{ window, question, answer int }{{300, 5, 40}, {400, 20, 20}, {600, 40, 20}} {
		said := func(role string, n, sentences int) json.RawMessage {
			return json.RawMessage(fmt.Sprintf(`{"role":%q,"content":"Part %d. %s"}`, role, n, strings.Repeat("The harbour master wrote the tide down. ", sentences)))
		}
		a := &app{policy: fmt.Sprintf(`{"format":"openai-chat","window":{"tokens":%d,"reserve":50},"summary":{"mode":"local"}}`, c.window)}
		var sent []json.RawMessage
		for n := range 12 {
			given := append(sent, said("user", n, c.question), said("assistant", n, c.answer))
			f := a.fit(t, list(given))
			if f2 := a.fit(t, list(given)); f2.Report.Changed || compacted(t, f2.Messages) != compacted(t, f.Messages) {
				t.Fatalf("%+v, turn %d: the same list again: changed %v, known %d of %d", c, n, f2.Report.Changed, f2.Known, len(a.memory))
			}
			sent = nil
			if err := json.Unmarshal(f.Messages, &sent); err != nil {
				t.Fatal(err)
			}
		}
		if a.compactions < 3 {
			t.Errorf("%+v: %d compactions", c, a.compactions)
		}
	}
}
