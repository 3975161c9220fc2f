package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"github.com/ctxfold/ctxfold"
)

// totals are sums over all lines of the input.
type totals struct {
	conversations, changed, failed, invalid, due, over int
	left                                               int // the number of results that a provider would reject
	messagesBefore, messagesAfter                      int
	tokensBefore, tokensAfter                          int
}

func (t *totals) add(o totals) {
	t.conversations += o.conversations
	t.changed += o.changed
	t.failed += o.failed
	t.invalid += o.invalid
	t.left += o.left
	t.due += o.due
	t.over += o.over
	t.messagesBefore += o.messagesBefore
	t.messagesAfter += o.messagesAfter
	t.tokensBefore += o.tokensBefore
	t.tokensAfter += o.tokensAfter
}

// problem returns an error if a line could not be read, a result has violations, or one doesn't fit.
func (t *totals) problem() error {
	switch {
	case t.failed > 0:
		return fmt.Errorf("%s could not be read", plural(t.failed, "conversation"))
	case t.invalid > 0:
		return errViolations
	case t.over > 0:
		return errOver
	}
	return nil
}

// batch is the state of the command that processes a JSON Lines file.
type batch struct {
	*flags
	op         batchOp            // what to do with each line
	compactor  *ctxfold.Compactor // does it
	policy     source             // of all conversations
	force      bool               // whether to compact below the limit
	summarizer ctxfold.Summarizer // writes summaries; nil for digests without a model
	store      ctxfold.Store      // takes the removed content; nil without an archive
	name       string             // the name of the input, for errors
	output     string             // the file to write to; "" for standard output
	resume     bool               // whether to continue an earlier run
}

func batchCommand(f *flags) *cobra.Command {
	var o batchFlags
	names := batchNames()
	c := &cobra.Command{
		Use:   "batch OPERATION [FILE|-]",
		Short: "Run one operation on every conversation of a JSON Lines file",
		Long: `batch reads a file with one conversation per line (an array of messages or a request body) and runs one
operation on each: ` + strings.Join(names, ", ") + `. It processes several conversations at the same time.

It prints one line per conversation, in the order of the file. compact and repair print the transcript (or the whole answer, with
--json), the others print their answer. If a conversation can't be read, standard error says so, and its line is printed unchanged, or
as {"error":…} if an answer is expected. Empty lines stay empty lines.

An interrupt stops after a complete line. With --output the lines go to a file, and --resume continues that file after an
interrupted or killed run; it first removes an incomplete last line.

The exit code is that of the operation, 2 if a line could not be read, and 130 if batch was interrupted.`,
		Example: `  ctxfold batch compact --window 32000 conversations.jsonl > shorter.jsonl
  ctxfold batch compact --window 32000 --output shorter.jsonl --resume conversations.jsonl
  ctxfold batch validate conversations.jsonl | jq -c 'select(.valid | not)'
  zcat conversations.jsonl.gz | ctxfold batch estimate - | jq -s 'map(.tokens) | add'`,
		ValidArgs: names,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage(c, "batch needs an operation: %s", strings.Join(names, ", "))
			}
			return atMostOneFile(c, args[1:])
		},
		RunE: func(c *cobra.Command, args []string) error { return o.run(f, c, args) },
	}
	o.policy.register(c, false)
	o.policy.registerForce(c)
	o.archive.register(c, keepUsage)
	c.Flags().StringVar(&o.summarizer, "summarizer", "none", "who writes summaries: none or cmd:`COMMAND` (see ctxfold compact --help)")
	c.Flags().DurationVar(&o.timeout, "summary-timeout", ctxfold.DefaultSummaryTimeout, "how long one summary may take")
	c.Flags().IntVar(&o.workers, "workers", runtime.GOMAXPROCS(0), "how `MANY` conversations to process at the same time")
	c.Flags().StringVarP(&o.output, "output", "o", "", "the `FILE` to write to, instead of standard output")
	c.Flags().BoolVar(&o.resume, "resume", false, "continue the file of --output after an interrupted or killed run")
	return c
}

// batchNames returns the names of the operations.
func batchNames() (names []string) {
	for _, op := range batchOps {
		names = append(names, op.name)
	}
	return names
}

// batchFlags has the values of batch's flags.
type batchFlags struct {
	policy     policyFlags
	archive    archiveFlag
	summarizer string        // as in parseSummarizer
	timeout    time.Duration // for one summary
	workers    int           // how many conversations to process at the same time
	output     string        // as in batch
	resume     bool          // as in batch
}

