package tokens

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/sorting"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// kept is how many reports a calibration keeps: of five reports, a median tolerates two wrong ones.
const kept = 5

// largest is the largest plausible number of tokens.
const largest = 1_000_000_000

// pairs returns the plausible reports, at most kept of them, if they were made with this estimator.
func pairs(c *api.Calibration, estimator string) (estimated, counted []int) {
	if c == nil || c.Estimator != estimator {
		return nil, nil
	}
	n := min(len(c.Estimated), len(c.Counted))
	for i := max(0, n-kept); i < n; i++ {
		if e, k := c.Estimated[i], c.Counted[i]; e > 0 && e <= largest && k > 0 && k <= largest {
			estimated, counted = append(estimated, e), append(counted, k)
		}
	}
	return estimated, counted
}

// Plausible reports whether a provider's count may be of the call that p estimated. What a request sends besides its transcript may be
// large; but a count that is a fraction of the estimate, or many times as much, belongs to something else, as does one that is far from
// what the earlier reports predict.
func (p *Profile) Plausible(c *api.Calibration, estimated, counted int) bool {
	if counted <= 0 || counted*8 < estimated || counted > 4*estimated+100_000 {
		return false
	}
	if e, k := pairs(c, p.id()); len(e) > 0 {
		slope, offset := line(e, k)
		expected := float64(slope*float64(estimated)) + float64(offset)
		return float64(counted) > expected/2 && float64(counted) < expected*2
	}
	return true
}

// Report returns the calibration with one more report; c may be nil. A report that is not Plausible is accepted, too, and outvoted: if a
// conversation has changed for good, the next reports confirm it.
func (p *Profile) Report(c *api.Calibration, estimated, counted int) *api.Calibration {
	e, k := pairs(c, p.id())
	n := len(e)
	if estimated <= 0 || counted <= 0 || n > 0 && e[n-1] == estimated && k[n-1] == counted {
		return c // not a report, or the same
	}
	from := max(0, n+1-kept)
	return &api.Calibration{Estimator: p.id(), Estimated: append(e[from:], estimated), Counted: append(k[from:], counted)}
}

// line fits a straight line to reports: counted = slope × estimated + offset. The slope is the median of the slopes between all pairs, and
// the offset the median of the remainders (the Theil–Sen estimator), so that one report in five may be arbitrarily wrong. If the estimates
// are too close together to determine a slope, it is 1. If the offset would be negative, the line goes through the origin instead.
func line(estimated, counted []int) (slope float64, offset int) {
	var slopes, shares, rest []float64
	for i, x := range estimated {
		shares = append(shares, float64(counted[i])/float64(x))
		for j := range i {
			if dx := x - estimated[j]; dx*5 > x || -dx*5 > x {
				slopes = append(slopes, float64(counted[i]-counted[j])/float64(dx))
			}
		}
	}
	bounded := func(slope float64) float64 { return min(max(slope, 1./8), 4) }
	slope = 1
	if len(slopes) > 0 {
		slope = bounded(median(slopes))
	}
	for i, x := range estimated {
		rest = append(rest, float64(counted[i])-float64(slope*float64(x)))
	}
	if offset = int(median(rest)); offset < 0 {
		return bounded(median(shares)), 0
	}
	return slope, offset
}

// median returns the median of numbers, which it sorts; there must be at least one.
func median(x []float64) float64 {
	sorting.Ordered(x)
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}

// unscaled is the scale that changes nothing.
const unscaled = 1 << 16

// Correct returns the estimator with a correction; without one it returns p.
func (p *Profile) Correct(c *api.Correction) *Profile {
	if c == nil {
		return p
	}
	own := *p
	own.Correction = api.Correction{Scale: min(max(c.Scale, 1), 1<<20), Fixed: min(max(c.Fixed, 0), largest), Source: api.TokensMeasured, Bound: min(max(c.Bound, 1), 100)}
	if c.Source != api.TokensMeasured {
		own.Source = api.TokensCalibrated
	}
	return &own
}

// Calibrate derives a correction from the reports; nil if there are none.
func (p *Profile) Calibrate(c *api.Calibration) *api.Correction {
	e, k := pairs(c, p.id())
	if len(e) == 0 {
		return nil
	}
	slope, offset := line(e, k)
	own := &api.Correction{Scale: int(float64(slope*unscaled) + 0.5), Fixed: offset, Source: api.TokensCalibrated, Bound: p.Bound}
	if len(e) >= 3 {
		own.Bound = calibratedBound
	}
	return own
}

// calibratedBound is the error, in percent, that nine of ten calibrated estimates of real sessions stay below
// (docs/reference/estimators.md).
const calibratedBound = 5

// Least returns the lowest count that a provider has reported for a call; 0 without reports. What is sent with every call can't be more
// than that.
func (p *Profile) Least(c *api.Calibration) (least int) {
	_, counted := pairs(c, p.id())
	for _, n := range counted {
		if least == 0 || n < least {
			least = n
		}
	}
	return least
}

// Anchor returns the correction, on top of that of p, with which the estimate of t up to message last equals the provider's count. If the
// provider counted more, the difference is assumed to be sent besides the transcript, as far as least allows, the lowest count of any call
// (0 sets no bound); the remainder is an error of the estimate, and all messages are scaled up. If it counted less, everything is scaled
// down.
func (p *Profile) Anchor(t *transcript.Transcript, last, counted, least int) *api.Correction {
	c := p.Correction
	c.Source = api.TokensMeasured
	sum := func() (n int) {
		own := p.Correct(&c)
		n = own.Beside(t)
		for i := range last + 1 {
			n += own.Message(t, i)
		}
		return n
	}
	c.Fixed = 0
	bare := sum()
	if bare > counted {
		// Each message is rounded down, so that the remainder is never negative.
		c.Scale = int(int64(c.Scale) * int64(counted) / int64(bare))
		bare = sum()
	}
	if least > 0 && bare > 0 && counted-bare > least {
		c.Scale = int(min(int64(c.Scale)*int64(counted-least)/int64(bare), 1<<20))
		bare = sum()
	}
	c.Fixed = max(0, counted-bare)
	tail := 0
	own := p.Correct(&c)
	for i := last + 1; i < len(t.Messages); i++ {
		tail += own.Message(t, i)
	}
	c.Bound = measuredBound(p.Bound, tail, counted+tail)
	return &c
}

// id returns the estimator's name, followed by the tokenizer family if it has one.
func (p *Profile) id() string {
	if p.Family != "" {
		return p.Name + "/" + p.Family
	}
	return p.Name
}

// Same reports whether two estimators give the same result for every message.
func (p *Profile) Same(o *Profile) bool {
	return p.Name == o.Name && p.Automaton == o.Automaton && p.Scale == o.Scale && p.BareFields == o.BareFields
}
