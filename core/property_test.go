package core_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/tokens"
	"github.com/ctxfold/ctxfold/core/internal/wire"
	"github.com/ctxfold/ctxfold/internal/testing/gen"
	"github.com/ctxfold/ctxfold/internal/testing/judge"
)

var (
	cases = flag.Int("cases", 0, "how many random conversations the property test compacts; 0 is 250 for each format, and 2,000 in make test-long")
	seed  = flag.Uint64("seed", 1, "what the property test's conversations grow from")
)

// join writes messages as a list, with white space that differs from case to case.
func join(messages []json.RawMessage, r *rand.Rand) []byte {
	sep := [...]string{",", ", ", ",\n  ", " ,\r\n\t"}[r.IntN(4)]
	b := []byte("[")
	for i, m := range messages {
		if i > 0 {
			b = append(b, sep...)
		}
		b = append(b, m...)
	}
	return append(b, ']')
}

// randomPolicy is a policy, with options after it, that forces work on a transcript of some tokens, most of the time.
func randomPolicy(r *rand.Rand, format string, size int) string {
	preset := [...]string{"default", "default", "window-budget", "layered", "turn-tail", "checkpoint", "agent-loop"}[r.IntN(7)]
	window := max(64, size*[...]int{100, 60, 30, 10, 3}[r.IntN(5)]/100)
	parts := []string{
		fmt.Sprintf(`"preset":%q,"format":%q,"window":{"tokens":%d,"reserve":%d}`, preset, format, window, window/[...]int{4, 10, 50}[r.IntN(3)]),
		fmt.Sprintf(`"summary":{"mode":%q,"style":%q,"max_output_tokens":%d,"max_input_tokens":%d,"split":%q,"retries":%d}`, [...]string{"model", "local"}[r.IntN(2)],
			[...]string{"", "", "", "turn-tail", "checkpoint", "agent-loop"}[r.IntN(6)], []int{0, 50, 500, 4096}[r.IntN(4)], []int{0, 0, 400, 1000, 2500}[r.IntN(5)], [...]string{"map", "chain"}[r.IntN(2)], r.IntN(2)),
	}
	if r.IntN(4) == 0 {
		parts = append(parts, fmt.Sprintf(`"estimator":%q`, tokens.Names()[r.IntN(len(tokens.Names()))]))
	}
	forced, kind := r.IntN(8) == 0, r.IntN(8)
	if r.IntN(4) == 0 {
		parts = append(parts, fmt.Sprintf(`"pins":[{"index":%d},{"contains":"retry"}]`, r.IntN(40)-20))
	}
	if r.IntN(4) == 0 {
		parts = append(parts, fmt.Sprintf(`"max_bytes":%d`, size*[]int{1, 2, 3, 4}[r.IntN(4)]))
	}
	if r.IntN(4) == 0 {
		parts = append(parts, `"log":true,"prices":{"input":3,"output":15,"cache_read":0.3,"cache_write":3.75}`,
			fmt.Sprintf(`"gate":{"min_gain":%g}`, []float64{0, 0.05, 0.5}[r.IntN(3)]))
	}
	if r.IntN(2) == 0 {
		parts = append(parts, fmt.Sprintf(`"archive":%q`, [...]string{"places", "bodies"}[r.IntN(2)]))
	}
	switch kind {
	case 6: // in any order, so that what represents something is removed again
		steps := []string{
			fmt.Sprintf(`{"pass":"truncate","max_lines":%d}`, r.IntN(60)),
			fmt.Sprintf(`{"pass":"collapse","keep_recent":%d}`, r.IntN(12)),
			fmt.Sprintf(`{"pass":"drop","keep_first":%d,"keep_recent":%d}`, r.IntN(4), r.IntN(6)),
			fmt.Sprintf(`{"pass":"clear","keep_recent":%d}`, r.IntN(4)),
			fmt.Sprintf(`{"pass":"squeeze","keep_recent":%d,"min_tokens":%d}`, r.IntN(4), r.IntN(40)),
			fmt.Sprintf(`{"pass":"squeeze","keep_recent":%d,"min_tokens":%d,"tools":["read","bash"]}`, r.IntN(4), r.IntN(40)),
			fmt.Sprintf(`{"pass":"fold","keep_tokens":%d,"boundary":"group"},{"pass":"rehydrate"}`, r.IntN(3000)),
			fmt.Sprintf(`{"pass":"fold","keep_tokens":%d}`, r.IntN(300)),
			`{"pass":"fit"}`,
		}
		r.Shuffle(len(steps), func(i, k int) { steps[i], steps[k] = steps[k], steps[i] })
		parts = append(parts, `"passes":[`+strings.Join(steps[:2+r.IntN(5)], ",")+`]`)
		forced = true
	case 5:
		parts = append(parts, fmt.Sprintf(`"passes":[{"pass":"truncate","max_lines":%d},{"pass":"collapse","keep_recent":%d,"max_text":%d},`+
			`{"pass":%q}]`, r.IntN(60), r.IntN(12), r.IntN(300), [...]string{"drop", "fit"}[r.IntN(2)]))
	case 7:
		parts = append(parts, fmt.Sprintf(`"passes":[{"pass":"squeeze","keep_recent":%d,"min_tokens":%d,"min_reclaim":%d},{"pass":%q,"keep_recent":%d}]`,
			r.IntN(4), r.IntN(40), r.IntN(60), [...]string{"clear", "archive", "tool_digest", "squeeze"}[r.IntN(4)], r.IntN(8)))
		forced = true
	case 0:
		parts = append(parts, fmt.Sprintf(`"passes":[{"pass":"dedupe","min_tokens":%d,"superseded":%q},{"pass":"archive","keep_recent":%d,`+
			`"mode":%q,"min_tokens":%d,"max_requests":%d,"excerpt":%d},{"pass":"clear","keep_recent":%d},{"pass":"fold","keep_tokens":%d}]`,
			r.IntN(60), [...]string{"reads", "all", "none"}[r.IntN(3)], r.IntN(6), [...]string{"model", "local"}[r.IntN(2)], r.IntN(60),
			r.IntN(3), r.IntN(100), r.IntN(8), r.IntN(3000)))
	case 1, 2:
		parts = append(parts, fmt.Sprintf(`"passes":[{"pass":"reasoning","mode":%q},{"pass":"clear","keep_recent":%d,"min_reclaim":%d},`+
			`{"pass":"fold","keep_tokens":%d,"boundary":%q,"keep_last":%t},{"pass":"rehydrate","tokens":%d}]`,
			[...]string{"keep", "strip", "latest_turn"}[r.IntN(3)], r.IntN(8), r.IntN(200), r.IntN(3000), [...]string{"turn", "group"}[r.IntN(2)],
			r.IntN(3) > 0, r.IntN(5000)))
	}
	policy := "{" + strings.Join(parts, ",") + "}"
	if forced {
		policy += force
	}
	return policy
}

