package tokens_test

import (
	"fmt"
	"testing"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/tokens"
)

func calibration(pairs ...int) *api.Calibration {
	c := &api.Calibration{Estimator: "bytes4"}
	for i := 0; i < len(pairs); i += 2 {
		c.Estimated, c.Counted = append(c.Estimated, pairs[i]), append(c.Counted, pairs[i+1])
	}
	return c
}

func TestReport(t *testing.T) {
	p := tokens.ByName("bytes4")
	for _, c := range []struct {
		name               string
		before             *api.Calibration
		estimated, counted int
		want               string
	}{
		{"the first", nil, 100, 120, "[100] [120]"},
		{"a second", calibration(100, 120), 200, 230, "[100 200] [120 230]"},
		{"the least", nil, 1, 1, "[1] [1]"},
		{"nothing estimated", nil, 0, 5, "none"},
		{"nothing counted", nil, 5, 0, "none"},
		{"less than nothing", nil, 5, -1, "none"},
		{"the same again", calibration(100, 120), 100, 120, "[100] [120]"},
		{"the same estimate", calibration(100, 120), 100, 121, "[100 100] [120 121]"},
		{"the same count", calibration(100, 120), 101, 120, "[100 101] [120 120]"},
		{"the sixth", calibration(1, 2, 3, 4, 5, 6, 7, 8, 9, 10), 11, 12, "[3 5 7 9 11] [4 6 8 10 12]"},
		{"what makes no sense goes", calibration(0, 5, 5, 0, -1, 7, 7, -1, 1_000_000_000, 1_000_000_000), 11, 12, "[1000000000 11] [1000000000 12]"},
		{"what is too large goes", calibration(1_000_000_001, 1, 1, 1_000_000_001), 11, 12, "[11] [12]"},
		{"of another estimator", &api.Calibration{Estimator: "runes4", Estimated: []int{1}, Counted: []int{2}}, 11, 12, "[11] [12]"},
		{"lists of two lengths", &api.Calibration{Estimator: "bytes4", Estimated: []int{1, 3}, Counted: []int{2}}, 11, 12, "[1 11] [2 12]"},
	} {
		got := "none"
		if after := p.Report(c.before, c.estimated, c.counted); after != nil {
			got = fmt.Sprint(after.Estimated, after.Counted)
			if after.Estimator != "bytes4" {
				t.Errorf("%s: by %s", c.name, after.Estimator)
			}
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestLeastOfForgottenReports makes more reports than a calibration holds. The lowest count stays known, unless the other reports
// contradict it.
func TestLeastOfForgottenReports(t *testing.T) {
	p := tokens.ByName("bytes4")
	for _, c := range []struct {
		name          string
		first, lowest int // the counts of the first two calls, which were estimated as 1,000 and 2,000 tokens
		want          int
	}{
		{"the first", 9000, 10000, 9000},
		{"the second", 9000, 8000, 8000},
		{"one of another conversation", 130, 10000, 10000},
	} {
		var calls *api.Calibration
		for i := 1; i <= 60; i++ {
			counted := 8000 + 1000*i
			switch i {
			case 1:
				counted = c.first
			case 2:
				counted = c.lowest
			}
			calls = p.Report(calls, 1000*i, counted)
			if i >= 7 && p.LeastTokens(calls) != c.want {
				t.Fatalf("%s: the least of %d calls is %d, want %d: %+v", c.name, i, p.LeastTokens(calls), c.want, calls)
			}
		}
	}
	if q := tokens.ByName("script"); q.LeastTokens(&api.Calibration{Estimator: "bytes4", Estimated: []int{5}, Counted: []int{5}, Least: 3}) != 0 {
		t.Error("another estimator has the least count of this one")
	}
	for _, least := range []int{-1, 1_000_000_001} {
		if got := p.LeastTokens(&api.Calibration{Estimator: "bytes4", Estimated: []int{5}, Counted: []int{7}, Least: least}); got != 7 {
			t.Errorf("%d is the least count of a state with %d", got, least)
		}
	}
}

func TestPlausible(t *testing.T) {
	p := tokens.ByName("bytes4")
	for _, c := range []struct {
		before             *api.Calibration
		estimated, counted int
		want               bool
	}{
		{nil, 800, 100, true}, {nil, 800, 99, false}, {nil, 10, 0, false}, {nil, 10, -1, false}, {nil, 0, 1, true},
		{nil, 1000, 104_000, true}, {nil, 1000, 104_001, false},
		{calibration(1000, 1000), 1000, 501, true}, {calibration(1000, 1000), 1000, 500, false},
		{calibration(1000, 1000), 1000, 1999, true}, {calibration(1000, 1000), 1000, 2000, false},
		{calibration(1000, 3000, 2000, 5000), 3000, 7000, true}, {calibration(1000, 3000, 2000, 5000), 3000, 3500, false}, {calibration(1000, 3000, 2000, 5000), 3000, 3501, true},
	} {
		if got := p.Plausible(c.before, c.estimated, c.counted); got != c.want {
			t.Errorf("%+v, then %d and %d: %t", c.before, c.estimated, c.counted, got)
		}
	}
}

// TestCalibrate checks the line through reports: the scale, in 1/65,536, and the fixed part.
func TestCalibrate(t *testing.T) {
	p := tokens.ByName("bytes4")
	const one = 1 << 16
	for _, c := range []struct {
		name         string
		reports      *api.Calibration
		scale, fixed int
	}{
		{"one report", calibration(1000, 1500), one, 500},
		{"one that is less", calibration(1000, 800), 52429, 0},
		{"too close together for a slope", calibration(1000, 1500, 1100, 1900), one, 650},
		{"two", calibration(1000, 2500, 2000, 4500), 2 * one, 500},
		{"in the other order", calibration(2000, 4500, 1000, 2500), 2 * one, 500},
		{"a line below the origin", calibration(1000, 500, 2000, 2500), one * 7 / 8, 0},
		{"too steep", calibration(1000, 1000, 2000, 90000), 4 * one, 39500},
		{"too flat", calibration(1000, 2000, 2000, 2000), one / 8, 1812},
		{"one of five is off", calibration(1000, 2500, 2000, 4500, 3000, 60000, 4000, 8500, 5000, 10500), 2 * one, 500},
	} {
		got := p.Calibrate(c.reports)
		if got.Scale != c.scale || got.Fixed != c.fixed || got.Source != api.TokensCalibrated {
			t.Errorf("%s: %+v, want %d and %d", c.name, got, c.scale, c.fixed)
		}
		if want := map[bool]int{true: 5, false: p.Bound}[len(c.reports.Estimated) >= 3]; got.Bound != want {
			t.Errorf("%s: %d %% off, not %d", c.name, got.Bound, want)
		}
	}
	if p.Calibrate(nil) != nil || p.Calibrate(calibration()) != nil {
		t.Error("a correction by no report")
	}
}

// TestCorrect corrects every number of an estimator.
func TestCorrect(t *testing.T) {
	p := tokens.ByName("bytes4")
	if p.Correct(nil) != p {
		t.Error("no correction is another estimator")
	}
	own := p.Correct(&api.Correction{Scale: 3 << 15, Fixed: 7, Source: api.TokensCalibrated, Bound: 5})
	if own.Source != api.TokensCalibrated || own.Fixed != 7 || own.Bound != 5 {
		t.Errorf("%+v", own.Correction)
	}
	const list = `[{"role":"user","content":"0123456789abcdef"},{"role":"assistant","content":"0123"}]`
	tr := read(t, "plain", list)
	for i, want := range []int{12, 7} { // 4 of framing, and 4 or 1
		if got := own.Message(tr, i); got != want {
			t.Errorf("message %d has %d tokens, not %d", i, got, want)
		}
	}
	if got := own.Text("0123456789abcdef"); got != 6 {
		t.Errorf("a text has %d tokens, not 6", got)
	}
	for _, c := range []struct{ is, want api.Correction }{
		{api.Correction{Scale: 0, Fixed: -1, Bound: 0}, api.Correction{Scale: 1, Fixed: 0, Bound: 1}},
		{api.Correction{Scale: 1<<20 + 1, Fixed: 1_000_000_001, Bound: 101}, api.Correction{Scale: 1 << 20, Fixed: 1_000_000_000, Bound: 100}},
	} {
		got := p.Correct(&c.is).Correction
		if got.Scale != c.want.Scale || got.Fixed != c.want.Fixed || got.Bound != c.want.Bound {
			t.Errorf("%+v is corrected by %+v, not %+v", c.is, got, c.want)
		}
	}
}

// TestAnchor makes the estimate of the first messages equal to the provider's count.
func TestAnchor(t *testing.T) {
	p := tokens.ByName("bytes4").For("")
	const list = `[{"role":"user","content":"0123456789abcdef"},{"role":"assistant","content":"0123"},{"role":"user","content":"0123456789abcdef0123456789abcdef"}]`
	tr := read(t, "plain", list)
	if a, b, c := p.Message(tr, 0), p.Message(tr, 1), p.Message(tr, 2); a != 8 || b != 5 || c != 12 {
		t.Fatal(a, b, c)
	}
	for _, c := range []struct{ last, counted, scale, fixed, bound int }{
		{1, 13, 1 << 16, 0, (p.Bound*12 + 12) / 25},
		{1, 113, 1 << 16, 100, (p.Bound*12 + 62) / 125},
		{1, 6, 6 << 16 / 13, 1, (p.Bound*5 + 5) / 11},
		{2, 25, 1 << 16, 0, 1},
		{0, 8, 1 << 16, 0, (p.Bound*17 + 12) / 25},
	} {
		got := p.Anchor(tr, c.last, c.counted, 0)
		if got.Scale != c.scale || got.Fixed != c.fixed || got.Source != api.TokensMeasured || got.Bound != c.bound {
			t.Errorf("%d tokens up to message %d: %+v, want %d, %d, %d", c.counted, c.last, got, c.scale, c.fixed, c.bound)
		}
		own := p.Correct(got)
		sum := own.OutsideMessages(tr)
		for i := range c.last + 1 {
			sum += own.Message(tr, i)
		}
		if sum != c.counted {
			t.Errorf("%d tokens up to message %d are %d", c.counted, c.last, sum)
		}
	}
}
