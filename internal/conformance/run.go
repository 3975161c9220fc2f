package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ctxfold/ctxfold/core"
	"github.com/ctxfold/ctxfold/internal/testing/judge"
)

// promises lists the promises that a compactor may make, in the order of the table.
var promises = []string{"valid", "fits", "newest", "rules", "unchanged", "restores"}

// about is a compactor's description of itself.
type about struct {
	Name, Version, Format string
	Promises              []string
}

// request is a line sent to a compactor.
type request struct {
	Op       string          `json:"op"`
	Format   string          `json:"format,omitempty"`
	Limit    int             `json:"limit,omitempty"`
	Messages json.RawMessage `json:"messages,omitempty"`
}

// answer is a line that a compactor sends.
type answer struct {
	about
	Messages json.RawMessage
	Error    string
}

// result counts, for each promise, the cases that test it and the cases in which it was kept.
type result struct {
	about       about
	tried, kept map[string]int
	failures    []string
	// before and after count the tokens of all cases that are over their limits, before and after compaction.
	before, after int
}

// peer is a connection to a compactor, which answers every line with one line.
type peer struct {
	to   io.Writer
	from *bufio.Reader
}

// ask sends a request to the compactor and reads its answer. An error in the answer becomes the returned error.
func (p *peer) ask(q request) (a answer, err error) {
	line, err := json.Marshal(q)
	if err != nil {
		return a, err
	}
	if _, err := p.to.Write(append(line, '\n')); err != nil {
		return a, err
	}
	text, err := p.from.ReadBytes('\n')
	if err != nil {
		return a, fmt.Errorf("no answer to %s: %w", q.Op, err)
	}
	if err := json.Unmarshal(text, &a); err != nil {
		return a, fmt.Errorf("the answer to %s is not JSON: %w", q.Op, err)
	}
	if a.Error != "" {
		err = errors.New(a.Error)
	}
	return a, err
}

// run tests a compactor with all cases. It returns an error if the compactor violates the protocol; broken promises are
// failures in the result.
func run(to io.Writer, from io.Reader) (*result, error) {
	p := &peer{to, bufio.NewReader(from)}
	a, err := p.ask(request{Op: "describe"})
	if err != nil {
		return nil, err
	}
	r := &result{about: a.about, tried: map[string]int{}, kept: map[string]int{}}
	for _, promise := range r.about.Promises {
		if !slices.Contains(promises, promise) {
			return nil, fmt.Errorf("there is no promise %q; there are %s", promise, strings.Join(promises, ", "))
		}
	}
	if !judge.Known(r.about.Format) {
		return nil, fmt.Errorf("there is no judge for the wire format %q", r.about.Format)
	}
	for _, c := range cases() {
		messages, err := converted(c.messages, r.about.Format)
		if err != nil {
			return nil, err
		}
		if bad := judge.Valid(r.about.Format, messages); len(bad) > 0 {
			return nil, fmt.Errorf("%s: the case itself is not valid in %s: %s", c.name, r.about.Format, bad[0])
		}
		if err := r.check(p, c, messages); err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
	}
	return r, nil
}

// check tests a compactor with one case and records which promises it keeps.
func (r *result) check(p *peer, c testCase, messages json.RawMessage) error {
	a, err := p.ask(request{Op: "compact", Format: r.about.Format, Limit: c.limit, Messages: messages})
	if err != nil {
		return err
	}
	after := a.Messages
	r.note(c, "valid", strings.Join(judge.Valid(r.about.Format, after), "; "))
	r.note(c, "newest", differs(judge.LastUser(r.about.Format, messages), judge.LastUser(r.about.Format, after)))
	if c.due {
		size := tokens(after)
		r.before, r.after = r.before+tokens(messages), r.after+size
		r.note(c, "fits", unless(size <= c.limit+c.limit/10, "%d tokens, and the limit is %d", size, c.limit))
		for _, rule := range c.rules {
			r.note(c, "rules", unless(strings.Contains(textOf(after), rule), "%q is gone", rule))
		}
	} else {
		r.note(c, "unchanged", differs(messages, after))
	}
	if !slices.Contains(r.about.Promises, "restores") {
		return nil
	}
	a, err = p.ask(request{Op: "restore", Format: r.about.Format, Messages: after})
	if err != nil {
		return err
	}
	r.note(c, "restores", differs(messages, a.Messages))
	return nil
}

// note records whether a compactor kept a promise. why is "" if it did, otherwise the reason why it didn't.
func (r *result) note(c testCase, promise, why string) {
	if !slices.Contains(r.about.Promises, promise) {
		return
	}
	r.tried[promise]++
	if why == "" {
		r.kept[promise]++
		return
	}
	r.failures = append(r.failures, fmt.Sprintf("%s: not %s: %.300s", c.name, promise, why))
}

func unless(fine bool, format string, args ...any) string {
	if fine {
		return ""
	}
	return fmt.Sprintf(format, args...)
}

// differs describes the first difference between the values of two JSON texts, or returns "" if they are equal.
func differs(before, after json.RawMessage) string {
	var a, b any
	if json.Unmarshal(before, &a) != nil || json.Unmarshal(after, &b) != nil {
		return unless(len(before) == 0 && len(after) == 0, "it is no JSON")
	}
	return unless(reflect.DeepEqual(a, b), "%.120s became %.120s", before, after)
}

// tokens returns the size of messages in tokens. A token is four characters in strings; keys are not counted.
func tokens(messages json.RawMessage) int { return (utf8.RuneCountInString(textOf(messages)) + 3) / 4 }

// textOf returns all strings in a JSON text, joined.
func textOf(text json.RawMessage) string {
	var value any
	if json.Unmarshal(text, &value) != nil {
		return ""
	}
	var b strings.Builder
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			b.WriteString(v)
		case []any:
			for _, each := range v {
				walk(each)
			}
		case map[string]any:
			for _, each := range v {
				walk(each)
			}
		}
	}
	walk(value)
	return b.String()
}

// converted returns a list of messages of the format openai-chat in another wire format.
func converted(messages json.RawMessage, to string) (json.RawMessage, error) {
	if to == "openai-chat" {
		return messages, nil
	}
	q, err := json.Marshal(map[string]any{"to": to, "options": map[string]any{"format": "openai-chat"}, "messages": messages})
	if err != nil {
		return nil, err
	}
	var a struct {
		Messages json.RawMessage
		Error    *struct{ Message string }
	}
	if err := json.Unmarshal(core.Call("convert", q), &a); err != nil {
		return nil, err
	}
	if a.Error != nil {
		return nil, fmt.Errorf("converting to %s: %s", to, a.Error.Message)
	}
	return a.Messages, nil
}
