//go:build !unix

package main

import "os/exec"

// killWithChildren leaves the default: only the command itself is killed.
func killWithChildren(*exec.Cmd) {}
