package wire_test

import (
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/wire"
)

const (
	msGo    = `{"role":"user","content":{"type":"text","text":"go"}}`
	msDone  = `{"role":"assistant","content":{"type":"text","text":"done"}}`
	msCall1 = `{"type":"tool_use","id":"c1","name":"read","input":{"path":"a"}}`
	msCall2 = `{"type":"tool_use","id":"c2","name":"read","input":{}}`
	msGot1  = `{"type":"tool_result","toolUseId":"c1","content":[{"type":"text","text":"one"}]}`
	msGot2  = `{"type":"tool_result","toolUseId":"c2","content":[{"type":"text","text":"two"}]}`
	msLost1 = `{"type":"tool_result","toolUseId":"c1","isError":true,"content":[{"type":"text","text":"` + lost + `"}]}`
	msSo    = `{"type":"text","text":"so"}`
)

func msBlock(role, block string) string { return `{"role":"` + role + `","content":` + block + `}` }

// TestSampling has, for each rule of the format, a transcript that obeys it, one that breaks it, and the repaired
// transcript.
func TestSampling(t *testing.T) { testRules(t, "mcp-sampling", samplingRules()) }

func samplingRules() []rule {
	both := asMessage("assistant", msCall1, msCall2)
	return []rule{
		{
			name:    "MS1 the role",
			valid:   transcriptOf(msGo, msDone),
			invalid: transcriptOf(msGo, msBlock("system", msSo)),
			says:    "MS1 messages[1] none",
		}, {
			name:     "MS2 a call without result",
			valid:    transcriptOf(msGo, both, asMessage("user", msGot2, msGot1), msDone),
			invalid:  transcriptOf(msGo, both, msBlock("user", msGot2), msDone),
			says:     "MS2 messages[1].content[0] add_result",
			repaired: transcriptOf(msGo, both, asMessage("user", msLost1, msGot2), msDone),
		}, {
			name:     "MS2 a block that is a call without result",
			valid:    transcriptOf(msGo, msBlock("assistant", msCall1)),
			invalid:  transcriptOf(msGo, msBlock("assistant", msCall1), msDone),
			says:     "MS2 messages[1] add_result",
			repaired: transcriptOf(msGo, msBlock("assistant", msCall1), asMessage("user", msLost1), msDone),
		}, {
			name:     "MS2 results in two messages",
			valid:    transcriptOf(msGo, both, asMessage("user", msGot1, msGot2)),
			invalid:  transcriptOf(msGo, both, msBlock("user", msGot1), msBlock("user", msGot2), msDone),
			says:     "MS2 messages[3] move_result",
			repaired: transcriptOf(msGo, both, asMessage("user", msGot1, msGot2), msDone),
		}, {
			name:     "MS2 a result of no call",
			valid:    transcriptOf(msGo, msBlock("assistant", msCall1), msBlock("user", msGot1), msDone),
			invalid:  transcriptOf(msGo, msBlock("user", msGot1), msDone),
			says:     "MS2 messages[1] drop_message",
			repaired: transcriptOf(msGo, msDone),
		}, {
			name:     "MS3 an id twice",
			valid:    transcriptOf(msGo, both, asMessage("user", msGot1, msGot2), msDone),
			invalid:  transcriptOf(msGo, asMessage("assistant", msCall1, msCall1), asMessage("user", msGot1), msDone),
			says:     "MS2 messages[1].content[0] add_result, MS3 messages[1].content[1] rename_id",
			repaired: `[{"role":"user","content":{"type":"text","text":"go"}},{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"read","input":{"path":"a"}},{"type":"tool_use","id":"call_ctxfold_1_2","name":"read","input":{"path":"a"}}]},{"role":"user","content":[` + msLost1 + `,{"type":"tool_result","toolUseId":"call_ctxfold_1_2","content":[{"type":"text","text":"one"}]}]},{"role":"assistant","content":{"type":"text","text":"done"}}]`,
		}, {
			name:     "MS4 a result beside something else",
			valid:    transcriptOf(msGo, msBlock("assistant", msCall1), msBlock("user", msGot1), msBlock("user", msSo), msDone),
			invalid:  transcriptOf(msGo, msBlock("assistant", msCall1), asMessage("user", msGot1, msSo), msDone),
			says:     "MS4 messages[2].content[0] move_result",
			repaired: transcriptOf(msGo, msBlock("assistant", msCall1), asMessage("user", msGot1), asMessage("user", msSo), msDone),
		}, {
			name:     "MS5 a message has content",
			valid:    transcriptOf(msGo, msDone),
			invalid:  transcriptOf(msGo, asMessage("assistant"), msBlock("assistant", `{"type":"text","text":""}`)),
			says:     "MS5 messages[1] drop_message, MS5 messages[2] drop_message",
			repaired: transcriptOf(msGo),
		},
	}
}

// TestContentOfAnotherKind: the error names each kind of content that the format allows.
func TestContentOfAnotherKind(t *testing.T) {
	for format, allowed := range map[string]string{
		"mcp-sampling": "a part or a list of parts",
		"prompt-api":   "a string or a list of parts",
		"genkit":       "a list of parts",
	} {
		f := wire.ByName(format)
		s := jsonspan.New([]byte(`[{"role":"user","content":5}]`))
		f.Read(s)
		if err := s.Err(); err == nil || !strings.HasSuffix(err.Message, "must be "+allowed) {
			t.Errorf("%s: %v", format, err)
		}
	}
}
