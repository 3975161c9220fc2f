package digest_test

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// A pane is what a terminal shows of an agent.
const pane = `• Ran glaze test kilns
  └ zone 4 is 940 degrees hot and the door is shut
    … +156 lines

────────────────────────────────────────────

• The adjacent zones pass, so the relay of zone 7 is the only one that sticks above
  940 degrees.

• I'm checking the lamp of the hall now.

• The whole suite is still running and the door stays shut.

• Rewired zone 7 and closed ticket k-17.

  Changed:

  - kiln/relay.go: waits 40 ms before it reads the sensor of zone 7 again.
  - kiln/lamp.go: no longer blinks twice when the door of the kiln is opened.

› Write a test
`

// If there is room, the log quotes what commands print for people: the reports of other agents, issues and notes. It
// doesn't quote announcements, progress, or what a terminal shows of calls, and no line twice.
func TestPrintedReports(t *testing.T) {
	text := logOf(t, "["+turnOf("Is the worker done with the relay?",
		step{"bash", `{"command":"paneview capture worker -n 80"}`, strings.ReplaceAll(pane, "\n", `\n`)},
		step{"bash", `{"command":"paneview capture worker -n 90"}`, strings.ReplaceAll(pane+"\n• The lamp of the hall needs 12 volts, as the label of the box says.\n", "\n", `\n`)},
		step{"bash", `{"command":"cat kiln/relay.go"}`, `// The relay of zone 7 is read from here, twice per cycle.\nfunc relay() {}`},
		step{"bash", `{"command":"tracker show k-17 --json"}`, `{\"id\":\"k-17\",\"notes\":\"The relay of zone 7 sticks because the old firmware reads it too early. A wait of 40 ms is enough, according to the maker. ` +
			`The other zones have newer relays that don't stick, so nothing is to be done there.\"}`},
		step{"bash", `{"command":"tracker note --help"}`, `Adds a note to the ticket with the given number and prints it.`},
	)+`,{"role":"assistant","content":"The worker has rewired zone 7."}]`, 6000)
	wants(t, text, []string{
		"`paneview capture worker` returned: ", "so the relay of zone 7 is the only one that sticks above 940 degrees.",
		"waits 40 ms before it reads the sensor of zone 7 again", "no longer blinks twice", "The lamp of the hall needs 12 volts",
		"`tracker show k-17` returned: The relay of zone 7 sticks because the old firmware reads it too early.",
	}, []string{"940 degrees hot", "checking the lamp", "still running", "Adds a note", "Ran glaze", "Write a test"})
	if n := strings.Count(text, "sticks above"); n != 1 {
		t.Errorf("a sentence is there %d times in\n%s", n, text)
	}
}

// A digest with little room for the log has no printed reports.
func TestPrintedReportsGiveWay(t *testing.T) {
	text := logOf(t, "["+turnOf("Is the worker done with the relay?",
		step{"bash", `{"command":"paneview capture worker -n 80"}`, strings.ReplaceAll(pane, "\n", `\n`)},
		step{"edit", `{"path":"/kiln/relay.go","oldText":"wait := 20","newText":"wait := 60"}`, "ok"},
		step{"bash", `{"command":"git commit -am 'Wait longer'"}`, `[main 9f8e7d6] Wait longer\n 1 file changed, 1 insertion(+)`},
	)+`,{"role":"assistant","content":"The worker has rewired zone 7 in relay.go, and I raised its wait to 60 ms."}]`, 400)
	wants(t, text, []string{"Wait longer", "raised its wait to 60 ms"}, []string{"returned"})
}

// Calls that look at the state of the same thing are one line, with their number and the last state.
func TestPolls(t *testing.T) {
	text := logOf(t, "["+turnOf("Start the firing and wait for it.",
		step{"bash", `{"command":"kilnctl wait zone-7 --timeout 90"}`, "zone-7: heating (40s)"},
		step{"bash", `{"command":"kilnctl wait zone-7 --timeout 900"}`, "Timeout waiting for zone-7"},
		step{"bash", `{"command":"kilnctl status lamps"}`, "lamps: on"},
		step{"bash", `{"command":"kilnctl wait zone-7 --timeout 900"}`, "zone-7: fired (2m)"},
	)+`,{"role":"assistant","content":"Zone 7 is fired, and the lamps in hall.go burn."}]`, 4000)
	wants(t, text, []string{"ran `kilnctl wait zone-7` 3 times, the last time → zone-7: fired (2m)", "ran `kilnctl status lamps` → lamps: on"}, []string{"heating", "Timeout"})
}

