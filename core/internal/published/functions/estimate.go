package functions

func init() {
	register("estimate_text", Text, func(c *Call, dst []byte) ([]byte, *Error) {
		return number(dst, c.Estimator.Text(c.Text)), nil
	})
	register("estimate_messages", Messages, func(c *Call, dst []byte) ([]byte, *Error) {
		return number(dst, c.estimate()), nil
	})
	register("prefix_tokens", Messages, func(c *Call, dst []byte) ([]byte, *Error) {
		sums := []int{0}
		for i, n := range c.sizes() {
			sums = append(sums, sums[i]+n)
		}
		return value(dst, sums), nil
	})
}
