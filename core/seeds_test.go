package core_test

import (
	"testing"

	"github.com/ctxfold/ctxfold/core"
	published "github.com/ctxfold/ctxfold/internal/seeds"
)

// TestSeeds tests every row of the published systems. With CTXFOLD_CALLS it records all calls.
func TestSeeds(t *testing.T) { published.Run(t, published.Record(t, core.Call)) }

// TestSeedVectors runs the golden vectors of the published systems. With CTXFOLD_CALLS it records all calls.
func TestSeedVectors(t *testing.T) { published.RunVectors(t, published.Record(t, core.Call)) }
