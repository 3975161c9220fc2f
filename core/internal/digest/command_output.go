package digest

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// abandoned reports whether a tool's output shows that the call ended before it produced a result.
func abandoned(output string) bool {
	head := lower(output[:min(len(output), 400)])
	for _, sign := range []string{"request interrupted", "aborted by", "command was aborted", "command aborted", "interrupted by user", "user doesn't want to", "user rejected", "user denied",
		"was cancelled", "was canceled", "operation aborted", "[no result: ", "tool result content cleared]"} {
		if strings.Contains(head, sign) {
			return true
		}
	}
	return false
}

// effectOf returns the effect that a command's output reports, such as the pushed branches or the address of a new pull
// request, or "".
func effectOf(script, output string) string {
	if strings.Contains(script, "git ") && strings.Contains(script, "push") {
		pushed := pushOf(output)
		if strings.Contains(script, "--dry-run") || strings.Contains(script, " -n ") {
			if pushed != "" {
				return "would push " + pushed
			}
			return ""
		}
		for _, line := range strings.Split(pushed, "; ") {
			if rest, found := strings.CutPrefix(line, "- [deleted]"); found {
				return "deleted " + strings.TrimSpace(rest)
			}
		}
		if pushed != "" {
			return "pushed " + strings.TrimPrefix(pushed, "pushed ")
		}
	}
	if stat := statOf(output); stat != "" {
		return stat
	}
	for line := range strings.Lines(output) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "https://") && !strings.Contains(line, " ") && len(line) < maxCommand {
			return line
		}
	}
	return ""
}

// endsOf returns the first and the last lookResult bytes of an output, or all of it if it isn't
// longer than both.
func endsOf(output string) string {
	if len(output) <= 2*lookResult {
		return output
	}
	return output[:lookResult] + "\n" + output[len(output)-lookResult:]
}

// scriptRun returns the script that npm, pnpm or yarn prints before running it, or "". For example, it returns "tsc
// --noEmit" for the lines "> kiln@1.2.0 check" and "> tsc --noEmit". It passes over a script that runs before the one that
// was asked for, such as pretest, and what that one prints.
func scriptRun(output string) string {
	named, hooked := false, "" // hooked is the name of the script that was asked for, while one before it runs
	for line := range strings.Lines(output) {
		said, found := strings.CutPrefix(line, "> ")
		said = strings.TrimSpace(said)
		name := ""
		if words := strings.Fields(said); found && len(words) > 1 && strings.Contains(words[0], "@") {
			name = words[1]
		}
		switch {
		case strings.TrimSpace(line) == "", hooked != "" && name != hooked:
			continue
		case found && named:
			return said
		case !found || !strings.Contains(said, "@") && !strings.Contains(said, " "):
			return ""
		case len(name) > len(preScript) && strings.HasPrefix(name, preScript) && !slices.Contains(standalone, name):
			hooked = name[len(preScript):]
			continue
		}
		named, hooked = found, ""
	}
	return ""
}

// preScript is the beginning of the names of scripts that run before another one.
const preScript = "pre"

// standalone lists frequent scripts whose names begin in the same way, but that run by themselves.
var standalone = []string{"prepare", "prettier", "preview"}

// mostCounted is the maximum length, in bytes, of an output of wc that countOf returns. Half of it is the maximum length
// of an output that shortResult returns.
const mostCounted = 240

// countOf returns what an inspecting command counted, such as a number of lines, or git's statement that there is
// nothing to commit; "" if there is neither.
func countOf(script, output string) string {
	output = strings.TrimSpace(output)
	words, _ := simpleCommand(script, func(string) {})
	switch {
	case len(words) == 0 || output == "":
	case words[0] == "wc" && len(output) <= mostCounted:
		return onOneLine(output)
	case words[0] == "git":
		for line := range strings.Lines(output) {
			if strings.HasPrefix(line, "nothing to commit") || strings.HasPrefix(line, "nothing added to commit") {
				return strings.TrimSpace(line)
			}
		}
		return statOf(output)
	}
	return ""
}

// saysOutcome reports whether a short output is meaningful to a reader: it isn't JSON, a tag, or a note that there was
// no output.
func saysOutcome(said string) bool {
	return len(said) > 3 && said[0] != '{' && said[0] != '[' && said[0] != '<' && !strings.HasPrefix(lower(said), "(no output")
}

