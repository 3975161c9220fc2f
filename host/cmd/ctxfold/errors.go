package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/api"
)

// errViolations ends validate, repair, convert and batch with an exit code of its own. The violations have already been
// printed.
var errViolations = errors.New("violations found")

// errPartial ends restore with the same exit code as errViolations if some content was not restored. The missing content has already been
// listed.
var errPartial = errors.New("not everything was restored")

// errOver ends compact, plan, step and batch with an exit code of its own if a result is over its limit. A warning has
// already been printed.
var errOver = errors.New("the result does not fit")

// usageError is an error in the command line.
type usageError struct {
	text string
	// help is the help command that the error message suggests; "" means that it suggests none.
	help string
}

// Error returns what is wrong with the command line.
func (e usageError) Error() string { return e.text }

func usage(c *cobra.Command, format string, args ...any) error {
	return usageError{fmt.Sprintf(format, args...), c.CommandPath() + " --help"}
}

// inputError is an operation's error with its position in the input file.
type inputError struct {
	err    *ctxfold.Error
	source source
}

// Error returns the message of the operation, after the position in the file.
func (e inputError) Error() string {
	// For JSON Lines the message names the line too, so it is removed there.
	line, _ := position(e.source.text, e.err.Offset)
	return e.where() + ": " + strings.TrimPrefix(e.err.Message, fmt.Sprintf("line %d: ", line))
}

// Unwrap returns the operation's error.
func (e inputError) Unwrap() error { return e.err }

// hints are advice that is added to an error, by error code. They refer to flags of this command, which the core doesn't know.
var hints = map[string]string{
	"ambiguous_format": "Name the wire format with --format.",
	"wrong_format":     "--format names the wire format.",
	"unknown_format":   "`ctxfold info` lists the wire formats; --format names one.",
	"unknown_window":   "Set it with --window TOKENS, such as --window 200k; --window unlimited says that there is none.",
	"unknown_preset":   "`ctxfold presets` lists the presets.",
	"unknown_session":  "open and --session are for session files; compact takes a list of messages or a request body as it is.",
	"plan_mismatch":    "Give step the transcript that plan was given.",
	"truncated_json":   "The input was cut off: get the whole of it.",
}

// printError prints an error, with its position, its code and a hint if it has them.
func printError(w io.Writer, err error) {
	var in inputError
	var use usageError
	var stopped interrupted
	var unplaced *ctxfold.Error
	switch {
	case errors.As(err, &in):
		fmt.Fprintf(w, "ctxfold: %v\n", in)
		if in.err.Path != "" {
			fmt.Fprintf(w, "  at    %s\n", in.err.Path)
		}
		fmt.Fprintf(w, "  code  %s\n", in.err.Code)
		if hint := hints[string(in.err.Code)]; hint != "" {
			fmt.Fprintf(w, "  %s\n", hint)
		}
	case errors.As(err, &use):
		fmt.Fprintf(w, "ctxfold: %s\n", use.text)
		if use.help != "" {
			fmt.Fprintf(w, "  `%s` shows how it is used.\n", use.help)
		}
	case errors.As(err, &stopped):
		fmt.Fprintf(w, "ctxfold: %v\n", stopped)
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(w, "ctxfold: interrupted; nothing was changed")
	case errors.As(err, &unplaced) && unplaced.Code == api.CodeUnknownWindow: // from a command without --policy
		fmt.Fprintf(w, "ctxfold: %s\n  code  %s\n  %s\n", unplaced.Message, unplaced.Code, hints[string(unplaced.Code)])
	default:
		fmt.Fprintf(w, "ctxfold: %v\n", strings.TrimPrefix(err.Error(), "ctxfold: "))
	}
}

// where returns the position of the error, such as "session.json, line 3, column 14 (byte 207)".
func (e inputError) where() string {
	if e.source.made {
		return e.source.name
	}
	line, column := position(e.source.text, e.err.Offset)
	return fmt.Sprintf("%s, line %d, column %d (byte %d)", e.source.name, line, column, e.err.Offset+e.source.skipped)
}

// position returns the line and the column (in code points) of a byte offset, both counted from 1.
func position(text []byte, offset int) (line, column int) {
	before := text[:min(max(offset, 0), len(text))]
	line = 1 + bytes.Count(before, []byte{'\n'})
	start := bytes.LastIndexByte(before, '\n') + 1
	return line, 1 + utf8.RuneCount(before[start:])
}
