package digest_test

import "testing"

// A summary from which a conversation is continued is the beginning of the record. This applies to chats, too.
func TestContinuedConversation(t *testing.T) {
	const summary = `{"role":"user","content":"This session is being continued from a previous conversation that ran out of context. The conversation is summarized below:\nSummary:\n1. Request: a poem about kiln seven.\n2. Decision: Petra Lind reads it on 12 May.\n\nPlease continue the conversation from where we left it off."}`
	const chat = `{"role":"assistant","content":"I continue with stanza eight."},{"role":"user","content":"Call the kiln Bertha."},{"role":"assistant","content":"The kiln is called Bertha."}`
	for name, messages := range map[string]string{"chat": chat, "session": chat + "," + ranAs("1", "x", "kilnctl heat", "hot")} {
		t.Run(name, func(t *testing.T) {
			text := logOf(t, "["+summary+","+messages+"]", 2000)
			wants(t, text, []string{"a poem about kiln seven", "Petra Lind reads it on 12 May", "Bertha"}, []string{"ran out of context", "Please continue"})
		})
	}
}
