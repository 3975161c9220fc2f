package passes

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/handles"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// leastRules is the minimum size in tokens to which an instruction file may be cut.
const leastRules = 128

// rulesRoom returns the room for rules in tokens. It is what the policy's share for project instructions leaves, but at
// most a third of the room that pinned messages leave below the target.
func rulesRoom(c Run) int {
	room, free := c.Keep().ProjectRoom(), c.Target()
	if free == 0 {
		return room
	}
	for _, it := range c.Doc().Items {
		if it.Pinned {
			free -= it.Tokens
		}
	}
	return min(room, free/3)
}

// shortenProject cuts the newest version of each instruction file that is too large to stay whole down to its rules,
// and pins it. Otherwise a fold would remove the whole file.
func shortenProject(c Run) {
	doc, room := c.Doc(), rulesRoom(c)
	var seen critbit.Map[struct{}]
	for i := len(doc.Items) - 1; i >= 0 && room >= leastRules; i-- {
		if c.Authors().IsOwn(doc.Items[i].Msg) {
			continue
		}
		what, key := digest.ProjectIn(doc.T, int(doc.Items[i].Msg))
		if what != digest.ProjectFile || seen.Has(key) {
			continue
		}
		seen.Add(key)
		if !doc.Items[i].Pinned && shortenFile(c, i, room) {
			room -= doc.Items[i].Tokens
		}
	}
}

// shortenFile cuts the instruction file in an item down to at most room tokens, and pins it. It returns false if it
// can't do so.
func shortenFile(c Run, item, room int) bool {
	doc := c.Doc()
	it := &doc.Items[item]
	n := digest.ProjectFileText(doc.T, int(it.Msg))
	if n < 0 || doc.T.Parts[n].Has(transcript.Signed|transcript.ProviderOnly|transcript.NotSent) || !doc.T.IsString(doc.T.Parts[n].Body) {
		return false
	}
	before := it.Tokens
	if keep := room - (before - doc.P.Parts(doc.T, doc.T.Parts[n:n+1])); keep < leastRules || !cutToRules(c, n, keep) {
		return false
	}
	doc.Remeasure(item)
	c.Report().Truncated++
	c.Report().AddAction(api.Action{Action: api.ActionTruncate, Pass: "fold", Message: int(it.In),
		Tokens: before - it.Tokens})
	c.Keep().PinInstructions(it)
	return true
}

// cutToRules cuts the instruction file at part n down to at most keep tokens, and archives the whole text. It returns
// false, and changes nothing, if too little would be left.
func cutToRules(c Run, n int32, keep int) bool {
	doc := c.Doc()
	p := &doc.T.Parts[n]
	_, text := handles.TruncatedHandle(doc.T.Text(p.Body))
	marker := ""
	if c.Archive().Keeps() {
		marker = handles.WithHandle(handles.TruncatedMarker, handles.Zeros) + "\n"
	}
	size := min(len(text)*keep/max(1, doc.P.Text(text)), len(text))
	short := digest.ProjectRules(text, size)
	for doc.P.Text(marker+short) > keep {
		if size = size * 15 / 16; size < leastRules {
			return false
		}
		short = digest.ProjectRules(text, size)
	}
	putCut(c, n, short)
	return true
}

// putCut replaces the text of part n with short, preceded by a marker with the handle of the archived original.
func putCut(c Run, n int32, short string) {
	doc := c.Doc()
	p := &doc.T.Parts[n]
	handle := c.Archive().Keep(api.BodyText, p.Msg, n, p.Body)
	if c.Archive().Keeps() {
		short = handles.WithHandle(handles.TruncatedMarker, handle) + "\n" + short
	}
	c.Shortened().cutTo(n, handle)
	doc.SetBody(n, jsonspan.AppendString(nil, short), jsonspan.MeasureText(short))
}
