// Package policy parses and checks policies: which estimator and window to use, when compaction is due, and which
// passes run then.
//
// A policy is JSON. A preset is a named policy. A policy that names a preset starts from it, and each of its own keys
// overrides the preset's. This package knows neither transcripts nor how passes work.
package policy

import "github.com/ctxfold/ctxfold/api"

//go:generate sh ../../../internal/apigen/easyjson.sh -disallow_unknown_fields

// Policy determines when and how a transcript is compacted. Zero values mean "as in the preset".
//
//easyjson:json
type Policy struct {
	// Preset is the name of the preset that the policy starts from; "" means "default".
	Preset string `json:"preset,omitempty" is:"Preset"`
	// Format is the wire format of the transcript; "" and "auto" let detection decide.
	Format string `json:"format,omitempty"`
	// Model is the name of the model that the transcript is for. It selects the tokenizer family and, without
	// window.tokens, the window.
	Model string `json:"model,omitempty"`
	// Estimator is the name of a token estimator.
	Estimator string  `json:"estimator,omitempty" is:"Estimator"`
	Window    Window  `json:"window"`
	Gate      Gate    `json:"gate"`
	Passes    []Pass  `json:"passes,omitempty"`
	Summary   Summary `json:"summary"`
	// Pins select messages that never change, in addition to system messages and the newest user message.
	Pins []Pin `json:"pins,omitempty"`
	// WireSafe keeps results valid for the provider. It is on unless set to false. False reproduces a published
	// system exactly, including its defects.
	WireSafe *bool `json:"wire_safe,omitempty"`
	// LastResort cuts a result that is still over the limit after the passes: tool results first, pinned messages
	// last. It is on unless set to false, and requires wire_safe.
	LastResort *bool `json:"last_resort,omitempty"`
	// OpenCalls is "keep" (the default: tool calls at the end that have no result are left for the host to answer) or
	// "answer" (they count as violations, and repair adds a result saying that there is none).
	OpenCalls string `json:"open_calls,omitempty" is:"OpenCalls"`
	// Thinking is how the model is asked to think: "manual" (with a budget), "adaptive", "drop_block" (adaptive, and
	// the request makes the provider drop blocks that no longer fit), "off", or "auto" (the default: determined by
	// the request body or the model's name).
	Thinking string `json:"thinking,omitempty"`
	// Repair is "refused" (the default: repairs what a provider refuses, and keeps what it tolerates) or "all" (also
	// repairs what it tolerates).
	Repair string `json:"repair,omitempty"`
	// MaxBytes is the maximum size of the message list as JSON, in bytes, whatever its size in tokens; 0 means
	// unlimited. Above it, images, audio and files are replaced with placeholders, the oldest first.
	MaxBytes int `json:"max_bytes,omitempty"`
	// Prices are the model's prices, which the report uses to calculate the effect on the prompt cache.
	Prices *Prices `json:"prices,omitempty"`
	// Log adds to the report what happened to each message.
	Log bool `json:"log,omitempty"`
	// Archive is "" (the default: removed content is lost), "places" (the response lists the handle of each removed
	// body and its byte ranges in the request, and markers name the handles) or "bodies" (the response contains the
	// bodies instead of their byte ranges).
	Archive string `json:"archive,omitempty" is:"Archive"`

	// The following fields can only be set by the options of a call. Force compacts even if compaction isn't due;
	// Answer is "messages" (or ""), "edits" or "report".
	Force  bool   `json:"-"`
	Answer string `json:"-"`

	// Background compacts above gate.start, and keeps the transcript if the model returns no summary. Tried is the
	// size, in tokens, at the last background compaction that failed.
	Background bool `json:"-"`
	Tried      int  `json:"-"`
	OnlyKnown  bool `json:"-"` // whether no pass may run

	// Cold is the reason why the provider's prompt cache no longer holds the conversation; "" if it may hold it.
	Cold api.Cold `json:"-"`

	reserve *int // the policy's own reserve, if Window has the reserve of its model

	ownTarget bool // whether the policy itself has gate.target, and not only its preset
	ownPasses bool // whether the policy itself has passes, and not only its preset
}

