package compact

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/digest"
	"github.com/ctxfold/ctxfold/core/policy"
	"github.com/ctxfold/ctxfold/core/transcript"
)

// Codes of the errors with which a compaction ends that has no summary, where the policy wants that.
const SummaryFailed = "summary_failed"

// turnRequest is the id of the request for the beginning of a turn that is cut.
const turnRequest = "fold-2"

// style is the layout of a published system that the policy names, or nil where it is ctxfold's own.
func (c *Run) style() *digest.Style {
	if s := digest.StyleByName(c.Policy.Summary.Style); s != nil && !(s.Own && c.Policy.Safe()) {
		return s
	}
	return nil
}

// unchecked tells whether a pass runs although the ones before it have freed enough.
func (c *Run) unchecked() bool {
	s := c.style()
	return s != nil && s.Unchecked && !c.Policy.Safe()
}

// digestText is the text and the role of the message that stands for what was folded.
func (c *Run) digestText(body string) (text string, role transcript.Role) {
	s := c.style()
	if s == nil {
		return digest.Message(body), transcript.User
	}
	text, role = s.Write(body, c.State.Round+1), s.Role
	if role == transcript.System && c.F.SystemApart {
		role = transcript.User // S1.37
	}
	return text, role
}

// styledPart is what one request in a style is about.
type styledPart struct {
	id, scope string
	messages  []int32
	prefix    bool
}

// styledParts divides what is folded where the style wants that: the beginning of a turn that is cut, which stands at index at
// of messages, is summarised apart (S1.23). A negative at is a cut between turns.
func (c *Run) styledParts(messages []int32, at int) []styledPart {
	if s := c.style(); !s.Split || at < 0 {
		return []styledPart{{id: foldRequest, scope: "session", messages: messages}}
	}
	history, prefix := messages[:at], messages[at:]
	switch {
	case c.Policy.Safe():
		if len(prefix) == 0 {
			return []styledPart{{id: foldRequest, scope: "session", messages: history}}
		}
		if len(history) == 0 {
			return []styledPart{{id: foldRequest, scope: "turn_prefix", messages: prefix, prefix: true}}
		}
	case at <= 0:
		history = messages // S1.26
	case len(history) < minFolded:
		return []styledPart{{id: foldRequest, scope: "turn_prefix", messages: prefix, prefix: true}}
	}
	return []styledPart{{id: foldRequest, scope: "session", messages: history},
		{id: turnRequest, scope: "turn_prefix", messages: prefix, prefix: true}}
}

// styledAnswer is what the model has written for a job in a style.
func (c *Run) styledAnswer(s *digest.Style, j job, output int) (text, why string, ok bool) {
	reply, asked := c.styledReply(s, j, output)
	if !asked {
		return "", "", false
	}
	c.asked.in += c.flat(j.messages)
	c.asked.out += c.P.Text(reply.Text)
	text, why = digest.Accept(reply, c.P, j.gain)
	return text, why, true
}

// styledReply returns the host's answer to all requests for a job, as one reply, or false when there are some that it has not
// been asked yet.
func (c *Run) styledReply(s *digest.Style, j job, output int) (digest.Reply, bool) {
	parts := c.styledParts(j.messages, j.turn)
	var answers [2]digest.Reply
	for i, p := range parts {
		reply, asked := c.reply(p.id)
		if !asked {
			c.Requests = append(c.Requests, c.styled(s, p, digest.Question{Prior: j.prior, HasPrior: j.prior != "", Task: taskOf(j.ledger),
				Round: c.State.Round + 1, Split: len(parts) > 1}, output))
			continue
		}
		if answers[i] = reply; reply.Error != "" || strings.TrimSpace(reply.Text) == "" {
			return reply, len(c.Requests) == 0
		}
	}
	if len(parts) == 1 {
		return answers[0], len(c.Requests) == 0
	}
	joined := answers[0]
	joined.Text = digest.JoinTurn(strings.TrimSpace(answers[0].Text), strings.TrimSpace(answers[1].Text))
	if _, why := digest.Accept(answers[1], c.P, policy.MaxTokens); why != "" {
		joined.FinishReason = answers[1].FinishReason
	}
	return joined, len(c.Requests) == 0
}

// cutTurn is the index in messages, which are to be folded, of the turn that the tail at item cut is a part of; -1 where the
// tail begins with a turn.
func (c *Run) cutTurn(cut int, held []bool) int {
	user := func(i int) bool { return IsUser(c.T, int(c.Items[i].Msg)) && !c.own(c.Items[i].Msg) }
	if !IsSplitTurn(len(c.Items), cut, user) {
		return -1
	}
	at := 0
	for i := range c.Items[:TurnStart(cut, user)] {
		if !held[i] && !c.own(c.Items[i].Msg) {
			at++
		}
	}
	return at
}

func taskOf(l *digest.Ledger) string {
	if l.Task == "" {
		return digest.UnknownTask
	}
	return l.Task
}

// styled asks for a summary in a style. What is too long for the model is clipped, harder and harder.
func (c *Run) styled(s *digest.Style, p styledPart, q digest.Question, output int) digest.Request {
	if s.MaxOutput > 0 {
		output = min(output, s.MaxOutput)
	}
	r := digest.Request{ID: p.id, Scope: p.scope, System: s.System, MaxOutputTokens: output, Temperature: s.Temperature}
	q.Instructions, q.Template, q.Prefix = c.Policy.Summary.Instructions, c.Policy.Summary.Prompt, p.prefix
	limit := c.Policy.Summary.MaxInputTokens
	if limit == 0 && c.Policy.Window.Tokens > 0 {
		limit = max(1, c.Policy.Usable()-output)
	}
	for _, clip := range []int{0, 500, 100} {
		q.Record, _ = s.Record(c.T, p.messages, digest.RecordOptions{Clip: clip})
		r.Prompt = s.Prompt(q)
		if r.InputTokens = c.P.Text(r.System) + c.P.Text(r.Prompt); limit == 0 || r.InputTokens <= limit {
			return r
		}
	}
	size := c.P.MaxUnits(limit-c.P.Text(r.System)) - (len(r.Prompt) - len(q.Record)) - 64
	q.Record = digest.Clip(q.Record, max(size, 0))
	r.Prompt = s.Prompt(q)
	r.InputTokens = c.P.Text(r.System) + c.P.Text(r.Prompt)
	return r
}

// forced is where the tail begins where all would fit but a fold is wanted: at the last group that leaves something to fold
// (S1.13).
func (p *foldPass) forced(c *Run, groups []int32) int {
	return ForceCutPoint(len(c.Items), func(i int) bool { return i > 0 && groups[i] == groups[i-1] })
}

// counted is where a tail of KeepMessages begins that keeps groups whole (S2.13).
func (p *foldPass) counted(c *Run, groups []int32) int {
	n := len(c.Items)
	return max(0, AdjustBoundary(n, n-p.KeepMessages, func(i int) bool { return groups[i] == groups[i-1] }))
}

// flat is about how many tokens a request had that was about messages.
func (c *Run) flat(messages []int32) int {
	sum := 0
	for _, m := range messages {
		sum += c.P.Message(c.T, int(m))
	}
	if limit := c.Policy.Summary.MaxInputTokens; limit > 0 {
		sum = min(sum, limit)
	}
	return sum
}
