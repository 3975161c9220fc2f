package core_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/internal/testing/gen"
)

// TestRestoreOfOlderMessages passes a host's older messages with the state of a newer compaction, like an app that reads its messages
// before a background compaction ends and writes them back, edited, afterwards. Everything that these messages replace is restored, also
// after further compactions, and nothing of the missing compaction is reported. In make test each format has one of the four cases.
func TestRestoreOfOlderMessages(t *testing.T) {
	t.Parallel()
	for n, format := range judged() {
		for k, mode := range []string{"local", "model"} {
			for _, lost := range []int{1, 2} { // compactions
				if !covers(n, 2*k+lost-1, 4) {
					continue
				}
				t.Run(fmt.Sprintf("%s/%s/%d", format, mode, lost), func(t *testing.T) {
					policy := fmt.Sprintf(`{"format":%q,"window":{"tokens":2400,"reserve":200},"thinking":"adaptive","archive":"places","summary":{"mode":%q,"max_output_tokens":300}}`, format, mode) + force
					r := rand.New(rand.NewPCG(11, 7))
					var all []json.RawMessage
					for n := 240; len(all) < 160; n += 40 {
						all = gen.New(rand.New(rand.NewPCG(11, 7)), gen.Options{Messages: n}).Render(format, r)
					}
					all = all[:160]
					kept, state := shelf{}, "null"
					compact := func(now []json.RawMessage) []json.RawMessage {
						in := []byte(list(now))
						a := compacts(t, policy, state, string(in), summaryText)
						if a.Error != nil || !a.Report.Changed {
							t.Fatalf("%v, %s", a.Error, a.Report.Reason)
						}
						kept.keep(in, a.Archive)
						state = string(a.State)
						return split(t, a.Messages)
					}
					older := append(compact(all[:60]), all[60:80]...)
					newer := compact(slices.Clip(older))
					for n := range lost - 1 {
						newer = compact(append(newer, all[80+20*n:100+20*n]...))
					}
					older = older[:len(older)-6] // the user goes back, in the messages as they were
					want := slices.Concat(all[:74], all[100:])
					for n, now := 100, older; n < 160; n += 30 {
						now = append(slices.Clip(now), all[n:n+30]...)
						a := kept.restoreAll(t, fmt.Sprintf(`"policy":{"format":%q},"state":%s`, format, state), list(now))
						if got := list(want[:74+n+30-100]); string(a.Messages) != got || len(a.Markers) > 0 {
							t.Fatalf("%d messages came back of %d, and %v is left", len(split(t, a.Messages)), 74+n+30-100, a.Markers)
						}
						older = compact(now)
						now = older
					}
				})
			}
		}
	}
}

// TestRestoreAfterDeletedTurn deletes a turn before a message that a compaction has dropped. The dropped message is restored at its place,
// and not one turn later.
func TestRestoreAfterDeletedTurn(t *testing.T) {
	turn := func(n int, reasoning string) string {
		return fmt.Sprintf(`{"id":"u%d","role":"user","content":"Question %d."},%s{"id":"a%d","role":"assistant","content":"Answer %d."}`, n, n, reasoning, n, n)
	}
	thought := `{"id":"r2","role":"reasoning","content":"Something that is thought."},`
	messages := `[` + turn(0, "") + `,` + turn(1, "") + `,` + turn(2, thought) + `,` + turn(3, "") + `,{"id":"u4","role":"user","content":"Go on."}]`
	a := call(t, "plan", `{"policy":{"format":"ag-ui","archive":"places","window":{"tokens":2000},"passes":[{"pass":"reasoning","mode":"strip"}]}`+force+`,"messages":`+messages+`}`)
	if strings.Contains(string(a.Messages), "thought") {
		t.Fatalf("nothing was dropped: %s", a.Messages)
	}
	kept := shelf{}
	kept.keep([]byte(messages), a.Archive)
	for deleted := range 2 {
		without := func(list string) string { return strings.Replace(list, turn(deleted, "")+",", "", 1) }
		back := kept.restoreAll(t, `"policy":{"format":"ag-ui"},"state":`+string(a.State), without(string(a.Messages)))
		if want := without(messages); string(back.Messages) != want || len(back.Markers) > 0 {
			t.Errorf("restored is %s, want %s; left are %v", back.Messages, want, back.Markers)
		}
	}
}

