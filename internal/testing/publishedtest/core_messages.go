package publishedtest

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
)

// S1 and S2 process an SDK's messages, whose parts are those of the wire format ai-sdk, so the tests use that format. A
// tool message may contain texts besides results, and content may be a string or a list.

// coreMessage has the members that only some messages of S2 have.
type coreMessage struct {
	StringContent bool            `json:"string_content"`
	NoContent     bool            `json:"no_content"`
	Legacy        json.RawMessage `json:"tool_calls_legacy"`
}

// corePart has the members that only some parts of S1 or S2 have.
type corePart struct {
	ArgumentsRaw *string         `json:"arguments_raw"`
	Result       json.RawMessage `json:"result"`
}

// coreMessages returns messages in the wire format ai-sdk. value rewrites the JSON of arguments and results.
func coreMessages(messages []Message, value func(json.RawMessage) json.RawMessage) []any {
	list := make([]any, len(messages))
	for i, m := range messages {
		var more coreMessage
		decodeInto(m.Raw, &more)
		out := object{"role": m.Role}
		switch {
		case more.StringContent:
			text := Text("")
			if len(m.Parts) > 0 && m.Parts[0].Text != nil {
				text = *m.Parts[0].Text
			}
			out["content"] = text
		case !more.NoContent:
			parts := []object{}
			for _, p := range m.Parts {
				parts = append(parts, coreMessagePart(p, value))
			}
			out["content"] = parts
		}
		if more.Legacy != nil {
			out["toolCalls"] = legacyCalls(more.Legacy, value)
		}
		list[i] = out
	}
	return list
}

func coreMessagePart(p Part, value func(json.RawMessage) json.RawMessage) object {
	var more corePart
	decodeInto(p.Raw, &more)
	switch p.Type {
	case "tool_call":
		out := object{"type": "tool-call", "toolCallId": p.ID, "toolName": p.Name}
		if more.ArgumentsRaw != nil {
			out["args"] = *more.ArgumentsRaw
		} else if p.Arguments != nil {
			out["args"] = value(p.Arguments)
		}
		return out
	case "tool_result":
		out := object{"type": "tool-result", "toolCallId": p.ID, "toolName": p.Name}
		if p.IsError {
			out["isError"] = true
		}
		if more.Result != nil {
			out["result"] = value(more.Result)
		} else if p.Text != nil {
			out["result"] = *p.Text
		}
		return out
	case "image":
		return object{"type": "image", "image": strings.Repeat("A", min(p.ImageSize, 64))} // images cost nothing, whatever their size
	}
	text := Text("")
	if p.Text != nil {
		text = *p.Text
	}
	return object{"type": p.Type, "text": text}
}

func legacyCalls(src json.RawMessage, value func(json.RawMessage) json.RawMessage) any {
	var calls []struct {
		Name      string
		Arguments json.RawMessage
	}
	decodeInto(src, &calls)
	if calls == nil {
		return nil
	}
	list := []object{}
	for _, c := range calls {
		call := object{"toolName": c.Name}
		if c.Arguments != nil {
			call["args"] = value(c.Arguments)
		}
		list = append(list, call)
	}
	return list
}

func decodeInto(src []byte, v any) {
	if err := json.Unmarshal(src, v); err != nil {
		panic(err)
	}
}

// asGo returns JSON in the form in which S1, a Go system, stores it: as bytes. A string is passed as its JSON text.
func asGo(src json.RawMessage) json.RawMessage {
	if src[0] != '"' {
		return src
	}
	quoted, err := Marshal(string(src))
	if err != nil {
		panic(err)
	}
	return quoted
}

// asJavaScript returns JSON as a JavaScript host sends it: numbers are written as JSON.stringify writes them.
func asJavaScript(src json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	for i := 0; i < len(src); {
		end := i + 1
		switch c := src[i]; {
		case c == '"':
			for src[end] != '"' {
				if src[end] == '\\' {
					end++
				}
				end++
			}
			end++
			b.Write(src[i:end])
		case c == '-' || c >= '0' && c <= '9':
			for end < len(src) && strings.IndexByte("+-.eE0123456789", src[end]) >= 0 {
				end++
			}
			b.WriteString(javaScriptNumber(string(src[i:end])))
		default:
			b.WriteByte(c)
		}
		i = end
	}
	return b.Bytes()
}

