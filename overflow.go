package ctxfold

import (
	"context"
	"errors"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/internal/operations"
)

// Classify says what went wrong in a call of a model, and what helps.
func (c *Compactor) Classify(ctx context.Context, f api.Failure) (v api.Verdict, err error) {
	_, err = c.do(ctx, operations.OpClassifyError, &v, newEnvelope(member{operations.InArguments, marshal(&f)}))
	return v, err
}

// failureOf returns an error's own Failure if it has such a method, otherwise its text.
func failureOf(f api.Failure, err error) api.Failure {
	var own interface{ Failure() api.Failure }
	if errors.As(err, &own) {
		return own.Failure()
	}
	if err != nil && f.Body == "" {
		f.Body = err.Error()
	}
	return f
}
