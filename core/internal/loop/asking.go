package loop

import (
	"slices"
	"strconv"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/internal/operations"
)

// question is a request for a summary and its reply.
type question struct {
	ID       string  `json:"id"`
	Request  api.Raw `json:"request"`
	Flight   int     `json:"flight,omitempty"`   // id of the effect that asks it; 0 if it is waiting or has been answered
	Deadline int64   `json:"deadline,omitempty"` // when to give up; set when it is asked for the first time
	Asked    int     `json:"asked,omitempty"`    // number of attempts so far
	Reply    api.Raw `json:"reply,omitempty"`    // a Summary
}

// A busy model is asked again after the delay that it names, otherwise after one second and then after two, in
// milliseconds. Each delay is extended at random by up to a quarter. There are at most maxAsked attempts in total,
// all within the time limit of one summary.
const busyPause, maxAsked = 1_000, 3

// The reasons for not asking a model.
const (
	pausedText = "the model failed just now and is not called again yet"
	downText   = "the model does not answer"
)

// make starts a compaction that is due according to a. base is the memory entry that was applied, or nil.
func (t *turn) make(a answer, base *entry) {
	if !t.free() {
		if t.lease(a.cut); t.Phase == phaseLeasing || t.ended() {
			return
		}
	}
	t.Base = nil
	if base != nil {
		of := *base
		t.Base = &of
	}
	t.Failed, t.Down, t.Probing, t.PausedUntil, t.After = false, "", false, 0, 0
	if t.Paused {
		t.Down = pausedText
	}
	t.plan(a)
}

// plan starts asking for the summaries that the compaction in a needs. If it needs none, the job continues with the result.
func (t *turn) plan(a answer) {
	if !a.asks() {
		t.made(a)
		return
	}
	t.Plan, t.Questions, t.Phase = a.members.of("plan"), nil, phaseAsking
	for _, request := range elementsOf(a.members.of("requests")) {
		t.Questions = append(t.Questions, question{ID: textOf(readMembers(request).of("id")), Request: request})
	}
	t.ask()
}

// ask sends as many open questions at once as the settings allow. When all are answered, it continues the compaction.
func (t *turn) ask() {
	asked, open := 0, 0 // open questions include those that have been asked
	for _, q := range t.Questions {
		if q.Reply == nil {
			open++
		}
		if q.Flight != 0 {
			asked++
		}
	}
	most := t.Settings.Concurrency
	if t.Probing {
		most = 1
	}
	for i := range t.Questions {
		q := &t.Questions[i]
		switch {
		case q.Reply != nil || q.Flight != 0:
		case t.late(q):
			t.giveUp(q)
			open--
		case t.Down != "" || !t.can(api.EffectAsk):
			t.reply(q, &api.Summary{Error: orElse(t.Down, downText)})
			open--
		case asked < most && t.PausedUntil <= t.Clock:
			t.send(q)
			asked++
		}
	}
	if open == 0 && !t.ended() {
		t.step()
	}
}

// late reports whether the time for a question that has been asked is over.
func (t *turn) late(q *question) bool { return q.Asked > 0 && q.Deadline > 0 && q.Deadline <= t.Clock }

// giveUp stops waiting for the reply to a question, and asks nothing else.
func (t *turn) giveUp(q *question) {
	t.Down = "no summary within " + strconv.FormatInt(t.Settings.SummaryTimeout/1000, 10) + " s"
	t.reply(q, &api.Summary{Error: t.Down})
}

// send sends one question to the model.
func (t *turn) send(q *question) {
	if q.Asked++; q.Asked == 1 {
		q.Deadline = t.deadline(t.Settings.SummaryTimeout)
	}
	e := api.Effect{Effect: api.EffectAsk, Request: q.Request, Deadline: q.Deadline}
	if conversation := readMembers(q.Request).of("conversation"); conversation != nil {
		e.Sent = sentAfter(t.core.Messages(), readMembers(conversation))
	}
	q.Flight = t.launch(e)
}

// takeSummary handles the result of asking the model.
func (t *turn) takeSummary(f flight, r *api.EffectResult) {
	at := slices.IndexFunc(t.Questions, func(q question) bool { return q.Flight == f.ID })
	if at < 0 || t.Phase != phaseAsking {
		return
	}
	q := &t.Questions[at]
	q.Flight = 0
	s := api.Summary{}
	if r.Summary != nil {
		s = *r.Summary
	}
	switch {
	case r.Busy && t.waits(q, r.After):
	case r.Busy:
		s.Error = orElse(r.Error, "the model is busy")
		t.Down = s.Error
		t.reply(q, &s)
	case r.Incomplete && q.Asked == 1:
	case (r.Error != "" || r.Refused) && t.late(q):
		t.giveUp(q)
	case r.Error != "" || r.Refused:
		s.Error = orElse(r.Error, "there is no model")
		t.reply(q, &s)
	default:
		t.Probing = t.Probing && s.Error != ""
		t.Failed = t.Failed || s.Error == "" && s.Text == "" && len(s.Messages) == 0 // the report says that the summary was empty
		t.reply(q, &s)
	}
	t.ask()
}

// waits pauses because the model is busy, if a question may be asked again. after is how long the model wants the host
// to wait, in milliseconds; 0 if it doesn't say.
func (t *turn) waits(q *question, after int64) bool {
	t.After = max(t.After, min(after, maxTimeout))
	pause := int64(busyPause) << (q.Asked - 1)
	if after > 0 {
		pause = min(after, maxTimeout)
	}
	pause += t.random(pause/4 + 1)
	t.Probing = true
	if !t.can(api.EffectWait) || q.Asked >= maxAsked || q.Deadline != 0 && t.Clock+pause >= q.Deadline {
		return false
	}
	t.PausedUntil = max(t.PausedUntil, t.Clock+pause)
	return true
}

func orElse(text, other string) string {
	if text != "" {
		return text
	}
	return other
}

// reply stores the reply to a question. If a request that was appended to the conversation fails, the question
// doesn't count as failed yet: it is asked again with a record of the messages.
func (t *turn) reply(q *question, s *api.Summary) {
	s.ID = q.ID
	if s.Error != "" {
		t.Failed = t.Failed || readMembers(q.Request).of("conversation") == nil
		if s.Error != pausedText {
			t.notice(api.NoticeSummaryFailed, s.Error)
		}
	}
	q.Reply, q.Request = marshal(s.MarshalEasyJSON), nil
}

// step continues the operation with all summaries.
func (t *turn) step() {
	replies := []byte{'['}
	for i, q := range t.Questions {
		if i > 0 {
			replies = append(replies, ',')
		}
		replies = append(replies, q.Reply...)
	}
	var base []entry
	if t.Base != nil {
		base = append(base, *t.Base)
	}
	members := []Member{{operations.InPlan, t.Plan}, {operations.InSummaries, append(replies, ']')}}
	if t.Settings.Operation != api.JobPlan {
		members = append(members, memoryMember(base))
	}
	t.Questions = nil
	if a, ok := t.run(operations.OpStep, members...); ok {
		t.plan(a)
	}
}
