package exact_test

import (
	"fmt"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/published/exact"
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

// TestEstimators checks the token counts given in the rows of the notes on the published systems.
func TestEstimators(t *testing.T) {
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
			if n := total(t, exact.Estimator(tokens.ByName(c.estimator)), c.format, c.src); n != c.want {
				t.Errorf("%d tokens, want %d", n, c.want)
			}
		})
	}
}

// everything contains each kind of content that some estimator treats specially.
const everything = `[{"role":"user","content":[{"type":"text","text":"0123456789"},{"type":"text","text":"größe 漢字 😀"},
	{"type":"image","source":{"type":"base64","data":"AAECAwQFBgcICQoLDA0ODw=="}},{"type":"document","source":{"type":"base64","data":"AAECAwQFBgcICQoLDA0ODw=="}}]},
	{"role":"assistant","content":[{"type":"thinking","thinking":"0123456789abcdef","signature":"s"},{"type":"tool_use","id":"a","name":"read_file","input":{"path" : "a.txt","é":[1,2]}},
		{"type":"tool_use","id":"b","name":"now","input":{}}]},
	{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"0123456789abcdef01"},
		{"type":"tool_result","tool_use_id":"b","content":[{"type":"text","text":"0123"},{"type":"image","source":{"type":"base64","data":"AAEC"}}]}]},
	{"role":"assistant","content":[{"type":"unheard_of","x":"0123456789"}]},
	{"role":"user","content":""}]`

// TestLeftOut checks the tokens of each message in a transcript with parts of every kind: parts that a system ignores cost nothing.
func TestLeftOut(t *testing.T) {
	for name, want := range map[string]string{
		"bytes4-floor":   "[6 0 0 0 0] 0 4 2 28",
		"utf16-4":        "[8 14 30 2 2] 12 3 3 28",
		"bytes4-message": "[1208 15 1206 10 0] 15 5 3 28",
	} {
		p, tr := exact.Estimator(tokens.ByName(name)), read(t, "anthropic", everything)
		var n []int
		for i := range tr.Messages {
			n = append(n, p.Message(tr, i))
		}
		if got := fmt.Sprint(n, p.Parts(tr, tr.PartsOf(1)), p.Text("größe 漢字 😀"), p.ASCII(10), p.MaxUnits(7)); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
