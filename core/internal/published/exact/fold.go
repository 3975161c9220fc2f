package exact

import (
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/passes"
	"github.com/ctxfold/ctxfold/core/internal/published/verbatim"
	"github.com/ctxfold/ctxfold/core/internal/summary"
)

// fold folds exactly as the system with this style does: pins are ignored, summaries are accepted unchecked, and the
// system's mistakes are reproduced (docs/reference/published.md). undone is true if the run must return its input,
// even if passes have cleared results (S3.43).
func fold(p *passes.FoldPass, c passes.Run, s *verbatim.Style) (undone bool) {
	doc := c.Doc()
	seq := make([]int32, len(doc.Items))
	sizes := make([]int, len(doc.Items))
	for i, it := range doc.Items {
		seq[i], sizes[i] = it.Msg, it.Tokens
	}
	tool := func(i int) bool { return passes.IsTool(doc.T, int(seq[i])) }
	user := func(i int) bool { return passes.IsUser(doc.T, int(seq[i])) }
	stays := make([]bool, len(doc.Items))
	q := verbatim.Prompt{Prompt: digest.Prompt{Round: c.State().Round + 1}}
	from, cut, turn := 0, 0, -1
	switch p.Boundary {
	case "message":
		cut = split(p, c, sizes)
	case "backward":
		sel := SelectMessages(doc.T, seq, p.KeepMessages)
		if from, cut = sel.From, sel.To; cut == 0 {
			c.State().Round = 0 // S2.28: a failed round counts as round 0
			return false
		}
		stays[0] = true
		q.Prior, q.HasPrior = sel.Previous, sel.HasPrevious
	case "group":
		if cut = slice(p, c, sizes, tool, user); cut < max(1, p.MinMessages) {
			return true
		}
	default:
		cut = turnCut(p, c, sizes, tool)
		if passes.IsSplitTurn(len(seq), cut, user) {
			turn = passes.TurnStart(cut, user)
		}
	}
	if cut == 0 {
		return false
	}
	if s.Unseen != "" && !slices.ContainsFunc(seq[from:cut], func(m int32) bool { return !doc.T.IsUnsent(int(m)) }) {
		c.RecordDigestFailure(s.Unseen)
		return false
	}
	if s.Task != nil {
		q.Task = s.Task(doc.T)
	}
	body, ok := textOf(c, s, partsOf(s, seq[from:cut], turn), q, cut-from)
	if !ok {
		return false
	}
	if s.Empty != "" && (body == "" || s.Blank && verbatim.IsBlank(body)) {
		c.RecordDigestFailure(s.Empty)
		return false
	}
	ops := verbatim.FileOps{Read: c.State().Ledger.Read,
		Modified: c.State().Ledger.Modified}.Merge(verbatim.ExtractFileOps(doc.T, seq))
	c.State().Ledger.Read, c.State().Ledger.Modified = ops.Read, ops.Modified
	reportSource(c)
	c.Report().CutPoint = int(doc.Items[cut-1].In) + 1
	text := doc.NewMessage(slices.Index(stays[:cut], false), s.Data.Role, s.Message(body))
	if s.Kind != "" && marks(doc) {
		text = Marks{Kind: &s.Kind}.Append(nil, text)
	}
	passes.PutDigest(c, cut, -1, stays, text, nil) // the digest needs no handle: the folded messages are in the changes
	return false
}

// reportSource records in the report that the host wrote the summary or, if the report doesn't say so, that the model
// did.
func reportSource(c passes.Run) {
	switch {
	case c.Policy().Summary.Text != "":
		c.Report().Summary = api.ReportSummary{Source: api.SourceHost}
	case c.Report().Summary.Source == "none":
		c.Report().Summary = api.ReportSummary{Source: api.SourceModel}
	}
}

// turnCut returns the index of the first message of S1's tail, which has at most KeepTokens. If all
// messages fit, the tail begins with the last message without tool results or, if the host gives
// the summary, with the last message (S1.35). sizes and tool are those of FindCutPoint.
func turnCut(p *passes.FoldPass, c passes.Run, sizes []int, tool func(i int) bool) int {
	cut := FindCutPoint(sizes, tool, p.KeepTokens)
	switch {
	case cut > 0:
		return cut
	case c.Policy().Summary.Text != "":
		return max(0, len(sizes)-1)
	}
	return passes.ForceCutPoint(len(sizes), tool)
}

