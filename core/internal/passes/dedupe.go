package passes

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/handles"
	"github.com/ctxfold/ctxfold/core/internal/report"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// dedupePass removes what a newer tool result says again: results of one tool that are the same byte for byte, and results of an identical
// call (same tool, same arguments) that gave something else since. The newest one stays.
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
		Counts:  []report.Counter{cleared},
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

func (p *dedupePass) Run(c Run) {
	doc := c.Doc()
	excluded := ToolFilter(p.ExcludeTools, nil)
	var results critbit.Map[int32] // by tool, size and hash: those that may be the same; their bodies tell
	var calls critbit.Map[int32]   // the newest result of each
	var targets [2][]result        // the same, superseded
	var leans []view.Lean
	reclaim := 0
	for i := len(doc.Items) - 1; i >= 0; i-- {
		msg := &doc.T.Messages[doc.Items[i].Msg]
		for n := msg.First + msg.Count - 1; n >= msg.First; n-- {
			if !handles.OwnBody(doc, n) {
				continue
			}
			tool := digest.ToolName(doc.T, int(n))
			reading := digest.ReadsWhole
			if digest.ReadsFile(tool) {
				if reading = digest.ResultReading(doc.T, n); reading == digest.ReadsSame {
					continue // it points at an earlier read, which has the content
				}
			}
			body := doc.T.Bytes(doc.T.Parts[n].Body)
			var hash transcript.Fingerprint
			hash.Add(body)
			key := hash.String() + " " + strconv.Itoa(len(body)) + " " + tool
			newer, same := results.Get(key)
			same = same && bytes.Equal(body, doc.T.Bytes(doc.T.Parts[newer].Body))
			results.Set(key, n)
			call := ""
			if p.Superseded == "all" || p.Superseded == "reads" && digest.ReadsFile(tool) {
				call = tool + "\x00" + digest.CallArgs(doc.T, &doc.T.Parts[doc.T.Parts[n].Pair])
			}
			kind, again := 0, same
			if since, called := calls.Get(call); !again && call != "" && called {
				kind, again, newer = 1, true, since
			}
			if call != "" && !doc.T.Parts[n].Has(transcript.IsError) && reading != digest.ReadsFailed { // an error is no newer state of anything
				calls.Set(call, n)
			}
			if !again || doc.Items[i].Pinned || len(p.ExcludeTools) > 0 && excluded(tool) {
				continue
			}
			marker := dedupeMarkers[kind]
			if gain := clearing(doc, n, c.Archive().Sized(marker)); gain >= max(1, p.MinTokens) {
				targets[kind] = append(targets[kind], result{i, n, gain})
				leans = append(leans, view.Lean{Message: doc.T.Parts[n].Msg, On: doc.T.Parts[newer].Msg})
				reclaim += gain
			}
		}
	}
	if reclaim < max(1, p.MinReclaim) {
		return
	}
	doc.Leans = append(doc.Leans, leans...)
	for kind, list := range targets {
		slices.Reverse(list)
		replace(c, list, "dedupe", "dedupe", dedupeMarkers[kind], func(int) string { return "" })
	}
}

var dedupeMarkers = [...]string{handles.DuplicateMarker, handles.SupersededMarker}
