// Command counter builds the program that counts steps, once for all tests that count:
//
//	go run ./internal/testing/steps/counter build/bin/counter
//
// CTXFOLD_COUNTER tells the tests where it is.
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
