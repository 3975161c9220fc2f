//go:build !unix

package host_test

import "time"

var started = time.Now()

// now is the wall clock, where the processor time of this process is not to be had.
func now() time.Duration { return time.Since(started) }
