package core_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core"
	"github.com/ctxfold/ctxfold/internal/testing/gen"
	"github.com/ctxfold/ctxfold/internal/testing/judge"
)

// deed is an action of an app's user between two calls of fit.
type deed struct {
	kind string
	at   int // which turn from the end, or how far back
	with int // which other turn
}

// longestStep is the maximum number of a turn's messages that are passed before the turn ends; a turn may have a hundred.
const longestStep = 24

func (d deed) String() string { return fmt.Sprintf("%s %d %d", d.kind, d.at, d.with) }

// deeds draws random actions of a user. Most of them concern messages after those that a compaction replaces.
func deeds(r *rand.Rand, n int) (list []deed) {
	kinds := []string{"append", "append", "append", "append", "append", "append", "step", "edit", "delete", "regenerate", "volatile", "volatile", "remind", "branch", "back",
		"mark", "again", "forget", "model"}
	for range n {
		d := deed{kinds[r.IntN(len(kinds))], r.IntN(3), r.IntN(1 << 20)}
		if r.IntN(8) == 0 {
			d.at = r.IntN(40)
		}
		list = append(list, d)
	}
	return list
}

// user is an app that passes its whole conversation each time, and whose user edits the conversation in every way.
type user struct {
	format      string
	app         app
	small       string // the policy of a model with a smaller window
	window      int    // in tokens
	turns       [][]json.RawMessage
	others      [][]json.RawMessage
	shelved     [][][]json.RawMessage // of the paths that were left
	talk        [][]json.RawMessage
	next        int
	marks       int
	entries     []remembrance
	compactions int
	bare        map[string]string          // by message: the message without breakpoints
	withMarks   map[string]json.RawMessage // by message that is not the newest: as marked makes it since the last deed of that kind
}

// unmarked is unmarked for a message of the history, most of which come again with each call.
func (u *user) unmarked(message json.RawMessage) string {
	text, known := u.bare[string(message)]
	if !known {
		text = unmarked(string(message))
		u.bare[string(message)] = text
	}
	return text
}

// marked is marked for the whole history.
func (u *user) marked(history []json.RawMessage) []json.RawMessage {
	out := make([]json.RawMessage, len(history))
	newest := len(history) - 1
	for i, m := range history[:newest] {
		known := u.withMarks[string(m)]
		if known == nil {
			known = marked(u.format, []json.RawMessage{m, m}, u.marks)[0]
			u.withMarks[string(m)] = known
		}
		out[i] = known
	}
	out[newest] = marked(u.format, history[newest:], u.marks)[0]
	return out
}

// remembrance is the test's record of a memory entry.
type remembrance struct {
	covers []json.RawMessage // of the history
	new    map[string]bool   // what was sent that is none of the history's
}

func (u *user) block(from [][]json.RawMessage, n int) []json.RawMessage { return from[n%len(from)] }

func (u *user) append() {
	u.talk = append(u.talk, u.block(u.turns, u.next))
	u.next++
}

// do performs an action and returns the history that is then passed.
func (u *user) do(d deed) []json.RawMessage {
	at := len(u.talk) - 1 - d.at
	switch {
	case d.kind == "append" || at < 1:
		u.append()
	case d.kind == "edit": // the user says something else there
		u.talk = slices.Clone(u.talk)
		u.talk[at] = append(slices.Clone(u.block(u.others, d.with)[:1]), u.talk[at][1:]...)
	case d.kind == "delete":
		u.talk = slices.Delete(slices.Clone(u.talk), at, at+1)
	case d.kind == "regenerate":
		u.talk = slices.Clone(u.talk)
		u.talk[at] = append(slices.Clone(u.talk[at][:1]), u.block(u.others, d.with)[1:]...)
	case d.kind == "branch":
		u.shelved = append(u.shelved, slices.Clone(u.talk))
		u.talk = append(slices.Clone(u.talk[:at]), u.block(u.others, d.with))
	case d.kind == "back" && len(u.shelved) > 0:
		n := d.with % len(u.shelved)
		u.talk, u.shelved[n] = u.shelved[n], u.talk
	case d.kind == "mark":
		u.marks++
		clear(u.withMarks)
	case d.kind == "forget" && len(u.app.memory) > 0 && d.with%3 == 0: // only the newest is kept
		u.app.memory, u.entries = u.app.memory[len(u.app.memory)-1:], u.entries[max(0, len(u.entries)-1):]
	}
	var given []json.RawMessage
	for _, turn := range u.talk {
		given = append(given, turn...)
	}
	asked := u.block(u.turns, u.next)[:1]
	switch d.kind {
	case "volatile": // with what was retrieved for it
		asked = u.block(u.others, d.with)[:1]
	case "remind":
		asked = slices.Concat(asked, u.block(u.others, d.with)[:1])
	case "step": // in the middle of a turn
		turn := u.block(u.turns, u.next)
		for n := min(len(turn), longestStep); n > 0; n-- {
			// By itself first: the whole history is judged only where that may be valid.
			if len(judge.Valid(u.format, []byte(list(turn[:n])))) == 0 && len(judge.Valid(u.format, []byte(list(append(slices.Clone(given), turn[:n]...))))) == 0 {
				asked = turn[:n]
				break
			}
		}
	}
	given = append(given, asked...)
	if u.marks > 0 {
		given = u.marked(given)
	}
	return given
}

