// Package facts finds facts in a conversation that may be needed again: paths, addresses, identifiers, numbers, errors,
// and the user's requests. It is for tests that measure what compactions retain, and knows nothing about how digests
// are made.
package facts

import (
	"cmp"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/sorting"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// Fact is a piece of a conversation that may be needed again.
type Fact struct{ Kind, Text string }

// The spelling of each kind of fact. Ordinary words are not facts.
var (
	urlRE         = regexp.MustCompile(`https?://[^\s"'<>()\[\]{}\x60\\]+`)
	pathRE        = regexp.MustCompile(`~?/?[\w@.+-]+(?:/[\w@.+-]+)+|/[\w@.+-]{3,}`)
	contextLineRE = regexp.MustCompile(`^(.*\.\w{1,5})-\d+(?:-.*)?$`) // a context line of a search result: its file, and its number
	fileRE        = regexp.MustCompile(`\b[\w-]+\.(?:go|py|ts|tsx|js|mjs|json|jsonl|md|txt|yaml|yml|toml|sql|sh|rs|java|c|h|cpp|css|html|cfg|ini|lock|diff)\b`)
	wordRE        = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]{4,79}|[0-9a-f]{7,40}`)
	numberRE      = regexp.MustCompile(`\b\d+(?:\.\d+)+\b|\b\d{3,15}\b`)
	errorRE       = regexp.MustCompile(`(?:\b[A-Z]\w*(?:Error|Exception)|(?i:\b(?:error|fatal|panic))): [^\n]{10,160}`)
	camelRE       = regexp.MustCompile(`[a-z][A-Z]|[A-Z]{2}[a-z]|[A-Za-z][0-9]|[0-9][A-Za-z]|[A-Za-z0-9]_[A-Za-z0-9]`)
)

// Collect adds the facts of text to facts: URLs, file paths, identifiers, numbers and error
// messages. It is used only to measure digests.
func Collect(text string, facts map[Fact]bool) {
	for _, u := range urlRE.FindAllString(text, -1) {
		facts[Fact{"url", strings.TrimRight(u, ".,;:!?*_")}] = true
	}
	text = urlRE.ReplaceAllString(text, " ")
	for _, p := range pathRE.FindAllString(text, -1) {
		p = contextLineRE.ReplaceAllString(strings.TrimRight(p, ".-+"), "$1")
		if strings.Count(p, "/") >= 2 || strings.Contains(p, "/") && fileRE.MatchString(p) {
			facts[Fact{"path", p}] = true
		}
	}
	for _, f := range fileRE.FindAllString(text, -1) {
		facts[Fact{"path", f}] = true
	}
	for _, w := range wordRE.FindAllString(text, -1) {
		if camelRE.MatchString(w) {
			facts[Fact{"identifier", w}] = true
		}
	}
	for _, n := range numberRE.FindAllString(text, -1) {
		facts[Fact{"number", n}] = true
	}
	for _, e := range errorRE.FindAllString(text, -1) {
		facts[Fact{"error", strings.TrimSpace(e)}] = true
	}
}

// Used returns those facts in the messages before a cut that the user or the agent mentions again
// in the messages behind it, sorted by kind and then by text.
func Used(tr *transcript.Transcript, before, behind []int32) []Fact {
	dropped, later := map[Fact]bool{}, map[Fact]bool{}
	for _, i := range before {
		for _, text := range Texts(tr, i, false) {
			Collect(text, dropped)
		}
	}
	for _, i := range behind {
		for _, text := range Texts(tr, i, true) {
			Collect(text, later)
		}
	}
	var out []Fact
	for f := range later {
		if dropped[f] {
			out = append(out, f)
		}
	}
	sorting.Func(out, func(a, b Fact) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Text, b.Text)) })
	return out
}

// Texts returns the texts of message i, including the values in the arguments of its tool calls and, unless written is
// set, its tool results.
func Texts(tr *transcript.Transcript, i int32, written bool) (texts []string) {
	for k, p := range tr.PartsOf(int(i)) {
		switch {
		case p.Kind == transcript.Text && p.Parent < 0:
			texts = append(texts, tr.Text(p.Body))
		case p.Kind == transcript.ToolCall:
			var v any
			args := digest.CallArgs(tr, &p)
			if json.Unmarshal([]byte(args), &v) != nil {
				v = args
			}
			texts = values(v, texts)
		case p.Kind == transcript.ToolResult && !written:
			texts = append(texts, digest.ResultText(tr, int(tr.Messages[i].First)+k))
		}
	}
	return texts
}

func values(v any, texts []string) []string {
	switch v := v.(type) {
	case string:
		return append(texts, v)
	case []any:
		for _, x := range v {
			texts = values(x, texts)
		}
	case map[string]any:
		for _, x := range v {
			texts = values(x, texts)
		}
	}
	return texts
}

// injected matches the beginning of texts that an agent program wrote in the user's role.
var injected = regexp.MustCompile(`^(?:<[a-zA-Z_-]+[ >]|# AGENTS\.md|Caveat: |\[Request interrupted|\[session digest)`)

// Requests returns what the user asked for, oldest first. messages are indexes of tr. Text that an agent program has
// inserted isn't a request. There is one text for each message with a request.
func Requests(tr *transcript.Transcript, messages []int32) (out []string) {
	for _, i := range messages {
		if !tr.HasUserText(int(i)) {
			continue
		}
		var texts []string
		for _, p := range tr.PartsOf(int(i)) {
			if text := strings.TrimSpace(tr.Text(p.Body)); p.Kind == transcript.Text && p.Parent < 0 && text != "" && !injected.MatchString(text) {
				texts = append(texts, text)
			}
		}
		if len(texts) > 0 {
			out = append(out, strings.Join(texts, "\n"))
		}
	}
	return out
}

// Words returns text with a single space between words, because a digest may lay out text differently.
func Words(text string) string { return strings.Join(strings.Fields(text), " ") }

// Holds reports whether text contains the fact f, but not as part of a longer word.
func Holds(text, f string) bool {
	word := func(c byte) bool {
		return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	}
	for at := 0; ; {
		i := strings.Index(text[at:], f)
		if i < 0 {
			return false
		}
		start, end := at+i, at+i+len(f)
		if (start == 0 || !word(text[start-1]) || !word(f[0])) && (end == len(text) || !word(text[end]) || !word(f[len(f)-1])) {
			return true
		}
		at = start + 1
	}
}
