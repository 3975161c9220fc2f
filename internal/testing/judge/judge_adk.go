package judge

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

func init() {
	judges["adk"] = judge{valid: adk, lastUser: adkLastUser, opaque: adkOpaque, kept: adkKept}
}

// adkEvent is an event of a session. Its content is what the framework sends to the model; nil if the framework skips the event.
type adkEvent struct {
	raw       json.RawMessage
	id        string
	author    string
	timestamp *float64
	content   *geminiContent
	summary   bool
}

// adkEvents reads events with the keys that JavaScript or Python uses.
func adkEvents(list []byte) ([]adkEvent, error) {
	var raws []json.RawMessage
	if err := json.Unmarshal(list, &raws); err != nil {
		return nil, err
	}
	events := make([]adkEvent, len(raws))
	for i, raw := range raws {
		var e struct {
			ID, Author  string
			Timestamp   *float64
			Content     json.RawMessage
			IsCompacted bool
			Compacted   string `json:"compactedContent"`
			Actions     struct {
				Compaction map[string]json.RawMessage
			}
		}
		if err := json.Unmarshal(raw, &e); err != nil {
			return nil, fmt.Errorf("event %d: %w", i, err)
		}
		events[i] = adkEvent{raw: raw, id: e.ID, author: e.Author, timestamp: e.Timestamp}
		content := e.Content
		switch c := e.Actions.Compaction; {
		case e.IsCompacted:
			events[i].summary = true
			content, _ = json.Marshal(map[string]any{"role": "user", "parts": []any{map[string]any{"text": e.Compacted}}})
		case c != nil:
			events[i].summary = true
			if content = c["compacted_content"]; content == nil {
				content = c["compactedContent"]
			}
		}
		if content == nil || string(content) == "null" {
			continue
		}
		var held struct{ Role string }
		_ = json.Unmarshal(content, &held)
		contents, err := geminiContents([]byte("[" + string(content) + "]"))
		if err != nil || held.Role == "" {
			continue
		}
		c := contents[0]
		c.raw = raw
		if events[i].summary { // Python attributes summaries to the model, and the first content may be one
			c.role = "user"
		}
		if !events[i].summary && (adkBeginsEmpty(&c) || c.framework()) {
			continue
		}
		events[i].content = &c
	}
	return events, nil
}

// adkBeginsEmpty reports whether a content's first part has an empty text. JavaScript then skips the whole event.
func adkBeginsEmpty(c *geminiContent) bool {
	return len(c.parts) > 0 && c.parts[0].text != nil && *c.parts[0].text == ""
}

// framework reports whether a content includes a call to one of the framework's own tools, or the response of such a
// call.
func (c *geminiContent) framework() bool {
	calls, responses := c.calls()
	return slices.ContainsFunc(append(calls, responses...), func(c *geminiCall) bool {
		return slices.Contains([]string{"adk_request_credential", "adk_request_confirmation", "adk_request_input", "adk_framework"}, c.Name)
	})
}

// adkContents returns the contents that the framework builds from events, and what is wrong with the events. A
// response comes directly after the event with its call, and for each id only the last response is used.
func adkContents(events []adkEvent) (contents []geminiContent, bad []string) {
	var sent []geminiContent
	for _, e := range events {
		if e.content != nil {
			sent = append(sent, *e.content)
		}
	}
	sent, err := adkLatest(sent)
	if err != nil {
		bad = append(bad, err.Error())
	}
	at := map[string]int{}
	for i := range sent {
		_, responses := sent[i].calls()
		for _, r := range responses {
			if r.ID != "" {
				at[r.ID] = i
			}
		}
	}
	for i := range sent {
		calls, responses := sent[i].calls()
		if len(responses) > 0 {
			continue // responses are added with their calls
		}
		contents = append(contents, sent[i])
		var from []int
		for _, c := range calls {
			if k, ok := at[c.ID]; ok && !slices.Contains(from, k) {
				from = append(from, k)
			}
		}
		if len(from) > 0 {
			slices.Sort(from)
			contents = append(contents, adkMerged(sent, from, calls))
		}
	}
	return contents, bad
}

// adkLatest removes the events between the newest event, if that contains responses, and the event with the calls
// that they answer.
func adkLatest(sent []geminiContent) ([]geminiContent, error) {
	if len(sent) == 0 {
		return sent, nil
	}
	_, responses := sent[len(sent)-1].calls()
	if len(responses) == 0 {
		return sent, nil
	}
	ids := map[string]bool{}
	for _, r := range responses {
		ids[r.ID] = true
	}
	for i := len(sent) - 2; i >= 0; i-- {
		calls, _ := sent[i].calls()
		called := map[string]bool{}
		hit := false
		for _, c := range calls {
			called[c.ID] = true
			hit = hit || c.ID != "" && ids[c.ID]
		}
		if !hit {
			continue
		}
		if i == len(sent)-2 {
			return sent, nil
		}
		for id := range ids {
			if !called[id] {
				return sent, fmt.Errorf("the last event answers %q, which is not called with the others", id)
			}
		}
		kept := slices.Clone(sent[:i+1])
		for k := i + 1; k < len(sent); k++ {
			_, responses := sent[k].calls()
			if slices.ContainsFunc(responses, func(r *geminiCall) bool { return called[r.ID] }) {
				kept = append(kept, sent[k])
			}
		}
		return kept, nil
	}
	return sent, fmt.Errorf("no function call event found for the responses of the last event")
}