// fits passes a history to fit and returns a description of any problem with the answer.
func (u *user) fits(t testing.TB, given []json.RawMessage, d deed) (wrong string) {
	a := u.app
	if d.kind == "model" {
		a.policy = u.small
	}
	best, longest := -1, 0
	for i, e := range u.entries {
		if n := len(e.covers); n >= longest && n <= len(given) && slices.EqualFunc(e.covers, given[:n], func(a, b json.RawMessage) bool { return sameMessage(u.format, a, b) }) {
			best, longest = i, n
		}
	}
	newest := judge.LastUser(u.format, []byte(list(given)))
	at := -1
	for i, m := range given {
		if newest != nil && bytes.Equal(m, newest) {
			at = i
		}
	}
	before := len(a.memory)
	f := a.fit(t, list(given))
	u.app.memory = a.memory
	if best >= 0 && at >= longest && (f.Known < 0 || len(u.entries[f.Known].covers) < longest) {
		return fmt.Sprintf("the entry %d of %d messages is true, and %d was used", best, longest, f.Known)
	}
	if bad := worse(u.format, given, f.Messages); len(bad) > 0 {
		return fmt.Sprintf("invalid: %s: %s of %s, known %d, changed %v", bad[0], rolesOf(f.Messages), rolesOf([]byte(list(given))), f.Known, f.Report.Changed)
	}
	var sent []json.RawMessage
	if err := json.Unmarshal(f.Messages, &sent); err != nil {
		t.Fatal(err)
	}
	ours := map[string]bool{}
	own := map[string]bool{}
	for _, m := range given {
		own[u.unmarked(m)] = true
	}
	for _, m := range sent {
		if text := u.unmarked(m); !own[text] {
			ours[text] = true
		}
	}
	if newest != nil && own[unmarked(string(newest))] && !strings.Contains(unmarked(string(f.Messages)), unmarked(string(newest))) {
		return fmt.Sprintf("the newest message of the user is not sent: %.300s", newest)
	}
	if f.Report.Changed != (len(u.app.memory) > before) {
		return "what was made is not remembered"
	}
	if f.Report.Changed {
		var e struct{ Messages int }
		if err := json.Unmarshal(f.Memory, &e); err != nil {
			t.Fatal(err)
		}
		u.entries = append(u.entries, remembrance{slices.Clone(given[:e.Messages]), ours})
		u.compactions++
		return ""
	}
	if f.Known >= 0 {
		for text := range ours {
			if !u.entries[f.Known].new[text] && !strings.Contains(text, `"[Noted.]"`) { // the roles may have to take turns where they did not
				return fmt.Sprintf("a message is none of the history, and was not sent when that was compacted: %.300s", text)
			}
		}
	}
	return ""
}

// sameMessage reports whether two messages have the same print.
func sameMessage(format string, a, b json.RawMessage) bool {
	return bytes.Equal(a, b) || printsOf(format, a) == printsOf(format, b)
}

func printsOf(format string, m json.RawMessage) string {
	return string(core.Call("prints", []byte(`{"policy":{"format":"`+format+`"},"messages":[`+string(m)+`]}`)))
}

