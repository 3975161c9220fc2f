package passes

import (
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/authorship"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/squeeze"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// Agent programs add the output of their own commands, such as an overview of the context, to the conversation as a
// user message. If such an output has at least longCommandOutput bytes, it is cut to its beginning and its end, which
// have at most keptOutput bytes altogether.
const (
	commandOutput     = "<local-command-stdout>"
	commandOutputEnd  = "</local-command-stdout>"
	longCommandOutput = 1000
	keptOutput        = 300
)

// commandCut is the output of a command together with the shortened text that replaces it.
type commandCut struct {
	item  int    // the index of its item
	part  int32  // the part with the output
	short string // the text that replaces it
	gain  int    // the number of tokens that the cut frees
}

// commandOutputs returns the cuts for long outputs of the agent program's commands in user messages. It skips pinned
// messages and the newest user message.
func commandOutputs(c Run) (cuts []commandCut) {
	doc := c.Doc()
	newest := c.Keep().NewestUser()
	for i := range doc.Items {
		it := &doc.Items[i]
		msg := &doc.T.Messages[it.Msg]
		if i == newest || it.Pinned || it.Tokens == 0 || msg.Role != transcript.User || msg.Joined || c.Authors().Origin(it.Msg) != authorship.NotOurs {
			continue
		}
		for n := msg.First; n < msg.First+msg.Count; n++ {
			if short := shortCommandOutput(doc, n); short != "" {
				cuts = append(cuts, commandCut{item: i, part: n, short: short,
					gain: doc.P.Measure(doc.T.Parts[n].Size) - doc.P.Text(short)})
			}
		}
	}
	return cuts
}

// shortCommandOutput returns the beginning and the end of part n if the part consists only of a command's long output,
// and "" otherwise.
func shortCommandOutput(doc *view.View, n int32) string {
	p := &doc.T.Parts[n]
	if p.Kind != transcript.Text || p.Parent >= 0 || p.Body.Len() < longCommandOutput || !doc.T.IsString(p.Body) ||
		p.Has(transcript.Removed|transcript.Edited|transcript.Signed|transcript.ProviderOnly|transcript.NotSent) {
		return ""
	}
	text := doc.T.Text(p.Body)
	if len(text) < longCommandOutput || !strings.HasPrefix(text, commandOutput) {
		return ""
	}
	if _, after, _ := strings.Cut(text, commandOutputEnd); strings.TrimSpace(after) != "" {
		return "" // the user's own words follow
	}
	clean, _, _ := squeeze.Text(text, squeeze.Options{Without: ^squeeze.Controls})
	return digest.Clip(clean, keptOutput)
}

// cutCommandOutputs applies the cuts and reports the change of each message.
func cutCommandOutputs(c Run, cuts []commandCut) {
	doc := c.Doc()
	for len(cuts) > 0 {
		item, n := cuts[0].item, 0
		for ; n < len(cuts) && cuts[n].item == item; n++ {
			putCut(c, cuts[n].part, cuts[n].short)
		}
		cuts = cuts[n:]
		it := &doc.Items[item]
		before := it.Tokens
		doc.Remeasure(item)
		c.Report().Truncated += n
		c.Report().AddAction(api.Action{Action: api.ActionTruncate, Pass: "squeeze", Message: int(it.In),
			Tokens: before - it.Tokens})
	}
}
