package gen

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"strconv"
)

func init() { writers["langchain"] = langchain }

// result returns the message of a result without its type.
func (w lcWriter) result(call Call) obj {
	v := obj{"content": call.Result, "tool_call_id": call.ID, "name": call.Name}
	if call.Image {
		v["content"] = []any{obj{"type": "text", "text": call.Result}, w.image()}
	}
	if call.Err {
		v["status"] = "error"
	}
	if w.r.IntN(4) == 0 {
		v["artifact"] = obj{"rows": []int{1, 2}}
	}
	return v
}

// langchain writes a conversation as LangChain for JavaScript or for Python would, in one of three shapes and for one
// of three kinds of provider, all chosen at random.
func langchain(add func(any), c Conversation, r *rand.Rand) {
	w := lcWriter{shape: r.IntN(3), python: r.IntN(2) == 0, provider: r.IntN(3), r: r}
	for i, m := range c {
		if m.Role == "results" {
			for _, call := range m.Calls {
				add(w.message("tool", "ToolMessage", w.result(call)))
			}
			continue
		}
		parts := texts(m, "text")
		if m.Image {
			parts = append(parts, w.image())
		}
		switch m.Role {
		case "system":
			add(w.message("system", "SystemMessage", obj{"content": content(m, r, parts)}))
		case "user":
			if r.IntN(30) == 0 && w.shape == 2 { // a message that removes another in an update of the graph state
				add(obj{"type": "remove", "id": "m" + strconv.Itoa(i), "content": ""})
			}
			add(w.message("human", "HumanMessage", obj{"content": content(m, r, parts)}))
		default:
			v := w.answer(m, parts)
			v["id"] = "run-" + strconv.Itoa(i)
			class := "AIMessage"
			if r.IntN(8) == 0 {
				class = "AIMessageChunk"
				v["tool_call_chunks"] = w.chunks(m.Calls)
			}
			add(w.message("ai", class, v))
		}
	}
}

// lcWriter writes messages in the form in which one application stores them.
type lcWriter struct {
	shape    int // constructor, stored, flat
	python   bool
	provider int // OpenAI, Anthropic, others
	r        *rand.Rand
}

func (w lcWriter) message(typ, class string, v obj) any {
	if _, told := v["additional_kwargs"]; !told && w.r.IntN(2) == 0 {
		v["additional_kwargs"] = obj{}
	}
	if w.r.IntN(2) == 0 {
		v["response_metadata"] = obj{}
	}
	path := []string{"langchain_core", "messages", class}
	if w.python {
		path = []string{"langchain", "schema", "messages", class}
		v["type"] = typ
		if class == "AIMessageChunk" {
			typ = class
			v["type"] = typ
		}
	}
	switch w.shape {
	case 0:
		return obj{"lc": 1, "type": "constructor", "id": path, "kwargs": v}
	case 1:
		return obj{"type": typ, "data": v}
	}
	flat := maps.Clone(v)
	flat["type"] = typ
	return flat
}

func (w lcWriter) image() any {
	switch w.r.IntN(3) {
	case 0:
		return obj{"type": "image_url", "image_url": obj{"url": "data:image/png;base64," + png}}
	case 1:
		return obj{"type": "image", "base64": png, "mime_type": "image/png"}
	}
	return obj{"type": "image", "source": obj{"type": "base64", "media_type": "image/png", "data": png}}
}

// answer returns a model's message. The calls are in tool_calls and also where the provider returned them.
func (w lcWriter) answer(m Message, parts []any) obj {
	extra := obj{}
	v := obj{"content": content(m, w.r, parts), "usage_metadata": obj{"input_tokens": 9, "output_tokens": 3, "total_tokens": 12}}
	if len(parts) == 0 && w.r.IntN(2) == 0 {
		v["content"] = ""
	}
	calls, invalid := []any{}, []any{}
	for _, c := range m.Calls {
		if w.r.IntN(12) == 0 {
			invalid = append(invalid, obj{"name": c.Name, "args": `{"path`, "id": c.ID, "error": "no JSON", "type": "invalid_tool_call"})
		} else {
			calls = append(calls, obj{"name": c.Name, "args": args(c), "id": c.ID, "type": "tool_call"})
		}
	}
	v["invalid_tool_calls"] = invalid
	if len(calls) > 0 || w.r.IntN(2) == 0 {
		v["tool_calls"] = calls
	}
	var blocks []any
	switch {
	case m.Reasoning == "":
	case w.provider == 0:
		extra["reasoning_content"] = m.Reasoning
	case w.provider == 1 && m.Signature != "":
		blocks = append(blocks, obj{"type": "thinking", "thinking": m.Reasoning, "signature": m.Signature})
	case m.Signature != "":
		blocks = append(blocks, obj{"type": "reasoning", "reasoning": m.Reasoning, "extras": obj{"signature": m.Signature}})
	default:
		blocks = append(blocks, obj{"type": "reasoning", "reasoning": m.Reasoning})
	}
	blocks = append(blocks, parts...)
	switch w.provider {
	case 0:
		if raw := w.raw(m.Calls); len(raw) > 0 && w.r.IntN(3) > 0 {
			extra["tool_calls"] = raw
		}
	case 1:
		for _, c := range m.Calls {
			blocks = append(blocks, obj{"type": "tool_use", "id": c.ID, "name": c.Name, "input": args(c)})
		}
	}
	if len(blocks) > len(parts) {
		v["content"] = blocks
	}
	if len(extra) > 0 {
		v["additional_kwargs"] = extra
	}
	return v
}

func (w lcWriter) raw(calls []Call) (raw []any) {
	for _, c := range calls {
		a, _ := json.Marshal(args(c))
		raw = append(raw, obj{"id": c.ID, "type": "function", "function": obj{"name": c.Name, "arguments": string(a)}})
	}
	return raw
}

func (w lcWriter) chunks(calls []Call) []any {
	chunks := []any{}
	for i, c := range calls {
		a, _ := json.Marshal(args(c))
		chunks = append(chunks, obj{"name": c.Name, "args": string(a), "id": c.ID, "index": i, "type": "tool_call_chunk"})
	}
	return chunks
}
