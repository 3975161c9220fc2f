package exact

import (
	"github.com/ctxfold/ctxfold/core/internal/handles"
	"github.com/ctxfold/ctxfold/core/internal/passes"
	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// Rehydration returns a choice among the files that are read in a view, by reads alone: a file that was changed after it was read is put
// back as it was read. What a pass has cleared is gone (S3.41).
func Rehydration(v *view.View) *passes.Rehydration {
	r := passes.NewRehydration(v, policy.MaxTokens)
	r.Whole = false
	r.Edits = func(string) bool { return false }
	r.Content = func(n int32) string {
		if handles.Cleared(v, n) {
			return ""
		}
		return r.Original(n)
	}
	return r
}
