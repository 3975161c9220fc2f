package gen

import "math/rand/v2"

func init() { writers["pi"] = pi }

// pi writes a conversation as the agent keeps it in memory, including message types that only the coding agent uses.
func pi(add func(any), c Conversation, r *rand.Rand) {
	at := 1764000000000
	stamped := func(v obj) {
		at += r.IntN(90000)
		v["timestamp"] = at
		add(v)
	}
	for _, m := range c {
		switch m.Role {
		case "results":
			for _, call := range m.Calls {
				if r.IntN(30) == 0 {
					stamped(obj{"role": "system", "content": "", "sections": obj{"mode": "<mode>plan</mode>"}})
				}
				parts := []any{obj{"type": "text", "text": call.Result}}
				if call.Image {
					parts = append(parts, obj{"type": "image", "data": png, "mimeType": "image/png"})
				}
				stamped(obj{"role": "toolResult", "toolCallId": call.ID, "toolName": call.Name, "content": parts, "isError": call.Err})
			}
		case "assistant":
			if r.IntN(20) == 0 { // the first attempt was interrupted
				stamped(piAnswer(Message{Texts: []string{"I begin"}, Calls: []Call{{ID: "call_broken", Name: "read", Path: "x"}}}, r, []string{"error", "aborted"}[r.IntN(2)]))
			}
			stop := "stop"
			if len(m.Calls) > 0 {
				stop = "toolUse"
			}
			stamped(piAnswer(m, r, stop))
		case "user":
			switch r.IntN(24) {
			case 0:
				stamped(obj{"role": "bashExecution", "command": "ls", "output": text(r, 50), "exitCode": 0, "cancelled": false, "truncated": false})
			case 1:
				stamped(obj{"role": "bashExecution", "command": "env", "output": text(r, 50), "cancelled": false, "truncated": false, "excludeFromContext": true})
			case 2:
				stamped(obj{"role": "custom", "customType": "plan", "content": text(r, 40), "display": true, "details": obj{"step": 1}})
			case 3:
				stamped(obj{"role": "branchSummary", "summary": text(r, 60), "fromId": "e1"})
			}
			parts := texts(m, "text")
			if m.Image {
				parts = append(parts, obj{"type": "image", "data": png, "mimeType": "image/png"})
			}
			stamped(obj{"role": m.Role, "content": content(m, r, parts)})
		default:
			stamped(obj{"role": m.Role, "content": content(m, r, texts(m, "text"))})
		}
	}
}

func piAnswer(m Message, r *rand.Rand, stop string) obj {
	parts := []any{}
	if m.Reasoning != "" {
		v := obj{"type": "thinking", "thinking": m.Reasoning}
		if m.Signature != "" {
			v["thinkingSignature"] = m.Signature
			if r.IntN(6) == 0 {
				v["thinking"], v["redacted"] = "", true
			}
		}
		parts = append(parts, v)
	}
	for i, t := range m.Texts {
		v := obj{"type": "text", "text": t}
		if i == 0 && r.IntN(5) == 0 {
			v["textSignature"] = "msg_" + m.Signature
		}
		parts = append(parts, v)
	}
	for _, call := range m.Calls {
		v := obj{"type": "toolCall", "id": call.ID, "name": call.Name, "arguments": args(call)}
		if call.Signature != "" {
			v["thoughtSignature"] = call.Signature
		}
		parts = append(parts, v)
	}
	// The counts are 0, because readers would trust a count that doesn't match the text.
	zero := obj{"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0}
	return obj{"role": "assistant", "content": parts, "api": "anthropic-messages", "provider": "anthropic", "model": "claude-sonnet-5", "stopReason": stop,
		"usage": obj{"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 0, "cost": zero}}
}
