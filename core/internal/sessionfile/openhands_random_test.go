package sessionfile_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/internal/testing/trials"
)

// openHandsLog returns a random conversation: answers with several calls, thinking, calls that are refused, that fail,
// or that have two results or none, condensations of whole and of cut-off stretches, and abandoned paths.
func openHandsLog(r *rand.Rand, turns int, tree, wild bool) (file []byte) {
	var lines []string
	var ids []string
	leaf := ""
	add := func(kind, source, members string) string {
		id := fmt.Sprintf("%08x-0000-4000-8000-000000000000", len(ids)+0xe0000000)
		parent := ""
		if tree && leaf != "" {
			parent = `,"parent_id":"` + leaf + `"`
		}
		lines = append(lines, fmt.Sprintf(`{"id":%q,"timestamp":"2026-03-01T10:00:00.%06d","source":%q%s,%s,"kind":%q}`, id, len(ids), source, parent, members, kind))
		ids, leaf = append(ids, id), id
		return id
	}
	words := func(n int) string { return strings.Repeat("boats and harbors ", 1+r.IntN(n)) }
	part := func(s string) string { return fmt.Sprintf(`{"cache_prompt":false,"type":"text","text":%q}`, s) }
	add("SystemPromptEvent", "agent", `"system_prompt":`+part("You are OpenHands agent.")+`,"tools":[]`)
	n := 0
	for turn := range turns {
		if r.IntN(3) == 0 || turn == 0 {
			add("MessageEvent", "user", `"llm_message":{"role":"user","content":[`+part(fmt.Sprint("Turn ", turn, " ", words(20)))+`]},"extended_content":[]`)
		}
		if r.IntN(4) == 0 {
			add("PauseEvent", "user", `"note":"x"`)
		}
		answer, size := fmt.Sprint("answer-", turn), 1+r.IntN(3)*r.IntN(2)
		thinking := ""
		if r.IntN(3) == 0 {
			thinking = `{"type":"thinking","thinking":"Hm.","signature":"c2ln"}`
		}
		type call struct{ id, event string }
		var calls []call
		for k := range size {
			n++
			c := call{id: fmt.Sprint("call_", n)}
			thought, think, action := "", "", `"action":{"command":"ls","kind":"TerminalAction"},`
			if k == 0 {
				thought, think = part(fmt.Sprint("I look ", n, ".")), thinking
			}
			if wild && r.IntN(10) == 0 {
				action = ""
			}
			c.event = add("ActionEvent", "agent", fmt.Sprintf(`"thought":[%s],"thinking_blocks":[%s],%s"tool_name":"terminal","tool_call_id":%q,"tool_call":{"id":%q,"name":"terminal","arguments":"{\"command\":\"ls %d\"}","origin":"completion"},"llm_response_id":%q`,
				thought, think, action, c.id, c.id, n, answer))
			calls = append(calls, c)
		}
		for _, c := range calls {
			about := fmt.Sprintf(`"tool_name":"terminal","tool_call_id":%q`, c.id)
			ran := func() {
				add("ObservationEvent", "environment", about+fmt.Sprintf(`,"observation":{"content":[%s],"is_error":%t,"command":"ls","metadata":{"exit_code":%d,"working_dir":"/work"},"kind":"TerminalObservation"},"action_id":%q`,
					part(fmt.Sprint("Seen ", c.id, " ", words(120))), r.IntN(5) == 0, r.IntN(2), c.event))
			}
			switch k := r.IntN(12); {
			case k == 0:
				add("UserRejectObservation", "environment", about+fmt.Sprintf(`,"rejection_reason":"No.","action_id":%q`, c.event))
			case k == 1:
				add("AgentErrorEvent", "agent", about+`,"error":"It broke."`)
			case k == 2 && wild: // no result
			case k == 3 && wild:
				ran()
				ran()
			case k < 7:
				add("ObservationEvent", "environment", about+fmt.Sprintf(`,"observation":{"content":[%s,{"type":"image","image_urls":["https://sea/%d.png"]}],"is_error":%t,"kind":"FileEditorObservation"},"action_id":%q`,
					part(fmt.Sprint("File ", c.id, " ", words(120))), n, r.IntN(5) == 0, c.event))
			default:
				ran()
			}
		}
		if r.IntN(4) == 0 {
			add("MessageEvent", "agent", `"llm_message":{"role":"assistant","content":[`+part("So it is.")+`]},"llm_response_id":"`+answer+`"`)
		}
		if r.IntN(10) == 0 && wild {
			from := 1 + r.IntN(len(ids)-1)
			to := from + r.IntN(len(ids)-from)
			forgotten, _ := json.Marshal(ids[from:to])
			add("Condensation", "environment", fmt.Sprintf(`"forgotten_event_ids":%s,"summary":"Summary %d.","summary_offset":%d,"llm_response_id":"c"`, forgotten, turn, r.IntN(6)))
		}
		if r.IntN(15) == 0 && tree && wild {
			leaf = ids[r.IntN(len(ids))]
		}
	}
	if r.IntN(2) == 0 {
		return []byte("[" + strings.Join(lines, ",\n") + "]\n")
	}
	if tree && r.IntN(2) == 0 {
		lines = append([]string{`{"id":"s","agent":{"llm":{"model":"m","usage_id":"agent"}},"workspace":{},"execution_status":"idle","leaf_event_id":"` + leaf + `"}`}, lines...)
	}
	return []byte(strings.Join(lines, []string{"", "\n"}[r.IntN(2)]) + "\n")
}

