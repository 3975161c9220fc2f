package digest

import "strings"

// checklist returns the last list of checkboxes in a text ("- [ ] …", "- [x] …"), or "".
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

// todos parses the arguments of a planning tool: texts and their states, in either order.
type todos struct {
	b     strings.Builder
	item  string
	state string
}

// The checkboxes for the states that tools use.
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
