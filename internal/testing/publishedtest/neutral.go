package publishedtest

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"testing"
)

// Text is text in the notation of the vectors, which is a string or a rule that generates one.
type Text string

// UnmarshalJSON reads a string or a rule: {"repeat","count"}, {"lines","from","to","sep"} or {"concat":[rule,…]}.
func (x *Text) UnmarshalJSON(src []byte) error {
	if len(src) > 0 && src[0] == '"' {
		var s string
		err := json.Unmarshal(src, &s)
		*x = Text(s)
		return err
	}
	var rule struct {
		Repeat   string
		Count    int
		Lines    *string
		Sep      string
		From, To int
		Concat   []Text
	}
	if err := json.Unmarshal(src, &rule); err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString(strings.Repeat(rule.Repeat, rule.Count))
	for n := rule.From; n <= rule.To && rule.Lines != nil; n++ {
		if n > rule.From {
			b.WriteString(rule.Sep)
		}
		b.WriteString(*rule.Lines + strconv.Itoa(n))
	}
	for _, part := range rule.Concat {
		b.WriteString(string(part))
	}
	*x = Text(b.String())
	return nil
}

// Message is a message in the neutral shape of the vectors. Raw is the whole message, with members that only some
// systems have.
type Message struct {
	Role  string
	Parts []Part
	Turn  *int
	Kind  *string
	Data  json.RawMessage
	Raw   json.RawMessage `json:"-"` // the whole message
}

// UnmarshalJSON decodes a message and keeps its bytes in Raw.
func (m *Message) UnmarshalJSON(src []byte) error {
	type plain Message
	m.Raw = bytes.Clone(src)
	return json.Unmarshal(src, (*plain)(m))
}

// Part is a part of a message in the neutral shape.
type Part struct {
	Type      string
	Text      *Text
	ID, Name  string
	IsError   bool `json:"is_error"`
	Arguments json.RawMessage
	ImageSize int             `json:"data_base64_len"`
	Raw       json.RawMessage `json:"-"` // the whole part
}

// UnmarshalJSON decodes a part and keeps its bytes in Raw.
func (p *Part) UnmarshalJSON(src []byte) error {
	type plain Part
	p.Raw = bytes.Clone(src)
	return json.Unmarshal(src, (*plain)(p))
}

// native returns messages in the native wire format.
func native(messages []Message) json.RawMessage {
	list := make([]object, len(messages))
	for i, m := range messages {
		list[i] = nativeMessage(m)
		list[i][mark] = i
	}
	src, err := Marshal(list)
	if err != nil {
		panic(err)
	}
	return src
}

// mark is a member that the tests add to each input message to find the message in the result. ctxfold doesn't know
// this member and therefore leaves it unchanged.
const mark = "seed_index"

// changes returns the messages of a result in the notation of the vectors: {"i":k} with the changed members for
// message k of the input, and {"new":…} for a new message.
func changes(t *testing.T, input, result json.RawMessage) []object {
	t.Helper()
	var in, out []map[string]json.RawMessage
	for src, list := range map[*json.RawMessage]*[]map[string]json.RawMessage{&input: &in, &result: &out} {
		if err := json.Unmarshal(*src, list); err != nil {
			t.Fatal(err)
		}
	}
	list := []object{}
	for _, m := range out {
		k, err := strconv.Atoi(string(m[mark]))
		if err != nil {
			var text string
			if err := json.Unmarshal(m["content"], &text); err != nil {
				t.Fatal(err)
			}
			list = append(list, object{"new": object{"role": m["role"], "text": text}})
			continue
		}
		change := object{"i": k}
		for key := range in[k] {
			switch {
			case bytes.Equal(m[key], in[k][key]):
			case key == "turnId" && m[key] == nil:
				change["turn_id_dropped"] = true
			case key == "content":
				change[key] = neutralContent(t, m[key])
			default:
				t.Fatalf("%s of message %d became %s", key, k, m[key])
			}
		}
		list = append(list, change)
	}
	return list
}

