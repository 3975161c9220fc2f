package overflow

import (
	"strconv"
	"strings"
)

// loose are the substrings by which S4.43 knows an overflow. One of them, "too many tokens", is also what providers say of
// rate limits; Classify does not have that defect.
var loose = []string{
	"context length", "context window", "contextwindow", "maximum context", "max context", "context limit", "too many tokens",
	"maximum number of tokens", "prompt is too long", "token limit exceeded", "contextlength", "context_window_exceeded",
	"contextwindowexceeded", "finishreasonlength",
}

// Loose tells whether S4.43 takes an error's text for an overflow.
func Loose(text string) bool {
	text = strings.ToLower(strings.TrimSpace(text))
	for _, s := range loose {
		if strings.Contains(text, s) {
			return true
		}
	}
	return false
}

// LooseError is the error that S4.43 makes of an answer: whether it is an overflow, and its text.
func LooseError(status int, body string) (overflow bool, text string) {
	message := Message(body)
	if message == "" {
		message = "unknown API error"
	}
	overflow = Loose(message)
	text = "API error"
	if overflow {
		text = "context length exceeded"
	}
	if status > 0 {
		text += " (" + strconv.Itoa(status) + ")"
	}
	return overflow, text + ": " + message
}
