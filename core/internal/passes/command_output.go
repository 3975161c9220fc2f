package passes

import (
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/authorship"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/squeeze"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// A harness puts the output of its own commands, such as an overview of the context, into the conversation as a user
// message. From longCommandOutput bytes on, an output is cut to its beginning and its end, which have at most
// keptOutput bytes together.
const (
	commandOutput     = "<local-command-stdout>"
	commandOutputEnd  = "</local-command-stdout>"
	longCommandOutput = 1000
	keptOutput        = 300
)

// cutCommandOutputs cuts the outputs of the harness's commands in the user's messages, except for pinned messages and the newest one.
func cutCommandOutputs(c Run) {
	doc := c.Doc()
	newest := c.Keep().NewestUser()
	for i := range doc.Items {
		it := &doc.Items[i]
		msg := &doc.T.Messages[it.Msg]
		if i == newest || it.Pinned || it.Tokens == 0 || msg.Role != transcript.User || msg.Joined || c.Authors().Origin(it.Msg) != authorship.NotOurs {
			continue
		}
		cut := 0
		for n := msg.First; n < msg.First+msg.Count; n++ {
			if cutCommandOutput(c, n) {
				cut++
			}
		}
		if cut > 0 {
			before := it.Tokens
			doc.Remeasure(i)
			c.Report().Truncated += cut
			c.Report().AddAction(api.Action{Action: api.ActionTruncate, Pass: "squeeze", Message: int(it.In), Tokens: before - it.Tokens})
		}
	}
}

// cutCommandOutput cuts part n if it consists of the long output of a command and nothing else. It reports whether it cut the part.
func cutCommandOutput(c Run, n int32) bool {
	doc := c.Doc()
	p := &doc.T.Parts[n]
	if p.Kind != transcript.Text || p.Parent >= 0 || p.Body.Len() < longCommandOutput || !doc.T.IsString(p.Body) ||
		p.Has(transcript.Removed|transcript.Edited|transcript.Signed|transcript.ProviderOnly|transcript.NotSent) {
		return false
	}
	text := doc.T.Text(p.Body)
	if len(text) < longCommandOutput || !strings.HasPrefix(text, commandOutput) {
		return false
	}
	if _, after, _ := strings.Cut(text, commandOutputEnd); strings.TrimSpace(after) != "" {
		return false // the user's own words follow
	}
	clean, _, _ := squeeze.Text(text, squeeze.Options{Without: ^squeeze.Controls})
	putCut(c, n, digest.Clip(clean, keptOutput))
	return true
}
