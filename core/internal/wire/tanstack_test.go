package wire_test

import (
	"strings"
	"testing"
)

const (
	tsUser   = `{"id":"u1","role":"user","parts":[{"type":"text","content":"go"}]}`
	tsCall1  = `{"type":"tool-call","id":"c1","name":"read","arguments":"{}","state":"input-complete"}`
	tsGot1   = `{"type":"tool-result","toolCallId":"c1","content":"one","state":"complete"}`
	tsGot2   = `{"type":"tool-result","toolCallId":"c2","content":[{"type":"text","content":"two"}],"state":"error","error":"exit 1"}`
	tsOwn2   = `{"type":"tool-call","id":"c2","name":"bash","arguments":"{}","input":{},"state":"complete","output":{"exit":0}}`
	tsLost1  = `{"type":"tool-result","toolCallId":"c1","content":"` + lost + `","state":"error"}`
	tsText   = `{"type":"text","content":"done"}`
	tsDraft  = `{"type":"tool-call","id":"c9","name":"read","arguments":"{\"pa","state":"input-streaming"}`
	tsServer = `{"type":"tool-call","id":"s1","name":"web","arguments":"{}","state":"complete","metadata":{"providerExecuted":true}}`
)

func tsSays(parts ...string) string {
	return `{"id":"a1","role":"assistant","parts":[` + strings.Join(parts, ",") + `]}`
}

func TestTanStack(t *testing.T) {
	last := strings.Replace(tsSays(tsText), "a1", "a9", 1)
	testRules(t, "tanstack", []rule{
		{
			name:     "TS1 an empty message",
			valid:    transcriptOf(tsUser, tsSays(tsText)),
			invalid:  transcriptOf(tsUser, tsSays(), tsSays(`{"type":"text","content":""}`), tsSays(tsDraft), last),
			says:     "TS1 messages[1] drop_message, TS1 messages[2] drop_message, TS1 messages[3] drop_message",
			repaired: transcriptOf(tsUser, last),
		}, {
			name:     "TS2 a call without result",
			valid:    transcriptOf(tsUser, tsSays(tsCall1, tsGot1, tsOwn2, tsGot2, tsServer, tsText), last),
			invalid:  transcriptOf(tsUser, tsSays(tsCall1, tsOwn2, tsText), last),
			says:     "TS2 messages[1].parts[0] add_result",
			repaired: transcriptOf(tsUser, tsSays(tsCall1, tsLost1, tsOwn2, tsText), last),
		}, {
			name:     "TS3 a result without call",
			valid:    transcriptOf(tsUser, tsSays(tsCall1, tsGot1, tsText), last),
			invalid:  transcriptOf(tsUser, tsSays(tsGot1, tsCall1, tsGot1, tsGot1), last),
			says:     "TS3 messages[1].parts[0] drop_part, TS3 messages[1].parts[3] drop_part",
			repaired: transcriptOf(tsUser, tsSays(tsCall1, tsGot1), last),
		}, {
			name:     "TS3 a result in another message",
			valid:    transcriptOf(tsUser, tsSays(tsText), strings.Replace(tsSays(tsCall1), "a1", "a2", 1)),
			invalid:  transcriptOf(tsUser, tsSays(tsCall1), strings.Replace(tsSays(tsGot1, tsText), "a1", "a2", 1), last),
			says:     "TS2 messages[1].parts[0] add_result, TS3 messages[2].parts[0] drop_part",
			repaired: transcriptOf(tsUser, tsSays(tsCall1, tsLost1), strings.Replace(tsSays(tsText), "a1", "a2", 1), last),
		}, {
			name:     "TS4 an id twice",
			valid:    transcriptOf(tsUser, tsSays(tsCall1, tsGot1, tsText)),
			invalid:  transcriptOf(tsUser, tsSays(tsCall1, tsGot1, tsCall1, tsGot1), last),
			says:     "TS4 messages[1].parts[2] rename_id",
			repaired: transcriptOf(tsUser, tsSays(tsCall1, tsGot1, strings.Replace(tsCall1, "c1", "call_ctxfold_1_3", 1), strings.Replace(tsGot1, "c1", "call_ctxfold_1_3", 1)), last),
		}, {
			name:    "TS5 role",
			valid:   transcriptOf(`{"id":"s","role":"system","parts":[{"type":"text","content":"s"}]}`, tsUser),
			invalid: transcriptOf(tsUser, `{"id":"x","role":"tool","parts":[{"type":"text","content":"x"}]}`),
			says:    "TS5 messages[1] none",
		},
	})
}

// TestTanStackSteps folds a conversation of one user message and one assistant message: the cut is after results.
func TestTanStackSteps(t *testing.T) {
	var parts []string
	for _, id := range []string{"c1", "c3", "c4", "c5"} {
		parts = append(parts, strings.Replace(tsCall1, "c1", id, 1), strings.Replace(strings.Replace(tsGot1, "c1", id, 1), "one", strings.Repeat("one ", 90), 1),
			`{"type":"text","content":"step `+id+`"}`)
	}
	var a struct {
		Report   struct{ Changed bool }
		Messages []struct {
			Parts []struct{ Type, Content, ID string }
		}
	}
	request(t, "plan", `{"format":"tanstack","window":{"tokens":360,"reserve":0},"summary":{"mode":"local"},"passes":[{"pass":"fold","keep_tokens":160,"boundary":"group"}]}`,
		transcriptOf(tsUser, tsSays(parts...)), &a)
	if !a.Report.Changed || len(a.Messages) < 2 {
		t.Fatalf("not folded: %+v", a)
	}
	last := a.Messages[len(a.Messages)-1].Parts
	if len(last) == 0 || len(last) >= len(parts) || last[0].Type != "text" || !strings.HasPrefix(last[0].Content, "step c") {
		t.Errorf("the tail begins with %+v", last)
	}
}
