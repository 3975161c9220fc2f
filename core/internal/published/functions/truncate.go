package functions

import (
	"github.com/ctxfold/ctxfold/core/internal/passes"
	"github.com/ctxfold/ctxfold/core/internal/published/exact"
)

func init() {
	register("truncate_head_tail", Text, func(c *Call, dst []byte) ([]byte, *Error) {
		lines := 50 // S0.5
		if err := c.read(argument{"max_lines", &lines, notNegative}); err != nil {
			return nil, err
		}
		if c.Policy.IsWireSafe() {
			return text(dst, passes.TruncateHeadTail(c.Text, lines)), nil
		}
		return text(dst, exact.TruncateHeadTail(c.Text, lines)), nil
	})
}
