package proxy_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/host/proxy"
	"github.com/ctxfold/ctxfold/internal/testing/promptcache"
)

// cached is an endpoint with a prompt cache. It records the cache's counts for summaries and for all other requests.
type cached struct {
	mu               sync.Mutex
	cache            promptcache.Cache
	summaries, turns promptcache.Count
	asked, behind    int
	errors           []error
	callsTools       bool // instead of writing a summary
}

func (c *cached) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	c.mu.Lock()
	defer c.mu.Unlock()
	claude := strings.HasSuffix(r.URL.Path, "/messages")
	count := c.cache.Automatic
	if claude {
		count = c.cache.Messages
	}
	n, err := count(body)
	if err != nil {
		c.errors = append(c.errors, err)
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	text := "I read on."
	behind := strings.Contains(string(body), "The conversation is interrupted here")
	if flat := strings.Contains(string(body), "scrollback"); behind || flat {
		c.asked++
		if behind {
			c.behind++
		}
		c.summaries.Add(n)
		text = "# Objective\nThe user wants every file read and counted.\n\n# Status\n## Shipped\nMuch was done and is known.\n\n# Plan\nGo on with the next file."
	} else {
		c.turns.Add(n)
	}
	w.Header().Set("Content-Type", "application/json")
	counted := fmt.Sprintf(`"usage":{"prompt_tokens":%[1]d,"prompt_tokens_details":{"cached_tokens":%[2]d},"input_tokens":%[1]d,"input_tokens_details":{"cached_tokens":%[2]d},"completion_tokens":90,"output_tokens":90}`, n.Input+n.Read, n.Read)
	if claude {
		counted = fmt.Sprintf(`"usage":{"input_tokens":%d,"cache_read_input_tokens":%d,"cache_creation_input_tokens":%d,"output_tokens":90}`, n.Input, n.Read, n.Write)
	}
	switch {
	case strings.HasSuffix(r.URL.Path, "/responses"):
		item := fmt.Sprintf(`{"type":"message","content":[{"type":"output_text","text":%q}]}`, text)
		if behind && c.callsTools {
			item += `,{"type":"function_call","name":"read","call_id":"x","arguments":"{}"}`
		}
		fmt.Fprintf(w, `{"status":"completed","output":[%s],%s}`, item, counted)
	case claude:
		reason, more := "end_turn", ""
		if behind && c.callsTools {
			reason, more = "tool_use", `,{"type":"tool_use","id":"x","name":"read","input":{}}`
		}
		fmt.Fprintf(w, `{"stop_reason":%q,"content":[{"type":"text","text":%q}%s],%s}`, reason, text, more, counted)
	default:
		call := ""
		if behind && c.callsTools {
			call = `,"tool_calls":[{"id":"x","type":"function","function":{"name":"read","arguments":"{}"}}]`
		}
		fmt.Fprintf(w, `{"choices":[{"finish_reason":"stop","message":{"content":%q%s}}],%s}`, text, call, counted)
	}
}

