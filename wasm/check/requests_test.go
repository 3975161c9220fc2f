// Package check runs modules that wasm/build.sh makes, with a step of it left out or under stress, and compares them with the native code. It holds
// tests alone; this file makes the requests that they send.
package check

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/ctxfold/ctxfold/core"
	"github.com/ctxfold/ctxfold/internal/testing/gen"
)

// call is one operation on one request.
type call struct {
	op      string
	request []byte
}

// requests makes the n-th group of calls, the same in each run: one on a random conversation in a random format, and where that
// is a plan that asks for summaries, the step behind it. Every operation that needs no session is among them.
func requests(n uint64) []call {
	r := rand.New(rand.NewPCG(16, n))
	formats := gen.Formats()
	format := formats[r.IntN(len(formats))]
	conversation := gen.New(r, gen.Options{Messages: 1 + r.IntN([...]int{8, 16, 60}[r.IntN(3)]), Broken: r.IntN(2) == 0})
	var parts [][]byte
	for _, m := range conversation.Render(format, r) {
		parts = append(parts, m)
	}
	list := append(append([]byte("["), bytes.Join(parts, []byte(","))...), ']')
	if r.IntN(12) == 0 { // half of a surrogate pair
		list = bytes.Replace(list, []byte("naïve"), []byte(`na\ud83dve`), 1)
	}
	if r.IntN(12) == 0 { // cut off
		list = list[:r.IntN(len(list))]
	}
	on := func(op, policy, more string) []call {
		return []call{{op, fmt.Appendf(nil, `{"policy":%s%s,"messages":%s}`, policy, more, list)}}
	}
	named := fmt.Sprintf(`{"format":%q}`, format)
	switch r.IntN(20) {
	case 0:
		return on("check", policy(r, format, len(list)/4), "")
	case 1:
		return on("estimate", fmt.Sprintf(`{"format":%q,"estimator":%q}`, format, estimators[r.IntN(len(estimators))]), "")
	case 2:
		return []call{{"detect", fmt.Appendf(nil, `{"messages":%s}`, list)}}
	case 3:
		return on("prints", named, "")
	case 4:
		return on("validate", named, "")
	case 5:
		return on("repair", named, "")
	case 6:
		to := gen.Formats()[r.IntN(len(gen.Formats()))]
		return on("convert", named, fmt.Sprintf(`,"to":%q`, to))
	case 7:
		return on("fit", policy(r, format, len(list)/4), "")
	case 8, 9:
		return keptAndFound(r, format, list)
	}
	calls := on("plan", policy(r, format, len(list)/4), "")
	var plan struct {
		Plan     json.RawMessage
		Requests []struct{ ID string }
	}
	if json.Unmarshal(core.Call("plan", bytes.Clone(calls[0].request)), &plan) == nil && len(plan.Requests) > 0 {
		var summaries []string
		for _, request := range plan.Requests {
			text, _ := json.Marshal([...]string{summary, "", strings.Repeat("much too long ", 3000), "ok"}[r.IntN(4)])
			summaries = append(summaries, fmt.Sprintf(`{"id":%q,"text":%s}`, request.ID, text))
		}
		calls = append(calls, call{"step", fmt.Appendf(nil, `{"plan":%s,"summaries":[%s],"messages":%s}`, plan.Plan, strings.Join(summaries, ","), list)})
	}
	return calls
}