// newUser draws an app, with the window that its conversation fits into several times.
func newUser(t testing.TB, format, passes string, seed uint64) *user {
	r := rand.New(rand.NewPCG(seed, 1))
	split := func(n int) (turns [][]json.RawMessage, all []json.RawMessage) {
		all = gen.New(r, gen.Options{Messages: n}).Render(format, r)
		from := 0
		for _, end := range turnsOf(format, all) {
			if len(judge.Valid(format, []byte(list(all[from:end])))) > 0 && end < len(all) { // a result of its calls is to come
				continue
			}
			turns, from = append(turns, all[from:end]), end
		}
		return turns, all
	}
	u := &user{format: format, bare: map[string]string{}, withMarks: map[string]json.RawMessage{}}
	var all []json.RawMessage
	u.turns, all = split(160)
	u.others, _ = split(60)
	if len(u.turns) > 1 {
		u.turns = u.turns[:len(u.turns)-1] // the last one may wait for a result
	}
	u.others = u.others[:max(1, len(u.others)-1)]
	size := estimateOf(t, fmt.Sprintf(`{"format":%q}`, format), list(all))
	u.window = max(600, size/4)
	u.app.policy = fmt.Sprintf(`{"format":%q,"window":{"tokens":%d,"reserve":100},"summary":{"mode":"local"}%s}`, format, u.window, passes)
	u.small = fmt.Sprintf(`{"format":%q,"window":{"tokens":%d,"reserve":100},"summary":{"mode":"local"}%s}`, format, max(500, size/6), passes)
	u.append()
	return u
}

// lived performs actions and returns a description of the first problem.
func lived(t testing.TB, format, passes string, seed uint64, list []deed) (compactions int, wrong string) {
	u := newUser(t, format, passes, seed)
	for i, d := range list {
		if wrong := u.fits(t, u.do(d), d); wrong != "" {
			return u.compactions, fmt.Sprintf("deed %d (%s): %s", i, d, wrong)
		}
	}
	return u.compactions, ""
}

// firstSeed returns the first seed for the n-th format, so that formats have different apps; SEED overrides it.
func firstSeed(n int) int {
	if seed, err := strconv.Atoi(os.Getenv("SEED")); err == nil {
		return seed
	}
	return n
}

// TestFitOfRandomApps runs random apps that append, edit, delete, regenerate, branch and return, add messages that are gone in the next
// call, move cache breakpoints and use another model. A compaction must be found again as long as the messages that it replaced are there,
// the sent messages must be valid, and a remembered message must be the one that was sent first. SEED repeats one app.
func TestFitOfRandomApps(t *testing.T) {
	t.Parallel()
	policies := []string{"", `,"passes":[{"pass":"dedupe"},{"pass":"squeeze","keep_recent":1},{"pass":"clear","keep_recent":2,"min_reclaim":1},{"pass":"fold","keep_tokens":300}]`,
		`,"passes":[{"pass":"clear","keep_recent":1,"min_reclaim":1},{"pass":"truncate"},{"pass":"fold","keep_tokens":800,"boundary":"group"}]`}
	seeds := budget(1, 1, 40)
	if n, err := strconv.Atoi(os.Getenv("SEEDS")); err == nil {
		seeds = n
	}
	for i, format := range judged() {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			total, from := 0, firstSeed(i)
			for n := range seeds {
				seed := uint64(from + n)
				r := rand.New(rand.NewPCG(seed, 2))
				passes := policies[r.IntN(len(policies))]
				list := deeds(r, budget(40, 40, 60))
				compactions, wrong := lived(t, format, passes, seed, list)
				total += compactions
				if wrong == "" {
					continue
				}
				for i := len(list) - 1; i >= 0; i-- { // the shortest that still goes wrong
					shorter := slices.Delete(slices.Clone(list), i, i+1)
					if _, still := lived(t, format, passes, seed, shorter); still != "" {
						list, wrong = shorter, still
					}
				}
				t.Fatalf("SEED=%d, passes %s\n%s\nafter %v", seed, passes, wrong, list)
			}
			if seeds > 3 && total == 0 {
				t.Error("nothing was compacted")
			}
		})
	}
}

// rolesOf is the first letter of the role of each message.
func rolesOf(messages []byte) (roles string) {
	var all []struct{ Role string }
	_ = json.Unmarshal(messages, &all)
	for _, m := range all {
		roles += (m.Role + "?")[:1]
	}
	return roles
}
