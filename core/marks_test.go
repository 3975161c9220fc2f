package core_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core"
	"github.com/ctxfold/ctxfold/internal/testing/gen"
)

// markFormats are the formats with cache breakpoints, and how an app writes them.
var markFormats = []string{"ai-sdk", "anthropic", "bedrock-converse", "langchain", "openai-chat"}

// cacheMarks returns the breakpoints in a message or body, in order: "5m" or "1h" for each. It ignores the arguments of tool calls.
func cacheMarks(t testing.TB, text []byte) (ttls []string) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	var walk func(name string, hidden bool)
	walk = func(name string, hidden bool) {
		token, err := d.Token()
		if err != nil {
			t.Fatalf("%v in %.300s", err, text)
		}
		switch token {
		case json.Delim('{'):
			if !hidden && (name == "cache_control" || name == "cacheControl" || name == "cachePoint") {
				ttls = append(ttls, "5m")
			}
			for d.More() {
				key, _ := d.Token()
				inside := key.(string)
				walk(inside, hidden || inside == "input" || inside == "args" || inside == "arguments")
			}
			_, _ = d.Token()
		case json.Delim('['):
			for d.More() {
				walk("", hidden)
			}
			_, _ = d.Token()
		case "1h":
			if name == "ttl" && !hidden {
				ttls[len(ttls)-1] = "1h"
			}
		}
	}
	walk("", false)
	return ttls
}

// mark adds a breakpoint at the end of a message, as an app using the format does. It returns false if the message has no place for one.
func mark(format string, message json.RawMessage, ttl string) (json.RawMessage, bool) {
	var m map[string]any
	d := json.NewDecoder(bytes.NewReader(message))
	d.UseNumber()
	if d.Decode(&m) != nil {
		return message, false
	}
	control := map[string]any{"type": "ephemeral"}
	if ttl == "1h" {
		control["ttl"] = ttl
	}
	holder := m
	for _, within := range []string{"data", "kwargs"} {
		if inner, ok := m[within].(map[string]any); ok {
			holder = inner
		}
	}
	switch content := holder["content"].(type) {
	case string:
		switch {
		case content == "":
			return message, false
		case format == "ai-sdk":
		case format == "bedrock-converse":
			return message, false
		default:
			holder["content"] = []any{map[string]any{"type": "text", "text": content, "cache_control": control}}
		}
	case []any:
		last, ok := map[string]any{}, false
		if len(content) > 0 {
			last, ok = content[len(content)-1].(map[string]any)
		}
		switch {
		case !ok || last["type"] == "thinking" || last["type"] == "redacted_thinking" || last["type"] == "reasoning" || last["text"] == "" || last["cachePoint"] != nil || last["reasoningContent"] != nil:
			return message, false
		case format == "ai-sdk":
		case format == "bedrock-converse":
			holder["content"] = append(content, map[string]any{"cachePoint": map[string]any{"type": "default"}})
		default:
			last["cache_control"] = control
		}
	default:
		return message, false
	}
	if format == "ai-sdk" {
		m["providerOptions"] = map[string]any{"anthropic": map[string]any{"cacheControl": control}}
	}
	out, _ := json.Marshal(m)
	return out, true
}

