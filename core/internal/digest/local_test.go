package digest_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/digest"
)

var update = flag.Bool("update", false, "write the files of testdata anew")

// work is a session of a coding agent that contains everything a digest can include: rules, requests, a plan,
// decisions, files, commands, open and repaired errors, links, names, numbers, code, lists, and text that a program put
// into the user's message.
const work = `[
{"role":"user","content":"<system-reminder>Today is Monday.</system-reminder>Fix the date parser in src/dates/parse.go. It must accept 2023-05-08T10:00:00Z and 8 May 2023.\n\nAlways run gofmt before you commit. Never touch the generated files in gen/."},
{"role":"assistant","content":"I read the parser first.","tool_calls":[{"id":"1","type":"function","function":{"name":"read","arguments":"{\"path\":\"src/dates/parse.go\"}"}},{"id":"2","type":"function","function":{"name":"bash","arguments":"{\"command\":[\"bash\",\"-lc\",\"go test ./src/dates/... -run TestParse\"]}"}}]},
{"role":"tool","tool_call_id":"1","content":"package dates\n\nfunc parseDate(s string) (Date, error) {\n\treturn Date{}, errNoDate\n}\n"},
{"role":"tool","tool_call_id":"2","content":"--- FAIL: TestParse (0.00s)\n    parse_test.go:31: error: parseDate(\"8 May 2023\"): no date\nFAIL\nexit status 1\n"},
{"role":"assistant","content":"The layout time.RFC3339 is missing. My plan:\n\n1. add layoutDay to the list of layouts\n2. run the tests of src/dates\n3. measure with BenchmarkParse\n\nI decided to keep errNoDate because callers compare it. See https://pkg.go.dev/time#Layout for the layouts.","tool_calls":[{"id":"3","type":"function","function":{"name":"edit_file","arguments":"{\"path\":\"src/dates/parse.go\",\"old\":\"a\",\"new\":\"b\"}"}}]},
{"role":"tool","tool_call_id":"3","content":"edited"},
{"role":"user","content":"Good. Use at most 120 columns.\n\nTwo more things:\n- the month names of German (Mai, März) too\n- an error must say at which byte it stands\n\nIt looked like this:\n` + "```" + `\npanic: index out of range [8] with length 8\nmain.go:12\n` + "```" + `"},
{"role":"assistant","content":"","tool_calls":[{"id":"4","type":"function","function":{"name":"bash","arguments":"{\"command\":\"go test ./src/dates/... && gofmt -l .\"}"}},{"id":"5","type":"function","function":{"name":"read","arguments":"{\"path\":\"src/dates/months.go\"}"}}]},
{"role":"tool","tool_call_id":"4","content":"ok  \texample.com/app/src/dates\t0.012s\n"},
{"role":"tool","tool_call_id":"5","content":"open src/dates/months.go: no such file or directory"},
{"role":"assistant","content":"The tests pass. The table of months belongs into src/dates/months.go, which is not there yet; version 1.24.3-beta of golang.org/x/text has the names. BenchmarkParse takes 1250 ns, 3 allocations."},
{"role":"user","content":"Then write months.go. Don't use golang.org/x/text, please."},
{"role":"assistant","content":"","tool_calls":[{"id":"6","type":"function","function":{"name":"write_file","arguments":"{\"path\":\"src/dates/months.go\",\"content\":\"package dates\"}"}},{"id":"7","type":"function","function":{"name":"bash","arguments":"{\"command\":\"make lint\"}"}}]},
{"role":"tool","tool_call_id":"6","content":"written"},
{"role":"tool","tool_call_id":"7","content":"src/dates/months.go:3:5: error: undefined: monthNames\nmake: *** [lint] Error 2\nexit code: 2\n"},
{"role":"assistant","content":"monthNames is not defined yet. I add it next."}
]`

// TestLocalExact compares digests written without a model with testdata/local.txt. The digests are of this session and
// of one with another program's summary, in several sizes. The flag -update rewrites the file.
func TestLocalExact(t *testing.T) {
	const name = "testdata/local.txt"
	var b strings.Builder
	for _, s := range []struct{ name, format, messages, before string }{
		{"work", "openai-chat", work, ""},
		{"work, continued", "openai-chat", work, "# Objective\nKeep the parser of dates working.\n\n# Guardrails\n- Never drop errNoDate.\n\n# Rationale\n- layouts stand in a table, because they are tried in order\n\n# Carryover\nThe CI of example.com/app runs at night.\n"},
		{"little", "native", session, "prior facts"},
	} {
		for _, max := range []int{500, 1200, 3000, 12000} {
			tr, seq := read(t, s.format, s.messages)
			l := &digest.Ledger{}
			l.Add(tr, seq)
			fmt.Fprintf(&b, "=== %s, %d bytes\n%s\n", s.name, max, digest.NewExtract(tr, seq, s.before, l).Digest(max))
		}
		tr, seq := read(t, s.format, s.messages)
		l := &digest.Ledger{}
		l.Add(tr, seq)
		for _, max := range []int{60, 200, 500, 4000} {
			fmt.Fprintf(&b, "=== %s, ledger of %d bytes\n%s\n%s\n", s.name, max, l.TextBeside(max, 0), l.StandingBlock(max))
		}
		fmt.Fprintf(&b, "=== %s, ledger of 100 bytes, the requests may have 300 more\n%s\n", s.name, l.TextBeside(100, 300))
	}
	if *update {
		if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Split(b.String(), "\n"), strings.Split(string(want), "\n"); !equal(t, got, want) {
		t.Error("go test ./core/internal/digest -run TestLocalExact -update writes the file anew")
	}
}

// equal compares lines and reports the first difference.
func equal(t *testing.T, got, want []string) bool {
	t.Helper()
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Errorf("line %d:\n%s\nwant\n%s", i+1, strings.Join(got[min(i, len(got)):min(i+3, len(got))], "\n"), strings.Join(want[min(i, len(want)):min(i+3, len(want))], "\n"))
			return false
		}
	}
	return true
}

// A chat with nothing to report has an empty digest rather than none.
func TestChatDigestOfNothing(t *testing.T) {
	for _, src := range []string{`[]`, `[{"role":"user","content":""}]`, `[{"role":"user","content":"?"}]`} {
		tr, messages := read(t, "native", src)
		if got := digest.NewExtract(tr, messages, "", &digest.Ledger{}).Digest(1000); strings.Contains(got, "\n- ") {
			t.Errorf("%s: %q", src, got)
		}
	}
}
