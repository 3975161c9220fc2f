package gen

import (
	"encoding/json"
	"math/rand/v2"
	"strconv"
)

func init() { writers["tanstack"] = tanStack }

// tanStack writes a conversation in which consecutive steps of the assistant may be one message, with results next to
// their calls, inside them, or both.
func tanStack(add func(any), c Conversation, r *rand.Rand) {
	var open obj // the assistant message to which the next step may be added
	flush := func() {
		if open != nil {
			add(open)
		}
		open = nil
	}
	for i, m := range c {
		if m.Role == "results" {
			continue
		}
		parts := []any{}
		if m.Reasoning != "" {
			v := obj{"type": "thinking", "content": m.Reasoning}
			if m.Signature != "" {
				v["signature"] = m.Signature
			}
			parts = append(parts, v)
		}
		for _, t := range m.Texts {
			parts = append(parts, obj{"type": "text", "content": t})
		}
		if m.Image {
			parts = append(parts, tanStackImage())
		}
		for _, call := range m.Calls {
			parts = append(parts, tanStackCall(call, c[i+1:], r)...)
			if r.IntN(30) == 0 { // interrupted while it was streamed
				parts = append(parts, obj{"type": "tool-call", "id": "s" + call.ID, "name": "bash", "arguments": `{"pa`, "state": "input-streaming"})
			}
		}
		if m.Role == "assistant" && len(m.Calls) == 0 && r.IntN(5) == 0 {
			raw := `{"n":` + strconv.Itoa(i) + `}`
			parts = append(parts, obj{"type": "structured-output", "status": [...]string{"complete", "streaming"}[r.IntN(2)], "raw": raw, "data": obj{"n": i}})
		}
		if m.Role == "assistant" && open != nil && r.IntN(4) > 0 {
			open["parts"] = append(open["parts"].([]any), parts...)
			continue
		}
		flush()
		v := obj{"id": "m" + strconv.Itoa(i), "role": m.Role, "parts": parts, "createdAt": "2026-01-01T00:00:00.000Z"}
		if m.Role == "assistant" {
			open = v
		} else {
			add(v)
		}
	}
	flush()
}

func tanStackImage() obj {
	return obj{"type": "image", "source": obj{"type": "data", "value": png, "mimeType": "image/png"}}
}

// tanStackCall returns a call and its result, which it finds in the messages after the call.
func tanStackCall(call Call, behind Conversation, r *rand.Rand) []any {
	a, _ := json.Marshal(args(call))
	p := obj{"type": "tool-call", "id": call.ID, "name": call.Name, "arguments": string(a), "input": args(call), "state": "input-complete"}
	if provided(call) {
		p["state"], p["metadata"] = "complete", obj{"providerExecuted": true, "result": call.Result}
		return []any{p}
	}
	result := resultOf(call, behind)
	if approved(call) {
		p["state"], p["approval"] = "approval-requested", obj{"id": "ap_" + call.ID, "needsApproval": true}
		if result != nil || r.IntN(2) == 0 {
			p["state"], p["approval"] = "approval-responded", obj{"id": "ap_" + call.ID, "needsApproval": true, "approved": result != nil && !result.Err}
		}
	}
	if result == nil {
		return []any{p}
	}
	v := obj{"type": "tool-result", "toolCallId": call.ID, "content": result.Result, "state": "complete"}
	switch {
	case result.Err:
		v["state"], v["error"] = "error", "exit 1"
	case result.Image:
		v["content"] = []any{obj{"type": "text", "content": result.Result}, tanStackImage()}
	}
	switch r.IntN(5) {
	case 0: // a tool that runs in the browser
		p["output"], p["state"] = [...]any{result.Result, obj{"text": result.Result}, []any{result.Result}}[r.IntN(3)], "complete"
		return []any{p}
	case 1:
		p["output"] = result.Result
	}
	return []any{p, v}
}

// resultOf returns the result that a call has in the messages after it, or nil.
func resultOf(call Call, behind Conversation) (result *Call) {
	for _, later := range behind {
		if later.Role != "results" {
			break
		}
		for k := range later.Calls {
			if later.Calls[k].ID == call.ID {
				result = &later.Calls[k]
			}
		}
	}
	return result
}
