package ctxfold_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/host"
)

func TestFunction(t *testing.T) {
	for name, c := range map[string]*ctxfold.Compactor{"native": native(t, ctxfold.Options{}), "module": open(t, host.Options{Module: fullModule(t)})} {
		text := "hello world"
		layered := ctxfold.RawPolicy(`{"format":"native","estimator":"layered"}`)
		messages := json.RawMessage(`[{"role":"user","content":"hello world"}]`)
		for _, f := range []struct {
			name string
			in   ctxfold.FunctionInput
			want string
		}{
			{"estimate_text", ctxfold.FunctionInput{Policy: layered, Text: &text}, `3`},
			{"prefix_tokens", ctxfold.FunctionInput{Policy: layered, Messages: messages}, `[0,7]`},
			{"truncate_head_tail", ctxfold.FunctionInput{Text: &text, Arguments: json.RawMessage(`{"max_lines":1}`)}, `"hello world"`},
		} {
			got, err := c.Function(t.Context(), f.name, f.in)
			if err != nil || string(got) != f.want {
				t.Errorf("%s, %s: %s, %v; want %s", name, f.name, got, err, f.want)
			}
		}
		var e *ctxfold.Error
		if _, err := c.Function(t.Context(), "nope", ctxfold.FunctionInput{}); !errors.As(err, &e) || e.Code != "unknown_function" {
			t.Error(err)
		}
		_, err := c.Function(t.Context(), "truncate_head_tail", ctxfold.FunctionInput{Text: &text, Arguments: json.RawMessage(`{"max_lines":-1}`)})
		if !errors.As(err, &e) || e.Code != "out_of_range" || e.Input != "arguments" || e.Offset != len(`{"max_lines":`) {
			t.Errorf("%#v", err)
		}
	}
}