// adkMerged merges the contents at the indexes from, which contain responses. A later response replaces an earlier
// one with the same id. The responses are in the order of their calls, as in the framework.
func adkMerged(sent []geminiContent, from []int, calls []*geminiCall) geminiContent {
	merged := geminiContent{role: sent[from[0]].role, raw: sent[from[0]].raw}
	place := map[string]int{}
	for _, k := range from {
		for _, p := range sent[k].parts {
			if p.response != nil && p.response.ID != "" {
				if at, ok := place[p.response.ID]; ok && len(from) > 1 {
					merged.parts[at] = p
					continue
				}
				place[p.response.ID] = len(merged.parts)
			}
			merged.parts = append(merged.parts, p)
		}
	}
	order := func(p geminiPart) int {
		if p.response == nil {
			return len(calls)
		}
		return slices.IndexFunc(calls, func(c *geminiCall) bool { return c.ID == p.response.ID })
	}
	slices.SortStableFunc(merged.parts, func(a, b geminiPart) int { return order(a) - order(b) })
	return merged
}

// adk returns why the framework rejects events, and why Gemini would reject the contents that are built from them.
func adk(list []byte) (bad []string) {
	events, err := adkEvents(list)
	if err != nil {
		return []string{"not a list of events: " + err.Error()}
	}
	ids, calls := map[string]bool{}, map[string]bool{}
	for i, e := range events {
		say := func(f string, a ...any) { bad = append(bad, fmt.Sprintf("event %d: ", i)+fmt.Sprintf(f, a...)) }
		switch {
		case e.id == "" || e.author == "" || e.timestamp == nil:
			say("no id, author or time")
		case ids[e.id]:
			say("the id %s comes twice", e.id)
		}
		if ids[e.id] = true; e.content == nil {
			continue
		}
		called, answered := e.content.calls()
		for _, c := range called {
			if c.ID != "" && calls[c.ID] {
				say("the call %q comes twice", c.ID)
			}
			calls[c.ID] = true
		}
		once := map[string]bool{}
		for _, r := range answered {
			if !calls[r.ID] {
				say("a response to %q, which was not called", r.ID)
			}
			if once[r.ID] {
				say("two responses to %q", r.ID)
			}
			once[r.ID] = true
		}
	}
	contents, more := adkContents(events)
	bad = append(bad, more...)
	asked := make([]json.RawMessage, 0, len(contents))
	for _, c := range contents {
		parts := make([]map[string]json.RawMessage, len(c.parts))
		for i, p := range c.parts {
			parts[i] = p.fields
		}
		b, _ := json.Marshal(map[string]any{"role": c.role, "parts": parts})
		asked = append(asked, b)
	}
	b, _ := json.Marshal(asked)
	if len(asked) == 0 {
		return bad
	}
	// Several agents may speak in a row, and the framework sends other agents' messages as the user's, so consecutive
	// contents of one role are valid.
	more = slices.DeleteFunc(gemini(b), func(line string) bool {
		return strings.HasPrefix(line, tolerable) && strings.HasSuffix(line, " in a row")
	})
	return append(bad, more...)
}

func adkLastUser(list []byte) json.RawMessage {
	events, err := adkEvents(list)
	if err != nil {
		return nil
	}
	for _, e := range slices.Backward(events) {
		if c := e.content; c != nil && !e.summary && c.role == "user" && c.says() && !c.inserted() {
			return e.raw
		}
	}
	return nil
}

func adkOpaque(list []byte) (parts []json.RawMessage) {
	events, _ := adkEvents(list)
	for _, e := range events {
		if e.content == nil || e.summary {
			continue
		}
		one, _ := json.Marshal([]json.RawMessage{contentIn(e.raw)})
		parts = append(parts, geminiOpaque(one)...)
	}
	return parts
}

func contentIn(event json.RawMessage) json.RawMessage {
	var e struct{ Content json.RawMessage }
	_ = json.Unmarshal(event, &e)
	return e.Content
}

// adkKept returns an error if a compaction has broken the order of the events' times. Python sorts events by time.
func adkKept(before, after []byte) error {
	if !adkOrdered(before) || adkOrdered(after) {
		return nil
	}
	return fmt.Errorf("the events are out of the order of their times")
}

func adkOrdered(list []byte) bool {
	events, _ := adkEvents(list)
	return slices.IsSortedFunc(events, func(a, b adkEvent) int {
		if a.timestamp == nil || b.timestamp == nil || *a.timestamp == *b.timestamp {
			return 0
		}
		if *a.timestamp < *b.timestamp {
			return -1
		}
		return 1
	})
}
