package tokens_test

import (
	"fmt"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/tokens"
)

// everything has a message for each kind of content that estimators count differently.
const everything = `[{"role":"user","content":[{"type":"text","text":"0123456789"},{"type":"text","text":"größe 漢字 😀"},
	{"type":"image","source":{"type":"base64","data":"AAECAwQFBgcICQoLDA0ODw=="}},{"type":"document","source":{"type":"base64","data":"AAECAwQFBgcICQoLDA0ODw=="}}]},
	{"role":"assistant","content":[{"type":"thinking","thinking":"0123456789abcdef","signature":"s"},{"type":"tool_use","id":"a","name":"read_file","input":{"path" : "a.txt","é":[1,2]}},
		{"type":"tool_use","id":"b","name":"now","input":{}}]},
	{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"0123456789abcdef01"},
		{"type":"tool_result","tool_use_id":"b","content":[{"type":"text","text":"0123"},{"type":"image","source":{"type":"base64","data":"AAEC"}}]}]},
	{"role":"assistant","content":[{"type":"unheard_of","x":"0123456789"}]},
	{"role":"user","content":""}]`

// TestEach has the tokens of each message by each estimator.
func TestEach(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"bytes4", "[1222 36 1226 14 4] 32 5 3 28"},
		{"layered", "[107 36 103 14 4] 32 5 3 28"},
		{"bytes", "[128 77 119 42 4] 73 19 10 7"},
		{"bytes4-floor", "[1216 12 1205 9 0] 12 4 2 28"},
		{"utf16-4", "[1218 18 1208 12 2] 16 3 3 28"},
		{"runes3.6", "[1052 38 1053 17 6] 34 3 3 25"},
		{"bytes4-message", "[1218 15 1206 10 0] 15 5 3 28"},
	} {
		p := tokens.ByName(c.name).For("")
		tr := read(t, "anthropic", everything)
		var n []int
		for i := range tr.Messages {
			n = append(n, p.Message(tr, i))
		}
		if got := fmt.Sprint(n, p.Parts(tr, tr.PartsOf(1)), p.Text("größe 漢字 😀"), p.ASCII(10), p.MaxUnits(7)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
