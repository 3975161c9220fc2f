package loop

import (
	"slices"
	"strconv"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/overflow"
	"github.com/ctxfold/ctxfold/internal/operations"
)

// question is a request for a summary and its reply.
type question struct {
	ID       string  `json:"id"`                 // the request's id, as in the plan
	Request  api.Raw `json:"request"`            // the request; empty once there is a reply
	Flight   int     `json:"flight,omitempty"`   // id of the pending effect that asks it; 0 if there is none
	Deadline int64   `json:"deadline,omitempty"` // when to give up; set when it is asked for the first time
	Attempts int     `json:"asked,omitempty"`    // number of attempts so far
	Reply    api.Raw `json:"reply,omitempty"`    // a Summary
}

// busyPause is the delay before a busy model is asked for the second time, in milliseconds, unless the model names a
// delay. It is doubled for the third time. Each delay is extended at random by up to a quarter. There are at most
// maxModelAttempts attempts in total, all within the time limit of one summary.
const busyPause, maxModelAttempts = 1_000, 3

// Reasons why a model is not asked, for the report.
const (
	pausedText = "the model failed just now and is not called again yet"
	downText   = "the model does not answer"
)

// startCompaction starts the compaction that response a says is due, or first requests the lease if
// the job needs one and doesn't have it. base is the memory entry that was applied, or nil.
func (c *call) startCompaction(a answer, base *entry) {
	if !c.mayCompact() {
		if c.leaseFor(a.cut); c.Phase == phaseLeasing || c.ended() {
			return
		}
	}
	c.Base = nil
	if base != nil {
		of := *base
		c.Base = &of
	}
	c.Failed, c.Down, c.Probing, c.PausedUntil, c.After = false, "", false, 0, 0
	if c.Paused {
		c.Down = pausedText
	}
	c.askForSummaries(a)
}

// askForSummaries starts asking for the summaries that the compaction in response a needs. If it needs none, the job
// continues with the compaction's result.
func (c *call) askForSummaries(a answer) {
	if !a.hasRequests() {
		c.takeCompaction(a)
		return
	}
	c.Plan, c.Questions, c.Phase = a.members.valueOf("plan"), nil, phaseAsking
	for _, request := range elementsOf(a.members.valueOf("requests")) {
		c.Questions = append(c.Questions, question{ID: textOf(readMembers(request).valueOf("id")), Request: request})
	}
	c.askOpenQuestions()
}

// askOpenQuestions sends as many open questions at once as the settings allow. When all questions have been answered,
// it continues the compaction.
func (c *call) askOpenQuestions() {
	asked, open := 0, 0 // asked: questions in flight; open: questions without a reply, including those in flight
	for _, q := range c.Questions {
		if q.Reply == nil {
			open++
		}
		if q.Flight != 0 {
			asked++
		}
	}
	most := c.Settings.Concurrency
	if c.Probing {
		most = 1
	}
	for i := range c.Questions {
		q := &c.Questions[i]
		switch {
		case q.Reply != nil || q.Flight != 0:
		case c.isLate(q):
			c.giveUp(q)
			open--
		case c.Down != "" || !c.can(api.EffectAsk):
			c.takeReply(q, &api.Summary{Error: orElse(c.Down, downText)})
			open--
		case asked < most && c.PausedUntil <= c.Clock:
			c.sendQuestion(q)
			asked++
		}
	}
	if open == 0 && !c.ended() {
		c.stepWithReplies()
	}
}

// isLate reports whether a question has been asked and its deadline has passed.
func (c *call) isLate(q *question) bool {
	return q.Attempts > 0 && q.Deadline > 0 && q.Deadline <= c.Clock
}

// giveUp records that a question was not answered in time. The model isn't asked any more.
func (c *call) giveUp(q *question) {
	c.Down = "no summary within " + strconv.FormatInt(c.Settings.SummaryTimeout/1000, 10) + " s"
	c.takeReply(q, &api.Summary{Error: c.Down})
}

// sendQuestion sends one question to the model.
func (c *call) sendQuestion(q *question) {
	if q.Attempts++; q.Attempts == 1 {
		q.Deadline = c.deadline(c.Settings.SummaryTimeout)
	}
	e := api.Effect{Effect: api.EffectAsk, Request: q.Request, Deadline: q.Deadline}
	if conversation := readMembers(q.Request).valueOf("conversation"); conversation != nil {
		e.Sent = sentAfter(c.core.Messages(), readMembers(conversation))
	}
	q.Flight = c.launch(e)
}

