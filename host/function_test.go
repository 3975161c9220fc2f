package host_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/ctxfold/ctxfold/host"
)

func TestFunction(t *testing.T) {
	engines(t, host.Options{}, func(t *testing.T, c *host.Compactor) {
		text := "hello world"
		layered := json.RawMessage(`{"format":"native","estimator":"layered"}`)
		messages := json.RawMessage(`[{"role":"user","content":"hello world"}]`)
		for _, f := range []struct {
			name string
			in   host.FunctionInput
			want string
		}{
			{"estimate_text", host.FunctionInput{Policy: layered, Text: &text}, `3`},
			{"prefix_tokens", host.FunctionInput{Policy: layered, Messages: messages}, `[0,7]`},
			{"truncate_head_tail", host.FunctionInput{Text: &text, Arguments: json.RawMessage(`{"max_lines":1}`)}, `"hello world"`},
		} {
			got, err := c.Function(t.Context(), f.name, f.in)
			if err != nil || string(got) != f.want {
				t.Errorf("%s: %s, %v; want %s", f.name, got, err, f.want)
			}
		}
		var e *host.Error
		if _, err := c.Function(t.Context(), "nope", host.FunctionInput{}); !errors.As(err, &e) || e.Code != "unknown_function" {
			t.Error(err)
		}
		_, err := c.Function(t.Context(), "truncate_head_tail", host.FunctionInput{Text: &text, Arguments: json.RawMessage(`{"max_lines":-1}`)})
		if !errors.As(err, &e) || e.Code != "out_of_range" || e.In != "arguments" || e.Offset != len(`{"max_lines":`) {
			t.Errorf("%#v", err)
		}
	})
}
