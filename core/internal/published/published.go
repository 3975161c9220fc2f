// Package published re-enacts the published systems that presets are named for, step by step and with their defects. It hangs
// itself into the main path, which knows nothing of it; importing it is all that a build needs for it.
package published

import (
	"github.com/ctxfold/ctxfold/core/internal/hook"
	"github.com/ctxfold/ctxfold/core/internal/passes"
	"github.com/ctxfold/ctxfold/core/internal/published/functions"
	"github.com/ctxfold/ctxfold/core/internal/published/styles"
)

func init() {
	hook.Linked = &hook.Published{Functions: functions.All(), Run: run, Unchecked: unchecked}
}

// run does a pass as the system does that the policy is of. It is false where the system has no way of its own.
func run(step any, c *passes.Run) bool {
	switch p := step.(type) {
	case *passes.FoldPass:
		s := c.Policy.Summary.Style
		if s == "" {
			return false
		}
		fold(p, c, styles.ByName(s))
	case *passes.ArchivePass:
		archive(p, c)
	case *passes.ToolDigestPass:
		toolDigest(p, c)
	case *passes.DropPass:
		drop(p, c)
	case *passes.FitPass:
		fit(c, "fit")
	default:
		return false
	}
	return true
}

// unchecked tells whether a pass runs although the ones before it have freed enough.
func unchecked(c *passes.Run) bool { return styles.ByName(c.Policy.Summary.Style).Unchecked }