// run processes the input of the command, whose first argument is the operation.
func (o *batchFlags) run(f *flags, c *cobra.Command, args []string) error {
	at := slices.Index(batchNames(), args[0])
	switch {
	case at < 0:
		return usage(c, "batch cannot do %q, only %s", args[0], strings.Join(batchNames(), ", "))
	case o.workers < 1:
		return usage(c, "--workers must be 1 or more")
	case o.resume && o.output == "":
		return usage(c, "--resume needs --output, the file that has the lines which are done")
	}
	b := &batch{flags: f, op: batchOps[at], output: o.output, resume: o.resume, force: o.policy.force}
	shell, err := parseSummarizer(o.summarizer, f.streams)
	if err != nil {
		return err
	}
	if shell != nil {
		defer shell.wait()
		b.summarizer = shell
	}
	if b.store, err = o.archive.store(); err != nil {
		return err
	}
	if b.policy, err = o.policy.read(f, c); err != nil {
		return err
	}
	if b.name, err = f.fileArgument(c, args[1:]); err != nil {
		return err
	}
	if b.compactor, err = f.compactor(c.Context(), o.timeout); err != nil {
		return err
	}
	return b.file(c.Context(), o.workers)
}

// outcome is the result of processing one line.
type outcome struct {
	done  bool   // false if the batch was interrupted before the line was finished
	line  []byte // the output line
	tally totals // what it adds to the totals
	err   error  // why the line could not be processed; nil if it could
	size  int    // the size of the input line, in bytes
}

// file processes the lines of the input with the given number of workers, and writes the results in
// the order of the lines. It returns an error if a line could not be read, or if a result has
// violations or doesn't fit; the other lines are still written.
func (b *batch) file(parent context.Context, workers int) error {
	input, size := b.in, int64(0)
	var file *os.File
	if b.name != "-" {
		var err error
		if file, err = os.Open(b.name); err != nil {
			return unreadable(b.name, err)
		}
		defer file.Close()
		if info, err := file.Stat(); err == nil {
			size = info.Size()
		}
		input = file
	}
	out, err := b.openOutput(b.output, b.resume, file)
	if err != nil {
		return err
	}
	bar := b.bar(size)
	defer bar.stop()
	ctx, cancel := context.WithCancel(parent)
	defer cancel()

	// The queue has one channel for each line in progress, in the order of the file. A finished line waits for the slower lines before
	// it, so at most workers lines are in memory.
	queue := make(chan chan outcome, workers)
	read := make(chan error, 1)
	go func() {
		defer close(queue)
		read <- b.read(ctx, input, out, bar, queue)
	}()

	var total totals
	var writeError error
	lines := out.lines
	for writeError == nil {
		o, more := next(ctx, queue)
		if !more || !o.done { // later lines may be finished, but can't be written before this one
			break
		}
		bar.add(o.size)
		if o.err != nil {
			bar.log(o.err)
		}
		total.add(o.tally)
		if _, writeError = out.Write(append(o.line, '\n')); writeError == nil {
			lines++
		}
	}
	readError := errStopped
	select {
	case readError = <-read:
	default:
	}
	cancel()
	bar.stop()
	writeError = errors.Join(writeError, out.close())
	if errors.Is(readError, errStopped) && parent.Err() != nil && writeError == nil {
		b.printTotals(total)
		return interrupted{lines, b.output}
	}
	if writeError != nil {
		return writeError
	}
	if readError != nil {
		return readError
	}
	b.printTotals(total)
	return total.problem()
}

// next waits for the outcome of the next line. An interrupt ends the wait for input; lines in progress then end soon
// afterwards. more is false if there are no more lines.
func next(ctx context.Context, queue <-chan chan outcome) (o outcome, more bool) {
	var done chan outcome
	select {
	case done, more = <-queue:
	case <-ctx.Done():
		select {
		case done, more = <-queue:
		default:
		}
	}
	if !more {
		return o, false
	}
	return <-done, true
}

