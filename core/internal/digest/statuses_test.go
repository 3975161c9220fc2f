package digest_test

import (
	"strings"
	"testing"
)

// A later turn may make it untrue that all checks pass or that the work is complete. Therefore only the last entry says
// so, and only if no check has failed.
func TestStatusesDoNotLast(t *testing.T) {
	const answer = `The valve opens in open_slowly. All checks pass cleanly. Everything passes except the test of the pump.\n\nSummary:\n1. Pushed the branch - all hooks now pass with the build\n` +
		`2. ✅ Build succeeds - ready for the boiler\n3. ✅ Renamed the gauge to gauge_k4\n\n🎉 Heating platform complete! CI should now pass because:\n1. ✅ Based on a clean boiler\n2. ✅ The relay K4 is in relay.py\n\n## Final status: the pump is complete 🎉\n\nThe lamp L4 is lit. The heater is production-ready, and it works correctly!`
	statuses := []string{"pass cleanly", "hooks now", "Build succeeds", "platform complete", "CI should", "a clean boiler", "production-ready", "Final status"}
	done := []string{"opens in open_slowly", "except the test of the pump", "1. Pushed the branch; 3. ✅ Renamed the gauge to gauge_k4", "relay K4 is in relay.py"}
	asked := func(command, output string) string {
		return `{"role":"user","content":"Make the valve open slowly."},` + ranAs("1", "x", command, output) + `,{"role":"assistant","content":"` + answer + `"}`
	}
	first := asked("ls", "valve.py")
	wants(t, logOf(t, "["+first+"]", 6000), statuses, nil)
	wants(t, logOf(t, "["+first+`,{"role":"user","content":"Thanks. What does the pump do?"},{"role":"assistant","content":"It runs at 40 percent in pump.py."}]`, 6000), done, statuses)
	wants(t, logOf(t, "["+asked("npm test", `exit code: 1\nFAIL valve.test.js`)+"]", 6000), done, statuses)
}

// Statements about unfinished work are omitted if the end of the turn says more: text that the answer repeats word for word, a progress
// report that a question asked for, and announcements of waiting when the assistant has continued after the record.
func TestFinishedDiary(t *testing.T) {
	const found = "The pump stops because relay_off is called by the watchdog."
	asked := `{"role":"user","content":"Why does the pump stop?"},` + ranAs("1", found+" It reads gauge_k4 for that.", "cat pump.py", "def pump(): pass")
	answered := asked + `,{"role":"assistant","content":"` + found + ` I have changed the limit to 40 in pump.py."},`
	report := `{"role":"user","content":"How is it going?"},{"role":"assistant","content":"I'm in the middle of moving the valves. Moved valve_a and valve_b. Should I move valve_c as well?"},`
	text := logOf(t, "["+answered+report+`{"role":"user","content":"yes."},{"role":"assistant","content":"All valves are in valves.py now."}]`, 6000)
	wants(t, text, []string{"assistant: It reads gauge_k4 for that.\n", "answer: " + found, "Should I move valve_c"}, []string{"in the middle", "Moved valve_a"})
	wants(t, logOf(t, "["+answered+report[:len(report)-1]+"]", 6000), []string{"Moved valve_a"}, nil)
}

// A status that the end of its turn has overtaken loses the sentences that were only true at that time, and keeps its findings.
func TestOvertakenStatusKeepsItsFindings(t *testing.T) {
	asked := `{"role":"user","content":"Have the worker repair the pump."},` +
		ranAs("1", "The worker moved the relay into `relay_k4`, and the test of the hook is green. It is still waiting for the tests of `valve_a`.", "wait worker", "timeout") + "," +
		ranAs("2", "The worker is still testing `valve_b` with the boiler.", "wait worker", "timeout")
	ended := asked + `,{"role":"assistant","content":"The worker has ended, and the pump runs at 40 percent in pump.py."}`
	wants(t, logOf(t, "["+ended+"]", 6000), []string{"The worker moved the relay into `relay_k4`, and the test of the hook is green."}, []string{"still"})
	wants(t, logOf(t, "["+asked+"]", 6000), []string{"still testing `valve_b`"}, nil)
}

// The finding of an interrupted question appears once.
func TestFindingIsSaidOnce(t *testing.T) {
	const found = "The pump stops because `relay_off` is called by the watchdog of the boiler."
	text := logOf(t, `[{"role":"user","content":"Why does the pump stop?"},`+ranAs("1", found, "cat pump.py", "def pump(): pass")+
		`,{"role":"user","content":"Look at the valve V4."},{"role":"assistant","content":"It is cold."}]`, 6000)
	if n := strings.Count(text, found); n != 1 {
		t.Errorf("%d times in\n%s", n, text)
	}
}
