package policy

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/mailru/easyjson/jlexer"
)

// Preset is a policy with a name.
type Preset struct {
	Name, Doc string // the name, and what the preset is for
	JSON      string // the policy
}

// presets lists the presets, the default one first. Those of the published systems are defined in separate files.
var presets = []Preset{
	{
		Name: "default",
		Doc:  "squeezes tool results first, then clears old ones, folds older turns if that is not enough, and restores the files that were read last",
		JSON: `{
  "estimator": "script",
  "gate": {"ratio": 0.8, "target": 0.6, "min_gain": 0.02},
  "passes": [
    {"pass": "squeeze", "keep_recent": 2},
    {"pass": "clear", "keep_recent": 6, "min_reclaim": 2000, "excerpt": 250},
    {"pass": "fold", "keep_tokens": 20000, "boundary": "turn"},
    {"pass": "rehydrate", "max_files": 5, "tokens": 8000}
  ],
  "summary": {"mode": "model", "max_output_tokens": 4096, "retries": 1}
}`,
	},
	layered,
	windowBudget,
	turnTail,
	checkpoint,
	agentLoop,
}

// Presets returns the presets, the default one first.
func Presets() []Preset { return presets }

// Error is an error in a policy (or in other decoded JSON): a code and a byte offset.
type Error = jsonspan.Error

// Unmarshaler is implemented by the code that easyjson generates.
type Unmarshaler interface{ UnmarshalEasyJSON(*jlexer.Lexer) }

// noKey is the beginning of the message about an unknown key.
const noKey = "there is no such key here: "

// Decode decodes JSON into v. The JSON must have been validated by a scanner. Unknown keys and keys
// that occur twice are errors.
func Decode(src []byte, v Unmarshaler) *Error {
	l := jlexer.Lexer{Data: src}
	v.UnmarshalEasyJSON(&l)
	err := l.Error()
	if err == nil {
		return jsonspan.Duplicate(src)
	}
	e := &Error{Code: jsonspan.WrongType, Message: err.Error()}
	if le, ok := err.(*jlexer.LexerError); ok {
		e.Offset, e.Message = max(0, min(le.Offset, len(src))), le.Reason
		switch {
		case le.Reason == "expected {":
			e.Message = "expected an object"
		case le.Reason == "expected [":
			e.Message = "expected a list"
		case le.Reason == "expected bool":
			e.Message = "expected true or false"
		case strings.HasPrefix(le.Reason, "expected "):
			e.Message = "expected a " + le.Reason[len("expected "):]
		case strings.HasPrefix(le.Reason, "strconv."):
			e.Message = "expected a whole number of at most 18 digits"
			if strings.Contains(le.Reason, "ParseFloat") {
				e.Message = "this number is out of range"
			}
		}
		if le.Reason == "unknown field" {
			e.Code, e.Message = api.CodeUnknownField, noKey+le.Data
			e.Offset = max(0, e.Offset-1)
		}
	}
	return e
}

// windowIs returns the error message for a window of the wrong type. The message shows the right form, with the number
// in given if it is one.
func windowIs(given []byte) string {
	n := 0
	for n < len(given) && n < 10 && given[n] >= '0' && given[n] <= '9' {
		n++
	}
	tokens := "200000"
	if n > 0 {
		tokens = string(given[:n])
	}
	return `the window must be an object: {"window":{"tokens":` + tokens + `}}`
}

// MaxBytes is the maximum size of a policy in bytes of JSON. A decoded list of small values takes fifty times as much
// memory.
const MaxBytes = 1 << 20

// Resolve parses a policy and applies it on top of its preset. An empty src means the default preset. It returns an
// error, with the path of the value, if src is not a policy, is larger than 1 MiB, or has a value out of range.
func Resolve(src []byte) (*Policy, *Error) {
	if len(src) > MaxBytes {
		return nil, &Error{Code: jsonspan.TooLarge, Message: "the policy is larger than 1 MiB"}
	}
	var name Policy
	if len(src) > 0 {
		if err := Decode(src, &name); err != nil {
			return nil, explained(err, src)
		}
	}
	if name.Preset == "" {
		name.Preset = "default"
	}
	at := slices.IndexFunc(presets, func(p Preset) bool { return p.Name == name.Preset })
	if at < 0 {
		return nil, &Error{Code: api.CodeUnknownPreset, At: "preset",
			Message: UnknownName("preset", name.Preset, names())}
	}
	p := &Policy{}
	if err := Decode([]byte(presets[at].JSON), p); err != nil {
		return nil, err
	}
	if len(src) > 0 {
		if err := Decode(src, p); err != nil {
			return nil, err
		}
	}
	p.Preset = name.Preset
	p.ownTarget, p.ownPasses = name.Gate.Target > 0, name.Passes != nil
	p.reserve = p.Window.Reserve
	p.know()
	return p, p.check()
}

// explained returns err, with a hint about what to write instead if that is known. src is the policy.
func explained(err *Error, src []byte) *Error {
	at := jsonspan.PathAt(src, err.Offset)
	if says := MovedKeyHint("policy." + at); says != "" && err.Code == api.CodeUnknownField {
		err.Message = says
	}
	if at == "window" && err.Code == jsonspan.WrongType {
		err.Message = windowIs(src[jsonspan.Find(src, 0, at):])
	}
	return SuggestKey(err)
}

func names() []string {
	var n []string
	for _, p := range presets {
		n = append(n, p.Name)
	}
	return n
}

// The values of options (most of which are also keys of policies), and the error messages for other values.
var (
	answers   = []string{"messages", "edits", "report"}
	archives  = []string{"", "places", "bodies"}
	openCalls = []string{"keep", "answer"}
	modes     = []string{"model", "local", "minimal"}
	colds     = []api.Cold{"", api.ColdIdle, api.ColdModel, api.ColdProvider, api.ColdGone}
)

// maxIdle is the longest idle time that is accepted, in seconds.
const maxIdle = 1_000_000_000

const (
	answersAre   = `must be "messages", "edits" or "report"`
	archivesAre  = `must be "", "places" or "bodies"`
	openCallsAre = `must be "keep" or "answer"`
	modesAre     = `must be "model", "local" or "minimal"`
	coldsAre     = `must be "idle", "model_changed", "provider_changed" or "gone"`
)

// noRoom reports whether the reserve takes the whole window, so that nothing is left for the conversation.
func (p *Policy) noRoom() bool { return p.IsWireSafe() && p.Window.Tokens > 0 && p.Limit() <= 0 }

// check returns an error for the first value that is out of range, or nil.
func (p *Policy) check() *Error {
	for _, r := range rules {
		if r.broken(p) {
			return &Error{Code: api.CodeOutOfRange, At: r.at, Message: r.at + " " + r.must}
		}
	}
	for i, pin := range p.Pins {
		at, must := "pins["+strconv.Itoa(i)+"]", ""
		switch {
		case pin == (Pin{}):
			must = "must name role, index, id or contains"
		case !slices.Contains(pinRoles, pin.Role):
			at, must = at+".role", `must be "system", "user", "assistant" or "tool"`
		default:
			continue
		}
		return &Error{Code: api.CodeOutOfRange, At: at, Message: at + " " + must}
	}
	return nil
}

// Limits for the numbers of passes and pins, because each of them examines every message.
const (
	MaxPasses = 100
	MaxPins   = 1000
)

// MaxTokens is the largest number of tokens in a policy.
const MaxTokens = 1_000_000_000
