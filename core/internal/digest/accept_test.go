package digest_test

import (
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/tokens"
)

func TestAcceptDigest(t *testing.T) {
	good := "# Objective\nFix the parser.\n\n# Carryover\ncore/parser.go, line 120: the test that fails is TestSplit. Nothing else is open, and the branch is main."
	plain := "People:\n" + strings.Repeat("Ana is the sister of the user and lives in Porto.\n", 4) + "Open questions:\nNone."
	chat := "# People\n" + strings.Repeat("Ana is the sister of the user and lives in Porto. ", 4) + "\n\n# Open questions\nNone."
	bullets := "- The parser splits lines at line 120 of core/parser.go.\n- TestSplit fails.\n- The branch is main, and nothing else is open."
	numbered := "1. The parser splits lines at line 120 of core/parser.go.\n2) TestSplit fails.\n3. The branch is main, and nothing else is open."
	prose := "The parser splits lines at line 120."
	for name, c := range map[string]struct {
		reply api.Summary
		text  string
		why   api.SummaryFault
	}{
		"good":                     {api.Summary{Text: " " + good + "\n"}, good, ""},
		"stopped by itself":        {api.Summary{Text: good, FinishReason: "end_turn"}, good, ""},
		"in a code fence":          {api.Summary{Text: "```markdown\n" + good + "\n```"}, good, ""},
		"in a tag":                 {api.Summary{Text: "<summary>\n" + good + "\n</summary>"}, good, ""},
		"with thoughts before":     {api.Summary{Text: "<think>\nWell.\n</think>\n" + good}, good, ""},
		"other depths of headings": {api.Summary{Text: strings.ReplaceAll(good, "# ", "### ")}, strings.ReplaceAll(good, "# ", "### "), ""},
		"says sorry in the record": {api.Summary{Text: good + "\nThe agent said: I'm sorry."}, good + "\nThe agent said: I'm sorry.", ""},
		"white space":              {api.Summary{Text: " \n\t"}, "", api.FaultEmpty},
		"only thoughts":            {api.Summary{Text: "<think>x</think>"}, "", api.FaultEmpty},
		"an error":                 {api.Summary{Error: "boom", Text: good}, "", api.FaultFailed},
		"length":                   {api.Summary{Text: good, FinishReason: "length"}, "", api.FaultCutOff},
		"MAX_TOKENS":               {api.Summary{Text: good, FinishReason: "MAX_TOKENS"}, "", api.FaultCutOff},
		"a filter, with a dash":    {api.Summary{Text: good, FinishReason: "content-filter"}, "", api.FaultRefusal},
		"refusal by the provider":  {api.Summary{Text: "Half", FinishReason: "refusal"}, "", api.FaultRefusal},
		"too short":                {api.Summary{Text: "# Objective\nGo on."}, "", api.FaultTooShort},
		"refusal":                  {api.Summary{Text: "I'm sorry, but I can't help with summarizing this conversation, because it holds what I must not repeat. " + strings.Repeat("Please ask for something else. ", 4)}, "", api.FaultRefusal},
		"refusal in Chinese":       {api.Summary{Text: "抱歉，我无法总结这段对话。" + strings.Repeat("请换一个问题。", 12)}, "", api.FaultRefusal},
		"an answer":                {api.Summary{Text: "Sure! " + strings.Repeat("I have fixed the parser and run the tests. ", 6)}, "", api.FaultAnswers},
		"a tool call":              {api.Summary{Text: `{"name":"read","arguments":{"path":"core/parser.go","offset":1,"limit":200,"reason":"to see what stands there before it is changed"}}` + strings.Repeat(" ", 20)}, "", api.FaultToolCall},
		"a tool call as a tag":     {api.Summary{Text: "<tool_call>" + strings.Repeat("read core/parser.go ", 10) + "</tool_call>"}, "", api.FaultToolCall},
		"no headings":              {api.Summary{Text: strings.Repeat("The parser was fixed. ", 10)}, strings.TrimSpace(strings.Repeat("The parser was fixed. ", 10)), api.FaultNoHeadings},
		"headings of a chat":       {api.Summary{Text: chat}, chat, ""},
		"headings with a colon":    {api.Summary{Text: plain}, plain, ""},
		"a word with a colon":      {api.Summary{Text: "Summary:\n" + prose + "\n" + prose}, "Summary:\n" + prose + "\n" + prose, api.FaultNoHeadings},
		"bullets":                  {api.Summary{Text: bullets}, bullets, ""},
		"stars":                    {api.Summary{Text: strings.ReplaceAll(bullets, "- ", "* ")}, strings.ReplaceAll(bullets, "- ", "* "), ""},
		"a numbered list":          {api.Summary{Text: numbered}, numbered, ""},
		"a line before bullets":    {api.Summary{Text: "Key points:\n\n" + bullets}, "Key points:\n\n" + bullets, ""},
		"two bullets":              {api.Summary{Text: "- " + prose + "\n- " + prose}, "- " + prose + "\n- " + prose, api.FaultNoHeadings},
		"bullets in prose":         {api.Summary{Text: strings.Repeat("One more line.\n", 5) + bullets}, strings.Repeat("One more line.\n", 5) + bullets, api.FaultNoHeadings},
		"dashes that are no items": {api.Summary{Text: strings.Repeat("--verbose is set here\n-x is not\n1.5 is\n", 4) + "End."}, strings.Repeat("--verbose is set here\n-x is not\n1.5 is\n", 4) + "End.", api.FaultNoHeadings},
		"a runaway":                {api.Summary{Text: "# Objective\n" + strings.Repeat("x", 10000)}, "", api.FaultTooLong},
		"too large":                {api.Summary{Text: "# Objective\n" + strings.Repeat("x", 80000)}, "", api.FaultTooLarge},
	} {
		if text, why := digest.AcceptDigest(c.reply, tokens.ByName("bytes4"), 20000, 1000, true); text != c.text || why != c.why {
			t.Errorf("%s: %q, %q", name, why, text)
		}
	}
	if _, why := digest.AcceptDigest(api.Summary{Text: "# Objective\nGo on."}, tokens.ByName("bytes4"), 100, 1000, true); why != "" {
		t.Errorf("a short digest of a short record is %s", why)
	}
	if _, why := digest.AcceptDigest(api.Summary{Text: strings.Repeat("The parser was fixed. ", 10)}, tokens.ByName("bytes4"), 20000, 1000, false); why != "" {
		t.Errorf("headings that were not asked for are %s", why)
	}
}

