package digest

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/transcript"
)

// Local writes a digest without a model, in at most max bytes: the user's requests in their own words, the newest first
// kept, what the agent said last, errors of the last tool results, and the digest so far. It is a pure function of its
// arguments.
func Local(t *transcript.Transcript, messages []int32, prior string, l *Ledger, max int) string {
	var requests []string
	var last, failure string
	for _, i := range messages {
		switch m := &t.Messages[i]; {
		case t.HasUserText(int(i)) && !t.StartsWith(int(i), Header):
			if text := strings.TrimSpace(texts(t, int(i))); text != "" {
				requests = append(requests, text)
				failure = "" // what failed before the user spoke again is history
			}
		case m.Role == transcript.Assistant:
			if text := strings.TrimSpace(texts(t, int(i))); text != "" {
				last = text
			}
		}
		for n := t.Messages[i].First; n < t.Messages[i].First+t.Messages[i].Count; n++ {
			if p := &t.Parts[n]; p.Kind == transcript.ToolResult && p.Has(transcript.IsError) {
				failure = ToolName(t, int(n)) + ": " + strings.TrimSpace(ResultText(t, int(n)))
			}
		}
	}
	left := max
	var b strings.Builder
	section := func(heading, text string, share int) {
		if text = Clip(Tidy(text), min(share, left-len(heading)-60)); text == "" || left < len(heading)+100 {
			return
		}
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(heading + "\n" + Fence(text))
		left = max - b.Len()
	}
	section("# Objective", l.Task, max/8)
	section("# Carryover from the digest before", prior, max/3)
	section("# Requests of the user, oldest first", newest(requests, max/3), max/3+200)
	section("# Status: what the agent said last", last, max/4)
	section("# Status: the last error", failure, max/8)
	section("# Carryover", itoa(len(messages))+" older messages were folded without a model; this is an extract.", max)
	return b.String()
}

// newest joins the newest texts that fit in max bytes, oldest first, and counts the others.
func newest(list []string, max int) string {
	from, size := len(list), 0
	for from > 0 {
		n := min(len(list[from-1]), max/2) + 3
		if size+n > max && from < len(list) {
			break
		}
		size += n
		from--
	}
	var b strings.Builder
	if from > 0 {
		b.WriteString("(" + itoa(from) + " older requests are left out)\n")
	}
	for _, text := range list[from:] {
		b.WriteString("- " + strings.ReplaceAll(Clip(text, max/2), "\n", "\n  ") + "\n")
	}
	return b.String()
}

// texts joins the texts of a message.
func texts(t *transcript.Transcript, i int) string {
	var b []byte
	for _, p := range t.PartsOf(i) {
		if p.Kind == transcript.Text && p.Parent < 0 && !p.Has(transcript.Removed) {
			if len(b) > 0 {
				b = append(b, '\n')
			}
			b = t.AppendText(b, p.Body)
		}
	}
	return string(b)
}
