package host_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/host"
)

// Bad input is an error with a position in the caller's own bytes, and the same instance continues to work.
func TestBadInputThenGood(t *testing.T) {
	good := json.RawMessage(`[{"role":"user","content":"hello"}]`)
	openai := ctxfold.RawPolicy(`{"format":"openai-chat","window":{"unlimited":true}}`)
	// Typed JSON is located by its path; its offset is near the value.
	const anywhere = "*"
	tests := []struct {
		name   string
		in     ctxfold.Input
		code   api.Code
		input  string // ctxfold.Error.In
		at     string // what is at Offset; "" for the end
		prefix string // of Path
	}{
		{"not JSON", ctxfold.Input{Messages: []byte(`[{"role":"user","content":hello}]`)}, "invalid_json", "messages", `hello}]`, "messages"},
		{"garbage behind", ctxfold.Input{Messages: []byte(`[{"role":"user","content":"hi"}] x`), Policy: openai}, "invalid_json", "messages", `x`, ""},
		{"truncated", ctxfold.Input{Messages: []byte(`[{"role":"user","content":"hel`)}, "truncated_json", "messages", ``, "messages"},
		{"no messages", ctxfold.Input{}, "wrong_type", "messages", ``, "messages"},
		{"no list", ctxfold.Input{Messages: []byte(` {}`)}, "no_messages", "messages", `{}`, "messages"},
		{"no role", ctxfold.Input{Messages: []byte(`[{"content":"hello"}]`)}, "missing_role", "messages", `{"content"`, "messages[0]"},
		{"nested deep", ctxfold.Input{Messages: []byte(strings.Repeat("[", 100_000))}, "too_deep", "messages", `[[`, "messages"},
		{"unknown preset", ctxfold.Input{Messages: good, Policy: ctxfold.RawPolicy(`{"preset":"nope"}`)}, "unknown_preset", "policy", `"nope"`, "policy.preset"},
		{"unknown key", ctxfold.Input{Messages: good, Policy: ctxfold.RawPolicy(`{"gate":{"rtaio":1}}`)}, "unknown_field", "policy", anywhere, "policy.gate.rtaio"},
		{"bad state", ctxfold.Input{Messages: good, Policy: openai, State: []byte(`{"round":"two"}`)}, "wrong_type", "state", anywhere, "state.round"},
	}
	engines(t, func(t *testing.T, c *ctxfold.Compactor) {
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				_, err := c.CompactWith(t.Context(), tt.in, nil)
				var e *ctxfold.Error
				if !errors.As(err, &e) {
					t.Fatalf("got %v, want an *Error", err)
				}
				if e.Code != tt.code || e.Input != tt.input || !strings.HasPrefix(e.Path, tt.prefix) || e.Message == "" {
					t.Errorf("got %+v", e)
				}
				text := map[string]json.RawMessage{"messages": tt.in.Messages, "policy": tt.in.Policy.Raw, "state": tt.in.State}[e.Input]
				if e.Offset < 0 || e.Offset > len(text) {
					t.Fatalf("offset %d is outside of %q", e.Offset, text)
				}
				if rest := string(text[e.Offset:]); tt.at != anywhere && !strings.HasPrefix(rest, tt.at) || tt.at == "" && rest != "" {
					t.Errorf("offset %d is at %.40q, want %q: %v", e.Offset, rest, tt.at, e)
				}
				if r, err := c.Compact(t.Context(), good, openai, nil); err != nil || !bytes.Equal(r.Messages, good) {
					t.Errorf("the call after it: %v", err)
				}
			})
		}
	})
	c := open(t, host.Options{})
	for _, tt := range tests {
		_, _ = c.CompactWith(t.Context(), tt.in, nil)
	}
	if n, _ := c.Idle(); n != 1 {
		t.Errorf("bad input cost instances: %d are there, want the first one", n)
	}
}

