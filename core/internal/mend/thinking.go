package mend

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/handles"
	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// ThinkingMode returns how the transcript's model thinks, and the source of this information. The policy's setting
// takes precedence over the request's, and both over what the model's name says.
func (md *Mender) ThinkingMode() (mode api.ThinkingMode, source api.ThinkingSource) {
	if !md.doc.F.Rules.RefusesThinking() {
		return api.ThinkingAdaptive, api.ThinkingByFormat
	}
	if mode = api.ThinkingMode(md.policy.Thinking); mode != "" && mode != policy.ThinkingAuto {
		return mode, api.ThinkingByPolicy
	}
	if mode = md.doc.T.Thinking; mode != "" {
		return mode, api.ThinkingByRequest
	}
	if model := md.doc.T.Model; !model.IsZero() {
		if mode = policy.ThinkingOf(md.doc.T.Text(model)); mode != api.ThinkingUnknown {
			return mode, api.ThinkingByModel
		}
	}
	if mode = policy.ThinkingOf(md.policy.Model); mode != api.ThinkingUnknown {
		return mode, api.ThinkingByModel
	}
	return api.ThinkingUnknown, api.ThinkingByNone
}

// NeedsThinking reports whether an open tool loop must begin with its own thinking, or may have to because the mode
// is unknown (AN8).
func NeedsThinking(mode api.ThinkingMode) bool {
	return mode == api.ThinkingManual || mode == api.ThinkingUnknown
}

// IsBound reports whether a part is thinking that its provider has signed.
func IsBound(p *transcript.Part) bool {
	return p.Kind == transcript.Reasoning && p.Has(transcript.Bound)
}

// SettleThinking makes the remaining signed thinking acceptable to the provider. It returns false if that is
// impossible, which may be the case in an open tool loop that the host is about to answer.
func (md *Mender) SettleThinking() bool {
	if !md.mayBreakThinking() {
		return true
	}
	closes := md.ClosesLoop()
	mode, source := md.ThinkingMode()
	if md.report.Thinking == nil {
		md.report.Thinking = &api.ReportThinking{Mode: mode, Source: source}
	}
	if closes && !md.closeLoop() {
		return false
	}
	switch mode {
	case api.ThinkingAdaptive, api.ThinkingUnknown:
		md.dropBoundReasoning(md.doc.FirstChange())
	case api.ThinkingOff:
		md.dropBoundReasoning(min(md.doc.FirstChange(), md.keep.OpenTurn(len(md.doc.Items))))
	}
	return true
}

// mayBreakThinking reports whether there is signed thinking, and something has changed that it may be bound to.
func (md *Mender) mayBreakThinking() bool {
	return transcript.AnyHas(md.doc.T.Parts, transcript.Bound) && md.doc.IsChanged()
}

// ClosesLoop reports whether SettleThinking will replace the tool loop at the end with text, as the items are now. If
// so, the results in that loop can only be changed before.
func (md *Mender) ClosesLoop() bool {
	if !md.mayBreakThinking() {
		return false
	}
	md.absorb()
	mode, _ := md.ThinkingMode()
	return NeedsThinking(mode) && md.loopBroken(mode == api.ThinkingUnknown)
}

// CountThinking adds to the report how many parts of signed thinking the result still has. It does nothing if the report
// has no section on thinking.
func (md *Mender) CountThinking() {
	if md.report.Thinking == nil {
		return
	}
	for _, it := range md.doc.Items {
		for _, p := range md.doc.T.PartsOf(int(it.Msg)) {
			if IsBound(&p) && !p.Has(transcript.Removed) {
				md.report.Thinking.Kept++
			}
		}
	}
}

// absorb turns the messages that were added after the plan into items, because the thinking in them is bound to
// messages that the plan has changed, and because they may continue one of its tool loops.
func (md *Mender) absorb() {
	for ; md.doc.Rest < md.doc.T.Input; md.doc.Rest++ {
		it := view.Item{Msg: int32(md.doc.Rest), In: int32(md.doc.Rest),
			Tokens: md.doc.P.Message(md.doc.T, md.doc.Rest)}
		md.doc.Items = append(md.doc.Items, it)
		md.doc.Total += it.Tokens
		md.late += it.Tokens
		md.report.Tokens.Before += it.Tokens
	}
}

