package judge

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

func init() {
	judges["ai-sdk-ui"] = judge{valid: aiSDKUI, lastUser: aiSDKUILastUser, opaque: aiSDKUIOpaque}
}

type uiMessage struct {
	ID    *string           `json:"id"`
	Role  string            `json:"role"`
	Parts []json.RawMessage `json:"parts"`
}

type uiPart struct {
	Type             string          `json:"type"`
	Text             *string         `json:"text"`
	ToolCallID       string          `json:"toolCallId"`
	ToolName         string          `json:"toolName"`
	State            string          `json:"state"`
	Output           json.RawMessage `json:"output"`
	ErrorText        *string         `json:"errorText"`
	ProviderExecuted bool            `json:"providerExecuted"`
	ProviderMetadata json.RawMessage `json:"providerMetadata"`
	Approval         *struct {
		ID       *string `json:"id"`
		Approved *bool   `json:"approved"`
	} `json:"approval"`
}

// aiSDKUI returns why validateUIMessages would reject a list of UIMessages, and why the
// ModelMessages are invalid that convertToModelMessages would create from the list.
func aiSDKUI(list []byte) (bad []string) {
	var ms []uiMessage
	if err := json.Unmarshal(list, &ms); err != nil {
		return []string{"not a list of messages: " + err.Error()}
	}
	say := func(i int, f string, a ...any) {
		bad = append(bad, fmt.Sprintf("message %d: ", i)+fmt.Sprintf(f, a...))
	}
	if len(ms) == 0 {
		bad = append(bad, "no messages")
	}
	ids, calls := map[string]bool{}, map[string]bool{}
	for i, m := range ms {
		switch {
		case m.ID == nil:
			say(i, "no id")
		case ids[*m.ID]:
			say(i, "id %q comes twice", *m.ID)
		default:
			ids[*m.ID] = true
		}
		if m.Role != "system" && m.Role != "user" && m.Role != "assistant" {
			say(i, "role %q", m.Role)
		}
		filled := false
		for _, raw := range m.Parts {
			var p uiPart
			if err := json.Unmarshal(raw, &p); err != nil {
				say(i, "%v", err)
				continue
			}
			filled = filled || p.Type != "text" || p.Text == nil || *p.Text != ""
			switch {
			case (p.Type == "text" || p.Type == "reasoning") && p.Text == nil:
				say(i, "a %s without text", p.Type)
			case p.Type == "dynamic-tool" && p.ToolName == "":
				say(i, "a dynamic tool without name")
			case p.Type != "dynamic-tool" && !strings.HasPrefix(p.Type, "tool-"):
				continue
			}
			if why := uiTool(p); why != "" {
				say(i, "tool call %q: %s", p.ToolCallID, why)
			}
			if p.State == "input-streaming" {
				continue
			}
			if calls[p.ToolCallID] {
				say(i, "tool call id %q comes twice", p.ToolCallID)
			}
			calls[p.ToolCallID] = true
			if !strings.HasPrefix(p.State, "output-") && !p.ProviderExecuted && i < len(ms)-1 {
				say(i, "tool call %q has no result", p.ToolCallID)
			}
		}
		if !filled {
			say(i, "nothing in it")
		}
	}
	return bad
}

// uiTool returns what is wrong with a tool part, or "". Which members a part must have depends on its state.
func uiTool(p uiPart) string {
	approved := ""
	if a := p.Approval; a != nil {
		if a.ID == nil {
			return "an approval without id"
		}
		approved = "asked"
		if a.Approved != nil {
			approved = fmt.Sprint(*a.Approved)
		}
	}
	rule, known := map[string]struct {
		output, errorText bool
		approved          []string
	}{
		"input-streaming":    {false, false, []string{""}},
		"input-available":    {false, false, []string{""}},
		"approval-requested": {false, false, []string{"asked"}},
		"approval-responded": {false, false, []string{"true", "false"}},
		"output-available":   {true, false, []string{"", "true"}},
		"output-error":       {false, true, []string{"", "true"}},
		"output-denied":      {false, false, []string{"false"}},
	}[p.State]
	switch {
	case !known:
		return "state " + p.State
	case (p.Output != nil) != rule.output:
		return p.State + " and output do not go together"
	case (p.ErrorText != nil) != rule.errorText:
		return p.State + " and errorText do not go together"
	case !slices.Contains(rule.approved, approved):
		return p.State + " and approval " + approved + " do not go together"
	}
	return ""
}

func aiSDKUILastUser(list []byte) json.RawMessage {
	var raws []json.RawMessage
	_ = json.Unmarshal(list, &raws)
	for i := len(raws) - 1; i >= 0; i-- {
		var m uiMessage
		_ = json.Unmarshal(raws[i], &m)
		for k := len(m.Parts) - 1; k >= 0; k-- {
			var p uiPart
			_ = json.Unmarshal(m.Parts[k], &p)
			if p.Type == "steering-message" { // the user's words inside an assistant message
				return m.Parts[k]
			}
			if m.Role == "user" && !(p.Type == "text" && p.Text != nil && *p.Text == "") {
				return raws[i]
			}
		}
	}
	return nil
}

func aiSDKUIOpaque(list []byte) (out []json.RawMessage) {
	var ms []uiMessage
	_ = json.Unmarshal(list, &ms)
	for _, m := range ms {
		for _, raw := range m.Parts {
			var p uiPart
			if json.Unmarshal(raw, &p) == nil && p.Type == "reasoning" && p.ProviderMetadata != nil {
				out = append(out, raw)
			}
		}
	}
	return out
}
