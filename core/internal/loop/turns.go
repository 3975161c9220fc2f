package loop

import (
	"cmp"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/internal/operations"
)

// A turn of a conversation is a job that first decides whether a compaction begins. If so, the job asks the host to let it enter. Only
// one job at a time may compact a conversation, so a second job decides again after the first one has ended. If nothing is due, the turn
// ends in its first call.

// checked contains the members of a Check that determine how to continue.
type checked struct {
	due, start       bool
	cold             bool
	tokens, messages int
}

// beginTurn begins the job of a turn.
func (t *turn) beginTurn(given *api.Turn) {
	t.Settings.Turn = &api.Turn{Moment: given.Moment}
	notes := api.TurnNotes{}
	if given.Notes != nil {
		notes = *given.Notes
	}
	if given.Edited {
		notes.Tried, notes.Messages = 0, 0
	}
	t.notes = &notes
	if model := t.core.Gate().Model; given.Moment == api.TurnBefore || given.Moment == api.TurnCall {
		t.Settings.Model = cmp.Or(t.Settings.Model, model)
		t.measure(&notes)
	}
	switch given.Moment {
	case api.TurnForced, api.TurnBackground:
		t.Options.Force = t.Options.Force || given.Moment == api.TurnForced
		if given.Running > 0 {
			t.emit(api.Effect{Effect: api.EffectStop, Target: given.Running})
		}
		t.enter()
	default:
		notes.Time = t.Clock
		notes.Model, notes.Provider = cmp.Or(t.Settings.Model, notes.Model), cmp.Or(t.Settings.Provider, notes.Provider)
		t.firstLook(given.Running)
	}
}

// measure determines how long the conversation was idle, and whether another model is called now, unless the host has
// specified that itself.
func (t *turn) measure(notes *api.TurnNotes) {
	if notes.Time > 0 && t.Options.Idle == 0 && t.Options.Cold == "" {
		t.aged(&use{Time: notes.Time, Model: notes.Model, Provider: notes.Provider})
	}
}

// firstLook decides how to continue a turn that compacts only if compaction is due. running is the id of the
// background job; 0 if there is none.
func (t *turn) firstLook(running int) {
	c, ok := t.check(t.notes)
	switch {
	case !ok:
	case c.due:
		t.enter()
	case t.Settings.Turn.Moment == api.TurnAfter && running == 0 && c.start && t.can(api.EffectBegin) && t.can(api.EffectAsk):
		t.notes.Tried, t.notes.Messages = c.tokens, c.messages
		s := t.Settings
		s.Turn, s.Background = &api.Turn{Moment: api.TurnBackground}, true
		t.emit(api.Effect{Effect: api.EffectBegin, Settings: &s})
		t.end()
	default:
		if running > 0 {
			t.emit(api.Effect{Effect: api.EffectBegin, Target: running})
		}
		t.end()
	}
}

// check runs the operation check. With notes, it doesn't start a background compaction that was already started at
// this size and has failed or is still running.
func (t *turn) check(notes *api.TurnNotes) (c checked, ok bool) {
	o := t.Options.Clone()
	if notes != nil {
		o.Tried = max(0, min(notes.Tried, maxLimit))
	}
	a, ok := t.run(operations.OpCheck, t.checkMembers(&o)...)
	if !ok {
		return c, false
	}
	m := a.members
	c = checked{due: string(m.of("due")) == "true", start: a.starts(), cold: m.of("cold") != nil, tokens: numberOf(m.of("tokens")),
		messages: numberOf(m.of("messages"))}
	if notes != nil && (c.tokens < notes.Tried || c.messages < notes.Messages) { // the conversation has become shorter
		notes.Tried, notes.Messages = 0, 0
		return t.check(notes)
	}
	t.Check = a.json
	if t.Settings.Turn.Moment == api.TurnCall {
		c.due = c.cold
	}
	return c, true
}

func (t *turn) checkMembers(o *api.Options) []Member {
	members := []Member{t.policyMember(), {operations.InOptions, appendOptions(o)}}
	if len(t.State) > 0 {
		members = append(members, Member{operations.InState, t.State})
	}
	return members
}

// enter waits until no other job compacts the conversation.
func (t *turn) enter() {
	if !t.can(api.EffectEnter) {
		t.entered()
		return
	}
	t.Phase = phaseEntering
	t.launch(api.Effect{Effect: api.EffectEnter})
}

// takeEntered handles the result of entering: no other job compacts the conversation now.
func (t *turn) takeEntered(r *api.EffectResult) {
	if t.Phase != phaseEntering {
		return
	}
	if r.Tokens > 0 {
		t.Options.Usage = &api.Usage{Message: -1, TotalTokens: min(r.Tokens, maxLimit), Exact: true}
	}
	t.entered()
}

// entered checks whether the compaction is still needed. If so, it lets the host decide.
func (t *turn) entered() {
	c, ok := t.check(nil)
	if !ok {
		return
	}
	trigger, wanted := api.TriggerAuto, c.due
	switch moment := t.Settings.Turn.Moment; {
	case moment == api.TurnForced && t.wasRefused():
		trigger, wanted = api.TriggerRecovery, true
	case moment == api.TurnForced:
		trigger, wanted = api.TriggerManual, true
	case moment == api.TurnBackground:
		trigger, wanted = api.TriggerBackground, c.due || c.start
	case c.cold:
		trigger = api.TriggerCold
	}
	switch {
	case !wanted:
		t.end()
	case t.can(api.EffectBefore):
		t.Phase = phaseBeginning
		t.launch(api.Effect{Effect: api.EffectBefore, Beginning: &api.Beginning{Trigger: trigger, Messages: c.messages, Tokens: c.tokens}})
	default:
		t.compacts()
	}
}

// takeBefore handles the host's decision about a compaction that is about to begin.
func (t *turn) takeBefore(r *api.EffectResult) {
	if t.Phase != phaseBeginning {
		return
	}
	if r.Skip {
		t.end()
		return
	}
	if r.Redact != nil {
		t.Options.Redact = r.Redact
	}
	if r.Score != nil {
		t.Options.Score = r.Score
	}
	if r.Summary != nil && r.Summary.Text != "" {
		summary := api.SummaryOptions{}
		if t.Options.Summary != nil {
			summary = *t.Options.Summary
		}
		summary.Text = r.Summary.Text
		t.Options.Summary = &summary
	}
	t.compacts()
}

// compacts continues the turn as a job that makes a compaction.
func (t *turn) compacts() {
	t.Check = nil
	t.look()
}
