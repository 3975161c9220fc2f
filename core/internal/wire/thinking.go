package wire

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// thinkingKeys lists the members of a request's thinking settings, and those of the object that binds thinking, in the
// spellings of Anthropic and the AI SDK.
var (
	thinkingKeys = []string{"type", "block_binding", "blockBinding"}
	bindingKeys  = []string{"prefix_mismatch_behavior", "prefixMismatchBehavior"}
)

// thinking reads a request's thinking settings, which are an object. It returns the mode that they set, or "" if they
// set none.
func (r *Reader) thinking() api.ThinkingMode {
	drops := false
	f, _ := r.fields(thinkingKeys, func(r *Reader, key int, f *frame) bool {
		if key == 0 || r.Kind() != jsonspan.Object {
			return false
		}
		start := r.Pos()
		b, _ := r.fields(bindingKeys, nil)
		drops = drops || r.isText(&b[0], "drop_block") || r.isText(&b[1], "drop_block")
		f[key].Start = start
		return true
	})
	switch r.shortText(&f[0]) {
	case "enabled":
		return api.ThinkingManual
	case "disabled":
		return api.ThinkingOff
	case "between_tools": // thinking is off: progress updates between tool calls arrive as signed blocks, none of which is required
		return api.ThinkingAdaptive
	case "adaptive":
		if drops {
			return api.ThinkingDropBlock
		}
		return api.ThinkingAdaptive
	}
	return ""
}

// optionsThinking reads the mode from the AI SDK's provider options, {"anthropic":{"thinking":{…}}} or
// {"bedrock":{"reasoningConfig":{…}}}.
func (r *Reader) optionsThinking() {
	for range r.Members {
		if r.Kind() != jsonspan.Object {
			r.Skip()
			continue
		}
		for name := range r.Members {
			if (string(name) == "thinking" || string(name) == "reasoningConfig") && r.Kind() == jsonspan.Object {
				if how := r.thinking(); how != "" {
					r.T.Thinking = how
				}
				continue
			}
			r.Skip()
		}
	}
}

// additionalThinking reads the mode from the member thinking of Bedrock's additional fields.
func (r *Reader) additionalThinking() {
	for name := range r.Members {
		if string(name) == "thinking" && r.Kind() == jsonspan.Object {
			r.T.Thinking = r.thinking()
		} else {
			r.Skip()
		}
	}
}
