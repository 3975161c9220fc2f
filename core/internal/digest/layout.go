package digest

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// The sections of a digest in both layouts. The sections before people are those of S3.21.
const (
	objective = iota
	guardrails
	status
	shipped
	active
	stuck
	rationale
	plan
	carryover
	people
	about
	questions
	dialogue // statements in the conversation, chosen by code
	logged   // the log of turns
	changed  // the files that were changed
	failing  // the open errors
	running  // work that is still running
	ending   // the state of the work at the end of the record
	unloaded // tools that the assistant has to load again
	shown    // lines from files that were read
	sections
)

// layout holds the headings of a digest and their order. Conversations with tool calls use the layout of a working
// session. Conversations without tool calls, between people or with an assistant, use the layout of a chat.
type layout struct {
	headings [sections]string // "" for sections that the layout lacks
	order    []int            // the sections that the layout has
	instead  [sections]int    // for each section that the layout lacks, the section to which its text moves
}

var sessionLayout = &layout{
	headings: [sections]string{objective: "# Objective", guardrails: "# Guardrails", status: "# Status", shipped: "## Shipped",
		active: "## Active", stuck: "## Stuck", rationale: "# Rationale", plan: "# Plan", carryover: "# Carryover",
		dialogue: "# What was said", logged: "# What happened", changed: "# Changed files", failing: "# Open errors",
		ending: "# State at the end of this record", running: "# Running work", unloaded: "# Unloaded tools",
		shown: "# From files that were read"},
	order:   []int{objective, guardrails, running, ending, failing, plan, rationale, dialogue, carryover, logged, status, shipped, active, stuck, changed, unloaded, shown},
	instead: [sections]int{people: carryover, about: carryover, questions: carryover},
}

var chatLayout = &layout{
	headings: [sections]string{objective: "# Topics", people: "# People", about: "# About the user", guardrails: "# Preferences",
		rationale: "# Decisions", plan: "# Plans and dates", questions: "# Open questions", carryover: "# Notes", dialogue: "# What was said"},
	order:   []int{objective, people, about, guardrails, rationale, plan, questions, carryover, dialogue},
	instead: [sections]int{status: carryover, shipped: carryover, active: plan, stuck: questions},
}

// layoutOf returns the layout of a digest of messages. It is the chat layout if the messages contain no tool calls,
// results or commands, if the ledger contains no commands, files or errors from earlier messages, and if neither the
// previous digest, prior, nor a digest among the messages has a log of turns.
func layoutOf(t *transcript.Transcript, messages []int32, prior string, l *Ledger) *layout {
	if t.Outputs || len(l.Commands)+len(l.Modified)+len(l.Read)+len(l.Errors) > 0 || HasLog(prior) {
		return sessionLayout
	}
	for _, i := range messages {
		m := &t.Messages[i]
		if m.Variant == transcript.Shell || t.StartsWith(int(i), Header) && HasLog(t.Text(t.FirstText(int(i)))) {
			return sessionLayout
		}
		for n := m.First; n < m.First+m.Count; n++ {
			if p := &t.Parts[n]; (p.Kind == transcript.ToolCall || p.Kind == transcript.ToolResult) && !p.Has(transcript.Removed) {
				return sessionLayout
			}
		}
	}
	return chatLayout
}

// Chats reports whether a digest of messages that continues the digest prior, or "", has the layout of a chat.
func Chats(t *transcript.Transcript, messages []int32, prior string, l *Ledger) bool {
	return layoutOf(t, messages, prior, l) == chatLayout
}

// moveText moves text from sections that the layout lacks to sections that it has. So a digest written in one layout can
// be continued in the other.
func (l *layout) moveText(text [sections]string) [sections]string {
	for i, s := range text {
		if s == "" || l.headings[i] != "" {
			continue
		}
		to := l.instead[i]
		if text[to] != "" {
			text[to] += "\n"
		}
		text[to] += s
		text[i] = ""
	}
	return text
}

// write joins the non-empty sections, each under its heading. A section that contains only white space yields just a
// heading.
func (l *layout) write(text [sections]string) string {
	var b strings.Builder
	for _, i := range l.order {
		if text[i] == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(l.headings[i])
		if s := strings.TrimSpace(text[i]); s != "" {
			b.WriteString("\n" + text[i])
		}
	}
	return b.String()
}

// longestHeading is the maximum length, in bytes, of a line that can be a heading.
const longestHeading = 60

// headingOf returns the section that a line is the heading of, in either layout and at any level ("# Plan", "###
// plan:"). If loose is set, bold text and text with a colon count too ("**Open questions**", "PLAN:"). ok is false for
// any other line. A line that begins with white space is never a heading, because it is a quote.
func headingOf(line string, loose bool) (section int, ok bool) {
	line = strings.TrimRight(line, " \t\r\n")
	if len(line) > longestHeading {
		return 0, false
	}
	name := strings.TrimLeft(line, "#")
	if len(name) == len(line) {
		name = strings.TrimRight(line, ": ")
		if bold := strings.HasPrefix(name, "**") && strings.HasSuffix(name, "**"); !loose || !bold && !strings.HasSuffix(line, ":") {
			return 0, false
		}
	}
	name = strings.Trim(name, "*: ")
	for _, l := range []*layout{sessionLayout, chatLayout} {
		for _, i := range l.order {
			if strings.EqualFold(name, strings.TrimLeft(l.headings[i], "# ")) {
				return i, true
			}
		}
	}
	return 0, false
}

// splitSections splits a digest at the headings of both layouts. Text under an unknown heading, or
// under none, goes to carryover. Headings that headingOf accepts only if loose is set count if the
// digest has no others.
func splitSections(digest string) (text [sections]string) {
	at, marked := carryover, false
	for line := range strings.Lines(digest) {
		if _, ok := headingOf(line, false); ok {
			marked = true
			break
		}
	}
	var b [sections][]byte
	for line := range strings.Lines(digest) {
		if i, ok := headingOf(line, !marked); ok {
			at = i
			continue
		}
		if strings.HasPrefix(line, "#") {
			at = carryover
		}
		b[at] = append(b[at], line...)
	}
	for i := range text {
		text[i] = strings.TrimSpace(string(b[i]))
	}
	return text
}
