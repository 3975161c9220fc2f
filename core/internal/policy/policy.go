// Package policy is what a host asks for: which estimator, which window, when compaction is due and what is done then.
//
// A policy is JSON. A preset is a policy with a name; a policy that names a preset starts from it, and every key that it
// gives itself counts instead of the preset's. What never enters this package: transcripts, and how passes work.
package policy

import "github.com/ctxfold/ctxfold/api"

//go:generate sh ../../../generate.sh -disallow_unknown_fields

// Policy is a host's policy. The zero values of all fields mean "as the preset says".
//
//easyjson:json
type Policy struct {
	// Preset is the name of the preset that the policy starts from; "" is "default".
	Preset string `json:"preset,omitempty" is:"Preset"`
	// Format is the wire format of the transcript; "" and "auto" let detection decide.
	Format string `json:"format,omitempty"`
	// Model is the name of the model that the transcript is for: it tells the tokenizer's family.
	Model string `json:"model,omitempty"`
	// Estimator is the name of a token estimator.
	Estimator string  `json:"estimator,omitempty" is:"Estimator"`
	Window    Window  `json:"window"`
	Gate      Gate    `json:"gate"`
	Passes    []Pass  `json:"passes,omitempty"`
	Summary   Summary `json:"summary"`
	// Pins are messages that are never changed, besides the system's and the newest of the user's.
	Pins []Pin `json:"pins,omitempty"`
	// WireSafe keeps results valid for the provider. It is on unless set to false, which reproduces a published system
	// exactly, defects included.
	WireSafe *bool `json:"wire_safe,omitempty"`
	// LastResort cuts what the passes have left where that is over the limit: tool results first, pinned messages last. It is
	// on unless set to false, and does not count without wire_safe.
	LastResort *bool `json:"last_resort,omitempty"`
	// OpenCalls is "keep" (the default: tool calls at the end that have no result yet are left open, for the host to
	// answer) or "answer" (they are violations too, and repair gives them a result that says so).
	OpenCalls string `json:"open_calls,omitempty" is:"OpenCalls"`
	// Thinking is how the model is asked to think: "manual" (with a budget), "adaptive", "drop_block" (adaptive, and the request has
	// the provider drop what no longer fits), "off", or "auto" (the default: the request body tells, or the model's name).
	Thinking string `json:"thinking,omitempty"`
	// Repair is "refused" (the default: what a provider refuses is mended, and what it tolerates stays as it came in) or "all"
	// (what it tolerates is mended too).
	Repair string `json:"repair,omitempty"`
	// MaxBytes is how many bytes the list of messages may have as JSON, whatever its tokens; 0 is no limit. Above it images,
	// audio and files are replaced by placeholders, the oldest first.
	MaxBytes int `json:"max_bytes,omitempty"`
	// Prices are those of the model, for the report on the prompt cache.
	Prices *Prices `json:"prices,omitempty"`
	// Log adds to the report what became of each message.
	Log bool `json:"log,omitempty"`
	// Archive is "" (the default: what is taken out is gone), "places" (the answer lists every body that was taken out, with
	// its handle and its places in the request, and markers name the handles) or "bodies" (the bodies themselves in the
	// stead of their places).
	Archive string `json:"archive,omitempty" is:"Archive"`

	// Those of a call, which only its options have: compact although it is not due, and "messages" (which "" is too), "edits" (runs over
	// the input's indexes) or "report" (neither).
	Force  bool   `json:"-"`
	Answer string `json:"-"`

	// Background compacts above gate.start, and keeps the transcript where the model gives no summary. Tried is the size in tokens for
	// which that came to nothing before.
	Background bool `json:"-"`
	Tried      int  `json:"-"`
	OnlyKnown  bool `json:"-"` // no pass runs

	// Cold is why the provider's prompt cache has nothing of the conversation; "" where it may have.
	Cold api.Cold `json:"-"`

	reserve *int // that of the policy itself, where Window has that of its model
}

// Window is the size of the model's context.
type Window struct {
	// Tokens is the context window in tokens; 0 is an unknown window, with which compaction is never due.
	Tokens int `json:"tokens,omitempty"`
	// Reserve is how many tokens of the window stay free for the answer. Without one it is 16384, or an eighth of the
	// window if that is less.
	Reserve *int `json:"reserve,omitempty"`
}

