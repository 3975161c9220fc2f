package digest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/digest"
)

// What the assistant says before it polls once more is no answer, although its call is not folded. What it has found
// out in the unfinished turn isn't dropped in favor of these words.
func TestUnfinishedTurnHasNoAnswer(t *testing.T) {
	list := []string{`{"type":"message","role":"user","content":[{"type":"input_text","text":"Are the workers finished, can we go on?"}]}`}
	say := func(text string) {
		list = append(list, fmt.Sprintf(`{"type":"message","role":"assistant","content":[{"type":"output_text","text":%q}]}`, text))
	}
	call := func(n int) {
		list = append(list, fmt.Sprintf(`{"type":"function_call","call_id":"c%d","name":"shell","arguments":"{\"command\":\"tmux capture-pane -p -t worker%d\"}"}`, n, n%3),
			fmt.Sprintf(`{"type":"function_call_output","call_id":"c%d","output":"esc to interrupt"}`, n))
	}
	for n := range 14 {
		if n == 4 {
			say("The open review concern is the order of both merges, since one branch was built in parallel.")
		} else {
			say(fmt.Sprintf("Worker %d is busy with its test round number %d.", n%3, n))
		}
		call(n)
	}
	say("Checking the current output of the build worker.")
	folded := len(list)
	call(14)
	src := "[" + strings.Join(list, ",") + "]"
	tr, seq := read(t, "openai-responses", src)
	for _, c := range []struct {
		name   string
		more   string
		answer bool
	}{
		{"the turn continues", "", false},
		{"the turn has ended", `{"type":"message","role":"user","content":[{"type":"input_text","text":"Thanks, that is all."}]}`, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr, seq := tr, seq
			if c.more != "" {
				tr, seq = read(t, "openai-responses", "["+strings.Join(append(list[:folded:folded], c.more), ",")+"]")
			}
			l := &digest.Ledger{}
			l.Add(tr, seq[:folded])
			text := digest.NewExtract(tr, seq[:folded], "", l).Digest(4000)
			if got := strings.Contains(text, "answer: Checking"); got != c.answer {
				t.Errorf("answer %v:\n%s", got, text)
			}
			if !c.answer && !strings.Contains(text, "The open review concern is the order of both merges") {
				t.Errorf("a finding is lost:\n%s", text)
			}
		})
	}
}
