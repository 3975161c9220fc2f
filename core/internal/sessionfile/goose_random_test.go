package sessionfile_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/internal/testing/trials"
)

// gooseConversation returns a random export: blocks of all kinds in any message, content for the user or the model
// alone, messages that the model doesn't see, runs of one role, and equal times.
func gooseConversation(r *rand.Rand, n int) []byte {
	texts := []string{"Kites.", "", "  \n", "A \"quoted\"\tline\nand another", strings.Repeat("wind ", 40)}
	word := func() string { return texts[r.IntN(len(texts))] }
	audience := func(b record) record {
		switch r.IntN(8) {
		case 0:
			b["annotations"] = record{"audience": []string{"user"}}
		case 1:
			b["annotations"] = record{"audience": []string{"user", "assistant"}, "priority": 0.5}
		}
		return b
	}
	image := func() record { return record{"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"} }
	result := func() (list []record) {
		for range r.IntN(4) {
			switch r.IntN(5) {
			case 0:
				list = append(list, audience(image()))
			case 1:
				list = append(list, audience(record{"type": "resource", "resource": record{"uri": "file:///a", "mimeType": "text/plain", "text": "of a file"}}))
			default:
				list = append(list, audience(record{"type": "text", "text": "said " + word()}))
			}
		}
		return list
	}
	block := func() record {
		switch r.IntN(12) {
		case 0:
			return record{"type": "thinking", "thinking": word(), "signature": []string{"", "c2ln"}[r.IntN(2)]}
		case 1:
			return record{"type": "redactedThinking", "data": "cmVk"}
		case 2:
			return audience(image())
		case 3:
			return record{"type": "systemNotification", "notificationType": "inlineMessage", "msg": "note"}
		case 4, 5:
			call := record{"status": "success", "value": record{"name": "shell", "arguments": []any{nil, record{}, record{"command": word()}}[r.IntN(3)]}}
			if r.IntN(5) == 0 {
				call = record{"status": "error", "error": "-32602: " + word()}
			}
			return record{"type": "toolRequest", "id": "toolu_" + string(rune('a'+r.IntN(26))), "toolCall": call}
		case 6, 7:
			answer := record{"status": "success", "value": record{"content": result(), "isError": r.IntN(3) == 0}}
			switch r.IntN(6) {
			case 0:
				answer = record{"status": "error", "error": "-32603: " + word()}
			case 1:
				answer["value"] = result()
			}
			return record{"type": "toolResponse", "id": "toolu_" + string(rune('a'+r.IntN(26))), "toolResult": answer}
		default:
			return audience(record{"type": "text", "text": word()})
		}
	}
	created := 1772359200
	conversation := []record{}
	for range n {
		created += r.IntN(3)
		content := []record{}
		for range r.IntN(4) {
			content = append(content, block())
		}
		conversation = append(conversation, record{"id": nil, "role": []string{"user", "assistant"}[r.IntN(2)], "created": created, "content": content,
			"metadata": record{"userVisible": r.IntN(4) > 0, "agentVisible": r.IntN(4) > 0}})
	}
	file, _ := json.Marshal(record{"id": "1", "working_dir": "/", "conversation": conversation, "total_tokens": 7, "input_tokens": 5, "output_tokens": 2})
	return file
}

// The opened messages are those that Goose sends, and the saved messages are those that it sends from then on, whichever of them are new,
// changed or gone.
func TestGooseRandom(t *testing.T) {
	for seed := range trials.Count(40, 75, 400) {
		r := rand.New(rand.NewPCG(uint64(seed), 9))
		src := gooseConversation(r, r.IntN(30))
		a := open(t, src)
		if got, want := said(t, "goose", a.Messages), gooseResumes(t, src); !slices.Equal(got, want) {
			t.Fatalf("seed %d: opened as\n%q, want\n%q\n%s", seed, got, want, src)
		}
		messages := []json.RawMessage{[]byte(`{"role":"user","content":"[Summary] There was wind."}`)}
		for _, m := range list(t, a.Messages) {
			switch r.IntN(4) {
			case 0:
			case 1:
				messages = append(messages, []byte(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_a","content":"[cleared]"}]}`))
			default:
				messages = append(messages, m)
			}
		}
		body, _ := json.Marshal(messages[r.IntN(2):])
		if next, _ := save(t, src, body); string(body) == "[]" || string(next) == string(src) {
			continue // nothing has changed
		}
		if checkSaved(t, src, body); t.Failed() {
			t.Fatalf("seed %d: %s\n%s", seed, src, body)
		}
	}
}
