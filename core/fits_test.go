package core_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core"
	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/ctxfold/ctxfold/internal/testing/gen"
	"github.com/ctxfold/ctxfold/internal/testing/judge"
	"github.com/ctxfold/ctxfold/internal/testing/sessions"
	"github.com/ctxfold/ctxfold/internal/testing/trials"
)

var update = flag.Bool("update", false, "write the table of docs/guides/presets.md anew")

// leastDigest is the approximate minimum size of a digest, in tokens.
const leastDigest = 100

// fixedPart returns the messages of a list that no compaction may change: system messages, the newest user message, and the result of the
// provider's own compaction, including its item.
func fixedPart(t testing.TB, format string, messages []byte) string {
	t.Helper()
	var all []json.RawMessage
	if err := json.Unmarshal(messages, &all); err != nil {
		t.Fatal(err)
	}
	var fixed []string
	returned := 0
	for i, m := range all {
		var item struct{ Role, Type string }
		_ = json.Unmarshal(m, &item)
		if item.Type == "compaction" {
			returned = i
		}
		if item.Role == "assistant" || item.Type != "" && item.Type != "message" {
			break
		}
	}
	for i, m := range all {
		var role struct{ Role string }
		_ = json.Unmarshal(m, &role)
		if role.Role == "system" || role.Role == "developer" || i < returned {
			fixed = append(fixed, string(m))
		}
	}
	last := len(all) - 1
	if u := judge.LastUser(format, messages); u != nil {
		for !bytes.Contains(all[last], u) { // it may be a word of the user in an assistant message
			last--
		}
		fixed = append(fixed, string(all[last]))
	}
	// A call that waits for its result holds the reasoning that it came from.
	if n := len(all); n > 0 && bytes.Contains(all[n-1], []byte(`"type":"function_call"`)) {
		for _, m := range all[last+1:] {
			fixed = append(fixed, string(m))
		}
	}
	return "[" + strings.Join(fixed, ",") + "]"
}

// fixedTokens estimates the tokens of these messages; 0 if there are none.
func fixedTokens(t testing.TB, policy, format string, messages []byte) int {
	t.Helper()
	fixed := fixedPart(t, format, messages)
	if fixed == "[]" {
		return 0
	}
	return estimateOf(t, policy, fixed)
}

// everySession returns the real sessions of all formats, and those that open extracts from agents' files.
func everySession(t *testing.T) []sessions.Session {
	t.Helper()
	all := sessions.Load(t, formats...)
	for _, glob := range []string{"gemini_cli/*.json", "pi/*.jsonl"} {
		files, err := filepath.Glob(filepath.Join(sessions.Dir(t), glob))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var s sessions.Session
			if err := json.Unmarshal(core.Call("open", src), &s); err != nil || len(s.Messages) == 0 {
				t.Fatalf("%s: %v", file, err)
			}
			s.Name = file
			all = append(all, s)
		}
	}
	return all
}

// fitting is a row of the table: the results for the sessions that were due.
type fitting struct {
	due, over, window, bare int
	after                   []int
}

// With every preset and in windows of 4,000, 8,000 and 16,000 tokens no real session stays over the limit whose newest user
// message and system prompt are not over it alone, and each that does is reported. The table of docs/guides/presets.md says how many; make
// test makes its row of the first preset at 8,000 tokens, and tries each session in one other row. make test-long checks all rows, and make
// fits writes them.
func TestRealSessionsFit(t *testing.T) {
	t.Parallel()
	windows := []int{4000, 8000, 16000}
	table := map[string]map[int]*fitting{}
	all := *update || trials.All()
	for n, s := range everySession(t) {
		messages := s.JSON()
		for i, preset := range policy.Presets() {
			for k, window := range windows {
				inRow := all || i == 0 && window == 8000
				if !inRow && !covers(n, len(windows)*i+k, len(windows)*len(policy.Presets())) {
					continue
				}
				pol := fmt.Sprintf(`{"preset":%q,"format":%q,"summary":{"mode":"local"},"window":{"tokens":%d}}`, preset.Name, s.Format, window)
				a := compacts(t, pol, "", string(messages), summaryText)
				if a.Error != nil && a.Error.Code == "out_of_range" { // the preset's reserve takes all of such a window
					pol = strings.Replace(pol, `}}`, fmt.Sprintf(`,"reserve":%d}}`, window/8), 1)
					a = compacts(t, pol, "", string(messages), summaryText)
				}
				if a.Error != nil {
					t.Fatalf("%s, %s at %d: %s", s.Name, preset.Name, window, a.Error.Message)
				}
				tokens := a.Report.Tokens
				if fits := tokens.After <= tokens.Limit; a.Report.Fits != fits || (a.Report.Over == nil) != fits {
					t.Errorf("%s, %s at %d: fits is %v at %d of %d tokens", s.Name, preset.Name, window, a.Report.Fits, tokens.After, tokens.Limit)
				}
				if tokens.Before <= tokens.Limit {
					continue
				}
				row := &fitting{} // of no table
				if inRow && table[preset.Name] == nil {
					table[preset.Name] = map[int]*fitting{}
				}
				if inRow && table[preset.Name][window] == nil {
					table[preset.Name][window] = row
				} else if inRow {
					row = table[preset.Name][window]
				}
				row.due++
				row.after = append(row.after, tokens.After)
				if bare := compacts(t, strings.Replace(pol, "{", `{"last_resort":false,`, 1), "", string(messages), summaryText); !bare.Report.Fits {
					row.bare++
				}
				if a.Report.Changed && judge.Known(s.Format) {
					if bad := judge.Valid(s.Format, a.Messages); len(bad) > 0 {
						t.Errorf("%s, %s at %d: invalid: %s", s.Name, preset.Name, window, bad[0])
					}
				}
				if a.Report.Fits {
					continue
				}
				row.over++
				if a.Report.Over.Window > 0 {
					row.window++
				}
				if !judge.Known(s.Format) {
					continue
				}
				if fixed := fixedTokens(t, pol, s.Format, messages); fixed+leastDigest <= tokens.Limit {
					t.Errorf("%s, %s at %d: %s; but what must stay has %d", s.Name, preset.Name, window, a.Report.Over.Text, fixed)
				}
			}
		}
	}
	checkTable(t, fitTable(table, windows))
}

