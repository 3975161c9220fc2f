package judge

import (
	"encoding/json"
	"fmt"
	"slices"
)

func init() {
	judges["gemini"] = judge{valid: gemini, lastUser: geminiLastUser, opaque: geminiOpaque}
}

type geminiPart struct {
	fields    map[string]json.RawMessage
	call      *geminiCall
	response  *geminiCall
	text      *string
	signature json.RawMessage
}

type geminiCall struct {
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	Response json.RawMessage `json:"response"`

	WillContinue bool `json:"willContinue"`
}

type geminiContent struct {
	role  string
	parts []geminiPart
	raw   json.RawMessage
}

// either returns the value of a member whose key has two spellings.
func (p *geminiPart) either(camel, snake string) json.RawMessage {
	if v, ok := p.fields[camel]; ok {
		return v
	}
	return p.fields[snake]
}

func geminiContents(list []byte) ([]geminiContent, error) {
	var raws []json.RawMessage
	if err := json.Unmarshal(list, &raws); err != nil {
		return nil, err
	}
	contents := make([]geminiContent, len(raws))
	called := map[string]bool{}
	more := map[string]bool{} // ids of calls whose response so far is partial, so that another one continues it
	for i, r := range raws {
		var c struct {
			Role  string
			Parts []map[string]json.RawMessage
		}
		if err := json.Unmarshal(r, &c); err != nil {
			return nil, err
		}
		contents[i] = geminiContent{role: c.Role, raw: r}
		if c.Role == "" {
			contents[i].role = "user"
		}
		for _, fields := range c.Parts {
			p := geminiPart{fields: fields, signature: nil}
			p.signature = p.either("thoughtSignature", "thought_signature")
			if v := p.either("functionCall", "function_call"); v != nil {
				p.call = &geminiCall{}
				_ = json.Unmarshal(v, p.call)
				called[p.call.ID] = true
			}
			if v := p.either("functionResponse", "function_response"); v != nil {
				p.response = &geminiCall{}
				_ = json.Unmarshal(v, p.response)
				if id := p.response.ID; more[id] {
					p.response = nil // it continues an earlier response, and needs no call of its own
				} else {
					more[id] = id != "" && called[id] && p.response.WillContinue
				}
			}
			if v, ok := fields["text"]; ok {
				p.text = new(string)
				_ = json.Unmarshal(v, p.text)
			}
			contents[i].parts = append(contents[i].parts, p)
		}
	}
	return contents, nil
}

func (c *geminiContent) calls() (calls, responses []*geminiCall) {
	for _, p := range c.parts {
		if p.call != nil {
			calls = append(calls, p.call)
		}
		if p.response != nil {
			responses = append(responses, p.response)
		}
	}
	return calls, responses
}

func gemini(list []byte) (bad []string) {
	contents, err := geminiContents(list)
	if err != nil {
		return []string{"not a list of contents: " + err.Error()}
	}
	say := func(i int, f string, a ...any) {
		bad = append(bad, fmt.Sprintf("content %d: ", i)+fmt.Sprintf(f, a...))
	}
	for i := range contents {
		c := &contents[i]
		if c.role != "user" && c.role != "model" {
			say(i, "Role must be user or model, but got %s", c.role)
		}
		if i == 0 && c.role != "user" {
			say(i, "the first content is not the user's")
		}
		if i > 0 && contents[i-1].role == c.role {
			bad = append(bad, fmt.Sprintf(tolerable+"content %d: two contents of %s in a row", i, c.role))
		}
		if len(c.parts) == 0 {
			say(i, "no parts")
		}
		for _, p := range c.parts {
			switch {
			case len(p.fields) == 0:
				say(i, "an empty part")
			case p.text != nil && *p.text == "" && len(p.fields) == 1:
				bad = append(bad, fmt.Sprintf(tolerable+"content %d: an empty text", i))
			}
			if r := p.response; r != nil {
				var object map[string]json.RawMessage
				if json.Unmarshal(r.Response, &object) != nil || object == nil {
					say(i, "a response that is no object: %.40s", r.Response)
				}
			}
		}
	}
	if apart := geminiPairs(contents); len(apart) > 0 {
		// The provider joins consecutive contents with the same role. If the joined contents are valid, these
		// violations are therefore tolerated.
		if joined := geminiPairs(joinGemini(contents)); len(joined) > 0 {
			bad = append(bad, joined...)
		} else {
			for _, line := range apart {
				bad = append(bad, tolerable+line)
			}
		}
	}
	seen := map[string]bool{}
	for i := range contents {
		calls, _ := contents[i].calls()
		for _, c := range calls {
			if c.ID != "" && seen[c.ID] {
				say(i, "call id %q used before", c.ID)
			}
			seen[c.ID] = true
		}
	}
	return append(bad, geminiSignatures(contents)...)
}

