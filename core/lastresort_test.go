package core_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core"
	"github.com/ctxfold/ctxfold/internal/testing/gen"
	"github.com/ctxfold/ctxfold/internal/testing/judge"
)

// largeResult is a conversation whose only tool result is far larger than the window.
func largeResult(format string) []byte {
	call := gen.Call{ID: "call_1", Name: "read", Path: "a.txt", Result: "FIRST LINE\n" + strings.Repeat("a line of the file\n", 2000) + "LAST LINE"}
	for seed := uint64(1); ; seed++ {
		r := rand.New(rand.NewPCG(1, seed))
		list := join(gen.Conversation{
			{Role: "user", Texts: []string{"Read the file."}},
			{Role: "assistant", Texts: []string{"I read it."}, Calls: []gen.Call{call}},
			{Role: "results", Calls: []gen.Call{call}},
		}.Render(format, r), r)
		if format != "genkit" || bytes.Contains(list, []byte(`"output":"FIRST LINE`)) { // only texts are cut, not members of objects
			return list
		}
	}
}

// A result that is larger than the window keeps its beginning and its end; the whole is in the archive, and comes back.
func TestLastResortCutsResults(t *testing.T) {
	t.Parallel()
	for _, format := range judged() {
		if toolless(format) { // it has no tools
			continue
		}
		for _, archive := range []string{"", "places", "bodies"} {
			for _, preset := range []string{"default", "window-budget", "layered", "checkpoint"} {
				policy := fmt.Sprintf(`{"preset":%q,"format":%q,"window":{"tokens":4000,"reserve":400},"summary":{"mode":"local"},"archive":%q}`, preset, format, archive)
				messages := largeResult(format)
				a, broken := promises(t, format, policy, messages, summaryText)
				for _, b := range broken {
					t.Errorf("%s, %s: %s", format, policy, b)
				}
				text := string(a.Messages)
				if !a.Report.Fits || !strings.Contains(text, "FIRST LINE") || !strings.Contains(text, "LAST LINE") || !strings.Contains(text, "bytes left out") && !strings.Contains(text, "lines truncated") {
					t.Errorf("%s, %s: fits is %v, %s: %.600s", format, policy, a.Report.Fits, a.Report.Reason, text)
				}
				if named := strings.Contains(text, "[Truncated. Handle: "); named != (archive != "") || named && len(a.Archive) == 0 {
					t.Errorf("%s, %s: a handle is named: %v, %d bodies in the archive", format, policy, named, len(a.Archive))
				}
			}
		}
	}
}

