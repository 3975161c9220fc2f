package core_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/handles"
)

// TestRestoreOfAnEditBehindARewrittenFold has a repair rewrite the last folded messages and the message after them, which the app then
// edits. The folded messages are restored, and the edited message appears once, in the app's version.
func TestRestoreOfAnEditBehindARewrittenFold(t *testing.T) {
	var all []json.RawMessage
	for n := range 12 {
		all = append(all, json.RawMessage(fmt.Sprintf(`{"role":"user","parts":[{"text":"Question %d, about what the file says and what follows from it."}]}`, n)),
			json.RawMessage(`{"role":"model","parts":[{"functionCall":{"id":"call_1","name":"read","args":{"path":"a.go"}}}]}`),
			json.RawMessage(fmt.Sprintf(`{"role":"user","parts":[{"functionResponse":{"id":"call_1","name":"read","response":{"output":"%s"}}}]}`, strings.Repeat("A line of the file. ", 30+n))))
	}
	twice, said := `{"functionCall":{"id":"call_1","name":"read","args":{"path":"a.go"}}}`, `{"functionResponse":{"id":"call_1","name":"read","response":{"output":"A line."}}}`
	all = append(all, json.RawMessage(`{"role":"model","parts":[`+twice+`,`+twice+`]}`), json.RawMessage(`{"role":"user","parts":[`+said+`,`+said+`]}`),
		json.RawMessage(`{"role":"user","parts":[{"text":"What now?"},{"functionResponse":{"id":"call_9","name":"read","response":{"output":"Nobody asked."}}}]}`))
	a := call(t, "plan", `{"policy":{"format":"gemini","archive":"places","window":{"tokens":2000,"reserve":0},"summary":{"mode":"local"},"passes":[{"pass":"fold","keep_tokens":1}]}`+force+`,"messages":`+list(all)+`}`)
	if a.Error != nil {
		t.Fatal(a.Error)
	}
	sent, last := split(t, a.Messages), len(all)-1
	if n := len(sent); n > 4 || strings.Contains(string(sent[n-1]), "call_9") || !strings.Contains(string(sent[n-1]), "What now?") {
		t.Fatalf("not what is wanted: %s", a.Messages)
	}
	kept := shelf{}
	kept.keep([]byte(list(all)), a.Archive)
	for _, test := range []struct {
		end  string
		left int
	}{{string(sent[len(sent)-1]), 0}, {`{"role":"user","parts":[{"text":"What else?"}]}`, 1}} {
		sent[len(sent)-1] = json.RawMessage(test.end)
		want := slices.Clone(all)
		if test.left > 0 {
			want[last] = sent[len(sent)-1]
		}
		back := kept.restoreAll(t, `"policy":{"format":"gemini"},"state":`+string(a.State), list(sent))
		if string(back.Messages) != list(want) || len(back.Markers) != test.left {
			t.Errorf("restored is\n%s, want\n%s; left are %v", back.Messages, list(want), back.Markers)
		}
	}
}

// readTurn is a turn of openai-chat with a result, which is long for n < 10.
func readTurn(n int) string {
	result := "A line."
	if n < 10 {
		result = strings.Repeat("A line of the file. ", 40+n)
	}
	return fmt.Sprintf(`{"role":"user","content":"Question %d."},{"role":"assistant","tool_calls":[{"id":"r%d","type":"function","function":{"name":"read","arguments":"{\"n\":%d}"}}]},{"role":"tool","tool_call_id":"r%d","content":"%s"},{"role":"assistant","content":"Answer %d."}`,
		n, n, n, n, result, n)
}

// clearing is a policy that clears all results but the newest, for the messages of openai-chat.
const clearing = `"policy":{"format":"openai-chat","archive":"places","window":{"tokens":2000},"passes":[{"pass":"clear","keep_recent":1,"min_reclaim":1}]}` + force

// TestRestoreOfAResultGivenTwice has a repair drop all but the first of equal results of a call, and deletes a turn in front of them. The
// results are restored, and results that are already there are not restored twice.
func TestRestoreOfAResultGivenTwice(t *testing.T) {
	result := `{"role":"tool","tool_call_id":"r11","content":"A line."},`
	for copies := 2; copies < 5; copies++ {
		messages := `[` + readTurn(0) + `,` + readTurn(1) + `,` + strings.Replace(readTurn(11), result, strings.Repeat(result, copies), 1) + `,` + readTurn(12) + `]`
		a := call(t, "plan", `{`+clearing+`,"messages":`+messages+`}`)
		if strings.Count(string(a.Messages), `"r11","content"`) != 1 {
			t.Fatalf("not what is wanted: %s", a.Messages)
		}
		kept := shelf{}
		kept.keep([]byte(messages), a.Archive)
		replayed := strings.Replace(string(a.Messages), result, strings.Repeat(result, copies), 1) // of a newer compaction that has dropped nothing here
		for _, list := range []string{string(a.Messages), replayed} {
			sent := split(t, []byte(list))
			back := kept.restoreAll(t, `"policy":{"format":"openai-chat"},"state":`+string(a.State), "["+strings.TrimPrefix(list, "["+string(sent[0])+",")) // without its first message
			if want := strings.Replace(messages, string(sent[0])+",", "", 1); string(back.Messages) != want || len(back.Markers) > 0 {
				t.Errorf("%d copies: restored is %s, want %s; left are %v", copies, back.Messages, want, back.Markers)
			}
		}
	}
}

