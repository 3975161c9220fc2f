package functions

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/digest/styles"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/published/exact"
	"github.com/ctxfold/ctxfold/core/internal/published/verbatim"
	"github.com/ctxfold/ctxfold/core/internal/tokens"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

func (c *Call) thresholds() (Thresholds, *Error) {
	t := DefaultThresholds()
	err := c.read(argument{name: "auto", to: &t.Auto}, argument{name: "window", to: &t.Window},
		argument{name: "reserve", to: &t.Reserve},
		argument{name: "max_tokens", to: &t.MaxTokens}, argument{name: "max_messages", to: &t.MaxMessages},
		argument{name: "keep_tokens", to: &t.KeepTokens}, argument{name: "keep_messages", to: &t.KeepMessages})
	return t, err
}

func init() {
	register("effective_limit", 0, func(c *Call, dst []byte) ([]byte, *Error) {
		t, err := c.thresholds()
		if err != nil {
			return nil, err
		}
		limit, source := t.Limit()
		return object(dst, member{"limit", limit}, member{"source", source}, member{"reserve", t.Reserved()},
			member{"keep_tokens", t.Tail()},
			member{"keep_messages", t.TailMessages()}), nil
	})
	register("context_due", Messages, func(c *Call, dst []byte) ([]byte, *Error) {
		t, err := c.thresholds()
		if err != nil {
			return nil, err
		}
		return truth(dst, t.Due(c.context().Tokens, len(c.Transcript.Messages))), nil
	})
	register("estimate_context", Messages, func(c *Call, dst []byte) ([]byte, *Error) {
		got := c.context()
		return object(dst, member{"tokens", got.Tokens}, member{"measured_tokens", got.Measured},
			member{"measured_message", got.Index},
			member{"estimated_tokens", c.total()}), nil
	})
	register("split_by_tokens", Messages, func(c *Call, dst []byte) ([]byte, *Error) {
		budget, keep := 0, 0
		if err := c.read(argument{name: "budget", to: &budget}, argument{name: "keep_messages", to: &keep}); err != nil {
			return nil, err
		}
		return number(dst, exact.SplitByTokens(c.sizes(), budget)), nil
	})
	register("split_by_count", Messages, func(c *Call, dst []byte) ([]byte, *Error) {
		budget, keep := 0, DefaultThresholds().KeepMessages
		if err := c.read(argument{name: "budget", to: &budget}, argument{"keep_messages", &keep, notNegative}); err != nil {
			return nil, err
		}
		return number(dst, exact.SplitByCount(len(c.Transcript.Messages), keep)), nil
	})
	register("visibility", Messages, visibility)
	register("set_visibility", Messages, setVisibility)
	register("project_for_summary", Messages, projectForSummary)
	register("serialize_conversation", Messages, func(c *Call, dst []byte) ([]byte, *Error) {
		return text(dst, verbatim.Labelled(c.Transcript, c.Transcript.MessageIndexes(), 0)), nil
	})
	register("generate_summary", Messages, func(c *Call, dst []byte) ([]byte, *Error) {
		var previous string
		var reply *api.Summary
		if err := c.read(argument{name: "previous", to: &previous}, argument{name: "reply", to: &reply}); err != nil {
			return nil, err
		}
		return generateSummary(c, previous, reply).append(dst), nil
	})
}

// context returns the size of the transcript, based on the provider's token counts in its messages. With wire_safe it
// ignores counts from before the last compaction (S4.9).
func (c *Call) context() tokens.Context {
	from := 0
	if c.Policy.IsWireSafe() {
		from = c.State.Messages
	}
	return tokens.MeasureContext(c.Estimator, c.Transcript, from, len(c.Transcript.Messages), c.total())
}