// read starts processing each line of the input that was not done by an earlier run. The outcomes are sent to queue in
// the order of the lines. It returns nil at the end of the input, and errStopped if ctx ends.
func (b *batch) read(ctx context.Context, input io.Reader, out *batchOutput, bar *bar, queue chan<- chan outcome) error {
	lines := bufio.NewReaderSize(input, 1<<16)
	for number := 1; ctx.Err() == nil; number++ {
		line, err := readLine(lines)
		if errors.Is(err, io.EOF) {
			if number <= out.lines {
				return fmt.Errorf("--resume: the output has %s, and the input only %s", plural(out.lines, "line"), count(number-1))
			}
			return nil
		}
		if err != nil {
			return unreadable(b.name, err)
		}
		skip, err := out.skips(number, line)
		if err != nil {
			return err
		}
		if skip {
			bar.add(len(line))
			continue
		}
		done := make(chan outcome, 1)
		select {
		case queue <- done:
			go func() { done <- b.line(ctx, number, line) }()
		case <-ctx.Done():
		}
	}
	return errStopped
}

// errStopped means that the command stopped reading before the end of the input.
var errStopped = errors.New("stopped")

// line processes one line. number, which counts from 1, is for errors. An empty line stays as it is. After an error,
// the outcome's line is the input line or, where the output has reports, an object with the error. The outcome isn't
// done if ctx has ended.
func (b *batch) line(ctx context.Context, number int, line []byte) outcome {
	text := bytes.TrimSpace(line)
	o := outcome{done: true, line: bytes.TrimRight(line, "\r\n"), size: len(line)}
	if len(text) == 0 {
		return o
	}
	answer, t, err := b.op.run(ctx, b, ctxfold.Input{Messages: text, Policy: ctxfold.RawPolicy(b.policy.text), Store: b.store, Force: b.force})
	if err != nil && ctx.Err() != nil {
		return outcome{}
	}
	o.tally = t
	o.tally.conversations = 1
	if err == nil {
		o.line = answer
		return o
	}
	o.tally = totals{conversations: 1, failed: 1}
	o.err = fmt.Errorf("line %d: %w", number, err)
	if !b.op.whole || b.json {
		o.line = errorLine(err, number)
	}
	return o
}

// errorLine returns an error as JSON, in the form of the operations, with the line number.
func errorLine(err error, number int) []byte {
	type object struct {
		Code    string `json:"code"`
		Message string `json:"message"`
		Path    string `json:"path,omitempty"`
		Offset  int    `json:"offset"`
		Line    int    `json:"line"`
	}
	e := object{Code: "internal", Message: err.Error(), Line: number}
	var answer *ctxfold.Error
	if errors.As(err, &answer) {
		e = object{string(answer.Code), answer.Message, answer.Path, answer.Offset, number}
	}
	text, err := json.Marshal(map[string]object{"error": e})
	if err != nil {
		return []byte(`{"error":{"code":"internal"}}`)
	}
	return text
}

// printTotals prints a batch's totals on standard error. Most totals are omitted if they are 0.
func (b *batch) printTotals(t totals) {
	facts := [][2]string{{"conversations", count(t.conversations)}}
	if t.failed > 0 {
		facts = append(facts, [2]string{"not read", text.FgRed.Sprint(count(t.failed))})
	}
	if b.op.whole {
		facts = append(facts, [2]string{"changed", count(t.changed)})
	}
	if b.op.name == "check" {
		facts = append(facts, [2]string{"due", count(t.due)})
	}
	if t.over > 0 {
		facts = append(facts, [2]string{"over the limit", text.FgRed.Sprint(count(t.over))})
	}
	if t.invalid > 0 {
		facts = append(facts, [2]string{"with violations", text.FgRed.Sprint(count(t.invalid))})
	}
	if t.left > 0 {
		facts = append(facts, [2]string{"warning", text.FgRed.Sprint(plural(t.left, "result")) + " that the provider would refuse (see left in the reports, with --json)"})
	}
	if t.messagesBefore > 0 {
		facts = append(facts, [2]string{"messages", beforeAfter(t.messagesBefore, t.messagesAfter)})
	}
	if t.tokensBefore > 0 {
		facts = append(facts, [2]string{"tokens", beforeAfter(t.tokensBefore, t.tokensAfter)})
	}
	lines(b.err, facts...)
}

// beforeAfter formats a number before and after an operation. If they are equal, it is shown once; otherwise with the change.
func beforeAfter(before, after int) string {
	if before == after {
		return count(before)
	}
	return fmt.Sprintf("%s, %s after (%s)", count(before), count(after), change(before, after))
}
