package judge

import (
	"encoding/json"
	"fmt"
	"strings"
)

func init() {
	judges["openai-responses"] = judge{valid: responses, lastUser: responsesLastUser, opaque: responsesOpaque, kept: responsesKept}
}

type responsesItem struct {
	Type      string          `json:"type"`
	Role      string          `json:"role"`
	ID        string          `json:"id"`
	CallID    string          `json:"call_id"`
	Execution string          `json:"execution"`
	Content   json.RawMessage `json:"content"`
	Encrypted string          `json:"encrypted_content"`
	raw       json.RawMessage
}

func responsesItems(list []byte) ([]responsesItem, error) {
	var raws []json.RawMessage
	if err := json.Unmarshal(list, &raws); err != nil {
		return nil, err
	}
	items := make([]responsesItem, len(raws))
	for i, r := range raws {
		if err := json.Unmarshal(r, &items[i]); err != nil {
			return nil, err
		}
		items[i].raw = r
		if items[i].Type == "" && items[i].Role != "" {
			items[i].Type = "message"
		} else if items[i].Type == "" {
			items[i].Type = "item_reference"
		}
	}
	return items, nil
}

// ofModel reports whether the model wrote this item.
func (it *responsesItem) ofModel() bool {
	return it.Type == "message" && it.Role == "assistant" || it.Type != "message" && it.Role == "" &&
		(!strings.HasSuffix(it.Type, "_output") || it.Execution == "server") && it.Type != "mcp_approval_response" &&
		it.Type != "compaction_trigger" && it.Type != "configuration_update"
}

// answers reports whether this item is the application's answer to one of the model's items: an output or an approval.
func (it *responsesItem) answers() bool {
	return strings.HasSuffix(it.Type, "_output") && it.Execution != "server" || it.Type == "mcp_approval_response"
}

var responsesCalls = map[string]bool{
	"function_call": true, "custom_tool_call": true, "local_shell_call": true, "shell_call": true, "apply_patch_call": true,
	"computer_call": true, "tool_search_call": true, "program": true, "multi_agent_call": true,
}

func responses(list []byte) (bad []string) {
	items, err := responsesItems(list)
	if err != nil {
		return []string{"not a list of items: " + err.Error()}
	}
	say := func(i int, f string, a ...any) { bad = append(bad, fmt.Sprintf("item %d: ", i)+fmt.Sprintf(f, a...)) }
	stored := false
	for i := range items {
		stored = stored || items[i].Type == "item_reference"
	}
	called := map[string]int{}
	answered := map[string]bool{}
	lastRun := len(items) // start of the model's last items, whose calls may be open
	for lastRun > 0 && items[lastRun-1].answers() {
		lastRun--
	}
	for lastRun > 0 && items[lastRun-1].ofModel() {
		lastRun--
	}
	for i := range items {
		it := &items[i]
		switch {
		case it.Execution == "server":
		case responsesCalls[it.Type]:
			if _, twice := called[it.CallID]; twice {
				say(i, "call_id %q used before", it.CallID)
			}
			called[it.CallID] = i
		case it.CallID != "" && strings.HasSuffix(it.Type, "_output"):
			if _, known := called[it.CallID]; !known && !stored {
				say(i, "No tool call found for function call output with call_id %s", it.CallID)
			}
			if answered[it.CallID] {
				say(i, "a second output for %s", it.CallID)
			}
			answered[it.CallID] = true
		case it.Type == "message":
			switch {
			case !it.empty():
			case string(it.Content) == `[]` || len(it.Content) == 0:
				say(i, "a message without content")
			default:
				bad = append(bad, fmt.Sprintf(tolerable+"item %d: an empty text", i))
			}
		case it.Type == "reasoning":
			n := i + 1
			for n < len(items) && items[n].Type == "reasoning" {
				n++
			}
			if n == len(items) || !items[n].ofModel() {
				say(i, "reasoning %s was provided without its required following item", it.ID)
			}
		case it.Type == "compaction_trigger" && i < len(items)-1:
			say(i, "a compaction_trigger that is not the last item")
		}
	}
	for id, i := range called {
		if !answered[id] && i < lastRun {
			say(i, "No tool output found for function call %s", id)
		}
	}
	return bad
}

func (it *responsesItem) empty() bool {
	var text string
	var parts []struct{ Type, Text string }
	if json.Unmarshal(it.Content, &text) == nil {
		return text == ""
	}
	_ = json.Unmarshal(it.Content, &parts)
	for _, p := range parts {
		if p.Text != "" || p.Type != "input_text" && p.Type != "output_text" {
			return false
		}
	}
	return true
}

func responsesLastUser(list []byte) json.RawMessage {
	items, err := responsesItems(list)
	if err != nil {
		return nil
	}
	for i := len(items) - 1; i >= 0; i-- {
		if items[i].Type == "message" && items[i].Role == "user" && !items[i].empty() {
			return items[i].raw
		}
	}
	return nil
}

func responsesOpaque(list []byte) (parts []json.RawMessage) {
	items, _ := responsesItems(list)
	for _, it := range items {
		if it.Encrypted != "" || it.Type == "item_reference" {
			parts = append(parts, it.raw)
		}
	}
	return parts
}

// responsesKept checks that a compaction has lost neither compaction items nor references, and that each model item
// after reasoning still comes with that reasoning or has lost its id.
func responsesKept(before, after []byte) error {
	in, err := responsesItems(before)
	if err != nil {
		return err
	}
	out, err := responsesItems(after)
	if err != nil {
		return err
	}
	have, place := map[string]bool{}, map[string]int{}
	for i, it := range out {
		have[string(it.raw)] = true
		if it.ID != "" {
			place[it.ID] = i
		}
	}
	reasoning := ""
	for i, it := range in {
		if (it.Type == "compaction" || it.Type == "item_reference") && !have[string(it.raw)] {
			return fmt.Errorf("item %d, a %s, is gone", i, it.Type)
		}
		switch {
		case !it.ofModel():
			reasoning = ""
		case it.Type == "reasoning":
			reasoning = it.ID
		case reasoning != "" && it.ID != "":
			if at, kept := place[it.ID]; kept {
				if r, ok := place[reasoning]; !ok || r > at {
					return fmt.Errorf("item %s was provided without its required reasoning item %s", it.ID, reasoning)
				}
			}
		}
	}
	return nil
}