func javaScriptNumber(s string) string {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		panic(err)
	}
	if size := math.Abs(f); size != 0 && (size < 1e-6 || size >= 1e21) {
		digits, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'e', -1, 64), "e")
		return digits + "e" + exponent[:1] + strings.TrimLeft(exponent[1:], "0")
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// wantText compares text in an answer with the text in a vector. The text in the answer may be cut inside a
// character, so that a JSON string can't represent it; the text in the vector may be a hash.
func wantText(t *testing.T, got, want json.RawMessage) {
	t.Helper()
	var digest struct {
		Bytes *int
		Sum   string `json:"sha256"`
		UTF16 string `json:"sha256_utf16le"`
		Tail  string `json:"tail_hex"`
	}
	if want[0] == '"' {
		equal(t, "text", text(t, got), text(t, want))
		return
	}
	decodeInto(want, &digest)
	b := []byte(rawText(t, got))
	if sum := sha256.Sum256(b); digest.Bytes == nil || *digest.Bytes != len(b) || hex.EncodeToString(sum[:]) != digest.Sum {
		t.Errorf("a text of %d bytes\ngot  %s\nwant %s", len(b), clipped(b), want)
	}
	if digest.UTF16 != "" {
		if sum := sha256.Sum256(utf16LE(got)); hex.EncodeToString(sum[:]) != digest.UTF16 {
			t.Errorf("its code units are others: %s", clipped(got))
		}
	}
}

func text(t *testing.T, src json.RawMessage) (s string) {
	t.Helper()
	if err := json.Unmarshal(src, &s); err != nil {
		t.Fatalf("%v in %s", err, clipped(src))
	}
	return s
}

// utf16LE returns the code units of a JSON string, including unpaired surrogates, with the low byte first.
func utf16LE(quoted []byte) (b []byte) {
	for s := quoted[1 : len(quoted)-1]; len(s) > 0; {
		if s[0] == '\\' && s[1] == 'u' {
			n, err := strconv.ParseUint(string(s[2:6]), 16, 16)
			if err != nil {
				panic(err)
			}
			b = binary.LittleEndian.AppendUint16(b, uint16(n))
			s = s[6:]
			continue
		}
		end := 1
		if s[0] == '\\' {
			end = 2
		} else {
			for end < len(s) && s[end] != '\\' {
				end++
			}
		}
		var text string
		decodeInto(append(append([]byte{'"'}, s[:end]...), '"'), &text)
		for _, unit := range utf16.Encode([]rune(text)) {
			b = binary.LittleEndian.AppendUint16(b, unit)
		}
		s = s[end:]
	}
	return b
}

// planned is an answer to the operation plan or step.
type planned struct {
	Plan     json.RawMessage
	Requests []summaryRequest
	Report   struct {
		Reason   string
		Changed  bool
		Tokens   struct{ Before, After int }
		Folded   int
		CutPoint int `json:"cut_point"`
		Summary  struct{ Source, Why string }
		Actions  []struct {
			Action, Rule string
			Message      int
		}
	}
	State    json.RawMessage
	Messages json.RawMessage
	Edits    []edit
	Error    *struct{ Code, Message, Path string }
}

type summaryRequest struct {
	ID, Scope, System, Prompt, Lead string
	MaxOutputTokens                 int `json:"max_output_tokens"`
	Temperature                     float64
}

type edit struct {
	Keep    *[2]int
	Insert  json.RawMessage
	Set     *int
	Message json.RawMessage
}

// list returns the edits in the notation of the vectors: {"i":k} for message k, and {"new":{"role","text"}} for a new
// message.
func (p *planned) list() []any {
	list := []any{}
	for _, e := range p.Edits {
		switch {
		case e.Keep != nil:
			for k := e.Keep[0]; k < e.Keep[1]; k++ {
				list = append(list, object{"i": k})
			}
		case e.Insert != nil:
			var m struct{ Role, Content string }
			decodeInto(e.Insert, &m)
			list = append(list, object{"new": object{"role": m.Role, "text": m.Content}})
		default:
			list = append(list, object{"set": *e.Set, "message": e.Message})
		}
	}
	return list
}

// compacts runs plan, and then step with the replies to the requests, which answer returns.
func compacts(t *testing.T, call Engine, request object, answer func(r summaryRequest) object) planned {
	t.Helper()
	var a planned
	Call(t, call, "plan", request, &a)
	if list, ok := request["messages"].([]any); ok && len(list) == 0 && a.Error != nil {
		// If there are no messages, the host gets an error and continues as if nothing had happened.
		equal(t, "code", a.Error.Code, "no_messages")
		return planned{State: json.RawMessage(`{"round":0}`)}
	}
	for round := 0; len(a.Requests) > 0; round++ {
		if round > 4 {
			t.Fatal("more than 4 rounds of requests")
		}
		summaries := []object{}
		for _, r := range a.Requests {
			reply := answer(r)
			reply["id"] = r.ID
			summaries = append(summaries, reply)
		}
		step := object{"plan": a.Plan, "summaries": summaries, "messages": request["messages"]}
		a = planned{}
		Call(t, call, "step", step, &a)
	}
	return a
}

// rawText returns the bytes of text in an answer. The text is a JSON string or, if it is not UTF-8, a string of
// hexadecimal digits.
func rawText(t *testing.T, got json.RawMessage) string {
	t.Helper()
	if got[0] == '"' {
		return text(t, got)
	}
	var raw struct{ Hex string }
	decodeInto(got, &raw)
	b, err := hex.DecodeString(raw.Hex)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
