package core_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
)

// A compacted chat holds at least as many rules and preferences as the user's messages alone, the newest first, in as many bytes. The
// sentences are those of TestForms; the assistant's answers are long, and most messages of the user are small talk.
func TestRulesBeatNewestMessages(t *testing.T) {
	text, err := os.ReadFile("internal/digest/testdata/forms.txt")
	if err != nil {
		t.Fatal(err)
	}
	var rules, talk []string
	kind := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if rest, found := strings.CutPrefix(line, "= "); found {
			kind = rest
		} else if kind == "decoy en" {
			talk = append(talk, line)
		} else if strings.HasSuffix(kind, " en") && line != "" {
			rules = append(rules, line)
		}
	}
	for seed := range 6 {
		var list, users, said []string
		for i := range 150 {
			user := fmt.Sprintf("%s And what about point %d of the list, which was about the garden in %d?", talk[(i*7+seed)%len(talk)], i, 1900+i)
			if i%5 == 2 && i < 120 {
				rule := rules[(i*13+seed*29)%len(rules)]
				said = append(said, rule)
				user = rule
				if i%2 == 0 {
					user += fmt.Sprintf(" By the way, point %d is done.", i)
				}
			}
			users = append(users, user)
			answer := strings.Repeat(fmt.Sprintf("Point %d concerns bed %d, where the soil of plot %d drains slowly toward wall %d. ", i, i*3, i*7, i*11), 8)
			list = append(list, fmt.Sprintf(`{"role":"user","content":%q},{"role":"assistant","content":%q}`, user, answer))
		}
		for _, window := range []int{3000, 5000, 8000} {
			policy := fmt.Sprintf(`{"format":"openai-chat","window":{"tokens":%d,"reserve":%d},"summary":{"mode":"local"}}`, window, window/8)
			a := compacts(t, policy, "", "["+strings.Join(list, ",")+"]", "")
			if a.Error != nil {
				t.Fatalf("%+v", a.Error)
			}
			var messages []struct{ Content string }
			if err := json.Unmarshal(a.Messages, &messages); err != nil {
				t.Fatal(err)
			}
			left := ""
			for _, m := range messages {
				left += m.Content + "\n"
			}
			newest := ""
			for i := len(users) - 1; i >= 0 && len(newest)+len(users[i]) <= len(left); i-- {
				newest += users[i] + "\n"
			}
			held, alone := 0, 0
			for _, r := range said {
				if strings.Contains(left, r) {
					held++
				} else if window == 8000 {
					t.Logf("lost: %s", r)
				}
				if strings.Contains(newest, r) {
					alone++
				}
			}
			t.Logf("seed %d, window %d: %d of %d, the user's messages alone %d", seed, window, held, len(said), alone)
			if held < alone {
				t.Errorf("seed %d, window %d: %d of %d rules are held, and %d by the user's messages alone", seed, window, held, len(said), alone)
			}
		}
	}
}

// TestRulesInSmallWindows: in a small window a chat's digest is made in two steps, and the rules survive both, because they take their share before
// anything that the assistant said.
func TestRulesInSmallWindows(t *testing.T) {
	rules := []string{"Never name my street in a letter.", "Answer in two sentences, always.", "I prefer wool to cotton.", "All sums need a currency."}
	name := func(n int) string {
		return []string{"Ba", "Ke", "Li", "Mo", "Nu", "Pa", "Re"}[n%7] + []string{"dal", "gor", "min", "ster", "tov"}[n/7%5] + []string{"a", "en", "is"}[n/35%3]
	}
	var list []string
	for i := range 15 {
		user := fmt.Sprintf("%s carried %d sacks of soil up to %s.", name(i*3), i+2, name(i*5+1))
		switch i % 4 {
		case 0:
			user = fmt.Sprintf("And what about bed %d of the garden?", i)
		case 1:
			user = rules[i/4]
		}
		answer := ""
		for k := range 9 {
			answer += fmt.Sprintf("%s of %s sails toward %s with %d barrels. ", name(i*7+k), name(i*11+k*5), name(k*13+i), i*k+3)
		}
		list = append(list, fmt.Sprintf(`{"role":"user","content":%q},{"role":"assistant","content":%q}`, user, answer))
	}
	for _, window := range []int{500, 600, 1000} {
		policy := fmt.Sprintf(`{"format":"openai-chat","window":{"tokens":%d,"reserve":%d},"summary":{"mode":"local"}}`, window, window/8)
		a := compacts(t, policy, "", "["+strings.Join(list, ",")+"]", "")
		if a.Error != nil {
			t.Fatalf("%+v", a.Error)
		}
		for _, rule := range rules {
			if !strings.Contains(string(a.Messages), rule) {
				t.Errorf("a window of %d tokens lost %q: %s", window, rule, a.Messages)
			}
		}
	}
}

// TestRulesBeforeTheLastAnswer: if not even the user's rules fit into the digest of a chat, the middle of the last answer gives way to them. The
// user's newest message stays whole. The digest of a chat says nothing about text from tools.
func TestRulesBeforeTheLastAnswer(t *testing.T) {
	rules := []string{"Never name my street in a letter.", "Answer in two sentences, always.", "I prefer wool to cotton.", "All sums need a currency.",
		"Don't suggest phone calls.", "Crowds make my skin crawl.", "Always add the weekday to a date.", "I can't stand olives."}
	var list []string
	for i := range 16 {
		user := fmt.Sprintf("What about bed %d of the garden?", i)
		if i%2 == 0 {
			user = rules[i/2]
		}
		answer := ""
		for k := range 9 {
			answer += fmt.Sprintf("Bed %d gets row %d of the onions in week %d. ", i, k+2, k*i+1)
		}
		list = append(list, fmt.Sprintf(`{"role":"user","content":%q},{"role":"assistant","content":%q}`, user, answer))
	}
	a := compacts(t, `{"format":"openai-chat","window":{"tokens":420,"reserve":0},"summary":{"mode":"local"}}`, "", "["+strings.Join(list, ",")+"]", "")
	if a.Error != nil {
		t.Fatalf("%+v", a.Error)
	}
	text := string(a.Messages)
	for _, rule := range rules {
		if n := strings.Count(text, strings.TrimRight(rule, ".")); n != 1 {
			t.Errorf("%q is there %d times: %s", rule, n, text)
		}
	}
	for _, want := range []string{"What about bed 15 of the garden?", "Bed 15 gets row 2 of the onions in week 1.", "in week 121."} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is lost: %s", want, text)
		}
	}
	if strings.Contains(text, "files and tools") {
		t.Errorf("the digest of a chat is about tools: %s", text)
	}
}
