package core_test

// The published systems, which the tests of this package have linked in.
import _ "github.com/ctxfold/ctxfold/core/full"