// visibility writes, for each message, whether the agent and the user see it: [{"agent","user","kind"}] (S4.10). It
// never returns an error.
func visibility(c *Call, dst []byte) ([]byte, *Error) {
	dst = append(dst, '[')
	for i := range c.Transcript.Messages {
		if i > 0 {
			dst = append(dst, ',')
		}
		meta := c.Transcript.MetaOf(i)
		dst = truth(append(dst, `{"agent":`...), meta.Agent != transcript.Off)
		dst = truth(append(dst, `,"user":`...), meta.User != transcript.Off)
		dst = text(append(dst, `,"kind":`...), c.Transcript.Text(meta.Label))
		dst = append(dst, '}')
	}
	return append(dst, ']'), nil
}

// setVisibility writes the messages after setting the given marks on each of them (S4.12). It returns an error if the
// format isn't native, or if an argument is wrong.
func setVisibility(c *Call, dst []byte) ([]byte, *Error) {
	var a exact.Marks
	if err := c.read(argument{name: "agent", to: &a.Agent}, argument{name: "user", to: &a.User}, argument{name: "kind", to: &a.Kind}); err != nil {
		return nil, err
	}
	if c.Format.Name != "native" {
		return nil, &Error{Code: api.CodeOutOfRange,
			Message: "messages of the format " + c.Format.Name + " have no place for this; native ones have"}
	}
	dst = append(dst, '[')
	for i := range c.Transcript.Messages {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = a.Append(dst, c.Transcript.Bytes(c.Transcript.Messages[i].Span))
	}
	return append(dst, ']'), nil
}

// projectForSummary writes the list of the messages that a summary covers, as {"message":i}. A tool result also gets
// the text that replaces its content, if that differs from the content (S4.34). It never returns an error.
func projectForSummary(c *Call, dst []byte) ([]byte, *Error) {
	t := c.Transcript
	dst = append(dst, '[')
	for i := range t.Messages {
		if t.IsUnsent(i) {
			continue
		}
		if dst[len(dst)-1] != '[' {
			dst = append(dst, ',')
		}
		dst = number(append(dst, `{"message":`...), i)
		if m := &t.Messages[i]; m.Count > 0 && t.Parts[m.First].Kind == transcript.ToolResult {
			n := int(m.First)
			text := verbatim.Projected(digest.ToolOutputAt(t, n))
			inner := t.InnerParts(n)
			one := t.IsString(t.Parts[n].Body) || len(inner) == 1 && inner[0].Kind == transcript.Text
			if !one || digest.JoinedText(t, n) != text {
				dst = jsonspan.AppendString(append(dst, `,"text":`...), text)
			}
		}
		dst = append(dst, '}')
	}
	return append(dst, ']'), nil
}

// generateSummary returns a request for a summary of the transcript. If reply is not nil, it checks this reply instead
// (S4.36, S4.37). If there is nothing to summarize or the reply is unusable, the answer says why.
func generateSummary(c *Call, previous string, reply *api.Summary) modelCall {
	failed := func(why string) modelCall { return modelCall{why: why} }
	if len(c.Transcript.Messages) == 0 {
		return failed(verbatim.NoMessages)
	}
	visible := false
	for i := range c.Transcript.Messages {
		visible = visible || !c.Transcript.IsUnsent(i)
	}
	style := styles.AgentLoop
	switch {
	case !visible && verbatim.IsBlank(previous):
		return failed(verbatim.NoVisible)
	case !visible:
		return modelCall{summary: previous}
	}
	record := verbatim.Labelled(c.Transcript, c.Transcript.MessageIndexes(), styles.ProjectedText)
	r := modelCall{system: style.System}
	if c.Policy.IsWireSafe() {
		r.prompt = style.Prompt(&digest.Prompt{Record: record, Prior: previous,
			Instructions: c.Policy.Summary.Instructions})
	} else {
		r.prompt = verbatim.AgentLoopPrompt(record, previous, "")
	}
	if reply == nil {
		return r
	}
	if r.why = reply.Error; r.why == "" && verbatim.IsBlank(reply.Text) {
		r.why = verbatim.EmptySummary
	}
	if r.why == "" {
		r.summary = reply.Text
	}
	return r
}
