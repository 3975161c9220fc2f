package passes

import (
	"github.com/ctxfold/ctxfold/core/internal/mend"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// ReasoningPass removes whole parts with reasoning from assistant messages.
//
//easyjson:json
type ReasoningPass struct {
	Pass string `json:"pass"` // the pass's name
	Mode string `json:"mode"` // "latest_turn", "strip" or "keep"
}

func init() {
	Register(Kind{
		Name: "reasoning",
		Doc:  "removes reasoning from assistant messages, in whole parts.",
		Make: func() Pass { return new(ReasoningPass) },
		Params: []Param{
			{"mode", `"latest_turn"`, `mode is "latest_turn" (the default: reasoning stays only after the newest user message), "strip" (all reasoning is removed) or "keep" (all reasoning stays).`},
		},
	})
}

// Check reports an unknown mode; it returns "" for a known one.
func (p *ReasoningPass) Check() string {
	if p.Mode != "keep" && p.Mode != "strip" && p.Mode != "latest_turn" {
		return `mode must be "keep", "strip" or "latest_turn"`
	}
	return ""
}

// End returns the index of the first item whose reasoning stays: with "keep" 0, with "latest_turn" the newest message
// with text of the user, otherwise the number of items.
func (p *ReasoningPass) End(c Run) int {
	doc := c.Doc()
	end := len(doc.Items)
	switch p.Mode {
	case "keep":
		return 0
	case "latest_turn":
		for end--; end > 0 && !doc.T.HasUserText(int(doc.Items[end].Msg)); end-- {
		}
	}
	return end
}

// Run removes the reasoning before End. If the provider needs the thinking of a tool loop that is still open, the parts that
// are bound to their messages stay there.
func (p *ReasoningPass) Run(c Run) {
	doc := c.Doc()
	end := p.End(c)
	loop := len(doc.Items) // start of the tool loop that still needs its thinking
	if mode, _ := c.Mend().ThinkingMode(); mend.NeedsThinking(mode) {
		loop = c.Keep().OpenTurn(loop)
	}
	loop, all := min(loop, end), len(doc.Items)
	c.Mend().StripReasoning(0, loop, "reasoning", "", func(*transcript.Part) bool { return true })
	gone := all - len(doc.Items)
	c.Mend().StripReasoning(loop-gone, end-gone, "reasoning", "", func(p *transcript.Part) bool {
		return !mend.IsBound(p)
	})
}
