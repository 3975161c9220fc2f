package functions

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/passes"
	"github.com/ctxfold/ctxfold/core/internal/published/exact"
	"github.com/ctxfold/ctxfold/core/internal/published/verbatim"
)

// modelCall is the result of a function that queries a model: either the request to send or, once there is a reply, the
// summary or the failure.
type modelCall struct {
	system, prompt string // the request
	summary        string // the reply, if it is usable
	message        string // the text that replaces the results
	why            string // why there is no summary
}

func (a modelCall) append(dst []byte) []byte {
	var why *string
	if a.why != "" {
		why = &a.why
	}
	return object(dst, some("system", a.system), some("prompt", a.prompt), member{"summary", a.summary},
		some("message", a.message),
		member{"error", why})
}

func init() {
	register("limit_tool_output", Text, func(c *Call, dst []byte) ([]byte, *Error) {
		l := passes.DefaultOutputLimits()
		var place, failure string
		if err := c.read(argument{name: "max_lines", to: &l.Lines}, argument{name: "max_bytes", to: &l.Bytes},
			argument{name: "max_chars", to: &l.Runes}, argument{name: "spill_chars", to: &l.Spill},
			argument{name: "mode", to: &l.Mode},
			argument{name: "place", to: &place}, argument{name: "spill_error", to: &failure}); err != nil {
			return nil, err
		}
		limit := exact.LimitOutput
		if c.Policy.IsWireSafe() {
			limit = passes.OutputLimits.Limit
		}
		out := limit(l, c.Text, place, failure)
		// keep_media means that the host must keep the media of the result, which the published system loses (S4.20).
		return object(dst, member{"changed", out.Changed}, member{"text", out.Text},
			member{"keep_media", c.Policy.IsWireSafe()},
			member{"spilled", out.Spilled}, some("handle", out.Handle)), nil
	})
	register("format_bytes", 0, func(c *Call, dst []byte) ([]byte, *Error) {
		bytes := 0
		if err := c.read(argument{"bytes", &bytes, notNegative}); err != nil {
			return nil, err
		}
		return text(dst, passes.FormatBytes(bytes)), nil
	})
	register("trim_runes", Text, trimmed(digest.TrimRunes))
	register("trim_with_tail", Text, trimmed(digest.TrimWithTail))
	register("normalize_strategy", 0, func(c *Call, dst []byte) ([]byte, *Error) {
		var strategy string
		if err := c.read(argument{name: "strategy", to: &strategy}); err != nil {
			return nil, err
		}
		return text(dst, verbatim.NormalizeStrategy(strategy)), nil
	})
	register("excerpt_tool_results", Messages, func(c *Call, dst []byte) ([]byte, *Error) {
		batch, _, err := c.reply()
		if err != nil {
			return nil, err
		}
		outputs := verbatim.ToolOutputs(c.Transcript)
		switch {
		case len(outputs) == 0:
			return text(dst, "(no tool results)"), nil
		case batch:
			return text(dst, digest.BatchExcerpt(outputs)), nil
		default:
			return text(dst, verbatim.Excerpt(outputs[0])), nil
		}
	})
	register("summarize_tool_results", Messages, func(c *Call, dst []byte) ([]byte, *Error) {
		batch, reply, err := c.reply()
		if err != nil {
			return nil, err
		}
		return summarize(verbatim.ToolOutputs(c.Transcript), batch, reply, !c.Policy.IsWireSafe()).append(dst), nil
	})
	register("tool_results_message", Messages, func(c *Call, dst []byte) ([]byte, *Error) {
		batch, summary := false, ""
		if err := c.read(argument{name: "batch", to: &batch}, argument{name: "summary", to: &summary}); err != nil {
			return nil, err
		}
		outputs := verbatim.ToolOutputs(c.Transcript)
		if batch || len(outputs) == 0 {
			return text(dst, digest.BatchMessage(outputs, summary)), nil
		}
		return text(dst, verbatim.ToolMessage(outputs[0], summary)), nil
	})
	register("digest_tool_results", Messages, func(c *Call, dst []byte) ([]byte, *Error) {
		return text(dst, digest.ToolDigest(verbatim.ToolOutputs(c.Transcript))), nil
	})
}

// reply reads the arguments of functions that ask a model or check its reply. batch says that the messages are a batch
// of tool results. reply is nil if the model hasn't replied yet. It returns an error if an argument is wrong.
func (c *Call) reply() (batch bool, reply *api.Summary, err *Error) {
	err = c.read(argument{name: "batch", to: &batch}, argument{name: "reply", to: &reply})
	return batch, reply, err
}

func trimmed(trim func(string, int) string) func(c *Call, dst []byte) ([]byte, *Error) {
	return func(c *Call, dst []byte) ([]byte, *Error) {
		most := 0
		if err := c.read(argument{name: "max", to: &most}); err != nil {
			return nil, err
		}
		return text(dst, trim(c.Text, most)), nil
	}
}

// summarize returns a request for a summary of tool results. If reply is not nil, it checks this reply instead. The
// summary covers only the first result or, if batch is set, all of them (S4.26, S4.30). exact selects the prompt of the
// published system instead of ctxfold's.
func summarize(outputs []digest.ToolOutput, batch bool, reply *api.Summary, exact bool) modelCall {
	if len(outputs) == 0 {
		return modelCall{why: "no tool results to summarize"}
	}
	q := verbatim.ToolPrompt(outputs, batch)
	if !exact {
		most := verbatim.ToolInput
		if batch {
			most = verbatim.BatchItemInput
		}
		q = digest.ToolPrompt(outputs, batch, most)
	}
	r := modelCall{system: q.System(), prompt: q.Text()}
	if reply == nil {
		return r
	}
	if batch {
		r.summary, r.why = verbatim.BatchSummary(*reply)
	} else {
		r.summary, r.why = verbatim.ToolSummary(*reply)
	}
	said := r.summary
	if r.why != "" {
		if said = digest.BatchExcerpt(outputs); !batch {
			said = verbatim.Excerpt(outputs[0])
		}
	}
	if batch {
		r.message = digest.BatchMessage(outputs, said)
	} else {
		r.message = verbatim.ToolMessage(outputs[0], said)
	}
	return r
}
