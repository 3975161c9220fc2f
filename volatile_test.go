package ctxfold_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/internal/testing/judge"
)

// volatilePolicy has a window that holds about fifteen of the turns below.
const volatilePolicy = `{"format":"openai-chat","window":{"tokens":8000,"reserve":500}}`

// say returns a message of openai-chat.
func say(role, text string) string { return fmt.Sprintf(`{"role":%q,"content":%q}`, role, text) }

// asks and tells return the question and the answer of turn i.
func asks(i int) string { return fmt.Sprintf("Question %d: what is in file %d?", i, i) }

func tells(i int) string {
	return fmt.Sprintf("Answer %d. ", i) + strings.Repeat("The file has lines, words and letters. ", 30)
}

// habits are the changes that apps make to a history that ends with the question of turn i, in a
// call of a number. They get copies.
var habits = map[string]func(list []string, i, call int) []string{
	"plain": func(list []string, _, _ int) []string { return list },
	"retrieved context in the newest message": func(list []string, i, call int) []string {
		list[len(list)-1] = say("user", fmt.Sprintf("Context %d: %s\n\n%s", call, strings.Repeat("It was found. ", 20+call%5), asks(i)))
		return list
	},
	"retrieved context in front of the newest message": func(list []string, i, call int) []string {
		return slices.Insert(list, len(list)-1, say("user", fmt.Sprintf("Context %d: %s", call, strings.Repeat("It was found. ", 20+call%5))), say("assistant", "I have read it."))
	},
	"a clock in the system prompt": func(list []string, _, call int) []string {
		return slices.Insert(list, 0, say("system", fmt.Sprintf("You answer questions. It is 2026-11-24 10:%02d:%02d.", call/60, call%60)))
	},
	"a clock in the first message": func(list []string, _, call int) []string {
		list[0] = say("user", fmt.Sprintf("<context>It is 2026-11-24 10:%02d:%02d.</context> %s", call/60, call%60, asks(0)))
		return list
	},
	"retrieved context in the first message": func(list []string, _, call int) []string {
		list[0] = say("user", fmt.Sprintf("Context %d: %s\n\n%s", call, strings.Repeat("It was found. ", 20+call%5), asks(0)))
		return list
	},
	"a date in the first message that changes every forty calls": func(list []string, _, call int) []string {
		list[0] = say("user", fmt.Sprintf("<context>Today is 2026-11-%d.</context> %s", 20+call/40, asks(0)))
		return list
	},
	"a reminder that moves on with the newest message": func(list []string, i, call int) []string {
		list[len(list)-1] = say("user", fmt.Sprintf("%s\n\n<reminder>%d turns are left. Be brief.</reminder>", asks(i), 1000-call))
		return list
	},
	"a reminder after the newest message": func(list []string, _, call int) []string {
		return append(list, say("user", fmt.Sprintf("Reminder %d: be brief.", call)))
	},
	"the question before is reworded": func(list []string, i, call int) []string {
		if i > 2 {
			list[len(list)-3] = say("user", fmt.Sprintf("%s Or rather, in words of call %d?", asks(i-1), call))
		}
		return list
	},
	"the turn before is deleted": func(list []string, i, call int) []string {
		if i > 2 && call%2 == 1 {
			return slices.Delete(list, len(list)-3, len(list)-1)
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

// given returns the history of turn i as an app with a habit passes it in a call.
func given(habit string, i, call int) json.RawMessage {
	var list []string
	for k := range i {
		list = append(list, say("user", asks(k)), say("assistant", tells(k)))
	}
	return json.RawMessage("[" + strings.Join(habits[habit](append(list, say("user", asks(i))), i, call), ",") + "]")
}

// An app that changes messages behind the cut, or its system prompt, costs no more compactions and
// calls of the model than one that changes nothing: 60 turns at 8,000 tokens, each passed twice.
func TestVolatileFit(t *testing.T) {
	const inBackground = `{"format":"openai-chat","window":{"tokens":8000,"reserve":500},"gate":{"ratio":0.9,"start":0.6,"target":0.4}}`
	for name, policy := range map[string]string{"when it is due": volatilePolicy, "in the background": inBackground} {
		t.Run(name, func(t *testing.T) {
			made := map[string]counts{}
			for habit := range habits {
				c, m, n := native(t, ctxfold.Options{}), &model{}, counts{}
				for call := range 2 * fitTurns {
					r := fitted(t, c, ctxfold.Input{Messages: given(habit, call/2, call), Policy: ctxfold.RawPolicy(policy)}, m)
					if r.BackgroundDone != nil {
						<-r.BackgroundDone
						n.compactions++
					}
					if r.Changed {
						n.compactions++
					}
					if bad := judge.Valid("openai-chat", r.Messages); len(bad) > 0 {
						t.Fatalf("%s, call %d: what is sent is not valid: %v", habit, call, bad)
					}
				}
				n.calls = int(m.calls.Load())
				made[habit] = n
			}
			sameCosts(t, made)
		})
	}
}

// sameCosts fails the test if a habit costs more than the plain one.
func sameCosts(t *testing.T, made map[string]counts) {
	t.Helper()
	plain := made["plain"]
	for habit, n := range made {
		// Retrieved context is sent too, so the window is full a little earlier. A changing first
		// message is only noticed after a compaction, which is made once more, of more messages.
		more, asked := 1, 1
		if strings.Contains(habit, "in the first message") {
			more, asked = 2, 3
		}
		if n.compactions > plain.compactions+more || n.calls > plain.calls+asked || n.compactions < plain.compactions-1 {
			t.Errorf("%s: %+v, where the same words take %+v", habit, n, plain)
		}
	}
	if plain.compactions < 3 || plain.compactions > 8 {
		t.Errorf("%+v in %d turns", plain, fitTurns)
	}
	t.Logf("%+v", made)
}

// A live conversation whose newest messages are replaced before each call of the model, and whose
// system prompt changes, costs no more than a plain one either.
func TestVolatileConversation(t *testing.T) {
	made := map[string]counts{}
	for habit := range habits {
		m, n := &model{}, counts{}
		v, err := native(t, ctxfold.Options{}).Conversation(t.Context(), ctxfold.ConversationOptions{Policy: ctxfold.RawPolicy(volatilePolicy), Summarizer: m})
		if err != nil {
			t.Fatal(err)
		}
		for i := range fitTurns {
			if err := v.Append(t.Context(), json.RawMessage("["+say("user", asks(i))+"]")); err != nil {
				t.Fatal(err)
			}
			var list []json.RawMessage
			if err := json.Unmarshal(v.Messages(), &list); err != nil {
				t.Fatal(err)
			}
			for call := 2 * i; call < 2*i+2; call++ {
				words := make([]string, len(list))
				for k, m := range list {
					words[k] = string(m)
				}
				if err := v.SetMessages(t.Context(), json.RawMessage("["+strings.Join(habits[habit](words, i, call), ",")+"]")); err != nil {
					t.Fatal(err)
				}
				r, err := v.AfterTurn(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if r.Changed {
					n.compactions++
					if bad := judge.Valid("openai-chat", r.Messages); len(bad) > 0 {
						t.Fatalf("%s, call %d: %v", habit, call, bad)
					}
					list = nil
					if err := json.Unmarshal(r.Messages, &list); err != nil {
						t.Fatal(err)
					}
					list = plainAgain(list, i)
				}
			}
			list = append(list, json.RawMessage(say("assistant", tells(i))))
			if err := v.SetMessages(t.Context(), json.RawMessage("["+strings.Join(texts(list), ",")+"]")); err != nil {
				t.Fatal(err)
			}
		}
		if err := v.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		n.calls = int(m.calls.Load())
		made[habit] = n
	}
	sameCosts(t, made)
}

// plainAgain returns the result as the app keeps it: without the additions of its habit, and with
// the question of turn i as the newest message.
func plainAgain(list []json.RawMessage, i int) []json.RawMessage {
	list = slices.DeleteFunc(list, func(m json.RawMessage) bool {
		text := string(m)
		return strings.HasPrefix(text, `{"role":"system"`) || strings.HasPrefix(text, `{"role":"user","content":"Reminder `) ||
			strings.HasPrefix(text, `{"role":"user","content":"Context `) || text == say("assistant", "I have read it.")
	})
	if last := string(list[len(list)-1]); strings.HasPrefix(last, `{"role":"user"`) && strings.Contains(last, asks(i)) {
		list = list[:len(list)-1]
	}
	return append(list, json.RawMessage(say("user", asks(i))))
}

func texts(list []json.RawMessage) (all []string) {
	for _, m := range list {
		all = append(all, string(m))
	}
	return all
}

// A compaction in the background continues while the app changes messages behind its cut: it is
// made once, and none is given up.
func TestVolatileBackground(t *testing.T) {
	const policy = `{"format":"openai-chat","window":{"tokens":8000,"reserve":500},"gate":{"ratio":0.95,"start":0.5,"target":0.35}}`
	made := map[string]counts{}
	for habit := range habits {
		c, n := native(t, ctxfold.Options{}), counts{}
		begun, release := make(chan struct{}, 9), make(chan struct{})
		slow := ctxfold.SummarizerFunc(func(ctx context.Context, q ctxfold.Request) (ctxfold.Summary, error) {
			begun <- struct{}{}
			select {
			case <-release:
				return (&model{}).Summarize(ctx, q)
			case <-ctx.Done():
				t.Errorf("%s: a compaction is given up", habit)
				return ctxfold.Summary{}, ctx.Err()
			}
		})
		since := -1 // the number of calls since the running compaction began; -1 if none runs
		for call := range 2 * fitTurns {
			r := fitted(t, c, ctxfold.Input{Messages: given(habit, call/2, call), Policy: ctxfold.RawPolicy(policy)}, slow)
			switch {
			case r.Changed:
				t.Fatalf("%s, call %d: it waited at the limit", habit, call)
			case r.BackgroundDone == nil:
				since = -1
			case since < 0:
				<-begun // from here on the compaction has its messages
				since = 0
				n.compactions++
			default:
				if since++; since == 4 {
					release <- struct{}{}
					n.calls++
					<-r.BackgroundDone
					since = -1
				}
			}
		}
		close(release)
		made[habit] = n
	}
	sameCosts(t, made)
}
