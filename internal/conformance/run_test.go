package main

import (
	"bufio"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/internal/testing/judge"
)

// fake is a compactor in this process.
type fake struct {
	about   map[string]any
	compact func(list []json.RawMessage) any
	restore func() any
}

// runFake tests a fake with all cases.
func runFake(t *testing.T, f fake) (*result, error) {
	t.Helper()
	in, to := io.Pipe()
	from, out := io.Pipe()
	go func() {
		defer out.Close()
		lines := bufio.NewReader(in)
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				return
			}
			var q struct {
				Op       string
				Messages []json.RawMessage
			}
			if err := json.Unmarshal(line, &q); err != nil {
				panic(err)
			}
			answer := any(f.about)
			switch q.Op {
			case "compact":
				answer = f.compact(q.Messages)
			case "restore":
				answer = f.restore()
			}
			text, err := json.Marshal(answer)
			if err != nil {
				panic(err)
			}
			if _, err := out.Write(append(text, '\n')); err != nil {
				return
			}
		}
	}()
	r, err := run(to, from)
	to.Close()
	from.Close()
	return r, err
}

func describe(promises ...string) map[string]any {
	return map[string]any{"name": "fake", "version": "1", "format": "openai-chat", "promises": promises}
}

func TestCasesAreValid(t *testing.T) {
	names := map[string]bool{}
	due := 0
	for _, c := range cases() {
		if bad := judge.Valid("openai-chat", c.messages); len(bad) > 0 {
			t.Errorf("%s: %s", c.name, bad[0])
		}
		if names[c.name] {
			t.Errorf("%s is there twice", c.name)
		}
		names[c.name] = true
		if c.due {
			due++
		}
		if c.due != (len(c.rules) > 0) {
			t.Errorf("%s: due is %t, and it has %d rules", c.name, c.due, len(c.rules))
		}
		for _, rule := range c.rules {
			if strings.Count(textOf(c.messages), rule) != 1 {
				t.Errorf("%s: %q is not there once", c.name, rule)
			}
		}
	}
	if due < 15 || due == len(names) {
		t.Errorf("%d of %d cases are over their limits", due, len(names))
	}
}

func TestPromises(t *testing.T) {
	messages := func(list []json.RawMessage) any { return map[string]any{"messages": list} }
	for name, c := range map[string]struct {
		fake   fake
		broken []string // the promises that the fake breaks in at least one case
	}{
		"leaves all":        {fake{describe("valid", "fits", "newest", "rules", "unchanged"), messages, nil}, []string{"fits"}},
		"promises no limit": {fake{describe("valid", "newest", "rules", "unchanged"), messages, nil}, nil},
		"keeps the newest one": {fake{describe("valid", "fits", "newest", "rules", "unchanged"), func(list []json.RawMessage) any {
			return messages(list[max(0, len(list)-1):])
		}, nil}, []string{"valid", "newest", "rules", "unchanged"}},
		"removes all": {fake{describe("valid", "newest"), func([]json.RawMessage) any { return messages([]json.RawMessage{}) }, nil}, []string{"newest"}},
		"restores nothing": {fake{describe("restores"), messages, func() any { return messages([]json.RawMessage{}) }},
			[]string{"restores"}},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := runFake(t, c.fake)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range r.about.Promises {
				if broken := r.kept[p] < r.tried[p]; r.tried[p] == 0 || broken != slices.Contains(c.broken, p) {
					t.Errorf("%s: %d of %d", p, r.kept[p], r.tried[p])
				}
			}
			if n := len(r.failures); (n > 0) != (len(c.broken) > 0) {
				t.Errorf("%d failures: %.300v", n, r.failures)
			}
		})
	}
}

func TestProtocol(t *testing.T) {
	same := func(list []json.RawMessage) any { return map[string]any{"messages": list} }
	for want, f := range map[string]fake{
		`there is no promise "fast"`:      {describe("fast"), same, nil},
		"there is no judge":               {map[string]any{"format": "smoke"}, same, nil},
		"is not JSON":                     {describe("valid"), func([]json.RawMessage) any { return []int{1} }, nil},
		"work, 2000: the model is asleep": {describe("valid"), func([]json.RawMessage) any { return map[string]any{"error": "the model is asleep"} }, nil},
	} {
		if _, err := runFake(t, f); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
}
