package overflow

import (
	"strconv"
	"strings"
)

// Call is what a host knows about a failed model call that it may repeat.
type Call struct {
	Status  int    // HTTP status code; 0 if there was none
	Network bool   // whether the host knows that no response arrived
	Text    string // the error's text, or the body of the response
	// The values of the response headers Retry-After, Retry-After-Ms and X-Should-Retry.
	RetryAfter, RetryAfterMs, ShouldRetry string
	Now                                   int64 // in milliseconds since 1970
}

// Retry says whether a failed call may be repeated.
type Retry struct {
	Busy  bool  // whether the same call may succeed later
	After int64 // how long the provider wants to be left alone, in milliseconds; 0 if it doesn't say
	Spent bool  // whether no call can succeed for hours, because the money or the quota of a day is used up
}

// spent lists codes and wordings for money or a daily quota that is used up. Providers report this with the status of a
// rate limit (OpenAI) or of an invalid request (Anthropic). Gemini reports quotas of a minute and of a day in the same
// sentence, which differ only in the name of the quota.
var spent = []string{
	"insufficient_quota", "credit_balance_exhausted", "organization_spend_limit_exceeded", "project_spend_limit_exceeded",
	"organization_usage_limit_exceeded", "billing_hard_limit_reached", "enforced_spend_limit_reached", "credit balance is too low",
	"perdayper",
}

// tooLarge is the wording of OpenAI and Groq for a single request that exceeds the token limit of a minute.
const tooLarge = "request too large for"

// busyWords lists codes and wordings of busy providers in errors whose status doesn't say so, such as the last event of a
// stream that began with status 200.
var busyWords = []string{
	"overloaded", "rate_limit", "rate limit", "too many requests", "server_error", "throttling", "resource_exhausted",
	"resource exhausted", "resource has been exhausted", "serviceunavailable", "modelnotready", "internalserver", `"unavailable"`,
}

// networkWords lists the wordings of HTTP clients and operating systems for calls without a response, whether the
// connection could not be made or was lost.
var networkWords = []string{
	"connection error", "connection refused", "connection reset", "connection aborted", "connection closed", "connection timed out",
	"cannot connect", "couldn't connect", "could not connect", "failed to connect", "failed to open tcp connection",
	"connecterror", "econnrefused", "econnreset", "econnaborted", "enotfound", "eai_again", "ehostunreach", "enetunreach",
	"etimedout", "epipe", "broken pipe", "socket hang up", "no such host", "no route to host", "could not resolve host",
	"name resolution", "name or service not known", "network is unreachable", "fetch failed", "failed to fetch",
	"networkerror when attempting", "load failed", "i/o timeout", "handshake timeout", "request timed out", "read timed out",
	"error sending request", "remote end closed",
}

// RetryOf returns whether and when a failed call may be repeated.
func RetryOf(c Call) Retry {
	text := normal(c.Text)
	r := Retry{After: after(c, text)}
	switch class := Classify(Failure{Status: c.Status, Text: c.Text}).Class; {
	case c.Status == 402 || containsAny(text, spent):
		r.Spent = true
	case class == Context || class == PayloadLimit || class == OutputLimit || strings.Contains(text, tooLarge):
	case c.ShouldRetry == "true" || c.ShouldRetry == "false":
		r.Busy = c.ShouldRetry == "true"
	case c.Status > 400:
		r.Busy = isTemporary(c.Status)
	default:
		r.Busy = containsAny(text, busyWords) || c.Status == 0 && (c.Network || containsAny(text, networkWords))
	}
	return r
}

// isTemporary reports whether the same request may succeed after an error with an HTTP status.
func isTemporary(status int) bool {
	return status == 408 || status == 409 || status == 429 || status >= 500 && status != 501
}

func containsAny(text string, words []string) bool {
	for _, word := range words {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

// longestAfter limits the time that a provider can ask for, to a day in milliseconds.
const longestAfter = 86_400_000

// after returns the time that a provider wants to be left alone, in milliseconds, from the headers or from text; 0 if
// it doesn't say.
func after(c Call, text string) int64 {
	for _, header := range []struct {
		value string
		unit  float64
	}{{c.RetryAfterMs, 1}, {c.RetryAfter, 1000}} {
		value := strings.TrimSpace(header.value)
		if n, err := strconv.ParseFloat(value, 64); err == nil && n >= 0 {
			return int64(min(n*header.unit, longestAfter))
		}
		if at, ok := httpDate(value); ok {
			return min(max(0, at-c.Now), longestAfter)
		}
	}
	for _, intro := range []string{`retrydelay":`, "try again in ", "retry in ", "retry after "} {
		if _, rest, found := strings.Cut(text, intro); found {
			if ms := duration(strings.TrimLeft(rest, ` "`)); ms > 0 {
				return ms
			}
		}
	}
	return 0
}

// units are the units of durations in milliseconds, by the letters with which their names begin. Of two units, the one
// whose letters begin those of the other comes later.
var units = []struct {
	letters string
	ms      float64
}{{"ms", 1}, {"milli", 1}, {"s", 1000}, {"m", 60_000}, {"h", 3_600_000}}

// duration returns the duration with which text begins, such as 7m12s, 34.07s or 26 seconds, in milliseconds; 0 if
// there is none.
func duration(text string) int64 {
	total := 0.0
	for {
		digits := len(text) - len(strings.TrimLeft(text, "0123456789."))
		n, err := strconv.ParseFloat(text[:digits], 64)
		if err != nil {
			break
		}
		text = strings.TrimLeft(text[digits:], " ")
		known := false
		for _, unit := range units {
			if known = strings.HasPrefix(text, unit.letters); known {
				total = min(total+n*unit.ms, longestAfter)
				break
			}
		}
		if !known {
			break
		}
		text = strings.TrimLeft(text, "abcdefghijklmnopqrstuvwxyz")
	}
	return int64(total)
}

const months = "JanFebMarAprMayJunJulAugSepOctNovDec"

// httpDate parses a date of an HTTP header, such as "Sun, 06 Nov 1994 08:49:37 GMT", into milliseconds since 1970. It
// returns false for any other form, including the two obsolete ones.
func httpDate(text string) (int64, bool) {
	const form = "Sun, 06 Nov 1994 08:49:37 GMT"
	if len(text) != len(form) || text[3:5] != ", " || text[19] != ':' || text[22] != ':' || text[25:] != " GMT" {
		return 0, false
	}
	month := strings.Index(months, text[8:11])
	if month < 0 || month%3 != 0 {
		return 0, false
	}
	month = month/3 + 1
	var numbers [5]int64 // day, year, hour, minute, second
	for i, place := range [][2]int{{5, 7}, {12, 16}, {17, 19}, {20, 22}, {23, 25}} {
		n, err := strconv.ParseUint(text[place[0]:place[1]], 10, 16)
		if err != nil {
			return 0, false
		}
		numbers[i] = int64(n)
	}
	day, year := numbers[0], numbers[1]
	// Years begin in March here, so that the day of a leap year is the last.
	shifted := int64(month+9) % 12
	year -= shifted / 10
	days := 365*year + year/4 - year/100 + year/400 + (shifted*306+5)/10 + day - 1
	const until1970 = 719_468
	return ((days-until1970)*86_400 + numbers[2]*3600 + numbers[3]*60 + numbers[4]) * 1000, true
}
