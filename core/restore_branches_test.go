package core_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"

	"github.com/ctxfold/ctxfold/internal/testing/gen"
)

var (
	oneArgument  = regexp.MustCompile(`\{(\\?")path\\?":\\?"(src/[\w/.]+)\\?"\}`)
	twoArguments = regexp.MustCompile(`\{(\\?"path\\?":\\?"src/[\w/.]+\\?"),(\\?"limit\\?":5)\}`)
	itemID       = regexp.MustCompile(`"id":"(?:fc|msg|rs)_\w*",`) // the formats that have such ids can do without
)

// branching is an app with a conversation in which each call has two arguments, and the ends of its turns. Its policy strips reasoning,
// clears results and folds.
type branching struct {
	app
	format string
	talk   []json.RawMessage
	ends   []int
	kept   shelf
}

func newBranching(format string, seed uint64, ids bool) *branching {
	r := rand.New(rand.NewPCG(seed, 3))
	b := &branching{format: format, kept: shelf{}}
	for _, m := range gen.New(r, gen.Options{Messages: 40}).Render(format, r) {
		m = oneArgument.ReplaceAll(m, []byte(`{${1}path$1:$1$2$1,${1}limit$1:5}`))
		if !ids {
			m = itemID.ReplaceAll(m, nil)
		}
		b.talk = append(b.talk, m)
	}
	b.ends = turnsOf(format, b.talk)
	b.policy = fmt.Sprintf(`{"format":%q,"archive":"places","window":{"tokens":1500,"reserve":0},"summary":{"mode":"local"},"passes":[{"pass":"reasoning","mode":"strip"},{"pass":"clear","keep_recent":2,"min_reclaim":1},{"pass":"fold","keep_tokens":1000}]}`, format)
	return b
}

// respelled returns the messages with the arguments of their calls in the other order.
func respelled(messages []json.RawMessage) (list []json.RawMessage) {
	for _, m := range messages {
		list = append(list, twoArguments.ReplaceAll(m, []byte(`{$2,$1}`)))
	}
	return list
}

// passes lets the app pass a history, restores what is sent for it, and reports whether the compaction of another branch was used. Either
// exactly the history is restored, or a report says that its calls are written differently.
func (b *branching) passes(t *testing.T, history []json.RawMessage) (used bool) {
	t.Helper()
	f := (&app{policy: b.policy, memory: b.memory}).fit(t, list(history))
	b.kept.keep([]byte(list(history)), f.Archive)
	back := b.kept.restoreAll(t, fmt.Sprintf(`"policy":{"format":%q},"state":%s`, b.format, f.State), string(f.Messages))
	reported := false
	for _, m := range back.Markers {
		reported = reported || m.Why == "respelled"
	}
	restored := split(t, back.Messages)
	if len(restored) != len(history) {
		t.Errorf("known %d: %d messages are restored of %d; left are %v", f.Known, len(restored), len(history), back.Markers)
		return f.Known >= 0
	}
	for i, m := range restored {
		if string(m) != string(history[i]) && !reported {
			t.Errorf("known %d: message %d is %.400s, want %.400s; left are %v", f.Known, i, m, history[i], back.Markers)
		}
	}
	return f.Known >= 0
}

// TestRestoreOfACallWrittenDifferently compacts a conversation, and passes other branches of it, each of which differs in the order of
// the arguments in one turn. A compaction compares arguments by value, so it is used for these branches too. Then it passes branches with two turns
// that differ only in this order, swapped.
func TestRestoreOfACallWrittenDifferently(t *testing.T) {
	t.Parallel()
	for _, format := range judged() {
		for _, ids := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/%v", format, ids), func(t *testing.T) {
				t.Parallel()
				used, tried := 0, 0
				for seed := range uint64(budget(1, 2, 40)) {
					b := newBranching(format, seed, ids)
					f := b.fit(t, list(b.talk))
					b.kept.keep([]byte(list(b.talk)), f.Archive)
					for n := range len(b.ends) - 1 {
						front, turn, behind := b.talk[:b.ends[n]], b.talk[b.ends[n]:b.ends[n+1]], b.talk[b.ends[n+1]:]
						other := slices.Concat(front, respelled(turn), behind)
						if list(other) == list(b.talk) {
							continue
						}
						if tried++; b.passes(t, other) {
							used++
						}
						twice := slices.Concat(front, turn, respelled(turn), behind)
						f := b.fit(t, list(twice))
						b.kept.keep([]byte(list(twice)), f.Archive)
						b.passes(t, slices.Concat(front, respelled(turn), turn, behind))
					}
				}
				if used == 0 && tried > 0 {
					t.Errorf("no compaction was used for another branch, of %d", tried)
				}
			})
		}
	}
}

// TestRestoreOfACopyWrittenDifferently does the same with one occurrence of the arguments at a time. Some formats have them twice in a message,
// as an object and as text or in two lists.
func TestRestoreOfACopyWrittenDifferently(t *testing.T) {
	t.Parallel()
	for _, format := range judged() {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(budget(1, 1, 10)) {
				b := newBranching(format, seed, true)
				f := b.fit(t, list(b.talk))
				b.kept.keep([]byte(list(b.talk)), f.Archive)
				for i, m := range b.talk {
					found := twoArguments.FindAllSubmatchIndex(m, -1)
					for _, at := range found[:min(len(found), 4)] {
						other := slices.Clone(b.talk)
						other[i] = slices.Concat(m[:at[2]], m[at[4]:at[5]], []byte(`,`), m[at[2]:at[3]], m[at[5]:])
						b.passes(t, other)
					}
				}
			}
		})
	}
}
