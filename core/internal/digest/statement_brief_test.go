package digest_test

import (
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/digest"
)

// If not all statements fit, they are listed without what leads up to them, without the form of a question and without
// their reasons. A limit, an exception or a second rule is no reason.
func TestShortStatements(t *testing.T) {
	for text, want := range map[string]string{
		"Also, one more thing: never mail the suppliers without asking me.": "never mail the suppliers without asking me.",
		"By the way, I can't stand olives, they taste of soap.":             "I can't stand olives",
		"Never deploy on a Friday because nobody is on call.":               "Never deploy on a Friday",
		"Please keep all answers under 80 words, my screen is tiny.":        "keep all answers under 80 words",
		"Could you please always answer in metric units?":                   "always answer in metric units",
		"Antworte immer auf Deutsch, sonst versteht mich keiner.":           "Antworte immer auf Deutsch",
		"Au fait, réponds toujours en français, c'est plus simple.":         "réponds toujours en français",
		"Кстати, всегда отвечай на русском, иначе я не пойму.":              "всегда отвечай на русском",
		"请始终用中文回答，因为我看不懂英文。":                                                "请始终用中文回答",
		"Never touch the lexer, the parser or the printer.":                 "",
		"Never push to main, unless I ask for it.":                          "",
		"In code, never use tabs.":                                          "",
		"Never use tabs, I prefer two spaces.":                              "",
	} {
		tr, seq := read(t, "openai-chat", `[{"role":"user","content":"`+text+`"}]`)
		var l digest.Ledger
		l.Add(tr, seq)
		if len(l.Standing) != 1 {
			t.Errorf("%q: %q", text, l.Standing)
			continue
		}
		const frame = len("<standing-instructions>\n- \n</standing-instructions>")
		if full := l.Standing[0]; !strings.Contains(l.StandingBlock(frame+len(full)), "\n- "+full+"\n") {
			t.Errorf("%q: not in full though there is room", text)
		} else if want == "" {
			want = full
		}
		block := l.StandingBlock(frame + len(want))
		if !strings.Contains(block, "\n- "+want+"\n") {
			t.Errorf("%q: %q", text, block)
		}
		if less := l.StandingBlock(frame + len(want) - 1); less != "" {
			t.Errorf("%q: shorter than expected: %q", text, less)
		}
	}
}
