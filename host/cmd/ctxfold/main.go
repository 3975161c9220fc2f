// Command ctxfold compacts and examines the transcripts of LLM conversations on the command line.
//
// Every operation of docs/ABI.md is a command of its own; `ctxfold help` lists them. It exits with 0 when all went
// well, with 1 when validate found violations, and with 2 for bad input or usage.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr}))
}