// takeSummary handles the model's reply to a question, or the reason why there is none. It ignores
// the reply to a question that is no longer open.
func (c *call) takeSummary(f flight, r *api.EffectResult) {
	at := slices.IndexFunc(c.Questions, func(q question) bool { return q.Flight == f.ID })
	if at < 0 || c.Phase != phaseAsking {
		return
	}
	q := &c.Questions[at]
	q.Flight = 0
	s := api.Summary{}
	if r.Summary != nil {
		s = *r.Summary
	}
	why := r.Error
	if why == "" && r.Failure != nil {
		why = orElse(overflow.Message(r.Failure.Body), "the call of the model failed")
	}
	retry := c.retryOf(r)
	switch {
	case retry.Busy && c.pauseIfBusy(q, retry.After):
	case retry.Busy || retry.Spent:
		s.Error = orElse(why, "the model is busy")
		c.Down = s.Error
		c.takeReply(q, &s)
	case r.Incomplete && q.Attempts == 1:
	case (why != "" || r.Refused) && c.isLate(q):
		c.giveUp(q)
	case why != "" || r.Refused:
		s.Error = orElse(why, "there is no model")
		c.takeReply(q, &s)
	default:
		c.Probing = c.Probing && s.Error != ""
		c.Failed = c.Failed || s.Error == "" && s.Text == "" && len(s.Messages) == 0 // the report says that the summary was empty
		c.takeReply(q, &s)
	}
	c.askOpenQuestions()
}

// retryOf returns whether and when a failed call of the model may be repeated.
func (c *call) retryOf(r *api.EffectResult) overflow.Retry {
	if r.Busy {
		return overflow.Retry{Busy: true, After: r.After}
	}
	f := r.Failure
	if f == nil {
		f = new(api.CallFailure)
	}
	return overflow.RetryOf(overflow.Call{Status: f.Status, Network: f.Network, Text: orElse(f.Body, r.Error),
		RetryAfter: f.RetryAfter, RetryAfterMs: f.RetryAfterMs, ShouldRetry: f.ShouldRetry, Now: c.Clock})
}

// pauseIfBusy pauses until a busy model may be asked again, and returns false if q may not be asked again. after is the
// time, in milliseconds, that the model wants the host to wait; 0 if it doesn't say.
func (c *call) pauseIfBusy(q *question, after int64) bool {
	c.After = max(c.After, min(after, maxTimeout))
	pause := int64(busyPause) << (q.Attempts - 1)
	if after > 0 {
		pause = min(after, maxTimeout)
	}
	pause += c.random(pause/4 + 1)
	c.Probing = true
	if !c.can(api.EffectWait) || q.Attempts >= maxModelAttempts || q.Deadline != 0 && c.Clock+pause >= q.Deadline {
		return false
	}
	c.PausedUntil = max(c.PausedUntil, c.Clock+pause)
	return true
}

func orElse(text, other string) string {
	if text != "" {
		return text
	}
	return other
}

// takeReply stores the reply to a question. If a request that was appended to the conversation fails, the question
// doesn't count as failed yet: it is asked again with a record of the messages.
func (c *call) takeReply(q *question, s *api.Summary) {
	s.ID = q.ID
	if s.Error != "" {
		c.Failed = c.Failed || readMembers(q.Request).valueOf("conversation") == nil
		if s.Error != pausedText {
			c.addNotice(api.NoticeSummaryFailed, s.Error)
		}
	}
	q.Reply, q.Request = marshalJSON(s.MarshalEasyJSON), nil
}

// stepWithReplies continues the operation with the replies to all questions.
func (c *call) stepWithReplies() {
	replies := []byte{'['}
	for i, q := range c.Questions {
		if i > 0 {
			replies = append(replies, ',')
		}
		replies = append(replies, q.Reply...)
	}
	var base []entry
	if c.Base != nil {
		base = append(base, *c.Base)
	}
	members := []Member{{operations.InPlan, c.Plan}, {operations.InSummaries, append(replies, ']')}}
	if c.Settings.Operation != api.JobPlan {
		members = append(members, memoryMember(base))
	}
	c.Questions = nil
	if a, ok := c.runCore(operations.OpStep, members...); ok {
		c.askForSummaries(a)
	}
}