// fitTable returns the table in the form of docs/guides/presets.md.
func fitTable(table map[string]map[int]*fitting, windows []int) string {
	var b strings.Builder
	b.WriteString("| preset | window | over the limit before | after the passes | after the last resort | of these over the window | tokens after, median |\n")
	b.WriteString("|---|---:|---:|---:|---:|---:|---:|\n")
	for _, preset := range policy.Presets() {
		for _, window := range windows {
			r := table[preset.Name][window]
			if r == nil {
				continue
			}
			slices.Sort(r.after)
			fmt.Fprintf(&b, "| `%s` | %d | %d | %d | %d | %d | %d |\n", preset.Name, window, r.due, r.bare, r.over, r.window, r.after[len(r.after)/2])
		}
	}
	return b.String()
}

const (
	fitBegin = "<!-- made by `make fits` -->\n"
	fitEnd   = "<!-- end -->\n"
)

// checkTable compares a table with the one in docs/guides/presets.md, which may have more rows, or writes it there.
func checkTable(t *testing.T, table string) {
	t.Helper()
	file := filepath.Join("..", "docs", "guides", "presets.md")
	doc, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(doc), fitBegin)
	old, after, ended := strings.Cut(rest, fitEnd)
	stale := slices.ContainsFunc(slices.Collect(strings.Lines(table)), func(row string) bool { return !strings.Contains(old, row) })
	switch {
	case !found || !ended:
		t.Fatal("docs/guides/presets.md has no place for the table")
	case !stale && !*update:
	case *update:
		if err := os.WriteFile(file, []byte(before+fitBegin+table+fitEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
	case os.Getenv("CTXFOLD_DATA") != "":
		t.Log("other sessions than those of docs/guides/presets.md:\n" + table)
	default:
		t.Errorf("the table of docs/guides/presets.md is stale: run `make fits`\n%s", table)
	}
}

// Random conversations fit into small windows, except for messages that must stay and a digest of minimum size.
func TestRandomConversationsFit(t *testing.T) {
	t.Parallel()
	n := max(200, wanted()/20)
	over := 0
	for i := range uint64(n) {
		r := rand.New(rand.NewPCG(*seed, 1<<32+i))
		all := judged()
		format := all[r.IntN(len(all))]
		messages := join(gen.New(r, gen.Options{Messages: 4 + r.IntN(40)}).Render(format, r), r)
		presets := policy.Presets()
		window := []int{400, 800, 1500, 3000}[r.IntN(4)]
		pol := fmt.Sprintf(`{"preset":%q,"format":%q,"window":{"tokens":%d,"reserve":%d},"archive":%q}`, presets[r.IntN(len(presets))].Name,
			format, window, window/8, []string{"", "places"}[r.IntN(2)])
		if string(messages) == "[]" {
			continue
		}
		a, broken := promises(t, format, pol, messages, summaryText)
		for _, b := range broken {
			t.Errorf("conversation %d of seed %d, %s: %s", i, *seed, pol, b)
		}
		if a.Error != nil || a.Report.Fits || a.Report.Reason == "open_thinking" { // until the calls have their results
			continue
		}
		over++
		if fixed := fixedTokens(t, pol, format, messages); a.Report.Tokens.After > fixed+340 { // the least digest, and what is around it
			t.Errorf("conversation %d of seed %d, %s: %s; but what must stay has %d", i, *seed, pol, a.Report.Over.Text, fixed)
		}
	}
	t.Logf("%d of %d conversations hold more than fits that must stay", over, n)
}
