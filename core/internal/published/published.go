// Package published re-enacts the published systems that presets are named for, step by step and with their defects. It hangs itself into
// the main path, which knows nothing about it; importing it is all that a build needs for it.
package published

import (
	"github.com/ctxfold/ctxfold/core/internal/hook"
	"github.com/ctxfold/ctxfold/core/internal/published/exact"
	"github.com/ctxfold/ctxfold/core/internal/published/functions"
)

func init() {
	hook.Linked = &hook.Published{Functions: functions.All(), Suit: exact.Suit, Estimator: exact.Estimator, Due: exact.Due, Compact: exact.Compact}
}
