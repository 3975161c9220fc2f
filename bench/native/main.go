//go:build unix

// Command native compares ctxfold in Go, natively and under wazero, with encoding/json on the given requests, and
// writes medians in milliseconds as JSON. Times are the CPU time of the process, over all its threads.
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
	"syscall"

	"github.com/ctxfold/ctxfold/core"
	"github.com/ctxfold/ctxfold/host"
	"github.com/ctxfold/ctxfold/host/module"
)

// message is a message in OpenAI's chat format, as a program would declare it.
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
	Native float64 `json:"native"` // from text to compacted text
	Plan   float64 `json:"plan"`   // from text to report, natively
	Wazero float64 `json:"wazero"`
	Struct float64 `json:"struct"` // json.Unmarshal, dropping half of the messages, json.Marshal
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

// run measures the requests in each folder, which contains messages.json, plan.json (a request for a report) and compact.json.
func run(runs string, folders []string) error {
	n, err := strconv.Atoi(runs)
	if err != nil {
		return err
	}
	ctx := context.Background()
	c, err := host.New(ctx, host.Options{Module: module.Wasm})
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
		tasks := []func() error{
			func() error { core.Call("plan", texts[1]); return nil },
			func() error { core.Call("plan", texts[2]); return nil },
			func() error { _, err := c.Call(ctx, "plan", texts[2]); return err },
			func() error {
				var list []message
				if err := json.Unmarshal(texts[0], &list); err != nil {
					return err
				}
				_, err := json.Marshal(list[len(list)/2:])
				return err
			},
		}
		times, err := medians(n, tasks)
		if err != nil {
			return err
		}
		r.Plan, r.Native, r.Wazero, r.Struct = times[0], times[1], times[2], times[3]
		out.Rows = append(out.Rows, r)
	}
	return json.NewEncoder(os.Stdout).Encode(out)
}

// medians returns the median times of n runs of each task in milliseconds, after one warm-up run. The tasks take turns,
// so that other load on the machine affects all of them.
func medians(n int, tasks []func() error) ([]float64, error) {
	times := make([][]float64, len(tasks))
	for turn := range n + 1 {
		for i, task := range tasks {
			start := worked()
			if err := task(); err != nil {
				return nil, err
			}
			if turn > 0 {
				times[i] = append(times[i], worked()-start)
			}
		}
	}
	out := make([]float64, len(tasks))
	for i := range times {
		slices.Sort(times[i])
		out[i] = times[i][n/2]
	}
	return out, nil
}

// worked returns the CPU time of the process so far, in milliseconds.
func worked() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e6
}
