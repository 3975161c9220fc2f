// Command counter builds the program that counts steps, so that all tests that count steps can share it:
//
// go run ./internal/testing/steps/counter build/bin/counter
//
// CTXFOLD_COUNTER tells the tests where the program is.
package main

import (
	"fmt"
	"os"

	"github.com/ctxfold/ctxfold/internal/testing/steps"
)

func main() {
	if err := steps.Build(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
