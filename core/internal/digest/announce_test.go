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
		"The pump is set to 40 l/min.":                             false,
		"I've measured it: 40 l/min.":                              false,
		"I need the password of the staging host. Do you have it?": false,
	} {
		if got := announces(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
