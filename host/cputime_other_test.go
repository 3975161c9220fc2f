//go:build !unix

package host_test

import "time"

var started = time.Now()

// now returns the elapsed time, because this platform doesn't report the CPU time of the process.
func now() time.Duration { return time.Since(started) }
