package checks_test

import (
	"fmt"
	"os"
	"testing"
)

// TestMain lets the tests run in the root of the module: they are about its files.
func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}
