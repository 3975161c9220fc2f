package core_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core"
)

// turnEffects are the effects of a host that keeps a conversation.
var turnEffects = []api.EffectName{api.EffectWait, api.EffectEmit, api.EffectCancel, api.EffectAsk, api.EffectBegin, api.EffectStop,
	api.EffectEnter, api.EffectBefore}

const (
	turnPolicy = `{"format":"plain","window":{"tokens":4000},"gate":{"start":0.6,"target":0.3,"idle":300},"passes":[{"pass":"fold","keep_tokens":500}]}`
	turnTime   = 1_770_000_000_000
)

// turnAnswer is the progress of a turn.
type turnAnswer struct {
	Job     json.RawMessage
	Effects []api.Effect
	Check   *api.Check
	Notes   *api.TurnNotes
	Failure *api.JobFailure
	Result  json.RawMessage
	Error   json.RawMessage
}

// says returns the effects as a short text.
func (a *turnAnswer) says() string {
	var list []string
	for _, e := range a.Effects {
		word := string(e.Effect)
		switch {
		case e.Target > 0:
			word += fmt.Sprint(" ", e.Target)
		case e.Beginning != nil:
			word += " " + string(e.Beginning.Trigger)
		}
		list = append(list, word)
	}
	switch {
	case a.Check != nil:
		list = append(list, string(a.Check.Reason))
	case a.Failure != nil:
		list = append(list, string(a.Failure.Code))
	case a.Job == nil && string(a.Result) != "null":
		list = append(list, "result")
	}
	return strings.Join(list, ", ")
}

func callTurn(t *testing.T, op, members string, messages int) *turnAnswer {
	t.Helper()
	a := new(turnAnswer)
	answer := core.Call(op, []byte("{"+members+`,"messages":`+boats(messages)+"}"))
	if err := json.Unmarshal(answer, a); err != nil || a.Error != nil {
		t.Fatalf("%v: %.400s", err, answer)
	}
	return a
}

func startTurn(t *testing.T, s api.JobSettings, messages int) *turnAnswer {
	t.Helper()
	if s.Operation = api.JobPlan; s.Now == 0 {
		s.Now = turnTime
	}
	settings, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return callTurn(t, "loop_start", `"policy":`+turnPolicy+`,"settings":`+string(settings), messages)
}

func (a *turnAnswer) next(t *testing.T, r api.EffectResult, messages int) *turnAnswer {
	t.Helper()
	r.ID = a.Effects[len(a.Effects)-1].ID
	event, err := json.Marshal(api.JobEvent{Now: turnTime, Results: []api.EffectResult{r}})
	if err != nil {
		t.Fatal(err)
	}
	return callTurn(t, "loop_event", `"job":`+string(a.Job)+`,"event":`+string(event), messages)
}

