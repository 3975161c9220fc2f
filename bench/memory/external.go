package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/bench/memory/chats"
)

// external reads the conversations in a folder. Its files contain lists of
// {"messages":[{"role","content"…}], "questions":[{"question","answer","evidence":[index]}]}. The
// content is text or a list of parts; all roles except assistant and system are treated as the
// user. Questions without an answer are skipped.
func external(folder string, english *chats.Language) (list []*chats.Chat, err error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return nil, err
	}
	slices.Sort(files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var read []struct {
			Messages []struct {
				Role, Name, Timestamp string
				Content               any
			}
			Questions []struct {
				Question string
				Answer   any
				Evidence []int
			}
		}
		if err := json.Unmarshal(text, &read); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		for i, r := range read {
			c := &chats.Chat{Name: fmt.Sprintf("%s, %d", filepath.Base(file), i), Language: english}
			for _, m := range r.Messages {
				role := m.Role
				if role != "assistant" && role != "system" {
					role = "user"
				}
				c.Messages = append(c.Messages, chats.Message{Role: role, Name: m.Name, Timestamp: m.Timestamp, Content: contentText(m.Content)})
			}
			for _, q := range r.Questions {
				answer := fmt.Sprint(q.Answer)
				if q.Answer == nil || answer == "" || slices.ContainsFunc(q.Evidence, func(e int) bool { return e < 0 || e >= len(c.Messages) }) {
					continue
				}
				c.Questions = append(c.Questions, chats.Question{Question: q.Question, Answer: answer, Evidence: q.Evidence})
			}
			list = append(list, c)
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s has no conversations", folder)
	}
	return list, nil
}

// contentText returns the text in the content of a message.
func contentText(content any) string {
	switch content := content.(type) {
	case string:
		return content
	case []any:
		var texts []string
		for _, part := range content {
			if part, ok := part.(map[string]any); ok {
				if text, ok := part["text"].(string); ok {
					texts = append(texts, text)
				}
			}
		}
		return strings.Join(texts, "\n")
	}
	return ""
}
