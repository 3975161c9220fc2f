package sessionfile_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/ctxfold/ctxfold/core"
	"github.com/ctxfold/ctxfold/internal/testing/trials"
)

// damages calls try with copies of a JSON value in which one value, at any depth, is missing or replaced.
func damages(value any, try func()) {
	others := []any{nil, 5, "", "x", []any{}, map[string]any{}, []any{5}}
	switch v := value.(type) {
	case []any:
		for i, old := range v {
			for _, other := range others {
				v[i] = other
				try()
			}
			v[i] = old
			damages(old, try)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			old := v[key]
			delete(v, key)
			try()
			for _, other := range others {
				v[key] = other
				try()
			}
			v[key] = old
			damages(old, try)
		}
	}
}

// TestDamagedChats opens files of chat applications and frameworks in which one value is missing or replaced, and saves
// other messages in them. The saved file must be valid JSON, and contain these messages when it is read again.
func TestDamagedChats(t *testing.T) {
	lists := []string{
		`[]`,
		`[{"role":"user","content":"So far."}]`,
		`[{"role":"user","content":"a"},{"role":"assistant","content":"b","tool_calls":[{"id":"c","type":"function","function":{"name":"n","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c","content":"d"}]`,
	}
	for name, src := range sample(t) {
		var whole any
		if json.Unmarshal(src, &whole) != nil {
			continue
		}
		if a := open(t, src); !chat[a.Kind] {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := 0
			damages(whole, func() {
				if n++; !trials.Covers(n, 0, trials.Count(9, 3, 1)) {
					return
				}
				file, err := json.Marshal(whole)
				if err != nil {
					t.Fatal(err)
				}
				if t.Failed() {
					return
				}
				out := core.Call("open", file)
				if bytes.Contains(out, []byte(`"code":"internal"`)) || !json.Valid(out) || !utf8.Valid(out) {
					t.Errorf("open: %.300s for %s", out, file)
				}
				quoted, _ := json.Marshal(string(file))
				for _, messages := range lists {
					var a saved
					out := core.Call("save", fmt.Appendf(nil, `{"file":%s,"time":"2026-11-22T08:00:00.000Z","messages":%s}`, quoted, messages))
					if json.Unmarshal(out, &a) != nil || a.Error != nil && a.Error.Code == "internal" {
						t.Errorf("save: %.300s for %s in %s", out, messages, file)
					}
					if next := append(bytes.Clone(file[:a.Kept]), a.Text...); a.Error == nil && !json.Valid(next) {
						t.Errorf("the saved file is not JSON: %s", next)
					}
				}
			})
		})
	}
}
