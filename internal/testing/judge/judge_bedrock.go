package judge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

func init() {
	judges["bedrock-converse"] = judge{valid: bedrock, lastUser: bedrockLastUser, opaque: bedrockOpaque}
}

type bedrockMessage struct {
	Role    string            `json:"role"`
	Content []json.RawMessage `json:"content"`
	raw     json.RawMessage
}

type bedrockBlock struct {
	Text       *string         `json:"text"`
	CachePoint json.RawMessage `json:"cachePoint"`
	Document   json.RawMessage `json:"document"`
	Guard      *struct {
		Text *struct {
			Text string `json:"text"`
		} `json:"text"`
	} `json:"guardContent"`
	Use *struct {
		ID   string `json:"toolUseId"`
		Name string `json:"name"`
		Type string `json:"type"`
	} `json:"toolUse"`
	Result *struct {
		ID      string            `json:"toolUseId"`
		Content []json.RawMessage `json:"content"`
		Type    string            `json:"type"`
	} `json:"toolResult"`
	Reasoning json.RawMessage `json:"reasoningContent"`
}

func bedrockRead(list []byte) ([]bedrockMessage, error) {
	var raws []json.RawMessage
	if err := json.Unmarshal(list, &raws); err != nil {
		return nil, err
	}
	out := make([]bedrockMessage, len(raws))
	for i, r := range raws {
		if err := json.Unmarshal(r, &out[i]); err != nil {
			return nil, err
		}
		out[i].raw = r
	}
	return out, nil
}

var bedrockID = regexp.MustCompile(`^[a-zA-Z0-9_.:-]{1,64}$`)

// bedrock returns why the service would reject messages with a ValidationException.
func bedrock(list []byte) (bad []string) {
	ms, err := bedrockRead(list)
	if err != nil {
		return []string{"not a list of messages: " + err.Error()}
	}
	say := func(i int, f string, a ...any) {
		bad = append(bad, fmt.Sprintf("messages.%d: ", i)+fmt.Sprintf(f, a...))
	}
	used := map[string]bool{}
	var asked map[string]bool // ids of the tool uses in the previous message
	last := ""
	for i, m := range ms {
		if m.Role == "system" {
			continue
		}
		if m.Role != "user" && m.Role != "assistant" {
			say(i, "role %q", m.Role)
		}
		if last == "" && m.Role != "user" {
			say(i, "A conversation must start with a user message")
		}
		if last == m.Role {
			say(i, "A conversation must alternate between user and assistant roles")
		}
		last = m.Role
		calls, server := map[string]bool{}, map[string]bool{}
		filled, other, document, text := false, false, false, false
		for k, raw := range m.Content {
			var b bedrockBlock
			if err := json.Unmarshal(raw, &b); err != nil {
				say(i, "%v", err)
				continue
			}
			if string(raw) == "{}" {
				say(i, "content.%d is an empty block", k)
			}
			if b.CachePoint != nil {
				continue
			}
			filled = true
			document = document || b.Document != nil
			text = text || b.Text != nil || b.Guard != nil && b.Guard.Text != nil
			switch {
			case b.Text != nil && strings.TrimSpace(*b.Text) == "":
				say(i, "The text field in the ContentBlock object at content.%d is blank", k)
			case b.Use != nil && b.Use.Type == "server_tool_use":
				server[b.Use.ID] = true
			case b.Use != nil:
				if m.Role != "assistant" {
					say(i, "toolUse in a message of the %s", m.Role)
				}
				if used[b.Use.ID] {
					say(i, "duplicate Ids: %s", b.Use.ID)
				}
				if !bedrockID.MatchString(b.Use.ID) {
					say(i, "toolUseId %q", b.Use.ID)
				}
				used[b.Use.ID], calls[b.Use.ID] = true, true
			case b.Result != nil && b.Result.Type != "":
				if !server[b.Result.ID] {
					say(i, "a server tool's result without its call")
				}
				delete(server, b.Result.ID)
			case b.Result != nil:
				if other {
					say(i, "toolResult behind other content")
				}
				if !asked[b.Result.ID] {
					say(i, "The number of toolResult blocks exceeds the number of toolUse blocks of previous turn: %s", b.Result.ID)
				}
				delete(asked, b.Result.ID)
				blank := true
				for _, raw := range b.Result.Content {
					var inner bedrockBlock
					_ = json.Unmarshal(raw, &inner)
					if inner.Text == nil || strings.TrimSpace(*inner.Text) != "" {
						blank = false
					} else {
						say(i, "a blank text in a toolResult")
					}
				}
				if blank {
					say(i, "a toolResult without content")
				}
				continue
			}
			other = true
		}
		if !filled {
			say(i, "The content field in the Message object is empty")
		}
		if document && !text {
			say(i, "a document without a text")
		}
		if len(server) > 0 {
			say(i, "%d server tools without result", len(server))
		}
		// If this is the end of the list, the host may be about to add the other results.
		if len(asked) > 0 && (i < len(ms)-1 || other) {
			say(i, "Expected toolResult blocks for %d Ids", len(asked))
		}
		asked = calls
	}
	return bad
}

func bedrockLastUser(list []byte) json.RawMessage {
	ms, _ := bedrockRead(list)
	for i := len(ms) - 1; i >= 0; i-- {
		if ms[i].Role != "user" || bytes.Contains(ms[i].raw, []byte(`"[Noted.]"`)) || bytes.Contains(ms[i].raw, []byte(`"[The conversation goes on from here.]"`)) {
			continue
		}
		for _, raw := range ms[i].Content {
			var b bedrockBlock
			_ = json.Unmarshal(raw, &b)
			if b.Result == nil && b.CachePoint == nil && (b.Text == nil || *b.Text != "") {
				return ms[i].raw
			}
		}
	}
	return nil
}

func bedrockOpaque(list []byte) (parts []json.RawMessage) {
	ms, _ := bedrockRead(list)
	for _, m := range ms {
		for _, raw := range m.Content {
			var b bedrockBlock
			if json.Unmarshal(raw, &b) == nil && b.Reasoning != nil {
				parts = append(parts, raw)
			}
		}
	}
	return parts
}