// TestRestoreOfTurnsThatCameAgain strips the reasoning of a conversation, moves some turns to the end, and passes them with their reasoning,
// as an app does that brings back a deleted branch. The reasoning of the other turns is restored, and nothing of the moved ones twice.
func TestRestoreOfTurnsThatCameAgain(t *testing.T) {
	turn := func(n int) []json.RawMessage {
		return []json.RawMessage{json.RawMessage(fmt.Sprintf(`{"id":"u%d","role":"user","content":"Question %d."}`, n, n)),
			json.RawMessage(fmt.Sprintf(`{"id":"r%d","role":"reasoning","content":"Thought %d."}`, n, n)),
			json.RawMessage(fmt.Sprintf(`{"id":"a%d","role":"assistant","content":"Answer %d."}`, n, n))}
	}
	var all []json.RawMessage
	for n := range 8 {
		all = append(all, turn(n)...)
	}
	policy := `{"format":"ag-ui","archive":"places","window":{"tokens":2000},"passes":[{"pass":"reasoning","mode":"strip"}]}` + force
	a := compacts(t, policy, "null", list(all), "")
	sent := split(t, a.Messages)
	if strings.Contains(string(a.Messages), "Thought") || len(sent) != 16 {
		t.Fatalf("not what is wanted: %s", a.Messages)
	}
	kept := shelf{}
	kept.keep([]byte(list(all)), a.Archive)
	for from := 1; from < 6; from++ {
		for to := from + 1; to < 8; to++ {
			now := slices.Concat(sent[:2*from], sent[2*to:], all[3*from:3*to])
			back := kept.restoreAll(t, `"policy":{"format":"ag-ui"},"state":`+string(a.State), list(now))
			if want := list(slices.Concat(all[:3*from], all[3*to:], all[3*from:3*to])); string(back.Messages) != want || len(back.Markers) > 0 {
				t.Errorf("turns %d to %d: restored is %s, want %s; left are %v", from, to, back.Messages, want, back.Markers)
			}
		}
	}
}

// TestRestoreOfAMessageChangedTwice strips the reasoning of messages with tool calls, and clears their results in a second compaction, which
// finds more reasoning. A turn is then deleted, in front or behind. The older compaction is undone too.
func TestRestoreOfAMessageChangedTwice(t *testing.T) {
	turn := func(n int) []json.RawMessage {
		return []json.RawMessage{json.RawMessage(fmt.Sprintf(`{"role":"user","content":[{"type":"text","text":"Question %d."}]}`, n)),
			json.RawMessage(fmt.Sprintf(`{"role":"assistant","content":[{"type":"reasoning","text":"Thought %d."},{"type":"tool-call","toolCallId":"c%d","toolName":"read","args":{"n":%d},"argsText":"{\"n\":%d}","result":"%s"},{"type":"text","text":"Answer %d."}]}`,
				n, n, n, n, strings.Repeat("A line of the file. ", 40+n/2), n))}
	}
	var all []json.RawMessage
	for n := range 8 {
		all = append(all, turn(n)...)
	}
	policy := func(passes string) string {
		return `{"format":"assistant-ui","archive":"places","window":{"tokens":9000},"passes":[{"pass":"reasoning","mode":"strip"}` + passes + `]}` + force
	}
	kept, state := shelf{}, "null"
	compact := func(now []json.RawMessage, passes string) []json.RawMessage {
		a := compacts(t, policy(passes), state, list(now), "")
		if a.Error != nil || !a.Report.Changed {
			t.Fatalf("%v, %s", a.Error, a.Report.Reason)
		}
		kept.keep([]byte(list(now)), a.Archive)
		state = string(a.State)
		return split(t, a.Messages)
	}
	now := append(compact(all[:10], ""), all[10:]...)
	now = compact(now, `,{"pass":"clear","keep_recent":1,"min_reclaim":1}`)
	if text := list(now); len(now) != len(all) || strings.Contains(text, "Thought") || strings.Count(text, "Handle: ") < 6 {
		t.Fatalf("not what is wanted: %s", text)
	}
	for deleted := 0; deleted < len(all); deleted += 2 {
		back := kept.restoreAll(t, `"policy":{"format":"assistant-ui"},"state":`+state, list(slices.Delete(slices.Clone(now), deleted, deleted+2)))
		want := slices.Delete(slices.Clone(all), deleted, deleted+2)
		for i, m := range split(t, back.Messages) {
			if string(m) != string(want[i]) {
				t.Errorf("turn %d deleted: message %d is %s, want %s", deleted/2, i, m, want[i])
			}
		}
	}
}