// oneCase builds the conversation of a seed. It returns the broken promises, and a function that describes the case.
func oneCase(t testing.TB, n uint64) (problems []string, describe func() string) {
	r := rand.New(rand.NewPCG(*seed, n))
	formats := judged()
	format := formats[r.IntN(len(formats))]
	length := 16 // most breakage needs few messages
	if n%8 == 0 {
		length = 60
	}
	conv := gen.New(r, gen.Options{Messages: 1 + r.IntN(length), Broken: r.IntN(2) == 0})
	render := r.Uint64()
	messages := func(c gen.Conversation) []byte {
		rr := rand.New(rand.NewPCG(render, 0))
		list := join(c.Render(format, rr), rr)
		if n%5 == 0 { // halves of surrogate pairs
			list = bytes.Replace(list, []byte("naïve"), []byte(`na\ud83dve`), 2)
		}
		return list
	}
	list := messages(conv)
	if string(list) == "[]" {
		return nil, nil
	}
	size := estimateOf(t, fmt.Sprintf(`{"format":%q}`, format), string(list))
	policy := randomPolicy(r, format, size)
	reply := [...]string{summaryText, "", strings.Repeat("much too long ", 5000), "ok"}[r.IntN(4)]
	run := func(c gen.Conversation) []string {
		if string(messages(c)) == "[]" { // results alone are no message of every format
			return nil
		}
		_, broken := promises(t, format, policy, messages(c), reply)
		if n%4 == 0 {
			broken = append(broken, repairs(t, format, messages(c))...)
		}
		return broken
	}
	problems = run(conv)
	return problems, func() string {
		// Leave messages out as long as it still fails, so that what is printed is small.
		for again := true; again; {
			again = false
			for i := len(conv) - 1; i >= 0 && len(conv) > 1; i-- {
				less := append(append(gen.Conversation(nil), conv[:i]...), conv[i+1:]...)
				if len(run(less)) > 0 {
					conv, again = less, true
				}
			}
		}
		for i := range conv {
			for k, text := range conv[i].Texts {
				if conv[i].Texts[k] = "t" + strconv.Itoa(i); len(run(conv)) == 0 {
					conv[i].Texts[k] = text
				}
			}
			for k, c := range conv[i].Calls {
				if conv[i].Calls[k].Result = "r" + strconv.Itoa(i); len(run(conv)) == 0 {
					conv[i].Calls[k].Result = c.Result
				}
			}
			if was := conv[i].Reasoning; was != "" {
				if conv[i].Reasoning = "think"; len(run(conv)) == 0 {
					conv[i].Reasoning = was
				}
			}
		}
		return fmt.Sprintf("case %d of seed %d, format %s\npolicy %s\nreply %.60q\nsmallest transcript %s\n%s", n, *seed, format, policy, reply,
			messages(conv), strings.Join(run(conv), "\n"))
	}
}

