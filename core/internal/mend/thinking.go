package mend

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/handles"
	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// ThinkingMode returns how the transcript's model thinks, and the source of that. Sources closer to this request take precedence.
func (c *Run) ThinkingMode() (mode api.ThinkingMode, source api.ThinkingSource) {
	if c.Format.Rules.Bound != "AN9" { // the provider drops what no longer fits, and requires none
		return api.ThinkingAdaptive, api.ThinkingByFormat
	}
	if mode = api.ThinkingMode(c.Policy.Thinking); mode != "" && mode != policy.ThinkingAuto {
		return mode, api.ThinkingByPolicy
	}
	if mode = c.Transcript.Thinking; mode != "" {
		return mode, api.ThinkingByRequest
	}
	if model := c.Transcript.Model; !model.Zero() {
		if mode = policy.ThinkingOf(c.Transcript.Text(model)); mode != api.ThinkingUnknown {
			return mode, api.ThinkingByModel
		}
	}
	if mode = policy.ThinkingOf(c.Policy.Model); mode != api.ThinkingUnknown {
		return mode, api.ThinkingByModel
	}
	return api.ThinkingUnknown, api.ThinkingByNone
}

// NeedsThinking reports whether an open tool loop must begin with its own thinking, or may have to (AN8).
func NeedsThinking(mode api.ThinkingMode) bool {
	return mode == api.ThinkingManual || mode == api.ThinkingUnknown
}

// IsBound reports whether a part is thinking that its provider signed.
func IsBound(p *transcript.Part) bool {
	return p.Kind == transcript.Reasoning && p.Has(transcript.Bound)
}

// SettleThinking makes the remaining signed thinking acceptable to the provider. It reports whether that was possible: in an open tool loop
// that the host is about to answer it may not be.
func (c *Run) SettleThinking() bool {
	if !transcript.AnyHas(c.T.Parts, transcript.Bound) || !c.Changed() {
		return true
	}
	c.absorb()
	mode, source := c.ThinkingMode()
	if c.Report.Thinking == nil {
		c.Report.Thinking = &api.ReportThinking{Mode: mode, Source: source}
	}
	if NeedsThinking(mode) && c.loopBroken(mode == api.ThinkingUnknown) && !c.closeLoop() {
		return false
	}
	switch mode {
	case api.ThinkingAdaptive, api.ThinkingUnknown:
		c.dropBoundReasoning(c.FirstChange())
	case api.ThinkingOff:
		c.dropBoundReasoning(min(c.FirstChange(), c.OpenTurn(len(c.Items))))
	}
	return true
}

// CountThinking completes the report.
func (c *Run) CountThinking() {
	if c.Report.Thinking == nil {
		return
	}
	for _, it := range c.Items {
		for _, p := range c.T.PartsOf(int(it.Msg)) {
			if IsBound(&p) && !p.Has(transcript.Removed) {
				c.Report.Thinking.Kept++
			}
		}
	}
}

// absorb makes items of the messages that came after the plan, because thinking in them is bound to what the plan has changed, and they may
// continue one of its tool loops.
func (c *Run) absorb() {
	for ; c.Rest < c.T.Input; c.Rest++ {
		it := view.Item{Msg: int32(c.Rest), In: int32(c.Rest), Tokens: c.P.Message(c.T, c.Rest)}
		c.Items = append(c.Items, it)
		c.Total += it.Tokens
		c.Late += it.Tokens
		c.Report.Tokens.Before += it.Tokens
	}
}

// loop is the messages at the end of a list that only the assistant and its tools have said.
type loop struct {
	from   int  // index of its first message
	begins bool // its first assistant message begins with signed thinking
	bound  int  // index of the last message with signed thinking, or -1
}

// inputLoop returns the loop at the end of the unchanged input.
func (c *Run) inputLoop() loop {
	input := func(i int) int32 { return int32(i) }
	return c.loopOf(c.TurnOf(c.T.Input, input), c.T.Input, input, true)
}

// itemLoop returns the loop at the end of the items.
func (c *Run) itemLoop() loop {
	return c.loopOf(c.OpenTurn(len(c.Items)), len(c.Items), func(i int) int32 { return c.Items[i].Msg }, false)
}

// loopOf examines the messages of a loop, with or without what passes have removed from them.
func (c *Run) loopOf(from, to int, msg func(i int) int32, removed bool) loop {
	l := loop{from: from, bound: -1}
	first := true
	for i := from; i < to; i++ {
		m := msg(i)
		if c.T.Messages[m].Role != transcript.Assistant {
			continue
		}
		if first {
			l.begins = c.BeginsBound(m, removed)
		}
		first = false
		for _, p := range c.T.PartsOf(int(m)) {
			if IsBound(&p) && (removed || !p.Has(transcript.Removed)) {
				l.bound = i
			}
		}
	}
	return l
}

// BeginsBound reports whether a message, or what follows the user's words in it, begins with signed thinking.
func (c *Run) BeginsBound(m int32, removed bool) (begins bool) {
	first := true
	for _, p := range c.T.PartsOf(int(m)) {
		switch {
		case p.Has(transcript.Said):
			first, begins = true, false
		case first && !p.Has(transcript.Free) && (removed || !p.Has(transcript.Removed)):
			first, begins = false, IsBound(&p)
		}
	}
	return begins
}

