package loop

import (
	"cmp"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/internal/operations"
)

// A turn of a conversation is a job that first decides whether a compaction begins. If so, the job asks the host to let
// it enter. Only one job at a time may compact a conversation, so a second job decides again after the first one has
// ended. If nothing is due, the turn ends in its first call.

// checked holds the members of a Check that determine how to continue.
type checked struct {
	due, start       bool // whether a compaction is due, and whether one should start in the background
	cold             bool // whether the provider's cache has expired
	tokens, messages int  // the size of the transcript
}

// beginTurn begins the job of a turn. If the history was edited, attempts at its earlier size don't count.
func (c *call) beginTurn(given *api.Turn) {
	c.Settings.Turn = &api.Turn{Moment: given.Moment}
	notes := api.TurnNotes{}
	if given.Notes != nil {
		notes = *given.Notes
	}
	if given.Edited {
		notes.Tried, notes.Messages = 0, 0
	}
	c.notes = &notes
	if model := c.core.PolicySettings().Model; given.Moment == api.TurnBefore || given.Moment == api.TurnCall {
		c.Settings.Model = cmp.Or(c.Settings.Model, model)
		c.measureTurn(&notes)
	}
	switch given.Moment {
	case api.TurnForced, api.TurnBackground:
		c.Options.Force = c.Options.Force || given.Moment == api.TurnForced
		if given.Running > 0 {
			c.emit(api.Effect{Effect: api.EffectStop, Target: given.Running})
		}
		c.requestEntry()
	default:
		notes.Time = c.Clock
		notes.Model, notes.Provider = cmp.Or(c.Settings.Model, notes.Model), cmp.Or(c.Settings.Provider, notes.Provider)
		c.firstLook(given.Running)
	}
}

// measureTurn determines how long the conversation was idle, and whether another model is called now, unless the host
// has specified that itself.
func (c *call) measureTurn(notes *api.TurnNotes) {
	if notes.Time > 0 && c.Options.Idle == 0 && c.Options.Cold == "" {
		c.setIdle(&use{Time: notes.Time, Model: notes.Model, Provider: notes.Provider})
	}
}

// firstLook decides how to continue a turn that compacts only if compaction is due. running is the id of the
// background job; 0 if there is none.
func (c *call) firstLook(running int) {
	seen, ok := c.checkTurnDue(c.notes)
	switch {
	case !ok:
	case seen.due:
		c.requestEntry()
	case c.Settings.Turn.Moment == api.TurnAfter && running == 0 && seen.start && c.can(api.EffectBegin) &&
		c.can(api.EffectAsk):
		c.notes.Tried, c.notes.Messages = seen.tokens, seen.messages
		s := c.Settings
		s.Turn, s.Background = &api.Turn{Moment: api.TurnBackground}, true
		c.emit(api.Effect{Effect: api.EffectBegin, Settings: &s})
		c.end()
	default:
		if running > 0 {
			c.emit(api.Effect{Effect: api.EffectBegin, Target: running})
		}
		c.end()
	}
}

// checkTurnDue runs the operation check. With notes, it doesn't start a background compaction if one was already
// started at this size and has failed or is still running. ok is false if the operation failed; the job then has the
// error.
func (c *call) checkTurnDue(notes *api.TurnNotes) (seen checked, ok bool) {
	o := c.Options.Clone()
	if notes != nil {
		o.Tried = max(0, min(notes.Tried, maxLimit))
	}
	json, err := c.core.Run(operations.OpCheck, c.checkMembers(&o)...)
	if err != nil {
		c.err = err
		return seen, false
	}
	seen.read(json)
	if notes != nil && (seen.tokens < notes.Tried || seen.messages < notes.Messages) { // the conversation has become shorter
		notes.Tried, notes.Messages = 0, 0
		return c.checkTurnDue(notes)
	}
	c.Check = json
	if c.Settings.Turn.Moment == api.TurnCall {
		seen.due = seen.cold
	}
	return seen, true
}

// read reads the members of a Check. json is the operation's response; members that it lacks keep their values.
func (seen *checked) read(json []byte) {
	eachMember(json, func(name, value []byte) {
		switch string(name) {
		case "due":
			seen.due = string(value) == "true"
		case "start":
			seen.start = string(value) == "true"
		case "cold":
			seen.cold = true
		case "tokens":
			seen.tokens = numberOf(value)
		case "messages":
			seen.messages = numberOf(value)
		}
	})
}

// checkMembers returns the members of a request for the operation check.
func (c *call) checkMembers(o *api.Options) []Member {
	members := []Member{c.policyMember(), {operations.InOptions, appendOptions(o)}}
	if len(c.State) > 0 {
		members = append(members, Member{operations.InState, c.State})
	}
	return members
}

// requestEntry asks the host to wait until no other job compacts the conversation. If the host
// can't do that, the job takes its turn at once.
func (c *call) requestEntry() {
	if !c.can(api.EffectEnter) {
		c.takeTurn()
		return
	}
	c.Phase = phaseEntering
	c.launch(api.Effect{Effect: api.EffectEnter})
}

// takeEntered handles the result of entering, which means that no other job compacts the conversation now.
func (c *call) takeEntered(r *api.EffectResult) {
	if c.Phase != phaseEntering {
		return
	}
	if r.Tokens > 0 {
		c.Options.Usage = &api.Usage{Message: -1, TotalTokens: min(r.Tokens, maxLimit), Exact: true}
	}
	c.takeTurn()
}

// takeTurn checks whether the compaction is still needed. If so, it lets the host decide.
func (c *call) takeTurn() {
	seen, ok := c.checkTurnDue(nil)
	if !ok {
		return
	}
	trigger, wanted := api.TriggerAuto, seen.due
	switch moment := c.Settings.Turn.Moment; {
	case moment == api.TurnForced && c.wasRefused():
		trigger, wanted = api.TriggerRecovery, true
	case moment == api.TurnForced:
		trigger, wanted = api.TriggerManual, true
	case moment == api.TurnBackground:
		trigger, wanted = api.TriggerBackground, seen.due || seen.start
	case seen.cold:
		trigger = api.TriggerCold
	}
	switch {
	case !wanted:
		c.end()
	case c.can(api.EffectBefore):
		c.Phase = phaseBeginning
		c.launch(api.Effect{Effect: api.EffectBefore,
			Beginning: &api.Beginning{Trigger: trigger, Messages: seen.messages, Tokens: seen.tokens}})
	default:
		c.compactInTurn()
	}
}

// takeBefore handles the host's decision about a compaction that is about to begin.
func (c *call) takeBefore(r *api.EffectResult) {
	if c.Phase != phaseBeginning {
		return
	}
	if r.Skip {
		c.end()
		return
	}
	if r.Redact != nil {
		c.Options.Redact = r.Redact
	}
	if r.Score != nil {
		c.Options.Score = r.Score
	}
	if r.Summary != nil && r.Summary.Text != "" {
		summary := api.SummaryOptions{}
		if c.Options.Summary != nil {
			summary = *c.Options.Summary
		}
		summary.Text = r.Summary.Text
		c.Options.Summary = &summary
	}
	c.compactInTurn()
}

// compactInTurn continues the turn as a job that makes a compaction.
func (c *call) compactInTurn() {
	c.Check = nil
	c.look()
}
