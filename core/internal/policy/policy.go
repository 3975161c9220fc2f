// Package policy reads and checks policies: which estimator and window to use, when compaction is due, and which passes run then.
//
// A policy is JSON. A preset is a named policy; a policy that names a preset starts from it, and each key of its own overrides
// the preset's. This package knows neither transcripts nor how passes work.
package policy

import "github.com/ctxfold/ctxfold/api"

//go:generate sh ../../../internal/apigen/easyjson.sh -disallow_unknown_fields

// Policy is when and how a transcript is compacted. Zero values mean "as the preset says".
//
//easyjson:json
type Policy struct {
	// Preset is the name of the preset that the policy starts from; "" is "default".
	Preset string `json:"preset,omitempty" is:"Preset"`
	// Format is the wire format of the transcript; "" and "auto" let detection decide.
	Format string `json:"format,omitempty"`
	// Model is the name of the model that the transcript is for. It selects the tokenizer family and, without window.tokens, the window.
	Model string `json:"model,omitempty"`
	// Estimator is the name of a token estimator.
	Estimator string  `json:"estimator,omitempty" is:"Estimator"`
	Window    Window  `json:"window"`
	Gate      Gate    `json:"gate"`
	Passes    []Pass  `json:"passes,omitempty"`
	Summary   Summary `json:"summary"`
	// Pins are messages that never change, in addition to system messages and the newest user message.
	Pins []Pin `json:"pins,omitempty"`
	// WireSafe keeps results valid for the provider. It is on unless set to false, which reproduces a published system exactly, including its
	// defects.
	WireSafe *bool `json:"wire_safe,omitempty"`
	// LastResort cuts a result that is still over the limit after the passes: tool results first, pinned messages last. It is on unless set to
	// false, and needs wire_safe.
	LastResort *bool `json:"last_resort,omitempty"`
	// OpenCalls is "keep" (the default: tool calls at the end without a result are left for the host to answer) or "answer" (they are
	// violations too, and repair adds a result that says so).
	OpenCalls string `json:"open_calls,omitempty" is:"OpenCalls"`
	// Thinking is how the model is asked to think: "manual" (with a budget), "adaptive", "drop_block" (adaptive, and the request has the
	// provider drop blocks that no longer fit), "off", or "auto" (the default: determined by the request body or the model's name).
	Thinking string `json:"thinking,omitempty"`
	// Repair is "refused" (the default: repairs what a provider refuses, and keeps what it tolerates) or "all" (also repairs what it
	// tolerates).
	Repair string `json:"repair,omitempty"`
	// MaxBytes is the maximum size of the message list as JSON, in bytes, whatever its tokens; 0 means unlimited. Above it images, audio and
	// files are replaced with placeholders, the oldest first.
	MaxBytes int `json:"max_bytes,omitempty"`
	// Prices are the prices of the model, for the prompt cache part of the report.
	Prices *Prices `json:"prices,omitempty"`
	// Log adds to the report what happened to each message.
	Log bool `json:"log,omitempty"`
	// Archive is "" (the default: removed content is lost), "places" (the answer lists the handle of each removed body and its byte ranges in
	// the request, and markers name the handles) or "bodies" (the bodies themselves instead of their byte ranges).
	Archive string `json:"archive,omitempty" is:"Archive"`

	// Only the options of a call set the fields below. Force compacts even if it isn't due; Answer is "messages" (or ""), "edits" or
	// "report".
	Force  bool   `json:"-"`
	Answer string `json:"-"`

	// Background compacts above gate.start, and keeps the transcript if the model returns no summary. Tried is the size, in tokens, at
	// the last background compaction that failed.
	Background bool `json:"-"`
	Tried      int  `json:"-"`
	OnlyKnown  bool `json:"-"` // no pass runs

	// Cold is why the provider's prompt cache no longer holds the conversation; "" if it may hold it.
	Cold api.Cold `json:"-"`

	reserve *int // of the policy itself, if Window has the reserve of its model
}

// Window is the size of the model's context.
type Window struct {
	// Tokens is the context window in tokens. 0 means that of Model; if that is unknown, too, compactions fail with the code unknown_window.
	Tokens int `json:"tokens,omitempty"`
	// Unlimited says that there is no limit in tokens: compaction is only due for other reasons, or when it is forced. It overrides Tokens and
	// the window of Model.
	Unlimited bool `json:"unlimited,omitempty"`
	// Reserve is how many tokens of the window stay free for the answer. The default is 16384, or an eighth of the window if that is less.
	Reserve *int `json:"reserve,omitempty"`
}

