package core_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core"
)

// TestRestoreOfPlainShapes compacts messages with every shape of content, with and without a named format, and restores
// them with and without the format and the state. What could be compacted can be restored, unless the messages that stay
// may have several formats and nothing says which.
func TestRestoreOfPlainShapes(t *testing.T) {
	shapes := []string{`%q`, `[{"type":"text","text":%q}]`, `null`, `7`, `{"text":%q}`, `[%q]`, `""`, `[]`, `{}`, `true`}
	for seed := range uint64(budget(100, 100, 20000)) {
		r := rand.New(rand.NewPCG(seed, 31))
		var given []json.RawMessage
		odd := r.IntN(4)
		for n := range 24 {
			shape := shapes[0]
			if odd > 0 && r.IntN(4*odd) == 0 {
				shape = shapes[r.IntN(len(shapes))]
			}
			if strings.Contains(shape, "%") {
				shape = fmt.Sprintf(shape, fmt.Sprintf("Message %d. %s", n, strings.Repeat("The harbour master wrote the tide down. ", 1+r.IntN(12))))
			}
			given = append(given, json.RawMessage(fmt.Sprintf(`{"role":%q,"content":%s}`, []string{"user", "assistant"}[n%2], shape)))
		}
		for _, format := range []string{"", `"format":"plain",`, `"format":"openai-chat",`, `"format":"anthropic",`} {
			out := core.Call("plan", []byte(fmt.Sprintf(`{"policy":{%s"window":{"tokens":700,"reserve":50},"summary":{"mode":"local"},"archive":"bodies"},"messages":%s}`, format, list(given))))
			var a answer
			if err := json.Unmarshal(out, &a); err != nil {
				t.Fatal(err)
			}
			if a.Error != nil || !a.Report.Changed {
				continue
			}
			var bodies []string
			for _, b := range a.Archive {
				bodies = append(bodies, fmt.Sprintf(`{"handle":%q,"body":%s}`, b.Handle, jsonText(*b.Body)))
			}
			for _, state := range []string{"", `"state":` + string(a.State) + `,`} {
				for _, with := range []string{"", format} {
					back := core.Call("restore", []byte(fmt.Sprintf(`{"policy":{%s"window":{"tokens":700}},%s"bodies":%s,"messages":%s}`, with, state, "["+strings.Join(bodies, ",")+"]", a.Messages)))
					var b answer
					if err := json.Unmarshal(back, &b); err == nil && state+with == "" && b.Error != nil && b.Error.Code == "ambiguous_format" {
						continue
					} else if err != nil || b.Error != nil {
						t.Errorf("seed %d, %s compacted as %s, restored with %q and state %t: %v %.200s of %.900s", seed, format, a.Report.Format, with, state != "", err, back, list(given))
					} else if string(b.Messages) != list(given) {
						t.Errorf("seed %d, %s: not restored exactly", seed, format)
					}
				}
			}
		}
	}
}

// jsonText returns a text as JSON.
func jsonText(text string) []byte {
	b, _ := json.Marshal(text)
	return b
}
