package digest

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/words"
)

// planList is the plan of a session: the newest state in the tool that keeps it, or the newest checklist that the
// assistant wrote.
type planList struct {
	points  []point // in the order of the list
	head    string  // the line before the points, if the list comes from the previous digest
	message int32   // the message with the newest state
	written bool    // the list is in the assistant's text, so which steps are done is inferred
}

// point is a step of a plan: its id in the tool that keeps the plan, or "", its description, and
// its checkbox.
type point struct{ id, text, box string }

// The checkboxes of steps that are open, in progress and done.
const (
	openBox    = "[ ] "
	currentBox = "[~] "
	doneBox    = "[x] "
)

// pointStates lists the words for the states of steps in the arguments of tools that keep a plan, with one row for each
// state. pointBoxes holds the checkbox for each row; element 0 is for words that the table doesn't have. Points in
// deletedState are removed.
var (
	pointStates = words.NewTable("pending todo not_started not-started open", "in_progress in-progress", "completed complete done", "cancelled", deletedState)
	pointBoxes  = [...]string{"", openBox, currentBox, doneBox, "[-] ", deletedState}
)

const deletedState = "deleted"

const (
	mostPoint  = 300 // maximum length of a point in bytes
	mostPoints = 64
)

// The names of the arguments with a step's description (in order of preference), its id and its state.
var (
	pointKeys = []string{"content", "step", "subject", "title", "text", "task", "description"}
	pointIDs  = wordListOf("id taskId task_id")
	stateKeys = wordListOf("status state")
)

// checklist returns the points of a checklist in text ("- [ ] …", "- [x] …"), or nil if no point is open.
func checklist(text string) (points []point) {
	if !strings.Contains(text, openBox) {
		return nil
	}
	for line := range strings.Lines(text) {
		item := strings.TrimLeft(line, "-*+ \t0123456789.")
		if len(item) <= len(openBox) || item[0] != '[' || item[2] != ']' || item[3] != ' ' {
			continue
		}
		if box := strings.ToLower(item[:len(openBox)]); strings.ContainsAny(box[1:2], " x~-") {
			points = append(points, point{box: box, text: clipLine(item[len(openBox):], mostPoint)})
		}
	}
	return points
}

// replace replaces the points with those found in a message, if the message contains any.
func (p *planList) replace(points []point, message int32) {
	if len(points) > 0 {
		p.points, p.message, p.head = points[:min(len(points), mostPoints)], message, ""
	}
}

// pointReader reads the points in the arguments of a tool that keeps a plan.
type pointReader struct {
	points []point // the points whose description, id and state are separate arguments
	boxes  []point // the points of checklists in arguments
	now    point   // the point that is being read
	named  string  // the key of the argument that describes it, or ""
}

// argument reads one argument. A key that the current point already has begins the next point.
func (r *pointReader) argument(key, text string) {
	if list := checklist(text); list != nil {
		r.boxes = append(r.boxes, list...)
		return
	}
	rank := slices.Index(pointKeys, key)
	if key == r.named && r.named != "" || pointIDs.has(key) && r.now.id != "" || stateKeys.has(key) && r.now.box != "" {
		r.end()
	}
	switch {
	case pointIDs.has(key):
		r.now.id = text
	case stateKeys.has(key):
		r.now.box = pointBoxes[pointStates.Row(text)]
	case rank >= 0 && (r.named == "" || rank < slices.Index(pointKeys, r.named)):
		r.now.text, r.named = clipLine(text, mostPoint), key
	}
}

// end adds the current point unless it is empty.
func (r *pointReader) end() {
	if r.now.text != "" || r.now.id != "" {
		r.points = append(r.points, r.now)
	}
	r.now, r.named = point{}, ""
}