// loop is a range of messages at the end of a list in which only the assistant and its tools speak.
type loop struct {
	from   int  // index of its first message
	begins bool // whether its first assistant message begins with signed thinking
	bound  int  // index of the last message with signed thinking, or -1
}

// inputLoop returns the loop at the end of the unchanged input.
func (md *Mender) inputLoop() loop {
	input := func(i int) int32 { return int32(i) }
	return md.loopOf(md.keep.TurnOf(md.doc.T.Input, input), md.doc.T.Input, input, true)
}

// itemLoop returns the loop at the end of the items.
func (md *Mender) itemLoop() loop {
	return md.loopOf(md.keep.OpenTurn(len(md.doc.Items)), len(md.doc.Items), func(i int) int32 {
		return md.doc.Items[i].Msg
	}, false)
}

// loopOf examines the messages of a loop, which are those at the indexes [from, to); msg returns the message at an
// index. If removed is set, it includes parts that passes have removed.
func (md *Mender) loopOf(from, to int, msg func(i int) int32, removed bool) loop {
	l := loop{from: from, bound: -1}
	first := true
	for i := from; i < to; i++ {
		m := msg(i)
		if md.doc.T.Messages[m].Role != transcript.Assistant {
			continue
		}
		if first {
			l.begins = md.BeginsBound(m, removed)
		}
		first = false
		for _, p := range md.doc.T.PartsOf(int(m)) {
			if IsBound(&p) && (removed || !p.Has(transcript.Removed)) {
				l.bound = i
			}
		}
	}
	return l
}

// BeginsBound reports whether a message, or the part of it after the user's words, begins with signed thinking. If
// removed is set, parts that passes have removed are included.
func (md *Mender) BeginsBound(m int32, removed bool) (begins bool) {
	first := true
	for _, p := range md.doc.T.PartsOf(int(m)) {
		switch {
		case p.Has(transcript.Said):
			first, begins = true, false
		case first && !p.Has(transcript.NotSent) && (removed || !p.Has(transcript.Removed)):
			first, begins = false, IsBound(&p)
		}
	}
	return begins
}

// open reports whether the model will continue a loop: apart from thinking, it ends with a tool result or a tool
// call. more is true if some calls still lack results.
func (md *Mender) open(l loop) (open, more bool) {
	decided := false
	for i := len(md.doc.Items) - 1; i >= l.from; i-- {
		m := md.doc.Items[i].Msg
		if md.doc.T.Messages[m].Role == transcript.System {
			continue
		}
		more = more || md.doc.T.OpenCalls(int(m)) || md.keep.RunsProviderTool(m)
		parts := md.doc.T.PartsOf(int(m))
		for k := len(parts) - 1; k >= 0 && !decided; k-- {
			p := &parts[k]
			if p.Has(transcript.Removed|transcript.NotSent) || p.Parent >= 0 || p.Kind == transcript.Reasoning {
				continue
			}
			decided = true
			open = (p.Kind == transcript.ToolResult || p.Kind == transcript.ToolCall) &&
				!(p.Has(transcript.Server) && p.Pair >= 0)
		}
	}
	return open || more, more
}

// loopBroken reports whether the tool loop at the end is open and has lost the thinking with which it must begin (AN8).
// If prefix is set, the loop is also considered broken if it contains thinking that must not stay because an earlier
// message has changed (AN9).
func (md *Mender) loopBroken(prefix bool) bool {
	was, is := md.inputLoop(), md.itemLoop()
	if open, _ := md.open(is); !open || was.bound < 0 {
		return false
	}
	if was.begins && !is.begins || md.lostThinking(is.from) {
		return true
	}
	return prefix && md.doc.FirstChange() <= is.bound
}