// judged are the formats that ctxfold reads and that there is a judge for.
var judged = sync.OnceValue(func() (formats []string) {
	for _, f := range wire.Names() {
		if judge.Known(f) {
			formats = append(formats, f)
		}
	}
	return formats
})

// repairs checks that a repaired transcript is valid according to the judge and to validate, and that repairing it again changes nothing. A
// valid transcript must stay unchanged.
func repairs(t testing.TB, format string, list []byte) (broken []string) {
	policy := fmt.Sprintf(`{"format":%q}`, format)
	a := call(t, "repair", `{"policy":`+policy+`,"messages":`+string(list)+`}`)
	if a.Error != nil {
		return []string{"repair: " + a.Error.Code + ": " + a.Error.Message}
	}
	if len(a.Messages) <= 2 { // nothing was in it
		return nil
	}
	if bad := judge.Valid(format, a.Messages); len(bad) > 0 {
		broken = append(broken, fmt.Sprintf("repaired, but invalid: %d violations, such as %s", len(bad), bad[0]))
	}
	v := call(t, "validate", `{"policy":`+policy+`,"messages":`+string(a.Messages)+`}`)
	if !v.Valid {
		broken = append(broken, fmt.Sprintf("repaired, but validate says %+v", v.Violations))
	}
	again := call(t, "repair", `{"policy":`+policy+`,"messages":`+string(a.Messages)+`}`)
	if string(again.Messages) != string(a.Messages) {
		broken = append(broken, "repaired a second time, it changes again")
	}
	if v := call(t, "validate", `{"policy":`+policy+`,"messages":`+string(list)+`}`); v.Valid && string(a.Messages) != string(list) {
		broken = append(broken, "valid, but repair changed it")
	}
	return broken
}

// wanted returns the number of random conversations that the tests compact.
func wanted() int {
	if *cases > 0 {
		return *cases
	}
	return budget(40, 50, 2000) * len(judged())
}

// TestProperties compacts and repairs random conversations under random policies. The flags -cases and -seed select them.
func TestProperties(t *testing.T) {
	t.Parallel()
	n := wanted()
	t.Logf("seed %d, %d cases", *seed, n)
	var failed atomic.Int32
	var next atomic.Uint64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for {
				i := next.Add(1) - 1
				if i >= uint64(n) || failed.Load() >= 3 {
					return
				}
				if problems, describe := oneCase(t, i); len(problems) > 0 {
					failed.Add(1)
					t.Error(describe())
				}
			}
		})
	}
	wg.Wait()
	if t.Logf("%d transcripts were put back as they were", restored.Load()); restored.Load() == 0 {
		t.Error("no transcript was put back")
	}
}
