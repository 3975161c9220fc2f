package core_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/wire"
	"github.com/ctxfold/ctxfold/internal/testing/trials"
)

// TestFitOfAChangingFirstMessage has apps whose first message says something else in each request, as one with the date or with retrieved
// context does. Once that is known, compactions keep the message as it is given and are found again, so that such an app has hardly more of
// them than one that changes nothing. Restoring an answer yields the history of that request: each answer with a new compaction, and every
// fifth of the others, in half of the formats with two texts and in the other half with sixty; all of them in a long run.
func TestFitOfAChangingFirstMessage(t *testing.T) {
	inFormats(t, func(t *testing.T, format string, seed uint64) {
		plain := (&opening{texts: 1}).lives(t, format, seed)
		for n, texts := range []int{2, 60} {
			if !covers(slices.Index(judged(), format), n, 2) {
				continue
			}
			if changing := (&opening{texts: texts}).lives(t, format, seed); plain.compactions == 0 || changing.compactions > plain.compactions+2 {
				t.Errorf("SEED=%d: %d compactions with %d texts, and %d without changes", seed, changing.compactions, texts, plain.compactions)
			}
		}
	})
}

// TestFitOfALargeChangingFirstMessage does the same with a first message that has a share of the window, in percent, and with a model. Only
// its beginning and its end are sent. It costs hardly more compactions and calls of the model than one that stays the same, and is folded.
// In make test every second format has one of the shares.
func TestFitOfALargeChangingFirstMessage(t *testing.T) {
	most := func(n int) int { return n + n/3 + 2 }
	inFormats(t, func(t *testing.T, format string, seed uint64) {
		i := slices.Index(judged(), format)
		for n, share := range []int{40, 60, 80, 95, 150} {
			if !covers(i, 0, 2) || !covers(i, n, 5) {
				continue
			}
			plain, changing := (&opening{1, share}).lives(t, format, seed), (&opening{60, share}).lives(t, format, seed)
			if plain.compactions == 0 || changing.compactions > most(plain.compactions) || changing.calls > most(plain.calls) {
				t.Errorf("SEED=%d, %d%%: %d compactions and %d calls of the model, %d and %d without changes", seed, share, changing.compactions, changing.calls, plain.compactions, plain.calls)
			}
		}
	})
}

// inFormats runs a test with random conversations in each format, or in every third one with -short.
func inFormats(t *testing.T, test func(t *testing.T, format string, seed uint64)) {
	t.Parallel()
	for i, format := range judged() {
		if testing.Short() && i%3 > 0 {
			continue
		}
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			for n := range budget(1, 1, 10) {
				test(t, format, uint64(firstSeed(3)+n))
			}
		})
	}
}

// opening is the first message of an app, the user's, which says what the time is.
type opening struct {
	texts int // how many texts it has in turn
	share int // how large it is, in percent of the window; 0 for one sentence
}

// messages returns the first two messages of a conversation at a given minute: the opening and an answer. window is in tokens.
func (o *opening) messages(format string, minute, window int) []json.RawMessage {
	says := func(role transcript.Role, text string) json.RawMessage { // at a time, where the format has one
		return bytes.Replace(wire.ByName(format).Message(nil, role, text), []byte(`"1970-01-01T00:00:00.000Z"`), []byte("1700000000"), 1)
	}
	minute %= o.texts
	text := fmt.Appendf(nil, "It is 10:%02d now. Let us begin.", minute)
	for n := range o.share * window / 100 / 12 {
		text = fmt.Appendf(text, "\nAt 10:%02d the gauge at lock %d shows a level of %d.", minute, n, 300+n*(minute+7)%90)
	}
	return []json.RawMessage{says(transcript.User, string(text)), says(transcript.Assistant, "Welcome.")}
}

// lives has an app append turns behind an opening, and returns the app.
func (o *opening) lives(t *testing.T, format string, seed uint64) app {
	u, kept := newUser(t, format, `,"archive":"places"`, seed), shelf{}
	if o.share > 0 {
		u.app.policy = strings.Replace(u.app.policy, `"mode":"local"`, `"mode":"model"`, 1)
	}
	for turn := range max(40, len(u.turns)) {
		given := append(o.messages(format, turn, u.window), u.do(deed{kind: "append"})...)
		first := given[0]
		f := u.app.fit(t, list(given))
		kept.keep([]byte(list(given)), f.Archive)
		if !f.Report.Changed && f.Known < 0 {
			continue
		}
		if f.Known >= 0 && o.texts > 2 && !o.isSent(first, f.Messages) {
			t.Errorf("SEED=%d, turn %d: the first message is not sent", seed, turn)
		}
		if !trials.All() && (o.texts == 1 || !f.Report.Changed && turn%5 > 0) {
			continue // TestRestoreOfRandomApps has apps that change nothing
		}
		if bad := worse(format, given, f.Messages); len(bad) > 0 {
			t.Fatalf("SEED=%d, turn %d: invalid: %s", seed, turn, bad[0])
		}
		back := kept.restoreAll(t, fmt.Sprintf(`"policy":{"format":%q},"state":%s`, format, f.State), string(f.Messages))
		if string(back.Messages) != list(given) {
			t.Errorf("SEED=%d, turn %d: restored is\n%.1500s\nof\n%.1500s\nleft are %v", seed, turn, back.Messages, list(given), back.Markers)
		}
	}
	return u.app
}

