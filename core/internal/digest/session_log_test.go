package digest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// logOf returns the digest of a session in about size bytes. messages are in the native format.
func logOf(t *testing.T, messages string, size int) string {
	t.Helper()
	tr, seq := read(t, "native", messages)
	return localOf(tr, seq, size)
}

// localOf returns a digest of messages in about size bytes that no model has written.
func localOf(tr *transcript.Transcript, messages []int32, size int) string {
	l := &digest.Ledger{}
	l.Add(tr, messages)
	return digest.NewExtract(tr, messages, "", l).Digest(size)
}

const kilnCall = `{"role":"assistant","content":[{"type":"text","text":"TEXT"},{"type":"tool_call","id":"ID","name":"bash","arguments":{"command":"CMD"}}]},{"role":"tool_result","tool_call_id":"ID","tool_name":"bash","content":"OUT"}`

func ranAs(id, text, command, output string) string {
	return strings.NewReplacer("ID", id, "TEXT", text, "CMD", command, "OUT", output).Replace(kilnCall)
}

// An entry reports the outcome of a turn, without announcements, thanks and failed trials. A bare answer is shown with
// its question.
func TestLogOfASession(t *testing.T) {
	text := logOf(t, `[
{"role":"user","content":"Why does zone 7 of the kiln drift?"},
`+ranAs("1", "Let me look at the sensors first.", "cat sensors.go", "package kiln")+`,
`+ranAs("2", "The sensor of zone 7 is read twice per cycle, so I'm checking the scheduler.", "python -c 'import kiln; kiln.probe()'", `Traceback (most recent call last):\n  File \"x\", line 1\nNameError: kiln\nexit code: 1`)+`,
{"role":"assistant","content":"Good question. The scheduler in ramp.go calls Sample for each listener. Shall I deduplicate the listeners?"},
{"role":"user","content":"yes"},
`+ranAs("3", "No signal yet.", "git commit -m 'Sample once per cycle'", `[main 9f8e7d6] Sample once per cycle\n 2 files changed, 14 insertions(+), 9 deletions(-)`)+`,
{"role":"assistant","content":"Done: Sample runs once per cycle, and zone 7 holds 900 degrees."},
{"role":"user","content":"wow, great"},
{"role":"assistant","content":"Thanks!"},
{"role":"user","content":"And the fan?"},
{"role":"assistant","content":"The fan is fine at 40 percent."}
]`, 4000)
	for _, want := range []string{"The sensor of zone 7 is read twice per cycle.", "calls Sample for each listener", "Shall I deduplicate the listeners?", "] user: yes\n",
		"committed “Sample once per cycle” (main 9f8e7d6; 2 files changed, 14 insertions(+), 9 deletions(-))", "zone 7 holds 900 degrees", "user: And the fan?"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	for _, not := range []string{"Let me look", "checking the scheduler", "NameError", "No signal", "Good question", "wow", "Thanks"} {
		if strings.Contains(text, not) {
			t.Errorf("%q is in\n%s", not, text)
		}
	}
}

// A bare answer includes its question if the previous entry has no room for the question, and is read back from a
// digest without it.
func TestAnswerKeepsItsQuestion(t *testing.T) {
	messages := `[
{"role":"user","content":"Heat the kiln."},
` + ranAs("1", "x", "heat", "ok") + `,
{"role":"assistant","content":"` + strings.Repeat("The lamp of zone 3 glows at 412 lux and the fan turns 77 times. ", 1) + `\n\nShall I raise it?"},
{"role":"user","content":"yes, by 40 degrees"},
{"role":"assistant","content":"` + strings.Repeat("Raised ramp_7 to 940 degrees, see kiln/zones.go. ", 3) + `"}
]`
	found := false
	for size := 100; size < 600; size += 10 {
		text := logOf(t, messages, size)
		if strings.Contains(text, "yes, by 40 degrees") && strings.Contains(text, "answer: ") {
			found = true
			if !strings.Contains(text, "Shall I raise it?") {
				t.Errorf("%d bytes: nobody knows what is answered in\n%s", size, text)
			}
		}
		var l digest.Ledger
		digest.Body(digest.Message(text), &l)
		for _, r := range append(l.Requests, l.Task) {
			if strings.Contains(r, "asked before") {
				t.Errorf("the question is taken for the user's words: %q", r)
			}
		}
	}
	if !found {
		t.Error("no size shows the answer")
	}
}

// The summary with which another program continued a session counts as an earlier digest.
func TestContinuedSummary(t *testing.T) {
	text := logOf(t, `[
{"role":"user","content":"This session is being continued from a previous conversation that ran out of context. The conversation is summarized below:\nAnalysis:\nLong ago.\n\nSummary:\n1. Primary Request and Intent:\n   - Replace the kiln's lamp controller\n2. Errors and fixes:\n   - The relay K4 stuck: replaced by K9\n\nPlease continue the conversation from where we left it off."},
`+ranAs("1", "Relay K9 clicks at 24 V.", "click", "ok")+`
]`, 3000)
	for _, want := range []string{"Primary Request and Intent: Replace the kiln's lamp controller", "Errors and fixes: The relay K4 stuck: replaced by K9", "Relay K9 clicks at 24 V."} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	for _, not := range []string{"Long ago", "Please continue"} {
		if strings.Contains(text, not) {
			t.Errorf("%q is in\n%s", not, text)
		}
	}
}

// Of the many hits of a search in an open turn, those with names that the turn mentions are kept.
func TestHitsThatTheTurnNames(t *testing.T) {
	hits := ""
	for _, line := range []string{"door.go:11: if sensorState == doorOpened {", "door.go:12: log.Print(unrelatedValue, doorOpened)", "fan.go:3: doorOpened()", "fan.go:4: // doorOpened stops it", "lamp.go:9: doorOpened.Wait()"} {
		hits += line + `\n`
	}
	text := logOf(t, `[{"role":"user","content":"Why is the door open?"},
`+ranAs("1", "Looking.", "grep -rn doorOpened .", hits)+`,
`+ranAs("2", "The motor stops because it ignores sensorState after doorOpened.", "ls", "x")+`]`, 3000)
	if !strings.Contains(text, "found for `doorOpened`: `door.go:11: if sensorState == doorOpened {`") || strings.Contains(text, "unrelatedValue") {
		t.Error(text)
	}
}

// If an agent reports each step, the outcome is kept, and so are the steps that name something.
func TestStepsOfMany(t *testing.T) {
	steps := ""
	for i, said := range []string{"The first worker picked up its task.", "The worker is drying zone 3.", "The fan in `fan.go` spins backwards at 40 percent.",
		"A second look shows the same.", "The lamps are lit.", "The worker reached the checks.", "The door shut cleanly.", "The log has grown a lot.",
		"The queue moved on again.", "The hinge holds.", "The worker wrote its notes.", "A lamp went dark in the hall.",
		"The hall has light once more.", "The worker fetched its tools.", "Both trays slid into place.", "The tray is full."} {
		steps += ranAs("s"+string(rune('a'+i)), said, "kiln poll "+string(rune('a'+i)), "busy") + ","
	}
	begin := `[{"role":"user","content":"Watch the kiln and tell me when it is done."},` + steps
	text := logOf(t, begin+`{"role":"assistant","content":"It is done: zone 3 is dry at 110 degrees."},{"role":"user","content":"Fine."}]`, 4000)
	for _, want := range []string{"zone 3 is dry at 110 degrees", "spins backwards at 40 percent"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	for _, not := range []string{"drying", "The lamps are lit", "moved on"} {
		if strings.Contains(text, not) {
			t.Errorf("%q is in\n%s", not, text)
		}
	}
	if text := logOf(t, strings.TrimSuffix(begin, ",")+"]", 4000); !strings.Contains(text, "The tray is full") {
		t.Errorf("without an answer the last step counts:\n%s", text)
	}
}

// A statement that the next sentence takes back is omitted.
func TestTakenBack(t *testing.T) {
	text := logOf(t, `[{"role":"user","content":"Why is zone 7 cold?"},
`+ranAs("1", "The fuse of zone 7 in `fuses.go` is set to 0. Hmm, that is the reserve. Wait, the relay `K7` is open.", "cat fuses.go", "ok")+`,
{"role":"assistant","content":"I closed K7."}]`, 4000)
	if strings.Contains(text, "is set to 0") || !strings.Contains(text, "K7") {
		t.Error(text)
	}
}

// A digest that continues a log of turns has a log as well, even if the new messages contain no tool calls.
func TestALogContinuesWithoutToolCalls(t *testing.T) {
	tr, seq := read(t, "openai-chat", `[{"role":"user","content":"Move my berth to C12, please."},
{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"move_berth","arguments":"{\"berth\":\"C12\",\"boat\":\"Amsel\"}"}}]},
{"role":"tool","tool_call_id":"1","content":"{\"status\":\"moved\",\"fee\":31.5}"},
{"role":"assistant","content":"The Amsel has berth C12 now, and the fee is 31.50 euros."}]`)
	l := &digest.Ledger{}
	l.Add(tr, seq)
	first := digest.NewExtract(tr, seq, "", l).Digest(1500)
	if !strings.Contains(first, "move_berth(berth: C12") {
		t.Fatalf("%s", first)
	}
	tr, seq = read(t, "openai-chat", `[{"role":"user","content":"And what does a night cost for guests?"},{"role":"assistant","content":"A night at the guest pier costs 18 euros."}]`)
	l.Add(tr, seq)
	if digest.Chats(tr, seq, first, l) {
		t.Error("the digest has the layout of a chat")
	}
	second := digest.NewExtract(tr, seq, first, l).Digest(1500)
	for _, want := range []string{"# What happened\n", "[1] user: Move my berth to C12, please.\n", "  - called move_berth(berth: C12", "[2] user: And what does a night cost", "18 euros"} {
		if !strings.Contains(second, want) {
			t.Errorf("%q is missing:\n%s", want, second)
		}
	}
	tr, seq = read(t, "openai-chat", fmt.Sprintf(`[{"role":"user","content":%q},{"role":"user","content":"Thanks."}]`, digest.Message(second)))
	if digest.Chats(tr, seq, "", &digest.Ledger{}) {
		t.Error("a digest with a log among the messages counts as a chat")
	}
}
