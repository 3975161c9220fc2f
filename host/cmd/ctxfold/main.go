// Command ctxfold compacts and examines the transcripts of LLM conversations.
//
// Every operation of docs/reference/abi.md has a command; `ctxfold help` lists the commands. The exit code is 0 on
// success, 1 if validate found violations, 2 for bad input or usage, and 130 after an interrupt.
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
