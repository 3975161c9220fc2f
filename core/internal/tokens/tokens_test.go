package tokens_test

import (
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/tokens"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/wire"
)

// total estimates a transcript, message by message.
func total(t *testing.T, p *tokens.Profile, format, src string) (n int) {
	t.Helper()
	tr := read(t, format, src)
	for i := range tr.Messages {
		n += p.Message(tr, i)
	}
	return n
}

func read(t *testing.T, format, src string) *transcript.Transcript {
	t.Helper()
	s := jsonspan.New([]byte(src))
	tr := wire.ByName(format).Read(s)
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	return tr
}

// The numbers are those of the rows of the notes on the published systems.
func TestPublished(t *testing.T) {
	for _, c := range []struct {
		row, estimator, format, src string
		want                        int
	}{
		{"S0.33", "layered", "native", `[{"role":"user","content":"hello world"}]`, 3 + 4},
		{"S0.34 low", "layered", "native", `[{"role":"user","content":[{"type":"image","data":"AAAA"}]}]`, 85 + 4},
		{"S0.35", "layered", "native", `[{"role":"assistant","content":[{"type":"tool_call","id":"1","name":"read","input":{"a":"b"}}]}]`, 1 + 3 + 8 + 4},
		{"S0.36", "layered", "native", `[{"role":"tool_result","tool_call_id":"1","tool_name":"read","content":"hello"}]`, 1 + 2 + 8},
		{"S1.1", "bytes4-floor", "openai-chat", `[{"role":"user","content":"hi"},{"role":"user","content":"hello world"}]`, 2},
		{"S1.2", "bytes4-floor", "openai-chat", `[{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"read","arguments":"{\"path\":\"a.txt\"}"}}]}]`, 0},
		{"S2.4", "utf16-4", "ai-sdk", `[{"role":"system","content":"You are helpful."},{"role":"user","content":"Hello"},
			{"role":"assistant","content":[{"type":"text","text":"ok"},{"type":"tool-call","toolCallId":"c1","toolName":"read","input":{"path":"a.txt"}}]},
			{"role":"tool","content":[{"type":"tool-result","toolCallId":"c1","toolName":"read","output":{"type":"json","value":{"ok":true}}}]}]`, 23},
		{"S2.3", "utf16-4", "ai-sdk", `[{"role":"user","content":[{"type":"image","image":"AAAA"}]}]`, 2},
		{"S3.6", "runes3.6", "native", `[{"role":"user","content":"日本語日本語日本語"}]`, 3 + 4 + 2},
		{"S3.9 string", "runes3.6", "native", `[{"role":"tool_result","tool_call_id":"1","tool_name":"","content":"abc"}]`, 1 + 4 + 2 + 6},
		{"S3.9 blocks", "runes3.6", "native", `[{"role":"tool_result","tool_call_id":"1","tool_name":"","content":[{"type":"text","text":"abc"},{"type":"image","data":"AAAA"}]}]`, 1 + 4 + 2*2 + 6 + 1024},
		{"S4.6 image", "bytes4-message", "native", `[{"role":"user","content":[{"type":"image","data":"AAAA"}]}]`, 1200},
		{"S4.6 html", "bytes4-message", "native", `[{"role":"assistant","content":[{"type":"tool_call","id":"c","name":"t","input":{"v":"<&\u2028"}}]}]`, (1 + 8 + 3*6 + 3) / 4},
	} {
		t.Run(c.row, func(t *testing.T) {
			if n := total(t, tokens.ByName(c.estimator).Published(), c.format, c.src); n != c.want {
				t.Errorf("%d tokens, want %d", n, c.want)
			}
		})
	}
}

// What a published system leaves out costs something where results are to be valid.
func TestNothingIsFree(t *testing.T) {
	const src = `[{"role":"assistant","content":[{"type":"reasoning","text":"a thought of some length"},
		{"type":"tool_call","id":"c","name":"read","input":{"path":"a.txt"}}]},
		{"role":"user","content":[{"type":"image","data":"AAAA"}]}, {"role":"user","content":[{"type":"file","data":"AAAA"}]},
		{"role":"tool_result","tool_call_id":"1","tool_name":"read","content":"some content"}]`
	for _, name := range tokens.Names() {
		p, tr := tokens.ByName(name), read(t, "native", src)
		for i := range tr.Messages {
			if n := p.Message(tr, i) - p.Framing[tr.Messages[i].Role]; n < 1 {
				t.Errorf("%s: message %d costs %d", name, i, n)
			}
		}
	}
}