// isSent reports whether the opening is sent: all of it, or the beginning and the end of a large one.
func (o *opening) isSent(first json.RawMessage, messages []byte) bool {
	if o.share == 0 {
		return bytes.Contains(messages, first)
	}
	begins := regexp.MustCompile(`It is 10:\d\d now\. Let us begin\.`).Find(first)
	ends := regexp.MustCompile(`lock \d+ shows a level of \d+\."`).FindAll(first, -1)
	return bytes.Contains(messages, begins) && bytes.Contains(messages, ends[len(ends)-1])
}

// TestFitOfTwoConversations has two conversations at the same time that share what is remembered, and differ only in their first message.
// A compaction that was made for one of them is sent until another one is due, whatever is made for the other one, whose window is smaller.
func TestFitOfTwoConversations(t *testing.T) {
	inFormats(t, testTwoConversations)
}

func testTwoConversations(t *testing.T, format string, seed uint64) {
	u := newUser(t, format, `,"archive":"places"`, seed)
	var shared app
	var own [2]string // the compaction that was made for the conversation and is sent for it
	found := 0
	for turn := range max(40, len(u.turns)) {
		history := u.do(deed{kind: "append"})
		for n, policy := range []string{u.app.policy, u.small} {
			shared.policy = policy
			given := list(append((&opening{texts: 2}).messages(format, n, 0), history...))
			switch f := shared.fit(t, given); {
			case f.Report.Changed:
				own[n] = string(f.Memory)
			case own[n] == "":
			case f.Known >= 0 && shared.memory[f.Known] == own[n]:
				found++
			default:
				alone := app{policy: policy, memory: []string{own[n]}}
				if alone.fit(t, given); alone.compactions == 0 {
					t.Fatalf("SEED=%d, turn %d: what is sent for conversation %d changes, and nothing is due", seed, turn, n)
				}
				own[n] = ""
			}
		}
	}
	if found == 0 {
		t.Fatalf("SEED=%d: no compaction is found again", seed)
	}
}

// TestFitCutsRedactedTexts: what is archived of a large first message that changes, and what is sent of it, has none of the secrets in it.
func TestFitCutsRedactedTexts(t *testing.T) {
	o := opening{texts: 60, share: 80}
	var memory []string
	replays := 0
	for turn := range 12 {
		given := o.messages("openai-chat", turn, 3000)
		for n := range 30 + turn {
			given = append(given, split(t, []byte(boats(n+2)))[n%2])
		}
		given[0] = bytes.Replace(given[0], []byte("Let us begin."), []byte("The key is sk_live_0."), 1)
		given[0] = bytes.Replace(given[0], []byte("lock 70 "), []byte("sk_live_0 "), 1)
		out := core.Call("fit", []byte(`{"policy":{"format":"openai-chat","window":{"tokens":3000},"summary":{"mode":"local"}},"options":{"archive":"bodies","redact":{"texts":[{"text":"sk_live_0"}]}},`+
			`"memory":[`+strings.Join(memory, ",")+`],"messages":`+list(given)+`}`))
		var f fitted
		if err := json.Unmarshal(out, &f); err != nil || f.Error != nil {
			t.Fatal(err, string(out[:min(len(out), 300)]))
		}
		if f.Report.Changed {
			memory = append(memory, string(f.Memory))
		} else if f.Known >= 0 {
			replays++
			if len(f.Archive) != 1 || !o.isSent(bytes.Replace(given[0], []byte("The key is sk_live_0."), []byte("Let us begin."), 1), bytes.Replace(f.Messages, []byte("The key is [REDACTED:1]."), []byte("Let us begin."), 1)) {
				t.Errorf("turn %d: %d bodies; sent is %.300s", turn, len(f.Archive), f.Messages)
			}
		}
		if len(f.Archive) > 0 && bytes.Contains(out, []byte("sk_live")) {
			t.Errorf("turn %d: a secret is in %.600s", turn, out[bytes.Index(out, []byte("sk_live"))-300:])
		}
	}
	if replays < 5 {
		t.Errorf("%d replays", replays)
	}
}

// TestFitCutsPartsOfAChangingMessage has a first message with several texts, an empty one among them. Each is cut to the same length.
func TestFitCutsPartsOfAChangingMessage(t *testing.T) {
	a := &app{policy: `{"format":"openai-chat","window":{"tokens":3000},"summary":{"mode":"local"},"archive":"bodies"}`}
	o := opening{texts: 60, share: 60}
	for turn := range 4 {
		var first struct{ Content string }
		if err := json.Unmarshal(o.messages("openai-chat", turn, 3000)[0], &first); err != nil {
			t.Fatal(err)
		}
		part := fmt.Sprintf(`{"type":"text","text":%q}`, first.Content)
		given := `[{"role":"user","content":[{"type":"text","text":""},` + part + `,` + part + `,{"type":"text","text":"Begin."}]},{"role":"assistant","content":"Welcome."},` + boats(20)[1:]
		f := a.fit(t, given)
		if turn == 0 {
			continue
		}
		var sent []struct{ Content json.RawMessage }
		if err := json.Unmarshal(f.Messages, &sent); err != nil {
			t.Fatal(err)
		}
		var parts []struct{ Text string }
		if err := json.Unmarshal(sent[0].Content, &parts); err != nil || len(parts) < 3 || strings.Count(string(sent[0].Content), "Truncated") != 2 || parts[len(parts)-1].Text != "Begin." {
			t.Errorf("turn %d, changed %v: %v, %.300s", turn, f.Report.Changed, err, sent[0].Content)
		}
	}
	if a.compactions != 2 {
		t.Errorf("%d compactions", a.compactions)
	}
}