// The outcome of a command whose shell returned before it had ended comes from a later call.
func TestOutcomeOfAwaitedCommand(t *testing.T) {
	for name, steps := range map[string][]step{
		"Codex": {
			{"exec_command", `{"cmd":"npm test"}`, `Wall time: 1.0 seconds\nProcess running with session ID 4711\nOutput:\n`},
			{"write_stdin", `{"session_id":4711,"chars":""}`, `Wall time: 30 seconds\nProcess running with session ID 4711\nOutput:\nzone 3 passes\n`},
			{"write_stdin", `{"session_id":4711,"chars":""}`, `Wall time: 9 seconds\nProcess exited with code 1\nOutput:\nFAIL: TestZoneSeven\n1 of 41 tests failed\n`},
		},
		"Claude Code": {
			{"Bash", `{"command":"npm test","run_in_background":true}`, `Command running in background with ID: b4711. Output is being written to: /tmp/b4711.output`},
			{"BashOutput", `{"bash_id":"b4711"}`, `<status>running</status>`},
			{"BashOutput", `{"bash_id":"b4711"}`, `<status>completed</status>\n<exit_code>1</exit_code>\n<stdout>\nFAIL: TestZoneSeven\n1 of 41 tests failed\n</stdout>`},
		},
	} {
		text := logOf(t, "["+turnOf("Does zone 7 pass?", steps...)+`,{"role":"assistant","content":"The test of zone 7 fails."}]`, 4000)
		if !strings.Contains(text, "ran `npm test` → exit 1: ") || !strings.Contains(text, "TestZoneSeven") || strings.Count(text, "ran `npm test`") != 1 {
			t.Errorf("%s: the outcome isn't in\n%s", name, text)
		}
	}
}

// Lines of a diff, of a table and of JSON are no reports, and neither is the text that was sent to the reporter. An item
// keeps its second line.
func TestPrintedLinesWithoutReport(t *testing.T) {
	const other = `    3. The door of the oven, which is cut off here.

• Edited kiln/relay.go (+2 -1)
    12  func relay() {
    13 +    wait(40) // The relay of zone 7 needs longer than the others do.

• Both chimneys were swept by hand yesterday.

  Changed:

  - kiln/relay.go: waits 40 ms before it reads the sensor of zone 7 again, and tells the lamp
    of the hall about it.
  - kiln/lamp.go: no longer blinks twice when the door of the kiln is opened.
  - kiln/zones.go: knows which of the zones have a relay of the old kind, and which don't.
`
	send := "Please rewire the relay of zone 7 first, and then tell me how many of the other zones have a relay of the same kind, because I want to order them this week with the lamps."
	text := logOf(t, "["+turnOf("Is the worker done with the relay?",
		step{"bash", `{"command":"paneview send worker \"` + send + `\""}`, ""},
		step{"bash", `{"command":"paneview capture worker -n 80"}`, strings.ReplaceAll("› "+send+"\n\n"+other, "\n", `\n`)},
		step{"bash", `{"command":"tracker list"}`, `ID     TITLE     OWNER OF THE TICKET WHO WROTE IT\nk-17   Relay     Somebody who wrote it down on Friday, and who has also wired the lamps of the hall.`},
	)+`,{"role":"assistant","content":"The worker has rewired zone 7."}]`, 6000)
	wants(t, text, []string{"Both chimneys were swept by hand yesterday. Changed: kiln/relay.go: waits 40 ms before it reads the sensor of zone 7 again, and tells the lamp of the hall about it.", "of the old kind, and which don't"},
		[]string{"door of the oven", "needs longer", "Edited", "on Friday"})
	if n := strings.Count(text, "because I want to order them"); n != 1 {
		t.Errorf("what was sent is there %d times in\n%s", n, text)
	}
}

// A wrapper that only inspects something in another place changes nothing. Hints of a program are no reports. The beginning of a clipped output may be in the middle of a sign.
func TestPrintedHints(t *testing.T) {
	long := strings.Repeat("Die Öfen sind kühl. ", 900)
	text := logOf(t, "["+turnOf("Which lamps of the kiln are broken?",
		step{"bash", `{"command":"lampctl check kiln"}`, `The lamp of zone 7 in the kiln is broken since Friday.\nPlease check your lamps before you heat the kiln, and the lid of it, too.`},
		step{"bash", `{"command":"treeview run lamps -- git diff --stat"}`, `lamps.go | 3 +++\n1 file changed, 3 insertions(+)`},
		step{"bash", `{"command":"lampctl story"}`, "Ä" + long},
	)+`,{"role":"assistant","content":"One lamp is broken: that of zone 7."}]`, 6000)
	wants(t, text, []string{"`lampctl check kiln` returned: The lamp of zone 7 in the kiln is broken since Friday.\n"}, []string{"Please check", "3 insertions"})
	if !utf8.ValidString(text) {
		t.Error("not UTF-8")
	}
}
