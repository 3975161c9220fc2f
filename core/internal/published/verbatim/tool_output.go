package verbatim

import (
	"strconv"
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/digest/styles"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// The maximum lengths of texts about tool results, in runes (S4.26, S4.27, S4.30).
const (
	ToolInput      = 12000
	toolOutput     = 1200
	BatchItemInput = 4000
	fallbackText   = 800
)

// ToolPrompt returns the request for a summary of a result (S4.26), or of several in a batch (S4.30).
func ToolPrompt(outputs []digest.ToolOutput, batch bool) digest.Prompt {
	most := ToolInput
	if batch {
		most = BatchItemInput
	}
	return digest.ToolPromptOf(outputs, batch, func(o digest.ToolOutput) string {
		return o.Entry(strings.TrimSpace(o.Name), strings.TrimSpace(o.ID), digest.TrimWithTail(o.Shown(), most))
	})
}

// Projected returns an output in the form that it has in a request for a summary of the conversation (S4.34).
func Projected(o digest.ToolOutput) string {
	return digest.TrimWithTail(o.Shown(), styles.ProjectedText)
}

// Excerpt returns the text that replaces a summary if no model writes one (S4.27).
func Excerpt(o digest.ToolOutput) string {
	return "Tool " + strconv.Quote(strings.TrimSpace(o.Name)) + " finished with status " + o.Status() +
		". Output excerpt:\n" +
		digest.TrimWithTail(o.Shown(), fallbackText)
}

// ToolMessage returns the text that replaces a result: its summary after the tool's name, the call's id and the status
// (S4.25).
func ToolMessage(o digest.ToolOutput, summary string) string {
	return "[Tool output summary]\nTool: " + strings.TrimSpace(o.Name) + "\nCall ID: " + strings.TrimSpace(o.ID) +
		"\nStatus: " + o.Status() + "\n" + strings.TrimSpace(summary)
}

// ToolSummary returns the summary from a reply to ToolPrompt and, if the reply is unusable, the reason (S4.26). One of
// the two results is "".
func ToolSummary(r api.Summary) (summary, why string) {
	return toolReply(r, "empty tool summary", toolOutput)
}

func toolReply(r api.Summary, empty string, max int) (summary, why string) {
	if r.Error != "" {
		return "", r.Error
	}
	if summary = strings.TrimSpace(r.Text); summary == "" {
		return "", empty
	}
	return digest.TrimRunes(summary, max), ""
}

// BatchSummary returns the summary of a batch from a reply to ToolPrompt or, if the reply is unusable, the reason in
// why (S4.30).
func BatchSummary(r api.Summary) (summary, why string) {
	return toolReply(r, "empty batch summary", digest.BatchOutput)
}

// Key returns the key by which S4 identifies a result: its id or, if it has none, its name and the index of its
// message.
func Key(o digest.ToolOutput, message int) string {
	if id := strings.TrimSpace(o.ID); id != "" {
		return id
	}
	name := strings.TrimSpace(o.Name)
	if name == "" {
		name = "unknown"
	}
	return name + "#" + strconv.Itoa(message)
}

// Strategies for summaries of tool results (S4.23).
const (
	StrategyModel     = "llm"
	StrategyHeuristic = "heuristic"
	StrategyOff       = "off"
)

// NormalizeStrategy returns the strategy with the given name, ignoring case and surrounding white space, and
// StrategyModel for any other name (S4.23).
func NormalizeStrategy(name string) string {
	switch name = strings.ToLower(strings.TrimSpace(name)); name {
	case StrategyHeuristic, StrategyOff:
		return name
	}
	return StrategyModel
}

// ToolOutputs returns the tool results of a transcript, in order.
func ToolOutputs(t *transcript.Transcript) (outputs []digest.ToolOutput) {
	for n := range t.Parts {
		if p := &t.Parts[n]; p.Kind == transcript.ToolResult && p.Parent < 0 {
			outputs = append(outputs, digest.ToolOutputAt(t, n))
		}
	}
	return outputs
}
