// Package published reproduces the published systems that presets are named after, step by step and with their defects. It registers itself
// with the main path, which knows nothing about it; a build only has to import it.
package published

import (
	"github.com/ctxfold/ctxfold/core/internal/hook"
	"github.com/ctxfold/ctxfold/core/internal/published/exact"
	"github.com/ctxfold/ctxfold/core/internal/published/functions"
)

func init() {
	hook.Linked = &hook.Published{Functions: functions.All(), Suit: exact.Suit, Estimator: exact.Estimator, Due: exact.Due, Compact: exact.Compact}
}
