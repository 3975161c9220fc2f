//go:build !unix

package main

import "os/exec"

// killWithChildren does nothing on this platform: only the command itself is killed.
func killWithChildren(*exec.Cmd) {}
