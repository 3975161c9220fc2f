package digest

import "testing"

func TestWithoutPlan(t *testing.T) {
	for text, want := range map[string]string{
		"The lock file names two versions of zod, so I'm checking which one the bundle has.": "The lock file names two versions of zod.",
		"There is one mount left; I’ll unmount it before the test.":                          "There is one mount left.",
		"I found the valve's controller and am reading its manual.":                          "I found the valve's controller.",
		"The index has 40 rows, and I'm sure that ten of them are wrong.":                    "The index has 40 rows, and I'm sure that ten of them are wrong.",
		"The cause is the cache; it keeps the old key. I checked it.":                        "The cause is the cache; it keeps the old key. I checked it.",
		"So I'm checking it.": "So I'm checking it.",
		"The queue is idle — let me look at the worker’s log now.": "The queue is idle.",
	} {
		if got := withoutPlan(text); got != want {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
}

func TestAnnounces(t *testing.T) {
	for text, want := range map[string]bool{
		"Let me look at the pump's settings.":                      true,
		"I’m reading the three migrations now.":                    true,
		"After the build ends, I'll compare both sizes.":           true,
		"Next I'm going to measure the cold start.":                true,
		"Now let's run the pump dry to see it fail.":               true,
		"Good, now I'm draining the second tank.":                  true,
		"Need to find the right valve first.":                      true,
		"Now add the third valve to the list.":                     true,
		"Next, the filter.":                                        true,
		"The pump is set to 40 l/min.":                             false,
		"So the pump runs at 40 l/min.":                            false,
		"First of all the valve leaks.":                            false,
		"Right now the valve leaks.":                               false,
		"I've measured it: 40 l/min.":                              false,
		"I need the password of the staging host. Do you have it?": false,
	} {
		if got := announces(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// Progress reports are worthless once the work has ended; findings are not.
func TestPassesBy(t *testing.T) {
	for text, want := range map[string]bool{
		"No signal yet.": true,
		"The worker for `tank-2` has not merged yet.":                true,
		"Tests for `drain.go` are still queued behind the build.":    true,
		"A new run is in progress: `2768`.":                          true,
		"The worker is draining `tank-2` into the sink.":             true,
		"The worker is now draining `tank-2`.":                       true,
		"Checking the output of `tank-2`.":                           true,
		"Using the `drain` workflow again.":                          true,
		"I sent `/drain` to `tank-2`.":                               true,
		"`tank-2` is spawned.":                                       true,
		"The prompt for the worker of `tank-2` is ready.":            true,
		"Nobody is in `tank-2`; it is likely draining the sink.":     true,
		"Draining `tank-2` first keeps the sink dry.":                false,
		"Strings in `drain.go` end with a line feed.":                false,
		"String constants of `drain.go` end with a line feed.":       false,
		"The sink drains once the lid of `tank-2` is open and ready": false,
		"`drain` is now wired as a command.":                         false,
		"The seal of `tank-2` is missing.":                           false,
		"The second valve leaks at 3 bar.":                           false,
		"The hook in `drain.go` is called twice.":                    false,
		"The pump ran dry because `level` was read before the flush": false,
	} {
		if got := passesBy(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
