package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/bench/memory/canaries"
	"github.com/ctxfold/ctxfold/bench/memory/chats"
)

func english(t *testing.T) *chats.Language {
	t.Helper()
	for _, l := range chats.Languages() {
		if l.Code == "en" {
			return l
		}
	}
	t.Fatal("there is no English")
	return nil
}

// TestCuts checks that methods compared with a compaction get the same room, and use it.
func TestCuts(t *testing.T) {
	c := chats.Make(english(t), false, 1, estimate)
	each, _, err := sizes(c.Messages)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, m := range c.Messages {
		texts = append(texts, m.Content)
	}
	conv := newConversation(texts, each)
	for _, cut := range cuts {
		for _, size := range []int{1000, 4000} {
			text := cut.text(conv, size)
			if n := estimate(text); n > size*102/100 || n < size*80/100 { // messages add tokens
				t.Errorf("%s takes %d tokens of %d", cut.name, n, size)
			}
			for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
				if !strings.Contains(strings.Join(texts, "\n"), line) {
					t.Errorf("%s has made up %q", cut.name, line)
				}
			}
		}
	}
	if all := strings.Join(texts, "\n"); count(c, all).held != len(c.Questions) {
		t.Error("the whole conversation does not hold all answers")
	}
}

// TestMeasureChat checks that a compaction stays within its setting's limit, and that every answer is looked for.
func TestMeasureChat(t *testing.T) {
	c := chats.Make(english(t), true, 1, estimate)
	r, err := measureChat(c, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range settings {
		m := r.by[i]
		if m.ours.asked != len(c.Questions) || m.newest.asked == 0 || m.newest.asked != m.stale.asked {
			t.Errorf("%v: %+v", s, m)
		}
		if s.share > 0 && float64(m.after) > float64(m.before)*s.share/100/0.6 {
			t.Errorf("%v: %d of %d tokens are left", s, m.after, m.before)
		}
	}
}

func TestMeasureCanaries(t *testing.T) {
	set := canaries.Sets()[0]
	r, err := measureCanaries(set, 1, 8000)
	if err != nil {
		t.Fatal(err)
	}
	rules, others := lasting(r)
	if rules.asked+others.asked != 20 || rules.held+others.held+len(r.lost) != 20 || rules.held == 0 {
		t.Errorf("%+v %+v, lost %d", rules, others, len(r.lost))
	}
}

func TestExternal(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := external(dir, english(t)); err == nil {
		t.Error("an empty folder is no error")
	}
	write("a.json", `[{"messages":[{"role":"Caro","content":"I moved to Porto."},{"role":"assistant","content":[{"type":"text","text":"How is it?"}]}],
		"questions":[{"question":"Where?","answer":"Porto","evidence":[0]},{"question":"How many?","answer":3,"evidence":[1]},
		{"question":"No answer?","answer":null,"evidence":[0]},{"question":"Elsewhere?","answer":"Rome","evidence":[7]}]}]`)
	list, err := external(dir, english(t))
	if err != nil {
		t.Fatal(err)
	}
	c := list[0]
	if len(list) != 1 || len(c.Questions) != 2 || c.Messages[0].Role != "user" || c.Messages[1].Content != "How is it?" || c.Questions[1].Answer != "3" {
		t.Errorf("%+v", c)
	}
	write("b.json", `{}`)
	if _, err := external(dir, english(t)); err == nil || !strings.Contains(err.Error(), "b.json") {
		t.Errorf("a file of another shape: %v", err)
	}
}

func TestCodingSection(t *testing.T) {
	o := &options{root: t.TempDir()}
	if err := os.Mkdir(filepath.Join(o.root, "build"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"retention.md", "chain.md"} {
		text := "| session | tokens |\n|---|---:|\n| codex/secret_name.jsonl at 50 % | 12 |\n| claude_code/cc_1.jsonl | 9 |\n"
		if err := os.WriteFile(filepath.Join(o.root, "build", name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := codingSection(o)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text, "secret_name") || !strings.Contains(text, "| Codex at 50 % | 12 |") || !strings.Contains(text, "| Claude Code | 9 |") {
		t.Error(text)
	}
}
