package ctxfold_test

import (
	"testing"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/internal/recordstest"
)

func TestSharedRecords(t *testing.T) {
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		recordstest.Test(t, func(*testing.T) func() ctxfold.SharedRecords {
			m := ctxfold.NewMemoryRecords(0)
			return func() ctxfold.SharedRecords { return m }
		})
	})
	t.Run("directory", func(t *testing.T) {
		t.Parallel()
		recordstest.Test(t, func(t *testing.T) func() ctxfold.SharedRecords {
			dir := t.TempDir()
			return func() ctxfold.SharedRecords {
				d, err := ctxfold.NewDirRecords(dir, 0)
				if err != nil {
					t.Fatal(err)
				}
				return d
			}
		})
	})
}
