package ctxfold

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ctxfold/ctxfold/api"
)

// The errors of a [Compactor] and of the stores and summarizers that it uses.
var (
	// ErrTrap means that the module stopped during a call. Running out of memory can cause this, but invalid input
	// can't. The instance was discarded; the Compactor stays usable.
	ErrTrap = errors.New("the module trapped, and its instance was discarded")

	// ErrMemoryLimit is an ErrTrap with a known cause: the call needed more memory than an instance may have.
	ErrMemoryLimit = fmt.Errorf("the call needs more memory than an instance may have: %w", ErrTrap)

	// ErrClosed means that the Compactor was used after Close.
	ErrClosed = errors.New("the compactor is closed")

	// ErrNotFound means that a [Store] has no content under a handle.
	ErrNotFound = errors.New("nothing is stored under this handle")

	// ErrCorrupt means that the content under a handle in a [Store] doesn't match the handle. Putting the right
	// content there repairs it.
	ErrCorrupt = errors.New("the store has other or incomplete content under this handle")

	// ErrStoreFull means that a [Store] has no room for another body.
	ErrStoreFull = errors.New("the store is full")

	// ErrStore means that a [Store] failed or is missing. The operation was abandoned, and the transcript is unchanged.
	ErrStore = errors.New("the store failed, and nothing was changed")

	// ErrIncomplete is the error of a [Summarizer] whose model was interrupted: a stream that ended without a finish
	// reason may contain only half a summary.
	ErrIncomplete = errors.New("the model's answer ended without a finish reason, so it may be cut off")

	// ErrPanic means that a function of the program panicked: Input.CountTokens, BeforeCompact or the function of
	// [Conversation.Call]. The error's text contains the panic value, and the conversation is unchanged.
	ErrPanic = errors.New("a function of the program panicked")

	// ErrStillOverflow means that the conversation doesn't fit into the model's context window even after a
	// compaction.
	ErrStillOverflow = errors.New("the conversation does not fit in the context window, and a compaction did not help")
)

// Error is an error response of an operation. Code is stable and documented in docs/reference/errors.md; Message is
// for people.
type Error struct {
	Code    api.Code
	Message string

	// Path locates the offending value in the request, for example "messages[3].content". It is empty for the request
	// as a whole. In a session file of JSON lines, the path begins at the line.
	Path string

	// Input names the part of the input that Offset refers to: "messages", "policy", "options", "state", "plan", "summaries" or "file", for
	// example. It is empty if Offset counts from the start of the whole request, as for [Compactor.Call].
	Input string

	// Offset is the position of the error, in bytes from the start of the part that Input names.
	Offset int
}

// root returns the first name of a JSON path: "messages" for "messages[3].content".
func root(path string) string {
	if i := strings.IndexAny(path, ".["); i >= 0 {
		return path[:i]
	}
	return path
}

// Error returns the code, the message and the position as one line.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "ctxfold: %s: %s", e.Code, e.Message)
	in := e.Input
	if in == "" {
		in = "the request"
	}
	switch {
	case e.Code == api.CodeUnknownOp:
	case e.Path != "" && e.Path != e.Input:
		fmt.Fprintf(&b, " (at %s, byte %d of %s)", e.Path, e.Offset, in)
	default:
		fmt.Fprintf(&b, " (byte %d of %s)", e.Offset, in)
	}
	return b.String()
}

// contain calls a function of the program in the caller's goroutine. It turns a panic into an error that matches
// [ErrPanic].
func contain(name string, call func() error) (err error) {
	returned := false
	defer func() {
		if p := recover(); p != nil || !returned && err == nil {
			err = fmt.Errorf("%w: %s: %v", ErrPanic, name, p)
		}
	}()
	err = call()
	returned = true
	return err
}

// notify calls a callback of the program. If it panics, the panic is only logged.
func (c *Compactor) notify(name string, call func()) {
	err := contain(name, func() error {
		call()
		return nil
	})
	if err != nil {
		c.log.Warn("ctxfold: a callback failed", "callback", name, "error", err)
	}
}