// Check counts the facts that a digest mentions.
func TestCheck(t *testing.T) {
	tr, seq := read(t, "native", failing)
	var l digest.Ledger
	l.Add(tr, seq)
	e := digest.NewExtract(tr, seq, "", &l)
	if facts, found := e.Check("# Objective\nThe server on port 8443."); found != 1 || facts < 5 {
		t.Errorf("%d of %d facts are found", found, facts)
	}
	done := e.Complete("# Objective\nThe server on port 8443.", "", 1000, 0)
	if facts, found := e.Check(done.Text()); found != facts {
		t.Errorf("completed, %d of %d facts are found in\n%s", found, facts, done.Text())
	}
}

// In a long output, both ends are searched for facts. In a long record, the newest messages and the first message are
// searched.
func TestCheckSamples(t *testing.T) {
	output := `stage_one \u00e9\\n` + strings.Repeat(`\n\"so\" it went `, 200) + "stage_two" + strings.Repeat(`\n\"so\" it went `, 200) + "stage_three"
	filler := `,{"role":"user","content":"` + strings.Repeat("so it went on ", 1000) + `"}`
	tr, seq := read(t, "native", `[{"role":"user","content":"Run job_first."},{"role":"user","content":"Run job_second."}`+strings.Repeat(filler, 6)+`,
{"role":"assistant","content":[{"type":"tool_call","id":"1","name":"bash","arguments":{"command":"run job_last"}}]},
{"role":"tool_result","tool_call_id":"1","tool_name":"bash","content":"`+output+`"}]`)
	e := digest.NewExtract(tr, seq, "", &digest.Ledger{})
	for name, want := range map[string]int{"job_first": 1, "job_second": 0, "job_last": 1, "stage_one": 1, "stage_two": 0, "stage_three": 1} {
		if facts, found := e.Check("It was " + name + "."); facts != 4 || found != want {
			t.Errorf("%s: %d of %d facts, not %d of 4", name, found, facts, want)
		}
	}
}

const failing = `[
{"role":"user","content":"Port 8443 of https://example.com/api is closed."},
{"role":"assistant","content":[{"type":"tool_call","id":"1","name":"bash","arguments":{"command":"go test ./core/wire -run TestDetectShuffled"}}]},
{"role":"tool_result","tool_call_id":"1","tool_name":"bash","content":"--- FAIL: TestDetectShuffled\\nerror: parse_item failed in core/wire/detect.go\\nexit status 1"}]`