// Window is the size of the model's context.
type Window struct {
	// Tokens is the context window in tokens. 0 means the window of Model; if that is unknown too and the policy sets
	// no other limit, compactions fail with the code unknown_window.
	Tokens int `json:"tokens,omitempty"`
	// Unlimited means that there is no limit in tokens: compaction is only due for other reasons, or when it is
	// forced. It overrides Tokens and the window of Model.
	Unlimited bool `json:"unlimited,omitempty"`
	// Reserve is the number of tokens of the window that stay free for the model's output. The default is that of the
	// model if its window is used and its provider reserves a part of it, otherwise 16384, or an eighth of the window
	// if that is less.
	Reserve *int `json:"reserve,omitempty"`
}

// Gate decides whether compaction is due, which it is when the estimate exceeds (window − reserve) × ratio.
type Gate struct {
	// Ratio is the share of the usable window above which compaction is due, over 0 and up to 1.
	Ratio float64 `json:"ratio,omitempty"`
	// Target is the share of the limit that a compaction aims for, over 0 and up to 1. The room between the target
	// and the limit determines how many turns pass before the next compaction.
	Target float64 `json:"target,omitempty"`
	// Start is the share of the limit above which a compaction starts in the background, while the conversation
	// continues: over Target and below 1. 0, the default, means never.
	Start float64 `json:"start,omitempty"`
	// Notice is a text that tells the model that a compaction will come soon, so that it can write down what it will
	// need. Reports contain it once between two compactions, and the host appends it. "" (the default) means no
	// notice.
	Notice string `json:"notice,omitempty"`
	// NoticeAt is the share of the limit (or of gate.start, if that is set) above which reports contain the notice,
	// over 0 and up to 1; 0 means 0.9.
	NoticeAt float64 `json:"notice_at,omitempty"`
	// Idle is the lifetime of the provider's prompt cache in seconds, up to 1,000,000,000. A conversation that has
	// been idle for longer, or whose cache is cold for another reason, is compacted even below the limit. 0, the
	// default, means never.
	Idle int `json:"idle,omitempty"`
	// Cold is the share of the limit above which a conversation with a cold cache is compacted, over 0 and up to 1; 0
	// means one half. It requires Idle.
	Cold float64 `json:"cold,omitempty"`
	// MinGain is the share of the limit that a compaction must free, from 0 to 1; a compaction that would free less
	// is not made.
	MinGain float64 `json:"min_gain,omitempty"`
	// Inclusive makes compaction due at the limit itself, not only above it.
	Inclusive bool `json:"inclusive,omitempty"`
	// MinMessages is the minimum number of messages for the passes to run; with fewer, only the last resort does.
	MinMessages int `json:"min_messages,omitempty"`
	// MaxTokens is the limit in tokens if the window is unknown or the reserve takes all of it; 0 means no limit
	// (S4.3).
	MaxTokens int `json:"max_tokens,omitempty"`
	// MaxMessages is the number of messages at which compaction is due if there is no limit in tokens; 0 means never
	// (S4.2).
	MaxMessages int `json:"max_messages,omitempty"`
	// MaxToolResults is the number of tool results that are neither cleared nor summarized above which compaction is
	// due; 0 means never (S4.24).
	MaxToolResults int `json:"max_tool_results,omitempty"`
	// Usage makes ctxfold use the provider's counts (usage in native messages) and estimate only the messages after
	// them (S4.8).
	Usage bool `json:"usage,omitempty"`
}

// Prices are per million tokens, in any currency. Cache prices default to Input.
type Prices struct {
	Input      float64  `json:"input,omitempty"`       // the price of input that is not read from the cache
	Output     float64  `json:"output,omitempty"`      // the price of what the model writes
	CacheRead  *float64 `json:"cache_read,omitempty"`  // the price of input that is read from the cache; by default, that of other input
	CacheWrite *float64 `json:"cache_write,omitempty"` // the price of input that is written to the cache; by default, that of other input
}

