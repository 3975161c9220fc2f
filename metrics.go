package ctxfold

import (
	"time"

	"github.com/ctxfold/ctxfold/api"
)

// Metrics receives measurements for a monitoring system. Its methods are called from the goroutines that do the work,
// possibly concurrently, and must return quickly. No method receives text of a transcript.
type Metrics interface {
	// Operation is called after each operation of the core.
	Operation(OperationCall)
	// Summary is called after each call of a [Summarizer].
	Summary(SummaryCall)
	// Compaction is called at the end of each compaction, with its report.
	Compaction(Report)
	// Records is called after each call of a method of Options.Records.
	Records(RecordsCall)
}

// OperationCall describes one call of an operation of the core.
type OperationCall struct {
	// Name is the name of the operation as in docs/reference/abi.md, for example "plan".
	Name string
	// Code is empty on success. Otherwise it is the code of an [*Error], or one of the Code constants.
	Code string
	// RequestBytes and AnswerBytes are the sizes of the request and the response, in bytes.
	RequestBytes, AnswerBytes int
	// Waited is the time that the call waited for an instance; Took is the time that the operation ran.
	Waited, Took time.Duration
	// MemoryBytes is the size of the instance's memory, in bytes; 0 if it has no memory of its own.
	MemoryBytes uint64
}

// The codes of an [OperationCall] that failed without a response.
const (
	CodeTrap     = "trap"
	CodeMemory   = "memory_limit"
	CodeCanceled = "canceled"
	CodeClosed   = "closed"
	CodeStart    = "start_failed"
)

// SummaryCall describes one call of a [Summarizer].
type SummaryCall struct {
	// Scope is the [Request]'s scope.
	Scope api.Scope
	// Failed reports whether the call returned no summary.
	Failed bool
	// InputTokens is the estimated size of the request in tokens, and OutputBytes the size of the summary's text in
	// bytes.
	InputTokens, OutputBytes int
	// Took is the time that the call took.
	Took time.Duration
}

// RecordsCall describes one call of Options.Records.
type RecordsCall struct {
	// Op is find, keep, lease, renew or release.
	Op string
	// Failed reports whether the call failed. Calls that are skipped while the records are unavailable aren't
	// counted.
	Failed bool
	// Took is the time that the call took.
	Took time.Duration
}

// noMetrics is what a Compactor without Metrics calls: its methods do nothing.
type noMetrics struct{}

func (noMetrics) Operation(OperationCall) {}
func (noMetrics) Summary(SummaryCall)     {}
func (noMetrics) Compaction(Report)       {}
func (noMetrics) Records(RecordsCall)     {}

// safeMetrics calls a program's Metrics, and recovers from their panics.
type safeMetrics struct {
	c    *Compactor
	next Metrics
}

func (m safeMetrics) Operation(o OperationCall) {
	m.c.notify("Metrics", func() { m.next.Operation(o) })
}
func (m safeMetrics) Summary(s SummaryCall) { m.c.notify("Metrics", func() { m.next.Summary(s) }) }
func (m safeMetrics) Compaction(r Report)   { m.c.notify("Metrics", func() { m.next.Compaction(r) }) }
func (m safeMetrics) Records(r RecordsCall) { m.c.notify("Metrics", func() { m.next.Records(r) }) }
