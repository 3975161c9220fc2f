package digest

import (
	"math/rand/v2"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/internal/testing/trials"
)

// TestDeepTexts reads texts in which a form repeats 100,000 times. The stack of the module does not grow: a function that
// calls itself for each of them would end it.
func TestDeepTexts(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(1 << 20))
	for _, form := range []string{"x -- env ", "sudo env -- ", "git -- ", "bash -c '", "$(", "(", "{ ", "if ", "`", "a && ", "a | ", "<<E\n", "cd x && ", "It seems ", "It seems that ",
		"Thank you for that. ", "• ", "└ ", "- ", "> ", "\"", "[", "the "} {
		text := "x " + strings.Repeat(form, 100_000)
		damaged(t, text)
		leans(text[2:])
		withoutPraise(text[2:])
		withoutOpenWords(text[2:])
		clipRequest(text+". "+form, leastRequest)
		pastedPassage("Is this sentence right? " + text)
		pastedPassages("Text: x\n"+text+":\n"+text, true)
		reporterIn(text)
		var r turnReader
		r.paragraphs(text)
	}
}

// TestRunsOfDamagedScripts reads scripts that have lost characters or got quotes, backslashes and line breaks where the
// shell allows them: "git com\mit" is a commit too, although it doesn't contain the word.
func TestRunsOfDamagedScripts(t *testing.T) {
	scripts := append(sentencesOfTests(t), `git com\mit -m x`, `git "com"mit -m x`, `git 'comm''it'`)
	tries := trials.Count(8, 16, 40)
	random := rand.New(rand.NewPCG(2, 2))
	for _, script := range scripts {
		damaged(t, script)
		for range tries {
			s := []byte(script)
			for range 1 + random.IntN(4) {
				at := random.IntN(len(s))
				switch c := "\"'\\\n$`<(|;&-{ "[random.IntN(14)]; random.IntN(3) {
				case 0:
					s[at] = c
				case 1:
					s = append(s[:at], s[min(at+1+random.IntN(6), len(s)-1):]...)
				default:
					s = append(s[:at], append([]byte{c}, s[at:]...)...)
				}
			}
			damaged(t, string(s))
		}
	}
}

// damaged reads a script as a call of the shell, whose output is the script again.
func damaged(t *testing.T, script string) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			t.Fatalf("%q: %v", script, p)
		}
	}()
	r := runOf(script, script, len(script)%2 == 0)
	r.text()
	commitLine(&r)
	takenBack(&r)
	glimpse(script)
	testMessage(script)
	changesByCode(script)
	for _, most := range []int{leastRequest, len(script) / 2} {
		clipRequest(script, most)
	}
}