// For random conversations, open finds the messages that the agent sends, and every kind of compaction can be saved.
func TestOpenHandsRandom(t *testing.T) {
	for seed := range uint64(trials.Count(60, 60, 300)) {
		r := rand.New(rand.NewPCG(seed, 3))
		wild := seed%3 == 0
		file := openHandsLog(r, 3+r.IntN(25), r.IntN(2) == 0, wild)
		a := open(t, file)
		if a.Error != nil || a.Kind != "openhands" {
			t.Fatalf("seed %d: %+v", seed, a)
		}
		if want, got := openHandsResumes(t, file), said(t, a.Kind, a.Messages); !slices.Equal(want, got) {
			t.Fatalf("seed %d: %s", seed, differ(want, got))
		}
		if seed%4 == 0 && !wild && len(list(t, a.Messages)) > 12 {
			t.Run(fmt.Sprint("compacted ", seed), func(t *testing.T) { checkFile(t, file) })
		}
	}
}

// Pending calls stay pending, and no other call becomes pending.
func TestOpenHandsPending(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 4))
		file := openHandsLog(r, 2+r.IntN(12), r.IntN(2) == 0, true)
		messages := list(t, open(t, file).Messages)
		from := r.IntN(len(messages))
		left := slices.Concat([]json.RawMessage{json.RawMessage(`{"role":"user","content":"So far."}`)}, messages[from:])
		if i := 1 + r.IntN(len(left)-1); r.IntN(2) == 0 && bytes.Contains(left[i], []byte(`"role":"tool"`)) {
			var m record
			_ = json.Unmarshal(left[i], &m)
			m["content"] = "[cleared]"
			left[i], _ = json.Marshal(m)
		}
		text, _ := json.Marshal(left)
		next, s := save(t, file, text)
		if s.Error != nil {
			orphan := false // a result without its call is one that the agent does not send
			for _, raw := range left {
				var m record
				_ = json.Unmarshal(raw, &m)
				orphan = orphan || m["role"] == "tool" && !bytes.Contains(text, []byte(`"id":`+spell(m["tool_call_id"])))
			}
			if orphan {
				continue
			}
			t.Fatalf("seed %d: %+v %.1500s", seed, s.Error, text)
		}
		runs := func(file []byte) (calls []string) {
			events, base := openHandsEvents(t, file)
			for _, e := range openHandsPending(openHandsBranch(t, events, base)) {
				calls = append(calls, e["id"].(string))
			}
			return calls
		}
		if was, is := runs(file), runs(next); !slices.Equal(was, is) {
			t.Fatalf("seed %d: the agent would run %v, not %v", seed, is, was)
		}
		if want, got := said(t, "openhands", text), openHandsResumes(t, next); !slices.Equal(want, got) {
			t.Fatalf("seed %d: %s", seed, differ(want, got))
		}
	}
}

// differ describes the first difference between two lists.
func differ(want, got []string) string {
	for i := range max(len(want), len(got)) {
		if w, g := at(want, i), at(got, i); w != g {
			return fmt.Sprintf("%d of %d, want %d: in place %d\n%.200s\nwant\n%.200s", i, len(got), len(want), i, g, w)
		}
	}
	return ""
}

func at(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return "nothing"
}
