package functions

import (
	"github.com/ctxfold/ctxfold/core/internal/overflow"
	"github.com/ctxfold/ctxfold/core/internal/published/exact"
)

func init() {
	register("classify_error", 0, func(c *Call, dst []byte) ([]byte, *Error) {
		var f overflow.Failure
		typed := false // the host's own client recognised the error as an overflow (S4.43)
		usage := arguments{{"input_tokens", &f.Input, some30Bits}, {"cache_read_tokens", &f.CacheRead, some30Bits},
			{"cache_write_tokens", &f.CacheWrite, some30Bits}, {"output_tokens", &f.Output, some30Bits}}
		if err := c.read(argument{"status", &f.Status, some30Bits}, argument{name: "body", to: &f.Text}, argument{name: "provider", to: &f.Provider},
			argument{name: "model", to: &f.Model}, argument{name: "current_model", to: &f.Current},
			argument{name: "finish_reason", to: &f.FinishReason}, argument{"window", &f.Window, some30Bits},
			argument{name: "usage", to: usage},
			argument{name: "typed", to: &typed}); err != nil {
			return nil, err
		}
		if !c.Policy.IsWireSafe() {
			over, message := exact.OverflowError(f.Status, f.Text)
			v := overflow.Verdict{Class: overflow.Provider, Message: message}
			if over || typed {
				v.Class = overflow.Context
			}
			return verdict(dst, v), nil
		}
		v := overflow.Classify(f)
		if typed && v.Class == overflow.Provider {
			v.Class = overflow.Context
		}
		return verdict(dst, v), nil
	})
	register("is_context_overflow", Text, func(c *Call, dst []byte) ([]byte, *Error) {
		if !c.Policy.IsWireSafe() {
			return truth(dst, exact.IsOverflow(c.Text)), nil
		}
		return truth(dst, overflow.Classify(overflow.Failure{Status: 400, Text: c.Text}).Class == overflow.Context), nil
	})
}

func verdict(dst []byte, v overflow.Verdict) []byte {
	return object(dst, member{"class", string(v.Class)}, member{"overflow", v.Class == overflow.Context},
		member{"silent", v.Silent},
		some("provider", v.Provider), member{"message", v.Message}, some("used_tokens", v.Used),
		some("limit_tokens", v.Limit))
}
