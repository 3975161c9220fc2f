package host_test

import (
	"testing"

	"github.com/ctxfold/ctxfold/host"
	"github.com/ctxfold/ctxfold/internal/seeds"
)

// TestSeeds tests every row of the published systems in the module.
func TestSeeds(t *testing.T) { seeds.Run(t, moduleEngine(t)) }

// TestSeedVectors runs the golden vectors of the published systems in the module.
func TestSeedVectors(t *testing.T) {
	if testing.Short() {
		t.Skip("core runs them natively")
	}
	seeds.RunVectors(t, moduleEngine(t))
}

func moduleEngine(t *testing.T) seeds.Engine {
	c := open(t, host.Options{})
	return func(op string, request []byte) []byte {
		answer, err := c.Answer(t.Context(), op, request)
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
}
