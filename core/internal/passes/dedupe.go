package passes

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/handles"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// dedupePass removes tool results that a newer one repeats: results of one tool that are identical byte for byte, and results of an
// identical call (same tool, same arguments) that has returned something else since. The newest result stays.
//
//easyjson:json
type dedupePass struct {
	Pass         string   `json:"pass"`
	MinTokens    int      `json:"min_tokens"`
	MinReclaim   int      `json:"min_reclaim"`
	Superseded   string   `json:"superseded"`
	ExcludeTools []string `json:"exclude_tools"`
}

func init() {
	Register(Kind{
		Name: "dedupe",
		Doc:  "removes tool results that a newer one repeats: results of one tool that are equal byte for byte, and results of an identical call (same tool, same arguments) that has returned something else since. The newest one stays.",
		Make: func() Pass { return new(dedupePass) },
		Params: []Param{
			{"min_tokens", "50", "min_tokens is how much removing a result must save, in tokens."},
			{"min_reclaim", "0", "min_reclaim is how many tokens must be freed in total, or nothing is removed."},
			{"superseded", `"reads"`, `superseded says whose results a newer result of an identical call takes the place of: "reads" (the default: of tools that read a file), "all" or "none".`},
			{"exclude_tools", "[]", "exclude_tools are tools whose results always stay."},
		},
		Markers: []handles.Marking{{Text: handles.DuplicateMarker}, {Text: handles.SupersededMarker}},
		Counts:  []view.Counter{cleared},
	})
}

func (p *dedupePass) Check() string {
	if p.Superseded != "reads" && p.Superseded != "all" && p.Superseded != "none" {
		return `superseded must be "reads", "all" or "none"`
	}
	if s := tokensRange("min_tokens", p.MinTokens); s != "" {
		return s
	}
	return tokensRange("min_reclaim", p.MinReclaim)
}

func (p *dedupePass) Follows() bool { return false }

func (p *dedupePass) Run(c *Run) {
	excluded := ToolFilter(p.ExcludeTools, nil)
	var results critbit.Map[int32] // by tool, size and hash: candidates, whose bodies are then compared
	var calls critbit.Map[int32]   // the newest result of each
	var targets [2][]result        // the same, superseded
	var leans []view.Lean
	reclaim := 0
	for i := len(c.Items) - 1; i >= 0; i-- {
		msg := &c.T.Messages[c.Items[i].Msg]
		for n := msg.First + msg.Count - 1; n >= msg.First; n-- {
			if !c.hasResult(n) {
				continue
			}
			tool := digest.ToolName(c.T, int(n))
			reading := digest.ReadsWhole
			if digest.ReadsFile(tool) {
				if reading = digest.ResultReading(c.T, n); reading == digest.ReadsSame {
					continue // it points at an earlier read, which has the content
				}
			}
			body := c.T.Bytes(c.T.Parts[n].Body)
			var hash transcript.Fingerprint
			hash.Add(body)
			key := hash.String() + " " + strconv.Itoa(len(body)) + " " + tool
			newer, same := results.Get(key)
			same = same && bytes.Equal(body, c.T.Bytes(c.T.Parts[newer].Body))
			results.Set(key, n)
			call := ""
			if p.Superseded == "all" || p.Superseded == "reads" && digest.ReadsFile(tool) {
				call = tool + "\x00" + digest.CallArgs(c.T, &c.T.Parts[c.T.Parts[n].Pair])
			}
			kind, again := 0, same
			if since, called := calls.Get(call); !again && call != "" && called {
				kind, again, newer = 1, true, since
			}
			if call != "" && !c.T.Parts[n].Has(transcript.IsError) && reading != digest.ReadsFailed { // an error says nothing about the current state
				calls.Set(call, n)
			}
			if !again || c.Items[i].Pinned || len(p.ExcludeTools) > 0 && excluded(tool) {
				continue
			}
			marker := dedupeMarkers[kind]
			if gain := c.clearing(n, c.Sized(marker)); gain >= max(1, p.MinTokens) {
				targets[kind] = append(targets[kind], result{i, n, gain})
				leans = append(leans, view.Lean{Message: c.T.Parts[n].Msg, On: c.T.Parts[newer].Msg})
				reclaim += gain
			}
		}
	}
	if reclaim < max(1, p.MinReclaim) {
		return
	}
	c.Leans = append(c.Leans, leans...)
	for kind, list := range targets {
		slices.Reverse(list)
		c.replace(list, "dedupe", "dedupe", dedupeMarkers[kind], func(int) string { return "" })
	}
}

var dedupeMarkers = [...]string{handles.DuplicateMarker, handles.SupersededMarker}