// call applies a call of a tool that keeps a plan. The call contains the whole list, a new point, or new states of some
// points. message is the index of the message with the call.
func (p *planList) call(t *transcript.Transcript, part *transcript.Part, message int32) {
	read := pointReader{}
	arguments(t, part, read.argument)
	read.end()
	known := func(x point) int {
		return slices.IndexFunc(p.points, func(old point) bool { return x.id != "" && old.id == x.id })
	}
	single := changesPoint(t.Name(part.Name))
	isNew := func(x point) bool { return known(x) < 0 }
	if !single && (read.boxes != nil || len(read.points) >= len(p.points) || slices.ContainsFunc(read.points, isNew)) {
		p.replace(append(read.points, read.boxes...), message)
		return
	}
	for _, new := range read.points {
		at := known(new)
		if at < 0 && new.text == "" || at < 0 && len(p.points) == mostPoints {
			continue
		}
		p.message, p.head = message, ""
		switch {
		case at < 0:
			if new.id == "" {
				new.id = itoa(len(p.points) + 1)
			}
			if new.box == "" {
				new.box = openBox
			}
			p.points = append(p.points, new)
		case new.box == deletedState:
			p.points = slices.Delete(p.points, at, at+1)
		default:
			p.points[at].box = cmp.Or(new.box, p.points[at].box)
			p.points[at].text = cmp.Or(new.text, p.points[at].text)
		}
	}
}

// goOn removes the plan if the messages that stay in the context, which begin at index from, contain a newer list. If
// all steps of the plan are done, any new step counts as a newer list.
func (p *planList) goOn(t *transcript.Transcript, from int) {
	for i := from; i < len(t.Messages) && len(p.points) > 0; i++ {
		for _, part := range t.PartsOf(i) {
			newer := false
			switch {
			case part.Has(transcript.Removed):
			case part.Kind == transcript.ToolCall:
				name := t.Name(part.Name)
				newer = useOf(name) == plans && (!changesPoint(name) || p.done() == len(p.points))
			case part.Kind == transcript.Text && t.Messages[i].Role == transcript.Assistant:
				text := t.Text(part.Body)
				text = text[:min(len(text), lookText)]
				newer = checklist(text) != nil || stepsIn(text) != nil && (p.written || p.done() == len(p.points))
			}
			if newer {
				*p = planList{}
				return
			}
		}
	}
}

// done returns the number of completed points.
func (p *planList) done() (n int) {
	for _, point := range p.points {
		if point.box == doneBox {
			n++
		}
	}
	return n
}

// changesPoint reports whether each call of the given plan tool changes a single point.
func changesPoint(tool string) bool { return strings.HasPrefix(bareTool(tool), "task") }

// The line before the points, and the line that replaces the whole list if all points are done.
const (
	planHead    = "The assistant's list of steps ([x] done, [~] being done, [ ] open), as it was in ["
	planAllDone = "All steps of the assistant's list were done in ["
	// writtenHead is the line before a list that comes from the assistant's text.
	writtenHead = "The plan that the assistant wrote down ([x] done, as far as the record shows), in ["
)

// text returns the plan as of the given turn, in at most size bytes, or "" if there is no plan. If the plan is too
// long, a line with the number of the first completed steps replaces these steps.
func (p *planList) text(turn, size int) string {
	if len(p.points) == 0 {
		return ""
	}
	lines := make([]string, 0, len(p.points))
	for _, point := range p.points {
		lines = append(lines, "- "+point.box+Fence(point.text))
	}
	head := p.head
	switch {
	case head != "":
	case p.written:
		head = writtenHead + itoa(turn) + "]:"
	case p.done() == len(lines):
		head = planAllDone + itoa(turn) + "]:"
	default:
		head = planHead + itoa(turn) + "]:"
	}
	room := size - len(head)
	for _, line := range lines {
		room -= len(line) + 1
	}
	left := 0
	lines = slices.DeleteFunc(lines, func(line string) bool {
		if room >= 0 || !strings.HasPrefix(line, "- "+doneBox) {
			return false
		}
		room += len(line) + 1
		left++
		return true
	})
	if left > 0 {
		lines = append([]string{"- " + doneBox + itoa(left) + " steps before these"}, lines...)
	}
	text := head + "\n" + strings.Join(lines, "\n")
	if len(text) > size {
		text = Clip(text, size)
	}
	return text
}

// readPlan parses the plan in a digest. ok is false if the digest contains no plan.
func readPlan(text string) (p planList, ok bool) {
	if strings.HasPrefix(text, planAllDone) {
		return p, true
	}
	p.written, p.message = strings.HasPrefix(text, writtenHead), -1
	if p.points = checklist(text); p.written || strings.HasPrefix(text, planHead) {
		p.head, _, _ = strings.Cut(text, "\n")
	}
	for i := range p.points {
		p.points[i].id = itoa(i + 1)
	}
	return p, len(p.points) > 0
}