// TestRestoreOfPlacesThatOverlap undoes changes that removed two results inserted by a repair, and one that looks like the second. The
// latter is deleted, so the second is not found either, and the report says so.
func TestRestoreOfPlacesThatOverlap(t *testing.T) {
	calls := func(ids ...string) string {
		var list []string
		for _, id := range ids {
			list = append(list, fmt.Sprintf(`{"id":%q,"type":"function","function":{"name":"read","arguments":"{}"}}`, id))
		}
		return `{"role":"assistant","tool_calls":[` + strings.Join(list, ",") + `]}`
	}
	says := func(text string) string { return fmt.Sprintf(`{"role":"user","content":%q}`, text) }
	called := says("Begin.") + `,` + calls("call_1", "call_2") + `,`
	// An equal compaction shows the prints of the results.
	messages := `[` + readTurn(0) + `,` + readTurn(11) + `,` + called + says("And now?") + `]`
	a := call(t, "plan", `{`+clearing+`,"messages":`+messages+`}`)
	kept := shelf{}
	kept.keep([]byte(messages), a.Archive)
	var lines []string
	at := slices.IndexFunc(a.Archive, func(b body) bool { return b.What == "changes" })
	if err := json.Unmarshal([]byte(kept[a.Archive[at].Handle[:16]]), &lines); err != nil {
		t.Fatal(err)
	}
	var prints []string
	for _, line := range lines {
		if words := strings.Fields(line); words[0] == "gone" {
			prints = append(prints, words[2])
		}
	}
	sent := split(t, a.Messages)
	if len(prints) != 2 || len(sent) != 13 {
		t.Fatalf("not what is wanted: %s, %v", a.Messages, lines)
	}
	results := list(sent[10:12])
	results = results[1:len(results)-1] + `,`
	changes := fmt.Sprintf(`["changes 1","sent 8","gone 2 %s","gone 3 %s","gone 6 %s","keep 0 2","keep 4 6","keep 7 8"]`, prints[0], prints[1], prints[1])
	end := says("Again.") + `,` + calls("call_2") + `,` + says("And now?") + `]`
	handle := handles.Handle([]byte(changes))
	back := shelf{handle[:16]: changes}.restoreAll(t, `"policy":{"format":"openai-chat"},"state":{"archive":"`+handle+`"}`, `[`+called+results+end)
	if want := `[` + called + end; string(back.Messages) != want || len(back.Markers) != 1 || back.Markers[0].Why != "changed" {
		t.Errorf("restored is %s, want %s; left are %v", back.Messages, want, back.Markers)
	}
}

// TestRestoreReportsWhatItDid clears results and restores some of them, also after a turn was deleted. No action is reported for the others.
func TestRestoreReportsWhatItDid(t *testing.T) {
	messages := `[` + readTurn(0) + `,` + readTurn(1) + `,` + readTurn(2) + `,` + readTurn(3) + `]`
	a := call(t, "plan", `{`+clearing+`,"messages":`+messages+`}`)
	if strings.Count(string(a.Messages), "Handle: ") != 3 {
		t.Fatalf("not what is wanted: %s", a.Messages)
	}
	kept := shelf{}
	kept.keep([]byte(messages), a.Archive)
	changes := a.Archive[slices.IndexFunc(a.Archive, func(b body) bool { return b.What == "changes" })].Handle
	sent := split(t, a.Messages)
	for _, list := range []string{list(sent), list(sent[4:])} {
		for handle := range kept {
			for _, given := range [][]string{{handle}, {changes, handle}} {
				back := callRestore(t, `{"policy":{"format":"openai-chat"},"state":`+string(a.State)+`,"messages":`+list+`,"bodies":`+kept.bodies(given)+`}`)
				did := 0
				if string(back.Messages) != list {
					did = 1
				}
				if back.Report.Restored != did || len(back.Report.Actions) != did {
					t.Errorf("with %s: %d bodies and %v are reported, want %d", given, back.Report.Restored, back.Report.Actions, did)
				}
			}
		}
	}
}

