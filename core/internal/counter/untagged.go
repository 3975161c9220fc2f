//go:build !ctxfold_count

package main

import "log"

func main() { log.Fatal("counter: build it with the tag ctxfold_count, as package steps does") }
