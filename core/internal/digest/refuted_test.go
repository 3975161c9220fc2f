package digest_test

import "testing"

// A cause that the agent rules out later is marked where it is first named; others, and what rules it out, are not.
func TestARefutedCauseIsMarked(t *testing.T) {
	text := logOf(t, `[
{"role":"user","content":"Why does the kiln take so long?"},
`+ranAs("1", "The biggest culprit is likely `slow_start: true` in kiln/door.conf, which heats the door twice.", "cat kiln/door.conf", "slow_start: true")+`,
`+ranAs("2", "The door opens in 3 seconds, probably because `open_door` waits for the fan.", "cat kiln/door.go", "package kiln")+`,
`+ranAs("3", "`open_door` is called before, so the `slow_start` setting isn't the problem.", "make time", "heat 40s")+`,
{"role":"assistant","content":"The fan in kiln/fan.go waits 30 seconds."},
{"role":"user","content":"Thanks. And the lamp?"},
{"role":"assistant","content":"Later."}]`, 6000)
	wants(t, text, []string{"which heats the door twice. (refuted later)", "isn't the problem.\n", "waits 30 seconds.\n"}, []string{"problem. (refuted", "seconds. (refuted"})
}
