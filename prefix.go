package ctxfold

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/ctxfold/ctxfold/api"
)

// PrefixSummarizer is a [Summarizer] that can ask for a summary after the conversation as it was last sent, so that the provider reads the
// conversation from its prompt cache; docs/reference/policy.md says when. The [Request] then has a Conversation, whose Sent is what to send,
// including the system prompt and tools if the input was a request body; System and Prompt are already in it.
type PrefixSummarizer interface {
	Summarizer
	// SummarizesPrefix reports whether it can.
	SummarizesPrefix() bool
}

// prefixing adds to the options whether s can ask after the conversation.
func prefixing(o api.Options, s Summarizer) api.Options {
	if p, ok := s.(PrefixSummarizer); ok && p.SummarizesPrefix() {
		own := api.SummaryOptions{}
		if o.Summary != nil {
			own = *o.Summary
		}
		own.Prefix = true
		o.Summary = &own
	}
	return o
}

// about sets the messages from which requests after the conversation are made.
func (a *asking) about(messages json.RawMessage) *asking {
	a.messages = messages
	return a
}

// complete adds what to send to a request after the conversation.
func (a *asking) complete(q *Request) error {
	if q.Conversation == nil {
		return nil
	}
	conversation := *q.Conversation
	sent, err := behindOf(a.messages, &conversation)
	conversation.Sent, q.Conversation = sent, &conversation
	return err
}

// lists are the members of request bodies that hold the messages.
var lists = []string{"messages", "input", "contents"}

// behindOf returns what to send for a request after the conversation: the given messages, or the body that contains them, with the request's
// edits and changes.
func behindOf(given json.RawMessage, q *api.RequestConversation) (json.RawMessage, error) {
	var body map[string]json.RawMessage
	list, key := given, ""
	if json.Unmarshal(given, &body) == nil {
		for _, name := range lists {
			if value := body[name]; len(value) > 0 && value[0] == '[' {
				list, key = value, name
				break
			}
		}
	}
	var messages []json.RawMessage
	if err := json.Unmarshal(list, &messages); err != nil {
		return nil, fmt.Errorf("ctxfold: the messages that a summary request follows: %w", err)
	}
	messages, err := ApplyEdits(messages, json.RawMessage(q.Edits), func(m json.RawMessage) (json.RawMessage, error) { return m, nil })
	if err != nil || key == "" {
		return join(messages), err
	}
	var patch map[string]json.RawMessage
	if err := json.Unmarshal(q.Body, &patch); err != nil {
		return nil, errors.New("ctxfold: the changes of a request body are not a JSON object")
	}
	merge(body, patch)
	body[key] = join(messages)
	return json.Marshal(body)
}

// merge is JSON Merge Patch (RFC 7396).
func merge(target, patch map[string]json.RawMessage) {
	for name, value := range patch {
		var inner map[string]json.RawMessage
		switch {
		case string(value) == "null":
			delete(target, name)
		case value[0] != '{' || json.Unmarshal(value, &inner) != nil:
			target[name] = value
		default:
			own := map[string]json.RawMessage{}
			if json.Unmarshal(target[name], &own) != nil || own == nil {
				own = map[string]json.RawMessage{}
			}
			merge(own, inner)
			target[name], _ = json.Marshal(own) // it was read from JSON, so it can be written
		}
	}
}
