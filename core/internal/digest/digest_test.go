package digest_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/wire"
)

func read(t testing.TB, format, src string) (*transcript.Transcript, []int32) {
	t.Helper()
	s := jsonspan.New([]byte(src))
	tr := wire.ByName(format).Read(s)
	if s.Err() != nil {
		t.Fatal(s.Err())
	}
	seq := make([]int32, len(tr.Messages))
	for i := range seq {
		seq[i] = int32(i)
	}
	return tr, seq
}

const session = `[
{"role":"user","content":"Fix the parser.\r\nPlease.  \nThanks"},
{"role":"assistant","content":[{"type":"reasoning","text":"Look first."},{"type":"text","text":"Reading it."},{"type":"tool_call","id":"1","name":"Read","arguments":{"file_path":"a.go"}},{"type":"tool_call","id":"2","name":"edit_file","arguments":{"path":"b.go"}}]},
{"role":"tool_result","tool_call_id":"1","tool_name":"Read","content":[{"type":"text","text":"package a"}]},
{"role":"tool_result","tool_call_id":"2","tool_name":"edit_file","content":"no such file","is_error":true},
{"role":"bash_execution","command":"go test","output":"ok","exit_code":0},
{"role":"custom","custom_type":"hint","content":"be brief"},
{"role":"compaction_summary","summary":"earlier things","tokens_before":9},
{"role":"user","content":"   "}
]`

// The marks are those of S3.22.
func TestFlatten(t *testing.T) {
	tr, seq := read(t, "native", session)
	want := `» you: Fix the parser.
Please.
Thanks

» agent.plan: Look first.

» agent: Reading it.

» agent.call Read: {"file_path":"a.go"}

» agent.call edit_file: {"path":"b.go"}

» tool (Read): package a

» tool!err (edit_file): no such file

» shell$ go test [exit 0] ok

» note (hint): be brief

» digest: earlier things

`
	if got := digest.Flatten(tr, seq, 0); got != want {
		t.Errorf("got\n%s", got)
	}
}

func TestLedger(t *testing.T) {
	tr, seq := read(t, "native", session)
	l := digest.Ledger{Read: []string{"b.go", "z.go"}, Modified: []string{"c.go"}}
	l.Add(tr, seq)
	want := `

<user-requests>
- [first] Fix the parser.
  Please.
  Thanks
</user-requests>

<modified-files>
c.go
</modified-files>

<open-errors>
- edit_file (b.go): no such file
</open-errors>

<commands-run>
go test → exit 0
</commands-run>

<read-files>
b.go
z.go
a.go
</read-files>`
	if got := l.TextBeside(4000, 0); got != want {
		t.Errorf("got %s", got)
	}
	for max := range 1000 {
		if got := l.TextBeside(max, 0); len(got) > max {
			t.Fatalf("%d bytes for %d", len(got), max)
		}
	}
	// A host that lost the state gets it back from the digest.
	var back digest.Ledger
	if body := digest.Body(digest.Message("# Objective\nx"+l.TextBeside(4000, 0)), &back); body != "# Objective\nx" || !reflect.DeepEqual(back, l) {
		t.Errorf("%q, and the ledger came back as %+v, not %+v", body, back, l)
	}
}

