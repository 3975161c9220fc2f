package view

import (
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/tokens"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/wire"
)

// TestSharedPart removes tool calls and results that are one part of the JSON. Removing either of them removes the other, and the part is
// cut out once, wherever it is.
func TestSharedPart(t *testing.T) {
	const a, b, c = `{"type":"tool-a","toolCallId":"1","state":"output-available","input":{},"output":"x"}`,
		`{"type":"text","text":"t"}`, `{"type":"tool-c","toolCallId":"2","state":"output-error","input":{},"errorText":"y"}`
	message := func(parts string) string { return `[{"id":"m","role":"assistant","parts":[` + parts + `]}]` }
	for _, test := range []struct {
		name   string
		remove []int32 // of the parts 0 call a, 1 result a, 2 text, 3 call c, 4 result c
		want   string
	}{
		{"a call, first", []int32{0}, b + `,` + c},
		{"a result, first", []int32{1}, b + `,` + c},
		{"a call, last", []int32{3}, a + `,` + b},
		{"a result, last", []int32{4}, a + `,` + b},
		{"call and result", []int32{3, 4}, a + `,` + b},
		{"what stands between", []int32{2}, a + `,` + c},
		{"both pairs", []int32{1, 3}, b},
		{"all", []int32{4, 2, 0}, ``},
	} {
		t.Run(test.name, func(t *testing.T) {
			f, p := wire.ByName("ai-sdk-ui"), tokens.ByName(tokens.Default)
			s := jsonspan.New([]byte(message(a + `,` + b + `,` + c)))
			tr := f.Read(s)
			if s.Err() != nil || len(tr.Parts) != 5 || tr.Parts[1].List != transcript.Shared {
				t.Fatalf("%v, %d parts", s.Err(), len(tr.Parts))
			}
			v := NewView(tr, f, p, 1)
			for _, part := range test.remove {
				v.TakePart(part)
				v.Remeasure(0)
			}
			got := string(v.AppendOuter(nil))
			if got != message(test.want) {
				t.Errorf("got\n%s, want\n%s", got, message(test.want))
			}
			s = jsonspan.New([]byte(got))
			if n := p.Message(f.Read(s), 0); s.Err() != nil || n != v.Items[0].Tokens {
				t.Errorf("%d tokens in the view, %d when it is read (%v)", v.Items[0].Tokens, n, s.Err())
			}
		})
	}
}

// The transcript of Originals has the original bodies, even of text that was replaced before the result that contains it. The transcript
// of the view does not.
func TestOriginalsOfPartsInside(t *testing.T) {
	f, p := wire.ByName("anthropic"), tokens.ByName(tokens.Default)
	tr := f.Read(jsonspan.New([]byte(`[{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":[{"type":"text","text":"a long text"}]}]}]`)))
	v := NewView(tr, f, p, 1)
	if v.Originals([]int32{0}) != tr {
		t.Error("a copy of what no pass has edited")
	}
	v.SetBody(1, []byte(`"short"`), jsonspan.MeasureText("short"))
	v.SetBody(0, []byte(`"gone"`), jsonspan.MeasureText("gone"))
	v.Remeasure(0)
	before := v.Items[0].Tokens
	was := v.Originals([]int32{0})
	if text := was.Text(was.Parts[1].Body); text != "a long text" || was.Parts[1].Has(transcript.Removed) {
		t.Errorf("the text inside reads as %q", text)
	}
	if v.Remeasure(0); v.Items[0].Tokens != before || !tr.Parts[1].Has(transcript.Removed) {
		t.Errorf("%d tokens afterwards, %d before", v.Items[0].Tokens, before)
	}
}
