package core_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"testing"
)

// TestRestoreOfRandomApps lets random apps edit, branch, move cache breakpoints and replay compactions, and stores every archived body.
// Restoring each answer with its state must yield the history that was passed, except for breakpoints. A replay must replace messages by
// those that were sent first. SEED repeats one app.
func TestRestoreOfRandomApps(t *testing.T) {
	t.Parallel()
	policies := []string{"", `,"passes":[{"pass":"reasoning","mode":"strip"},{"pass":"dedupe"},{"pass":"squeeze","keep_recent":1},{"pass":"clear","keep_recent":2,"min_reclaim":1},{"pass":"fold","keep_tokens":300}]`,
		`,"passes":[{"pass":"clear","keep_recent":1,"min_reclaim":1},{"pass":"truncate"},{"pass":"reasoning","mode":"latest_turn"},{"pass":"fold","keep_tokens":800,"boundary":"group"}]`}
	seeds := budget(1, 1, 40)
	if n, err := strconv.Atoi(os.Getenv("SEEDS")); err == nil {
		seeds = n
	}
	for i, format := range judged() {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			replays, compactions, failed, from := 0, 0, 0, firstSeed(i%3)
			for n := range seeds {
				seed := uint64(from + n)
				r := rand.New(rand.NewPCG(seed, 9))
				u := newUser(t, format, policies[r.IntN(len(policies))]+`,"archive":"places"`, seed)
				kept := shelf{}
				first := map[string]made{} // by its entry of memory
				for i, d := range deeds(r, budget(40, 40, 60)) {
					given := u.do(d)
					messages := list(given)
					f := u.app.fit(t, messages)
					kept.keep([]byte(messages), f.Archive)
					switch {
					case f.Report.Changed:
						compactions++
						first[string(f.Memory)] = madeOf(t, f, u.marks)
					case f.Known >= 0:
						replays++
						if wrong := first[u.app.memory[f.Known]].again(t, f.Messages, given, u.marks); wrong != "" {
							t.Errorf("SEED=%d, deed %d (%s), known %d: %s", seed, i, d, f.Known, wrong)
						}
					default:
						continue
					}
					back := kept.restoreAll(t, fmt.Sprintf(`"policy":{"format":%q},"state":%s`, format, f.State), string(f.Messages))
					var out []json.RawMessage
					if err := json.Unmarshal(back.Messages, &out); err != nil {
						t.Fatal(err)
					}
					same := func(k int) bool {
						return bytes.Equal(out[k], given[k]) || u.marks > 0 && bare(t, out[k]) == bare(t, given[k])
					}
					wrong := ""
					for k := 0; k < max(len(out), len(given)) && wrong == ""; k++ {
						switch {
						case k >= len(out):
							wrong = fmt.Sprintf("%d messages are back of %d; message %d was %.300s", len(out), len(given), k, given[k])
						case k >= len(given):
							wrong = fmt.Sprintf("%d messages are back of %d; message %d is %.300s", len(out), len(given), k, out[k])
						case !same(k):
							wrong = fmt.Sprintf("message %d of %d is %.300s, and was %.300s", k, len(out), out[k], given[k])
						}
					}
					if wrong != "" {
						if failed++; failed < 4 {
							t.Errorf("SEED=%d, deed %d (%s), known %d, changed %v: %s; left are %v", seed, i, d, f.Known, f.Report.Changed, wrong, back.Markers)
						}
					}
				}
			}
			if failed > 0 {
				t.Errorf("%d of %d compactions and %d replays", failed, compactions, replays)
			}
			if replays == 0 && seeds > 3 {
				t.Error("nothing was replayed")
			}
		})
	}
}

// made records the messages that a compaction sent in place of those that it replaced.
type made struct {
	sent  []json.RawMessage
	leans map[int]int // which of them repeat what a later message has, and their indexes in the history
	marks int         // which breakpoints the app had
}

func madeOf(t testing.TB, f fitted, marks int) made {
	t.Helper()
	var all []json.RawMessage
	var entry struct {
		Edits []struct {
			Keep []int
			Set  int
			On   string
		}
	}
	if json.Unmarshal(f.Messages, &all) != nil || json.Unmarshal(f.Memory, &entry) != nil {
		t.Fatalf("%.300s", f.Memory)
	}
	n, leans := 0, map[int]int{}
	for _, e := range entry.Edits {
		if e.On != "" {
			leans[n] = e.Set
		}
		if n++; len(e.Keep) == 2 {
			n += e.Keep[1] - e.Keep[0] - 1
		}
	}
	return made{all[:n], leans, marks}
}

// again checks that a replay sends a message with the same bytes as the first time, except for changed breakpoints of the app. If a message
// refers to a later one that is gone, it must be as the app passes it.
func (m made) again(t testing.TB, messages []byte, given []json.RawMessage, marks int) string {
	t.Helper()
	var sent []json.RawMessage
	if err := json.Unmarshal(messages, &sent); err != nil {
		t.Fatal(err)
	}
	if len(m.sent) == 0 || len(sent) < len(m.sent) {
		return fmt.Sprintf("%d messages are sent, and were %d at least", len(sent), len(m.sent))
	}
	for i := range m.sent {
		if of, leans := m.leans[i]; leans && bytes.Equal(sent[i], given[of]) {
			continue
		}
		// A compaction marks its digest where that pays; later the app's own breakpoints count.
		if unmarked(string(sent[i])) != unmarked(string(m.sent[i])) && (marks == m.marks || bare(t, sent[i]) != bare(t, m.sent[i])) {
			return fmt.Sprintf("message %d is %.300s, and was sent as %.300s", i, sent[i], m.sent[i])
		}
	}
	return ""
}

// volatile matches the members that these apps change in all messages of each request, besides breakpoints.
var volatile = regexp.MustCompile(`"providerOptions":\{"mastra":\{"createdAt":\d+\}\},?|,?"providerOptions":\{"mastra":\{"createdAt":\d+\}\}|"status":"completed[01]?",?`)

// bare is a message as an app may have it in any request.
func bare(t testing.TB, message []byte) string {
	t.Helper()
	return volatile.ReplaceAllString(unmarked(compacted(t, message)), "")
}