// Summary configures how digests are made.
type Summary struct {
	// Mode is "model" (the default: the host's model writes the digest), "local" (code writes it) or "minimal" (the
	// digest only counts the removed messages).
	Mode string `json:"mode,omitempty" is:"SummaryMode"`
	// Request is the form of requests to the model: "flat" (a prompt with a record of the messages), "prefix"
	// (appended to the conversation, whose start is in the provider's prompt cache, whenever that fits) or "auto"
	// (the default: appended if that is cheaper according to Prices and fits into the window, otherwise flat). Only
	// hosts that can append requests get them.
	Request string `json:"request,omitempty"`
	// Prefix reports whether the host can append requests to the conversation. Only the options of a call set it.
	Prefix bool `json:"-"`
	// Text is a finished summary. If it is set, the model isn't asked. Only the options of a call set it.
	Text string `json:"-"`
	// MaxOutputTokens is the maximum size of a model's digest, in tokens.
	MaxOutputTokens int `json:"max_output_tokens,omitempty"`
	// MaxInputTokens is the maximum size of a request to the model, in tokens; 0 means unlimited.
	MaxInputTokens int `json:"max_input_tokens,omitempty"`
	// Provider uses the provider's own compaction if there is one, and the model only if that fails. The requests
	// tell the host how to call it.
	Provider bool `json:"provider,omitempty"`
	// Retries is the maximum number of times that the model is asked again after a rejected summary.
	Retries int `json:"retries,omitempty"`
	// Split is the way to summarize a record that is too long for one request: "map" (the default: one request per
	// part, in parallel, and one that merges their digests) or "chain" (part by part, each with the digest so far).
	Split string `json:"split,omitempty"`
	// Standing is the share of the target reserved for the user's standing instructions, from 0 (no such block) to 1.
	// They may also use room that the target leaves free. The default is 0.2; in a chat's digest that is written
	// without a model, rules and preferences may then take half of the digest.
	Standing *float64 `json:"standing,omitempty"`
	// ProjectInstructions is the share of the window, from 0 to 1, that may be taken up by project instructions in the
	// message list, such as AGENTS.md, CLAUDE.md or a skill. Their messages stay when others are folded; at 0 they are
	// folded like the others. The default is 0.15, or 0 for published systems.
	ProjectInstructions *float64 `json:"project_instructions,omitempty"`
	// Room limits a digest written without a model: it may grow until the result reaches this fraction of the target.
	// At 0 it is no larger than a model's digest would be; at 1, the default, it may use the whole target.
	Room *float64 `json:"room,omitempty"`
	// Instructions are added to the prompt, for example to say what to pay attention to.
	Instructions string `json:"instructions,omitempty"`
	// Style is the name of the published system (its preset) whose layout is used for requests and digests; "" means
	// ctxfold's own layout.
	Style string `json:"style,omitempty" is:"Style"`
	// Prompt replaces the style's own instructions to the model. It requires a style.
	Prompt string `json:"prompt,omitempty"`
	// Scope is the kind of transcript: "session" (the default) or "branch", an abandoned path of the conversation,
	// which is folded as a whole.
	Scope string `json:"scope,omitempty"`
	// OnFailure is what to do if the host has no summary: "local" (the default: use the local digest), "keep" (leave
	// the transcript unchanged) or "error" (fail; with wire_safe this means "local").
	OnFailure string `json:"on_failure,omitempty"`
}

// Pin selects messages by one or more features. A message that has all of them is pinned.
type Pin struct {
	Role     string `json:"role,omitempty" is:"Role"` // system, user, assistant or tool
	Index    *int   `json:"index,omitempty"`          // index in the list; negative counts from the end
	ID       string `json:"id,omitempty"`             // id of a tool call or result in the message
	Contains string `json:"contains,omitempty"`       // a text in the message, spelled as in its JSON
}

// DetectsFormat reports whether detection decides on the wire format.
func (p *Policy) DetectsFormat() bool { return p.Format == "" || p.Format == "auto" }

