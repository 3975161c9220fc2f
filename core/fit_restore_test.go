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

// TestRestoreOfRandomApps lets random apps edit, branch, move their cache breakpoints and replay compactions, keeps every body that is archived, and
// takes each answer back with the state that came with it: the history that was given, but for breakpoints. SEED repeats one of them.
func TestRestoreOfRandomApps(t *testing.T) {
	t.Parallel()
	policies := []string{"", `,"passes":[{"pass":"reasoning","mode":"strip"},{"pass":"dedupe"},{"pass":"squeeze","keep_recent":1},{"pass":"clear","keep_recent":2,"min_reclaim":1},{"pass":"fold","keep_tokens":300}]`,
		`,"passes":[{"pass":"clear","keep_recent":1,"min_reclaim":1},{"pass":"truncate"},{"pass":"reasoning","mode":"latest_turn"},{"pass":"fold","keep_tokens":800,"boundary":"group"}]`}
	seeds := budget(1, 4, 60)
	from, _ := strconv.Atoi(os.Getenv("SEED"))
	if n, err := strconv.Atoi(os.Getenv("SEEDS")); err == nil {
		seeds = n
	}
	for _, format := range judged() {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			replays, compactions, failed := 0, 0, 0
			for n := range seeds {
				seed := uint64(from + n)
				r := rand.New(rand.NewPCG(seed, 9))
				u := newUser(t, format, policies[r.IntN(len(policies))]+`,"archive":"places"`, seed)
				kept := shelf{}
				for i, d := range deeds(r, 60) {
					given := u.do(d)
					messages := list(given)
					f := u.app.fit(t, messages)
					kept.keep([]byte(messages), f.Archive)
					if f.Report.Changed {
						compactions++
					} else if f.Known >= 0 {
						replays++
					} else {
						continue
					}
					back := kept.restoreAll(t, fmt.Sprintf(`"policy":{"format":%q},"state":%s`, format, f.State), string(f.Messages))
					var out []json.RawMessage
					if err := json.Unmarshal(back.Messages, &out); err != nil {
						t.Fatal(err)
					}
					wrong := ""
					for k := range given {
						if k >= len(out) || !bytes.Equal(out[k], given[k]) && (u.marks == 0 || bare(t, out[k]) != bare(t, given[k])) {
							wrong = fmt.Sprintf("message %d of %d (%d are back)", k, len(given), len(out))
							if k < len(out) {
								wrong += fmt.Sprintf(" is %.300s, and was %.300s", out[k], given[k])
							}
							break
						}
					}
					if wrong == "" && len(out) != len(given) {
						wrong = fmt.Sprintf("%d messages are back of %d", len(out), len(given))
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

// volatile is what the apps of these tests change in all messages of each request, next to the breakpoints.
var volatile = regexp.MustCompile(`"providerOptions":\{"mastra":\{"createdAt":\d+\}\},?|,?"providerOptions":\{"mastra":\{"createdAt":\d+\}\}|"status":"completed[01]?",?`)

// bare is a message as an app may have it in any request.
func bare(t testing.TB, message []byte) string {
	t.Helper()
	return volatile.ReplaceAllString(unmarked(compacted(t, message)), "")
}
