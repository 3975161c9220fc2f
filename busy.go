package ctxfold

import (
	"errors"
	"io"
	"strconv"
	"strings"
	"time"
)

// BusyError is the error of a [Summarizer] whose model can't answer now but may later: a rate limit, an overload, an unreachable endpoint.
type BusyError struct {
	// After is how long the provider asks to wait (Retry-After). Zero means one second.
	After time.Duration
	Err   error
}

// Error returns Err's text.
func (e *BusyError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *BusyError) Unwrap() error { return e.Err }

// StatusError returns the error for a [Summarizer] whose model answered with an HTTP error status: a [*BusyError] around err for 408, 409,
// 429 and 5xx except 501, otherwise err. header returns a header of the answer by name, like the method Get of http.Header.
func StatusError(status int, header func(name string) string, err error) error {
	switch {
	case status == 408, status == 409, status == 429, status >= 500 && status != 501:
		return &BusyError{After: retryAfter(header), Err: err}
	}
	return err
}

// StreamError returns the error for a [Summarizer] whose stream has ended. err is the stream's own error or nil, and finish its finish
// reason. An interrupted stream is [ErrIncomplete]; one that ended with the error event of a busy provider is a [*BusyError].
func StreamError(finish string, err error) error {
	if err == nil && finish == "" || errors.Is(err, io.ErrUnexpectedEOF) {
		return ErrIncomplete
	}
	if err != nil {
		text := strings.ToLower(err.Error())
		for _, word := range []string{"overloaded", "rate_limit", "server_error"} {
			if strings.Contains(text, word) {
				return &BusyError{Err: err}
			}
		}
	}
	return err
}

// retryAfter reads the headers that say how long to wait; 0 if there are none.
func retryAfter(header func(string) string) time.Duration {
	for _, unit := range []struct {
		name string
		of   time.Duration
	}{{"Retry-After-Ms", time.Millisecond}, {"Retry-After", time.Second}} {
		text := strings.TrimSpace(header(unit.name))
		if n, err := strconv.ParseFloat(text, 64); err == nil && n >= 0 && n < float64(maxRetryAfter/unit.of) {
			return time.Duration(n * float64(unit.of))
		}
		if at, err := time.Parse("Mon, 02 Jan 2006 15:04:05 GMT", text); err == nil {
			return min(max(0, time.Until(at)), maxRetryAfter)
		}
	}
	return 0
}

// maxRetryAfter is the longest wait that is honored.
const maxRetryAfter = 24 * time.Hour
