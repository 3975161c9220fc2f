package exact

import (
	"slices"
	"strconv"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/passes"
	"github.com/ctxfold/ctxfold/core/internal/published/verbatim"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// The message kinds that S4 assigns (S4.11).
const (
	archivedKind = "tool_result_archived"
	summaryKind  = "tool_summary"
)

// archiveResults archives exactly as S4 does. It hides the oldest results from the model, even if that separates them
// from their calls (S4.29), and adds user messages with summaries of them after the newest message (S4.24).
func archiveResults(p *passes.ArchivePass, c passes.Run) {
	doc := c.Doc()
	if p.KeepRecent == 0 {
		return
	}
	seen := sentResults(c)
	excess := len(seen) - p.KeepRecent
	if excess <= 0 {
		return
	}
	batches := schedule(p, c, seen, excess)
	texts, ok := summaries(p, c, batches)
	if !ok {
		return
	}
	var added []byte
	keys := make(map[int]string, len(seen))
	var queues critbit.Map[[]int] // for each key, the results that are not hidden yet, oldest first
	for _, i := range seen {
		keys[i] = resultKey(c, i)
		queue := queues.At(keys[i])
		*queue = append(*queue, i)
	}
	for k, batch := range batches {
		var gone []int
		for _, i := range batch {
			if queue := queues.At(keys[i]); len(*queue) > 0 {
				gone, *queue = append(gone, (*queue)[0]), (*queue)[1:]
			}
		}
		if len(gone) == 0 {
			continue
		}
		said := outputs(c, gone)
		text := verbatim.ToolMessage(said[0], texts[k])
		if p.Batch > 0 {
			text = digest.BatchMessage(said, texts[k])
		}
		added = addSummary(c, added, text)
		for _, i := range gone {
			hide(c, i, "archive")
		}
	}
	if len(added) > 0 {
		doc.Insert(len(doc.Items), added)
	}
}

// sentResults returns the items with a result that is sent to the model.
func sentResults(c passes.Run) (seen []int) {
	for i := range c.Doc().Items {
		if resultOf(c, i) >= 0 {
			seen = append(seen, i)
		}
	}
	return seen
}

// toolDigest hides the oldest results from the model as S4 does, and adds a user message after the newest message, with
// one line for each hidden result (S4.39).
func toolDigest(p *passes.ToolDigestPass, c passes.Run) {
	doc := c.Doc()
	if p.KeepRecent == 0 || passes.FoldsBefore(c, "tool_digest") && len(c.Fold().Items) == 0 {
		return
	}
	seen := sentResults(c)
	excess := len(seen) - p.KeepRecent
	if excess <= 0 {
		return
	}
	said := outputs(c, seen[:excess])
	for _, i := range seen[:excess] {
		hide(c, i, "tool_digest")
	}
	doc.Insert(len(doc.Items), addSummary(c, nil, digest.ToolDigest(said)))
}

// schedule divides the first need items of seen, which contain the oldest results, into batches
// (S4.30), each of one result if the pass has no batches. A result whose key is already in an
// earlier batch delays its whole batch.
func schedule(p *passes.ArchivePass, c passes.Run, seen []int, need int) (batches [][]int) {
	if p.Batch <= 0 {
		return slices.Collect(slices.Chunk(seen[:need], 1))
	}
	var queued critbit.Map[struct{}]
	for need > 0 && len(seen) > 0 && (p.MaxBatches == 0 || len(batches) < p.MaxBatches) {
		size := min(need, p.Batch, len(seen))
		batch := seen[:size]
		seen, need = seen[size:], need-size
		again := false
		for _, i := range batch {
			again = again || queued.Has(resultKey(c, i))
		}
		if again {
			continue
		}
		for _, i := range batch {
			queued.Add(resultKey(c, i))
		}
		batches = append(batches, batch)
	}
	return batches
}

// summaries returns a summary of each batch. If the policy uses no model, or the model's summary
// isn't accepted, it is an excerpt. ok is false if the host's model has to write one first.
func summaries(p *passes.ArchivePass, c passes.Run, batches [][]int) (texts []string, ok bool) {
	local := p.Mode == "local" || c.Policy().UsesLocalDigest()
	for k, batch := range batches {
		said := outputs(c, batch)
		text := verbatim.Excerpt(said[0])
		if p.Batch > 0 {
			text = digest.BatchExcerpt(said)
		}
		if !local {
			id := "archive-" + strconv.Itoa(k+1)
			reply, found := c.Summary().ReplyTo(id)
			if !found {
				c.Summary().AddRequest(toolRequest(p, c, id, said))
				continue
			}
			if summary, why := accept(p, reply); why == "" {
				text = summary
			}
		}
		texts = append(texts, text)
	}
	return texts, len(c.Summary().Requests()) == 0
}

func accept(p *passes.ArchivePass, r api.Summary) (summary, why string) {
	if p.Batch > 0 {
		return verbatim.BatchSummary(r)
	}
	return verbatim.ToolSummary(r)
}

// toolRequest returns a request for one summary of the given tool outputs.
func toolRequest(p *passes.ArchivePass, c passes.Run, id string, outputs []digest.ToolOutput) api.SummaryRequest {
	doc := c.Doc()
	q := verbatim.ToolPrompt(outputs, p.Batch > 0)
	r := api.SummaryRequest{ID: id, Scope: q.Scope, System: q.System(), Prompt: q.Text(),
		MaxOutputTokens: max(64, doc.P.ASCII(digest.BatchOutput))}
	r.InputTokens = doc.P.Text(r.System) + doc.P.Text(r.Prompt)
	return r
}

// resultOf returns the index of the tool result in an item, or -1 if the item contains none or is hidden from the
// model.
func resultOf(c passes.Run, item int) int32 {
	doc := c.Doc()
	m := doc.Items[item].Msg
	if doc.T.IsUnsent(int(m)) {
		return -1
	}
	msg := &doc.T.Messages[m]
	for n := msg.First; n < msg.First+msg.Count; n++ {
		if p := &doc.T.Parts[n]; p.Kind == transcript.ToolResult && !p.Has(transcript.Removed) {
			return n
		}
	}
	return -1
}

// resultKey returns the key by which S4 identifies a result: its id or, if it has none, its name and place (S4.30).
func resultKey(c passes.Run, item int) string {
	doc := c.Doc()
	o := digest.ToolOutputAt(doc.T, int(resultOf(c, item)))
	return verbatim.Key(o, int(doc.Items[item].Msg))
}

func outputs(c passes.Run, items []int) []digest.ToolOutput {
	doc := c.Doc()
	outputs := make([]digest.ToolOutput, len(items))
	for k, i := range items {
		outputs[k] = digest.ToolOutputAt(doc.T, int(resultOf(c, i)))
	}
	return outputs
}

// marks reports whether the format has marks that hide messages from the model or from the user.
func marks(doc *view.View) bool { return doc.F.Name == "native" }

// addSummary appends a message with a summary that is sent to the model but hidden from the user
// (S4.24). If the format has no visibility marks, the message isn't hidden.
func addSummary(c passes.Run, dst []byte, text string) []byte {
	doc := c.Doc()
	if len(dst) > 0 {
		dst = append(dst, ',')
	}
	message := doc.F.Message(nil, transcript.User, text)
	if !marks(doc) {
		return append(dst, message...)
	}
	on, off, kind := true, false, summaryKind
	c.Report().AddAction(api.Action{Action: api.ActionInsert, Pass: "archive", Message: -1,
		Tokens: -doc.P.NewMessage(transcript.User, text)})
	return Marks{Agent: &on, User: &off, Kind: &kind}.Append(dst, message)
}

// hide hides an item with a tool result from the model but not from the user (S4.24). If the format has no visibility
// marks, it removes the result.
func hide(c passes.Run, item int, pass api.Doer) {
	doc := c.Doc()
	it := &doc.Items[item]
	n := resultOf(c, item)
	before := doc.Total
	if marks(doc) {
		msg := &doc.T.Messages[it.Msg]
		meta := doc.T.MetaOf(int(it.Msg))
		off, user, kind := false, meta.User != transcript.Off, archivedKind
		for _, s := range (Marks{Agent: &off, User: &user, Kind: &kind}).Splices(doc.T.Bytes(msg.Span)) {
			old := transcript.Span{Start: msg.Span.Start + s.Old.Start, End: msg.Span.Start + s.Old.End}
			doc.Splice(it.Msg, old, doc.T.WriteToArena(s.New))
		}
		meta.Agent = transcript.Off
		doc.T.Metas = append(doc.T.Metas, meta)
		msg.Meta = int32(len(doc.T.Metas))
		doc.Remeasure(item)
	} else {
		doc.TakePart(n)
		doc.Remeasure(item)
	}
	c.Report().AddAction(api.Action{Action: api.ActionArchive, Pass: pass, Message: int(it.In),
		Tokens: before - doc.Total, Tool: digest.ToolName(doc.T, int(n))})
}
