package main

import "testing"

func TestChange(t *testing.T) {
	for _, tt := range []struct {
		before, after int
		want          string
	}{
		{0, 5, "same"}, {7, 7, "same"}, {100, 27, "-73 %"}, {100, 150, "+50 %"}, {10, 0, "-100 %"},
		{3001, 9, "-99.7 %"}, {1_000_000, 1, "-99.9 %"}, {1000, 5, "-99.5 %"}, {1000, 6, "-99 %"},
		{1000, 999, "-0.1 %"}, {100_000, 99_999, "-0.1 %"}, {100_000, 100_001, "+0.1 %"}, {1000, 1004, "+0.4 %"}, {8, 3, "-63 %"}, {8, 13, "+63 %"},
	} {
		if got := change(tt.before, tt.after); got != tt.want {
			t.Errorf("from %d to %d: %s, want %s", tt.before, tt.after, got, tt.want)
		}
	}
}
