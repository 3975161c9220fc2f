//go:build !unix

package main

import "os/exec"

// killWithChildren does nothing here: only the command itself is killed.
func killWithChildren(*exec.Cmd) {}