// keptAndFound takes bodies out of a conversation, and looks for them and puts them back.
func keptAndFound(r *rand.Rand, format string, list []byte) []call {
	text := fmt.Sprintf(`{"format":%q,"window":{"tokens":%d},"archive":"bodies","passes":[{"pass":"archive","keep_recent":%d,"mode":"local"},`+
		`{"pass":"fold","keep_tokens":%d}],"gate":{"ratio":0.01},"summary":{"mode":"local"}}`, format, max(64, len(list)/5), r.IntN(3), r.IntN(400))
	calls := []call{{"plan", fmt.Appendf(nil, `{"policy":%s,"messages":%s}`, text, list)}}
	var made struct {
		Messages json.RawMessage
		Archive  []struct{ Handle, Body json.RawMessage }
	}
	if json.Unmarshal(core.Call("plan", bytes.Clone(calls[0].request)), &made) != nil || len(made.Archive) == 0 || made.Messages == nil {
		return calls
	}
	var bodies []string
	for _, b := range made.Archive {
		if b.Body != nil {
			bodies = append(bodies, fmt.Sprintf(`{"handle":%s,"body":%s}`, b.Handle, b.Body))
		}
	}
	if len(bodies) == 0 {
		return calls
	}
	all := strings.Join(bodies, ",")
	return append(calls,
		call{"restore", fmt.Appendf(nil, `{"policy":{"format":%q},"bodies":[%s],"messages":%s}`, format, all, made.Messages)},
		call{"search", fmt.Appendf(nil, `{"query":"why does the parser fail in bucket.go","limit":%d,"bodies":[%s]}`, 1+r.IntN(5), all)},
		call{"recall", fmt.Appendf(nil, `{"arguments":{"handle":%s},"body":%s}`, made.Archive[0].Handle, made.Archive[0].Body)})
}

const summary = "## Goal\nMake the parser accept line 42.\n## Done\nRead internal/limiter/bucket.go; buffer is nil when retry exceeds the limit.\n" +
	"## Next\nFix the limit in README.md and run the tests again."

var estimators = []string{"script", "chars4", "runes3.6", "bytes4"}

// policy has work to do on a conversation of some tokens, most of the time.
func policy(r *rand.Rand, format string, tokens int) string {
	window := max(64, tokens*[...]int{100, 60, 30, 10, 3}[r.IntN(5)]/100)
	parts := []string{
		fmt.Sprintf(`"preset":%q`, [...]string{"default", "default", "window-budget", "layered", "turn-tail", "checkpoint", "agent-loop"}[r.IntN(7)]),
		fmt.Sprintf(`"format":%q,"window":{"tokens":%d,"reserve":%d}`, format, window, window/[...]int{4, 10, 50}[r.IntN(3)]),
		fmt.Sprintf(`"summary":{"mode":%q,"max_input_tokens":%d,"retries":%d}`, [...]string{"model", "local"}[r.IntN(2)], []int{0, 0, 400, 2500}[r.IntN(4)], r.IntN(2)),
	}
	if r.IntN(4) == 0 {
		parts = append(parts, fmt.Sprintf(`"archive":%q`, [...]string{"places", "bodies"}[r.IntN(2)]))
	}
	if r.IntN(4) == 0 {
		parts = append(parts, fmt.Sprintf(`"pins":[{"index":%d},{"contains":"retry"}]`, r.IntN(40)-20))
	}
	if r.IntN(2) == 0 {
		steps := []string{
			fmt.Sprintf(`{"pass":"truncate","max_lines":%d}`, r.IntN(60)),
			fmt.Sprintf(`{"pass":"dedupe","min_tokens":%d}`, r.IntN(60)),
			fmt.Sprintf(`{"pass":"reasoning","mode":%q}`, [...]string{"keep", "strip", "latest_turn"}[r.IntN(3)]),
			fmt.Sprintf(`{"pass":"collapse","keep_recent":%d}`, r.IntN(12)),
			fmt.Sprintf(`{"pass":"drop","keep_first":%d,"keep_recent":%d}`, r.IntN(4), r.IntN(6)),
			fmt.Sprintf(`{"pass":"clear","keep_recent":%d}`, r.IntN(4)),
			fmt.Sprintf(`{"pass":"archive","keep_recent":%d,"mode":"local"}`, r.IntN(4)),
			fmt.Sprintf(`{"pass":"squeeze","keep_recent":%d,"min_tokens":%d}`, r.IntN(4), r.IntN(40)),
			fmt.Sprintf(`{"pass":"fold","keep_tokens":%d,"boundary":"group"},{"pass":"rehydrate"}`, r.IntN(3000)),
			fmt.Sprintf(`{"pass":"fold","keep_tokens":%d}`, r.IntN(300)),
			`{"pass":"fit"}`,
		}
		r.Shuffle(len(steps), func(i, k int) { steps[i], steps[k] = steps[k], steps[i] })
		parts = append(parts, `"passes":[`+strings.Join(steps[:2+r.IntN(5)], ",")+`],"gate":{"ratio":0.01}`)
	}
	return "{" + strings.Join(parts, ",") + "}"
}
