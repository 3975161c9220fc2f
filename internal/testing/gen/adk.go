package gen

import (
	"math/rand/v2"
	"strconv"
)

func init() { writers["adk"] = adk }

// adk writes a conversation as a session's events, with the keys that JavaScript or Python uses. In between it adds
// events that are not sent to a model.
func adk(add func(any), c Conversation, r *rand.Rand) {
	snake := r.IntN(3) == 0
	spelled := func(camel, other string) string {
		if snake {
			return other
		}
		return camel
	}
	n, agent := 0, "assistant"
	event := func(author string, content any) obj {
		n++
		e := obj{"id": "e" + strconv.Itoa(n), spelled("invocationId", "invocation_id"): "i1", "author": author, "timestamp": 1700000000 + n}
		if content != nil {
			e["content"] = content
		}
		if r.IntN(3) > 0 {
			e["actions"] = obj{spelled("stateDelta", "state_delta"): obj{"n": n}}
		}
		return e
	}
	for i, m := range c {
		switch {
		case m.Role == "system": // it is stored with the agent
			continue
		case r.IntN(12) == 0: // a state change, or a request to the user interface
			ask := obj{spelled("functionCall", "function_call"): obj{"id": "adk-ask" + strconv.Itoa(i), "name": "adk_request_confirmation", "args": obj{}}}
			add(event(agent, [...]any{nil, obj{"role": "model", "parts": []any{ask}}, obj{"parts": []any{}}, obj{"role": "model", "parts": []any{obj{"text": ""}}}}[r.IntN(4)]))
		}
		author, role, parts := "user", "user", []any{}
		switch m.Role {
		case "results":
			author = agent
			for k, call := range m.Calls {
				parts = append(parts, adkResponse(call, r, spelled))
				if k == 0 && r.IntN(15) == 0 { // a long-running call that has not ended
					pending := obj{"id": call.ID, "name": call.Name, "response": obj{"status": "pending"}}
					add(event(author, obj{"role": "user", "parts": []any{obj{spelled("functionResponse", "function_response"): pending}}}))
				}
			}
		case "assistant":
			if r.IntN(8) == 0 {
				agent = "agent_" + strconv.Itoa(r.IntN(3))
			}
			author, role = agent, "model"
			if m.Reasoning != "" {
				parts = append(parts, obj{"text": m.Reasoning, "thought": true})
			}
		}
		for _, t := range m.Texts {
			parts = append(parts, obj{"text": t})
		}
		if m.Role == "assistant" {
			for k, call := range m.Calls {
				p := obj{spelled("functionCall", "function_call"): obj{"id": call.ID, "name": call.Name, "args": args(call)}}
				if k == 0 {
					p[spelled("thoughtSignature", "thought_signature")] = "c2ln"
				}
				parts = append(parts, p)
			}
		}
		if m.Image {
			parts = append(parts, obj{spelled("inlineData", "inline_data"): obj{spelled("mimeType", "mime_type"): "image/png", "data": png}})
		}
		e := event(author, obj{"role": role, "parts": parts})
		if m.Role == "assistant" && len(m.Calls) > 0 && r.IntN(4) == 0 {
			e[spelled("longRunningToolIds", "long_running_tool_ids")] = []any{m.Calls[0].ID}
		}
		add(e)
		if m.Role == "user" && i > 0 && i+1 < len(c) && r.IntN(20) == 0 {
			add(adkCompacted(event("user", nil), n, snake))
		}
	}
}

// adkResponse returns the function response for a call, in one of the shapes that tools return.
func adkResponse(call Call, r *rand.Rand, spelled func(string, string) string) obj {
	response := obj{"id": call.ID, "name": call.Name, "response": obj{[...]string{"result", "output"}[r.IntN(2)]: call.Result}}
	switch {
	case call.Err:
		response["response"] = obj{"error": call.Result}
	case r.IntN(6) == 0:
		response["response"] = obj{"status": "ok", "report": call.Result}
	}
	if call.Image {
		response["parts"] = []any{obj{spelled("inlineData", "inline_data"): obj{spelled("mimeType", "mime_type"): "image/png", "data": png}}}
	}
	return obj{spelled("functionResponse", "function_response"): response}
}

// adkCompacted turns an event into one of the framework's compaction events, whose summary replaces the events before
// it. In Python the summary is a member of actions; in JavaScript its members are in the event.
func adkCompacted(e obj, n int, snake bool) obj {
	const said = "The user asked for a change, and it was made."
	end := 1700000000 + n - 1
	if snake {
		e["actions"] = obj{"compaction": obj{"start_timestamp": 1700000001, "end_timestamp": end,
			"compacted_content": obj{"role": "model", "parts": []any{obj{"text": said}}}}}
		return e
	}
	e["isCompacted"], e["startTime"], e["endTime"], e["compactedContent"] = true, 1700000001, end, said
	e["content"] = obj{"role": "model", "parts": []any{obj{"text": said}}}
	return e
}
