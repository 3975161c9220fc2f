package digest

import (
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// planList is the plan of a session, as the tool that keeps one was told last, or the last checklist that the assistant wrote.
type planList struct {
	points  []point
	head    string // the line before the points, of a list that is in the digest before
	message int32  // that said it last
}

// point is one thing that is to be done.
type point struct{ id, text, box string }

// The boxes of what is to be done, of what is being done, and of what is done.
const (
	openBox    = "[ ] "
	currentBox = "[~] "
	doneBox    = "[x] "
)

// pointStates are the words for a state in the arguments of tools that keep a plan, by the box that represents it; deleted points go.
var pointStates = map[string]string{"pending": openBox, "todo": openBox, "not_started": openBox, "not-started": openBox, "open": openBox, "in_progress": currentBox,
	"in-progress": currentBox, "completed": doneBox, "complete": doneBox, "done": doneBox, "cancelled": "[-] ", "deleted": "-"}

const (
	mostPoint  = 300 // bytes of a point
	mostPoints = 64
)

// The arguments that say what is to be done, the most telling first, which point is meant, its state, and those that may hold a list.
var (
	pointKeys = []string{"content", "step", "subject", "title", "text", "task", "description"}
	pointIDs  = wordListOf("id taskId task_id")
	stateKeys = wordListOf("status state")
	listKeys  = wordListOf("todos plan items tasks task_progress content todo_list steps")
)

// checklist are the points of the list of boxes in a text ("- [ ] …", "- [x] …"); none where nothing is open in it.
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

// replace takes the points that message says over in the place of those before.
func (p *planList) replace(points []point, message int32) {
	if len(points) > 0 {
		p.points, p.message, p.head = points[:min(len(points), mostPoints)], message, ""
	}
}

// call reads what a tool that keeps a plan is told: the whole list, a new point, or the state of one.
func (p *planList) call(t *transcript.Transcript, part *transcript.Part, message int32) {
	args := argumentsOf(t, part)
	s := jsonspan.New(args)
	if s.Skip(); s.Err() != nil {
		p.replace(checklist(string(args)), message)
		return
	}
	r := planReader{src: args}
	r.value(jsonspan.New(args), "")
	if !r.merge && (r.listed || len(r.boxes) > 0) {
		p.replace(append(r.points, r.boxes...), message)
		return
	}
	for _, new := range r.points {
		at := slices.IndexFunc(p.points, func(old point) bool { return new.id != "" && old.id == new.id })
		if at < 0 && new.text == "" || len(p.points) == mostPoints {
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
		case new.box == "-":
			p.points = slices.Delete(p.points, at, at+1)
		default:
			if new.box != "" {
				p.points[at].box = new.box
			}
			if new.text != "" {
				p.points[at].text = new.text
			}
		}
	}
}

// planReader reads points from the arguments of a call.
type planReader struct {
	src    []byte
	points []point
	boxes  []point // of checklists in texts
	listed bool    // points are in a list
	merge  bool    // the list adds to the one before
}

func (r *planReader) value(s *jsonspan.Scanner, key string) {
	switch s.Kind() {
	case jsonspan.Array:
		for s.Array(); s.Elem(); {
			r.listed = r.listed || s.Kind() == jsonspan.Object
			if s.Kind() == jsonspan.String && listKeys.has(key) {
				r.listed = true
				r.points = append(r.points, point{box: openBox, text: clipLine(jsonspan.Text(r.src, s.Text().Span), mostPoint)})
				continue
			}
			r.value(s, key)
		}
	case jsonspan.String:
		if text := jsonspan.Text(r.src, s.Text().Span); listKeys.has(key) {
			r.boxes = append(r.boxes, checklist(text)...)
		}
	case jsonspan.Object:
		r.object(s)
	default:
		s.Skip()
	}
}

func (r *planReader) object(s *jsonspan.Scanner) {
	var new point
	best := len(pointKeys)
	for s.Object(); ; {
		name, ok := s.Key()
		if !ok {
			break
		}
		key, kind := string(name), s.Kind()
		switch rank := slices.Index(pointKeys, key); {
		case kind == jsonspan.Array || kind == jsonspan.Object:
			r.value(s, key)
		case kind != jsonspan.String:
			span := s.Skip().Span
			if value := string(r.src[span.Start:span.End]); pointIDs.has(key) {
				new.id = value
			} else {
				r.merge = r.merge || key == "merge" && value == "true"
			}
		case stateKeys.has(key):
			new.box = pointStates[jsonspan.Text(r.src, s.Text().Span)]
		case pointIDs.has(key):
			new.id = jsonspan.Text(r.src, s.Text().Span)
		case rank >= 0 && rank < best:
			text := jsonspan.Text(r.src, s.Text().Span)
			if boxes := checklist(text); boxes != nil {
				r.boxes = append(r.boxes, boxes...)
			} else {
				best, new.text = rank, clipLine(text, mostPoint)
			}
		default:
			r.value(s, key)
		}
	}
	if new.text != "" || new.id != "" && new.box != "" {
		r.points = append(r.points, new)
	}
}

// The line before the points, and what it says instead where none is open.
const (
	planHead    = "The assistant's list of steps ([x] done, [~] being done, [ ] open), as it was in ["
	planAllDone = "All steps of the assistant's list were done in ["
)

// text is the plan, as it was in the turn of a number, in at most size bytes: where there are too many points, the first of those that are
// done are counted.
func (p *planList) text(turn, size int) string {
	if len(p.points) == 0 {
		return ""
	}
	done := 0
	lines := make([]string, 0, len(p.points))
	for _, point := range p.points {
		if point.box == doneBox {
			done++
		}
		lines = append(lines, "- "+point.box+Fence(point.text))
	}
	head := p.head
	switch {
	case head != "":
	case done == len(lines):
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
		lines = append([]string{"- " + doneBox + "(" + itoa(left) + " more)"}, lines...)
	}
	text := head + "\n" + strings.Join(lines, "\n")
	if len(text) > size {
		text = Clip(text, size)
	}
	return text
}

// readPlan reads the plan in a digest back; it is false for one that has no list.
func readPlan(text string) (p planList, ok bool) {
	if strings.HasPrefix(text, planAllDone) {
		return p, true
	}
	if p.points = checklist(text); strings.HasPrefix(text, planHead) {
		p.head, _, _ = strings.Cut(text, "\n")
	}
	for i := range p.points {
		p.points[i].id = itoa(i + 1)
	}
	return p, len(p.points) > 0
}
