package exact

import (
	"github.com/ctxfold/ctxfold/core/internal/handles"
	"github.com/ctxfold/ctxfold/core/internal/passes"
	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// Rehydration returns the files to restore in a view. It ignores edits: a file that was changed after it was read is
// restored with its old content. Files whose content a pass has cleared can't be restored (S3.41).
func Rehydration(v *view.View) *passes.Rehydration {
	r := passes.NewRehydration(v, policy.MaxTokens)
	r.Whole = false
	r.Changes = func(*transcript.Transcript, *transcript.Part, func(string)) {}
	r.Content = func(n int32) string {
		if handles.Cleared(v, n) {
			return ""
		}
		return r.Original(n)
	}
	return r
}
