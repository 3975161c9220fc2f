package functions

import (
	"github.com/ctxfold/ctxfold/core/compact"
	"github.com/ctxfold/ctxfold/core/digest"
)

// limitArguments are those of limit_tool_output.
//
//easyjson:json
type limitArguments struct {
	MaxLines   int    `json:"max_lines"`
	MaxBytes   int    `json:"max_bytes"`
	MaxChars   int    `json:"max_chars"`
	SpillChars int    `json:"spill_chars"`
	Mode       string `json:"mode"`
	Place      string `json:"place"`
	SpillError string `json:"spill_error"`
}

// limited is the result of limit_tool_output.
//
//easyjson:json
type limited struct {
	Changed bool   `json:"changed"`
	Text    string `json:"text"`
	// KeepMedia tells that what stands beside the text stays. The published system loses it (S4.20).
	KeepMedia bool   `json:"keep_media"`
	Spilled   bool   `json:"spilled"`
	Handle    string `json:"handle,omitempty"`
}

//easyjson:json
type bytesArguments struct {
	Bytes int `json:"bytes"`
}

//easyjson:json
type trimArguments struct {
	Max int `json:"max"`
}

//easyjson:json
type strategyArguments struct {
	Strategy string `json:"strategy"`
}

//easyjson:json
type standInArguments struct {
	Batch   bool   `json:"batch"`
	Summary string `json:"summary"`
}

// replyArguments are those of functions that ask a model, or judge what it wrote.
//
//easyjson:json
type replyArguments struct {
	Batch bool          `json:"batch"`
	Reply *digest.Reply `json:"reply"`
}

// asked is the result of functions that ask a model: what to ask, or what its reply comes to.
//
//easyjson:json
type asked struct {
	System  string  `json:"system,omitempty"`
	Prompt  string  `json:"prompt,omitempty"`
	Summary string  `json:"summary"`
	Message string  `json:"message,omitempty"` // the text that stands for the results
	Error   *string `json:"error"`
}

func init() {
	register("limit_tool_output", Text, func(c *Call, dst []byte) ([]byte, *Error) {
		d := compact.DefaultOutputLimits()
		a := limitArguments{MaxLines: d.Lines, MaxBytes: d.Bytes, MaxChars: d.Runes, SpillChars: d.Spill, Mode: d.Mode}
		if err := c.arguments(&a); err != nil {
			return nil, err
		}
		l := compact.OutputLimits{Lines: a.MaxLines, Bytes: a.MaxBytes, Runes: a.MaxChars, Spill: a.SpillChars, Mode: a.Mode}
		out := l.Limit(c.Text, a.Place, a.SpillError, !c.Policy.Safe())
		return object(dst, limited{Changed: out.Changed, Text: out.Text, KeepMedia: c.Policy.Safe(), Spilled: out.Spilled, Handle: out.Handle}), nil
	})
	register("format_bytes", 0, func(c *Call, dst []byte) ([]byte, *Error) {
		var a bytesArguments
		if err := c.arguments(&a); err != nil {
			return nil, err
		}
		if a.Bytes < 0 {
			return nil, outOfRange("bytes", "must not be negative")
		}
		return text(dst, compact.FormatBytes(a.Bytes)), nil
	})
	register("trim_runes", Text, trimmed(digest.TrimRunes))
	register("trim_with_tail", Text, trimmed(digest.TrimWithTail))
	register("normalize_strategy", 0, func(c *Call, dst []byte) ([]byte, *Error) {
		var a strategyArguments
		if err := c.arguments(&a); err != nil {
			return nil, err
		}
		return text(dst, digest.NormalizeStrategy(a.Strategy)), nil
	})
	register("excerpt_tool_results", Messages, func(c *Call, dst []byte) ([]byte, *Error) {
		var a replyArguments
		if err := c.arguments(&a); err != nil {
			return nil, err
		}
		outputs := digest.ToolOutputs(c.Transcript)
		switch {
		case a.Batch || len(outputs) == 0:
			return text(dst, digest.BatchExcerpt(outputs)), nil
		default:
			return text(dst, outputs[0].Excerpt()), nil
		}
	})
	register("summarize_tool_results", Messages, func(c *Call, dst []byte) ([]byte, *Error) {
		var a replyArguments
		if err := c.arguments(&a); err != nil {
			return nil, err
		}
		return object(dst, summarize(digest.ToolOutputs(c.Transcript), a, !c.Policy.Safe())), nil
	})
	register("tool_results_message", Messages, func(c *Call, dst []byte) ([]byte, *Error) {
		var a standInArguments
		if err := c.arguments(&a); err != nil {
			return nil, err
		}
		outputs := digest.ToolOutputs(c.Transcript)
		if a.Batch || len(outputs) == 0 {
			return text(dst, digest.BatchMessage(outputs, a.Summary)), nil
		}
		return text(dst, outputs[0].Message(a.Summary)), nil
	})
	register("digest_tool_results", Messages, func(c *Call, dst []byte) ([]byte, *Error) {
		return text(dst, digest.ToolDigest(digest.ToolOutputs(c.Transcript))), nil
	})
}

func trimmed(trim func(string, int) string) func(c *Call, dst []byte) ([]byte, *Error) {
	return func(c *Call, dst []byte) ([]byte, *Error) {
		var a trimArguments
		if err := c.arguments(&a); err != nil {
			return nil, err
		}
		return text(dst, trim(c.Text, a.Max)), nil
	}
}

// summarize asks for a summary of tool results, or judges the reply: of the first result or, in a batch, of all (S4.26, S4.30).
func summarize(outputs []digest.ToolOutput, a replyArguments, exact bool) asked {
	if len(outputs) == 0 {
		why := "no tool results to summarize"
		return asked{Error: &why}
	}
	var r asked
	q := digest.ToolPrompt(outputs, a.Batch, 0, exact)
	r.System, r.Prompt = q.System(), q.Text()
	if a.Reply == nil {
		return r
	}
	var why string
	if a.Batch {
		r.Summary, why = digest.BatchSummary(*a.Reply)
	} else {
		r.Summary, why = digest.ToolSummary(*a.Reply)
	}
	said := r.Summary
	if why != "" {
		r.Error = &why
		if said = digest.BatchExcerpt(outputs); !a.Batch {
			said = outputs[0].Excerpt()
		}
	}
	if a.Batch {
		r.Message = digest.BatchMessage(outputs, said)
	} else {
		r.Message = outputs[0].Message(said)
	}
	return r
}
