package digest

import (
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/tokens"
)

// cutOffReasons lists the finish reasons, in lower case, with which providers report that an answer was cut off.
var cutOffReasons = []string{"length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded", "incomplete"}

// callReasons lists the finish reasons of answers that call a tool.
var callReasons = []string{"tool_use", "tool_calls", "function_call"}

// Accept checks whether a reply is usable as a summary of any kind. folded is the number of tokens that the summary
// replaces. It returns the summary without the wrapping that models add, or "" and the reason why the reply is
// rejected.
func Accept(r api.Summary, p *tokens.Profile, folded int) (text string, why api.SummaryFault) {
	text = unwrap(r.Text)
	switch reason := strings.ReplaceAll(strings.ToLower(r.FinishReason), "-", "_"); {
	case r.Error != "":
		return "", api.FaultFailed
	case reason == "refusal" || reason == "content_filter" || reason == "safety":
		return "", api.FaultRefusal
	case contains(callReasons, reason):
		return "", api.FaultToolCall
	case text == "":
		return "", api.FaultEmpty
	case contains(cutOffReasons, reason):
		return "", api.FaultCutOff
	case p.Text(text) >= folded:
		return "", api.FaultTooLarge
	case callsTool(text):
		return "", api.FaultToolCall
	case begins(text, refusals) && len(text) < shortAnswer:
		return "", api.FaultRefusal
	}
	return text, ""
}

// AcceptDigest checks a reply that should be a digest of up to most tokens. If asked is set, the digest must have headings, because the
// request asked for them.
func AcceptDigest(r api.Summary, p *tokens.Profile, folded, most int, asked bool) (text string, why api.SummaryFault) {
	text, why = Accept(r, p, folded)
	if why != "" {
		return text, why
	}
	found := headingsIn(text)
	switch size := p.Text(text); {
	case size < min(leastTokens, folded/512):
		return "", api.FaultTooShort
	case size > 2*most+slack:
		return "", api.FaultTooLong
	case repeats(text):
		return "", api.FaultRepeats
	case found == 0 && begins(text, answers):
		return "", api.FaultAnswers
	case found == 0 && asked && !isList(text):
		return text, api.FaultNoHeadings
	}
	return text, ""
}

// slack is how many tokens a digest may have beyond twice the requested size, because models don't count and estimates
// differ.
const slack = 256

// leastTokens is the minimum size of a digest that replaces many messages (512 times as many tokens). A smaller
// digest can't say anything useful about them.
const leastTokens = 16

// shortAnswer is the maximum size in bytes of a refusal. A longer text that begins like a refusal is accepted.
const shortAnswer = 800

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// The beginnings, in lower case and without apostrophes, of answers that are not summaries.
var (
	refusals = []string{"im sorry", "i am sorry", "sorry, ", "i cannot", "i cant ", "i can not", "im unable", "i am unable", "i wont ", "i will not",
		"as an ai", "im not able", "i am not able", "unfortunately, i", "i must decline", "i apologize",
		"es tut mir leid", "ich kann nicht", "lo siento", "no puedo", "désolé", "desolé", "je ne peux pas", "mi dispiace", "desculpe",
		"извините", "я не могу", "抱歉", "对不起", "我无法", "我不能", "申し訳", "すみません", "죄송"}
	answers = []string{"sure", "certainly", "of course", "great question", "absolutely", "happy to help", "let me ", "ill ", "i will ", "yes, ", "no, ",
		"okay, ", "ok, ", "thanks", "thank you", "you're right", "youre right", "hello", "hi!", "here is the fix", "id be happy",
		"natürlich", "gerne", "klar,", "bien sûr", "claro", "por supuesto", "certo", "конечно", "好的", "当然", "はい", "もちろん", "네,", "물론"}
	calls = []string{"<tool_call", "<function_call", "<invoke", "<tool_use", "[tool_call", "<|tool", "<|python_tag|>", "<｜tool", "functions."}
)

func begins(text string, list []string) bool {
	low := strings.NewReplacer("'", "", "’", "").Replace(strings.ToLower(text[:min(len(text), 80)]))
	for _, x := range list {
		if strings.HasPrefix(low, x) {
			return true
		}
	}
	return false
}

// callsTool reports whether a text is a tool call in one of the forms that models write: a special tag, or JSON with a tool and its
// arguments.
func callsTool(text string) bool {
	if begins(text, calls) {
		return true
	}
	if text[0] != '{' && text[0] != '[' {
		return false
	}
	head := text[:min(len(text), 2000)]
	named := strings.Contains(head, `"name"`) || strings.Contains(head, `"tool"`) || strings.Contains(head, `"function"`) || strings.Contains(head, `"recipient_name"`)
	return named && (strings.Contains(head, `"arguments"`) || strings.Contains(head, `"input"`) || strings.Contains(head, `"parameters"`) || strings.Contains(head, `"args"`))
}

// headingsIn counts the headings in a text. Any headings count, because a host may use its own prompts. A line
// without markup that ends with a colon counts only if it is one of the headings that our prompts ask for.
func headingsIn(text string) int {
	n := 0
	for line := range strings.Lines(text) {
		if _, ok := headingOf(line, true); ok {
			n++
			continue
		}
		line = strings.TrimSpace(line)
		switch {
		case len(line) > 60:
		case strings.HasPrefix(line, "#") && strings.Contains(line, "# "):
			n++
		case strings.HasPrefix(line, "**") && strings.HasSuffix(strings.TrimRight(line, ":"), "**"):
			n++
		}
	}
	return n
}

// leastItems is the minimum number of items in a list.
const leastItems = 3

// isList reports whether a text is mostly a list. Summarizers built into browsers write plain bullets even if the request asks for headings,
// so repeating the request would gain nothing.
func isList(text string) bool {
	lines, items := 0, 0
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		lines++
		if isItem(line) {
			items++
		}
	}
	return items >= leastItems && 2*items >= lines
}

// isItem reports whether a line begins with a bullet, or with a number and a dot or bracket, followed by a space.
func isItem(line string) bool {
	for _, bullet := range [...]string{"- ", "* ", "+ ", "• ", "– ", "· "} {
		if strings.HasPrefix(line, bullet) {
			return true
		}
	}
	rest := strings.TrimLeft(line, "0123456789")
	return len(rest) < len(line) && (strings.HasPrefix(rest, ". ") || strings.HasPrefix(rest, ") "))
}

// unwrap removes the wrapping that models put around a text: thoughts before it, a code fence, or a tag.
func unwrap(text string) string {
	text = strings.TrimSpace(text)
	for _, tag := range []string{"think", "thinking", "analysis"} {
		if rest, found := strings.CutPrefix(text, "<"+tag+">"); found {
			if _, after, closed := strings.Cut(rest, "</"+tag+">"); closed {
				text = strings.TrimSpace(after)
			}
		}
	}
	for _, tag := range []string{"summary", "digest", "output"} {
		if rest, found := strings.CutPrefix(text, "<"+tag+">"); found {
			text = strings.TrimSpace(strings.TrimSuffix(rest, "</"+tag+">"))
		}
	}
	if strings.HasPrefix(text, "```") && strings.HasSuffix(text, "```") && strings.Count(text, "```") == 2 {
		if first, rest, found := strings.Cut(text, "\n"); found && len(first) < 20 {
			text = strings.TrimSpace(strings.TrimSuffix(rest, "```"))
		}
	}
	return text
}
