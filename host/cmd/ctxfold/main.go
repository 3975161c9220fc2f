// Command ctxfold compacts and examines the transcripts of LLM conversations.
//
// Most operations of docs/reference/abi.md have a command; `ctxfold help` lists the commands. The exit code is 0 on
// success, 1 if there are violations or not everything was restored, 2 for bad input or usage, 3 if the result does not
// fit, and 130 after an interrupt.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second interrupt kills at once
	os.Exit(run(ctx, os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr}))
}
