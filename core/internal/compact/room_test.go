package compact

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/tokens"
	"github.com/ctxfold/ctxfold/internal/testing/sessions"
	"github.com/ctxfold/ctxfold/internal/testing/trials"
)

// recordOf returns the record in a prompt.
func recordOf(prompt string) string {
	_, rest, _ := strings.Cut(prompt, "<scrollback>\n")
	record, _, _ := strings.Cut(rest, "\n</scrollback>")
	return record
}

// TestRoom measures how much of the room in a request its record fills, if the whole record is larger. It uses real
// sessions in windows of five sizes. In make test, it uses one of the sizes for each session.
func TestRoom(t *testing.T) {
	var out strings.Builder
	fmt.Fprintf(&out, "| window | sessions | record, tokens | room, tokens | share of the room used, mean | least | requests |\n|---:|---:|---:|---:|---:|---:|---:|\n")
	all := sessions.Load(t, "openai-chat", "openai-responses", "anthropic", "gemini")
	for k, window := range []int{16000, 32000, 64000, 128000, 200000} {
		n, records, rooms, requests, sum, least := 0, 0, 0, 0, 0.0, 1.0
		for i, s := range all {
			if !trials.Covers(i, k, 5) {
				continue
			}
			if strings.HasSuffix(s.Name, ")") || strings.HasSuffix(s.Name, "gemini-contents.json") || strings.HasSuffix(s.Name, "ui-messages.json") {
				continue // the same session in another format
			}
			pol := fmt.Sprintf(`{"window":{"tokens":%d},"passes":[{"pass":"fold","keep_tokens":20000}]}`, window)
			open := strings.Replace(pol, "}]}", `}],"summary":{"max_input_tokens":100000000}}`, 1)
			src := string(s.JSON())
			bounded, whole := requestsOf(t, s.Format, pol, src), requestsOf(t, s.Format, open, src)
			if len(bounded) == 0 || len(whole) != 1 {
				continue
			}
			est := tokens.ByName("bytes4")
			record := est.Text(recordOf(whole[0].Prompt))
			limit := window - min(16384, window/8) - whole[0].MaxOutputTokens
			room := limit - whole[0].InputTokens + record
			if record <= room {
				continue
			}
			used := 0
			for _, q := range bounded {
				used += est.Text(recordOf(q.Prompt))
				if q.InputTokens > limit && len(bounded) == 1 {
					t.Errorf("%s, %d: %d tokens of %d", s.Name, window, q.InputTokens, limit)
				}
			}
			share := float64(used) / float64(room*len(bounded))
			if len(bounded) == 1 && share < 0.9 {
				t.Errorf("%s, window %d: of a record of %d tokens %d are shown, in a room of %d", s.Name, window, record, used, room)
			}
			n, records, rooms, requests, sum, least = n+1, records+record, rooms+room, requests+len(bounded), sum+share, min(least, share)
		}
		if n > 0 {
			fmt.Fprintf(&out, "| %d | %d | %d | %d | %.1f %% | %.1f %% | %d |\n", window, n, records/n, rooms/n, 100*sum/float64(n), 100*least, requests)
		}
	}
	t.Log("\n" + out.String())
}

func requestsOf(t testing.TB, format, pol, src string) []api.SummaryRequest {
	return run(t, format, pol, src).summary.Requests()
}

// A record is clipped until its request fits, even if it is only slightly too large, and then uses the room.
func TestClippedRequest(t *testing.T) {
	for limit := 560; limit < 1400; limit += 3 {
		pol := fmt.Sprintf(`{"estimator":"bytes4","window":{"tokens":3000000},"passes":[{"pass":"fold","keep_tokens":10}],`+
			`"summary":{"max_input_tokens":%d,"max_output_tokens":100}}`, limit) + force
		src := `[{"role":"user","content":"` + strings.Repeat("so ", 2000) + `"},{"role":"assistant","content":"done"},{"role":"user","content":"next"}]`
		r := run(t, "native", pol, src)
		for _, q := range r.summary.Requests() {
			if q.InputTokens > limit || q.InputTokens < limit-120 {
				t.Errorf("%d tokens of %d", q.InputTokens, limit)
			}
		}
	}
}