// The decisions of a turn: 34 messages are enough for the background, and 50 for a compaction.
func TestTurns(t *testing.T) {
	const few, some, many = 10, 34, 50
	old := &api.TurnNotes{Time: turnTime - 400_000, Model: "a"}
	for name, x := range map[string]struct {
		turn     api.Turn
		can      []api.EffectName
		settings api.JobSettings
		messages int
		first    string // effects of the first call
		then     string // after the turn has entered
		last     string // when the host lets it begin
	}{
		"nothing is due":                 {turn: api.Turn{Moment: api.TurnAfter}, messages: few, first: "under_budget"},
		"it is due":                      {turn: api.Turn{Moment: api.TurnAfter}, messages: many, first: "enter", then: "before auto", last: "ask, ask, wait"},
		"it is due soon":                 {turn: api.Turn{Moment: api.TurnAfter}, messages: some, first: "begin, under_budget"},
		"soon, and it was tried":         {turn: api.Turn{Moment: api.TurnAfter, Notes: &api.TurnNotes{Tried: 2500, Messages: some}}, messages: some, first: "under_budget"},
		"soon, tried before an edit":     {turn: api.Turn{Moment: api.TurnAfter, Edited: true, Notes: &api.TurnNotes{Tried: 2500, Messages: some}}, messages: some, first: "begin, under_budget"},
		"soon, and much was tried":       {turn: api.Turn{Moment: api.TurnAfter, Notes: &api.TurnNotes{Tried: 3500, Messages: many}}, messages: some, first: "begin, under_budget"},
		"soon, without a model":          {turn: api.Turn{Moment: api.TurnAfter}, can: []api.EffectName{api.EffectBegin}, messages: some, first: "under_budget"},
		"soon, and it runs":              {turn: api.Turn{Moment: api.TurnAfter, Running: 3}, messages: some, first: "begin 3, under_budget"},
		"it is due, and one runs":        {turn: api.Turn{Moment: api.TurnAfter, Running: 3}, messages: many, first: "enter", then: "before auto", last: "ask, ask, wait"},
		"before a call, soon":            {turn: api.Turn{Moment: api.TurnBefore}, messages: some, first: "under_budget"},
		"before a call, cold":            {turn: api.Turn{Moment: api.TurnBefore, Notes: old}, messages: some, first: "enter", then: "before cold", last: "ask, wait"},
		"before a call of another model": {turn: api.Turn{Moment: api.TurnBefore, Notes: &api.TurnNotes{Time: turnTime, Model: "a"}}, settings: api.JobSettings{Model: "b"}, messages: some, first: "enter", then: "before cold", last: "ask, wait"},
		"before a call, due":             {turn: api.Turn{Moment: api.TurnBefore}, messages: many, first: "enter", then: "before auto", last: "ask, ask, wait"},
		"in a call, due":                 {turn: api.Turn{Moment: api.TurnCall}, messages: many, first: "over_limit"},
		"in a call, cold":                {turn: api.Turn{Moment: api.TurnCall, Notes: old}, messages: some, first: "enter", then: "before cold", last: "ask, wait"},
		"forced":                         {turn: api.Turn{Moment: api.TurnForced, Running: 3}, messages: some, first: "stop 3, enter", then: "before manual", last: "ask, wait"},
		"refused":                        {turn: api.Turn{Moment: api.TurnForced}, settings: api.JobSettings{Refused: true}, messages: some, first: "enter", then: "before context_limit_recovery", last: "ask, wait"},
		"in the background":              {turn: api.Turn{Moment: api.TurnBackground}, settings: api.JobSettings{Background: true}, messages: some, first: "enter", then: "before background", last: "ask, wait"},
		"in the background, for nothing": {turn: api.Turn{Moment: api.TurnBackground}, settings: api.JobSettings{Background: true}, messages: few, first: "enter", then: "under_budget"},
		"nobody has a say":               {turn: api.Turn{Moment: api.TurnAfter}, can: []api.EffectName{api.EffectAsk, api.EffectWait}, messages: many, first: "ask, ask, wait"},
	} {
		t.Run(name, func(t *testing.T) {
			s := x.settings
			if s.Turn, s.Can = &x.turn, x.can; s.Can == nil {
				s.Can = turnEffects
			}
			a := startTurn(t, s, x.messages)
			if a.says() != x.first {
				t.Fatalf("first: %s", a.says())
			}
			if forced := x.turn.Moment == api.TurnForced || x.turn.Moment == api.TurnBackground; a.Notes == nil || !forced && a.Notes.Time != turnTime {
				t.Errorf("notes: %+v", a.Notes)
			}
			if x.then == "" {
				return
			}
			if a = a.next(t, api.EffectResult{}, x.messages); a.says() != x.then || a.Notes != nil {
				t.Fatalf("then: %s, %+v", a.says(), a.Notes)
			}
			if x.last == "" {
				return
			}
			b := a.Effects[0].Beginning
			if b.Messages != x.messages || b.Tokens == 0 {
				t.Errorf("%+v", b)
			}
			if skipped := a.next(t, api.EffectResult{Skip: true}, x.messages); skipped.Job != nil || len(skipped.Effects) > 0 || skipped.Check == nil {
				t.Errorf("skipped: %s", skipped.says())
			}
			if own := a.next(t, api.EffectResult{Summary: &api.Summary{Text: "The hull is painted."}}, x.messages); own.says() != "result" {
				t.Errorf("with a summary: %s", own.says())
			}
			if a = a.next(t, api.EffectResult{}, x.messages); a.says() != x.last {
				t.Errorf("last: %s", a.says())
			}
		})
	}
}

// A turn that has waited checks again, because another one may have compacted in the meantime.
func TestTurnLooksAgain(t *testing.T) {
	a := startTurn(t, api.JobSettings{Can: turnEffects, Turn: &api.Turn{Moment: api.TurnAfter, Running: 1}}, 70)
	if a = a.next(t, api.EffectResult{}, 10); a.says() != "under_budget" {
		t.Errorf("%s", a.says())
	}
	a = startTurn(t, api.JobSettings{Can: turnEffects, Turn: &api.Turn{Moment: api.TurnAfter}}, 70)
	if a = a.next(t, api.EffectResult{Tokens: 3}, 70); a.says() != "under_budget" || a.Check.Tokens != 3 {
		t.Errorf("with a tokenizer: %s", a.says())
	}
}

// A turn leaves notes, from which the next one knows the age of the cache and what has already been started.
func TestTurnNotes(t *testing.T) {
	s := api.JobSettings{Can: turnEffects, Model: "a", Provider: "p", Turn: &api.Turn{Moment: api.TurnBefore}}
	a := startTurn(t, s, 34)
	if *a.Notes != (api.TurnNotes{Time: turnTime, Model: "a", Provider: "p"}) {
		t.Fatalf("%+v", a.Notes)
	}
	s = api.JobSettings{Can: turnEffects, Now: turnTime + 1000, Turn: &api.Turn{Moment: api.TurnAfter, Notes: a.Notes}}
	a = startTurn(t, s, 34)
	if a.says() != "begin, under_budget" || a.Notes.Time != turnTime+1000 || a.Notes.Model != "a" || a.Notes.Tried == 0 || a.Notes.Messages != 34 {
		t.Fatalf("%s, %+v", a.says(), a.Notes)
	}
	s.Turn.Notes = a.Notes
	if again := startTurn(t, s, 34); again.says() != "under_budget" {
		t.Errorf("the same again: %s", again.says())
	}
	if a = startTurn(t, s, 30); a.says() != "begin, under_budget" {
		t.Errorf("fewer messages: %s", a.says())
	}
}

func TestTurnSettings(t *testing.T) {
	for _, settings := range []string{`{"now":1,"turn":{"moment":"after"}}`, `{"now":1,"operation":"plan","turn":{"moment":"never"}}`} {
		answer := core.Call("loop_start", []byte(`{"policy":`+turnPolicy+`,"settings":`+settings+`,"messages":`+boats(4)+`}`))
		if !strings.Contains(string(answer), `"out_of_range"`) {
			t.Errorf("%s: %.200s", settings, answer)
		}
	}
}
