// Package published reproduces the published systems that some presets are named after, step by step and with their
// defects. It registers itself through package hook, so importing it is enough to include it in a build; the rest of
// core doesn't depend on it.
package published

import (
	"github.com/ctxfold/ctxfold/core/internal/hook"
	"github.com/ctxfold/ctxfold/core/internal/published/exact"
	"github.com/ctxfold/ctxfold/core/internal/published/functions"
)

func init() {
	hook.Linked = &hook.Published{Functions: functions.All(), Suit: exact.Suit, Estimator: exact.Estimator,
		Due: exact.Due, Compact: exact.Compact}
}
