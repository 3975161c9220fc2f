package wire_test

import (
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/wire"
)

// TestSizesOfResultsWhoseTypeComesLast reads tool results that contain parts with the type before the content and after
// it: they have the same sizes, as the parts inside count once.
func TestSizesOfResultsWhoseTypeComesLast(t *testing.T) {
	for format, blocks := range map[string][2]string{
		"anthropic": {
			`{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"The harbor is full."}]}`,
			`{"tool_use_id":"a","content":[{"type":"text","text":"The harbor is full."}],"type":"tool_result"}`,
		},
		"mcp-sampling": {
			`{"type":"tool_result","toolUseId":"a","content":[{"type":"text","text":"The harbor is full."}]}`,
			`{"toolUseId":"a","content":[{"type":"text","text":"The harbor is full."}],"type":"tool_result"}`,
		},
		"langchain": {
			`{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"The harbor is full."}]}`,
			`{"tool_use_id":"a","content":[{"type":"text","text":"The harbor is full."}],"type":"tool_result"}`,
		},
	} {
		f := wire.ByName(format)
		role := `{"role":"user","content":[`
		if format == "langchain" {
			role = `{"type":"human","content":[`
		}
		var sizes [2]jsonspan.Measure
		for i, block := range blocks {
			tr := f.Read(jsonspan.New([]byte(`[` + role + block + `]}]`)))
			if len(tr.Parts) != 2 || tr.Parts[0].Kind != transcript.ToolResult || tr.Parts[1].Kind != transcript.Text || tr.Parts[1].Parent != 0 {
				t.Fatalf("%s: %d parts: %+v", format, len(tr.Parts), tr.Parts)
			}
			sizes[i] = tr.Parts[0].Size.Add(tr.Parts[1].Size)
		}
		if sizes[0] != sizes[1] || sizes[0].Bytes != uint32(len("The harbor is full.")) {
			t.Errorf("%s: the sizes are %d and %d bytes, want %d", format, sizes[0].Bytes, sizes[1].Bytes, len("The harbor is full."))
		}
	}
}
