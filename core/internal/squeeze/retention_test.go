package squeeze_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ctxfold/ctxfold/core/internal/facts"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/squeeze"
	"github.com/ctxfold/ctxfold/core/internal/tokens"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/wire"
	"github.com/ctxfold/ctxfold/internal/testing/sessions"
)

// marker is similar to the text that precedes a squeezed text.
const marker = "[Squeezed. Handle: 0123456789abcdef] "

// minTokens is the default number of tokens that squeezing a text must save.
const minTokens = 16

// kinds lists the kinds of content in results, in the order in which they are tested.
var kinds = []string{"escape codes", "JSON", "search", "paths", "line numbers", "diff", "other text"}

// TestSaved measures how much squeezing tool results saves in real sessions, in tokens of o200k as the estimator counts
// them. It counts each text once, and includes the explanatory line. It checks that every fact in a text can still be
// found, that no text becomes longer, and that squeezing again changes little. It writes the table of
// docs/inside/memory.md to the log and to the file named by CTXFOLD_SQUEEZE.
func TestSaved(t *testing.T) {
	est := tokens.ByName("script").For("gpt-4o")
	count := func(text string) int { return est.Text(text) }
	type sum struct{ texts, squeezed, before, after int }
	all, byKind, byForm := sum{}, map[string]*sum{}, map[string]*sum{}
	known, lost := 0, 0
	for _, text := range results(t) {
		kind := kindOf(text)
		before := count(text)
		after := before
		out, form, ok := squeeze.Text(text, squeeze.Options{MinSaved: 64})
		if ok {
			if len(out) >= len(text) {
				t.Errorf("%d bytes become %d", len(text), len(out))
			}
			if !utf8.ValidString(out) {
				t.Error("a result is no UTF-8")
			}
			if n := count(marker+form.String()+"\n") + count(out); before-n >= minTokens {
				after = n
			} else {
				ok = false
			}
		}
		add := func(s *sum) {
			s.texts++
			s.squeezed += min(1, before-after)
			s.before += before
			s.after += after
		}
		at := func(m map[string]*sum, key string) *sum {
			if m[key] == nil {
				m[key] = &sum{}
			}
			return m[key]
		}
		add(&all)
		add(at(byKind, kind))
		if !ok {
			continue
		}
		add(at(byForm, form.String()))
		k, l := missing(text, out, form)
		known += k
		lost += len(l)
		for _, f := range l {
			t.Errorf("%s %q of a text with %s is lost", f.Kind, f.Text, form)
		}
	}
	share := func(s *sum) float64 { return 100 * float64(s.before-s.after) / float64(max(1, s.before)) }
	var b strings.Builder
	row := func(name string, s *sum) {
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %.1f %% |\n", name, s.texts, s.squeezed, s.before, s.after, share(s))
	}
	b.WriteString("| results that hold | texts | squeezed | tokens | tokens then | saved |\n|---|---:|---:|---:|---:|---:|\n")
	for _, kind := range kinds {
		if s := byKind[kind]; s != nil {
			row(kind, s)
		}
	}
	row("all", &all)
	b.WriteString("\n| what was done | texts | squeezed | tokens | tokens then | saved |\n|---|---:|---:|---:|---:|---:|\n")
	var forms []string
	for form := range byForm {
		forms = append(forms, form)
	}
	slices.SortFunc(forms, func(a, b string) int {
		return byForm[b].before - byForm[b].after - byForm[a].before + byForm[a].after
	})
	for _, form := range forms[:min(12, len(forms))] {
		row(form, byForm[form])
	}
	fmt.Fprintf(&b, "\n%d of %d facts are still found.\n", known-lost, known)
	t.Log("\n" + b.String())
	if share(&all) < 17 {
		t.Errorf("%.1f %% of the tokens are saved, not 17 %%", share(&all))
	}
	if file := os.Getenv("CTXFOLD_SQUEEZE"); file != "" {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Error(err)
		}
	}
}

// results returns the texts of the tool results in all real sessions, each of them once.
func results(t testing.TB) (texts []string) {
	seen := map[string]bool{}
	add := func(text string) {
		if text != "" && !seen[text] {
			seen[text] = true
			texts = append(texts, text)
		}
	}
	for _, s := range sessions.Load(t, "anthropic", "openai-chat", "openai-responses", "gemini", "ai-sdk", "ai-sdk-ui") {
		sc := jsonspan.New(s.JSON())
		tr := wire.ByName(s.Format).Read(sc)
		if sc.Err() != nil {
			t.Fatal(sc.Err())
		}
		for n := range tr.Parts {
			p := &tr.Parts[n]
			switch {
			case p.Kind == transcript.ToolResult && tr.IsString(p.Body), p.Kind == transcript.Text && p.Parent >= 0 && tr.IsString(p.Body):
				add(tr.Text(p.Body))
			}
		}
	}
	return texts
}

// missing returns the facts in text that are missing from its squeezed form. It ignores escape codes, text that a
// terminal overwrites, and binary data.
func missing(text, out string, form squeeze.Form) (known int, lost []facts.Fact) {
	if form&squeeze.Controls != 0 {
		text, _, _ = squeeze.Text(text, squeeze.Options{Without: 1<<11 - 1 - squeeze.Controls})
	}
	if form&squeeze.Binary != 0 {
		return 0, nil
	}
	found := map[facts.Fact]bool{}
	facts.Collect(text, found)
	for f := range found {
		if facts.Holds(text, f.Text) { // not the piece of a longer word
			known++
			if !facts.Holds(out, f.Text) {
				lost = append(lost, f)
			}
		}
	}
	return known, lost
}

// kindOf returns the kind of content that makes up most of text.
func kindOf(text string) string {
	if strings.Contains(text, "\x1b[") {
		return "escape codes"
	}
	body := text
	if _, rest, ok := strings.Cut(text, "\nOutput:\n"); ok {
		body = rest
	}
	body = strings.TrimSpace(body)
	lines := strings.Split(text, "\n")
	count := func(is func(line string) bool) int {
		n := 0
		for _, line := range lines {
			if is(line) {
				n++
			}
		}
		return n
	}
	most := len(lines) / 2
	path := func(s string) bool { return strings.Contains(s, "/") && !strings.ContainsAny(s, " \t\"'(") }
	switch {
	case count(func(s string) bool {
		s = strings.TrimLeft(s, " ")
		rest := strings.TrimLeft(s, "0123456789")
		return rest != s && (strings.HasPrefix(rest, "→") || strings.HasPrefix(rest, "\t"))
	}) > most:
		return "line numbers"
	case count(func(s string) bool {
		at := strings.IndexAny(s, ":")
		if dash := strings.Index(s, "-"); at < 0 && dash > 0 {
			at = strings.LastIndex(s[:min(len(s), 200)], "/")
		}
		return at > 0 && strings.ContainsAny(s[:at], "./") && !strings.ContainsAny(s[:at], " \t") && strings.ContainsAny(s, "0123456789")
	}) > most:
		return "search"
	case count(path) > most:
		return "paths"
	case strings.HasPrefix(body, "{\"") || strings.HasPrefix(body, "{\n") || strings.HasPrefix(body, "[{") || strings.HasPrefix(body, "[\n"),
		count(func(s string) bool {
			s = strings.TrimSpace(s)
			return strings.HasPrefix(s, `"`) && strings.Contains(s, `": `)
		}) > most:
		return "JSON"
	case strings.Contains(text, "\n@@ -"):
		return "diff"
	}
	return "other text"
}