// TestCacheMarks compacts conversations of apps that set cache breakpoints: of these and those that are new there are never more than a
// provider takes, the longer lived first; an app that sets none gets none.
func TestCacheMarks(t *testing.T) {
	t.Parallel()
	n := budget(15, 15, 120)
	const most = 4
	for _, format := range markFormats {
		t.Run(format, func(t *testing.T) {
			digests, placed := 0, 0
			for i := range n {
				r := rand.New(rand.NewPCG(*seed, uint64(i)))
				conv := gen.New(r, gen.Options{Messages: 20 + r.IntN(60)})
				messages := conv.Render(format, r)
				if len(cacheMarks(t, []byte(list(messages)))) > 0 || len(messages) < 8 {
					continue
				}
				size := estimateOf(t, fmt.Sprintf(`{"format":%q}`, format), list(messages))
				policy := fmt.Sprintf(`{"format":%q,"window":{"tokens":%d,"reserve":50},"summary":{"mode":%q},"archive":"bodies"}`, format, size/(2+r.IntN(4)), [...]string{"model", "local"}[r.IntN(2)])
				if bare := compacts(t, policy, "", list(messages), summaryText); len(cacheMarks(t, bare.Messages)) > 0 {
					t.Fatalf("case %d: marks for an app that sets none", i)
				}

				// An app's marks: of the system prompt next to the list, of old messages, and of the newest.
				set, long := 0, r.IntN(3)
				ttl := func() string {
					if set < long && format != "bedrock-converse" {
						return "1h"
					}
					return "5m"
				}
				body := `{"messages":`
				if format == "anthropic" && r.IntN(2) == 0 {
					control := `{"type":"ephemeral"}`
					if ttl() == "1h" {
						control = `{"type":"ephemeral","ttl":"1h"}`
					}
					body, set = `{"system":[{"type":"text","text":"Be brief.","cache_control":`+control+`}],"messages":`, 1
				}
				count := 1 + r.IntN(most-set)
				places := r.Perm(len(messages))[:count]
				if r.IntN(2) == 0 {
					places[0] = len(messages) - 1
				}
				for at := range messages {
					for _, place := range places {
						if place == at && set < most {
							if marked, ok := mark(format, messages[at], ttl()); ok && len(cacheMarks(t, messages[at])) == 0 {
								messages[at] = marked
								set++
							}
						}
					}
				}
				in := body + list(messages) + "}"
				if given := cacheMarks(t, []byte(in)); len(given) != set {
					t.Fatalf("case %d: %d marks are counted, of %d", i, len(given), set)
				}
				a := compacts(t, policy, "", in, summaryText)
				if a.Error != nil {
					t.Fatalf("case %d: %s", i, a.Error.Message)
				}
				got := cacheMarks(t, a.Messages)
				if len(got) > most || strings.Contains(strings.Join(got, " "), "5m 1h") {
					t.Fatalf("case %d: %d marks after %d: %v", i, len(got), set, got)
				}
				if !a.Report.Changed {
					continue
				}
				for _, m := range split(t, a.Messages) {
					if bytes.Contains(m, []byte("[session digest")) {
						digests++
						if len(cacheMarks(t, m)) > 0 {
							placed++
						} else if set > 0 && set < most {
							t.Fatalf("case %d: the digest has no mark, and there are %d of the app\n%.2000s", i, set, a.Messages)
						}
					}
				}
				edits := call(t, "plan", `{"policy":`+policy+`,"options":{"answer":"edits","summary":{"mode":"local"}},"messages":`+in+`}`)
				whole := call(t, "plan", `{"policy":`+policy+`,"options":{"summary":{"mode":"local"}},"messages":`+in+`}`)
				if beside := len(cacheMarks(t, []byte(body+"0}"))); len(cacheMarks(t, whole.Messages)) > most || len(cacheMarks(t, edits.Edits)) > most-beside {
					t.Fatalf("case %d: edits or a local digest have too many marks", i)
				}

				// The next turn finds what the result has, and an app that continues from it may set as many marks as before.
				again := compacts(t, policy, string(a.State), string(a.Messages), summaryText)
				if got := cacheMarks(t, again.Messages); len(got) > most {
					t.Fatalf("case %d: %d marks in the next round", i, len(got))
				}
				sessions := new(core.Sessions)
				opened := sessions.Call("session_open", []byte(`{"policy":`+policy+`,"messages":`+in+`}`))
				answer := sessions.Call("plan", []byte(`{"session":`+field(t, opened, "session")+`,"options":{"summary":{"mode":"local"}}}`))
				if got := cacheMarks(t, []byte(field(t, answer, "messages"))); len(got) != len(cacheMarks(t, whole.Messages)) {
					t.Fatalf("case %d: %d marks in a session: %.300s", i, len(got), answer)
				}
			}
			t.Logf("%d of %d digests have a mark", placed, digests)
		})
	}
}

// split are the messages of a list or a body.
func split(t testing.TB, text []byte) (messages []json.RawMessage) {
	t.Helper()
	if text[0] == '{' {
		var body struct{ Messages json.RawMessage }
		if err := json.Unmarshal(text, &body); err != nil {
			t.Fatal(err)
		}
		text = body.Messages
	}
	if err := json.Unmarshal(text, &messages); err != nil {
		t.Fatal(err)
	}
	return messages
}

// An app may mark a message that a compaction replaces, such as a long document at the beginning. Each turn sends the digest with a
// breakpoint, not only the first one, or the provider would never read it from its cache.
func TestCacheMarksOfReplacedMessages(t *testing.T) {
	said := strings.Repeat("The harbour master wrote the tide down. ", 6)
	for format, parts := range map[string][2]string{
		"anthropic":        {`{"type":"text","text":%q}`, `{"type":"text","text":%q,"cache_control":{"type":"ephemeral"}}`},
		"bedrock-converse": {`{"text":%q}`, `{"text":%q},{"cachePoint":{"type":"default"}}`},
	} {
		a := &app{policy: fmt.Sprintf(`{"format":%q,"window":{"tokens":1200,"reserve":100},"summary":{"mode":"local"}}`, format)}
		var history []json.RawMessage
		for n := range 14 {
			part := parts[0]
			if n == 0 {
				part = parts[1]
			}
			history = append(history, json.RawMessage(`{"role":"user","content":[`+fmt.Sprintf(part, said)+`]}`))
			f := a.fit(t, list(history))
			if again := a.fit(t, list(history)); compacted(t, again.Messages) != compacted(t, f.Messages) {
				t.Errorf("%s, turn %d: the same history again is sent as\n%.300s\nand not\n%.300s", format, n, again.Messages, f.Messages)
			}
			if marks := strings.Count(string(f.Messages), "cache_control") + strings.Count(string(f.Messages), "cachePoint"); marks == 0 || marks > 2 {
				t.Errorf("%s, turn %d: %d breakpoints", format, n, marks)
			}
			history = append(history, json.RawMessage(`{"role":"assistant","content":[`+fmt.Sprintf(parts[0], said)+`]}`))
		}
		if a.compactions == 0 {
			t.Errorf("%s: nothing was compacted", format)
		}
	}
}