// Gate decides whether compaction is due: when the estimate is over (window − reserve) × ratio.
type Gate struct {
	// Ratio is the share of the usable window above which compaction is due, over 0 and up to 1.
	Ratio float64 `json:"ratio,omitempty"`
	// Target is the share of the limit that a compaction aims for, over 0 and up to 1. The room between target and limit determines how many
	// turns pass before the next one.
	Target float64 `json:"target,omitempty"`
	// Start is the share of the limit above which a compaction starts in the background, while the conversation continues: over Target and
	// below 1. 0, the default, is never.
	Start float64 `json:"start,omitempty"`
	// Notice is a text that tells the model that a compaction comes soon, so that it can write down what it will need. Reports have it once
	// between two compactions, and the host appends it. "" (the default) is none.
	Notice string `json:"notice,omitempty"`
	// NoticeAt is the share of the limit, or of gate.start where that is set, above which reports have the notice, over 0 and up to 1; 0 means
	// 0.9.
	NoticeAt float64 `json:"notice_at,omitempty"`
	// Idle is the lifetime of the provider's prompt cache in seconds, up to 1,000,000,000. A conversation that has been idle for longer, or
	// whose cache is cold for another reason, is compacted below the limit too. 0, the default, is never.
	Idle int `json:"idle,omitempty"`
	// Cold is the share of the limit above which a conversation with a cold cache is compacted, over 0 and up to 1; 0 means one half. It needs
	// Idle.
	Cold float64 `json:"cold,omitempty"`
	// MinGain is the share of the limit that a compaction must free, from 0 to 1; otherwise nothing is done.
	MinGain float64 `json:"min_gain,omitempty"`
	// Inclusive makes compaction due at the limit itself, not only above it.
	Inclusive bool `json:"inclusive,omitempty"`
	// MinMessages is the minimum number of messages for the passes to run; with fewer, only the last resort does.
	MinMessages int `json:"min_messages,omitempty"`
	// MaxTokens is the limit in tokens if the window is unknown or the reserve takes all of it; 0 means no limit (S4.3).
	MaxTokens int `json:"max_tokens,omitempty"`
	// MaxMessages is the number of messages at which compaction is due if there is no limit in tokens; 0 means never (S4.2).
	MaxMessages int `json:"max_messages,omitempty"`
	// MaxToolResults makes compaction due above that number of tool results that are neither cleared nor summarized; 0 means never (S4.24).
	MaxToolResults int `json:"max_tool_results,omitempty"`
	// Usage uses the provider's counts (usage in native messages) and estimates only what follows (S4.8).
	Usage bool `json:"usage,omitempty"`
}

// Prices are for a million tokens, in any currency. Cache prices default to Input.
type Prices struct {
	Input      float64  `json:"input,omitempty"`
	Output     float64  `json:"output,omitempty"`
	CacheRead  *float64 `json:"cache_read,omitempty"`
	CacheWrite *float64 `json:"cache_write,omitempty"`
}

// Summary is how digests are made.
type Summary struct {
	// Mode is "model" (the default: the host's model writes the digest), "local" (code writes it) or "minimal" (the digest only counts the
	// removed messages).
	Mode string `json:"mode,omitempty" is:"SummaryMode"`
	// Request is how the model is asked: "auto" (the default: appended to the conversation, whose start is in the provider's prompt cache, if
	// that is cheaper by Prices and fits into the window; otherwise flat), "flat" (a prompt with a record of the messages) or "prefix"
	// (appended to the conversation whenever that fits). Only hosts that can append requests get them.
	Request string `json:"request,omitempty"`
	// Prefix reports whether the host can append requests to the conversation. Only the options of a call set it.
	Prefix bool `json:"-"`
	// Text is a finished summary: the model isn't asked. Only the options of a call set it.
	Text string `json:"-"`
	// MaxOutputTokens is the maximum size of a model's digest, in tokens.
	MaxOutputTokens int `json:"max_output_tokens,omitempty"`
	// MaxInputTokens is the maximum size of a request to the model, in tokens; 0 means unlimited.
	MaxInputTokens int `json:"max_input_tokens,omitempty"`
	// Provider uses the provider's own compaction if it has one, and the model only if that fails. The requests to the host say how to call
	// it.
	Provider bool `json:"provider,omitempty"`
	// Retries is how often the model is asked again after a rejected summary.
	Retries int `json:"retries,omitempty"`
	// Split is how a record that is too long for one request is summarized: "map" (one request per part, in parallel, and one that merges
	// their digests) or "chain" (part by part, each with the digest so far).
	Split string `json:"split,omitempty"`
	// Standing is the share of the target reserved for the user's standing instructions, from 0 (no such block) to 1; they may also use what
	// the target leaves free. The default is 0.2.
	Standing *float64 `json:"standing,omitempty"`
	// ProjectInstructions is the share of the window that project instructions inside the list may take, such as AGENTS.md, CLAUDE.md or a
	// skill: their messages stay when others are folded. It is from 0 (they are folded like others) to 1. The default is 0.15, and 0 for
	// published systems.
	ProjectInstructions *float64 `json:"project_instructions,omitempty"`
	// Room is the share of the target up to which a digest written without a model may fill the result, from 0 (no more than a model's digest
	// may have) to 1, the default.
	Room *float64 `json:"room,omitempty"`
	// Instructions are added to the prompt, such as what to pay attention to.
	Instructions string `json:"instructions,omitempty"`
	// Style is the layout of a published system's requests and digests, by the name of its preset; "" is ctxfold's own.
	Style string `json:"style,omitempty" is:"Style"`
	// Prompt replaces the style's own instructions to the model. It needs a style.
	Prompt string `json:"prompt,omitempty"`
	// Scope is what the transcript is: "session" (the default) or "branch", an abandoned path of the conversation, which is folded as a whole.
	Scope string `json:"scope,omitempty"`
	// OnFailure is what happens if the host has no summary: "local" (the default: the local digest is used), "keep" (the transcript stays
	// unchanged) or "error" (the operation fails; with wire_safe it is "local").
	OnFailure string `json:"on_failure,omitempty"`
}

