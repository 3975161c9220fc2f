package gen

import (
	"math/rand/v2"
	"strconv"
	"time"
)

func init() { writers["mastra"] = mastra }

// mastra writes a conversation as the framework stores it. Consecutive steps of the assistant are one message, and
// results are inside their calls. Calls and files may also be copied outside the parts; in older versions they are only
// there.
func mastra(add func(any), c Conversation, r *rand.Rand) {
	var open obj // the content of the assistant message to which the next step may be added
	var message obj
	kind := r.IntN(3) // kind of store: without copies, with them, or mixed
	flush := func() {
		if open != nil {
			mastraCopies(open, kind, r)
			add(message)
		}
		open = nil
	}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i, m := range c {
		if m.Role == "results" {
			continue
		}
		parts := []any{}
		if m.Reasoning != "" {
			p := obj{"type": "reasoning", "reasoning": m.Reasoning, "details": []any{}, "createdAt": 1}
			switch {
			case m.Signature == "":
			case r.IntN(2) == 0:
				p["providerMetadata"] = obj{"anthropic": obj{"signature": m.Signature}, "mastra": obj{"createdAt": 1}}
			default:
				p["reasoning"], p["details"] = "", []any{obj{"type": "text", "text": m.Reasoning, "signature": m.Signature}}
			}
			parts = append(parts, p)
		}
		parts = append(parts, texts(m, "text")...)
		if m.Image {
			parts = append(parts, obj{"type": "file", "mimeType": "image/png", "data": [...]string{png, "data:image/png;base64," + png}[r.IntN(2)]})
		}
		for k, call := range m.Calls {
			if k == 0 && r.IntN(6) == 0 {
				parts = append(parts, obj{"type": "step-start"})
			}
			parts = append(parts, mastraCall(call, c[i+1:], r))
		}
		if r.IntN(15) == 0 && m.Role == "assistant" {
			parts = append(parts, [...]obj{
				{"type": "source", "source": obj{"sourceType": "url", "id": "s", "url": "https://example.com"}},
				{"type": "data-progress", "data": obj{"n": 1}}, {"type": "error", "error": obj{"name": "E", "message": "m"}},
			}[r.IntN(3)])
		}
		if m.Role == "assistant" && open != nil && len(parts) > 0 && r.IntN(4) > 0 {
			if first, _ := parts[0].(obj); first["type"] == "tool-invocation" { // consecutive calls are one step
				parts = append([]any{obj{"type": "step-start"}}, parts...)
			}
			open["parts"] = append(open["parts"].([]any), parts...)
			continue
		}
		flush()
		open = obj{"format": 2, "parts": parts, "metadata": obj{"n": i}}
		message = obj{"id": "m" + strconv.Itoa(i), "role": m.Role, "createdAt": start.Add(time.Duration(i) * time.Second).Format("2006-01-02T15:04:05.000Z"),
			"threadId": "t", "resourceId": "r", "content": open}
		if m.Role == "user" && r.IntN(15) == 0 {
			message["role"], message["type"] = "signal", "user"
			open["metadata"] = obj{"signal": obj{"id": "s", "type": "user", "createdAt": "2026-01-01T00:00:00.000Z"}}
		}
		if m.Role != "assistant" {
			flush()
		}
	}
	flush()
}

// mastraCopies adds the copies of calls, files and text that some stores keep outside the parts.
func mastraCopies(content obj, kind int, r *rand.Rand) {
	if kind == 0 || kind == 2 && r.IntN(2) == 0 {
		return
	}
	calls, files, rest, open := []any{}, []any{}, []any{}, false
	for _, part := range content["parts"].([]any) {
		p := part.(obj)
		switch p["type"] {
		case "text":
			content["content"] = p["text"]
		case "reasoning":
			if r.IntN(2) == 0 {
				content["reasoning"] = p["reasoning"]
			}
		case "tool-invocation":
			inv := p["toolInvocation"].(obj)
			open = open || inv["result"] == nil && inv["errorText"] == nil
			calls = append(calls, inv)
			continue
		case "file":
			files = append(files, obj{"url": p["data"], "contentType": p["mimeType"]})
			continue
		}
		rest = append(rest, part)
	}
	if len(calls) > 0 {
		content["toolInvocations"] = calls
	}
	if len(files) > 0 {
		content["experimental_attachments"] = files
	}
	if old := r.IntN(6) == 0; old && !open && len(rest)+len(calls)+len(files) > 0 { // older versions kept calls and files only there
		content["parts"] = rest
	}
}

func mastraCall(call Call, behind Conversation, r *rand.Rand) obj {
	inv := obj{"state": "call", "toolCallId": call.ID, "toolName": call.Name, "args": args(call)}
	p := obj{"type": "tool-invocation", "toolInvocation": inv, "createdAt": 1}
	result := resultOf(call, behind)
	switch {
	case result == nil && approved(call):
		inv["state"], inv["approval"] = "approval-requested", obj{"id": "ap_" + call.ID}
	case result == nil:
	case result.Err && r.IntN(2) == 0:
		inv["state"], inv["errorText"] = "output-error", result.Result
	default:
		inv["state"] = "result"
		inv["result"] = [...]any{obj{"text": result.Result}, result.Result, []any{result.Result}, obj{"value": result.Result}, result.Result}[r.IntN(5)]
		if result.Err {
			inv["isError"] = true
		}
		switch {
		case result.Image:
			inv["result"] = obj{"content": []any{obj{"type": "text", "text": result.Result}, obj{"type": "image", "data": png, "mimeType": "image/png"}}}
		case r.IntN(12) == 0:
			p["providerMetadata"] = obj{"mastra": obj{"modelOutput": obj{"type": "text", "value": result.Result}}}
		case r.IntN(20) == 0:
			p["providerMetadata"] = obj{"mastra": obj{"modelOutput": obj{"type": "content", "value": []any{obj{"type": "text", "text": result.Result}}}}}
		}
	}
	return p
}
