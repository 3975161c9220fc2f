package gen

import (
	"math/rand/v2"
	"strconv"
	"strings"
)

// approved reports whether the user was asked to approve a call, and provided whether the provider ran it. Both
// depend only on the call, because a call and its result may be written in different places.
func approved(c Call) bool { return c.Path == "src/f3.go" }
func provided(c Call) bool { return c.Name == "web_fetch" && c.Path < "src/f4" }

func aiSDK(add func(any), m Message, r *rand.Rand) {
	legacy := r.IntN(8) == 0 // in the form of AI SDK 4
	result := func(c Call) obj {
		v := obj{"type": "tool-result", "toolCallId": c.ID, "toolName": c.Name}
		switch {
		case legacy:
			v["result"] = c.Result
		case c.Image:
			v["output"] = obj{"type": "content", "value": []any{obj{"type": "text", "text": c.Result},
				obj{"type": "media", "data": png, "mediaType": "image/png"}}}
		case c.Err:
			v["output"] = obj{"type": "error-text", "value": c.Result}
		case r.IntN(4) == 0:
			v["output"] = obj{"type": "json", "value": obj{"text": c.Result}}
		default:
			v["output"] = obj{"type": "text", "value": c.Result}
		}
		return v
	}
	var parts []any
	if m.Role == "results" {
		for _, c := range m.Calls {
			if provided(c) {
				continue
			}
			if approved(c) {
				parts = append(parts, obj{"type": "tool-approval-response", "approvalId": "ap_" + c.ID, "approved": true})
			}
			parts = append(parts, result(c))
		}
		if parts != nil {
			add(obj{"role": "tool", "content": parts})
		}
		return
	}
	if m.Reasoning != "" {
		v := obj{"type": "reasoning", "text": m.Reasoning}
		switch {
		case m.Signature != "" && r.IntN(3) == 0:
			v["providerOptions"] = obj{"openai": obj{"itemId": "rs_" + m.Signature, "reasoningEncryptedContent": nil}}
		case m.Signature != "":
			v["providerOptions"] = obj{"anthropic": obj{"signature": m.Signature}}
		}
		parts = append(parts, v)
	}
	parts = append(parts, texts(m, "text")...)
	if m.Image {
		parts = append(parts, [...]obj{
			{"type": "image", "image": png, "mediaType": "image/png"},
			{"type": "file", "data": obj{"0": 137, "1": 80, "2": 78}, "mediaType": "image/png"},
			{"type": "file", "data": obj{"type": "data", "data": png}, "mediaType": "application/pdf"},
		}[r.IntN(3)])
	}
	for _, c := range m.Calls {
		v := obj{"type": "tool-call", "toolCallId": c.ID, "toolName": c.Name}
		if legacy {
			v["args"] = args(c)
		} else {
			v["input"] = args(c)
		}
		parts = append(parts, v)
		switch {
		case provided(c):
			v["providerExecuted"] = true
			parts = append(parts, result(c))
		case approved(c):
			parts = append(parts, obj{"type": "tool-approval-request", "approvalId": "ap_" + c.ID, "toolCallId": c.ID})
		}
	}
	if m.Role == "system" {
		add(obj{"role": "system", "content": strings.Join(m.Texts, "\n")})
		return
	}
	add(obj{"role": m.Role, "content": content(m, r, parts)})
}

// aiSDKUI writes a whole conversation, in which consecutive steps of the assistant may be one message.
func aiSDKUI(add func(any), c Conversation, r *rand.Rand) {
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
		if m.Role == "assistant" {
			parts = append(parts, obj{"type": "step-start"})
			if m.Reasoning != "" {
				v := obj{"type": "reasoning", "text": m.Reasoning, "state": "done"}
				if m.Signature != "" {
					v["providerMetadata"] = obj{"anthropic": obj{"signature": m.Signature}}
				}
				parts = append(parts, v)
			}
		}
		parts = append(parts, texts(m, "text")...)
		if m.Image {
			parts = append(parts, obj{"type": "file", "mediaType": "image/png", "url": "data:image/png;base64," + png})
		}
		if r.IntN(15) == 0 {
			parts = append(parts, obj{"type": "data-progress", "data": obj{"n": i}})
		}
		for _, call := range m.Calls {
			parts = append(parts, uiCall(call, c[i+1:], r))
			if r.IntN(30) == 0 { // interrupted while it was streamed
				parts = append(parts, obj{"type": "tool-bash", "toolCallId": "s" + call.ID, "state": "input-streaming", "input": obj{}})
			}
		}
		if m.Role == "assistant" && r.IntN(8) == 0 { // said by the user in the meantime
			steer := obj{"type": "steering-message", "id": "s" + strconv.Itoa(i), "parts": []any{obj{"type": "text", "text": text(r, 20)}}}
			parts = append([]any{steer}, parts...)
		}
		if m.Role == "assistant" && open != nil && r.IntN(4) > 0 {
			open["parts"] = append(open["parts"].([]any), parts...)
			continue
		}
		flush()
		v := obj{"id": "m" + strconv.Itoa(i), "role": m.Role, "parts": parts}
		if m.Role == "assistant" {
			open = v
		} else {
			add(v)
		}
	}
	flush()
}

// uiCall returns a tool call together with its result, which it finds in the messages after the call.
func uiCall(call Call, behind Conversation, r *rand.Rand) obj {
	p := obj{"type": "tool-" + call.Name, "toolCallId": call.ID, "input": args(call), "state": "input-available"}
	if r.IntN(6) == 0 {
		p["type"], p["toolName"] = "dynamic-tool", call.Name
	}
	if provided(call) {
		p["providerExecuted"] = true
	}
	var result *Call
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
	switch {
	case result == nil && approved(call):
		p["state"], p["approval"] = "approval-requested", obj{"id": "ap_" + call.ID}
		if r.IntN(2) == 0 {
			p["state"], p["approval"] = "approval-responded", obj{"id": "ap_" + call.ID, "approved": r.IntN(2) == 0}
		}
	case result == nil:
	case result.Err && approved(call):
		p["state"], p["approval"] = "output-denied", obj{"id": "ap_" + call.ID, "approved": false, "reason": result.Result}
	case result.Err:
		p["state"], p["errorText"] = "output-error", result.Result
	default:
		p["state"], p["output"] = "output-available", [...]any{result.Result, result.Result, obj{"text": result.Result}, []any{result.Result}}[r.IntN(4)]
		if approved(call) {
			p["approval"] = obj{"id": "ap_" + call.ID, "approved": true}
		}
	}
	return p
}
