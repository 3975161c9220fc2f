package compact

import (
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/core/digest"
	"github.com/ctxfold/ctxfold/core/wire"
)

// published folds exactly as the system does whose style it is: nothing is pinned, no summary is judged, and what it does
// wrong it does here too (docs/SEEDS.md).
func (p *foldPass) published(c *Run, s *digest.Style) {
	seq := make([]int32, len(c.Items))
	sizes := make([]int, len(c.Items))
	for i, it := range c.Items {
		seq[i], sizes[i] = it.Msg, it.Tokens
	}
	tool := func(i int) bool { return IsTool(c.T, int(seq[i])) }
	user := func(i int) bool { return IsUser(c.T, int(seq[i])) }
	held := make([]bool, len(c.Items))
	q := digest.Prompt{Style: s, Exact: true, Round: c.State.Round + 1}
	from, cut, turn := 0, 0, -1
	switch p.Boundary {
	case "message":
		cut = p.split(c, sizes)
	case "backward":
		sel := SelectMessages(c.T, seq, p.KeepMessages)
		if from, cut = sel.From, sel.To; cut == 0 {
			c.State.Round = 0 // S2.28: what was not done counts as round 0
			return
		}
		held[0] = true
		q.Prior, q.HasPrior = sel.Previous, sel.HasPrevious
	case "group":
		if cut = p.slice(c, sizes, tool, user); cut < max(1, p.MinMessages) {
			c.undone = true // S3.43: what was cleared before is not taken either
			return
		}
	default:
		switch cut = FindCutPoint(sizes, tool, p.KeepTokens); {
		case cut > 0:
		case c.Policy.Summary.Text != "": // S1.35
			cut = max(0, len(seq)-1)
		default:
			cut = ForceCutPoint(len(seq), tool)
		}
		if IsSplitTurn(len(seq), cut, user) {
			turn = TurnStart(cut, user)
		}
	}
	if cut == 0 {
		return
	}
	q.Messages = cut - from
	if s.Unseen != "" && !slices.ContainsFunc(seq[from:cut], func(m int32) bool { return !c.T.Hidden(int(m)) }) {
		c.failure = s.Unseen
		return
	}
	if s.Task != nil {
		q.Task = s.Task(c.T)
	}
	body, ok := c.publishedText(s, publishedParts(s, seq[from:cut], turn), q)
	if !ok {
		return
	}
	if s.Empty != "" && (body == "" || s.Blank && digest.IsBlank(body)) {
		c.failure = s.Empty
		return
	}
	ops := digest.FileOps{Read: c.State.Ledger.Read, Modified: c.State.Ledger.Modified}.Merge(digest.ExtractFileOps(c.T, seq))
	c.State.Ledger.Read, c.State.Ledger.Modified = ops.Read, ops.Modified
	switch {
	case c.Policy.Summary.Text != "":
		c.Report.Summary = Summary{Source: "host"}
	case c.Report.Summary.Source == "none":
		c.Report.Summary = Summary{Source: "model"}
	}
	c.Report.CutPoint = int(c.Items[cut-1].In) + 1
	text := c.F.Message(nil, s.Role, s.Message(body))
	if s.Kind != "" && c.marks() {
		text = wire.Marks{Kind: &s.Kind}.Append(nil, text)
	}
	c.fold(cut, -1, held, text, nil) // the text of the digest names no handle: what was folded is among the changes
}

// slice is where the tail begins that S3 keeps: by tokens, or with force at the newest turn (S3.13, S3.42).
func (p *foldPass) slice(c *Run, sizes []int, tool, user func(i int) bool) int {
	if p.ForceTurn && c.Policy.Force {
		return LastUserTurn(len(sizes), user)
	}
	return PlanSlice(sizes, tool, p.KeepTokens)
}

// split is where the tail begins that S4 keeps: by tokens, at most half of the limit, or by messages (S4.5, S4.31, S4.32).
func (p *foldPass) split(c *Run, sizes []int) int {
	keep := p.KeepTokens
	if c.Limit/2 > 0 {
		keep = min(keep, c.Limit/2)
	}
	if keep > 0 {
		return SplitByTokens(sizes, keep)
	}
	return SplitByCount(len(sizes), p.KeepMessages)
}

// publishedPart is what one request is about.
type publishedPart struct {
	id, scope string
	messages  []int32
}

// publishedParts divides what is folded where the style wants that: the beginning of a turn that is cut, which stands at index
// at of messages, is summarised apart (S1.23). A negative at is a cut between turns.
func publishedParts(s *digest.Style, messages []int32, at int) []publishedPart {
	switch {
	case !s.Split || at < 0:
		return []publishedPart{{foldRequest, digest.SessionScope, messages}}
	case at < minFolded && at > 0:
		return []publishedPart{{foldRequest, digest.TurnScope, messages[at:]}}
	}
	history := messages[:at]
	if at == 0 {
		history = messages // S1.26
	}
	return []publishedPart{{foldRequest, digest.SessionScope, history}, {turnRequest, digest.TurnScope, messages[at:]}}
}

// publishedText asks for the summaries of the parts one after the other and joins them. It is false while one is wanted, and
// when one has failed.
func (c *Run) publishedText(s *digest.Style, parts []publishedPart, q digest.Prompt) (body string, ok bool) {
	var texts [2]string
	local := func(why string) (string, bool) {
		c.Report.Summary = Summary{Source: "local", Why: why}
		return s.Local(q.Messages, q.Prior), true
	}
	if s.Local != nil && c.Policy.Local() {
		return local("")
	}
	q.Split = len(parts) > 1
	q.Instructions, q.Template = c.Policy.Summary.Instructions, c.Policy.Summary.Prompt
	for i, p := range parts {
		var rendered bool
		if q.Record, rendered = s.Record(c.T, p.messages, digest.RecordOptions{Exact: true}); !rendered {
			c.failure = digest.NoResult
			return "", false
		}
		q.Scope = p.scope
		reply, asked := c.reply(p.id)
		if !asked {
			r := digest.Request{ID: p.id, Scope: p.scope, System: s.System, MaxOutputTokens: c.Policy.Summary.MaxOutputTokens,
				Temperature: s.Temperature, Thinking: s.Thinking, Prompt: strings.ToValidUTF8(q.Text(), "\ufffd")}
			if i > 0 && texts[0] != "" {
				r.Lead = digest.CurrentTurn
			}
			r.InputTokens = c.P.Text(r.System) + c.P.Text(r.Prompt)
			c.Requests = append(c.Requests, r)
			return "", false
		}
		if s.Local != nil && (reply.Error != "" || digest.IsBlank(reply.Text)) {
			return local(digest.SummarizerFailed)
		}
		if reply.Error != "" {
			c.failure = s.Failure(len(parts) > 1, p.scope == digest.TurnScope, reply)
			return "", false
		}
		texts[i] = reply.Text
	}
	return digest.JoinTurn(texts[0], texts[1]), true
}
