//go:build !unix

package main

import "os/exec"

// killWithChildren does nothing, because on this platform only the command itself can be killed.
func killWithChildren(*exec.Cmd) {}
