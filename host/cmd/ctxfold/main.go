// Command ctxfold compacts and examines the transcripts of LLM conversations on the command line.
//
// Every operation of docs/reference/abi.md is a command of its own; `ctxfold help` lists them. It exits with 0 when all went
// well, with 1 when validate found violations, with 2 for bad input or usage, and with 130 when it was interrupted.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second interrupt does not wait
	os.Exit(run(ctx, os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr}))
}
