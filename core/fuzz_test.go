package core_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ctxfold/ctxfold/core"
	"github.com/ctxfold/ctxfold/core/internal/wire"
	"github.com/ctxfold/ctxfold/internal/testing/gen"
)

// seeds adds small conversations in every format to a fuzz corpus.
func seeds(f *testing.F) {
	r := rand.New(rand.NewPCG(3, 4))
	for n, format := range wire.Names() {
		for i := range 6 {
			conv := gen.New(r, gen.Options{Messages: 2 + 2*i, Broken: i%2 == 1})
			for k := range conv { // short texts, so that what changes is the shape
				for j := range conv[k].Texts {
					conv[k].Texts[j] = conv[k].Texts[j][:min(3, len(conv[k].Texts[j]))]
				}
				for j := range conv[k].Calls {
					conv[k].Calls[j].Result = "r"
				}
			}
			f.Add(uint8(n), join(conv.Render(format, r), r))
		}
	}
}

// formatOf returns the format with a number, so that any number selects one.
func formatOf(n uint8) string { return wire.Names()[int(n)%len(wire.Names())] }

// FuzzRead reads arbitrary bytes as messages of every format, and compacts and repairs those that can be read. There must be no internal
// error, and the output must be JSON.
func FuzzRead(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, n uint8, list []byte) {
		format := formatOf(n)
		policy := `{"format":"` + format + `","summary":{"mode":"local"},"passes":[{"pass":"clear","keep_recent":1},{"pass":"fold","keep_tokens":20},{"pass":"rehydrate"}]}` + force
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

// FuzzRepair repairs arbitrary transcripts: a second repair changes nothing, and validate finds nothing that repair claims to be able to
// repair.
func FuzzRepair(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, n uint8, list []byte) {
		format := formatOf(n)
		if !json.Valid(list) || len(list) == 0 || list[0] != '[' {
			return
		}
		policy := `{"policy":{"format":"` + format + `"},"messages":`
		for _, v := range call(t, "validate", policy+string(list)+"}").Violations {
			if v.Repair == "none" { // a role that nobody knows: what is around it cannot be put right either
				return
			}
		}
		a := call(t, "repair", policy+string(list)+"}")
		if a.Error != nil || len(bytes.TrimSpace(bytes.Trim(bytes.TrimSpace(a.Messages), "[]"))) == 0 {
			return
		}
		b := call(t, "repair", policy+string(a.Messages)+"}")
		if !bytes.Equal(a.Messages, b.Messages) {
			t.Fatalf("%s %s\nrepaired   %s\nand again  %s", format, list, a.Messages, b.Messages)
		}
		for _, v := range call(t, "validate", policy+string(a.Messages)+"}").Violations {
			if v.Severity == "refused" && v.Repair != "none" {
				t.Fatalf("%s %s\nrepaired %s\nstill    %+v", format, list, a.Messages, v)
			}
		}
	})
}

// FuzzConvert converts arbitrary transcripts to another format: the result is JSON that can be read, and converting it again to the same
// format changes nothing.
func FuzzConvert(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, n uint8, list []byte) {
		from, to := formatOf(n), formatOf(n/16+n%16*7)
		out := core.Call("convert", append(append([]byte(`{"policy":{"format":"`+from+`"},"to":"`+to+`","messages":`), list...), '}'))
		if !json.Valid(out) || !utf8.Valid(out) || bytes.Contains(out, []byte(`"code":"internal"`)) {
			t.Fatalf("%s to %s %q: %s", from, to, list, out)
		}
		var a conversion
		if err := json.Unmarshal(out, &a); err != nil || a.Error != nil {
			return
		}
		if b := call(t, "validate", `{"policy":{"format":"`+to+`"},"messages":`+string(a.Messages)+`}`); b.Error != nil || a.Valid && !b.Valid && from != to {
			t.Fatalf("%s to %s %q\ngives %s\nwhich is %+v", from, to, list, out, b)
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
