//go:build wasip1 && ctxfold_full

package main

import _ "github.com/ctxfold/ctxfold/core/full"