// Pin selects messages by one or more features; a message that has all of them is pinned.
type Pin struct {
	Role     string `json:"role,omitempty" is:"Role"` // system, user, assistant or tool
	Index    *int   `json:"index,omitempty"`          // in the list; negative counts from its end
	ID       string `json:"id,omitempty"`             // of a tool call or result in the message
	Contains string `json:"contains,omitempty"`       // a text in the message, as it is in its JSON
}

// Auto reports whether detection decides on the wire format.
func (p *Policy) Auto() bool { return p.Format == "" || p.Format == "auto" }

// Branch reports whether the transcript is an abandoned path.
func (p *Policy) Branch() bool { return p.Summary.Scope == "branch" }

// Safe reports whether results must be valid for the provider.
func (p *Policy) Safe() bool { return p.WireSafe == nil || *p.WireSafe }

// LastResorts reports whether a result over the limit is cut.
func (p *Policy) LastResorts() bool { return p.LastResort == nil || *p.LastResort }

// Local reports whether digests are written without a model.
func (p *Policy) Local() bool { return p.Summary.Mode != "model" }

// Due reports whether a transcript with this many tokens and messages must be compacted.
func (p *Policy) Due(tokens, messages int) bool {
	limit := p.Limit()
	if p.Few(messages) {
		return p.LastResorts() && limit > 0 && tokens > limit // for the last resort only
	}
	if limit <= 0 && p.Gate.MaxMessages > 0 {
		return messages >= p.Gate.MaxMessages
	}
	return tokens > limit || p.Gate.Inclusive && tokens == limit
}

// Starts reports whether a transcript with this many tokens and messages is over gate.start.
func (p *Policy) Starts(tokens, messages int) bool {
	start := p.StartTokens()
	return start > 0 && tokens > start && !p.Few(messages)
}

// StartTokens returns the size above which a compaction starts in the background, in tokens; 0 means never. Without a model a compaction takes no
// time worth saving, and published systems have no background compaction.
func (p *Policy) StartTokens() int {
	if p.Local() || !p.Safe() {
		return 0
	}
	return int(float64(p.Limit()) * p.Gate.Start)
}

// defaultNoticeAt is the default of Gate.NoticeAt: in a window of 200,000 tokens some 14,000 are left for the model's notes.
const defaultNoticeAt = 0.9

// Notifies reports whether the model of a transcript with this many tokens should be told that a compaction comes soon.
func (p *Policy) Notifies(tokens int) bool {
	if p.Gate.Notice == "" || p.OnlyKnown || !p.Safe() {
		return false
	}
	share, next := p.Gate.NoticeAt, p.Limit()
	if share == 0 {
		share = defaultNoticeAt
	}
	if start := p.StartTokens(); start > 0 {
		next = start
	}
	return next > 0 && tokens > int(float64(next)*share)
}

// defaultCold is the default of Gate.Cold. Below it a digest would lose detail for which the window has room for a long time.
const defaultCold = 0.5

