package core_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ctxfold/ctxfold/core"
	"github.com/ctxfold/ctxfold/core/wire"
	"github.com/ctxfold/ctxfold/internal/gen"
)

// seeds adds small conversations in every format to a fuzz corpus.
func seeds(f *testing.F, add func(format string, list []byte)) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, format := range wire.Names() {
		for i := range 4 {
			conv := gen.New(r, gen.Options{Messages: 3 + 3*i, Broken: i%2 == 1})
			add(format, join(conv.Render(format, r), r))
		}
	}
}

// FuzzRead reads arbitrary bytes as messages of every format, and compacts and repairs what can be read. Nothing may
// fail inside, and what comes out must be JSON.
func FuzzRead(f *testing.F) {
	seeds(f, func(format string, list []byte) { f.Add(format, list) })
	f.Fuzz(func(t *testing.T, format string, list []byte) {
		if wire.ByName(format) == nil {
			return
		}
		policy := `{"format":"` + format + `","force":true,"summary":{"mode":"local"},"passes":[{"pass":"clear","keep_recent":1},{"pass":"fold","keep_tokens":20},{"pass":"rehydrate"}]}`
		for _, op := range []string{"estimate", "validate", "repair", "plan"} {
			request := append([]byte(`{"policy":`+policy+`,"messages":`), list...)
			out := core.Call(op, append(request, '}'))
			if !json.Valid(out) || !utf8.Valid(out) {
				t.Fatalf("%s of %s %q: no JSON: %s", op, format, list, out)
			}
			if bytes.Contains(out, []byte(`"code":"internal"`)) {
				t.Fatalf("%s of %s %q: %s", op, format, list, out)
			}
		}
	})
}

// FuzzRepair repairs arbitrary transcripts: a second repair changes nothing, and validate finds nothing that repair says
// it can mend.
func FuzzRepair(f *testing.F) {
	seeds(f, func(format string, list []byte) { f.Add(format, list) })
	f.Fuzz(func(t *testing.T, format string, list []byte) {
		if wire.ByName(format) == nil || !json.Valid(list) || len(list) == 0 || list[0] != '[' {
			return
		}
		policy := `{"policy":{"format":"` + format + `"},"messages":`
		a := call(t, "repair", policy+string(list)+"}")
		if a.Error != nil || len(bytes.TrimSpace(bytes.Trim(bytes.TrimSpace(a.Messages), "[]"))) == 0 {
			return
		}
		b := call(t, "repair", policy+string(a.Messages)+"}")
		if !bytes.Equal(a.Messages, b.Messages) {
			t.Fatalf("%s %s\nrepaired   %s\nand again  %s", format, list, a.Messages, b.Messages)
		}
		for _, v := range call(t, "validate", policy+string(a.Messages)+"}").Violations {
			if v.Repair != "none" {
				t.Fatalf("%s %s\nrepaired %s\nstill    %+v", format, list, a.Messages, v)
			}
		}
	})
}

// FuzzCall sends arbitrary requests to arbitrary operations.
func FuzzCall(f *testing.F) {
	for _, op := range core.Ops() {
		for _, request := range []string{``, `{}`, `{"messages":[]}`, `{"policy":{"preset":"window-budget"},"state":{"round":3},"messages":[{"role":"user","content":"x"}]}`,
			`{"plan":{"version":1,"messages":1,"fingerprint":"0","format":"native","policy":{},"state":{}},"summaries":[{"id":"a"}],"messages":[{"role":"user","content":"x"}]}`} {
			f.Add(op, []byte(request))
		}
	}
	f.Fuzz(func(t *testing.T, op string, request []byte) {
		was := bytes.Clone(request)
		out := core.Call(op, request)
		if !bytes.Equal(was, request) {
			t.Fatal("the request was written to")
		}
		if !json.Valid(out) || strings.Contains(string(out), `"code":"internal"`) {
			t.Fatalf("%s %q: %s", op, request, out)
		}
		if !bytes.Equal(out, core.Call(op, request)) {
			t.Fatalf("%s %q: two answers", op, request)
		}
	})
}
