package core_test

import (
	"testing"

	"github.com/ctxfold/ctxfold/core"
	"github.com/ctxfold/ctxfold/internal/testing/publishedtest"
)

// TestSeeds tests every row of the published systems. With CTXFOLD_CALLS it records all calls.
func TestSeeds(t *testing.T) { publishedtest.Run(t, publishedtest.Record(t, core.Call)) }

// TestSeedVectors runs the golden vectors of the published systems. With CTXFOLD_CALLS it records all calls.
func TestSeedVectors(t *testing.T) { publishedtest.RunVectors(t, publishedtest.Record(t, core.Call)) }
