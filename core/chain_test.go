package core_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/facts"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/tokens"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/wire"
	"github.com/ctxfold/ctxfold/internal/testing/sessions"
)

// chained is the number of consecutive compactions in TestChain.
const chained = 10

// chain is a real session that is compacted again and again as it grows.
type chain struct {
	sessions.Session
	t      *transcript.Transcript
	sizes  []int
	groups []int32
	total  int
	facts  []map[facts.Fact]bool // of each message
	later  []map[facts.Fact]bool // of each message, what its author wrote
}

func newChain(t testing.TB, s sessions.Session) *chain {
	c := &chain{Session: s, t: readList(t, s.Format, s.JSON())}
	seq := make([]int32, len(c.t.Messages))
	est := tokens.ByName("bytes4")
	for i := range seq {
		seq[i] = int32(i)
		c.sizes = append(c.sizes, est.Message(c.t, i))
		c.total += c.sizes[i]
	}
	c.groups = c.t.Groups(seq)
	return c
}

func readList(t testing.TB, format string, list []byte) *transcript.Transcript {
	t.Helper()
	s := jsonspan.New(list)
	tr := wire.ByName(format).Read(s)
	if s.Err() != nil {
		t.Fatal(s.Err())
	}
	return tr
}

// collect finds the facts of all messages.
func (c *chain) collect() {
	of := func(i int, written bool) map[facts.Fact]bool {
		found := map[facts.Fact]bool{}
		for _, text := range facts.Texts(c.t, int32(i), written) {
			facts.Collect(text, found)
		}
		return found
	}
	for i := range c.t.Messages {
		c.facts, c.later = append(c.facts, of(i, false)), append(c.later, of(i, true))
	}
}

// wanted returns the facts of the first n messages that later messages repeat.
func (c *chain) wanted(n int) (out []facts.Fact) {
	before := map[facts.Fact]bool{}
	for _, found := range c.facts[:n] {
		for f := range found {
			before[f] = true
		}
	}
	for _, found := range c.later[n:] {
		for f := range found {
			if before[f] {
				out = append(out, f)
				delete(before, f)
			}
		}
	}
	return out
}

// link is one compaction in a chain: its result for the first n messages of the session, and its state.
type link struct {
	n      int
	text   string
	state  json.RawMessage
	tokens struct{ Before, After, Limit, Window int }
}

// run feeds the session, group by group, and compacts it whenever it is over the limit.
func (c *chain) run(t testing.TB, window int, how string) (links []link) {
	policy := fmt.Sprintf(`{"format":%q,"estimator":"bytes4","window":{"tokens":%d,"reserve":0},%s}`, c.Format, window, how)
	limit := window * 8 / 10
	var list []json.RawMessage
	state, size := "null", 0
	for i := 0; i < len(c.Messages) && len(links) < chained; {
		for g := c.groups[i]; i < len(c.Messages) && c.groups[i] == g; i++ {
			list, size = append(list, c.Messages[i]), size+c.sizes[i]
		}
		if size <= limit {
			continue
		}
		in, err := json.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		a := compacts(t, policy, state, string(in), "")
		if a.Error != nil {
			t.Fatalf("%s: %+v", c.Name, a.Error)
		}
		state, size = string(a.State), a.Report.Tokens.After
		if !a.Report.Changed {
			continue
		}
		list = nil
		if err := json.Unmarshal(a.Messages, &list); err != nil {
			t.Fatal(err)
		}
		tr := readList(t, c.Format, a.Messages)
		var b strings.Builder
		for m := range tr.Messages {
			for _, text := range facts.Texts(tr, int32(m), false) {
				b.WriteString(text + "\n")
			}
		}
		links = append(links, link{i, b.String(), a.State, a.Report.Tokens})
	}
	return links
}

// share returns the share of the facts needed later that the result of a compaction contains; false if there are too few of them.
func (c *chain) share(l link) (share float64, ok bool) {
	kept, wanted := 0, c.wanted(l.n)
	if len(wanted) < 10 {
		return 0, false
	}
	for _, f := range wanted {
		if facts.Holds(l.text, f.Text) {
			kept++
		}
	}
	return float64(kept) / float64(len(wanted)), true
}