// The policy may disable the last resort. Then the report says what does not fit, and why.
func TestDoesNotFit(t *testing.T) {
	messages := string(largeResult("openai-chat"))
	long := strings.Repeat("an instruction that is long ", 900)
	text := func(role, text string) string {
		b, _ := json.Marshal(map[string]string{"role": role, "content": text})
		return string(b)
	}
	pinned := "[" + strings.Join([]string{text("user", long), text("assistant", "Yes."), text("user", "Go on.")}, ",") + "]"
	for _, c := range []struct {
		name, policy, messages string
		fits                   bool
		reason, why            string
	}{
		{"switched off", `{"format":"openai-chat","window":{"tokens":4000},"last_resort":false,"summary":{"mode":"local"}}`, messages, false, "no_progress", "kept"},
		{"the published system", `{"preset":"window-budget","format":"openai-chat","window":{"tokens":4000},"wire_safe":false,"summary":{"mode":"local"}}`, messages, false, "no_progress", "kept"},
		{"the newest message of the user", `{"format":"openai-chat","window":{"tokens":4000},"summary":{"mode":"local"}}`, "[" + text("user", long) + "]", false, "no_progress", "newest_user"},
		{"the system's", `{"format":"openai-chat","window":{"tokens":4000},"summary":{"mode":"local"}}`, "[" + text("system", long) + "," + text("user", "Go on.") + "]", false, "no_progress", "system"},
		{"the system prompt", `{"format":"anthropic","window":{"tokens":4000},"summary":{"mode":"local"}}`,
			`{"system":"` + long + `","messages":[` + text("user", "Go on.") + "]}", false, "no_progress", "beside"},
		{"pinned, and cut all the same", `{"format":"openai-chat","window":{"tokens":4000},"pins":[{"index":0}],"summary":{"mode":"local"}}`, pinned, true, "compacted", ""},
		{"pinned, without the last resort", `{"format":"openai-chat","window":{"tokens":4000},"pins":[{"index":0}],"last_resort":false,"summary":{"mode":"local"}}`, pinned, false, "gain_too_small", "pinned"},
		{"under the limit", `{"format":"openai-chat","window":{"tokens":40000}}`, messages, true, "under_budget", ""},
		{"no limit", `{"format":"openai-chat","window":{"unlimited":true}}`, messages, true, "unlimited", ""},
		{"too few messages for the passes", `{"preset":"checkpoint","format":"openai-chat","window":{"tokens":4000,"reserve":400}}`, messages, true, "compacted", ""},
		{"too few, without the last resort", `{"preset":"checkpoint","format":"openai-chat","window":{"tokens":4000,"reserve":400},"last_resort":false}`, messages, false, "under_budget", "kept"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := call(t, "plan", `{"policy":`+c.policy+`,"messages":`+c.messages+`}`)
			r := a.Report
			if r.Fits != c.fits || r.Reason != c.reason || (r.Over == nil) != c.fits {
				t.Fatalf("fits is %v, %s: %+v", r.Fits, r.Reason, r.Over)
			}
			if c.fits {
				return
			}
			over := r.Over
			if over.Limit != r.Tokens.After-r.Tokens.Limit || over.Window != max(0, r.Tokens.After-r.Tokens.Window) {
				t.Errorf("%+v does not go with %+v", over, r.Tokens)
			}
			if over.Causes[0].Why != c.why || over.Causes[0].Tokens < r.Tokens.After/2 || !strings.Contains(over.Text, " tokens do not fit into ") {
				t.Errorf("%+v", over)
			}
		})
	}
}

// While a summary is pending, only content that can be neither folded nor cut counts, so that nobody pays for a useless summary without a
// warning.
func TestDoesNotFitPending(t *testing.T) {
	plain := `{"role":"user","content":"` + strings.Repeat("words and words ", 600) + `"},{"role":"assistant","content":"` + strings.Repeat("words and words ", 600) + `"}`
	policy := `{"format":"openai-chat","window":{"tokens":4000},"summary":{"max_input_tokens":8000}}`
	for tail, fits := range map[string]bool{"Go on.": true, strings.Repeat("a long request ", 1500): false} {
		a := call(t, "plan", `{"policy":`+policy+`,"messages":[`+plain+`,{"role":"user","content":"`+tail+`"}]}`)
		if len(a.Requests) == 0 || a.Report.Fits != fits {
			t.Errorf("%d requests, fits is %v, not %v", len(a.Requests), a.Report.Fits, fits)
		}
	}
}

// The newest user message stays whole, even if it alone exceeds the window; everything else gives way.
func TestNewestStaysWhole(t *testing.T) {
	long := strings.Repeat("a long request ", 3000)
	messages := `[{"role":"user","content":"` + strings.Repeat("words ", 2000) + `"},{"role":"assistant","content":"` + strings.Repeat("words ", 2000) + `"},{"role":"user","content":"` + long + `"}]`
	for _, preset := range []string{"default", "layered", "window-budget", "turn-tail", "checkpoint", "agent-loop"} {
		policy := fmt.Sprintf(`{"preset":%q,"format":"openai-chat","window":{"tokens":4000,"reserve":400},"summary":{"mode":"local"}}`, preset)
		a, broken := promises(t, "openai-chat", policy, []byte(messages), summaryText)
		for _, b := range broken {
			t.Errorf("%s: %s", preset, b)
		}
		fixed := fixedTokens(t, policy, "openai-chat", []byte(messages))
		if !strings.Contains(string(a.Messages), long) || a.Report.Fits || a.Report.Tokens.After > fixed+260 {
			t.Errorf("%s: %d tokens stay beside the newest message, fits is %v", preset, a.Report.Tokens.After-fixed, a.Report.Fits)
		}
		if bad := judge.Valid("openai-chat", a.Messages); len(bad) > 0 {
			t.Errorf("%s: %s", preset, bad[0])
		}
	}
}

