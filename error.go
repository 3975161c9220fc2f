package ctxfold

import (
	"errors"
	"fmt"
	"strings"
)

var (
	// ErrTrap says that the module stopped in the middle of a call, which bad input never causes; running out of memory
	// can. The instance was thrown away, the Compactor stays usable.
	ErrTrap = errors.New("the module trapped, and its instance was thrown away")

	// ErrMemoryLimit is an ErrTrap whose reason is known: the call needed more memory than an instance may have.
	ErrMemoryLimit = fmt.Errorf("the call needs more memory than an instance may have: %w", ErrTrap)

	// ErrClosed says that the Compactor was used after Close.
	ErrClosed = errors.New("the compactor is closed")
)

// Error is an error answer of an operation. Code is stable and listed in docs/ABI.md; Message is for people.
type Error struct {
	Code    ErrorCode
	Message string

	// Path leads to the offending value in the request, for example "messages[3].content". It is empty for the request
	// as a whole. In a session file of JSON lines it begins at the line.
	Path string

	// In names the input that Offset counts in: "messages", "policy", "options", "state", "plan", "summaries" or "file". It is empty
	// when Offset counts from the start of the whole request, as it does for [Compactor.Call].
	In string

	// Offset is where the error was found, in bytes from the start of the input that In names.
	Offset int
}

// Error gives the code, the message, and where the error is.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "ctxfold: %s: %s", e.Code, e.Message)
	in := e.In
	if in == "" {
		in = "the request"
	}
	switch {
	case e.Code == codeUnknownOp:
	case e.Path != "" && e.Path != e.In:
		fmt.Fprintf(&b, " (at %s, byte %d of %s)", e.Path, e.Offset, in)
	default:
		fmt.Fprintf(&b, " (byte %d of %s)", e.Offset, in)
	}
	return b.String()
}

const (
	codeUnknownOp = "unknown_op"
	codeNeedsFull = "needs_full"
)
