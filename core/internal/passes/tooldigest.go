package passes

import (
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/handles"
	"github.com/ctxfold/ctxfold/core/internal/report"
)

// ToolDigestPass clears old tool results in the tail of a fold, and lists them in the digest before the tail, one per
// line (S4.39, S4.40). If no fold precedes it in the policy, the lines replace the results. Its fields are the
// parameters that its Kind describes.
//
//easyjson:json
type ToolDigestPass struct {
	Pass         string   `json:"pass"`          // the pass's name
	KeepRecent   int      `json:"keep_recent"`   // number of newest results that stay; 0 turns the pass off
	Tools        []string `json:"tools"`         // the tools whose results may be cleared; empty for all
	ExcludeTools []string `json:"exclude_tools"` // the tools whose results stay
}

func init() {
	Register(Kind{
		Name: "tool_digest",
		Doc:  "clears old tool results in the tail that a fold left, and describes each in one line of the digest. Without a fold before it in the policy, it replaces the results with these lines.",
		Make: func() Pass { return new(ToolDigestPass) },
		Params: []Param{
			{"keep_recent", "10", "keep_recent is the number of newest tool results that stay; 0 turns the pass off."},
			{"tools", "[]", "tools are the tools whose results may be cleared; empty means all. Results of exclude_tools never are."},
			{"exclude_tools", "[]", ""},
		},
		Markers: []handles.Marking{{Text: handles.ClearedMarker}, {Text: handles.SummaryMarker, Follows: true}},
		Counts:  []report.Counter{cleared},
	})
}

// Check reports a keep_recent out of range; it returns "" if it is in range.
func (p *ToolDigestPass) Check() string {
	return countRange("keep_recent", p.KeepRecent, "tool results")
}

// CompletesPrevious marks the pass as a [Completer]; it does nothing.
func (p *ToolDigestPass) CompletesPrevious() {}

// Run clears the results, and lists them in the digest if a fold has made one. It does nothing if
// KeepRecent is 0, or if the policy has a fold that folded nothing.
func (p *ToolDigestPass) Run(c Run) {
	doc := c.Doc()
	folds := FoldsBefore(c, "tool_digest")
	switch {
	case p.KeepRecent == 0 || folds && len(c.Fold().Items) == 0:
	case folds:
		p.beforeTail(c)
	default:
		old := oldResults(c, p.KeepRecent, ToolFilter(p.Tools, p.ExcludeTools))
		unsqueezeAll(c, old)
		line := func(i int) string { return "\n" + digest.ToolOutputAt(doc.T, int(old[i].part)).DigestLine() }
		kept := old[:0]
		for i := range old {
			if old[i].gain = clearing(doc, old[i].part, c.Archive().Sized(handles.SummaryMarker)+line(i)); old[i].gain > 0 {
				kept = append(kept, old[i])
			}
		}
		old = kept
		replace(c, old, "archive", "tool_digest", handles.SummaryMarker, line)
	}
}

// beforeTail adds the lines to the digest message, which precedes the tail. If they came after the newest message, they
// would look like the user's newest words (S4.40). It changes nothing if that would not save tokens.
func (p *ToolDigestPass) beforeTail(c Run) {
	doc := c.Doc()
	var old []result
	var outputs []digest.ToolOutput
	gain := 0
	results := oldResults(c, p.KeepRecent, ToolFilter(p.Tools, p.ExcludeTools))
	unsqueezeAll(c, results)
	for _, r := range results {
		o := digest.ToolOutputAt(doc.T, int(r.part))
		if r.gain = clearing(doc, r.part, c.Archive().Sized(handles.ClearedMarker)); r.gain > doc.P.Text("\n"+o.DigestLine()) {
			old, outputs = append(old, r), append(outputs, o)
			gain += r.gain
		}
	}
	lines := "\n\n" + digest.Fence(digest.ToolDigest(outputs))
	if len(old) == 0 || gain <= doc.P.Text(lines) {
		return
	}
	replace(c, old, "clear", "tool_digest", handles.ClearedMarker, func(int) string { return "" })
	msg := doc.Items[c.Fold().Digest].Msg
	text := strings.TrimRight(doc.T.Text(doc.T.FirstText(int(msg))), "\n") + lines
	before := doc.Total
	doc.Replace(c.Fold().Digest, doc.NewMessage(c.Fold().Digest, doc.T.Messages[msg].Role, text))
	c.Report().AddAction(api.Action{Action: api.ActionInsert, Pass: "tool_digest", Message: -1,
		Tokens: before - doc.Total})
}

// FoldsBefore reports whether a fold precedes the first pass with the given name in the policy.
func FoldsBefore(c Run, name string) bool {
	for _, p := range c.Policy().Passes {
		switch p.Name {
		case "fold":
			return true
		case name:
			return false
		}
	}
	return false
}
