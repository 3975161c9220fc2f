package functions

import (
	"strconv"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/passes"
	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/ctxfold/ctxfold/core/internal/published/exact"
	"github.com/ctxfold/ctxfold/core/internal/published/verbatim"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

func init() {
	register("budget_limit", 0, func(c *Call, dst []byte) ([]byte, *Error) {
		b, err := c.budgetPolicy()
		if err != nil {
			return nil, err
		}
		return strconv.AppendFloat(dst, b.limit(), 'f', -1, 64), nil
	})
	register("is_over_budget", Messages, func(c *Call, dst []byte) ([]byte, *Error) {
		b, err := c.budgetPolicy()
		if err != nil {
			return nil, err
		}
		return truth(dst, float64(c.estimate()) > b.limit()), nil
	})
	register("plan_slice", Messages, func(c *Call, dst []byte) ([]byte, *Error) {
		keep := defaultBudget().KeepRecent
		if err := c.read(argument{"keep_recent", &keep, notNegative}); err != nil {
			return nil, err
		}
		n := len(c.Transcript.Messages)
		cut := exact.PlanSlice(c.sizes(), c.isTool, keep)
		return object(dst, member{"cut", cut}, member{"dropped", [2]int{0, cut}}, member{"kept", [2]int{cut, n}}), nil // half-open
	})
	register("last_user_turn_start", Messages, func(c *Call, dst []byte) ([]byte, *Error) {
		at := passes.LastUserTurn(len(c.Transcript.Messages), func(i int) bool {
			return c.isUser(i) && !(c.Policy.IsWireSafe() && digest.Ours(c.Transcript, i))
		})
		if at < 0 {
			return append(dst, "null"...), nil
		}
		return number(dst, at), nil
	})
	register("rehydrate_recent_reads", Messages, rehydrate)
	register("flatten_transcript", Messages, func(c *Call, dst []byte) ([]byte, *Error) {
		clip := 0 // bytes
		if err := c.read(argument{name: "clip", to: &clip}); err != nil {
			return nil, err
		}
		return text(dst, digest.Flatten(c.Transcript, c.Transcript.MessageIndexes(), max(0, clip))), nil
	})
	condense := func(name string, scope api.Scope) {
		register(name, Messages, func(c *Call, dst []byte) ([]byte, *Error) { return c.condense(dst, scope) })
	}
	condense("condense", api.ScopeSession)
	condense("branch_digest", api.ScopeBranch)
}

// budgetPolicy returns S3's policy with the settings from the arguments, or the error of the first invalid one.
func (c *Call) budgetPolicy() (budget, *Error) {
	b := defaultBudget()
	b.ContextWindow = c.Policy.Window.Tokens
	if err := c.read(argument{name: "context_window", to: &b.ContextWindow}, argument{name: "reserve_tokens", to: &b.ReserveTokens},
		argument{name: "trigger_ratio", to: &b.TriggerRatio},
		argument{name: "keep_recent", to: &b.KeepRecent}); err != nil {
		return b, err
	}
	if !(b.TriggerRatio > 0 && b.TriggerRatio <= 1) {
		return b, outOfRange("trigger_ratio", "must be over 0 and at most 1")
	}
	if b.ContextWindow < 0 || b.ReserveTokens < 0 {
		return b, outOfRange("context_window", "and reserve_tokens must not be negative")
	}
	return b, nil
}

// The default limits for restored files (S3.38).
const (
	maxRestored    = 5    // files
	restoredTokens = 8000 // tokens
)

func rehydrate(c *Call, dst []byte) ([]byte, *Error) {
	cut, files, tokens, tool, shrink := 0, maxRestored, restoredTokens, "read", false
	if err := c.read(argument{name: "cut", to: &cut}, argument{name: "max_files", to: &files}, argument{name: "tokens", to: &tokens},
		argument{name: "tool", to: &tool}, argument{name: "shrink_messages", to: &shrink}); err != nil {
		return nil, err
	}
	all := c.Transcript.MessageIndexes()
	if cut < 0 || cut > len(all) {
		return nil, outOfRange("cut", "must be an index of the messages, or their number")
	}
	if shrink {
		files = min(files, cut-2) // S3.44
	}
	v := view.NewView(c.Transcript, c.Format, c.Estimator, len(all))
	r := exact.Rehydration(v)
	if c.Policy.IsWireSafe() {
		r = passes.NewRehydration(v, policy.MaxTokens)
	}
	r.MaxFiles, r.Tokens, r.Tool, r.AlwaysNewest = files, tokens, tool, true
	var restored [][]member
	for _, f := range r.Files(all[:cut], all[cut:]) {
		restored = append(restored, []member{{"message", f.Index}, {"path", f.Path}, {"text", f.Text},
			{"tokens", f.Tokens}})
	}
	return value(dst, restored), nil
}

// condense writes a single digest of all messages or, if the model has not replied yet, the request for it. If the
// reply is unusable, the digest is written without a model, and the answer says why. It returns an error if an argument
// is wrong.
func (c *Call) condense(dst []byte, scope api.Scope) ([]byte, *Error) {
	var prior string
	var reply *api.Summary
	if err := c.read(argument{name: "previous_summary", to: &prior}, argument{name: "reply", to: &reply}); err != nil {
		return nil, err
	}
	s := c.Policy.Summary
	got := verbatim.Condense(c.Transcript, c.Transcript.MessageIndexes(), c.Estimator, verbatim.CondenseOptions{Scope: scope, Prior: prior,
		Instructions: s.Instructions, Mode: s.Mode, MaxOutput: s.MaxOutputTokens, Exact: !c.Policy.IsWireSafe(),
		Reply: reply})
	var message *string
	if got.Message != "" {
		message = &got.Message
	}
	return object(dst, member{"system", got.System}, member{"prompt", got.Prompt}, member{"thinking", got.Thinking},
		member{"max_output_tokens", s.MaxOutputTokens}, member{"message", message}, some("source", got.Source),
		some("why", string(got.Why)),
		member{"covered_count", got.Covered}), nil
}

// budget is the policy of S3 (S3.3). All fields but the ratio are in tokens.
type budget struct {
	ContextWindow int
	ReserveTokens int
	TriggerRatio  float64 // above 0 and at most 1
	KeepRecent    int     // maximum size of the tail
}

// defaultBudget returns S3's defaults (S3.4).
func defaultBudget() budget { return budget{ReserveTokens: 2048, TriggerRatio: 0.75, KeepRecent: 6000} }

// limit returns the number of tokens at which compaction is due, not rounded; 0 if the reserve takes up the whole
// window (S3.11, S3.12).
func (b *budget) limit() float64 {
	return float64(max(0, b.ContextWindow-b.ReserveTokens)) * b.TriggerRatio
}
