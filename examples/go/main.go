// Command go fits the history of a conversation into a context window and prints the messages to send. Its summarizer stands in for a
// model: it answers later, from another goroutine.
//
//	go run ./examples/go < testdata/sample.anthropic.json > shorter.json
package main

import (
	"context"
	"io"
	"log"
	"os"
	"time"

	"github.com/ctxfold/ctxfold"
)

func main() {
	if err := run(context.Background(), os.Stdin, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, in io.Reader, out io.Writer) error {
	history, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	c := ctxfold.New(ctxfold.Options{})
	policy := ctxfold.Policy{Window: ctxfold.Window{Tokens: 32000}}
	// Call this before each model call: pass the whole history, and send what it returns.
	r, err := c.Fit(ctx, ctxfold.Input{Messages: history, Policy: policy}, ctxfold.SummarizerFunc(summarize))
	if err != nil {
		return err
	}
	log.Printf("%d tokens before, %d after", r.Report.Tokens.Before, r.Report.Tokens.After)
	_, err = out.Write(r.Messages)
	return err
}

func summarize(ctx context.Context, q ctxfold.Request) (ctxfold.Summary, error) {
	answer := make(chan string, 1)
	time.AfterFunc(50*time.Millisecond, func() {
		answer <- "## Goal\nMend the rate limiter.\n\n## Progress\nThe cause was found; the mend is tested."
	})
	select {
	case text := <-answer:
		return ctxfold.Summary{Text: text}, nil
	case <-ctx.Done():
		return ctxfold.Summary{}, ctx.Err()
	}
}