// joinGemini joins consecutive contents that have the same role.
func joinGemini(contents []geminiContent) (joined []geminiContent) {
	for _, c := range contents {
		if n := len(joined); n > 0 && joined[n-1].role == c.role {
			joined[n-1].parts = append(slices.Clip(joined[n-1].parts), c.parts...)
		} else {
			joined = append(joined, c)
		}
	}
	return joined
}

// geminiPairs checks that each content with responses answers the calls of the previous one.
func geminiPairs(contents []geminiContent) (bad []string) {
	say := func(i int, f string, a ...any) {
		bad = append(bad, fmt.Sprintf("content %d: ", i)+fmt.Sprintf(f, a...))
	}
	var open []*geminiCall
	for i := range contents {
		c := &contents[i]
		calls, responses := c.calls()
		if len(responses) != len(open) && !(i == len(contents)-1 && len(responses) == len(c.parts)) {
			say(i, "the number of function response parts (%d) is not the number of function call parts of the turn before (%d)",
				len(responses), len(open))
		}
		// Responses must be in the order of the calls; at the end of the list some may still be missing.
		n := 0
		for _, r := range responses {
			for n < len(open) && !(open[n].Name == r.Name && (open[n].ID == r.ID || open[n].ID == "" || r.ID == "")) {
				n++
			}
			if n == len(open) {
				say(i, "the response to %s %q has no call, or another place", r.Name, r.ID)
				break
			}
			n++
		}
		open = calls
	}
	return bad
}

// geminiSignatures checks the signatures after the newest user text. Either all or none of the model's contents with
// calls must have a signature on their first call.
func geminiSignatures(contents []geminiContent) (bad []string) {
	signed, unsigned := -1, -1
	for i := len(contents) - 1; i >= 0; i-- {
		if contents[i].role == "user" && contents[i].says() {
			break
		}
		first := true
		for _, p := range contents[i].parts {
			if p.call == nil {
				continue
			}
			switch {
			case p.signature != nil:
				signed = i
			case first:
				unsigned = i
			}
			first = false
		}
	}
	if signed >= 0 && unsigned >= 0 {
		bad = append(bad, fmt.Sprintf("content %d: Function call is missing a thought_signature", unsigned))
	}
	return bad
}

// says reports whether a content contains anything besides function responses and empty texts.
func (c *geminiContent) says() bool {
	for _, p := range c.parts {
		if p.response == nil && !(p.text != nil && *p.text == "") {
			return true
		}
	}
	return false
}

// inserted reports whether a repair has inserted this content to make the roles alternate.
func (c *geminiContent) inserted() bool {
	return len(c.parts) == 1 && c.parts[0].text != nil &&
		(*c.parts[0].text == "[Noted.]" || *c.parts[0].text == "[The conversation goes on from here.]")
}

func geminiLastUser(list []byte) json.RawMessage {
	contents, err := geminiContents(list)
	if err != nil {
		return nil
	}
	for i := len(contents) - 1; i >= 0; i-- {
		if contents[i].role == "user" && contents[i].says() && !contents[i].inserted() {
			return contents[i].raw
		}
	}
	return nil
}

// geminiOpaque returns the signatures. Each must be kept unchanged, or removed with its part.
func geminiOpaque(list []byte) (parts []json.RawMessage) {
	contents, _ := geminiContents(list)
	for _, c := range contents {
		for _, p := range c.parts {
			if p.signature != nil && string(p.signature) != `"skip_thought_signature_validator"` {
				parts = append(parts, p.signature)
			}
		}
	}
	return parts
}
