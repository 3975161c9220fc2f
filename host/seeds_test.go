package host_test

import (
	"testing"

	"github.com/ctxfold/ctxfold/host"
	"github.com/ctxfold/ctxfold/internal/testing/publishedtest"
)

// TestSeeds tests every row of the published systems in the module.
func TestSeeds(t *testing.T) { publishedtest.Run(t, moduleEngine(t)) }

// TestSeedVectors runs the golden vectors of the published systems in the module.
func TestSeedVectors(t *testing.T) {
	if testing.Short() {
		t.Skip("core runs them natively")
	}
	publishedtest.RunVectors(t, moduleEngine(t))
}

func moduleEngine(t *testing.T) publishedtest.Engine {
	c := open(t, host.Options{Module: fullModule(t)})
	return func(op string, request []byte) []byte {
		answer, err := c.Answer(t.Context(), op, request)
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
}
