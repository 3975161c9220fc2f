package main

import (
	"context"

	"github.com/ctxfold/ctxfold"
)

// batchOp is an operation that the command batch can run on each line.
type batchOp struct {
	name string
	// run processes one line and returns the output line.
	run func(ctx context.Context, b *batch, in ctxfold.Input) (answer []byte, tally totals, err error)
	// whole means that the output line is a transcript. A line that fails is then printed unchanged.
	whole bool
}

var batchOps = []batchOp{
	{"compact", batchCompact, true},
	{"repair", batchRepair, true},
	{"validate", batchValidate, false},
	{"check", batchCheck, false},
	{"estimate", batchEstimate, false},
	{"detect", batchDetect, false},
}

// batchCompact compacts one conversation. It returns the line to write and what to add to the
// totals, or the error of the compaction.
func batchCompact(ctx context.Context, b *batch, in ctxfold.Input) ([]byte, totals, error) {
	r, err := b.compactor.CompactWith(ctx, in, b.summarizer)
	if err != nil {
		return nil, totals{}, err
	}
	t := totals{messagesBefore: r.Report.Messages.Before, messagesAfter: r.Report.Messages.After,
		tokensBefore: r.Report.Tokens.Before, tokensAfter: r.Report.Tokens.After}
	if r.Changed {
		t.changed = 1
	}
	if !r.Report.Fits {
		t.over = 1
	}
	if len(r.Report.Left) > 0 {
		t.left = 1
	}
	if b.json {
		return resultJSON(r), t, nil
	}
	return r.Messages, t, nil
}

// batchRepair repairs one conversation. It returns the line to write and what to add to the totals,
// or the error of the repair.
func batchRepair(ctx context.Context, b *batch, in ctxfold.Input) ([]byte, totals, error) {
	r, err := b.compactor.Repair(ctx, in)
	if err != nil {
		return nil, totals{}, err
	}
	t := totals{messagesBefore: r.Report.Messages.Before, messagesAfter: r.Report.Messages.After}
	if r.Report.Changed {
		t.changed = 1
	}
	if !r.Valid {
		t.invalid = 1
	}
	if b.json {
		return r.Raw, t, nil
	}
	return r.Messages, t, nil
}

func batchValidate(ctx context.Context, b *batch, in ctxfold.Input) ([]byte, totals, error) {
	a, err := b.compactor.Validate(ctx, in)
	if err != nil {
		return nil, totals{}, err
	}
	t := totals{messagesBefore: a.Messages, messagesAfter: a.Messages}
	if !a.Valid {
		t.invalid = 1
	}
	return a.Raw, t, nil
}

func batchCheck(ctx context.Context, b *batch, in ctxfold.Input) ([]byte, totals, error) {
	a, err := b.compactor.Check(ctx, in)
	if err != nil {
		return nil, totals{}, err
	}
	t := totals{messagesBefore: a.Messages, messagesAfter: a.Messages, tokensBefore: a.Tokens, tokensAfter: a.Tokens}
	if a.Due {
		t.due = 1
	}
	return a.Raw, t, nil
}

func batchEstimate(ctx context.Context, b *batch, in ctxfold.Input) ([]byte, totals, error) {
	a, err := b.compactor.Estimate(ctx, in)
	if err != nil {
		return nil, totals{}, err
	}
	n := len(a.Messages)
	return a.Raw, totals{messagesBefore: n, messagesAfter: n, tokensBefore: a.Tokens, tokensAfter: a.Tokens}, nil
}

func batchDetect(ctx context.Context, b *batch, in ctxfold.Input) ([]byte, totals, error) {
	a, err := b.compactor.Detect(ctx, in.Messages)
	if err != nil {
		return nil, totals{}, err
	}
	return a.Raw, totals{}, nil
}