// The effects of many agents' tools are recognized by the names and the arguments of the tools.
func TestLedgerKnowsTools(t *testing.T) {
	for _, c := range []struct{ name, args, read, modified, command string }{
		{"read_file", `{"filePath":"a"}`, "a", "", ""},
		{"read_many_files", `{"paths":["a","b"]}`, "a b", "", ""},
		{"mcp__fs__read_file", `{"path":"a"}`, "a", "", ""},
		{"functions.view", `{"file_path":"a"}`, "a", "", ""},
		{"str_replace_based_edit_tool", `{"command":"str_replace","path":"a"}`, "", "a", ""},
		{"MultiEdit", `{"file_path":"a","edits":[{"old_string":"x"}]}`, "", "a", ""},
		{"apply_patch", `{"input":"*** Begin Patch\n*** Update File: a\n@@\n*** Add File: b\n*** End Patch"}`, "", "a b", ""},
		{"apply_patch", `{"patch":"--- a/x.go\n+++ b/x.go\n"}`, "", "x.go", ""},
		{"bash", `{"command":"cat a.go b.go | head -3"}`, "a.go b.go", "", "cat a.go b.go | head -3"},
		{"exec_command", `{"cmd":"sed -n '1,9p' a.go && sed -i s/x/y/ b.go"}`, "a.go", "b.go", "sed -n '1,9p' a.go && sed -i s/x/y/ b.go"},
		{"shell", `{"command":["bash","-lc","echo 1 > out.txt 2>&1"]}`, "", "out.txt", "echo 1 > out.txt 2>&1"},
		{"shell", `{"command":["bash","-lc","apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a.go\n*** End Patch\nEOF\ncat b.go"]}`, "b.go", "a.go", "*"},
		{"run_shell_command", `{"command":"cat $HOME/x.go; tee y.txt > /dev/null; cat \"a b.go\""}`, "a b.go", "y.txt", "*"},
		{"weather", `{"path":"a"}`, "", "", ""},
		{"read", `{"path":"a\nb"}`, "", "", ""},
		{"read", `not json`, "", "", ""},
	} {
		quoted := string(jsonspan.AppendString(nil, c.args))
		tr, seq := read(t, "openai-chat", `[{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"`+c.name+`","arguments":`+quoted+`}}]},{"role":"tool","tool_call_id":"1","content":"ok"}]`)
		var l digest.Ledger
		l.Add(tr, seq)
		if got := strings.Join(l.Read, " "); got != c.read {
			t.Errorf("%s %s: read %q", c.name, c.args, got)
		}
		if got := strings.Join(l.Modified, " "); got != c.modified {
			t.Errorf("%s %s: modified %q", c.name, c.args, got)
		}
		if c.command != "*" && (len(l.Commands) == 0) != (c.command == "") || len(l.Commands) > 0 && c.command != "*" && l.Commands[0].Command != c.command {
			t.Errorf("%s %s: ran %v", c.name, c.args, l.Commands)
		}
	}
}

// Exit codes are found in the output formats of many agents' tools. An error counts until the same call succeeds.
func TestLedgerOutcomes(t *testing.T) {
	type run struct{ command, answer string }
	for _, c := range []struct {
		runs     []run
		commands string
		open     string
	}{
		{[]run{{"go test", "ok\nProcess exited with code 0"}}, "[{go test 0}]", ""},
		{[]run{{"go test", "Exit code 2\nFAIL: x"}}, "[{go test 2}]", "go test"},
		{[]run{{"go test -v", "exit status 1"}, {"go test ./...", "<returncode>0</returncode>"}}, "[{go test -v 1} {go test ./... 0}]", ""},
		{[]run{{"make", `{"output":"no rule","metadata":{"exit_code":2}}`}, {"make -k", `{"metadata":{"exit_code": 0}}`}}, "[{make 2} {make -k 0}]", ""},
		{[]run{{"a", "Command exited with code 1"}, {"b", "fine"}, {"a", "exit code: 0"}}, "[{b } {a 0}]", ""},
		{[]run{{"a", "exited with code 1"}, {"a", "exited with code 3"}}, "[{a 3}]", "a"},
	} {
		var b strings.Builder
		for i, r := range c.runs {
			fmt.Fprintf(&b, `,{"role":"assistant","content":[{"type":"tool_call","id":"%d","name":"bash","arguments":{"command":%q}}]},`+
				`{"role":"tool_result","tool_call_id":"%d","tool_name":"bash","content":%q}`, i, r.command, i, r.answer)
		}
		tr, seq := read(t, "native", "["+b.String()[1:]+"]")
		var l digest.Ledger
		l.Add(tr, seq)
		open := ""
		for _, f := range l.Errors {
			open += f.On
		}
		if got := fmt.Sprint(l.Commands); got != c.commands || open != c.open {
			t.Errorf("%v: %s, open: %q", c.runs, got, open)
		}
	}
}

