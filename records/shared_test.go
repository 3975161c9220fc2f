package records_test

import (
	"testing"

	"github.com/ctxfold/ctxfold/internal/testing/recordstest"
	"github.com/ctxfold/ctxfold/records"
)

func TestSharedRecords(t *testing.T) {
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		recordstest.Test(t, func(*testing.T) recordstest.Backend {
			m := records.NewMemory(0)
			return recordstest.Backend{Connect: func() records.Shared { return m }}
		})
	})
	t.Run("directory", func(t *testing.T) {
		t.Parallel()
		recordstest.Test(t, func(t *testing.T) recordstest.Backend {
			dir := t.TempDir()
			return recordstest.Backend{Connect: func() records.Shared {
				d, err := records.NewDir(dir, 0)
				if err != nil {
					t.Fatal(err)
				}
				return d
			}}
		})
	})
}