// TestChain compacts the longest real sessions ten times in a row, each time when they are over the limit again: with the local
// digest, and in make test-long with a digest that only counts, and by dropping the oldest. It writes what the transcript then still holds of the
// facts that later messages use to the log, and to the file that CTXFOLD_CHAIN names.
//
// With the local digest the first request, the newest ten, and all modified files must be there after each compaction of the
// longest, which must leave as much room as the policy says; of the others the requests that fit.
func TestChain(t *testing.T) {
	t.Parallel()
	ways := []struct{ name, policy string }{
		{"local digest", `"summary":{"mode":"local"}`},
		{"count only", `"summary":{"mode":"minimal"}`},
		{"oldest dropped", `"passes":[{"pass":"fit"}]`},
	}
	measured := budget(1, 1, len(ways)) // the local digest has promises, the others are there to be compared with it
	if os.Getenv("CTXFOLD_CHAIN") != "" {
		measured = len(ways)
	}
	var chains []*chain
	for _, s := range sessions.Load(t, "openai-chat", "openai-responses", "anthropic", "gemini") {
		if strings.HasSuffix(s.Name, ")") || strings.HasSuffix(s.Name, "gemini-contents.json") || strings.HasSuffix(s.Name, "ui-messages.json") {
			continue // the same session in another format
		}
		if c := newChain(t, s); c.total >= 30000 {
			chains = append(chains, c)
		}
	}
	slices.SortStableFunc(chains, func(a, b *chain) int { return cmp.Compare(b.total, a.total) })
	if testing.Short() {
		chains = chains[:min(2, len(chains))]
	}
	var out strings.Builder
	fmt.Fprintf(&out, "| session | tokens | window | compactions |")
	for _, w := range ways[:measured] {
		fmt.Fprintf(&out, " %s: last, mean |", w.name)
	}
	fmt.Fprintf(&out, "\n|---|---:|---:|---:|%s\n", strings.Repeat("---:|", measured))
	whole := 0
	for i, c := range chains {
		window := c.total / 6
		links := make([][]link, measured)
		for w := range measured {
			links[w] = c.run(t, window, ways[w].policy)
		}
		if len(links[0]) < 3 {
			continue
		}
		if len(links[0]) == chained {
			whole++
		}
		c.kept(t, links[0], i == 0)
		c.collect()
		fmt.Fprintf(&out, "| %s | %d | %d | %d |", c.Name, c.total, window, len(links[0]))
		for w := range measured {
			sum, last, n := 0.0, 0.0, 0.0
			for _, l := range links[w] {
				if share, ok := c.share(l); ok {
					last, sum, n = share, sum+share, n+1
				}
			}
			fmt.Fprintf(&out, " %.1f %%, %.1f %% |", 100*last, 100*sum/max(1, n))
		}
		fmt.Fprintln(&out)
	}
	t.Log("\n" + out.String())
	if whole == 0 {
		t.Errorf("no session was compacted %d times", chained)
	}
	if file := os.Getenv("CTXFOLD_CHAIN"); file != "" {
		if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
			t.Error(err)
		}
	}
}

// kept checks the content that every compaction in a chain with the local digest must retain.
func (c *chain) kept(t *testing.T, links []link, longest bool) {
	t.Helper()
	all := make([]int32, len(c.t.Messages))
	for i := range all {
		all[i] = int32(i)
	}
	for k, l := range links {
		text := facts.Words(l.text)
		asked := facts.Requests(c.t, all[:l.n])
		newest := len(asked) - 10
		if !longest { // its window is large enough for all
			newest = len(asked) - fit(asked, l.tokens.Limit)
		}
		for i, q := range asked {
			if i > 0 && i < newest {
				continue
			}
			q = facts.Words(q)
			first, last := q, q
			if len(q) > 120 { // of long ones the middle is clipped; of those with pasted output, the output, wherever it is
				first, last = strings.ToValidUTF8(q[:28], ""), strings.ToValidUTF8(q[len(q)-28:], "")
			}
			if !strings.Contains(text, first) && !strings.Contains(text, last) {
				t.Errorf("%s: compaction %d lost request %d of %d: %s", c.Name, k+1, i+1, len(asked), q)
			}
		}
		var ledger digest.Ledger
		ledger.Add(c.t, all[:l.n])
		lost := 0
		for _, path := range ledger.Modified {
			if parts := strings.Split(path, "/"); !strings.Contains(l.text, parts[len(parts)-1]) { // it may be relative
				lost++
			}
		}
		if lost > len(ledger.Modified)/2 { // the newest stay
			t.Errorf("%s: compaction %d lost %d of %d modified files", c.Name, k+1, lost, len(ledger.Modified))
		}
		if target := l.tokens.Limit * 6 / 10; longest && l.tokens.After > target {
			t.Errorf("%s: compaction %d left %d tokens, and was to leave %d", c.Name, k+1, l.tokens.After, target)
		}
	}
}

// fit returns how many of the newest requests, at most ten, fit together in two fifths of a digest, which has a quarter of the target.
func fit(asked []string, limit int) int {
	left, n := limit*6/10/4*4*2/5, 0
	for _, q := range slices.Backward(asked) {
		if left -= len(q) + 4; left < 0 || n == 10 {
			break
		}
		n++
	}
	return n
}