// Messages that must stay take no room from the digest: the tail gets at most half of what they leave of the target. A
// policy with passes of its own keeps the tail that it names.
func TestTailLeavesRoomForTheDigest(t *testing.T) {
	src := strings.Replace(session(60, 300), "You are careful.", strings.Repeat("You are careful. ", 380), 1)
	kept := func(params string) (tail int) {
		c := run(t, "native", `{"window":{"tokens":8000},"summary":{"mode":"local"}`+params+`}`, src)
		for _, it := range c.doc.Items[c.fold.Digest+1:] {
			if it.In >= 0 && !it.Pinned {
				tail += it.Tokens
			}
		}
		return tail
	}
	const passes = `,"passes":[{"pass":"fold","keep_tokens":%d}]`
	if own, most := kept(fmt.Sprintf(passes, 1000)), kept(fmt.Sprintf(passes, 300)); own <= most || most > 300 {
		t.Errorf("tails of %d and %d tokens, with passes that name 1000 and 300", own, most)
	}
	// The system prompt raises the target of 3,360 tokens by 775, so that it leaves 2,520 next to it; the limit leaves 3,985.
	if n := kept(""); n > 1260 || n < 760 {
		t.Errorf("the tail has %d tokens", n)
	}
}

// A system prompt that takes much of the target raises it, so that the digest isn't left with a few lines. It never raises
// it so far that the next compaction would be due soon. A target that the policy itself has stays as it is.
func TestALargeSystemPromptRaisesTheTarget(t *testing.T) {
	const limit, target = 5600, 3360 // of a window of 8,000
	for _, c := range []struct {
		name, params string
		sentences    int // of the prompt; each has about 4 tokens
		least, most  int // of the target in tokens
	}{
		{"a small one", "", 150, target, target},
		{"a large one", "", 500, target + 1000, (target + limit) / 2},
		{"one that leaves nothing", "", 1000, (target + limit) / 2, (target + limit) / 2},
		{"a target of the policy", `,"gate":{"target":0.6}`, 500, target, target},
	} {
		src := strings.Replace(session(60, 300), "You are careful.", strings.Repeat("You are careful. ", c.sentences), 1)
		pol := `{"window":{"tokens":8000},"summary":{"mode":"local"}` + c.params + `}`
		r := run(t, "native", pol, src)
		if got := r.Target(); r.report.Folded == 0 || got < c.least || got > c.most {
			t.Errorf("%s: folded %d, and the target is %d, want %d to %d", c.name, r.report.Folded, got, c.least, c.most)
		}
		if again := run(t, "native", pol, output(r)); c.sentences < 1000 && (again.due || again.starts) {
			t.Errorf("%s: the next compaction is due at once, at %d tokens", c.name, again.report.Tokens.Before)
		}
	}
}

// A last group that is larger than the tail may be is cut until the digest has its room.
func TestLargeLastGroupLeavesRoomForTheDigest(t *testing.T) {
	src := strings.Replace(session(60, 300), "You are careful.", strings.Repeat("You are careful. ", 380), 1)
	src = strings.TrimSuffix(src, "\n]") + `,{"role":"assistant","content":[{"type":"tool_call","id":"last","name":"bash","arguments":{"command":"make"}}]},{"role":"tool_result","tool_call_id":"last","tool_name":"bash","content":"` + strings.Repeat("a line of output\\n", 450) + `"}]`
	c := run(t, "native", `{"window":{"tokens":8000},"summary":{"mode":"local"}}`, src)
	if got := c.report.Tokens.After; c.report.Folded == 0 || got > c.Target()*21/20 {
		t.Errorf("%d messages are folded, the result has %d tokens, the target is %d", c.report.Folded, got, c.Target())
	}
}
