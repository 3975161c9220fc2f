package policy

import (
	"slices"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// rule is a requirement that a policy's value must meet.
type rule struct {
	at, must string               // its key, and the end of the error message
	broken   func(p *Policy) bool // reports whether a policy breaks the rule
}

const (
	inTokens = "must be from 0 to 1,000,000,000 tokens"
	inShare  = "must be from 0 to 1"
	maxCount = 1 << 30

	maxNotice = 10_000 // bytes of gate.notice: a longer notice would fill the room that it is meant to save
)

// The values of keys that only occur in policies.
var (
	requests  = []string{"", "auto", "flat", "prefix"}
	scopes    = []string{"", "session", "branch"}
	failures  = []string{"", "local", "keep", "error"}
	splits    = []string{"", "map", "chain"}
	repairs   = []string{"", "refused", "all"}
	thinkings = []string{"", "auto", "manual", "adaptive", "drop_block", "off"}
	pinRoles  = []string{"", "system", "user", "assistant", "tool"}
)

// rules lists the requirements, in the order in which they are checked.
var rules = []rule{
	{"window.tokens", inTokens, func(p *Policy) bool { return outside(p.Window.Tokens, MaxTokens) }},
	{"window.reserve", inTokens, func(p *Policy) bool {
		return p.Window.Reserve != nil && outside(*p.Window.Reserve, MaxTokens)
	}},
	{"gate.ratio", "must be over 0 and at most 1", func(p *Policy) bool {
		return !(p.Gate.Ratio > 0 && p.Gate.Ratio <= 1)
	}},
	{"gate.max_tokens", inTokens, func(p *Policy) bool { return outside(p.Gate.MaxTokens, MaxTokens) }},
	{"gate.max_messages", "must be from 0 to 1,073,741,824 messages", func(p *Policy) bool {
		return outside(p.Gate.MaxMessages, maxCount)
	}},
	{"gate.max_tool_results", "must be from 0 to 1,073,741,824 tool results", func(p *Policy) bool {
		return outside(p.Gate.MaxToolResults, maxCount)
	}},
	{"gate.target", "must be over 0 and at most 1", func(p *Policy) bool {
		return !(p.Gate.Target > 0 && p.Gate.Target <= 1)
	}},
	{"gate.start", "must be over gate.target and below 1, or 0", func(p *Policy) bool {
		return p.Gate.Start != 0 && !(p.Gate.Start > p.Gate.Target && p.Gate.Start < 1)
	}},
	{"gate.notice", "must have at most 10,000 bytes", func(p *Policy) bool { return len(p.Gate.Notice) > maxNotice }},
	{"gate.notice_at", "must be from 0, which is 0.9, to 1", func(p *Policy) bool { return noShare(&p.Gate.NoticeAt) }},
	{"gate.idle", "must be from 0 to 1,000,000,000 seconds", func(p *Policy) bool {
		return outside(p.Gate.Idle, maxIdle)
	}},
	{"gate.cold", "must be from 0, which is one half, to 1", func(p *Policy) bool { return noShare(&p.Gate.Cold) }},
	{"gate.min_gain", inShare, func(p *Policy) bool { return noShare(&p.Gate.MinGain) }},
	{"max_bytes", "must be from 0 to 1,073,741,824 bytes", func(p *Policy) bool {
		return outside(p.MaxBytes, jsonspan.MaxSize)
	}},
	{"prices", "must be from 0 to 1,000,000,000 for a million tokens", func(p *Policy) bool { return p.Prices.bad() }},
	{"summary.max_output_tokens", inTokens, func(p *Policy) bool {
		return outside(p.Summary.MaxOutputTokens, MaxTokens)
	}},
	{"summary.max_input_tokens", inTokens, func(p *Policy) bool {
		return outside(p.Summary.MaxInputTokens, MaxTokens)
	}},
	{"summary.mode", modesAre, func(p *Policy) bool { return !slices.Contains(modes, p.Summary.Mode) }},
	{"summary.retries", "must be from 0 to 3", func(p *Policy) bool { return outside(p.Summary.Retries, 3) }},
	{"summary.standing", inShare, func(p *Policy) bool { return noShare(p.Summary.Standing) }},
	{"summary.project_instructions", inShare, func(p *Policy) bool { return noShare(p.Summary.ProjectInstructions) }},
	{"summary.room", inShare, func(p *Policy) bool { return noShare(p.Summary.Room) }},
	{"summary.split", `must be "map" or "chain"`, func(p *Policy) bool {
		return !slices.Contains(splits, p.Summary.Split)
	}},
	{"summary.request", `must be "auto", "flat" or "prefix"`, func(p *Policy) bool {
		return !slices.Contains(requests, p.Summary.Request)
	}},
	{"summary.scope", `must be "session" or "branch"`, func(p *Policy) bool {
		return !slices.Contains(scopes, p.Summary.Scope)
	}},
	{"gate.min_messages", "must not be negative", func(p *Policy) bool { return p.Gate.MinMessages < 0 }},
	{"summary.on_failure", `must be "local", "keep" or "error"`, func(p *Policy) bool {
		return !slices.Contains(failures, p.Summary.OnFailure)
	}},
	{"archive", archivesAre, func(p *Policy) bool { return !slices.Contains(archives, p.Archive) }},
	{"repair", `must be "refused" or "all"`, func(p *Policy) bool { return !slices.Contains(repairs, p.Repair) }},
	{"open_calls", openCallsAre, func(p *Policy) bool {
		return p.OpenCalls != "" && !slices.Contains(openCalls, p.OpenCalls)
	}},
	{"thinking", `must be "auto", "manual", "adaptive", "drop_block" or "off"`, func(p *Policy) bool {
		return !slices.Contains(thinkings, p.Thinking)
	}},
	{"window.reserve", "leaves nothing of window.tokens for the conversation", (*Policy).noRoom},
	{"passes", "must be at most 100", func(p *Policy) bool { return len(p.Passes) > MaxPasses }},
	{"pins", "must be at most 1,000", func(p *Policy) bool { return len(p.Pins) > MaxPins }},
}

// outside reports whether a number is not between 0 and most.
func outside(n, most int) bool { return n < 0 || n > most }

// noShare reports whether a share is set but isn't a number from 0 to 1.
func noShare(share *float64) bool { return share != nil && !(*share >= 0 && *share <= 1) }

// bad reports whether a price is out of range.
func (p *Prices) bad() bool {
	if p == nil {
		return false
	}
	outside := func(price *float64) bool { return price != nil && !(*price >= 0 && *price <= 1e9) }
	return outside(&p.Input) || outside(&p.Output) || outside(p.CacheRead) || outside(p.CacheWrite)
}