func TestValidateAndRepair(t *testing.T) {
	messages := json.RawMessage(`[{"role":"user","content":"hi"},
 {"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Read","input":{}}]},
 {"role":"user","content":"never mind"}]`)
	engines(t, func(t *testing.T, c *ctxfold.Compactor) {
		v, err := c.Validate(t.Context(), ctxfold.Input{Messages: messages, Policy: ctxfold.RawPolicy(`{"format":"anthropic"}`)})
		if err != nil || v.Valid || len(v.Violations) != 1 {
			t.Fatalf("%v: %+v", err, v)
		}
		fixed, err := c.Repair(t.Context(), ctxfold.Input{Messages: messages, Policy: ctxfold.RawPolicy(`{"format":"anthropic"}`)})
		if err != nil || !fixed.Report.Changed || !fixed.Valid || fixed.Report.Repaired != 1 || !bytes.HasPrefix(fixed.Messages, messages[:30]) {
			t.Errorf("repair: %v: %+v", err, fixed)
		}
		edits, err := c.Repair(t.Context(), ctxfold.Input{Messages: messages, Format: "anthropic", ReturnEdits: true})
		if err != nil || edits.Messages != nil || !bytes.HasPrefix(edits.Edits, []byte(`[{"keep":[0,2]},`)) {
			t.Errorf("repair, as edits: %v: %+v", err, edits)
		}
		if at := messages[v.Violations[0].Offset:]; !bytes.HasPrefix(at, []byte(`{"type":"tool_use"`)) || v.Violations[0].Message != 1 {
			t.Errorf("the violation is said to be at %.30s: %+v", at, v.Violations[0])
		}
	})
}

func TestSmallOperations(t *testing.T) {
	messages := json.RawMessage(`[{"role":"user","content":"hello there"},{"role":"assistant","content":[{"type":"thinking","thinking":"x","signature":"y"}]}]`)
	var answers []string
	for _, c := range []*ctxfold.Compactor{open(t, host.Options{Module: fullModule(t)}).Compactor, native(t, ctxfold.Options{})} {
		in := ctxfold.Input{Messages: messages, Policy: ctxfold.RawPolicy(`{"window":{"tokens":1000}}`)}
		info, err := c.Info(t.Context())
		if err != nil || info.Version != ctxfold.Version || len(info.Presets) == 0 || len(info.Formats) == 0 {
			t.Fatalf("info: %v, %+v", err, info)
		}
		detection, err := c.Detect(t.Context(), messages)
		if err != nil || detection.Format != "anthropic" || detection.Confidence <= 0.5 || len(detection.Candidates) == 0 {
			t.Fatalf("detect: %v, %+v", err, detection)
		}
		check, err := c.Check(t.Context(), in)
		if err != nil || check.Due || check.Window != 1000 || check.Messages != 2 || check.Tokens <= 0 {
			t.Fatalf("check: %v, %+v", err, check)
		}
		estimate, err := c.Estimate(t.Context(), in)
		if err != nil || estimate.Tokens != check.Tokens || len(estimate.Messages) != 2 {
			t.Fatalf("estimate: %v, %+v", err, estimate)
		}
		text, err := c.EstimateText(t.Context(), "\"quoted\" <tag> \xff "+strings.Repeat("word ", 100), ctxfold.Policy{})
		if err != nil || text.Tokens < 100 || text.Format != "" {
			t.Fatalf("estimate of a text: %v, %+v", err, text)
		}
		answers = append(answers, fmt.Sprintf("%s%s%s%s%s", info.Raw, detection.Raw, check.Raw, estimate.Raw, text.Raw))
	}
	if answers[0] != answers[1] {
		t.Errorf("the engines differ:\n%s\n%s", answers[0], answers[1])
	}
}

func TestConcurrentCalls(t *testing.T) {
	messages := sample(t)
	unmodified(t, messages)
	want, err := native(t, ctxfold.Options{}).Compact(t.Context(), messages, policy, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := open(t, host.Options{})
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			if i%4 == 0 {
				if _, err := c.Compact(t.Context(), json.RawMessage(`[{"role":`), ctxfold.Policy{}, nil); err == nil {
					t.Error("bad input among good: no error")
				}
				return
			}
			r, err := c.Compact(t.Context(), messages, policy, nil)
			if err != nil || !bytes.Equal(r.Messages, want.Messages) {
				t.Errorf("call %d: %v, or another answer than the native one", i, err)
			}
		})
	}
	wg.Wait()
	if n, _ := c.Idle(); n < 1 || n > runtime.GOMAXPROCS(0) {
		t.Errorf("%d instances for %d CPUs", n, runtime.GOMAXPROCS(0))
	}
}

