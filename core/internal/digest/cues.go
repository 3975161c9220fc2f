package digest

import "strings"

// decisionCues are words, in lower case, by which a line is known that says what the agent has decided. A few languages,
// because a digest is made in the language of the conversation.
var decisionCues = []string{"decided", "decision", "instead of", "because ", "root cause", "the fix", "the problem is", "the issue is",
	"turns out", "chose", "trade-off", "tradeoff", "confirmed", "so we ", "approach:", "reason:",
	"entschieden", "weil ", "stattdessen", "parce que", "décid", "porque ", "decid", "потому что", "решил", "因为", "决定", "原因", "決め", "ので", "때문"}

// A line of these sizes, in bytes, is a sentence; shorter ones say little and longer ones are text that was pasted.
const (
	minLine = 12
	maxLine = 400
)

// linesWith are the sentences of a text that have one of the cues.
func linesWith(text string, cues []string, max int) (out []string) {
	fenced := false
	for line := range strings.Lines(text[:min(len(text), lookText)]) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if fenced || len(line) < minLine || len(out) == max {
			continue
		}
		for _, s := range sentences(line) {
			if len(s) < minLine || len(s) > maxLine || len(out) == max {
				continue
			}
			low := strings.ToLower(s)
			for _, cue := range cues {
				if strings.Contains(low, cue) {
					out = append(out, strings.TrimLeft(s, "-*• "))
					break
				}
			}
		}
	}
	return out
}

// sentences splits a line after full stops.
func sentences(line string) (out []string) {
	from := 0
	for i := 0; i < len(line); i++ {
		end := 0
		switch c := line[i]; {
		case (c == '.' || c == '!' || c == '?') && i+1 < len(line) && line[i+1] == ' ':
			end = i + 1
		case c >= 0x80 && (strings.HasPrefix(line[i:], "。") || strings.HasPrefix(line[i:], "！") || strings.HasPrefix(line[i:], "？")):
			end = i + len("。")
		}
		if end > 0 {
			out = append(out, strings.TrimSpace(line[from:end]))
			from = end
		}
	}
	return append(out, strings.TrimSpace(line[from:]))
}

func decisionLines(said string) []string { return linesWith(said, decisionCues, 4) }

// checklist is the last list of boxes in a text ("- [ ] …", "- [x] …"), or "".
func checklist(text string) string {
	if !strings.Contains(text, "[ ]") {
		return ""
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		item := strings.TrimLeft(line, "-*+ \t0123456789.")
		if strings.HasPrefix(item, "[ ] ") || strings.HasPrefix(item, "[x] ") || strings.HasPrefix(item, "[X] ") {
			b.WriteString("- " + strings.TrimSpace(item) + "\n")
		}
	}
	return b.String()
}

// todos reads the arguments of a tool that keeps the plan: texts and their states, in either order.
type todos struct {
	b     strings.Builder
	item  string
	state string
}

// The boxes of the states that tools have.
var boxes = map[string]string{"pending": "[ ] ", "todo": "[ ] ", "not_started": "[ ] ", "in_progress": "[~] ", "in-progress": "[~] ",
	"completed": "[x] ", "done": "[x] ", "cancelled": "[-] "}

func (d *todos) see(key, text string) {
	switch key {
	case "content", "step", "text", "title", "description", "task":
		if d.item != "" {
			d.end()
		}
		d.item = text
	case "status", "state":
		if d.state != "" {
			d.end()
		}
		d.state = text
	case "plan", "explanation", "":
		d.b.WriteString(strings.TrimSpace(text) + "\n")
	}
	if d.item != "" && d.state != "" {
		d.end()
	}
}

func (d *todos) end() {
	if d.item != "" {
		d.b.WriteString("- " + boxes[d.state] + clipLine(d.item, 300) + "\n")
	}
	d.item, d.state = "", ""
}

func (d *todos) text() string {
	d.end()
	return strings.TrimSpace(d.b.String())
}
