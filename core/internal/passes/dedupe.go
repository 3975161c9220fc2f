package passes

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/handles"
	"github.com/ctxfold/ctxfold/core/internal/report"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// dedupePass removes tool results that newer results make redundant. These are results of the same tool that are
// identical byte for byte, and older results of an identical call (same tool, same arguments) that has returned
// something else since. The newest result stays. Its fields are the parameters that its Kind describes.
//
//easyjson:json
type dedupePass struct {
	Pass         string   `json:"pass"`          // the pass's name
	MinTokens    int      `json:"min_tokens"`    // minimum number of tokens that a removal saves
	MinReclaim   int      `json:"min_reclaim"`   // minimum number of tokens to free in total
	Superseded   string   `json:"superseded"`    // results of which tools a later call replaces: "reads", "all" or "none"
	ExcludeTools []string `json:"exclude_tools"` // the tools whose results stay
}

func init() {
	Register(Kind{
		Name: "dedupe",
		Doc:  "removes tool results that a newer one repeats: results of one tool that are equal byte for byte, and results of an identical call (same tool, same arguments) that has returned something else since. The newest one stays.",
		Make: func() Pass { return new(dedupePass) },
		Params: []Param{
			{"min_tokens", "50", "min_tokens is the minimum that removing a result must save, in tokens."},
			{"min_reclaim", "0", "min_reclaim is the minimum number of tokens to free in total; if fewer would be freed, nothing is removed."},
			{"superseded", `"reads"`, `superseded says which results are removed when an identical call has returned something else since: "reads" (the default: those of tools that read a file), "all" or "none".`},
			{"exclude_tools", "[]", "exclude_tools are tools whose results always stay."},
		},
		Markers: []handles.Marking{{Text: handles.DuplicateMarker}, {Text: handles.SupersededMarker}},
		Counts:  []report.Counter{cleared},
	})
}

// Check reports an unknown value of superseded and numbers out of range; it returns "" if there are none.
func (p *dedupePass) Check() string {
	if p.Superseded != "reads" && p.Superseded != "all" && p.Superseded != "none" {
		return `superseded must be "reads", "all" or "none"`
	}
	return cmp.Or(tokensRange("min_tokens", p.MinTokens), tokensRange("min_reclaim", p.MinReclaim))
}

// Run removes tool results that newer ones make redundant. It does nothing if that would save fewer tokens than the
// parameter min_reclaim.
func (p *dedupePass) Run(c Run) {
	doc := c.Doc()
	d := deduping{pass: p, doc: doc, archive: c.Archive(), excluded: ToolFilter(p.ExcludeTools, nil)}
	for i := len(doc.Items) - 1; i >= 0; i-- {
		msg := &doc.T.Messages[doc.Items[i].Msg]
		for n := msg.First + msg.Count - 1; n >= msg.First; n-- {
			if handles.OwnBody(doc, n) {
				d.look(i, n)
			}
		}
	}
	if d.reclaim < max(1, p.MinReclaim) {
		return
	}
	doc.Leans = append(doc.Leans, d.leans...)
	for kind, list := range d.targets {
		slices.Reverse(list)
		replace(c, list, "dedupe", "dedupe", dedupeMarkers[kind], func(int) string { return "" })
	}
}

// The reasons for removing a result: a newer result is identical, or an identical call has returned something else
// since.
const (
	repeated = iota
	superseded
)

var dedupeMarkers = [...]string{repeated: handles.DuplicateMarker, superseded: handles.SupersededMarker}

// deduping examines the tool results, beginning with the newest.
type deduping struct {
	pass     *dedupePass            // the pass, with its parameters
	doc      *view.View             // the document with the results
	archive  *handles.Archive       // takes the removed content
	excluded func(tool string) bool // reports whether a tool's results stay
	results  critbit.Map[int32]     // by tool, size and hash: results that may be equal, and are then compared
	calls    critbit.Map[int32]     // by tool and arguments: the newest result of each call

	targets [2][]result // by the reason for the removal
	leans   []view.Lean // which results a removal relies on
	reclaim int         // the total number of tokens that the removals free
}

// look compares the result at part n with newer results. item is the index of the item that contains it.
func (d *deduping) look(item int, n int32) {
	t := d.doc.T
	tool := digest.ToolName(t, int(n))
	reading := digest.ReadsWhole
	if digest.ReadsFile(tool) {
		if reading = digest.ResultReading(t, n); reading == digest.ReadsSame {
			return // the result refers to an earlier read, which has the content
		}
	}
	why := repeated
	newer, again := d.same(n, tool)
	if call := d.call(n, tool); call != "" {
		if since, called := d.calls.Get(call); called && !again {
			why, newer, again = superseded, since, true
		}
		if !t.Parts[n].Has(transcript.IsError) && reading != digest.ReadsFailed { // an error doesn't replace an older result
			d.calls.Set(call, n)
		}
	}
	if !again || d.doc.Items[item].Pinned || len(d.pass.ExcludeTools) > 0 && d.excluded(tool) {
		return
	}
	if gain := clearing(d.doc, n, d.archive.Sized(dedupeMarkers[why])); gain >= max(1, d.pass.MinTokens) {
		d.targets[why] = append(d.targets[why], result{item: item, part: n, gain: gain})
		d.leans = append(d.leans, view.Lean{Message: t.Parts[n].Msg, On: t.Parts[newer].Msg})
		d.reclaim += gain
	}
}

// same returns the index of a newer result of the same tool with the same body, if there is one. In d.results, it
// replaces the newer result with result n.
func (d *deduping) same(n int32, tool string) (newer int32, found bool) {
	body := d.doc.T.Bytes(d.doc.T.Parts[n].Body)
	var hash transcript.Fingerprint
	hash.Add(body)
	key := hash.String() + " " + strconv.Itoa(len(body)) + " " + tool
	newer, found = d.results.Get(key)
	found = found && bytes.Equal(body, d.doc.T.Bytes(d.doc.T.Parts[newer].Body))
	d.results.Set(key, n)
	return newer, found
}

// call returns a key for the call, of the given tool, that result n answers. Identical calls have the same key. It
// returns "" if the pass keeps the older results of such calls.
func (d *deduping) call(n int32, tool string) string {
	if d.pass.Superseded == "all" || d.pass.Superseded == "reads" && digest.ReadsFile(tool) {
		return tool + "\x00" + digest.CallArgs(d.doc.T, &d.doc.T.Parts[d.doc.T.Parts[n].Pair])
	}
	return ""
}