// lostThinking reports whether a pass has removed signed thinking from the item from or a later one.
func (md *Mender) lostThinking(from int) bool {
	for _, it := range md.doc.Items[from:] {
		cut := it.Rest // the beginning of its message was folded
		for _, p := range md.doc.T.PartsOf(int(it.Msg)) {
			if cut = cut && p.Has(transcript.Removed); !cut && IsBound(&p) && p.Has(transcript.Removed) {
				return true
			}
		}
	}
	return false
}

// closeLoop replaces the tool loop at the end with one user message that contains the loop as text, so that no open
// assistant turn requires thinking. It returns false if that is impossible.
func (md *Mender) closeLoop() bool {
	l := md.itemLoop()
	if _, more := md.open(l); more {
		return false
	}
	goes := func(i int) bool {
		m := md.doc.Items[i].Msg
		return i >= l.from && md.doc.T.Messages[m].Role != transcript.System &&
			(md.keep.InPair(m) || !md.authors.IsOwn(m)) // an assistant's digest stays
	}
	at, gain := -1, 0
	var messages []int32
	var out []view.Item
	for i := l.from; i < len(md.doc.Items); i++ {
		it := md.doc.Items[i]
		if !goes(i) {
			continue
		}
		// Otherwise the user's words would become part of the record of tools.
		if it.Pinned || md.doc.T.LastSaid(int(it.Msg)) >= 0 {
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
	if md.archive.Keeps() {
		body = md.archive.FoldBody(md.archive.FoldElements(at, len(md.doc.Items), goes, false), gain)
	}
	part := len(md.doc.T.Parts)
	text := digest.LoopMessage(md.doc.T, messages, handles.WithHandle(digest.LoopMarker, body.HandleOrNone()))
	closed := md.doc.NewItem(md.doc.NewMessage(at, transcript.User, text))
	md.archive.KeepFold(body, &closed, out...)
	items := append([]view.Item{}, md.doc.Items[:at]...)
	items = append(items, closed)
	for i := at; i < len(md.doc.Items); i++ {
		if !goes(i) {
			items = append(items, md.doc.Items[i])
		}
	}
	for _, it := range out {
		md.report.AddAction(api.Action{Action: api.ActionFold, Pass: "thinking", Message: int(it.In), Tokens: it.Tokens,
			Rule: "AN8"})
	}
	md.report.Folded += len(out)
	md.report.Thinking.Closed = len(out)
	md.ledger.Add(md.doc.T, messages)
	md.doc.SetItems(items, part)
	md.report.AddAction(api.Action{Action: api.ActionInsert, Pass: "thinking", Message: -1, Tokens: -closed.Tokens})
	return true
}

// IsHopeless reports whether no result can be valid: the model's thinking mode is unknown, and the last message
// contains thinking and calls tools that have no results yet. If so, it notes the thinking mode in the report.
func (md *Mender) IsHopeless() bool {
	mode, source := md.ThinkingMode()
	if mode != api.ThinkingUnknown || len(md.doc.Items) == 0 || md.doc.Rest < md.doc.T.Input {
		return false
	}
	l := md.itemLoop()
	if _, more := md.open(l); !more || l.bound < len(md.doc.Items)-1 {
		return false
	}
	md.report.Thinking = &api.ReportThinking{Mode: mode, Source: source}
	return true
}

// AtThinking moves a cut inside the open tool loop to a message that begins with thinking, so that
// the remaining loop begins with thinking too (AN8). groups are the groups of the items. AtThinking
// returns cut itself if the loop need not begin so, or if there is no such message.
func (md *Mender) AtThinking(cut int, groups []int32) int {
	if mode, _ := md.ThinkingMode(); mode != api.ThinkingManual || cut <= md.keep.OpenTurn(len(md.doc.Items)) || !md.inputLoop().begins {
		return cut
	}
	for i := cut; i < len(md.doc.Items); i++ {
		if groups[i] != groups[i-1] && md.BeginsBound(md.doc.Items[i].Msg, false) {
			return i
		}
	}
	return cut
}
