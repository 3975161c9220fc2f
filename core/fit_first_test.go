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
	inFormats(t, func(t *testing.T, format string, seed uint64) {
		plain := compactionsOf(t, format, seed, 1)
		for _, texts := range []int{2, 60} {
			if changing := compactionsOf(t, format, seed, texts); plain == 0 || changing > plain+2 {
				t.Errorf("SEED=%d: %d compactions with %d texts, and %d without changes", seed, changing, texts, plain)
			}
		}
	})
}

// inFormats runs a test with random conversations in each format, or in every third one with -short.
func inFormats(t *testing.T, test func(t *testing.T, format string, seed uint64)) {
	t.Parallel()
	for i, format := range judged() {
		if testing.Short() && i%3 > 0 {
			continue
		}
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			for n := range budget(1, 1, 10) {
				test(t, format, uint64(firstSeed(3)+n))
			}
		})
	}
}

// beginning returns the first two messages of a conversation: the user's, which says what the time is, and an answer.
func beginning(format string, minute int) []json.RawMessage {
	says := func(role transcript.Role, text string) json.RawMessage { // at a time, where the format has one
		return bytes.Replace(wire.ByName(format).Message(nil, role, text), []byte(`"1970-01-01T00:00:00.000Z"`), []byte("1700000000"), 1)
	}
	return []json.RawMessage{says(transcript.User, fmt.Sprintf("It is 10:%02d now. Let us begin.", minute)), says(transcript.Assistant, "Welcome.")}
}

// compactionsOf returns how many compactions an app has whose first message, the user's, has one of this many texts in turn.
func compactionsOf(t *testing.T, format string, seed uint64, texts int) (compactions int) {
	u, kept := newUser(t, format, `,"archive":"places"`, seed), shelf{}
	for turn := range max(40, len(u.turns)) {
		given := append(beginning(format, turn%texts), u.do(deed{kind: "append"})...)
		first := given[0]
		f := u.app.fit(t, list(given))
		kept.keep([]byte(list(given)), f.Archive)
		if f.Report.Changed {
			compactions++
		} else if f.Known < 0 {
			continue
		}
		if f.Known >= 0 && !bytes.Contains(f.Messages, first) && texts > 2 {
			t.Errorf("SEED=%d, turn %d: the first message is not sent", seed, turn)
		}
		if !trials.All() && (texts == 1 || !f.Report.Changed && turn%5 > 0) {
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

// TestFitOfTwoConversations has two conversations at the same time that share what is remembered, and differ only in their first message.
// A compaction that was made for one of them is sent until another one is due, whatever is made for the other one, whose window is smaller.
func TestFitOfTwoConversations(t *testing.T) {
	inFormats(t, testTwoConversations)
}

func testTwoConversations(t *testing.T, format string, seed uint64) {
	u := newUser(t, format, `,"archive":"places"`, seed)
	var shared app
	var own [2]string // the compaction that was made for the conversation and is sent for it
	found := 0
	for turn := range max(40, len(u.turns)) {
		history := u.do(deed{kind: "append"})
		for n, policy := range []string{u.app.policy, u.small} {
			shared.policy = policy
			given := list(append(beginning(format, n), history...))
			switch f := shared.fit(t, given); {
			case f.Report.Changed:
				own[n] = string(f.Memory)
			case own[n] == "":
			case f.Known >= 0 && shared.memory[f.Known] == own[n]:
				found++
			default:
				alone := app{policy: policy, memory: []string{own[n]}}
				if alone.fit(t, given); alone.compactions == 0 {
					t.Fatalf("SEED=%d, turn %d: what is sent for conversation %d changes, and nothing is due", seed, turn, n)
				}
				own[n] = ""
			}
		}
	}
	if found == 0 {
		t.Fatalf("SEED=%d: no compaction is found again", seed)
	}
}
