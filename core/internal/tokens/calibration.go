package tokens

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/sorting"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// kept is the maximum number of reports in a calibration. A median of five reports tolerates two wrong ones.
const kept = 5

// largest is the largest plausible count, in tokens.
const largest = 1_000_000_000

// pairs returns the plausible reports of a calibration, but ignores all except the newest (see kept). It returns none
// if another estimator made the estimates. c may be nil.
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

// Plausible reports whether counted, a provider's token count, can belong to a call whose size was estimated as given.
// A request may have a lot of content outside its transcript. However, a count that is a fraction or a multiple of the
// estimate belongs to something else, and so does a count that is far from what the earlier reports predict.
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

// Report returns the calibration c, which may be nil, with one more report. It returns c itself if a number isn't
// positive or the report repeats the last one. It also accepts a report that is not Plausible, because the others
// outvote it. If the conversation has changed for good, the next reports will confirm it. A report that is dropped
// lowers Least, unless the newer ones contradict it. estimated and counted are the tokens of the same request, as p
// estimated and as the provider counted them.
func (p *Profile) Report(c *api.Calibration, estimated, counted int) *api.Calibration {
	e, k := pairs(c, p.id())
	n := len(e)
	if estimated <= 0 || counted <= 0 || n > 0 && e[n-1] == estimated && k[n-1] == counted {
		return c // not a valid report, or the same as the last one
	}
	from := max(0, n+1-kept)
	own := &api.Calibration{Estimator: p.id(), Estimated: append(e[from:], estimated),
		Counted: append(k[from:], counted)}
	if n > 0 {
		own.Least = forgotten(c)
	}
	for i := range from {
		if (own.Least == 0 || k[i] < own.Least) && p.Plausible(own, e[i], k[i]) {
			own.Least = k[i]
		}
	}
	return own
}

// forgotten returns the lowest count of the reports that a calibration no longer holds, or 0 if it holds all of them.
func forgotten(c *api.Calibration) int {
	if c.Least < 0 || c.Least > largest {
		return 0
	}
	return c.Least
}

// line fits a straight line to reports: counted = slope × estimated + offset. It uses the Theil–Sen estimator: the
// slope is the median of the slopes between all pairs, and the offset the median of the remainders, so that one report
// in five may be arbitrarily wrong. If the estimates are too close together to determine a slope, it is 1. If the
// offset would be negative, the line goes through the origin instead.
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

// median returns the median of x, which must not be empty. It sorts x.
func median(x []float64) float64 {
	sorting.Ordered(x)
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}

// unscaled is the scale 1: a correction with this scale changes no estimate.
const unscaled = 1 << 16

// Correct returns a copy of the estimator with a correction, or p itself if the correction is nil. Values out of range
// are limited to the range, because the correction may come from a host.
func (p *Profile) Correct(c *api.Correction) *Profile {
	if c == nil {
		return p
	}
	own := *p
	own.Correction = api.Correction{Scale: min(max(c.Scale, 1), 1<<20), Fixed: min(max(c.Fixed, 0), largest),
		Source: api.TokensMeasured, Bound: min(max(c.Bound, 1), 100)}
	if c.Source != api.TokensMeasured {
		own.Source = api.TokensCalibrated
	}
	return &own
}

// Calibrate returns the correction that results from the reports, or nil if there are none from this estimator. With at
// least three reports the error bound is calibratedBound.
func (p *Profile) Calibrate(c *api.Calibration) *api.Correction {
	e, k := pairs(c, p.id())
	if len(e) == 0 {
		return nil
	}
	slope, offset := line(e, k)
	own := &api.Correction{Scale: int(float64(slope*unscaled) + 0.5), Fixed: offset, Source: api.TokensCalibrated,
		Bound: p.Bound}
	if len(e) >= 3 {
		own.Bound = calibratedBound
	}
	return own
}

// calibratedBound is the error bound of calibrated estimates in percent: in real sessions nine of ten estimates are
// closer (docs/reference/estimators.md).
const calibratedBound = 5

// LeastTokens returns the lowest count that a provider has reported for a call, or 0 without reports of this estimator.
// It is an upper bound for what every call sends in addition to the messages.
func (p *Profile) LeastTokens(c *api.Calibration) (least int) {
	_, counted := pairs(c, p.id())
	if len(counted) > 0 {
		least = forgotten(c)
	}
	for _, n := range counted {
		if least == 0 || n < least {
			least = n
		}
	}
	return least
}

// Anchor returns a correction, in addition to p's own, that makes the estimate of t up to message last equal to the
// provider's count. If the provider counted more than the estimate, the difference is attributed to content outside the
// transcript, up to least, the lowest count of any call (0 sets no limit). The remainder is an error of the estimate,
// so all messages are scaled up. If the provider counted less, all messages are scaled down.
func (p *Profile) Anchor(t *transcript.Transcript, last, counted, least int) *api.Correction {
	c := p.Correction
	c.Source = api.TokensMeasured
	sum := func() (n int) {
		own := p.Correct(&c)
		n = own.OutsideMessages(t)
		for i := range last + 1 {
			n += own.Message(t, i)
		}
		return n
	}
	c.Fixed = 0
	bare := sum()
	if bare > counted {
		// Estimates are rounded down per message, so the remainder is never negative.
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

// id returns the estimator's name, with the tokenizer family if it has one.
func (p *Profile) id() string {
	if p.Family != "" {
		return p.Name + "/" + p.Family
	}
	return p.Name
}

// Equals reports whether two estimators give the same result for every message.
func (p *Profile) Equals(o *Profile) bool {
	return p.Name == o.Name && p.Automaton == o.Automaton && p.Scale == o.Scale && p.BareFields == o.BareFields
}
