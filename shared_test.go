package ctxfold_test

import (
	"testing"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/internal/recordstest"
)

func TestSharedRecords(t *testing.T) {
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		recordstest.Test(t, func(*testing.T) recordstest.Store {
			m := ctxfold.NewMemoryRecords(0)
			return recordstest.Store{Connect: func() ctxfold.SharedRecords { return m }}
		})
	})
	t.Run("directory", func(t *testing.T) {
		t.Parallel()
		recordstest.Test(t, func(t *testing.T) recordstest.Store {
			dir := t.TempDir()
			return recordstest.Store{Connect: func() ctxfold.SharedRecords {
				d, err := ctxfold.NewDirRecords(dir, 0)
				if err != nil {
					t.Fatal(err)
				}
				return d
			}}
		})
	})
}