// Chills reports whether a transcript with this many tokens and messages must be compacted because its prompt cache is cold. Published systems
// ignore the cache.
func (p *Policy) Chills(tokens, messages int) bool {
	share := p.Gate.Cold
	if share == 0 {
		share = defaultCold
	}
	return p.Cold != "" && p.Gate.Idle > 0 && p.Safe() && !p.OnlyKnown && !p.Few(messages) && tokens > int(float64(p.Limit())*share)
}

// MinGain returns how many tokens a compaction must free; otherwise nothing is done.
func (p *Policy) MinGain() int {
	if p.Force {
		return 0
	}
	return int(float64(p.Limit()) * p.Gate.MinGain)
}

// growth is the divisor of the limit for the growth after which a failed compaction is tried again.
const growth = 20

// Growth returns by how many tokens a transcript must grow before a failed compaction is tried again.
func (p *Policy) Growth() int { return max(1, p.MinGain(), p.Limit()/growth) }

// DefaultStanding is the default of Summary.Standing.
const DefaultStanding = 0.2

// StandingShare returns the share of the target for standing instructions.
func (p *Policy) StandingShare() float64 {
	if p.Summary.Standing == nil {
		return DefaultStanding
	}
	return *p.Summary.Standing
}

// DefaultProject is the default of Summary.ProjectInstructions.
const DefaultProject = 0.15

// ProjectShare returns the share of the window for project instructions.
func (p *Policy) ProjectShare() float64 {
	switch share := p.Summary.ProjectInstructions; {
	case share != nil:
		return *share
	case p.Published():
		return 0
	}
	return DefaultProject
}

// DigestShare returns the share of the target up to which a digest written without a model may fill the result.
func (p *Policy) DigestShare() float64 {
	if p.Summary.Room == nil {
		return 1
	}
	return *p.Summary.Room
}

// Published reports whether the policy is that of a published system, whose texts and choices stay as they were published.
func (p *Policy) Published() bool {
	return !p.Safe() || p.Summary.Style != "" || p.Preset != "" && p.Preset != presets[0].Name
}

// Few reports whether a transcript has too few messages for the passes.
func (p *Policy) Few(messages int) bool { return messages < p.Gate.MinMessages }

// Usable returns how many tokens of the window are available for the conversation; not positive if the reserve takes them all.
func (p *Policy) Usable() int {
	if p.Window.Reserve != nil {
		usable := p.Window.Tokens - *p.Window.Reserve
		if usable <= 0 && p.Gate.MaxTokens > 0 && p.Safe() { // such a policy has a limit, so a compaction needs room to work in
			return p.Window.Tokens - p.Window.Tokens/8
		}
		return usable
	}
	return p.Window.Tokens - min(16384, p.Window.Tokens/8)
}

// Limit returns the number of tokens above which compaction is due. It is 0 if the reserve takes the whole window (S3.11, S3.12).
func (p *Policy) Limit() int {
	limit := int(float64(max(0, p.Usable())) * p.Gate.Ratio)
	if p.Gate.MaxTokens > 0 && (p.Window.Tokens == 0 || p.Window.Reserve != nil && *p.Window.Reserve >= p.Window.Tokens) {
		if limit > 0 {
			return min(limit, p.Gate.MaxTokens)
		}
		return p.Gate.MaxTokens
	}
	return limit
}

// Aimless reports whether compaction was meant to become due and never can: there is no limit, and the policy doesn't ask for that.
// Published systems take such a policy.
func (p *Policy) Aimless() bool {
	return p.Unbounded() && !p.Window.Unlimited && p.MaxBytes == 0 && p.Safe() && !p.OnlyKnown
}

// Unbounded reports whether nothing in the policy can make compaction due.
func (p *Policy) Unbounded() bool {
	return p.Window.Tokens == 0 && p.Gate.MaxTokens == 0 && p.Gate.MaxMessages == 0 && p.Gate.MaxToolResults == 0
}

// TargetTokens returns how many tokens a compaction aims for.
func (p *Policy) TargetTokens() int { return int(float64(p.Limit()) * p.Gate.Target) }

// AsksProvider reports whether the provider's own compaction may be used. Exact published systems don't have it.
func (p *Policy) AsksProvider() bool { return p.Summary.Provider && p.Safe() }

// AsksPrefix reports whether requests for summaries may be appended to the conversation.
func (p *Policy) AsksPrefix() bool {
	return p.Summary.Prefix && p.Summary.Request != "flat" && p.Safe()
}

// Marks reports whether a result may have cache breakpoints of its own.
func (p *Policy) Marks() bool { return p.Safe() }