// A function response of Gemini contains media next to its response, and no text, so media there get no placeholder.
func TestNoTextAmongMedia(t *testing.T) {
	image := `{"inlineData":{"mimeType":"image/png","data":"` + strings.Repeat("iVBORw0KGgoAAAANSUhEUgAA", 40) + `"}}`
	messages := `[{"role":"user","parts":[{"text":"Look."}]},{"role":"model","parts":[{"functionCall":{"name":"look","args":{}},"thoughtSignature":"x"}]},
{"role":"user","parts":[{"functionResponse":{"name":"look","response":{"output":"seen"},"parts":[` + image + `]}}]}]`
	for _, policy := range []string{
		`{"format":"gemini","max_bytes":400,"window":{"tokens":200000}}`,
		`{"format":"gemini","window":{"tokens":400,"reserve":0},"summary":{"mode":"local"}}`,
	} {
		_, broken := promises(t, "gemini", policy, []byte(messages), summaryText)
		for _, b := range broken {
			t.Errorf("%s: %s", policy, b)
		}
		a := call(t, "plan", `{"policy":`+policy+`,"messages":`+messages+`}`)
		if strings.Contains(string(a.Messages), "Image removed") {
			t.Errorf("%s: a text stands among the media of %s", policy, a.Messages)
		}
	}
}

// A prompt of Pydantic AI lists its images in a list of its own, where text may take the place of one that is over max_bytes.
func TestMediaOfPromptsGiveWay(t *testing.T) {
	image := `{"data":"` + strings.Repeat("iVBORw0KGgoAAAANSUhEUgAA", 400) + `","media_type":"image/png","kind":"binary"}`
	says := func(content string) string {
		return `{"parts":[{"content":` + content + `,"part_kind":"user-prompt"}],"kind":"request"},{"parts":[{"content":"A kiln.","part_kind":"text"}],"kind":"response"}`
	}
	messages := `[` + says(`["What is on this picture?",`+image+`]`) + `,` + says(`[`+image+`,"And on this?"]`) + `,
{"parts":[{"content":"Which is larger?","part_kind":"user-prompt"}],"kind":"request"}]`
	for policy, left := range map[string]int{
		`{"format":"pydantic-ai","max_bytes":12000,"window":{"tokens":200000}}`: 1,
		`{"format":"pydantic-ai","max_bytes":4000,"window":{"tokens":200000}}`:  0,
	} {
		_, broken := promises(t, "pydantic-ai", policy, []byte(messages), summaryText)
		for _, b := range broken {
			t.Errorf("%s: %s", policy, b)
		}
		a := call(t, "plan", `{"policy":`+policy+`,"messages":`+messages+`}`)
		if strings.Count(string(a.Messages), image) != left || strings.Count(string(a.Messages), "Image removed") != 2-left || !a.Report.Fits {
			t.Errorf("%s: %d images, %d placeholders, %+v", policy, strings.Count(string(a.Messages), image), strings.Count(string(a.Messages), "Image removed"), a.Report.Tokens)
		}
	}
}

// Content that the provider's own summary replaces is no longer sent to a model, so cutting it frees nothing.
func TestLastResortLeavesWhatCostsNothing(t *testing.T) {
	long := strings.Repeat("a line of words that nobody needs\\n", 400)
	first := `{"role":"user","content":"` + long + `"}`
	out := core.Call("plan", []byte(`{"policy":{"format":"anthropic","window":{"tokens":600,"reserve":0},"passes":[]},"messages":[`+first+`,
		{"role":"assistant","content":[{"type":"compaction","content":"What was said."}]},{"role":"user","content":"Go on."},
		{"role":"assistant","content":"`+long+`"},{"role":"user","content":"And now?"}]}`))
	if messages := field(t, out, "messages"); !strings.Contains(messages, first) || strings.Count(messages, long) != 1 {
		t.Errorf("%.300s", out)
	}
}

