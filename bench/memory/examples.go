package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/ctxfold/ctxfold/bench/memory/chats"
)

// exampleSection returns the section that shows complete digests.
func exampleSection(o *options) (string, error) {
	var b strings.Builder
	b.WriteString("## Three digests\n\nThe digests as compaction wrote them, in the message that replaces what was folded.\n")
	show := func(title string, list json.RawMessage, policy string) error {
		l, err := compact(policy, nil, list)
		if err != nil {
			return fmt.Errorf("%s: %w", title, err)
		}
		text, err := written(list, l.Messages)
		if err != nil {
			return err
		}
		t := l.Report.Tokens
		fmt.Fprintf(&b, "\n### %s\n\n%s tokens before, %s after, of which the digest has %s.\n\n```text\n%s\n```\n", title, thousands(t.Before), thousands(t.After), thousands(estimate(text)), quoted(text))
		return nil
	}
	const share = 8
	for _, e := range []struct {
		code, title string
		assistant   bool
	}{{"en", "Two people, in English", false}, {"ja", "A user and an assistant, in Japanese", true}} {
		for _, l := range chats.Languages() {
			if l.Code != e.code {
				continue
			}
			c := chats.Make(l, e.assistant, 3, estimate)
			list, err := json.Marshal(c.Messages)
			if err != nil {
				return "", err
			}
			_, tokens, err := sizes(c.Messages)
			if err != nil {
				return "", err
			}
			if err := show(e.title, list, setting{share: share}.policy(tokens)); err != nil {
				return "", err
			}
		}
	}
	sample, err := os.ReadFile(filepath.Join(o.root, "testdata/sample.anthropic.json"))
	if err != nil {
		return "", err
	}
	err = show("A coding session (`testdata/sample.anthropic.json`)", sample, `{"model":"claude-sonnet-4-5","window":{"tokens":12000,"reserve":0},"summary":{"mode":"local"}}`)
	return b.String(), err
}

// written returns the text of those messages in a result that the input doesn't contain.
func written(before, after json.RawMessage) (string, error) {
	var old, now []json.RawMessage
	if err := json.Unmarshal(before, &old); err != nil {
		return "", err
	}
	if err := json.Unmarshal(after, &now); err != nil {
		return "", err
	}
	came := map[string]bool{}
	for _, m := range old {
		came[compacted(m)] = true
	}
	var texts []string
	for _, m := range now {
		if came[compacted(m)] {
			continue
		}
		if text := strings.TrimSpace(allText(append(append(json.RawMessage("["), m...), ']'))); text != "" {
			texts = append(texts, text)
		}
	}
	if len(texts) == 0 {
		return "", fmt.Errorf("the result has no digest")
	}
	return texts[0], nil
}

func compacted(m json.RawMessage) string {
	var b bytes.Buffer
	if err := json.Compact(&b, m); err != nil {
		panic(err) // it has been parsed before
	}
	return b.String()
}

// quoted returns text that is safe inside a code fence and contains no links.
func quoted(text string) string {
	return strings.NewReplacer("```", "'''", "](", "] (").Replace(text)
}
