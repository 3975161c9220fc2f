package digest_test

import "testing"

// A reply that accepts a proposal keeps it, also if the reply is longer, or if the proposal ends with a request to
// confirm it.
func TestAcceptedProposals(t *testing.T) {
	filler := ""
	for range 24 {
		filler += `,{"role":"user","content":"And what is the weather like over there at the moment, and will it stay like that?"},{"role":"assistant","content":"It is cloudy, and the wind comes from the west all day long, which it often does in the autumn."}`
	}
	text := logOf(t, `[
{"role":"user","content":"Can I move the boat to another pier, please?"},
`+ranAs("1", "x", "harbour free", "N18")+`,
{"role":"assistant","content":"Several piers have room at the moment. All of them are in good repair. I would move the Amsel to pier N18 for 44 euros per night. Please confirm if you would like me to proceed."},
{"role":"user","content":"Yes, that is what I had in mind, so go ahead with it and use the card that I used last time."},
{"role":"assistant","content":"All is settled now."}`+filler+`]`, 1800)
	wants(t, text, []string{"I would move the Amsel to pier N18 for 44 euros per night."}, nil)
}