// Content that a repair removes may be enough to fit.
func TestRepairIsEnough(t *testing.T) {
	orphan := `{"role":"tool","tool_call_id":"gone","content":"` + strings.Repeat("a line of the file ", 40) + `"}`
	messages := `[{"role":"user","content":"Read the file."},{"role":"assistant","content":"Which one?"},` + orphan + `,{"role":"user","content":"Any."}]`
	before := estimateOf(t, `{"format":"openai-chat"}`, messages)
	policy := fmt.Sprintf(`{"preset":"layered","format":"openai-chat","window":{"tokens":%d,"reserve":0}}`, before-10)
	a, broken := promises(t, "openai-chat", policy, []byte(messages), summaryText)
	if len(broken) > 0 || !a.Report.Fits || !a.Report.Changed || strings.Contains(string(a.Messages), "a line of the file") {
		t.Errorf("%v, %+v: %s", broken, a.Report, a.Messages)
	}
}

// The digest gets its final handle when everything else is settled, and handles differ in their number of tokens: the result fits
// regardless, at every limit.
func TestLastResortLeavesRoomForHandles(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	words := func(n int) string {
		var b strings.Builder
		for range n {
			fmt.Fprintf(&b, "%s%d ", []string{"alpha", "beta", "gamma", "delta"}[r.IntN(4)], r.IntN(1000))
		}
		return b.String()
	}
	for window := 800; window < 1200; window++ {
		messages, err := json.Marshal([]map[string]string{
			{"role": "user", "content": words(40)}, {"role": "assistant", "content": words(60)}, {"role": "user", "content": words(150)},
			{"role": "assistant", "content": words(300)},
		})
		if err != nil {
			t.Fatal(err)
		}
		policy := fmt.Sprintf(`{"format":"plain","window":{"tokens":%d,"reserve":100},"summary":{"mode":"local"},"archive":"places"}`, window)
		if a := compacts(t, policy, "", string(messages), summaryText); !a.Report.Fits || a.Report.Folded == 0 {
			t.Errorf("window %d: fits %v, %d tokens of %d, %d folded", window, a.Report.Fits, a.Report.Tokens.After, a.Report.Tokens.Limit, a.Report.Folded)
		}
	}
}

// A limit below the size of the system prompt and the tools is out of reach, however small the digest is. The digest isn't made smaller for
// that: it has the same text as if the limit left room, and further attempts to cut the result leave it unchanged.
func TestLimitOutOfReachKeepsTheDigest(t *testing.T) {
	var turns []string
	for i := range 40 {
		turns = append(turns, fmt.Sprintf(`{"role":"user","content":"Never delete table %d. Please look at module %d."},{"role":"assistant","content":"Module %d reads its limits from config/limits_%d.yaml and fails above %d requests."}`,
			i, i, i, i, 100+i))
	}
	messages := "[" + strings.Join(turns, ",") + `,{"role":"user","content":"Go on."}]`
	n := 81
	size := estimateOf(t, `{"format":"openai-chat"}`, messages)
	digestOf := func(window, fixed int) string {
		a := call(t, "plan", fmt.Sprintf(`{"policy":{"format":"openai-chat","window":{"tokens":%d,"reserve":0},"summary":{"mode":"local"}},"options":{"usage":{"message":%d,"total_tokens":%d,"least_tokens":%d}},"messages":%s}`,
			window, n-2, size+fixed, fixed, messages))
		if !a.Report.Changed {
			t.Fatalf("window %d: %+v", window, a.Report)
		}
		var list []struct{ Content string }
		if err := json.Unmarshal(a.Messages, &list); err != nil {
			t.Fatal(err)
		}
		return list[0].Content
	}
	for _, window := range []int{4000, 6000} {
		within, beyond := digestOf(12000, 9000), digestOf(window, 12000)
		if !strings.Contains(beyond, "[session digest") || strings.Contains(beyond, "(1 more)") || len(beyond) < len(within)/3 || !strings.Contains(beyond, "Module 3") {
			t.Errorf("a window of %d: the digest has %d bytes, and %d where the limit is in reach: %s", window, len(beyond), len(within), beyond)
		}
	}
}
