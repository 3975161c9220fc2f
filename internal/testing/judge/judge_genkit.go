package judge

import (
	"encoding/json"
	"fmt"
)

func init() {
	judges["genkit"] = judge{valid: genkit, lastUser: genkitLastUser, opaque: genkitOpaque}
}

type gkMessage struct {
	Role    string
	Content []json.RawMessage
}

type gkTool struct {
	Ref  *string
	Name *string
}

type gkPart struct {
	Text      *string
	Reasoning *string
	Media     *struct{ URL *string }
	Request   *gkTool `json:"toolRequest"`
	Response  *gkTool `json:"toolResponse"`
	Metadata  struct {
		Signature string `json:"thoughtSignature"`
	}
}

// genkit returns why the schema rejects messages, and what no plugin for a model can send: calls without responses,
// and responses without calls.
func genkit(list []byte) (bad []string) {
	var ms []gkMessage
	if err := json.Unmarshal(list, &ms); err != nil {
		return []string{"not a list of messages: " + err.Error()}
	}
	used := map[string]bool{}
	var asked []gkTool // calls that wait for their responses
	for i, m := range ms {
		say := func(f string, a ...any) { bad = append(bad, fmt.Sprintf("message %d: ", i)+fmt.Sprintf(f, a...)) }
		if m.Role != "system" && m.Role != "user" && m.Role != "model" && m.Role != "tool" {
			say("role %q", m.Role)
		}
		if m.Role != "tool" && len(asked) > 0 {
			say("%d calls before it have no response", len(asked))
			asked = nil
		}
		filled := false
		for _, raw := range m.Content {
			var p gkPart
			if err := json.Unmarshal(raw, &p); err != nil {
				say("%v", err)
				continue
			}
			filled = filled || p.Text == nil || *p.Text != ""
			switch {
			case p.Media != nil && p.Media.URL == nil:
				say("media without url")
			case p.Request != nil:
				if p.Request.Name == nil || m.Role != "model" {
					say("a call without name, or not of the model")
					continue
				}
				if p.Request.Ref != nil {
					if used[*p.Request.Ref] {
						say("ref %q comes twice", *p.Request.Ref)
					}
					used[*p.Request.Ref] = true
				}
				asked = append(asked, *p.Request)
			case p.Response != nil:
				n := genkitCall(asked, p.Response)
				if n < 0 {
					say("a response that answers no call")
					continue
				}
				asked = append(asked[:n:n], asked[n+1:]...)
			}
		}
		if !filled {
			say("nothing in it")
		}
	}
	return bad
}

// genkitCall returns the index of the call to which a response belongs, by its reference or else by its name; -1 if
// there is none.
func genkitCall(asked []gkTool, response *gkTool) int {
	for i, call := range asked {
		switch {
		case response.Name == nil || *call.Name != *response.Name:
		case response.Ref == nil || call.Ref == nil:
			return i
		case *call.Ref == *response.Ref:
			return i
		}
	}
	return -1
}

func genkitLastUser(list []byte) (last json.RawMessage) {
	var raws []json.RawMessage
	_ = json.Unmarshal(list, &raws)
	for _, raw := range raws {
		var m gkMessage
		if json.Unmarshal(raw, &m); m.Role == "user" && len(m.Content) > 0 && !(len(m.Content) == 1 && string(m.Content[0]) == `{"text":""}`) {
			last = raw
		}
	}
	return last
}

func genkitOpaque(list []byte) (out []json.RawMessage) {
	var ms []gkMessage
	_ = json.Unmarshal(list, &ms)
	for _, m := range ms {
		for _, raw := range m.Content {
			var p gkPart
			if json.Unmarshal(raw, &p); p.Metadata.Signature != "" {
				out = append(out, raw)
			}
		}
	}
	return out
}
