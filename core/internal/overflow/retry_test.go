package overflow

import (
	"strings"
	"testing"
	"time"
)

func TestRetryOf(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		call Call
		want Retry
	}{
		"nothing is known":            {Call{}, Retry{}},
		"an error of the program":     {Call{Text: "the key is missing"}, Retry{}},
		"an invalid request":          {Call{Status: 400, Text: `{"error":{"type":"invalid_request_error","message":"bad"}}`}, Retry{}},
		"a missing key":               {Call{Status: 401}, Retry{}},
		"a timeout":                   {Call{Status: 408}, Retry{Busy: true}},
		"a conflict":                  {Call{Status: 409}, Retry{Busy: true}},
		"an error of the server":      {Call{Status: 500}, Retry{Busy: true}},
		"no such method":              {Call{Status: 501}, Retry{}},
		"Anthropic is overloaded":     {Call{Status: 529, Text: `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`}, Retry{Busy: true}},
		"the end of a stream":         {Call{Text: `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`}, Retry{Busy: true}},
		"a stream of status 200":      {Call{Status: 200, Text: `{"error":{"code":"server_error"}}`}, Retry{Busy: true}},
		"seconds":                     {Call{Status: 429, RetryAfter: "7"}, Retry{Busy: true, After: 7000}},
		"half a second":               {Call{Status: 429, RetryAfter: " 0.5 "}, Retry{Busy: true, After: 500}},
		"milliseconds come first":     {Call{Status: 429, RetryAfter: "7", RetryAfterMs: "6500"}, Retry{Busy: true, After: 6500}},
		"a date":                      {Call{Status: 503, RetryAfter: "Sun, 01 Mar 2026 12:00:30 GMT"}, Retry{Busy: true, After: 30_000}},
		"a date that has passed":      {Call{Status: 503, RetryAfter: "Sat, 28 Feb 2026 12:00:30 GMT"}, Retry{Busy: true}},
		"more than a day":             {Call{Status: 503, RetryAfter: "1e300"}, Retry{Busy: true, After: 86_400_000}},
		"no number":                   {Call{Status: 429, RetryAfter: "NaN"}, Retry{Busy: true}},
		"a negative number":           {Call{Status: 429, RetryAfter: "-3"}, Retry{Busy: true}},
		"no date":                     {Call{Status: 429, RetryAfter: "Sun, xx Mar 2026 12:00:30 GMT"}, Retry{Busy: true}},
		"no money at OpenAI":          {Call{Status: 429, Text: `{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}`}, Retry{Spent: true}},
		"no money at Anthropic":       {Call{Status: 400, Text: `{"error":{"message":"Your credit balance is too low to access the API"}}`}, Retry{Spent: true}},
		"payment required":            {Call{Status: 402}, Retry{Spent: true}},
		"a quota of a minute":         {Call{Status: 429, Text: `{"error":{"code":429,"message":"You exceeded your current quota.","status":"RESOURCE_EXHAUSTED","details":[{"quotaId":"GenerateRequestsPerMinutePerProjectPerModel"},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay": "34s"}]}}`}, Retry{Busy: true, After: 34_000}},
		"a quota of a day":            {Call{Status: 429, Text: `{"error":{"status":"RESOURCE_EXHAUSTED","details":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel"}]}}`}, Retry{Spent: true}},
		"Gemini without its status":   {Call{Text: `{"error":{"code":503,"status":"UNAVAILABLE"}}`}, Retry{Busy: true}},
		"Bedrock":                     {Call{Status: 400, Text: "ThrottlingException: Too many requests, please wait"}, Retry{Busy: true}},
		"minutes in the text":         {Call{Status: 429, Text: "Rate limit reached on tokens per day (TPD). Please try again in 7m12.5s. Visit"}, Retry{Busy: true, After: 432_500}},
		"milliseconds in the text":    {Call{Status: 429, Text: "Rate limit reached. Please try again in 120ms."}, Retry{Busy: true, After: 120}},
		"Azure":                       {Call{Status: 429, Text: "Please retry after 26 seconds. Please contact"}, Retry{Busy: true, After: 26_000}},
		"more than a minute's quota":  {Call{Status: 429, Text: "Request too large for gpt-x on tokens per min (TPM): Limit 30000, Requested 40000."}, Retry{}},
		"too long for the model":      {Call{Status: 500, Text: "prompt is too long: 210000 tokens > 200000 maximum"}, Retry{}},
		"no connection":               {Call{Network: true, Text: "the proxy is away"}, Retry{Busy: true}},
		"a response, in the end":      {Call{Status: 400, Network: true}, Retry{}},
		"OpenAI's SDK":                {Call{Text: "Connection error."}, Retry{Busy: true}},
		"Node":                        {Call{Text: "fetch failed\nECONNREFUSED"}, Retry{Busy: true}},
		"Chrome":                      {Call{Text: "Failed to fetch"}, Retry{Busy: true}},
		"Go":                          {Call{Text: `Post "https://x.example": dial tcp 127.0.0.1:9: connect: connection refused`}, Retry{Busy: true}},
		"Python":                      {Call{Text: "[Errno -2] Name or service not known"}, Retry{Busy: true}},
		"curl":                        {Call{Text: "Could not resolve host: x.example"}, Retry{Busy: true}},
		"a network that is quoted":    {Call{Status: 400, Text: "the image can't be loaded: connection refused"}, Retry{}},
		"a call that was cancelled":   {Call{Text: "This operation was aborted"}, Retry{}},
		"told to retry":               {Call{Status: 400, ShouldRetry: "true", RetryAfter: "2"}, Retry{Busy: true, After: 2000}},
		"told not to retry":           {Call{Status: 503, ShouldRetry: "false"}, Retry{}},
		"told in other words":         {Call{Status: 503, ShouldRetry: "perhaps"}, Retry{Busy: true}},
		"told to retry without money": {Call{Status: 429, ShouldRetry: "true", Text: "insufficient_quota"}, Retry{Spent: true}},
		"told to retry, too long":     {Call{Status: 400, ShouldRetry: "true", Text: "prompt is too long: 210000 tokens > 200000 maximum"}, Retry{}},
	} {
		c.call.Now = now.UnixMilli()
		if got := RetryOf(c.call); got != c.want {
			t.Errorf("%s: %+v, not %+v", name, got, c.want)
		}
	}
}

