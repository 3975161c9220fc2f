package proxy_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/host/proxy"
)

func say(role, text string) string { return fmt.Sprintf(`{"role":%q,"content":%q}`, role, text) }

// Over 60 turns at 8,000 tokens, each sent twice, clients that change messages after the cut, or their system prompt, cost no more than one
// that changes nothing.
func TestVolatile(t *testing.T) {
	asks := func(i int) string { return fmt.Sprintf("Question %d: what is in file %d?", i, i) }
	tells := func(i int) string {
		return fmt.Sprintf("Answer %d. ", i) + strings.Repeat("The file has lines, words and letters. ", 30)
	}
	found := func(call int) string {
		return fmt.Sprintf("Context %d: %s", call, strings.Repeat("It was found. ", 20+call%5))
	}
	habits := map[string]func(list []string, i, call int) []string{
		"plain": func(list []string, _, _ int) []string { return list },
		"retrieved context in the newest message": func(list []string, i, call int) []string {
			return append(list[:len(list)-1], say("user", found(call)+"\n\n"+asks(i)))
		},
		"a clock in the first message": func(list []string, _, call int) []string {
			list[0] = say("user", fmt.Sprintf("<context>It is 10:%02d:%02d.</context> %s", call/60, call%60, asks(0)))
			return list
		},
		"a map of the repository in the first message": func(list []string, _, call int) []string {
			list[0] = say("user", found(call)+"\n\n"+asks(0))
			return list
		},
		"a clock in the system prompt": func(list []string, _, call int) []string {
			return slices.Insert(list, 0, say("system", fmt.Sprintf("You answer questions. It is Tuesday, 24 November 2026, 10:%02d:%02d.", call/60, call%60)))
		},
		"a reminder after the newest message": func(list []string, _, call int) []string {
			return append(list, say("user", fmt.Sprintf("Reminder %d: be brief.", call)))
		},
		"the question before is reworded": func(list []string, i, call int) []string {
			if i > 2 {
				list[len(list)-3] = say("user", fmt.Sprintf("%s In words of call %d?", asks(i-1), call))
			}
			return list
		},
		"the newest answer is regenerated": func(list []string, i, call int) []string {
			if i > 2 {
				list[len(list)-2] = say("assistant", fmt.Sprintf("Attempt %d. %s", call, tells(i-1)))
			}
			return list
		},
	}
	made := map[string][2]int{}
	for habit, change := range habits {
		u, n := &upstream{}, 0
		base := before(t, u, proxy.Options{Policy: ctxfold.RawPolicy(`{"window":{"tokens":8000,"reserve":500}}`)})
		for call := range 120 {
			i := call / 2
			var list []string
			for k := range i {
				list = append(list, say("user", asks(k)), say("assistant", tells(k)))
			}
			list = change(append(list, say("user", asks(i))), i, call)
			report := post(t, base+"/v1/chat/completions", `{"model":"m","tools":[],"messages":[`+strings.Join(list, ",")+`]}`, "Authorization", "Bearer k")
			if strings.HasPrefix(report, "compacted") {
				n++
			}
		}
		summaries, conversations, _ := u.seen()
		made[habit] = [2]int{n, len(summaries)}
		if len(conversations) != 120 {
			t.Errorf("%s: %d conversations reached the endpoint", habit, len(conversations))
		}
	}
	// The system prompt begins with text retrieved for the request; a header identifies the
	// conversation.
	u, n := &upstream{}, 0
	base := before(t, u, proxy.Options{Policy: ctxfold.RawPolicy(`{"window":{"tokens":8000,"reserve":500}}`)})
	for i := range 60 {
		list := []string{say("system", fmt.Sprintf("Found for %s: %s", strings.Repeat("x", i%7), found(i)))}
		for k := range i {
			list = append(list, say("user", asks(k)), say("assistant", tells(k)))
		}
		report := post(t, base+"/v1/chat/completions", `{"model":"m","tools":[],"messages":[`+strings.Join(append(list, say("user", asks(i))), ",")+`]}`,
			"Authorization", "Bearer k", proxy.HeaderConversation, "c")
		if strings.HasPrefix(report, "compacted") {
			n++
		}
	}
	summaries, _, _ := u.seen()
	made["a system prompt with what was retrieved, in a named conversation"] = [2]int{n, len(summaries)}
	plain := made["plain"]
	for habit, n := range made {
		more, asked := 1, 1
		if strings.HasSuffix(habit, "in the first message") { // one is made before it is known that the message changes, and room is lost to it
			more, asked = 2, 3
		}
		if n[0] > plain[0]+more || n[0] < plain[0]-1 || n[1] > plain[1]+asked {
			t.Errorf("%s: %d compactions and %d calls, where the same words take %d and %d", habit, n[0], n[1], plain[0], plain[1])
		}
	}
	if plain[0] < 3 || plain[0] > 8 {
		t.Errorf("%d compactions", plain[0])
	}
	t.Logf("%v", made)
}

// Secrets found by Redact reach no summarizer and no digest.
func TestRedact(t *testing.T) {
	u := &upstream{}
	bodies := make(chan string, 100)
	up := recorder{u, bodies}
	base := before(t, up, proxy.Options{Redact: func(text string) (found []api.Redaction) {
		if strings.Contains(text, "hunter2!") {
			found = append(found, api.Redaction{Text: "hunter2!"})
		}
		return found
	}})
	list := strings.ReplaceAll(long(60), "Request 3.", "Request 3. The password is hunter2!, keep to it.")
	if report := post(t, base+"/v1/chat/completions", `{"model":"m","tools":[],"messages":[`+list+`]}`, "Authorization", "Bearer k"); !strings.HasPrefix(report, "compacted") {
		t.Fatal(report)
	}
	close(bodies)
	n := 0
	for body := range bodies {
		n++
		if strings.Contains(body, "hunter2") {
			t.Errorf("the endpoint was sent a secret: %.2000s", body)
		}
		if !json.Valid([]byte(body)) {
			t.Errorf("not JSON: %.200s", body)
		}
	}
	if n < 2 {
		t.Errorf("%d requests reached the endpoint, and not a summary and the conversation", n)
	}
}

// recorder is an endpoint that keeps the bodies of all requests.
type recorder struct {
	*upstream
	bodies chan<- string
}

func (r recorder) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	text, _ := io.ReadAll(q.Body)
	r.bodies <- string(text)
	q.Body = io.NopCloser(bytes.NewReader(text))
	r.upstream.ServeHTTP(w, q)
}
