package digest

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/tokens"
	"github.com/ctxfold/ctxfold/core/internal/words"
)

// cutOffReasons lists the finish reasons, in lower case, with which providers report that an answer was cut off.
var cutOffReasons = []string{"length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded", "incomplete"}

// callReasons lists the finish reasons of answers that call a tool.
var callReasons = []string{"tool_use", "tool_calls", "function_call"}

// Accept checks whether a reply can be used as a summary of any kind. folded is the size in tokens of the messages that
// the summary replaces. Accept returns the summary without the wrapping that models put around it. If it rejects the
// reply, it returns "" and the reason. p counts the tokens of the reply.
func Accept(r api.Summary, p *tokens.Profile, folded int) (text string, why api.SummaryFault) {
	text = unwrap(r.Text)
	switch reason := strings.ReplaceAll(strings.ToLower(r.FinishReason), "-", "_"); {
	case r.Error != "":
		return "", api.FaultFailed
	case reason == "refusal" || reason == "content_filter" || reason == "safety":
		return "", api.FaultRefusal
	case slices.Contains(callReasons, reason):
		return "", api.FaultToolCall
	case text == "":
		return "", api.FaultEmpty
	case slices.Contains(cutOffReasons, reason):
		return "", api.FaultCutOff
	case p.Text(text) >= folded:
		return "", api.FaultTooLarge
	case callsTool(text):
		return "", api.FaultToolCall
	case len(text) < shortAnswer && (begins(text, apologies) || begins(text, refusals) || headingsIn(text) == 0 && !isList(text) && refusesLater(text)):
		return "", api.FaultRefusal
	}
	return text, ""
}

// AcceptDigest is like Accept for a reply that should be a digest of about most tokens. asked means
// that the request asked for headings. If the text lacks nothing but these, AcceptDigest returns
// both the text and FaultNoHeadings; a list needs no headings. folded is as in Accept.
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
	case found == 0 && (begins(text, answers) || !isList(text) && asksReader(text)):
		return "", api.FaultAnswers
	case breaksOff(text):
		return "", api.FaultCutOff
	case found == 0 && asked && !isList(text):
		return text, api.FaultNoHeadings
	}
	return text, ""
}

// slack is the number of tokens by which a digest may exceed twice the requested size, because models don't count
// tokens and estimates differ.
const slack = 256

// leastTokens is the minimum size, in tokens, of a digest that replaces at least 512 times as many tokens. A smaller
// digest can't say anything useful about so many messages.
const leastTokens = 16

// shortAnswer is the size in bytes below which a text that refuses in its first clauses is rejected as a refusal.
const shortAnswer = 800

// The beginnings, in lower case and without apostrophes, of answers that are not summaries.
var (
	apologies = []string{"im sorry", "i am sorry", "sorry, ", "unfortunately, i", "i apologize",
		"es tut mir leid", "lo siento", "désolé", "desolé", "mi dispiace", "desculpe", "извините", "抱歉", "对不起", "申し訳", "すみません", "죄송"}
	refusals = []string{"i cannot", "i cant ", "i can not", "im unable", "i am unable", "i wont ", "i will not",
		"as an ai", "im not able", "i am not able", "i must decline",
		"ich kann nicht", "no puedo", "je ne peux pas", "я не могу", "我无法", "我不能"}
	answers = []string{"sure", "certainly", "of course", "great question", "absolutely", "happy to help", "let me ", "ill ", "i will ", "yes, ", "no, ",
		"okay, ", "ok, ", "thanks", "thank you", "youre right", "hello", "hi!", "here is the fix", "id be happy",
		"natürlich", "gerne", "klar,", "bien sûr", "claro", "por supuesto", "certo", "конечно", "好的", "当然", "はい", "もちろん", "네,", "물론"}
	calls = []string{"<tool_call", "<function_call", "<invoke", "<tool_use", "[tool_call", "<|tool", "<|python_tag|>", "<｜tool", "functions."}
)

// begins reports whether text begins with one of the entries of list, ignoring case and apostrophes.
func begins(text string, list []string) bool {
	return startsWithAny(strings.NewReplacer("'", "", "’", "").Replace(strings.ToLower(text[:min(len(text), 80)])), list)
}

// refusesLater reports whether one of the first clauses of text, other than the very first, begins like a refusal:
// "Unfortunately this won't work: I'm not able to …".
func refusesLater(text string) bool {
	head := trimRune(text[:min(len(text), firstClauses)])
	for i, r := range head {
		if strings.ContainsRune(",.!—，。！", r) && begins(strings.TrimSpace(text[i+utf8.RuneLen(r):]), refusals) {
			return true
		}
	}
	return false
}

