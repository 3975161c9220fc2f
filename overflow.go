package ctxfold

import (
	"context"
	"errors"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/internal/operations"
)

// Classify says what a call of a model came to.
func (c *Compactor) Classify(ctx context.Context, f api.Failure) (v api.Verdict, err error) {
	_, err = c.do(ctx, operations.OpClassifyError, &v, newEnvelope(member{operations.InArguments, marshal(&f)}))
	return v, err
}

// failureOf is what an error tells: its own Failure, where it has such a method, else its text.
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
