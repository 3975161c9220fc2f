package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ctxfold/ctxfold/bench/memory/chats"
	"github.com/ctxfold/ctxfold/core"
)

// model is the model whose tokenizer is used to estimate all sizes.
const model = "gpt-4o"

// estimate returns the tokens of text.
func estimate(text string) int {
	body, err := json.Marshal(map[string]any{"policy": map[string]any{"model": model}, "text": text})
	if err != nil {
		panic(err) // cannot fail for a string
	}
	var a struct{ Tokens int }
	if err := call("estimate", body, &a); err != nil {
		panic(err) // any text can be estimated
	}
	return a.Tokens
}

// sizes returns the token count of each message, and their sum.
func sizes(messages []chats.Message) (each []int, all int, err error) {
	body, err := json.Marshal(map[string]any{"policy": map[string]any{"format": "openai-chat", "model": model}, "messages": messages})
	if err != nil {
		return nil, 0, err
	}
	var a struct {
		Tokens   int
		Messages []int
	}
	err = call("estimate", body, &a)
	return a.Messages, a.Tokens, err
}

func call(op string, request []byte, answer any) error {
	raw := core.Call(op, request)
	var failed struct {
		Error *struct{ Code, Message string }
	}
	if err := json.Unmarshal(raw, &failed); err != nil {
		return err
	}
	if failed.Error != nil {
		return fmt.Errorf("%s: %s: %s", op, failed.Error.Code, failed.Error.Message)
	}
	return json.Unmarshal(raw, answer)
}

// left is the result of a compaction.
type left struct {
	Messages json.RawMessage
	State    json.RawMessage
	Report   struct {
		Changed bool
		Reason  string
		Tokens  struct{ Before, After, Limit int }
	}
}

// text returns the text of all messages.
func (l *left) text() string { return allText(l.Messages) }

// allText joins the strings of messages in OpenAI's chat format: content, and the arguments of tool calls.
func allText(messages json.RawMessage) string {
	var list []struct {
		Content   any
		ToolCalls []struct{ Function struct{ Arguments string } } `json:"tool_calls"`
	}
	if err := json.Unmarshal(messages, &list); err != nil {
		panic(err) // the core wrote it
	}
	var b strings.Builder
	for _, m := range list {
		switch content := m.Content.(type) {
		case string:
			b.WriteString(content + "\n")
		case []any:
			for _, part := range content {
				if part, ok := part.(map[string]any); ok {
					text, _ := part["text"].(string)
					b.WriteString(text + "\n")
				}
			}
		}
		for _, c := range m.ToolCalls {
			b.WriteString(c.Function.Arguments + "\n")
		}
	}
	return b.String()
}

// policy returns ctxfold's default policy for a window, without a model. A negative reserve means the default.
func policy(window, reserve int) string {
	if reserve < 0 {
		return fmt.Sprintf(`{"format":"openai-chat","model":%q,"window":{"tokens":%d},"summary":{"mode":"local"}}`, model, window)
	}
	return fmt.Sprintf(`{"format":"openai-chat","model":%q,"window":{"tokens":%d,"reserve":%d},"summary":{"mode":"local"}}`, model, window, reserve)
}

// compact compacts messages once.
func compact(policy string, state, messages json.RawMessage) (*left, error) {
	if state == nil {
		state = json.RawMessage("null")
	}
	body := fmt.Appendf(nil, `{"policy":%s,"state":%s,"messages":%s}`, policy, state, messages)
	l := &left{}
	if err := call("plan", body, l); err != nil {
		return nil, err
	}
	if !l.Report.Changed {
		l.Messages = messages
	}
	return l, nil
}