func TestHTTPDate(t *testing.T) {
	const form = "Mon, 02 Jan 2006 15:04:05 GMT"
	for at := time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC); at.Year() < 2110; at = at.Add(37*time.Hour + 59*time.Second) {
		if got, ok := httpDate(at.Format(form)); !ok || got != at.UnixMilli() {
			t.Fatalf("%s: %d, %v", at.Format(form), got, ok)
		}
	}
	for _, text := range []string{"", form[:28], "Mon, 02 anF 2006 15:04:05 GMT", "Mon, +2 Jan 2006 15:04:05 GMT", "Mon, 02 Jan 2006 15.04.05 GMT", strings.Repeat("x", 29)} {
		if at, ok := httpDate(text); ok {
			t.Errorf("%q is read as %d", text, at)
		}
	}
}

func TestDuration(t *testing.T) {
	for text, want := range map[string]int64{
		"": 0, "a while": 0, "5": 0, "1.2.3s": 0, "34s": 34_000, "34.07s": 34_070, "1h2m3s": 3_723_000, "2 minutes and": 120_000, "3 milliseconds": 3,
		strings.Repeat("9", 400) + "h": 0, strings.Repeat("9h", 1000): 86_400_000,
	} {
		if got := duration(text); got != want {
			t.Errorf("%.20q: %d, not %d", text, got, want)
		}
	}
}
