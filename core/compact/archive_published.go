package compact

import (
	"strconv"

	"github.com/ctxfold/ctxfold/core/critbit"
	"github.com/ctxfold/ctxfold/core/digest"
	"github.com/ctxfold/ctxfold/core/transcript"
	"github.com/ctxfold/ctxfold/core/wire"
)

// The kinds that S4 gives to messages (S4.11).
const (
	archivedKind = "tool_result_archived"
	summaryKind  = "tool_summary"
)

// published archives exactly as S4 does: the oldest results are kept from the model, without regard to the calls that they
// answer (S4.29), and messages of the user with their summaries stand behind the newest message (S4.24).
func (p *archivePass) published(c *Run) {
	var seen []int // items that are results and are sent
	for i := range c.Items {
		if c.resultOf(i) >= 0 {
			seen = append(seen, i)
		}
	}
	excess := len(seen) - p.KeepRecent
	if excess <= 0 {
		return
	}
	batches := [][]int{}
	if p.Batch > 0 {
		batches = p.schedule(c, seen, excess)
	} else {
		for _, i := range seen[:excess] {
			batches = append(batches, []int{i})
		}
	}
	texts, ok := p.summaries(c, batches)
	if !ok {
		return
	}
	var added []byte
	keys := make(map[int]string, len(seen))
	var queues critbit.Map[[]int] // by key, the results that are still sent, oldest first
	for _, i := range seen {
		keys[i] = c.resultKey(i)
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
		outputs := c.outputs(gone)
		text := outputs[0].Message(texts[k])
		if p.Batch > 0 {
			text = digest.BatchMessage(outputs, texts[k])
		}
		added = c.addSummary(added, text)
		for _, i := range gone {
			c.hide(i, "archive")
		}
	}
	if len(added) > 0 {
		c.Insert(len(c.Items), added)
	}
}

// schedule makes batches of the oldest results (S4.30). A result whose key is in an earlier batch holds its whole batch up.
func (p *archivePass) schedule(c *Run, seen []int, need int) (batches [][]int) {
	var queued critbit.Map[struct{}]
	for need > 0 && len(seen) > 0 && (p.MaxBatches == 0 || len(batches) < p.MaxBatches) {
		size := min(need, p.Batch, len(seen))
		batch := seen[:size]
		seen, need = seen[size:], need-size
		again := false
		for _, i := range batch {
			again = again || queued.Has(c.resultKey(i))
		}
		if again {
			continue
		}
		for _, i := range batch {
			queued.Add(c.resultKey(i))
		}
		batches = append(batches, batch)
	}
	return batches
}

// summaries are the summaries of the batches, or false when the host's model has to be asked first.
func (p *archivePass) summaries(c *Run, batches [][]int) (texts []string, ok bool) {
	local := p.Mode == "local" || c.Policy.Local()
	for k, batch := range batches {
		outputs := c.outputs(batch)
		text := outputs[0].Excerpt()
		if p.Batch > 0 {
			text = digest.BatchExcerpt(outputs)
		}
		if !local {
			id := "archive-" + strconv.Itoa(k+1)
			reply, found := c.reply(id)
			if !found {
				c.Requests = append(c.Requests, p.toolRequest(c, id, outputs))
				continue
			}
			if said, why := p.accept(reply); why == "" {
				text = said
			}
		}
		texts = append(texts, text)
	}
	return texts, len(c.Requests) == 0
}

func (p *archivePass) accept(r digest.Reply) (summary, why string) {
	if p.Batch > 0 {
		return digest.BatchSummary(r)
	}
	return digest.ToolSummary(r)
}

// toolRequest asks for one summary of results.
func (p *archivePass) toolRequest(c *Run, id string, outputs []digest.ToolOutput) digest.Request {
	q := digest.ToolPrompt(outputs, p.Batch > 0, 0, true)
	r := digest.Request{ID: id, Scope: q.Scope, System: q.System(), Prompt: q.Text(), MaxOutputTokens: max(64, c.P.ASCII(digest.BatchOutput))}
	r.InputTokens = c.P.Text(r.System) + c.P.Text(r.Prompt)
	return r
}

// resultOf is the part of an item that is a tool result which the model is sent; -1 where there is none.
func (c *Run) resultOf(item int) int32 {
	m := c.Items[item].Msg
	if c.T.Hidden(int(m)) {
		return -1
	}
	msg := &c.T.Messages[m]
	for n := msg.First; n < msg.First+msg.Count; n++ {
		if p := &c.T.Parts[n]; p.Kind == transcript.ToolResult && !p.Has(transcript.Removed) {
			return n
		}
	}
	return -1
}

// resultKey is what S4 knows a result by: its id or, without one, its name and place (S4.30).
func (c *Run) resultKey(item int) string {
	o := digest.ToolOutputAt(c.T, int(c.resultOf(item)))
	return o.Key(int(c.Items[item].Msg))
}

func (c *Run) outputs(items []int) []digest.ToolOutput {
	outputs := make([]digest.ToolOutput, len(items))
	for k, i := range items {
		outputs[k] = digest.ToolOutputAt(c.T, int(c.resultOf(i)))
	}
	return outputs
}

// marks tells whether messages of the format have a place for who is shown them.
func (c *Run) marks() bool { return c.F.Name == "native" }

// addSummary appends a message with a summary, which the model is sent and the user is not shown (S4.24).
func (c *Run) addSummary(dst []byte, text string) []byte {
	if len(dst) > 0 {
		dst = append(dst, ',')
	}
	message := c.F.Message(nil, transcript.User, text)
	if !c.marks() {
		return append(dst, message...)
	}
	on, off, kind := true, false, summaryKind
	c.act(Action{Action: "insert", Pass: "archive", Message: -1, Tokens: -c.P.NewMessage(transcript.User, text)})
	return wire.Marks{Agent: &on, User: &off, Kind: &kind}.Append(dst, message)
}

// hide keeps an item with a tool result from the model; whether the user is shown it stays (S4.24). Where the format has no
// place for that, the result is taken out.
func (c *Run) hide(item int, pass string) {
	it := &c.Items[item]
	n := c.resultOf(item)
	before := c.Total
	if c.marks() {
		msg := &c.T.Messages[it.Msg]
		meta := c.T.MetaOf(int(it.Msg))
		off, user, kind := false, meta.User != transcript.Off, archivedKind
		for _, s := range (wire.Marks{Agent: &off, User: &user, Kind: &kind}).Splices(c.T.Bytes(msg.Span)) {
			old := transcript.Span{Start: msg.Span.Start + s.Old.Start, End: msg.Span.Start + s.Old.End}
			c.edits = append(c.edits, edit{it.Msg, old, c.T.Write(s.New)})
		}
		c.sorted = false
		meta.Agent = transcript.Off
		c.T.Metas = append(c.T.Metas, meta)
		msg.Meta = int32(len(c.T.Metas))
		c.changed(item)
	} else {
		c.RemovePart(item, n)
	}
	c.act(Action{Action: "archive", Pass: pass, Message: int(it.In), Tokens: before - c.Total, Tool: digest.ToolName(c.T, int(n))})
}