// neutralContent returns a content's parts in the shape that they have in the vectors.
func neutralContent(t *testing.T, content json.RawMessage) []object {
	t.Helper()
	var parts []object
	if err := json.Unmarshal(content, &parts); err != nil {
		t.Fatal(err)
	}
	for _, p := range parts {
		if data, ok := p["data"].(string); ok {
			p["data_base64_len"] = len(data)
			delete(p, "data")
		} else if p["data_length"] != nil {
			p["data_base64_len"] = p["data_length"]
			delete(p, "data_length")
		}
	}
	return parts
}

// nativeMessage returns a message in the native wire format. For a tool message, the tool's name is that of the first
// result, and the texts of the results become the content.
func nativeMessage(m Message) object {
	out := object{"role": m.Role}
	if m.Turn != nil {
		out["turnId"] = object{"loopId": "loop", "turnIndex": *m.Turn}
	}
	if m.Role == "custom" {
		out["custom_type"] = m.Kind
		out["data"] = spelled(m.Data)
		return out
	}
	content := []object{}
	for _, p := range m.Parts {
		if p.Type != "tool_result" {
			content = append(content, nativePart(p))
			continue
		}
		if out["tool_call_id"] == nil {
			out["tool_call_id"], out["tool_name"] = p.ID, p.Name
			if p.IsError {
				out["is_error"] = true
			}
		}
		if p.Text != nil {
			content = append(content, object{"type": "text", "text": *p.Text})
		}
	}
	if m.Role == "tool" {
		out["role"] = "tool_result"
		if out["tool_call_id"] == nil {
			out["tool_call_id"], out["tool_name"] = "", ""
		}
	}
	out["content"] = content
	return out
}

func nativePart(p Part) object {
	out := object{"type": p.Type}
	switch p.Type {
	case "text", "reasoning":
		out["text"] = Text("")
		if p.Text != nil {
			out["text"] = *p.Text
		}
	case "tool_call":
		out["id"], out["name"] = p.ID, p.Name
		if p.Arguments != nil {
			out["input"] = spelled(p.Arguments)
		}
	case "image":
		if p.ImageSize > 1<<16 {
			out["data_length"] = p.ImageSize
		} else {
			out["data"] = strings.Repeat("A", p.ImageSize)
		}
	}
	return out
}

// spelled returns JSON with numbers in their usual notation. The program that wrote the vectors writes 1e21 as 1e+21.
func spelled(src json.RawMessage) json.RawMessage {
	if len(src) == 0 {
		return json.RawMessage("null")
	}
	var b bytes.Buffer
	for i := 0; i < len(src); {
		switch c := src[i]; {
		case c == '"':
			end := i + 1
			for src[end] != '"' {
				if src[end] == '\\' {
					end++
				}
				end++
			}
			b.Write(src[i : end+1])
			i = end + 1
		case c == '-' || c >= '0' && c <= '9':
			end := i
			for end < len(src) && strings.IndexByte("+-.eE0123456789", src[end]) >= 0 {
				end++
			}
			b.WriteString(number(string(src[i:end])))
			i = end
		default:
			b.WriteByte(c)
			i++
		}
	}
	return b.Bytes()
}

// number removes superfluous characters from the exponent of a number: 1e+21 becomes 1e21, 1e-07 becomes 1e-7.
func number(s string) string {
	digits, exponent, found := strings.Cut(s, "e")
	if !found {
		return s
	}
	n, err := strconv.Atoi(exponent)
	if err != nil {
		panic(err)
	}
	return digits + "e" + strconv.Itoa(n)
}

// Marshal writes compact JSON without the escapes for HTML, which would change sizes.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// say returns a user or assistant message with one text, in the native wire format.
func say(role, text string) object { return object{"role": role, "content": text} }

// equal fails the test if the JSON of two values differs. what names them in the message.
func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	g, err := Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	w, err := Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(g, w) {
		t.Errorf("%s\ngot  %s\nwant %s", what, clipped(g), clipped(w))
	}
}

func clipped(b []byte) []byte {
	if len(b) > 1500 {
		return append(append(bytes.Clone(b[:1000]), " … "...), b[len(b)-500:]...)
	}
	return b
}