// open reports whether the model continues with the loop that begins at an item: apart from thinking, it ends with a tool result or a tool
// call. more means that it calls tools whose results are still to come.
func (c *Run) open(l loop) (open, more bool) {
	decided := false
	for i := len(c.Items) - 1; i >= l.from; i-- {
		m := c.Items[i].Msg
		if c.T.Messages[m].Role == transcript.System {
			continue
		}
		more = more || c.T.OpenCalls(int(m)) || c.Runs(m)
		parts := c.T.PartsOf(int(m))
		for k := len(parts) - 1; k >= 0 && !decided; k-- {
			p := &parts[k]
			if p.Has(transcript.Removed|transcript.Free) || p.Parent >= 0 || p.Kind == transcript.Reasoning {
				continue
			}
			decided = true
			open = (p.Kind == transcript.ToolResult || p.Kind == transcript.ToolCall) && !(p.Has(transcript.Server) && p.Pair >= 0)
		}
	}
	return open || more, more
}

// loopBroken reports whether the tool loop at the end is open and has lost the thinking with which it must begin (AN8) or, if prefix is
// set, contains thinking that must not stay because something before it has changed (AN9).
func (c *Run) loopBroken(prefix bool) bool {
	was, is := c.inputLoop(), c.itemLoop()
	if open, _ := c.open(is); !open || was.bound < 0 {
		return false
	}
	if was.begins && !is.begins || c.lostThinking(is.from) {
		return true
	}
	return prefix && c.FirstChange() <= is.bound
}

// lostThinking reports whether a pass has removed signed thinking from a message, from an item on.
func (c *Run) lostThinking(from int) bool {
	for _, it := range c.Items[from:] {
		cut := it.Rest // its beginning was folded
		for _, p := range c.T.PartsOf(int(it.Msg)) {
			if cut = cut && p.Has(transcript.Removed); !cut && IsBound(&p) && p.Has(transcript.Removed) {
				return true
			}
		}
	}
	return false
}

// closeLoop replaces the tool loop at the end with one user message that contains everything as text, so that no open assistant turn needs
// thinking. It reports whether that was possible.
func (c *Run) closeLoop() bool {
	l := c.itemLoop()
	if _, more := c.open(l); more {
		return false
	}
	goes := func(i int) bool {
		m := c.Items[i].Msg
		return i >= l.from && c.T.Messages[m].Role != transcript.System && (c.InPair(m) || !c.Own(m)) // a digest in the assistant's role stays
	}
	at, gain := -1, 0
	var messages []int32
	var out []view.Item
	for i := l.from; i < len(c.Items); i++ {
		it := c.Items[i]
		if !goes(i) {
			continue
		}
		if it.Pinned || c.T.LastSaid(int(it.Msg)) >= 0 { // the user's words in it would become part of the tools' record
			return false
		}
		if at < 0 {
			at = i
		}
		messages, out = append(messages, it.Msg), append(out, it)
		gain += it.Tokens
	}
	if at < 0 {
		return false
	}
	var body *handles.Taken
	if c.Keeps() {
		body = c.FoldBody(c.FoldElements(at, len(c.Items), goes, false), gain)
	}
	part := len(c.T.Parts)
	text := digest.LoopMessage(c.T, messages, handles.WithHandle(digest.LoopMarker, body.HandleOrNone()))
	closed := c.Compose(c.NewMessage(at, transcript.User, text))
	c.KeepFold(body, &closed, out...)
	items := append([]view.Item{}, c.Items[:at]...)
	items = append(items, closed)
	for i := at; i < len(c.Items); i++ {
		if !goes(i) {
			items = append(items, c.Items[i])
		}
	}
	for _, it := range out {
		c.Act(api.Action{Action: api.ActionFold, Pass: "thinking", Message: int(it.In), Tokens: it.Tokens, Rule: "AN8"})
	}
	c.Report.Folded += len(out)
	c.Report.Thinking.Closed = len(out)
	c.Ledger().Add(c.T, messages)
	c.SetItems(items, part)
	c.Act(api.Action{Action: api.ActionInsert, Pass: "thinking", Message: -1, Tokens: -closed.Tokens})
	return true
}

// Hopeless reports whether no result can be valid: it is unknown how the model thinks, and the last message both contains thinking and
// calls tools that have no result yet.
func (c *Run) Hopeless() bool {
	mode, source := c.ThinkingMode()
	if mode != api.ThinkingUnknown || len(c.Items) == 0 || c.Rest < c.T.Input {
		return false
	}
	l := c.itemLoop()
	if _, more := c.open(l); !more || l.bound < len(c.Items)-1 {
		return false
	}
	c.Report.Thinking = &api.ReportThinking{Mode: mode, Source: source}
	return true
}

// AtThinking moves a cut inside the open tool loop to a message that begins with thinking, so that the rest of the loop does too (AN8).
func (c *Run) AtThinking(cut int, groups []int32) int {
	if mode, _ := c.ThinkingMode(); mode != api.ThinkingManual || cut <= c.OpenTurn(len(c.Items)) || !c.inputLoop().begins {
		return cut
	}
	for i := cut; i < len(c.Items); i++ {
		if groups[i] != groups[i-1] && c.BeginsBound(c.Items[i].Msg, false) {
			return i
		}
	}
	return cut
}
