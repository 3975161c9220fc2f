package digest

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// Project is the kind of project instructions in a message, if any.
type Project uint8

// The kinds of project instructions that a message can contain.
const (
	NoProject    Project = iota
	ProjectFile          // an instruction file, such as AGENTS.md or CLAUDE.md
	ProjectSkill         // the text of a skill
)

// projectStarts lists the beginnings of texts with an instruction file. skillStarts lists the beginnings of texts with
// a skill.
var (
	projectStarts = []string{"# AGENTS.md instructions", "<INSTRUCTIONS>", "<user_instructions>", "# CLAUDE.md", "# GEMINI.md"}
	skillStarts   = []string{"Base directory for this skill:", "<skill>", "<skill ", "<skill_content"}
)

// instructionStarts holds the starts of both. ownStarts also holds the starts of program reminders and truncated texts.
var (
	instructionStarts = startsOf(projectStarts, skillStarts)
	ownStarts         = startsOf(projectStarts, skillStarts, []string{reminderOpen, TruncatedMarker})
)

// ProjectIn returns the kind of project instructions in message i, and a key that all versions of
// these instructions have in common. Agent programs put such instructions into user messages, or a
// tool returns them. If there are none, the results are NoProject and "".
func ProjectIn(t *transcript.Transcript, i int) (kind Project, key string) {
	m := &t.Messages[i]
	if m.Role != transcript.User && m.Role != transcript.Tool || m.Variant != transcript.Plain || m.Output {
		return NoProject, ""
	}
	kind, key, _ = projectPart(t, m)
	return kind, key
}

// ProjectFileText returns the index of the part in message i that contains an instruction file, or -1. It ignores a
// part in which the user's own words follow the file.
func ProjectFileText(t *transcript.Transcript, i int) int32 {
	kind, _, n := projectPart(t, &t.Messages[i])
	if kind != ProjectFile {
		return -1
	}
	text := strings.TrimSpace(t.Text(t.Parts[n].Body))
	if at := strings.LastIndex(text, reminderEnd); strings.HasPrefix(text, reminderOpen) && at+len(reminderEnd) < len(text) {
		return -1
	}
	return n
}

// projectPart is like ProjectIn, for message m, but also returns the index of the part with the instructions, or -1.
func projectPart(t *transcript.Transcript, m *transcript.Message) (kind Project, key string, part int32) {
	for n, p := range t.OuterParts(m) {
		if p.Has(transcript.Cleared) {
			continue
		}
		switch p.Kind {
		case transcript.ToolResult:
			if p.Has(transcript.IsError) || !skillTools.hasTool(ToolName(t, int(n))) || p.Size.Bytes < longCommand {
				continue
			}
			return ProjectSkill, ToolName(t, int(n)) + " " + callOf(t, p), n
		case transcript.Text:
			if m.Role != transcript.User {
				continue
			}
			if kind, key = projectText(t, n); kind != NoProject {
				return kind, key, n
			}
		}
	}
	return NoProject, "", -1
}

// callOf returns the arguments of the call that produced a result, or "" if the call is missing.
func callOf(t *transcript.Transcript, result *transcript.Part) string {
	if result.Pair < 0 {
		return ""
	}
	return CallArgs(t, &t.Parts[result.Pair])
}

// fileInReminders returns the first file of project instructions that one of the first reminders in text names, or "".
func fileInReminders(text string) string {
	for range mostAnswers {
		_, rest, found := strings.Cut(text, reminderOpen)
		if !found {
			break
		}
		reminder, after, _ := strings.Cut(rest, reminderEnd)
		if file := instructionFile(reminder); file != "" {
			return file
		}
		text = after
	}
	return ""
}

// projectText is like ProjectIn, with the same results, but examines only the user text at part index n.
func projectText(t *transcript.Transcript, n int32) (kind Project, key string) {
	body := t.Parts[n].Body
	if raw := t.Bytes(body); !ownStarts.mayOpen(raw) { // most texts
		if len(raw) > 2 && isPasted(t, n, func() string { return t.Text(body) }) {
			line, _, _ := strings.Cut(strings.TrimSpace(beginning(t, body, lookAhead)), "\n")
			return ProjectSkill, line
		}
		return NoProject, ""
	}
	head := withoutTruncatedMarker(strings.TrimSpace(beginning(t, body, lookAhead)))
	line, _, _ := strings.Cut(head, "\n")
	if instructionStarts.may(head) {
		if startsWithAny(head, projectStarts) {
			return ProjectFile, line
		}
		if startsWithAny(head, skillStarts) {
			return ProjectSkill, onOneLine(head)
		}
	}
	if strings.HasPrefix(head, reminderOpen) {
		if file := fileInReminders(t.Text(body)); file != "" {
			return ProjectFile, file
		}
		return NoProject, ""
	}
	if len(head) > 0 && isPasted(t, n, func() string { return t.Text(body) }) {
		return ProjectSkill, line
	}
	return NoProject, ""
}

// instructionFile returns the line that names an instruction file in a reminder from Claude Code, or "".
func instructionFile(reminder string) string {
	for from := reminder; ; {
		_, rest, found := strings.Cut(from, "Contents of ")
		if !found {
			return ""
		}
		line, _, _ := strings.Cut(rest, "\n")
		for _, name := range []string{"CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "GEMINI.md"} {
			if strings.Contains(line, name) {
				return line
			}
		}
		from = rest
	}
}
