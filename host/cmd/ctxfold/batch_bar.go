package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/progress"
)

// bar is a progress bar on a terminal.
type bar struct {
	writer  progress.Writer
	tracker *progress.Tracker
	stderr  io.Writer
}

func (b *batch) bar(size int64) *bar {
	shown := &bar{stderr: b.err}
	if !isTerminal(b.err) || size == 0 {
		return shown
	}
	shown.writer = progress.NewWriter()
	shown.writer.SetOutputWriter(b.err)
	shown.writer.SetUpdateFrequency(100 * time.Millisecond)
	shown.writer.Style().Visibility.Value = true
	shown.tracker = &progress.Tracker{Message: b.op.name, Total: size, Units: progress.UnitsBytes}
	shown.writer.AppendTracker(shown.tracker)
	go shown.writer.Render()
	return shown
}

func (b *bar) add(bytes int) {
	if b.tracker != nil {
		b.tracker.Increment(int64(bytes))
	}
}

// log prints an error above the bar. Without a terminal, it prints the error alone.
func (b *bar) log(err error) {
	text := strings.ReplaceAll(err.Error(), "ctxfold: ", "")
	if b.writer != nil {
		b.writer.Log("ctxfold: %s", text)
		return
	}
	fmt.Fprintf(b.stderr, "ctxfold: %s\n", text)
}

func (b *bar) stop() {
	if b.writer == nil {
		return
	}
	b.tracker.MarkAsDone()
	for b.writer.IsRenderInProgress() && b.writer.LengthActive() > 0 {
		time.Sleep(10 * time.Millisecond)
	}
	b.writer.Stop()
	b.writer = nil
}