// IsBranchScope reports whether the transcript is an abandoned path.
func (p *Policy) IsBranchScope() bool { return p.Summary.Scope == "branch" }

// IsWireSafe reports whether results must be valid for the provider.
func (p *Policy) IsWireSafe() bool { return p.WireSafe == nil || *p.WireSafe }

// LastResorts reports whether a result that exceeds the limit is cut.
func (p *Policy) LastResorts() bool { return p.LastResort == nil || *p.LastResort }

// UsesLocalDigest reports whether digests are written without a model.
func (p *Policy) UsesLocalDigest() bool { return p.Summary.Mode != "model" }

// IsOverGate reports whether a transcript with this many tokens and messages exceeds the threshold of the gate.
func (p *Policy) IsOverGate(tokens, messages int) bool {
	limit := p.Limit()
	if p.HasFewMessages(messages) {
		return p.LastResorts() && limit > 0 && tokens > limit // only the last resort applies then
	}
	if limit <= 0 && p.Gate.MaxMessages > 0 {
		return messages >= p.Gate.MaxMessages
	}
	return tokens > limit || p.Gate.Inclusive && tokens == limit
}

// IsOverStart reports whether a transcript with this many tokens and messages is over gate.start.
func (p *Policy) IsOverStart(tokens, messages int) bool {
	start := p.StartTokens()
	return start > 0 && tokens > start && !p.HasFewMessages(messages)
}

// StartTokens returns the size in tokens above which a compaction starts in the background; 0 means never. It returns 0
// if there is no model, because a compaction then takes too little time to matter, and for published systems, which
// have no background compaction.
func (p *Policy) StartTokens() int {
	if p.UsesLocalDigest() || !p.IsWireSafe() {
		return 0
	}
	return int(float64(p.Limit()) * p.Gate.Start)
}

// defaultNoticeAt is the default of Gate.NoticeAt. In a window of 200,000 tokens it leaves some 14,000 tokens for the
// model's notes.
const defaultNoticeAt = 0.9