// TestRestoreOfAnotherBranch strips reasoning, so that the items after it lose their ids. Then it passes another branch, in which the model makes
// the same call in an item with another id, at the same place or after one more turn. This item is sent and restored unchanged.
func TestRestoreOfAnotherBranch(t *testing.T) {
	says := func(text string) string {
		return fmt.Sprintf(`{"type":"message","role":"user","content":[{"type":"input_text","text":%q}]}`, text)
	}
	turn := func(n int, item string, thinks bool) (list []json.RawMessage) {
		list = append(list, json.RawMessage(says(fmt.Sprintf("Question %d.", n))))
		if thinks {
			list = append(list, json.RawMessage(fmt.Sprintf(`{"type":"reasoning","id":"rs_%d","summary":[{"type":"summary_text","text":"Thought %d."}]}`, n, n)))
		}
		return append(list, json.RawMessage(fmt.Sprintf(`{"type":"function_call","id":%q,"call_id":"c%d","name":"read","arguments":"{\"n\":%d}"}`, item, n, n)),
			json.RawMessage(fmt.Sprintf(`{"type":"function_call_output","call_id":"c%d","output":"%s"}`, n, strings.Repeat("A line of the file. ", 20))),
			json.RawMessage(fmt.Sprintf(`{"type":"message","role":"assistant","id":"msg_%d","status":"completed","content":[{"type":"output_text","text":"Answer %d.","annotations":[]}]}`, n, n)))
	}
	var front []json.RawMessage
	for n := range 8 {
		front = append(front, turn(n, fmt.Sprintf("fc_%d", n), false)...)
	}
	asks := json.RawMessage(says("And now?"))
	first := slices.Concat(front, turn(20, "fc_20", true), []json.RawMessage{asks})
	a := app{policy: `{"format":"openai-responses","archive":"places","window":{"tokens":900,"reserve":0},"summary":{"mode":"local"},"passes":[{"pass":"reasoning","mode":"strip"},{"pass":"fold","keep_tokens":200}]}`}
	f := a.fit(t, list(first))
	if sent := string(f.Messages); !f.Report.Changed || strings.Contains(sent, "Thought 20") || strings.Contains(sent, "fc_20") || !strings.Contains(sent, `"c20"`) {
		t.Fatalf("not what is wanted: %s", sent)
	}
	kept := shelf{}
	kept.keep([]byte(list(first)), f.Archive)
	for _, between := range [][]json.RawMessage{nil, turn(21, "fc_21", false)[:1]} {
		other := slices.Concat(front, between, turn(20, "fc_30", false), []json.RawMessage{asks})
		f := a.fit(t, list(other))
		if f.Known < 0 || !strings.Contains(string(f.Messages), "fc_30") {
			t.Errorf("known %d: the item is not sent as it is: %s", f.Known, f.Messages)
		}
		back := kept.restoreAll(t, `"policy":{"format":"openai-responses"},"state":`+string(f.State), string(f.Messages))
		if string(back.Messages) != list(other) {
			t.Errorf("restored is %s, want %s; left are %v", back.Messages, list(other), back.Markers)
		}
	}
}

// TestRestoreOfEqualResultsClearedOneAfterTheOther gives two calls the same id and the same result. The first compaction clears the first
// result and renames the second call, the next one clears the second result, and then the app deletes a message between them. Both calls
// and results are restored with their original ids.
func TestRestoreOfEqualResultsClearedOneAfterTheOther(t *testing.T) {
	all := split(t, []byte(`[`+readTurn(0)+`,`+readTurn(0)+`]`))
	kept := shelf{}
	compact := func(state string, messages []json.RawMessage) answer {
		a := call(t, "plan", `{`+clearing+`,"state":`+state+`,"messages":`+list(messages)+`}`)
		kept.keep([]byte(list(messages)), a.Archive)
		return a
	}
	a := compact(`{}`, all)
	end := split(t, []byte(`[`+readTurn(11)+`,`+readTurn(12)+`]`))
	b := compact(string(a.State), append(split(t, a.Messages), end...))
	sent := split(t, b.Messages)
	if string(sent[2]) == string(all[2]) || strings.Count(string(b.Messages), "Handle: ") != 2 || strings.Count(string(b.Messages), `"r0"`) != 2 {
		t.Fatalf("not what is wanted: %s", b.Messages)
	}
	for _, deleted := range []int{3, 4} {
		back := kept.restoreAll(t, `"policy":{"format":"openai-chat"},"state":`+string(b.State), list(slices.Delete(slices.Clone(sent), deleted, deleted+1)))
		if want := list(append(slices.Delete(slices.Clone(all), deleted, deleted+1), end...)); string(back.Messages) != want || len(back.Markers) > 0 {
			t.Errorf("without message %d: restored is %s, want %s; left are %v", deleted, back.Messages, want, back.Markers)
		}
	}
}
