package sessionfile

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// ohReasoners lists substrings of the names of models that get their reasoning_content back in later requests.
var ohReasoners = [...]string{
	"kimi-k3", "kimi-k2-thinking", "kimi-k2.5", "kimi-k2.6", "openrouter/minimax-m2", "deepseek/deepseek-reasoner",
	"deepseek/deepseek-v4-pro", "deepseek/deepseek-v4-flash",
}

// metrics returns the usage of the agent's model from statistics, an object with the usage for all
// models. It is zero if there is none.
func (o *openHands) metrics(statistics jsonspan.Span) (used jsonspan.Span) {
	all := find(o.src, statistics, "usage_to_metrics")
	for _, name := range []string{textOf(o.src, o.base, "agent.llm.usage_id"), "agent", "default"} {
		if used = find(o.src, all, name); !used.IsZero() {
			return used
		}
	}
	return used
}

// model sets the model, which it reads from the base state or else from the newest statistics, and o.reasoned.
func (o *openHands) model() {
	o.Model = textOf(o.src, o.base, "agent.llm.model")
	for i := len(o.events) - 1; i >= 0 && o.Model == ""; i-- {
		if o.events[i].kind == ohState {
			o.Model = textOf(o.src, o.metrics(find(o.src, o.events[i].at, "value")), "model_name")
		}
	}
	for _, name := range ohReasoners {
		o.reasoned = o.reasoned || strings.Contains(strings.ToLower(o.Model), name)
	}
}

func (u Usage) minus(v Usage) Usage {
	return Usage{Input: u.Input - v.Input, CacheRead: u.CacheRead - v.CacheRead,
		CacheWrite: u.CacheWrite - v.CacheWrite, Output: u.Output - v.Output}
}

// count records the provider's counts that are still valid. The base state has one count per response, by response id.
// The agent server instead writes running totals as a change of the state, before the events of the response.
func (o *openHands) count() {
	behind := make([]bool, len(o.events)) // whether each event is on the path after the newest condensation
	for k := len(o.path) - 1; k >= 0 && o.events[o.path[k]].kind != ohCondensation; k-- {
		behind[o.path[k]] = true
	}
	known := o.countsByResponse()
	counts := make([]Usage, len(o.events))
	var totals ohTotals
	for i := range o.events {
		switch e := &o.events[i]; {
		case e.kind == ohState:
			totals.change(o, find(o.src, o.metrics(find(o.src, e.at, "value")), "accumulated_token_usage"))
		case e.kind == ohCondensation:
			totals.last = Usage{}
		case e.response != noID && behind[i]:
			counts[i], totals.last = totals.last, Usage{}
			if u, ok := known.Get(textOf(o.src, e.at, "llm_response_id")); ok {
				counts[i] = u
			}
		}
	}
	for _, g := range o.origins {
		if g.record < 0 {
			continue
		}
		if u := counts[g.record]; min(u.Input, u.CacheRead, u.CacheWrite, u.Output) >= 0 {
			o.noteUsage(int(g.message), u)
		}
	}
}

// countsByResponse returns the counts in the base state, by the id of the response.
func (o *openHands) countsByResponse() *critbit.Map[Usage] {
	var known critbit.Map[Usage]
	for _, at := range items(o.src, find(o.src, o.metrics(find(o.src, o.base, "stats")), "token_usages")) {
		if id := textOf(o.src, at, "response_id"); id != "" {
			known.Set(id, o.usageAt(at).uncached())
		}
	}
	return &known
}

// ohTotals are the running totals of the agent server.
type ohTotals struct {
	sum  Usage // the totals so far
	last Usage // of the last call
}

// change reads new totals at a span. If the file lacks the totals before the last call, only the size of that call's
// context is known.
func (t *ohTotals) change(o *openHands, at jsonspan.Span) {
	now := o.usageAt(at).uncached()
	if now.Total() <= t.sum.Total() {
		return
	}
	t.last, t.sum = now.minus(t.sum), now
	if n, ok := jsonspan.Int(o.src, find(o.src, at, "per_turn_token")); ok && int64(n) != t.last.Total() {
		t.last = Usage{Input: int64(max(n, 0))}
	}
}
