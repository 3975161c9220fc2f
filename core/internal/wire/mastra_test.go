package wire_test

import (
	"strings"
	"testing"
)

const (
	maUser  = `{"id":"u1","role":"user","createdAt":"2026-01-01T00:00:00.000Z","content":{"format":2,"parts":[{"type":"text","text":"go"}],"content":"go"}}`
	maInv1  = `{"state":"result","toolCallId":"c1","toolName":"read","args":{"path":"a"},"result":{"exit":0}}`
	maInv2  = `{"state":"output-error","toolCallId":"c2","toolName":"bash","args":{},"errorText":"two"}`
	maOpen1 = `{"state":"call","toolCallId":"c1","toolName":"read","args":{"path":"a"}}`
	maLost1 = `{"toolCallId":"c1","toolName":"read","args":{"path":"a"},"state":"result","result":"` + lost + `","isError":true}`
	maText  = `{"type":"text","text":"done"}`
)

func maCall(invocation string) string {
	return `{"type":"tool-invocation","toolInvocation":` + invocation + `}`
}

func maSays(parts ...string) string { return maWith("", parts...) }

// maWith returns an assistant message with members next to its parts.
func maWith(beside string, parts ...string) string {
	return `{"id":"a1","role":"assistant","createdAt":"2026-01-01T00:00:01.000Z","content":{"format":2,"parts":[` + strings.Join(parts, ",") + `]` + beside + `}}`
}

func TestMastra(t *testing.T) {
	last := strings.Replace(maSays(maText), "a1", "a9", 1)
	testRules(t, "mastra", []rule{
		{
			name:    "MA3 an id twice, in the parts and beside them",
			valid:   transcriptOf(maUser, maWith(`,"toolInvocations":[`+maInv1+`,`+maInv2+`]`, maCall(maInv1), maText, maCall(maInv2)), last),
			invalid: transcriptOf(maUser, maWith(`,"toolInvocations":[`+maInv1+`,`+maInv1+`]`, maCall(maInv1), maCall(maInv1)), last),
			says:    "MA3 messages[1].content.parts[1] rename_id",
			repaired: transcriptOf(maUser, maWith(`,"toolInvocations":[`+maInv1+`,`+strings.Replace(maInv1, "c1", "call_ctxfold_1_4", 1)+`]`,
				maCall(maInv1), maCall(strings.Replace(maInv1, "c1", "call_ctxfold_1_4", 1))), last),
		}, {
			name:    "MA4 role",
			valid:   transcriptOf(`{"id":"s","role":"system","content":{"format":2,"parts":[{"type":"text","text":"s"}],"content":"s"}}`, maUser, strings.Replace(strings.Replace(maUser, `"user"`, `"signal"`, 1), "u1", "u2", 1)),
			invalid: transcriptOf(maUser, strings.Replace(maUser, `"user"`, `"tool"`, 1)),
			says:    "MA4 messages[1] none",
		},
	})
}

// Content that Mastra ignores is tolerated, and repaired if the policy repairs everything, both in the parts and next to them.
func TestMastraTolerates(t *testing.T) {
	last := strings.Replace(maSays(maText), "a1", "a9", 1)
	for _, test := range []struct{ says, in, all string }{
		{"MA1 messages[1] drop_message", transcriptOf(maUser, maSays(), last), transcriptOf(maUser, last)},
		{"MA2 messages[1].content.parts[0] add_result", transcriptOf(maUser, maSays(maCall(maOpen1)), last), transcriptOf(maUser, maSays(maCall(maLost1)), last)},
		{"MA2 messages[1].content.parts[0] add_result", transcriptOf(maUser, maWith(`,"toolInvocations":[`+maOpen1+`]`, maCall(maOpen1)), last),
			transcriptOf(maUser, maWith(`,"toolInvocations":[`+maLost1+`]`, maCall(maLost1)), last)},
		{"MA2 messages[1].content.toolInvocations[0] add_result", transcriptOf(maUser, maWith(`,"toolInvocations":[`+maOpen1+`]`, maText), last),
			transcriptOf(maUser, maWith(`,"toolInvocations":[`+maLost1+`]`, maText), last)},
	} {
		if says := violations(t, "mastra", test.in); says != test.says {
			t.Errorf("validate says %s, want %s", says, test.says)
		}
		var kept struct{ Report struct{ Changed bool } }
		if request(t, "repair", `{"format":"mastra"}`, test.in, &kept); kept.Report.Changed {
			t.Error("what is tolerated was changed")
		}
		if got := repair(t, "mastra", test.in); got != test.all {
			t.Errorf("repaired\n%s, want\n%s", got, test.all)
		}
	}
}