// NoticeIsDue reports whether the model should be told that a compaction will come soon, for a transcript with this
// many tokens.
func (p *Policy) NoticeIsDue(tokens int) bool {
	if p.Gate.Notice == "" || p.OnlyKnown || !p.IsWireSafe() {
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

// defaultCold is the default of Gate.Cold. Below it the window won't fill up for a long time, so a digest would
// sacrifice detail needlessly.
const defaultCold = 0.5

// ColdIsDue reports whether a transcript with this many tokens and messages must be compacted if its prompt cache is
// cold. Published systems ignore the cache.
func (p *Policy) ColdIsDue(tokens, messages int) bool {
	share := p.Gate.Cold
	if share == 0 {
		share = defaultCold
	}
	return p.Cold != "" && p.Gate.Idle > 0 && p.IsWireSafe() && !p.OnlyKnown && !p.HasFewMessages(messages) &&
		tokens > int(float64(p.Limit())*share)
}

// MinGain returns the number of tokens that a compaction must free; one that would free less is not made. It is 0 if
// the policy forces a compaction.
func (p *Policy) MinGain() int {
	if p.Force {
		return 0
	}
	return int(float64(p.Limit()) * p.Gate.MinGain)
}

// growth divides the limit: a transcript must grow by 1/growth of it before a failed compaction is tried again.
const growth = 20

// RetryGrowth returns the number of tokens by which a transcript must grow before a failed compaction is tried again.
func (p *Policy) RetryGrowth() int { return max(1, p.MinGain(), p.Limit()/growth) }

// DefaultStanding is the default of Summary.Standing, a share of the target.
const DefaultStanding = 0.2

// StandingShare returns the share of the target for standing instructions.
func (p *Policy) StandingShare() float64 {
	if p.Summary.Standing == nil {
		return DefaultStanding
	}
	return *p.Summary.Standing
}

// DefaultProject is the default of Summary.ProjectInstructions, a share of the window.
const DefaultProject = 0.15

// ProjectShare returns the share of the window for project instructions, from 0 to 1. It is 0 for published systems
// unless the policy sets it.
func (p *Policy) ProjectShare() float64 {
	switch share := p.Summary.ProjectInstructions; {
	case share != nil:
		return *share
	case p.IsPublished():
		return 0
	}
	return DefaultProject
}

// DigestShare returns the fraction of the target that a result may reach if its digest is written without a model.
func (p *Policy) DigestShare() float64 {
	if p.Summary.Room == nil {
		return 1
	}
	return *p.Summary.Room
}

// IsPublished reports whether the policy reproduces a published system, whose texts and decisions must stay as they
// were published.
func (p *Policy) IsPublished() bool {
	return !p.IsWireSafe() || p.Summary.Style != "" || p.Preset != "" && p.Preset != presets[0].Name
}

// HasFewMessages reports whether a transcript has too few messages for the passes to run.
func (p *Policy) HasFewMessages(messages int) bool { return messages < p.Gate.MinMessages }

// UsableTokens returns the number of tokens of the window that are available for the conversation.
// If the reserve takes all of them, the result is zero or negative or, for a wire-safe policy with
// gate.max_tokens, 7/8 of the window.
func (p *Policy) UsableTokens() int {
	if p.Window.Reserve != nil {
		usable := p.Window.Tokens - *p.Window.Reserve
		if usable <= 0 && p.Gate.MaxTokens > 0 && p.IsWireSafe() { // such a policy has a limit, and a compaction needs room to work
			return p.Window.Tokens - p.Window.Tokens/8
		}
		return usable
	}
	return p.Window.Tokens - min(16384, p.Window.Tokens/8)
}

// Limit returns the number of tokens above which compaction is due. It is 0 if the reserve takes the whole window
// and there is no gate.max_tokens (S3.11, S3.12).
func (p *Policy) Limit() int {
	limit := int(float64(max(0, p.UsableTokens())) * p.Gate.Ratio)
	if p.Gate.MaxTokens > 0 && (p.Window.Tokens == 0 || p.Window.Reserve != nil && *p.Window.Reserve >= p.Window.Tokens) {
		if limit > 0 {
			return min(limit, p.Gate.MaxTokens)
		}
		return p.Gate.MaxTokens
	}
	return limit
}

// NeverDue reports whether compaction can never become due although the policy doesn't request that: it has no limit
// of any kind. Published systems accept such a policy.
func (p *Policy) NeverDue() bool {
	return p.HasNoLimit() && !p.Window.Unlimited && p.MaxBytes == 0 && p.IsWireSafe() && !p.OnlyKnown
}

// HasNoLimit reports whether nothing in the policy can make compaction due.
func (p *Policy) HasNoLimit() bool {
	return p.Window.Tokens == 0 && p.Gate.MaxTokens == 0 && p.Gate.MaxMessages == 0 && p.Gate.MaxToolResults == 0
}

// TargetTokens returns the number of tokens that a compaction aims for.
func (p *Policy) TargetTokens() int { return int(float64(p.Limit()) * p.Gate.Target) }

// HasOwnTarget reports whether a compaction aims for exactly the target, and not for more because of what stays.
func (p *Policy) HasOwnTarget() bool { return p.ownTarget || p.IsPublished() }

// HasOwnPasses reports whether a fold keeps a tail as large as its parameters say, even if that leaves the digest less
// room.
func (p *Policy) HasOwnPasses() bool { return p.ownPasses || p.IsPublished() }

// AsksProvider reports whether the provider's own compaction may be used. Exactly reproduced published systems don't
// use it.
func (p *Policy) AsksProvider() bool { return p.Summary.Provider && p.IsWireSafe() }

// AsksPrefix reports whether requests for summaries may be appended to the conversation.
func (p *Policy) AsksPrefix() bool {
	return p.Summary.Prefix && p.Summary.Request != "flat" && p.IsWireSafe()
}

// WritesMarks reports whether ctxfold may add cache breakpoints to a result.
func (p *Policy) WritesMarks() bool { return p.IsWireSafe() }
