package functions

import "github.com/ctxfold/ctxfold/core/overflow"

// failureArguments are those of classify_error: overflow.Failure by other names.
//
//easyjson:json
type failureArguments struct {
	Status       int          `json:"status"`
	Body         string       `json:"body"`
	Provider     string       `json:"provider"`
	Model        string       `json:"model"`
	CurrentModel string       `json:"current_model"`
	FinishReason string       `json:"finish_reason"`
	Usage        failureUsage `json:"usage"`
	Window       int          `json:"window"`
	// Typed tells that the host's own client knows the error for an overflow (S4.43).
	Typed bool `json:"typed"`
}

// failureUsage is what a call that succeeded had, in tokens; input is without what was read from or written to the cache.
type failureUsage struct {
	Input      int `json:"input_tokens"`
	CacheRead  int `json:"cache_read_tokens"`
	CacheWrite int `json:"cache_write_tokens"`
	Output     int `json:"output_tokens"`
}

// verdict is the result of classify_error.
//
//easyjson:json
type verdict struct {
	Class    string `json:"class"`
	Overflow bool   `json:"overflow"` // a compaction and one retry may mend it
	Silent   bool   `json:"silent"`   // no error told of it
	Provider string `json:"provider,omitempty"`
	Message  string `json:"message"`
	Used     int    `json:"used_tokens,omitempty"`
	Limit    int    `json:"limit_tokens,omitempty"`
}

func init() {
	register("classify_error", 0, func(c *Call, dst []byte) ([]byte, *Error) {
		var a failureArguments
		if err := c.arguments(&a); err != nil {
			return nil, err
		}
		for _, n := range []struct {
			name  string
			value int
		}{{"status", a.Status}, {"window", a.Window}, {"usage.input_tokens", a.Usage.Input}, {"usage.cache_read_tokens", a.Usage.CacheRead},
			{"usage.cache_write_tokens", a.Usage.CacheWrite}, {"usage.output_tokens", a.Usage.Output}} {
			if n.value < 0 || n.value > 1<<30 {
				return nil, outOfRange(n.name, "must be from 0 to 1,073,741,824")
			}
		}
		if !c.Policy.Safe() {
			over, message := overflow.LooseError(a.Status, a.Body)
			v := verdict{Class: string(overflow.Provider), Overflow: over || a.Typed, Message: message}
			if v.Overflow {
				v.Class = string(overflow.Context)
			}
			return object(dst, v), nil
		}
		got := overflow.Classify(overflow.Failure{Status: a.Status, Text: a.Body, Provider: a.Provider, Model: a.Model,
			Current: a.CurrentModel, FinishReason: a.FinishReason, Window: a.Window, Input: a.Usage.Input,
			CacheRead: a.Usage.CacheRead, CacheWrite: a.Usage.CacheWrite, Output: a.Usage.Output})
		if a.Typed && got.Class == overflow.Provider {
			got.Class = overflow.Context
		}
		return object(dst, verdict{Class: string(got.Class), Overflow: got.Class == overflow.Context, Silent: got.Silent,
			Provider: got.Provider, Message: got.Message, Used: got.Used, Limit: got.Limit}), nil
	})
	register("is_context_overflow", Text, func(c *Call, dst []byte) ([]byte, *Error) {
		if !c.Policy.Safe() {
			return truth(dst, overflow.Loose(c.Text)), nil
		}
		return truth(dst, overflow.Classify(overflow.Failure{Status: 400, Text: c.Text}).Class == overflow.Context), nil
	})
}