// Gate decides whether compaction is due: when the estimate is over (window − reserve) × ratio.
type Gate struct {
	// Ratio is the share of the usable window at which compaction is due, over 0 and up to 1.
	Ratio float64 `json:"ratio,omitempty"`
	// Target is the share of the limit that a compaction aims for, over 0 and up to 1: the room below it is how many
	// turns pass before the next one.
	Target float64 `json:"target,omitempty"`
	// Start is the share of the limit above which a compaction is begun in the background, while the conversation goes on: over Target
	// and below 1. 0, the default, is never.
	Start float64 `json:"start,omitempty"`
	// Idle is after how many seconds without a call the provider's prompt cache is cold, up to 1,000,000,000: a conversation that has been
	// idle for so long, or whose cache is cold for another reason, is compacted below the limit too. 0, the default, is never.
	Idle int `json:"idle,omitempty"`
	// Cold is the share of the limit above which a conversation is compacted whose cache is cold, over 0 and up to 1; 0 is one half.
	// Without Idle it does not count.
	Cold float64 `json:"cold,omitempty"`
	// MinGain is the share of the limit that a compaction must free, or nothing is done; from 0 to 1.
	MinGain float64 `json:"min_gain,omitempty"`
	// Inclusive makes compaction due at the limit itself, not only above it.
	Inclusive bool `json:"inclusive,omitempty"`
	// MinMessages is how many messages a transcript must have for the passes to be due; with fewer there is only the last resort.
	MinMessages int `json:"min_messages,omitempty"`
	// MaxTokens is the limit where the window is unknown or the reserve takes all of it, in tokens; 0 is none (S4.3).
	MaxTokens int `json:"max_tokens,omitempty"`
	// MaxMessages makes compaction due at so many messages where there is no limit in tokens; 0 is never (S4.2).
	MaxMessages int `json:"max_messages,omitempty"`
	// MaxToolResults makes compaction due above so many tool results that have not been cleared or summarised; 0 is never
	// (S4.24).
	MaxToolResults int `json:"max_tool_results,omitempty"`
	// Usage takes what the provider counted (usage in native messages) for what it has counted, and estimates only what
	// follows (S4.8).
	Usage bool `json:"usage,omitempty"`
}

// Prices are in any currency for a million tokens. Without those of the cache everything costs Input.
type Prices struct {
	Input      float64  `json:"input,omitempty"`
	Output     float64  `json:"output,omitempty"`
	CacheRead  *float64 `json:"cache_read,omitempty"`
	CacheWrite *float64 `json:"cache_write,omitempty"`
}

// Summary is how digests are made.
type Summary struct {
	// Mode is "model" (the default: the host is asked), "local" (never; the local digest is used) or "minimal" (never; the
	// digest only counts the messages that are gone).
	Mode string `json:"mode,omitempty" is:"SummaryMode"`
	// Request is how the model is asked: "auto" (the default: behind the conversation, whose beginning the provider has in its prompt
	// cache, where that is cheaper by Prices and fits into the window; else flat), "flat" (a prompt with a record of the messages) or
	// "prefix" (behind the conversation wherever that fits). Only hosts that can send such requests are asked for them.
	Request string `json:"request,omitempty"`
	// Prefix tells that the host can send requests behind the conversation, which only the options of a call say.
	Prefix bool `json:"-"`
	// Text is the summary itself, which only the options of a call have: the model is not asked.
	Text string `json:"-"`
	// MaxOutputTokens is how large a digest of a model may get, in tokens.
	MaxOutputTokens int `json:"max_output_tokens,omitempty"`
	// MaxInputTokens is how large a request to the model may get, in tokens; 0 is no limit.
	MaxInputTokens int `json:"max_input_tokens,omitempty"`
	// Provider has the provider of the conversation compact by itself where it can, and the model only where that fails: the requests
	// to the host say how.
	Provider bool `json:"provider,omitempty"`
	// Retries is how often the model is asked again when its answer is no digest.
	Retries int `json:"retries,omitempty"`
	// Split is what is done with a record that is too long for one request: "map" (one request for each part, at the same
	// time, and one that puts the digests of the parts together) or "chain" (part by part, each time with the digest so far).
	Split string `json:"split,omitempty"`
	// Standing is the share of the target that what the user said about how to work may always take, from 0 (it has no block of its
	// own) to 1; what the target leaves free it may take too. Without it it is DefaultStanding.
	Standing *float64 `json:"standing,omitempty"`
	// Room is the share of the target that a digest made without a model may fill, with all that stays beside it: from 0 (no more than
	// a digest of a model may have) to 1, which is also what counts without it.
	Room *float64 `json:"room,omitempty"`
	// Instructions are added to the prompt, such as what to pay attention to.
	Instructions string `json:"instructions,omitempty"`
	// Style is the layout of a published system's requests and digests, by the name of its preset; "" is ctxfold's own.
	Style string `json:"style,omitempty" is:"Style"`
	// Prompt says what to write, in the stead of the style's own words. Only styles have one.
	Prompt string `json:"prompt,omitempty"`
	// Scope is what the transcript is: "session" (the default) or "branch", a path that the conversation has given up, which is
	// folded whole.
	Scope string `json:"scope,omitempty"`
	// OnFailure is what happens where the host has no summary: "local" (the default: the local digest takes its place),
	// "keep" (the transcript stays as it is) or "error" (the operation fails; with wire_safe it is "local").
	OnFailure string `json:"on_failure,omitempty"`
}

// Pin names messages by one or more of their features; a message that has all of them is pinned.
type Pin struct {
	Role     string `json:"role,omitempty" is:"Role"` // system, user, assistant or tool
	Index    *int   `json:"index,omitempty"`          // in the list; negative counts from its end
	ID       string `json:"id,omitempty"`             // of a tool call or result in the message
	Contains string `json:"contains,omitempty"`       // a text in the message, as it stands in its JSON
}

