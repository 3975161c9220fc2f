package core_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core"
	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/ctxfold/ctxfold/core/internal/wire"
)

// Too many messages or parts are an error with a position, before they exhaust the memory of an instance.
func TestTooMany(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("reads 200 MB")
	}
	for _, c := range []struct{ before, each, after, path string }{
		{``, `{"role":"user","content":"x"}`, ``, "messages[1048576]"},
		{`{"role":"user","content":[`, `{"type":"text","text":""}`, `]}`, "messages[0].content[2097152]"},
	} {
		most := wire.MaxMessages
		if c.before != "" {
			most = wire.MaxParts
		}
		// Both requests are in one buffer, since the first touch of a page costs more than reading it. The longer one comes first.
		head, end := `{"policy":{"format":"openai-chat"},"messages":[`+c.before, c.after+`]}`
		buffer := make([]byte, 0, len(head)+(most+1)*(len(c.each)+1)+len(end))
		buffer = append(buffer, head...)
		for range most + 1 {
			buffer = append(append(buffer, c.each...), ',')
		}
		request := func(n int) []byte {
			return append(buffer[:len(head)+n*(len(c.each)+1)-1], end...)
		}
		var answer struct {
			Error struct{ Code, Path string } `json:"error"`
		}
		if out := core.Call("estimate", request(most+1)); json.Unmarshal(out, &answer) != nil || answer.Error.Code != "too_large" || answer.Error.Path != c.path {
			t.Errorf("%d: %.200s", most+1, out)
		}
		answer.Error.Code = ""
		if out := core.Call("estimate", request(most)); json.Unmarshal(out, &answer) != nil || answer.Error.Code != "" {
			t.Errorf("%d: %.200s", most, out)
		}
	}
}

// A policy takes many times its bytes when it is read, so it has a size that it may have.
func TestLargePolicy(t *testing.T) {
	request := func(n int) []byte {
		policy := `{"format":"openai-chat","window":{"unlimited":true},"pins":[{"contains":"` + strings.Repeat("x", n-len(`{"format":"openai-chat","window":{"unlimited":true},"pins":[{"contains":""}]}`)) + `"}]}`
		return []byte(`{"policy":` + policy + `,"messages":[{"role":"user","content":"x"}]}`)
	}
	if out := core.Call("plan", request(policy.MaxBytes)); strings.HasPrefix(string(out), `{"error"`) {
		t.Errorf("%.300s", out)
	}
	if out := core.Call("plan", request(policy.MaxBytes+1)); !strings.Contains(string(out), `"code":"too_large"`) || !strings.Contains(string(out), `"path":"policy"`) {
		t.Errorf("%.300s", out)
	}
}