// TestRestoreOfMessagesThatBecameAlike strips what distinguishes two messages, and deletes the first. The second gets its own reasoning
// back, and so do the messages in between.
func TestRestoreOfMessagesThatBecameAlike(t *testing.T) {
	turn := func(n int, answer string) string {
		return fmt.Sprintf(`{"role":"user","content":[{"type":"text","text":"Question %d."}]},{"role":"assistant","content":[{"type":"reasoning","text":"Thought %d."},{"type":"text","text":"%s"}]}`, n, n, answer)
	}
	all := split(t, []byte("["+turn(0, "First.")+","+turn(1, "Yes.")+","+turn(2, "Between.")+","+turn(3, "Yes.")+","+turn(4, "Yes.")+","+turn(5, "Last.")+"]"))
	a := call(t, "plan", `{"policy":{"format":"assistant-ui","archive":"places","window":{"tokens":2000},"passes":[{"pass":"reasoning","mode":"strip"}]}`+force+`,"messages":`+list(all)+`}`)
	if strings.Contains(string(a.Messages), "Thought") {
		t.Fatalf("nothing was dropped: %s", a.Messages)
	}
	kept := shelf{}
	kept.keep([]byte(list(all)), a.Archive)
	for from := 0; from < len(all); from += 2 {
		without := func(list []json.RawMessage) []json.RawMessage { return slices.Delete(slices.Clone(list), from, from+2) }
		back := kept.restoreAll(t, `"policy":{"format":"assistant-ui"},"state":`+string(a.State), list(without(split(t, a.Messages))))
		if want := list(without(all)); from != 6 && string(back.Messages) != want {
			t.Errorf("turn %d deleted: restored is\n%s, want\n%s", from/2, back.Messages, want)
		}
	}
}

// TestRestoreOfARewrittenEnd folds all up to the newest message, and changes that. The last messages that were folded repeat the id of a call, so
// that a repair has rewritten them. They are back, too.
func TestRestoreOfARewrittenEnd(t *testing.T) {
	var all []json.RawMessage
	for n := range 12 {
		all = append(all, json.RawMessage(fmt.Sprintf(`{"role":"user","parts":[{"text":"Question %d, about what the file says and what follows from it."}]}`, n)),
			json.RawMessage(`{"role":"model","parts":[{"functionCall":{"id":"call_1","name":"read","args":{"path":"a.go"}}}]}`),
			json.RawMessage(fmt.Sprintf(`{"role":"user","parts":[{"functionResponse":{"id":"call_1","name":"read","response":{"output":"%s"}}}]}`, strings.Repeat("A line of the file. ", 30+n))))
	}
	twice, said := `{"functionCall":{"id":"call_1","name":"read","args":{"path":"a.go"}}}`, `{"functionResponse":{"id":"call_1","name":"read","response":{"output":"A line."}}}`
	all = append(all, json.RawMessage(`{"role":"model","parts":[`+twice+`,`+twice+`]}`), json.RawMessage(`{"role":"user","parts":[`+said+`,`+said+`]}`),
		json.RawMessage(`{"role":"user","parts":[{"text":"What now?"}]}`))
	a := call(t, "plan", `{"policy":{"format":"gemini","archive":"places","window":{"tokens":2000,"reserve":0},"summary":{"mode":"local"},"passes":[{"pass":"fold","keep_tokens":1}]}`+force+`,"messages":`+list(all)+`}`)
	if a.Error != nil {
		t.Fatal(a.Error)
	}
	sent := split(t, a.Messages)
	if n := len(sent); n > 4 || string(sent[n-1]) != string(all[len(all)-1]) {
		t.Fatalf("not what is wanted: %s", a.Messages)
	}
	kept := shelf{}
	kept.keep([]byte(list(all)), a.Archive)
	sent[len(sent)-1] = json.RawMessage(`{"role":"user","parts":[{"text":"What else?"}]}`)
	back := kept.restoreAll(t, `"policy":{"format":"gemini"},"state":`+string(a.State), list(sent))
	if want := list(append(all[:len(all)-1:len(all)-1], sent[len(sent)-1])); string(back.Messages) != want || len(back.Markers) > 0 {
		t.Errorf("restored is\n%s, want\n%s; left are %v", back.Messages, want, back.Markers)
	}
}

