package functions

import (
	"math"
	"strconv"

	"github.com/ctxfold/ctxfold/core/internal/published/exact"
	"github.com/mailru/easyjson/jlexer"
)

// anchorOf returns the argument "anchor", whose value is read into to.
func anchorOf(to **exact.Anchor) argument {
	return argument{name: "anchor", to: func(l *jlexer.Lexer) {
		a := &exact.Anchor{}
		read(l, arguments{{name: "tokens", to: &a.Tokens}, {name: "index", to: &a.Index}})
		*to = a
	}}
}

// usage is a provider's token counts with the index of the message up to which they count.
type usage struct {
	anchor                               *exact.Anchor // the anchor before; may be nil
	given                                bool          // whether the arguments have counts
	input, output, cacheRead, cacheWrite int           // in tokens
	index                                int
}

func (c *Call) usage() (u usage, err *Error) {
	total := 0 // accepted but unused
	counts := arguments{{name: "input", to: &u.input}, {name: "output", to: &u.output},
		{name: "cache_read", to: &u.cacheRead},
		{name: "cache_write", to: &u.cacheWrite}, {name: "total", to: &total}}
	err = c.read(anchorOf(&u.anchor), argument{name: "index", to: &u.index},
		argument{name: "usage", to: func(l *jlexer.Lexer) {
			u.given = true
			read(l, counts)
		}})
	return u, err
}

func init() {
	// record_usage returns the anchor that applies from now on: the new one if the provider counted anything, otherwise
	// the old one (S0.38).
	register("record_usage", 0, func(c *Call, dst []byte) ([]byte, *Error) {
		a, err := c.usage()
		if err != nil {
			return nil, err
		}
		if a.given {
			if n := a.anchor.Record(a.input+a.output+a.cacheRead+a.cacheWrite, a.index); n != nil {
				a.anchor = n
			}
		}
		if a.anchor == nil {
			return append(dst, "null"...), nil
		}
		return object(dst, member{"tokens", a.anchor.Tokens}, member{"index", a.anchor.Index}), nil
	})
	// anchored_tokens returns the anchor's tokens plus an estimate of the messages after it (S0.38).
	register("anchored_tokens", Messages, func(c *Call, dst []byte) ([]byte, *Error) {
		a, err := c.usage()
		if err != nil {
			return nil, err
		}
		return number(dst, a.anchor.Count(c.Estimator, c.Transcript)), nil
	})
	register("headroom", 0, headroom)
}

// headroom returns how far the context is below the size at which compaction should start, as a share of the window,
// and whether compaction is due because the share is too small. It returns an error if an argument is wrong.
func headroom(c *Call, dst []byte) ([]byte, *Error) {
	window, system, estimated, at, threshold := defaultContextTokens, defaultSystemTokens, 0, defaultCompactAt,
		defaultThreshold
	if err := c.read(argument{name: "max_context_tokens", to: &window}, argument{name: "system_prompt_tokens", to: &system},
		argument{name: "estimated", to: &estimated}, argument{name: "compact_at_pct", to: &at},
		argument{name: "compact_budget_threshold_pct", to: &threshold}); err != nil {
		return nil, err
	}
	if window < 0 || window == 0 && c.Policy.IsWireSafe() {
		return nil, outOfRange("max_context_tokens", "must be over 0")
	}
	left := headroomOf(window, system, estimated, at)
	dst = append(dst, `{"headroom":`...)
	switch { // a window of 0 tokens gives NaN or an infinity, which JSON can't express as numbers
	case left != left:
		dst = append(dst, `"NaN"`...)
	case left < -math.MaxFloat64:
		dst = append(dst, `"-inf"`...)
	default:
		dst = strconv.AppendFloat(dst, left, 'g', -1, 64)
	}
	return append(truth(append(dst, `,"fires":`...), left < threshold), '}'), nil
}

// The defaults of S0.42: the window and the system prompt, in tokens, the share of the window at which compaction
// should start, and the headroom below which it is due.
const (
	defaultContextTokens = 100_000
	defaultSystemTokens  = 4_000
	defaultCompactAt     = 0.90
	defaultThreshold     = 0.05
)

// headroomOf returns the share of a window that is left until compaction should start. at is the share of the window
// at which it should start, and system and messages are the tokens of the system prompt and of the messages.
// Compaction is due if the result is below a threshold. The operations are in the published order, because rounding
// decides borderline cases. A window of 0 tokens gives NaN or an infinity (S0.43).
func headroomOf(window, system, messages int, at float64) float64 {
	left := at - float64(system)/float64(window)
	return left - float64(messages)/float64(window)
}