// slice returns the index of the first message of S3's tail, which is as many messages as fit in KeepTokens or, if
// compaction is forced, the newest turn (S3.13, S3.42). sizes are the tokens of the messages; tool and user report
// whether a message is of that role.
func slice(p *passes.FoldPass, c passes.Run, sizes []int, tool, user func(i int) bool) int {
	if p.ForceTurn && c.Policy().Force {
		return passes.LastUserTurn(len(sizes), user)
	}
	return PlanSlice(sizes, tool, p.KeepTokens)
}

// split returns the index of the first message of S4's tail. The tail is limited by a number of
// tokens, which is at most half of the limit, or by a number of messages (S4.5, S4.31, S4.32).
// sizes holds the size of each message, in tokens.
func split(p *passes.FoldPass, c passes.Run, sizes []int) int {
	keep := p.KeepTokens
	if c.Limit()/2 > 0 {
		keep = min(keep, c.Limit()/2)
	}
	if keep > 0 {
		return SplitByTokens(sizes, keep)
	}
	return SplitByCount(len(sizes), p.KeepMessages)
}

// part is a list of messages that get a summary of their own.
type part struct {
	id       string    // of the request for the summary
	scope    api.Scope // what the summary covers
	messages []int32   // indexes of the transcript
}

// partsOf divides the folded messages into parts. If the style requires it, the beginning of a turn that the cut
// divides becomes a part of its own (S1.23). at is the index in messages at which this turn begins, or negative if the
// cut is between turns.
func partsOf(s *verbatim.Style, messages []int32, at int) []part {
	switch {
	case !s.Data.Split || at < 0:
		return []part{{summary.FoldRequest, api.ScopeSession, messages}}
	case at < passes.MinFolded && at > 0:
		return []part{{summary.FoldRequest, api.ScopeTurnPrefix, messages[at:]}}
	}
	history := messages[:at]
	if at == 0 {
		history = messages // S1.26
	}
	return []part{{summary.FoldRequest, api.ScopeSession, history},
		{summary.TurnRequest, api.ScopeTurnPrefix, messages[at:]}}
}

// textOf requests the parts' summaries one after the other, and joins them. It returns false if a
// summary is still missing or has failed. messages is the number of messages to summarize, for a
// digest written without a model.
func textOf(c passes.Run, s *verbatim.Style, parts []part, q verbatim.Prompt, messages int) (body string, ok bool) {
	doc := c.Doc()
	var texts [2]string
	local := func(why api.SummaryFault) (string, bool) {
		c.Report().Summary = api.ReportSummary{Source: api.SourceLocal, Fault: why}
		return s.Local(messages, q.Prior), true
	}
	if s.Local != nil && c.Policy().UsesLocalDigest() {
		return local("")
	}
	q.Split = len(parts) > 1
	q.Instructions, q.Template = c.Policy().Summary.Instructions, c.Policy().Summary.Prompt
	for i, p := range parts {
		var rendered bool
		if q.Record, rendered = s.Record(doc.T, p.messages); !rendered {
			c.RecordDigestFailure(verbatim.NoResult)
			return "", false
		}
		q.Scope = p.scope
		reply, asked := c.Summary().ReplyTo(p.id)
		if !asked {
			r := api.SummaryRequest{ID: p.id, Scope: p.scope, System: s.Data.System,
				MaxOutputTokens: c.Policy().Summary.MaxOutputTokens,
				Temperature:     s.Data.Temperature, Thinking: api.ThinkingEffort(s.Thinking),
				Prompt: strings.ToValidUTF8(s.Prompt(&q), "\ufffd")}
			if i > 0 && texts[0] != "" {
				r.Lead = digest.CurrentTurn
			}
			r.InputTokens = doc.P.Text(r.System) + doc.P.Text(r.Prompt)
			c.Summary().AddRequest(r)
			return "", false
		}
		if s.Local != nil && (reply.Error != "" || verbatim.IsBlank(reply.Text)) {
			return local(api.FaultFailed)
		}
		if reply.Error != "" {
			c.RecordDigestFailure(s.Failure(len(parts) > 1, p.scope == api.ScopeTurnPrefix, reply))
			return "", false
		}
		texts[i] = reply.Text
	}
	return digest.JoinTurn(texts[0], texts[1]), true
}
