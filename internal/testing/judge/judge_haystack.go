package judge

import (
	"encoding/json"
	"fmt"
)

func init() {
	judges["haystack"] = judge{valid: haystack, lastUser: haystackLastUser, opaque: haystackOpaque}
}

type hsMessage struct {
	Role    string
	Content hsContent
}

// hsContent is a list of parts; before version 2.9 it was text.
type hsContent []json.RawMessage

func (c *hsContent) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		b = append(append([]byte(`[{"text":`), b...), "}]"...)
	}
	return json.Unmarshal(b, (*[]json.RawMessage)(c))
}

type hsCall struct {
	Name      *string `json:"tool_name"`
	Arguments map[string]any
	ID        *string
}

type hsPart struct {
	Text   *string
	Call   *hsCall `json:"tool_call"`
	Result *struct {
		Result json.RawMessage
		Origin *hsCall
		Error  *bool
	} `json:"tool_call_result"`
	Image *struct {
		Data *string `json:"base64_image"`
	}
	File *struct {
		Data *string `json:"base64_data"`
	}
	Reasoning *struct {
		Text  *string `json:"reasoning_text"`
		Extra map[string]any
	}
}

// haystack returns why from_dict rejects messages, and what no generator can send: calls without results, and results
// without calls.
func haystack(list []byte) (bad []string) {
	var ms []hsMessage
	if err := json.Unmarshal(list, &ms); err != nil {
		return []string{"not a list of messages: " + err.Error()}
	}
	used, asked := map[string]bool{}, map[string]bool{}
	for i, m := range ms {
		say := func(f string, a ...any) { bad = append(bad, fmt.Sprintf("message %d: ", i)+fmt.Sprintf(f, a...)) }
		if m.Role != "system" && m.Role != "user" && m.Role != "assistant" && m.Role != "tool" {
			say("role %q", m.Role)
		}
		if m.Role != "tool" && len(asked) > 0 {
			say("%d calls before it have no result", len(asked))
			asked = map[string]bool{}
		}
		filled := false
		for _, raw := range m.Content {
			var p hsPart
			if err := json.Unmarshal(raw, &p); err != nil {
				say("%v", err)
				continue
			}
			filled = filled || p.Text == nil || *p.Text != ""
			switch {
			case p.Call != nil:
				if p.Call.Name == nil || p.Call.Arguments == nil || p.Call.ID == nil || m.Role != "assistant" {
					say("a call without name, arguments or id, or not of the assistant")
				} else if used[*p.Call.ID] {
					say("id %q comes twice", *p.Call.ID)
				} else {
					used[*p.Call.ID], asked[*p.Call.ID] = true, true
				}
			case p.Result != nil:
				o := p.Result.Origin
				if o == nil || o.Name == nil || o.Arguments == nil || p.Result.Error == nil || len(p.Result.Result) == 0 || p.Result.Result[0] != '"' && p.Result.Result[0] != '[' {
					say("a result without result, origin or error")
				} else if !asked[*o.ID] {
					say("a result of %q, which is not called before it", *o.ID)
				} else {
					delete(asked, *o.ID)
				}
			case p.Image != nil && p.Image.Data == nil, p.File != nil && p.File.Data == nil, p.Reasoning != nil && p.Reasoning.Text == nil:
				say("a part without what it holds")
			case p.Text == nil && p.Image == nil && p.File == nil && p.Reasoning == nil:
				say("unsupported part %s", raw)
			}
		}
		if !filled {
			say("nothing in it")
		}
	}
	return bad
}

func haystackLastUser(list []byte) (last json.RawMessage) {
	var raws []json.RawMessage
	_ = json.Unmarshal(list, &raws)
	for _, raw := range raws {
		var m hsMessage
		if json.Unmarshal(raw, &m); m.Role == "user" && len(m.Content) > 0 && !(len(m.Content) == 1 && string(m.Content[0]) == `{"text":""}`) {
			last = raw
		}
	}
	return last
}

func haystackOpaque(list []byte) (out []json.RawMessage) {
	var ms []hsMessage
	_ = json.Unmarshal(list, &ms)
	for _, m := range ms {
		for _, raw := range m.Content {
			var p hsPart
			if json.Unmarshal(raw, &p); p.Reasoning != nil && len(p.Reasoning.Extra) > 0 {
				out = append(out, raw)
			}
		}
	}
	return out
}
