package wire_test

import "testing"

const (
	prUser = `{"role":"user","content":[{"type":"text","value":"go"}]}`
	prDone = `{"role":"assistant","content":[{"type":"text","value":"done"}]}`
	prSays = `{"role":"assistant","content":[{"type":"text","value":"see"},{"type":"image","value":{}}]}`
	prSys  = `{"role":"system","content":[{"type":"text","value":"s"}]}`
)

func TestPromptAPI(t *testing.T) {
	testRules(t, "prompt-api", []rule{
		{
			name:     "PR4 an image of the assistant",
			valid:    transcriptOf(prSys, prUser, prDone, `{"role":"user","content":"and?"}`, prDone, prDone),
			invalid:  transcriptOf(prUser, prSays),
			says:     "PR4 messages[1].content[1] drop_part",
			repaired: transcriptOf(prUser, `{"role":"assistant","content":[{"type":"text","value":"see"}]}`),
		}, {
			name:    "PR3 a later system message",
			valid:   transcriptOf(prSys, prUser),
			invalid: transcriptOf(prUser, prSys),
			says:    "PR3 messages[1] none",
		}, {
			name:    "PR2 role",
			valid:   transcriptOf(prUser),
			invalid: transcriptOf(prUser, `{"role":"tool","content":[{"type":"text","value":"x"}]}`),
			says:    "PR2 messages[1] none",
		},
	})
}