// withoutEnvelope returns a program's output without the lines that tools add around it ("Wall time: …", "Output:").
func withoutEnvelope(output string) string {
	const near = 300
	if strings.HasPrefix(output, "<returncode>") {
		return withoutFrame(output)
	}
	output = withoutPrompt(output)
	if strings.HasPrefix(output, "Command: ") { // Gemini CLI
		if _, rest, found := strings.Cut(output, "\nOutput: "); found {
			output = rest
			if at := strings.LastIndex(output, "\nError: "); at >= 0 && strings.Contains(output[at:], "\nExit Code: ") {
				output = output[:at]
			}
			return strings.TrimPrefix(output, "(empty)")
		}
	}
	if at := strings.Index(output[:min(len(output), near)], "Output:\n"); at >= 0 && (at == 0 || output[at-1] == '\n') {
		return output[at+len("Output:\n"):]
	}
	return output
}

// promptLines lists the beginnings of lines that SWE-agent and OpenHands append to the output of a command.
var promptLines = []string{"(Open file: ", "(Current directory: ", "bash-$", "[The command completed ", "[Current working directory: ", "[Python interpreter: ",
	"[Command finished with ", "[Jupyter current working directory: ", "[Jupyter Python interpreter: "}

// withoutPrompt returns a program's output without the lines that an agent's shell appends to it.
func withoutPrompt(output string) string {
	for {
		text := strings.TrimRight(output, " \r\n")
		line := text[strings.LastIndexByte(text, '\n')+1:]
		if !startsWithAny(line, promptLines) {
			return output
		}
		output = text[:len(text)-len(line)]
	}
}

// plainText returns a program's output without control sequences, frames and progress bars.
func plainText(output string) string {
	if strings.Contains(output, "\r") {
		output = lastStates(output)
	}
	if isASCII(output) && !strings.Contains(output, "\x1b") {
		return output
	}
	var b strings.Builder
	for i := 0; i < len(output); {
		if output[i] == 0x1b {
			i = controlEnd(output, i+1)
			continue
		}
		r, size := utf8.DecodeRuneInString(output[i:])
		if r < 0x2500 || r > 0x259f {
			b.WriteString(output[i : i+size])
		}
		i += size
	}
	return b.String()
}

// lastStates returns the final state of each line on a terminal, where progress bars overwrite earlier states.
func lastStates(output string) string {
	var b strings.Builder
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\r\n")
		b.WriteString(line[strings.LastIndexByte(line, '\r')+1:])
		b.WriteByte('\n')
	}
	return b.String()
}

// outcomes lists words that, together with a number, identify the summary line of a test runner or linter.
var outcomes = []string{"pass", "fail", "error", "warning", "test", "checked", "built", "compiled", "ok"}

// outcomeLine returns the last summary line near the end of a program's output, or "". Lines with the number of an outcome
// come before other lines that have a number and an outcome.
func outcomeLine(output string) string {
	tail := output[max(0, len(output)-1500):]
	best, counted := "", false
	for line := range strings.Lines(tail) {
		line = strings.Trim(line, " \t\r\n=-")
		if len(line) < 6 || len(line) > 120 || isFrame(line) ||
			!strings.ContainsAny(line, "0123456789") || strings.ContainsAny(line, "{}<>\x1b") {
			continue
		}
		if low := lower(line); hasAny(low, outcomes) {
			if counts := countsOutcome(low); counts || !counted {
				best, counted = line, counts
			}
		}
	}
	return best
}

// mostToOutcome is the maximum number of words from a number to the outcome that it counts: "12 tests passed".
const mostToOutcome = 2

// countsOutcome reports whether a line, in lower case, has a number directly before or after an outcome: "12 tests
// passed", "errors: 2".
func countsOutcome(line string) bool {
	toOutcome, toNumber := -1, -1 // how many more words may come before the outcome, or before the number
	for word := range strings.FieldsSeq(line) {
		bare := strings.Trim(word, ".,;()[]")
		outcome := hasAny(bare, outcomes)
		switch number := strings.Trim(bare, "0123456789./") == ""; {
		case bare == "": // the dots in "test 1 ... ok"
			toOutcome, toNumber = -1, -1
			continue
		case number && toNumber >= 0, outcome && toOutcome >= 0:
			return true
		case number:
			toOutcome = mostToOutcome
		case outcome && strings.HasSuffix(word, ":"):
			toNumber = 1
		}
		toOutcome--
		toNumber--
	}
	return false
}
