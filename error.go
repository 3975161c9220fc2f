package ctxfold

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ctxfold/ctxfold/api"
)

// The errors of a [Compactor] and of what it is given.
var (
	// ErrTrap says that the module stopped in the middle of a call, which bad input never causes; running out of memory
	// can. The instance was thrown away, the Compactor stays usable.
	ErrTrap = errors.New("the module trapped, and its instance was discarded")

	// ErrMemoryLimit is an ErrTrap whose reason is known: the call needed more memory than an instance may have.
	ErrMemoryLimit = fmt.Errorf("the call needs more memory than an instance may have: %w", ErrTrap)

	// ErrClosed says that the Compactor was used after Close.
	ErrClosed = errors.New("the compactor is closed")

	// ErrNotFound says that a [Store] has no body under a handle.
	ErrNotFound = errors.New("nothing is stored under this handle")

	// ErrCorrupt says that what a [Store] has under a handle is not the body of it. Another Put of the body repairs that.
	ErrCorrupt = errors.New("the store has other or incomplete content under this handle")

	// ErrStoreFull says that a [Store] has no room for a body.
	ErrStoreFull = errors.New("the store is full")

	// ErrStore says that a compaction was given up because a [Store] failed. The transcript is as it was.
	ErrStore = errors.New("the store failed, and nothing was changed")

	// ErrIncomplete is the error of a [Summarizer] whose model's answer broke off: a stream that ended without a finish reason may
	// hold half a summary.
	ErrIncomplete = errors.New("the model's answer ended without a finish reason, so it may be cut off")

	// ErrStillOverflow says that the conversation does not fit in the model's context window after a compaction either.
	ErrStillOverflow = errors.New("the conversation does not fit in the context window, and a compaction did not help")
)

// Error is an error answer of an operation. Code is stable and listed in docs/reference/abi.md; Message is for people.
type Error struct {
	Code    api.Code
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
	case e.Code == api.CodeUnknownOp:
	case e.Path != "" && e.Path != e.In:
		fmt.Fprintf(&b, " (at %s, byte %d of %s)", e.Path, e.Offset, in)
	default:
		fmt.Fprintf(&b, " (byte %d of %s)", e.Offset, in)
	}
	return b.String()
}