// TestRestoreOfTheLastDropped compacts in the middle of a turn, when the newest message is dropped. The message is restored at its place,
// even if the conversation has continued and an earlier turn was deleted.
func TestRestoreOfTheLastDropped(t *testing.T) {
	turn := func(n int, reasoning string) string {
		return fmt.Sprintf(`{"id":"u%d","role":"user","content":"Question %d."},%s{"id":"a%d","role":"assistant","content":"Answer %d."}`, n, n, reasoning, n, n)
	}
	first := `{"id":"r1","role":"reasoning","content":"What comes first to mind."}`
	last := `{"id":"r3","role":"reasoning","content":"What comes last to mind."}`
	messages := `[` + turn(0, "") + `,` + turn(1, first+",") + `,` + turn(2, "") + `,{"id":"u3","role":"user","content":"Go on."},{"id":"a3","role":"assistant","content":"I do."},` + last + `]`
	a := call(t, "plan", `{"policy":{"format":"ag-ui","archive":"places","window":{"tokens":2000},"passes":[{"pass":"reasoning","mode":"strip"}]}`+force+`,"messages":`+messages+`}`)
	if strings.Contains(string(a.Messages), "to mind") {
		t.Fatalf("nothing was dropped: %s", a.Messages)
	}
	kept := shelf{}
	kept.keep([]byte(messages), a.Archive)
	goOn := func(list string) string { return strings.TrimSuffix(list, "]") + "," + turn(4, "") + "]" }
	for _, deleted := range []string{"", turn(0, ""), turn(2, "")} {
		without := func(list string) string { return strings.Replace(goOn(list), deleted+",", "", 1) }
		if deleted == "" {
			without = goOn
		}
		back := kept.restoreAll(t, `"policy":{"format":"ag-ui"},"state":`+string(a.State), without(string(a.Messages)))
		if want := without(messages); string(back.Messages) != want || len(back.Markers) > 0 {
			t.Errorf("restored is %s, want %s; left are %v", back.Messages, want, back.Markers)
		}
	}
}

// stripping is a policy that drops reasoning, for the messages of ag-ui.
const stripping = `{"format":"ag-ui","archive":"places","window":{"tokens":20000},"passes":[{"pass":"reasoning","mode":"strip"}]}`

// agTurn is a turn of ag-ui, with reasoning unless that is "".
func agTurn(n int, reasoning string) string {
	if reasoning != "" {
		reasoning = fmt.Sprintf(`{"id":"r%d","role":"reasoning","content":%q},`, n, reasoning)
	}
	return fmt.Sprintf(`{"id":"u%d","role":"user","content":"Question %d."},%s{"id":"a%d","role":"assistant","content":"Answer %d."}`, n, n, reasoning, n, n)
}

// TestRestoreBehindANewerCompaction compacts twice, the second time only a beginning of the first result, as for an app whose user went
// back. Then the user returns to the longer conversation, and both compactions are replayed. Changes of the first one after the end of the
// second are undone too.
func TestRestoreBehindANewerCompaction(t *testing.T) {
	var turns []string
	for n := range 8 {
		turns = append(turns, strings.Replace(agTurn(n, []string{"", "A thought."}[n%2]), "Answer", strings.Repeat("There is a lot to say about it. ", 30)+"Answer", 1))
	}
	messages := `[` + strings.Join(turns, ",") + `]`
	kept := shelf{}
	a := call(t, "plan", `{"policy":`+stripping+force+`,"messages":`+messages+`}`)
	kept.keep([]byte(messages), a.Archive)
	sent := split(t, a.Messages)
	if len(sent) != 16 {
		t.Fatalf("%d messages are left", len(sent))
	}
	folding := `{"format":"ag-ui","archive":"places","window":{"tokens":20000},"summary":{"mode":"local"},"passes":[{"pass":"fold","keep_tokens":10}]}`
	b := call(t, "plan", `{"policy":`+folding+force+`,"state":`+string(a.State)+`,"messages":`+list(sent[:6])+`}`)
	kept.keep([]byte(list(sent[:6])), b.Archive)
	if !b.Report.Changed {
		t.Fatal("nothing was folded")
	}
	back := kept.restoreAll(t, `"policy":{"format":"ag-ui"},"state":`+string(b.State), list(append(split(t, b.Messages), sent[6:]...)))
	if string(back.Messages) != messages || len(back.Markers) > 0 {
		t.Errorf("restored is %s, want %s; left are %v", back.Messages, messages, back.Markers)
	}
}

// TestRestoreOfAnOlderCompaction compacts twice, and then deletes everything that the second compaction has changed. The changes of the
// first are undone.
func TestRestoreOfAnOlderCompaction(t *testing.T) {
	messages := `[` + agTurn(0, "") + `,` + agTurn(1, "A thought.") + `,` + agTurn(2, "") + `]`
	kept := shelf{}
	a := call(t, "plan", `{"policy":`+stripping+force+`,"messages":`+messages+`}`)
	kept.keep([]byte(messages), a.Archive)
	longer := strings.TrimSuffix(string(a.Messages), "]") + "," + agTurn(3, "Another thought.") + `,` + agTurn(4, "") + `]`
	b := call(t, "plan", `{"policy":`+stripping+force+`,"state":`+string(a.State)+`,"messages":`+longer+`}`)
	kept.keep([]byte(longer), b.Archive)
	if !a.Report.Changed || !b.Report.Changed {
		t.Fatal("nothing was dropped")
	}
	goOn := func(list string) string { return strings.TrimSuffix(list, "]") + "," + agTurn(5, "") + "]" }
	back := kept.restoreAll(t, `"policy":{"format":"ag-ui"},"state":`+string(b.State), goOn(string(a.Messages)))
	if want := goOn(messages); string(back.Messages) != want {
		t.Errorf("restored is %s, want %s; left are %v", back.Messages, want, back.Markers)
	}
}

