package functions

import "github.com/ctxfold/ctxfold/core/compact"

// truncateArguments are those of truncate_head_tail.
//
//easyjson:json
type truncateArguments struct {
	MaxLines int `json:"max_lines"`
}

func init() {
	register("truncate_head_tail", Text, func(c *Call, dst []byte) ([]byte, *Error) {
		a := truncateArguments{MaxLines: 50} // S0.5
		if err := c.arguments(&a); err != nil {
			return nil, err
		}
		if a.MaxLines < 0 {
			return nil, outOfRange("max_lines", "must not be negative")
		}
		return text(dst, compact.TruncateHeadTail(c.Text, a.MaxLines, c.Policy.Safe())), nil
	})
}
