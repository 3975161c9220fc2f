//go:build wasip1 && !ctxfold_clear

package main

func clearFree() {}
