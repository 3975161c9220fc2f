package exact

import (
	"strconv"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/overflow"
)

// overflows lists the substrings by which S4.43 recognizes a context overflow. One of them, "too many tokens", also
// occurs in rate-limit errors, so S4 mistakes these for overflows; overflow.Classify does not.
var overflows = []string{
	"context length", "context window", "contextwindow", "maximum context", "max context", "context limit",
	"too many tokens", "maximum number of tokens", "prompt is too long", "token limit exceeded", "contextlength",
	"context_window_exceeded",
	"contextwindowexceeded", "finishreasonlength",
}

// IsOverflow reports whether S4.43 classifies an error message as a context overflow.
func IsOverflow(text string) bool {
	text = strings.ToLower(strings.TrimSpace(text))
	for _, s := range overflows {
		if strings.Contains(text, s) {
			return true
		}
	}
	return false
}

// OverflowError returns S4's error message for an error response. over is true if S4.43 classifies the response as a
// context overflow. body is the response's body; a body without a message counts as "unknown API error".
func OverflowError(status int, body string) (over bool, text string) {
	message := overflow.Message(body)
	if message == "" {
		message = "unknown API error"
	}
	over = IsOverflow(message)
	text = "API error"
	if over {
		text = "context length exceeded"
	}
	if status > 0 {
		text += " (" + strconv.Itoa(status) + ")"
	}
	return over, text + ": " + message
}
