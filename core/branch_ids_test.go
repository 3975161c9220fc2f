package core_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/internal/testing/gen"
	"github.com/ctxfold/ctxfold/internal/testing/judge"
)

// TestBranchesRepeatIDs compacts a conversation in which every call has the same id, so that repair gives calls new ids. Then it passes branches
// of the conversation, in which the last calls are made again with other results, at the same place or after one more question. Each answer
// must be valid, contain the results of its own branch, and restore to its input.
func TestBranchesRepeatIDs(t *testing.T) {
	t.Parallel()
	passes := map[string]string{
		"clear": `{"pass":"clear","keep_recent":1,"min_reclaim":1}`,
		"fold":  `{"pass":"reasoning","mode":"strip"},{"pass":"fold","keep_tokens":500}`,
	}
	turn := func(n int, branch string) gen.Conversation {
		c := gen.Call{ID: "call_1", Name: "read", Path: fmt.Sprintf("src/f%d.go", n), Result: fmt.Sprintf("Result of %s: ", branch) + strings.Repeat("a line of the file. ", 20)}
		return gen.Conversation{{Role: "user", Texts: []string{fmt.Sprintf("Look at file %d.", n)}}, {Role: "assistant", Calls: []gen.Call{c}},
			{Role: "results", Calls: []gen.Call{c}}, {Role: "assistant", Texts: []string{fmt.Sprintf("File %d is fine.", n)}}}
	}
	type end struct {
		n      int
		branch string
	}
	for _, format := range judged() {
		for name, pass := range passes {
			t.Run(format+"/"+name, func(t *testing.T) {
				t.Parallel()
				render := func(c gen.Conversation, seed int) []json.RawMessage {
					return c.Render(format, rand.New(rand.NewPCG(uint64(seed), 2)))
				}
				branchOf := func(turns ...end) (list []json.RawMessage) {
					for n := range 8 {
						list = append(list, render(turn(n, "the front"), n)...)
					}
					for _, e := range turns {
						list = append(list, render(turn(e.n, e.branch), e.n)...)
					}
					return append(list, render(gen.Conversation{{Role: "user", Texts: []string{"And now?"}}}, 99)...)
				}
				first := branchOf(end{20, "one"}, end{21, "one"})
				size := estimateOf(t, fmt.Sprintf(`{"format":%q}`, format), list(first))
				a := app{policy: fmt.Sprintf(`{"format":%q,"archive":"places","window":{"tokens":%d,"reserve":0},"summary":{"mode":"local"},"passes":[%s]}`, format, size*3/4, pass)}
				f := a.fit(t, list(first))
				kept := shelf{}
				kept.keep([]byte(list(first)), f.Archive)
				if !f.Report.Changed {
					t.Fatal("nothing was compacted")
				}
				for _, ends := range [][]end{
					{{20, "two"}, {21, "two"}}, // at the same place
					{{22, "two"}, {20, "two"}}, // later
					{{20, "one"}, {20, "two"}, {21, "one"}},
				} {
					branch := branchOf(ends...)
					f := a.fit(t, list(branch))
					kept.keep([]byte(list(branch)), f.Archive)
					if bad := worse(format, branch, f.Messages); len(bad) > 0 {
						t.Errorf("%v: known %d: %s", ends, f.Known, bad[0])
					}
					if sent := string(f.Messages); strings.Contains(sent, "of one") && !strings.Contains(list(branch), "of one") {
						t.Errorf("%v: known %d: a result of another branch is sent: %s", ends, f.Known, sent)
					}
					back := kept.restoreAll(t, fmt.Sprintf(`"policy":{"format":%q},"state":%s`, format, f.State), string(f.Messages))
					if string(back.Messages) != list(branch) {
						t.Errorf("%v: known %d: restored is %s, want %s; left are %v", ends, f.Known, back.Messages, list(branch), back.Markers)
					}
				}
			})
		}
	}
}

// TestRenamedCallsOfASpelling clears the second result of two calls that share an id, and then passes the same history in another spelling. A step
// of Gemini's Interactions API has no id except that of its call, which repair renames.
func TestRenamedCallsOfASpelling(t *testing.T) {
	var history []json.RawMessage
	for n, id := range []string{"call_0", "call_1", "call_2", "call_2", "call_4"} {
		lines := strings.Repeat("A line of the file. ", max(1, 400-200*(n/3*2)))
		for _, step := range []string{`{"type":"user_input","content":[{"type":"text","text":"Question %d, about the file."}]}`,
			`{"type":"function_call","id":"` + id + `","name":"read","arguments":{"n":%d}}`,
			`{"type":"function_result","call_id":"` + id + `","name":"read","result":"%d: ` + lines + `"}`,
			`{"type":"model_output","content":[{"type":"text","text":"Answer %d."}]}`} {
			history = append(history, json.RawMessage(fmt.Sprintf(step, n)))
		}
	}
	a := &app{policy: `{"format":"gemini-interactions","window":{"tokens":3000,"reserve":100},"passes":[{"pass":"clear","keep_recent":1,"min_reclaim":1}]}`}
	first := a.fit(t, list(history))
	for i, step := range history {
		history[i] = json.RawMessage(strings.ReplaceAll(string(step), `,"name"`, `, "name"`))
	}
	again := a.fit(t, list(history))
	for _, f := range []fitted{first, again} {
		if bad := judge.Valid("gemini-interactions", f.Messages); len(bad) > 0 {
			t.Errorf("known %d: %s", f.Known, bad[0])
		}
	}
	if strings.Count(string(first.Messages), "ctxfold_") < 2 || again.Known < 0 {
		t.Errorf("known %d: no call is renamed in %s", again.Known, first.Messages)
	}
}

// TestMessagesWithoutPartsAtTheEnd compacts lists that end with messages without parts.
func TestMessagesWithoutPartsAtTheEnd(t *testing.T) {
	for _, format := range []string{"openai-chat", "langchain"} {
		for _, end := range []string{
			`{"role":"assistant","wrong":"hello there text"},{"role":"assistant","content":null},{"role":"assistant","wrong":"other text that is here"}`,
			`{"role":"user","wrong":"hello there text"},{"role":"user","content":[]},{"role":"user","wrong":"other text that is here"}`,
		} {
			messages := `[` + readTurn(0) + `,` + readTurn(1) + `,` + readTurn(11) + `,` + end + `]`
			if answer := call(t, "plan", `{`+strings.Replace(clearing, "openai-chat", format, 1)+`,"messages":`+messages+`}`); answer.Error != nil || !answer.Report.Changed {
				t.Errorf("%s, %s: %v", format, end, answer.Error)
			}
		}
	}
}