// prefixTurn returns an app's request in one turn: its whole history, with the cache breakpoint on the newest message if the API needs one.
func prefixTurn(path string, turns int) string {
	var m []string
	add := func(f string, args ...any) { m = append(m, fmt.Sprintf(f, args...)) }
	question := ""
	for i := range turns + 1 {
		question = fmt.Sprintf("Question %d: %s", i, strings.Repeat(fmt.Sprintf("what is in line %d of the file? ", i), 20))
		if i == turns {
			break
		}
		result := strings.Repeat(fmt.Sprintf("file %d has a line which says that the limiter is on. ", i), 60)
		switch path {
		case "/v1/messages":
			add(`{"role":"user","content":[{"type":"text","text":%q}]}`, question)
			add(`{"role":"assistant","content":[{"type":"tool_use","id":"c%d","name":"read","input":{"path":"a%d.go"}}]}`, i, i)
			add(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c%d","content":%q}]}`, i, result)
			add(`{"role":"assistant","content":[{"type":"text","text":"Answer %d."}]}`, i)
		case "/v1/responses":
			add(`{"type":"message","role":"user","content":%q}`, question)
			add(`{"type":"function_call","call_id":"c%d","name":"read","arguments":"{}"}`, i)
			add(`{"type":"function_call_output","call_id":"c%d","output":%q}`, i, result)
			add(`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Answer %d."}]}`, i)
		default:
			add(`{"role":"user","content":%q}`, question)
			add(`{"role":"assistant","content":null,"tool_calls":[{"id":"c%d","type":"function","function":{"name":"read","arguments":"{}"}}]}`, i)
			add(`{"role":"tool","tool_call_id":"c%d","content":%q}`, i, result)
			add(`{"role":"assistant","content":"Answer %d."}`, i)
		}
	}
	const tool = `"name":"read","description":"Reads a file."`
	switch path {
	case "/v1/messages":
		add(`{"role":"user","content":[{"type":"text","text":%q,"cache_control":{"type":"ephemeral"}}]}`, question)
		return `{"model":"m","max_tokens":1024,"system":[{"type":"text","text":"You count files.","cache_control":{"type":"ephemeral"}}],"tools":[{` + tool + `,"input_schema":{"type":"object"}}],"messages":[` + strings.Join(m, ",") + `]}`
	case "/v1/responses":
		add(`{"type":"message","role":"user","content":%q}`, question)
		return `{"model":"m","instructions":"You count files.","tools":[{"type":"function",` + tool + `}],"input":[` + strings.Join(m, ",") + `]}`
	}
	add(`{"role":"user","content":%q}`, question)
	return `{"model":"m","tools":[{"type":"function","function":{` + tool + `}}],"messages":[{"role":"system","content":"You count files."},` + strings.Join(m, ",") + `]}`
}

// TestPrefixRequests has clients talk for 60 turns through the proxy to an endpoint with a prompt
// cache. Nearly all input of the summaries must be read from that cache.
func TestPrefixRequests(t *testing.T) {
	for _, path := range []string{"/v1/messages", "/v1/chat/completions", "/v1/responses"} {
		t.Run(path, func(t *testing.T) {
			run := func(request string, callsTools bool) *cached {
				now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
				c := &cached{callsTools: callsTools, cache: promptcache.Cache{Now: func() time.Time { return now }}}
				policy := `{"window":{"tokens":24000,"reserve":2000},"prices":{"input":3,"output":15,"cache_read":0.3,"cache_write":3.75},"summary":{"request":"` + request + `"}}`
				base := before(t, c, proxy.Options{Policy: ctxfold.Policy{Raw: json.RawMessage(policy)}})
				turns := 60
				if callsTools {
					turns = 40
				}
				for turn := 1; turn <= turns; turn++ {
					now = now.Add(20 * time.Second)
					report := post(t, base+path, prefixTurn(path, turn))
					if c.behind > 0 && strings.HasPrefix(report, "compacted") && strings.Contains(report, "request=prefix") == callsTools {
						t.Fatalf("turn %d: the report says %s", turn, report)
					}
				}
				if len(c.errors) > 0 {
					t.Fatalf("the endpoint refuses %d requests: %v", len(c.errors), c.errors[0])
				}
				if c.asked == 0 {
					t.Fatal("no summary was asked for")
				}
				return c
			}
			prefix, flat := run("auto", false), run("flat", false)
			t.Logf("prefix: %d of %d behind the conversation, %+v, %.1f %% read from the cache; flat: %d, %+v", prefix.behind, prefix.asked, prefix.summaries,
				100*prefix.summaries.Share(), flat.asked, flat.summaries)
			if prefix.behind != prefix.asked {
				t.Errorf("%d of %d summaries were asked for behind the conversation", prefix.behind, prefix.asked)
			}
			if share := prefix.summaries.Share(); share < 0.85 {
				t.Errorf("%.1f %% of the input of summaries was read from the cache", 100*share)
			}
			cost := func(n promptcache.Count) float64 {
				return 3*float64(n.Input) + 0.3*float64(n.Read) + 3.75*float64(n.Write)
			}
			if cost(prefix.summaries)/float64(prefix.asked) > 0.5*cost(flat.summaries)/float64(flat.asked) {
				t.Errorf("a summary costs %.0f, and %.0f from a record", cost(prefix.summaries)/float64(prefix.asked), cost(flat.summaries)/float64(flat.asked))
			}

			if c := run("auto", true); c.asked < 2*c.behind {
				t.Errorf("of %d requests %d were behind the conversation and called tools: a record is asked for then", c.asked, c.behind)
			}
		})
	}
}