// Auto tells whether detection decides on the wire format.
func (p *Policy) Auto() bool { return p.Format == "" || p.Format == "auto" }

// Branch tells whether the transcript is a path that was given up.
func (p *Policy) Branch() bool { return p.Summary.Scope == "branch" }

// Safe tells whether results must be valid for the provider.
func (p *Policy) Safe() bool { return p.WireSafe == nil || *p.WireSafe }

// LastResorts tells whether a result that is over the limit is cut.
func (p *Policy) LastResorts() bool { return p.LastResort == nil || *p.LastResort }

// Local tells whether digests are made without a model.
func (p *Policy) Local() bool { return p.Summary.Mode != "model" }

// Due tells whether a transcript of so many tokens and messages is to be compacted.
func (p *Policy) Due(tokens, messages int) bool {
	limit := p.Limit()
	if p.Few(messages) {
		return p.LastResorts() && limit > 0 && tokens > limit // for the last resort alone
	}
	if limit <= 0 && p.Gate.MaxMessages > 0 {
		return messages >= p.Gate.MaxMessages
	}
	return tokens > limit || p.Gate.Inclusive && tokens == limit
}

// Starts reports whether a transcript of so many tokens and messages is over gate.start.
func (p *Policy) Starts(tokens, messages int) bool {
	start := p.StartTokens()
	return start > 0 && tokens > start && !p.Few(messages)
}

// StartTokens is the size above which a compaction is begun in the background, in tokens; 0 is never. Where no model is asked, a
// compaction takes no time worth saving, and published systems have none.
func (p *Policy) StartTokens() int {
	if p.Local() || !p.Safe() {
		return 0
	}
	return int(float64(p.Limit()) * p.Gate.Start)
}

// defaultCold is the share of the limit above which a conversation with a cold cache is compacted where the policy says nothing of it:
// below it a digest costs detail that the window has room for until long after.
const defaultCold = 0.5

// Chills reports whether a transcript of so many tokens and messages is to be compacted because its prompt cache is cold. Published
// systems know no cache.
func (p *Policy) Chills(tokens, messages int) bool {
	share := p.Gate.Cold
	if share == 0 {
		share = defaultCold
	}
	return p.Cold != "" && p.Gate.Idle > 0 && p.Safe() && !p.OnlyKnown && !p.Few(messages) && tokens > int(float64(p.Limit())*share)
}

// MinGain is how many tokens a compaction must free, or nothing is done.
func (p *Policy) MinGain() int {
	if p.Force {
		return 0
	}
	return int(float64(p.Limit()) * p.Gate.MinGain)
}

// growth is the share of the limit, as its denominator, by which a transcript grows before what came to nothing is tried again.
const growth = 20

// Growth is by how many tokens a transcript grows before a compaction that came to nothing is tried again.
func (p *Policy) Growth() int { return max(1, p.MinGain(), p.Limit()/growth) }

// DefaultStanding is the share of the target for standing instructions where the policy says nothing of it.
const DefaultStanding = 0.2

// StandingShare is the share of the target for standing instructions.
func (p *Policy) StandingShare() float64 {
	if p.Summary.Standing == nil {
		return DefaultStanding
	}
	return *p.Summary.Standing
}

// DigestShare is the share of the target up to which a digest made without a model may fill it.
func (p *Policy) DigestShare() float64 {
	if p.Summary.Room == nil {
		return 1
	}
	return *p.Summary.Room
}

// Few tells whether a transcript has too few messages for the passes.
func (p *Policy) Few(messages int) bool { return messages < p.Gate.MinMessages }

// Usable is how many tokens of the window there are for the conversation; not positive if the reserve takes them all.
func (p *Policy) Usable() int {
	if p.Window.Reserve != nil {
		usable := p.Window.Tokens - *p.Window.Reserve
		if usable <= 0 && p.Gate.MaxTokens > 0 && p.Safe() { // such a policy has a limit, and there must be room to work in
			return p.Window.Tokens - p.Window.Tokens/8
		}
		return usable
	}
	return p.Window.Tokens - min(16384, p.Window.Tokens/8)
}

// Limit is how many tokens are too many: compaction is due above it. It is 0 where the reserve takes the whole window
// (S3.11, S3.12).
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

// Unbounded tells whether nothing in the policy makes compaction due.
func (p *Policy) Unbounded() bool {
	return p.Window.Tokens == 0 && p.Gate.MaxTokens == 0 && p.Gate.MaxMessages == 0 && p.Gate.MaxToolResults == 0
}

// TargetTokens is how many tokens a compaction aims for.
func (p *Policy) TargetTokens() int { return int(float64(p.Limit()) * p.Gate.Target) }

// AsksProvider reports whether the provider may compact by itself. A system that is followed exactly knows nothing of that.
func (p *Policy) AsksProvider() bool { return p.Summary.Provider && p.Safe() }

// AsksBehind reports whether summaries may be asked for behind the conversation.
func (p *Policy) AsksBehind() bool {
	return p.Summary.Prefix && p.Summary.Request != "flat" && p.Safe()
}

// Marks reports whether a result may carry marks for the prompt cache beside the app's own.
func (p *Policy) Marks() bool { return p.Safe() }
