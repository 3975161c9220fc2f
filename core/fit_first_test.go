package core_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/wire"
	"github.com/ctxfold/ctxfold/internal/testing/trials"
)

// TestFitOfAChangingFirstMessage has apps whose first message says something else in each request, as one with the date or with retrieved
// context does. Once that is known, compactions keep the message as it is given and are found again, so that such an app has hardly more of
// them than one that changes nothing. Restoring an answer yields the history of that request: each answer with a new compaction, and every
// fifth of the others; all of them in a long run.
func TestFitOfAChangingFirstMessage(t *testing.T) {
	t.Parallel()
	for i, format := range judged() {
		if testing.Short() && i%3 > 0 {
			continue
		}
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			for n := range budget(1, 1, 10) {
				seed := uint64(firstSeed(3) + n)
				plain, changing := compactionsOf(t, format, seed, false), compactionsOf(t, format, seed, true)
				if plain == 0 || changing > plain+2 {
					t.Errorf("SEED=%d: %d compactions, and %d without changes", seed, changing, plain)
				}
			}
		})
	}
}

// compactionsOf returns how many compactions an app has whose first message, the user's, changes or not.
func compactionsOf(t *testing.T, format string, seed uint64, changes bool) (compactions int) {
	u, kept := newUser(t, format, `,"archive":"places"`, seed), shelf{}
	says := func(role transcript.Role, text string) json.RawMessage { // at a time, where the format has one
		return bytes.Replace(wire.ByName(format).Message(nil, role, text), []byte(`"1970-01-01T00:00:00.000Z"`), []byte("1700000000"), 1)
	}
	for turn := range max(40, len(u.turns)) {
		minute := 0
		if changes {
			minute = turn
		}
		first := says(transcript.User, fmt.Sprintf("It is 10:%02d now. Let us begin.", minute))
		given := append([]json.RawMessage{first, says(transcript.Assistant, "Welcome.")}, u.do(deed{kind: "append"})...)
		f := u.app.fit(t, list(given))
		kept.keep([]byte(list(given)), f.Archive)
		if f.Report.Changed {
			compactions++
		} else if f.Known < 0 {
			continue
		}
		if f.Known >= 0 && !bytes.Contains(f.Messages, first) && changes {
			t.Errorf("SEED=%d, turn %d: the first message is not sent", seed, turn)
		}
		if !trials.All() && (!changes || !f.Report.Changed && turn%5 > 0) {
			continue // TestRestoreOfRandomApps has apps that change nothing
		}
		if bad := worse(format, given, f.Messages); len(bad) > 0 {
			t.Fatalf("SEED=%d, turn %d: invalid: %s", seed, turn, bad[0])
		}
		back := kept.restoreAll(t, fmt.Sprintf(`"policy":{"format":%q},"state":%s`, format, f.State), string(f.Messages))
		if string(back.Messages) != list(given) {
			t.Errorf("SEED=%d, turn %d: restored is\n%.1500s\nof\n%.1500s\nleft are %v", seed, turn, back.Messages, list(given), back.Markers)
		}
	}
	return compactions
}
