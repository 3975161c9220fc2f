package functions

func init() {
	register("estimate_text", Text, func(c *Call, dst []byte) ([]byte, *Error) {
		return number(dst, c.Estimator.Text(c.Text)), nil
	})
	register("estimate_messages", Messages, func(c *Call, dst []byte) ([]byte, *Error) {
		sum := 0
		for i := range c.Transcript.Messages {
			sum += c.Estimator.Message(c.Transcript, i)
		}
		return number(dst, sum), nil
	})
	register("prefix_tokens", Messages, func(c *Call, dst []byte) ([]byte, *Error) {
		sums := []int{0}
		for i := range c.Transcript.Messages {
			sums = append(sums, sums[i]+c.Estimator.Message(c.Transcript, i))
		}
		return numbers(dst, sums), nil
	})
}