// TestRestoreOfWhatIsThere restores a list in which some dropped messages are present again, as after replaying a newer compaction that
// doesn't know them. None of them appears twice.
func TestRestoreOfWhatIsThere(t *testing.T) {
	thoughts := []string{"", "A first thought.", "", "A second thought.", "A last thought."}
	turns := func(without ...int) string {
		var list []string
		for n, thought := range thoughts {
			if slices.Contains(without, n) {
				thought = ""
			}
			list = append(list, agTurn(n, thought))
		}
		return `[` + strings.Join(list, ",") + `,{"id":"r9","role":"reasoning","content":"What comes last to mind."}]`
	}
	messages, kept := turns(), shelf{}
	a := call(t, "plan", `{"policy":`+stripping+force+`,"messages":`+messages+`}`)
	kept.keep([]byte(messages), a.Archive)
	if strings.Contains(string(a.Messages), "reasoning") {
		t.Fatalf("nothing was dropped: %s", a.Messages)
	}
	for _, gone := range [][]int{{1}, {3}, {4}, {1, 3}, {3, 4}, {1, 3, 4}} {
		back := kept.restoreAll(t, `"policy":{"format":"ag-ui"},"state":`+string(a.State), turns(gone...))
		if string(back.Messages) != messages || len(back.Markers) > 0 {
			t.Errorf("without %v restored is %s, want %s; left are %v", gone, back.Messages, messages, back.Markers)
		}
	}
}

// TestRestoreDropsTurnsOfReplays appends messages of the same role to the result of a compaction, with an inserted turn that makes the
// roles alternate, as a replay sends them. The turn is not restored: neither after the result, nor in place of its last message. An app's
// own message with the same text is, if nothing was added.
func TestRestoreDropsTurnsOfReplays(t *testing.T) {
	noted := json.RawMessage(`{"role":"assistant","content":"[Noted.]"}`)
	asks := func(text string) json.RawMessage {
		return json.RawMessage(fmt.Sprintf(`{"role":"user","content":%q}`, text))
	}
	var all []json.RawMessage
	for n := range 20 {
		all = append(all, asks(fmt.Sprintf("Question %d. %s", n, strings.Repeat("What is it about? ", 20))),
			json.RawMessage(fmt.Sprintf(`{"role":"assistant","content":"Answer %d."}`, n)))
	}
	all = append(all, asks("And then?"))
	next := asks("Go on.")
	for _, own := range []bool{false, true} {
		given := slices.Clone(all)
		if own {
			given = append(given, noted)
		}
		kept := shelf{}
		a := compacts(t, `{"format":"plain","archive":"places","window":{"tokens":2000},"passes":[{"pass":"fold","keep_tokens":300}]}`+force, "null", list(given), "")
		if a.Error != nil || !a.Report.Changed {
			t.Fatalf("%v, %s", a.Error, a.Report.Reason)
		}
		kept.keep([]byte(list(given)), a.Archive)
		sent, last := split(t, a.Messages), len(given)-1
		tests := []struct{ messages, want []json.RawMessage }{{sent, given}}
		if !own {
			tests = append(tests, []struct{ messages, want []json.RawMessage }{
				{slices.Concat(sent, []json.RawMessage{noted, next}), slices.Concat(given, []json.RawMessage{next})},
				{slices.Concat(sent[:len(sent)-2], []json.RawMessage{asks("No."), noted, next}), slices.Concat(given[:last-1], []json.RawMessage{asks("No."), next})},
			}...)
		}
		for i, test := range tests {
			back := kept.restoreAll(t, `"policy":{"format":"plain"},"state":`+string(a.State), list(test.messages))
			if got, want := string(back.Messages), list(test.want); got != want || len(back.Markers) > 0 {
				t.Errorf("own %v, test %d: restored is …%s, want …%s; left are %v", own, i, got[max(0, len(got)-300):], want[len(want)-300:], back.Markers)
			}
		}
	}
}