func TestPathReadsArgumentsOfAnyAgent(t *testing.T) {
	for args, want := range map[string]string{
		`{"path":"a"}`: "a", `{"file_path":"a"}`: "a", `{"filePath":"a"}`: "a", `{"file":"b","path":"a"}`: "a",
		`{"x":{"path":"no"}}`: "", `{}`: "", `{"path":5}`: "", `{"path":"d\u0061"}`: "da",
	} {
		tr, _ := read(t, "native", `[{"role":"assistant","content":[{"type":"tool_call","id":"1","name":"read","arguments":`+args+`}]}]`)
		if got := digest.Path(tr, &tr.Parts[0]); got != want {
			t.Errorf("%s: %q", args, got)
		}
		quoted := string(jsonspan.AppendString(nil, args))
		tr, _ = read(t, "openai-chat", `[{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"read","arguments":`+quoted+`}}]}]`)
		if got := digest.Path(tr, &tr.Parts[0]); got != want {
			t.Errorf("%s in a string: %q", args, got)
		}
	}
	tr, _ := read(t, "openai-chat", `[{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"read","arguments":"not json"}}]}]`)
	if got := digest.Path(tr, &tr.Parts[0]); got != "" {
		t.Errorf("no JSON: %q", got)
	}
}

func TestClip(t *testing.T) {
	text := strings.Repeat("日本語テキスト", 100)
	for n := -1; n < 200; n++ {
		got := digest.Clip(text, n)
		if !utf8.ValidString(got) {
			t.Fatalf("%d: cut inside a rune", n)
		}
		if len(got) > max(0, n)+60 {
			t.Fatalf("%d: %d bytes", n, len(got))
		}
	}
	if got := digest.Clip("short", 5); got != "short" {
		t.Error(got)
	}
	if got := digest.Clip(strings.Repeat("a", 60)+strings.Repeat("b", 30), 30); got != strings.Repeat("a", 20)+"\n[… 60 bytes left out …]\n"+strings.Repeat("b", 10) {
		t.Errorf("%q", got)
	}
}

func TestLocalKeepsTheUsersWordsAndFits(t *testing.T) {
	tr, seq := read(t, "native", session)
	l := &digest.Ledger{}
	l.Add(tr, seq)
	got := digest.NewExtract(tr, seq, "a prior fact that matters", l).Digest(4000)
	for _, want := range []string{"Fix the parser.", "a prior fact that matters", "no such file", "# What happened", "# Open errors"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	if digest.NewExtract(tr, seq, "a prior fact that matters", l).Digest(4000) != got {
		t.Error("not deterministic")
	}
	for max := 0; max < 1500; max += 7 {
		if n := len(digest.NewExtract(tr, seq, strings.Repeat("prior ", 500), l).Digest(max)); n > max+200 {
			t.Fatalf("%d bytes for a budget of %d", n, max)
		}
	}
}

// Files that are in the digest but not in the state are older than those in the state. Otherwise, the state takes
// precedence.
func TestBodyCompletesTheLedger(t *testing.T) {
	l := digest.Ledger{Task: "t", Read: []string{"a"}, Modified: []string{"b"}}
	text := digest.Message("x\n\n<user-requests>\n- [first] other\n</user-requests>\n\n<read-files>\n(3 more)\nb\nc\n</read-files>\n\ny")
	if got := digest.Body(text, &l); got != "x\n\ny" {
		t.Errorf("%q", got)
	}
	if want := (digest.Ledger{Task: "t", Read: []string{"c", "a"}, Modified: []string{"b"}}); !reflect.DeepEqual(l, want) {
		t.Errorf("%+v", l)
	}
	if got := digest.Body(digest.Message("no lists </read-files>"), &l); got != "no lists </read-files>" {
		t.Errorf("%q", got)
	}
}
