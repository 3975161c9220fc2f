package digest_test

import (
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/digest"
	"github.com/ctxfold/ctxfold/core/tokens"
)

func TestAcceptDigest(t *testing.T) {
	good := "# Objective\nFix the parser.\n\n# Carryover\ncore/parser.go, line 120: the test that fails is TestSplit. Nothing else is open, and the branch is main."
	bullets := "- The parser splits lines at line 120 of core/parser.go.\n- TestSplit fails.\n- The branch is main, and nothing else is open."
	numbered := "1. The parser splits lines at line 120 of core/parser.go.\n2) TestSplit fails.\n3. The branch is main, and nothing else is open."
	prose := "The parser splits lines at line 120."
	for name, c := range map[string]struct {
		reply digest.Reply
		text  string
		why   string
	}{
		"good":                     {digest.Reply{Text: " " + good + "\n"}, good, ""},
		"stopped by itself":        {digest.Reply{Text: good, FinishReason: "end_turn"}, good, ""},
		"in a code fence":          {digest.Reply{Text: "```markdown\n" + good + "\n```"}, good, ""},
		"in a tag":                 {digest.Reply{Text: "<summary>\n" + good + "\n</summary>"}, good, ""},
		"with thoughts before":     {digest.Reply{Text: "<think>\nWell.\n</think>\n" + good}, good, ""},
		"other depths of headings": {digest.Reply{Text: strings.ReplaceAll(good, "# ", "### ")}, strings.ReplaceAll(good, "# ", "### "), ""},
		"says sorry in the record": {digest.Reply{Text: good + "\nThe agent said: I'm sorry."}, good + "\nThe agent said: I'm sorry.", ""},
		"white space":              {digest.Reply{Text: " \n\t"}, "", digest.Empty},
		"only thoughts":            {digest.Reply{Text: "<think>x</think>"}, "", digest.Empty},
		"an error":                 {digest.Reply{Error: "boom", Text: good}, "", digest.SummarizerFailed},
		"length":                   {digest.Reply{Text: good, FinishReason: "length"}, "", digest.CutOff},
		"MAX_TOKENS":               {digest.Reply{Text: good, FinishReason: "MAX_TOKENS"}, "", digest.CutOff},
		"a filter, with a dash":    {digest.Reply{Text: good, FinishReason: "content-filter"}, "", digest.Refusal},
		"refusal by the provider":  {digest.Reply{Text: "Half", FinishReason: "refusal"}, "", digest.Refusal},
		"too short":                {digest.Reply{Text: "# Objective\nGo on."}, "", digest.TooShort},
		"refusal":                  {digest.Reply{Text: "I'm sorry, but I can't help with summarizing this conversation, because it holds what I must not repeat. " + strings.Repeat("Please ask for something else. ", 4)}, "", digest.Refusal},
		"refusal in Chinese":       {digest.Reply{Text: "抱歉，我无法总结这段对话。" + strings.Repeat("请换一个问题。", 12)}, "", digest.Refusal},
		"an answer":                {digest.Reply{Text: "Sure! " + strings.Repeat("I have fixed the parser and run the tests. ", 6)}, "", digest.Answer},
		"a tool call":              {digest.Reply{Text: `{"name":"read","arguments":{"path":"core/parser.go","offset":1,"limit":200,"reason":"to see what stands there before it is changed"}}` + strings.Repeat(" ", 20)}, "", digest.ToolCall},
		"a tool call as a tag":     {digest.Reply{Text: "<tool_call>" + strings.Repeat("read core/parser.go ", 10) + "</tool_call>"}, "", digest.ToolCall},
		"no headings":              {digest.Reply{Text: strings.Repeat("The parser was fixed. ", 10)}, strings.TrimSpace(strings.Repeat("The parser was fixed. ", 10)), digest.NoHeadings},
		"bullets":                  {digest.Reply{Text: bullets}, bullets, ""},
		"stars":                    {digest.Reply{Text: strings.ReplaceAll(bullets, "- ", "* ")}, strings.ReplaceAll(bullets, "- ", "* "), ""},
		"a numbered list":          {digest.Reply{Text: numbered}, numbered, ""},
		"a line before bullets":    {digest.Reply{Text: "Key points:\n\n" + bullets}, "Key points:\n\n" + bullets, ""},
		"two bullets":              {digest.Reply{Text: "- " + prose + "\n- " + prose}, "- " + prose + "\n- " + prose, digest.NoHeadings},
		"bullets in prose":         {digest.Reply{Text: strings.Repeat("One more line.\n", 5) + bullets}, strings.Repeat("One more line.\n", 5) + bullets, digest.NoHeadings},
		"dashes that are no items": {digest.Reply{Text: strings.Repeat("--verbose is set here\n-x is not\n1.5 is\n", 4) + "End."}, strings.Repeat("--verbose is set here\n-x is not\n1.5 is\n", 4) + "End.", digest.NoHeadings},
		"a runaway":                {digest.Reply{Text: "# Objective\n" + strings.Repeat("x", 10000)}, "", digest.TooLong},
		"too large":                {digest.Reply{Text: "# Objective\n" + strings.Repeat("x", 80000)}, "", digest.TooLarge},
	} {
		if text, why := digest.AcceptDigest(c.reply, tokens.ByName("bytes4"), 20000, 1000, true); text != c.text || why != c.why {
			t.Errorf("%s: %q, %q", name, why, text)
		}
	}
	if _, why := digest.AcceptDigest(digest.Reply{Text: "# Objective\nGo on."}, tokens.ByName("bytes4"), 100, 1000, true); why != "" {
		t.Errorf("a short digest of a short record is %s", why)
	}
	if _, why := digest.AcceptDigest(digest.Reply{Text: strings.Repeat("The parser was fixed. ", 10)}, tokens.ByName("bytes4"), 20000, 1000, false); why != "" {
		t.Errorf("headings that were not asked for are %s", why)
	}
}

// The missing facts are found, and adding them makes the digest hold them.
func TestCheck(t *testing.T) {
	tr, seq := read(t, "native", `[
{"role":"user","content":"Port 8443 of https://example.com/api is closed."},
{"role":"assistant","content":[{"type":"tool_call","id":"1","name":"bash","arguments":{"command":"go test ./core/wire -run TestDetectShuffled"}}]},
{"role":"tool_result","tool_call_id":"1","tool_name":"bash","content":"--- FAIL: TestDetectShuffled\\nerror: parse_item failed in core/wire/detect.go\\nexit status 1"}]`)
	var l digest.Ledger
	l.Add(tr, seq)
	body := "# Objective\nThe server on port 8443."
	facts, found, missing := digest.NewExtract(tr, seq, "", &l).Check(body, 1000)
	if found != 1 || facts < 5 {
		t.Errorf("%d of %d facts are found", found, facts)
	}
	for _, want := range []string{"https://example.com/api", "core/wire/detect.go", "TestDetectShuffled", "parse_item", "Failed: "} {
		if !strings.Contains(missing, want) {
			t.Errorf("%q is not missing: %s", want, missing)
		}
	}
	whole := digest.Complete(body+l.Text(300), missing)
	if facts, found, missing := digest.NewExtract(tr, seq, "", &l).Check(whole, 1000); found != facts || missing != "" {
		t.Errorf("completed, %d of %d facts are found, and missing is %q in\n%s", found, facts, missing, whole)
	}
	for max := range 300 {
		if _, _, missing := digest.NewExtract(tr, seq, "", &l).Check(body, max); len(missing) > max {
			t.Fatalf("%d bytes for %d", len(missing), max)
		}
	}
}