func TestMemoryStaysFlat(t *testing.T) {
	c := open(t, host.Options{})
	var b bytes.Buffer
	b.WriteString(`[{"role":"user","content":"start"}`)
	for i := range 60 {
		fmt.Fprintf(&b, `,{"role":"assistant","content":"answer %d %s"},{"role":"user","content":"go on"}`, i, strings.Repeat("lorem ipsum ", 800))
	}
	b.WriteString(`]`)
	run := func() uint32 {
		if _, err := c.Compact(t.Context(), b.Bytes(), ctxfold.RawPolicy(`{"format":"openai-chat","window":{"tokens":100000}}`), nil); err != nil {
			t.Fatal(err)
		}
		_, memory := c.Idle()
		return memory
	}
	for range 120 { // the collector takes some calls to settle
		run()
	}
	warm := run()
	for range 40 {
		run()
	}
	// Fragments of the heap add a step or two, at some call among hundreds. Forty requests that were kept would add 23 MB.
	if now := run(); now > warm+warm/8 {
		t.Errorf("requests of %d bytes: memory grew from %d to %d bytes", b.Len(), warm, now)
	}
}

// trapping is a module with one page of memory: info traps, detect answers {}, check answers from outside of the memory.
var trapping = []byte("\x00asm\x01\x00\x00\x00" +
	"\x01\x10\x03\x60\x01\x7f\x01\x7f\x60\x01\x7f\x00\x60\x02\x7f\x7f\x01\x7e" + // types: alloc, free, an operation
	"\x03\x06\x05\x00\x01\x02\x02\x02" +
	"\x05\x03\x01\x00\x01" +
	"\x07\x59\x06" +
	"\x06memory\x02\x00" + "\x0dctxfold_alloc\x00\x00" + "\x0cctxfold_free\x00\x01" +
	"\x0cctxfold_info\x00\x02" + "\x0ectxfold_detect\x00\x03" + "\x0dctxfold_check\x00\x04" +
	"\x0a\x24\x05" +
	"\x04\x00\x41\x10\x0b" + // alloc: always address 16
	"\x02\x00\x0b" +
	"\x03\x00\x00\x0b" + // info: unreachable
	"\x09\x00\x42\x82\x80\x80\x80\x80\x01\x0b" + // detect: address 8, 2 bytes
	"\x0c\x00\x42\x82\x80\x80\x80\x80\x80\x80\x80\x10\x0b" + // check: an address far after the page
	"\x0b\x08\x01\x00\x41\x08\x0b\x02{}")

func TestTrap(t *testing.T) {
	c := open(t, host.Options{Module: trapping})
	for range 3 {
		for _, op := range []string{"info", "check"} {
			if _, err := c.Call(t.Context(), op, []byte(`{}`)); !errors.Is(err, ctxfold.ErrTrap) {
				t.Errorf("%s: %v, want ErrTrap", op, err)
			}
			if n, _ := c.Idle(); n != 0 {
				t.Errorf("%s: the instance was kept", op)
			}
		}
		if answer, err := c.Call(t.Context(), "detect", []byte(`{}`)); err != nil || string(answer) != "{}" {
			t.Errorf("the call after a trap: %s, %v", answer, err)
		}
	}
	var e *ctxfold.Error
	if _, err := c.Call(t.Context(), "plan", nil); !errors.As(err, &e) || e.Code != "unknown_op" {
		t.Errorf("an operation that this module has not: %v", err)
	}
}

func TestNewRefuses(t *testing.T) {
	file := t.TempDir() + "/file"
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]host.Options{
		"no WebAssembly":       {Module: []byte("hello")},
		"another module":       {Module: trapping[:8]},
		"cache is a file":      {CacheDir: file},
		"no module":            {},
		"module without bytes": {Module: []byte{}},
	} {
		if _, err := host.New(t.Context(), o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestCacheDir(t *testing.T) {
	dir := t.TempDir()
	for range 2 {
		c, err := host.New(t.Context(), host.Options{CacheDir: dir, Module: trapping})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Call(t.Context(), "detect", []byte(`{}`)); err != nil {
			t.Error(err)
		}
		if err := c.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) == 0 {
			t.Errorf("the cache is empty: %v", err)
		}
	}
}

func TestClose(t *testing.T) {
	c := open(t, host.Options{Module: trapping})
	done := c.Occupy()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := c.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("with a call in progress: %v", err)
	}
	done()
	if _, err := c.Call(t.Context(), "detect", []byte(`{}`)); err != nil {
		t.Errorf("it must have stayed open then: %v", err)
	}
	for range 2 {
		if err := c.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
	for _, c := range []*ctxfold.Compactor{c.Compactor, closedNative(t)} {
		if _, err := c.Call(t.Context(), "detect", []byte(`{}`)); !errors.Is(err, ctxfold.ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
	}
}

func closedNative(t *testing.T) *ctxfold.Compactor {
	c := native(t, ctxfold.Options{})
	if err := c.Close(t.Context()); err != nil {
		t.Error(err)
	}
	return c
}
