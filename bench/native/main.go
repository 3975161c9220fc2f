// Command native measures ctxfold in Go beside encoding/json, natively and under wazero, over requests that it is given as
// files, and writes medians in milliseconds as JSON.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"time"

	"github.com/ctxfold/ctxfold/core"
	"github.com/ctxfold/ctxfold/host"
)

// message is a message of OpenAI's chat format, as a program would declare it.
type message struct {
	Role       string `json:"role"`
	Content    string `json:"content"`
	ToolCallID string `json:"tool_call_id,omitempty"`
	ToolCalls  []struct {
		ID       string `json:"id"`
		Type     string `json:"type"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls,omitempty"`
}

type row struct {
	File   string  `json:"file"`
	Bytes  int     `json:"bytes"`
	Native float64 `json:"native"` // text to compacted text
	Plan   float64 `json:"plan"`   // text to report, natively
	Wazero float64 `json:"wazero"`
	Struct float64 `json:"struct"` // json.Unmarshal, half of the messages dropped, json.Marshal
}

type result struct {
	Go     string `json:"go"`
	Wazero string `json:"wazero"`
	Rows   []row  `json:"rows"`
}

func main() {
	if err := run(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run measures each folder, which holds messages.json, plan.json (a request for a report) and compact.json.
func run(runs string, folders []string) error {
	n, err := strconv.Atoi(runs)
	if err != nil {
		return err
	}
	ctx := context.Background()
	c, err := host.New(ctx, host.Options{})
	if err != nil {
		return err
	}
	defer c.Close(ctx)
	out := result{Go: runtime.Version()}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, d := range info.Deps {
			if d.Path == "github.com/tetratelabs/wazero" {
				out.Wazero = d.Version
			}
		}
	}
	for _, folder := range folders {
		var texts [3][]byte
		for i, name := range []string{"messages.json", "plan.json", "compact.json"} {
			if texts[i], err = os.ReadFile(filepath.Join(folder, name)); err != nil {
				return err
			}
		}
		r := row{File: filepath.Base(folder), Bytes: len(texts[0])}
		r.Plan = median(n, func() error { core.Call("plan", texts[1]); return nil }, &err)
		r.Native = median(n, func() error { core.Call("plan", texts[2]); return nil }, &err)
		r.Wazero = median(n, func() error { _, err := c.Call(ctx, "plan", texts[2]); return err }, &err)
		r.Struct = median(n, func() error {
			var list []message
			if err := json.Unmarshal(texts[0], &list); err != nil {
				return err
			}
			_, err := json.Marshal(list[len(list)/2:])
			return err
		}, &err)
		if err != nil {
			return err
		}
		out.Rows = append(out.Rows, r)
	}
	return json.NewEncoder(os.Stdout).Encode(out)
}

// median is the median time of n runs in milliseconds, after one that does not count.
func median(n int, f func() error, failed *error) float64 {
	times := make([]float64, 0, n)
	for i := range n + 1 {
		start := time.Now()
		if err := f(); err != nil && *failed == nil {
			*failed = err
		}
		if i > 0 {
			times = append(times, float64(time.Since(start).Nanoseconds())/1e6)
		}
	}
	slices.Sort(times)
	return times[n/2]
}