// firstClauses is the number of bytes at the beginning of a text in which refusesLater looks for clauses.
const firstClauses = 120

// asksReader reports whether text asks the reader what the writer should do, as in "Would you like me to …?". Questions
// inside quotation marks don't count.
func asksReader(text string) bool {
	quoted := quotedIn(text)
	from := 0
	for i, r := range text {
		if !strings.ContainsRune(".!?\n。！？", r) || r == '.' && isAbbreviated(text[:i]) {
			continue
		}
		if asked := r == '?' || r == '？'; asked && !(quoted != nil && quoted[i]) && asksOfReader(text[from:i]) {
			return true
		}
		from = i + utf8.RuneLen(r)
	}
	return false
}

// isAbbreviated reports whether a period after text may belong to an abbreviation ("Mr.") or a
// number ("3."), because the last word of text has at most three bytes.
func isAbbreviated(text string) bool {
	return len(text)-1-strings.LastIndexAny(text, " \n") <= len("Mrs")
}

// asksOfReader reports whether a question mentions both the speaker and the person addressed.
func asksOfReader(question string) bool {
	me, you := strings.Contains(question, "我"), strings.ContainsAny(question, "你您")
	for _, w := range wordsOf(question, nil) {
		me = me || w.is(selves) || w.text == "me" || w.text == "mir" || w.text == "mich"
		you = you || w.is(addressees) || w.text == "ihnen"
	}
	return me && you
}

// breaksOff reports whether text ends in the middle of a sentence although its writer ends sentences with punctuation.
// This is so if the last line contains a finished sentence and the words of an unfinished one, while the other long
// lines of the same kind (list items or prose), of which there must be leastFinished, are all finished.
func breaksOff(text string) bool {
	at := strings.LastIndexByte(text, '\n')
	last := text[at+1:]
	inner := max(strings.LastIndex(last, ". "), strings.LastIndex(last, "。"))
	if inner < 0 || !endsInWord(last) || len(words.Append(nil, last[inner:])) < leastBroken {
		return false
	}
	long, item := 0, isListItem(strings.TrimSpace(last))
	for line := range strings.Lines(text[:at+1]) {
		if line = strings.TrimSpace(line); len(line) < leastLong || line[0] == '#' || isListItem(line) != item {
			continue
		}
		if long++; endsInWord(line) || !strings.ContainsAny(line[len(line)-1:], ".!?:;)") && line[len(line)-1] < utf8.RuneSelf {
			return false
		}
	}
	return long >= leastFinished
}

// leastBroken is the minimum number of words in a sentence that breaks off. leastLong is the minimum length of a long
// line, in bytes. leastFinished is the minimum number of long lines before the last line.
const (
	leastBroken   = 4
	leastLong     = 40
	leastFinished = 2
)

// endsInWord reports whether a line ends with an ordinary word that is not followed by punctuation.
func endsInWord(line string) bool {
	r, _ := utf8.DecodeLastRuneInString(line)
	return inWord(r) && !isTerm(line[strings.LastIndexByte(line, ' ')+1:])
}

// isTerm reports whether a word is a path, an address, an identifier or a number.
func isTerm(word string) bool {
	found := strings.ContainsAny(word, "0123456789")
	eachTerm(word, func(termKind, string) { found = true })
	return found
}

// callsTool reports whether text, which isn't empty, begins with a tool call in one of the forms that models write: a
// special tag, or JSON with the name of a tool and its arguments.
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

// headingsIn counts the headings in text. It counts headings of any wording, because a host may use its own prompts. A
// line that has no markup but ends with a colon counts only if it is one of the headings that our prompts ask for.
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

// isList reports whether text is mostly a list. The summarizers built into browsers write plain bullets even if the
// request asks for headings, so it would be useless to ask them again.
func isList(text string) bool {
	items, lines := countLines(text, isListItem)
	return items >= leastItems && 2*items >= lines
}

// countLines returns how many lines of text, without white space around them, counts returns true for, and
// how many lines there are. Empty lines don't count.
func countLines(text string, counts func(line string) bool) (such, lines int) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if lines++; counts(line) {
			such++
		}
	}
	return such, lines
}

// isListItem reports whether a line begins with a bullet, or with a number and a dot or bracket, followed by a space.
func isListItem(line string) bool {
	for _, bullet := range [...]string{"- ", "* ", "+ ", "• ", "– ", "· "} {
		if strings.HasPrefix(line, bullet) {
			return true
		}
	}
	rest := strings.TrimLeft(line, "0123456789")
	return len(rest) < len(line) && (strings.HasPrefix(rest, ". ") || strings.HasPrefix(rest, ") "))
}

// unwrap removes the wrapping that models put around their text: a block of reasoning before it, a code fence or a tag.
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
