package judge

import (
	"encoding/json"
	"fmt"
	"strings"
)

func init() {
	judges["gemini-interactions"] = judge{valid: interactions, lastUser: interactionsLastUser, opaque: interactionsOpaque}
}

type interactionsStep struct {
	Type      string `json:"type"`
	ID        string `json:"id"`
	CallID    string `json:"call_id"`
	Signature string `json:"signature"`
	Content   []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content"`
	raw json.RawMessage
}

func (s *interactionsStep) ofModel() bool {
	return s.Type != "user_input" && s.Type != "function_result"
}

func (s *interactionsStep) empty() bool {
	for _, part := range s.Content {
		if part.Type != "text" || part.Text != "" {
			return false
		}
	}
	return s.Type == "user_input" || s.Type == "model_output"
}

func interactionsSteps(list []byte) ([]interactionsStep, error) {
	var raws []json.RawMessage
	if err := json.Unmarshal(list, &raws); err != nil {
		return nil, err
	}
	steps := make([]interactionsStep, len(raws))
	for i, r := range raws {
		if err := json.Unmarshal(r, &steps[i]); err != nil {
			return nil, err
		}
		steps[i].raw = r
	}
	return steps, nil
}

func interactions(list []byte) (bad []string) {
	steps, err := interactionsSteps(list)
	if err != nil {
		return []string{"not a list of steps: " + err.Error()}
	}
	say := func(i int, f string, a ...any) { bad = append(bad, fmt.Sprintf("step %d: ", i)+fmt.Sprintf(f, a...)) }
	last := len(steps) // start of the model's last steps, whose calls may be open
	for last > 0 && steps[last-1].Type == "function_result" {
		last--
	}
	for last > 0 && steps[last-1].ofModel() {
		last--
	}
	called, answered := map[string]int{}, map[string]bool{}
	for i := range steps {
		s := &steps[i]
		switch {
		case s.Type == "thought":
			n := i + 1
			for n < len(steps) && steps[n].Type == "thought" {
				n++
			}
			if n == len(steps) || !steps[n].ofModel() {
				say(i, "a thought that nothing follows")
			}
			if s.Signature == "" {
				say(i, "a thought without a signature")
			}
		case strings.HasSuffix(s.Type, "_call"):
			key := strings.TrimSuffix(s.Type, "_call") + " " + s.ID
			if _, twice := called[key]; twice && s.Type == "function_call" {
				say(i, "the id %q was used before", s.ID)
			}
			called[key] = i
			answered[key] = false
		case strings.HasSuffix(s.Type, "_result"):
			key := strings.TrimSuffix(s.Type, "_result") + " " + s.CallID
			if at, known := called[key]; !known || answered[key] {
				say(i, "a %s for %q, which is not open", s.Type, s.CallID)
			} else if s.Type != "function_result" {
				for k := at; k < i; k++ {
					if !steps[k].ofModel() {
						say(i, "a provider-side call is not followed by its result")
						break
					}
				}
			}
			answered[key] = true
		case s.empty():
			say(i, "a step without content")
		}
	}
	for key, i := range called {
		if !answered[key] && (i < last || !strings.HasPrefix(key, "function ")) {
			say(i, "the call %s has no result", key)
		}
	}
	return bad
}

func interactionsLastUser(list []byte) json.RawMessage {
	steps, _ := interactionsSteps(list)
	for i := len(steps) - 1; i >= 0; i-- {
		if steps[i].Type == "user_input" && !steps[i].empty() {
			return steps[i].raw
		}
	}
	return nil
}

func interactionsOpaque(list []byte) (parts []json.RawMessage) {
	steps, _ := interactionsSteps(list)
	for _, s := range steps {
		if s.Signature != "" {
			parts = append(parts, s.raw)
		}
	}
	return parts
}
