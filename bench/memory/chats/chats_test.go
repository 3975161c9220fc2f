package chats_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/bench/memory/chats"
	"github.com/ctxfold/ctxfold/bench/memory/held"
)

// count stands in for a tokenizer: a token is four bytes, or one character of three bytes.
func count(text string) int {
	n := 0
	for _, c := range text {
		n += 1 + 2*min(1, int(c)>>11)
	}
	return (n + 3) / 4
}

// TestMake makes a conversation of each language and kind. It must have the right size, and its answers must be in the messages that are
// listed as their evidence, and in no template.
func TestMake(t *testing.T) {
	languages := chats.Languages()
	if len(languages) < 8 {
		t.Fatalf("%d languages", len(languages))
	}
	for _, l := range languages {
		for _, assistant := range []bool{false, true} {
			c := chats.Make(l, assistant, 1, count)
			if n := len(c.Messages); n < 350 || n > 900 {
				t.Errorf("%s: %d messages", c.Name, n)
			}
			if n := len(c.Questions); n < 70 {
				t.Errorf("%s: %d questions", c.Name, n)
			}
			for i, m := range c.Messages {
				if strings.ContainsAny(m.Content, "{}|~") || m.Role != []string{"user", "assistant"}[i%2] || m.Content == "" {
					t.Errorf("%s: message %d: %+v", c.Name, i, m)
				}
			}
			changed := 0
			seen := map[string]bool{}
			for _, q := range c.Questions {
				if seen[q.Question] || strings.ContainsAny(q.Question+q.Answer, "{}[]|~") {
					t.Errorf("%s: %q", c.Name, q.Question)
				}
				seen[q.Question] = true
				for _, e := range q.Evidence {
					if !held.New(c.Messages[e].Content).Holds(q.Answer, l.Stop) {
						t.Errorf("%s: %q: %q does not stand in %q", c.Name, q.Question, q.Answer, c.Messages[e].Content)
					}
				}
				if len(q.Stale) > 0 {
					changed++
				}
			}
			if changed < 8 {
				t.Errorf("%s: only %d facts change", c.Name, changed)
			}
		}
	}
}

// TestSeeds checks that a seed determines the whole conversation.
func TestSeeds(t *testing.T) {
	l := chats.Languages()[0]
	text := func(seed int) string {
		b, err := json.Marshal(chats.Make(l, false, seed, count))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	if first, again := text(1), text(1); first != again {
		t.Error("the same seed makes another conversation")
	}
	if text(1) == text(2) {
		t.Error("two seeds make the same conversation")
	}
}
