package digest_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/digest"
)

// A request that stays in the context while the work on it is condensed has its own entry, which the next digest continues.
func TestWorkOnARequestThatStays(t *testing.T) {
	tr, all := read(t, "native", `[{"role":"user","content":"Make the valve open slowly."},`+ranAs("1", "x", "ls", "valve.py")+
		`,{"role":"assistant","content":"The valve opens in open_slowly."},{"role":"user","content":"also the pump in pump.py fails, please fix"},`+
		ranAs("2", "The pump fails because relay_off is called.", "cat pump.py", "def pump(): pass")+","+
		ranAs("3", "The relay is K4 in relay.py.", "cat relay.py", "K4 = 4")+"]")
	kept := slices.IndexFunc(all, func(i int32) bool { return strings.HasPrefix(digest.RequestIn(tr, int(i)), "also") })
	if kept < 0 {
		t.Fatal("there is no second request")
	}
	first := slices.Delete(slices.Clone(all[:len(all)-2]), kept, kept+1)
	text := localOf(tr, first, 6000)
	pieces := slices.Clone(first) // of a message before the request
	m := &tr.Messages[first[1]]
	if pieces[1] = tr.BeforePart(first[1], m.First+m.Count); localOf(tr, pieces, 6000) != text {
		t.Errorf("with a piece: %s", localOf(tr, pieces, 6000))
	}
	_, before, _ := strings.Cut(text, "[2] user: also the pump in pump.py fails, please fix (this message is still in the conversation)\n")
	wants(t, text, []string{"  - answer: The valve opens in open_slowly."}, nil)
	wants(t, before, []string{"assistant: The pump fails because relay_off"}, nil)

	for name, next := range map[string][]int32{"is condensed": {all[kept], all[len(all)-2], all[len(all)-1]}, "stays": all[len(all)-2:]} {
		l := &digest.Ledger{}
		l.Add(tr, next)
		after := digest.NewExtract(tr, next, text, l).Digest(6000)
		_, entry, _ := strings.Cut(after, "[2] user: also the pump in pump.py fails, please fix")
		if wants(t, entry, []string{"The pump fails because relay_off", "K4 in relay.py"}, []string{"[3]", "also the pump"}); strings.HasPrefix(entry, " (this") != (name == "stays") {
			t.Errorf("%s: %s", name, after)
		}
	}
}

// A request that stays in the context is quoted up to the end of a sentence, and a clipped one has whole sentences at its beginning.
func TestBeginningsOfRequests(t *testing.T) {
	tr, all := read(t, "native", `[{"role":"user","content":"Make the valve open slowly."},`+ranAs("1", "x", "ls", "valve.py")+
		`,{"role":"user","content":"The pump in pump.py fails when the boiler is hot, and so does the fan above it. Please look for the reason in the log first, because nobody has done that yet. Then say what you would do about it, and `+
		strings.Repeat("wait for me, ", 20)+`please."},`+ranAs("2", "The pump fails because relay_off is called.", "cat pump.py", "def pump(): pass")+"]")
	kept := slices.IndexFunc(all, func(i int32) bool { return strings.HasPrefix(digest.RequestIn(tr, int(i)), "The pump") })
	wants(t, localOf(tr, slices.Delete(slices.Clone(all), kept, kept+1), 6000), []string{"nobody has done that yet. […] (this message is still in the conversation)\n"}, nil)

	long := "The kiln has four zones. " + strings.Repeat("Each of them has a fan, a lamp and a door of its own. ", 60) + "Which of them is hot?"
	text := logOf(t, `[{"role":"user","content":"`+long+`"},`+ranAs("1", "x", "ls", "valve.py")+`]`, 1200)
	wants(t, text, []string{"a door of its own. […] "}, nil)
}
