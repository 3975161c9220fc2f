package digest

import (
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// A digest that has said everything about the turns, and still has room, shows lines of the files that were read: those that later messages
// build on, and those that say most. Lines that later edits removed, and files that were rewritten, are left out.

// leastShown is the minimum room for that, leastShowing the minimum size of the digest, and leastFile that of a file, in bytes.
const (
	leastFile    = 200
	leastShown   = 1200
	leastShowing = 6000
)

// leastDivided is the size of a digest, in bytes, from which on the log of an agent that writes its calls as text leaves half of what is
// more to the files that were read.
const leastDivided = 9000

// The sizes of the lines of one file, in bytes: those that later messages repeat, and all of them.
const (
	mostRepeated = 150
	mostShown    = 2400
)

// lookShown is how many bytes of files are considered, those read last first.
const lookShown = 1 << 18

// shownFiles are the files of which a digest may show lines.
type shownFiles struct {
	excerpts    *Excerpts
	heads       []string // by file: the turn that read it, and its name
	sizes, most []int
}

// shownLines returns lines of files in at most size bytes, each file under its name. log is the log above them.
func (e *Extract) shownLines(size int, log string) string {
	if e.shown == nil {
		e.shown = e.filesToShow()
	}
	s := e.shown
	s.excerpts.known = append(slices.Clone(e.beside), log)
	heads := 0
	for _, head := range s.heads {
		heads += len(head)
	}
	var b strings.Builder
	for i, lines := range s.excerpts.Choose(s.sizes, s.most, size-min(heads, size/4)) {
		if lines == "" {
			continue
		}
		text := s.heads[i] + strings.ReplaceAll(Fence(lines), "\n", "\n"+requestIndent) + "\n"
		if b.Len()+len(text) <= size {
			b.WriteString(text)
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// laterChanges is what happens to files after a message.
type laterChanges struct {
	files   critbit.Map[struct{}] // that were rewritten, moved or changed by a command
	edited  critbit.Map[struct{}] // of which some lines were edited
	removed critbit.Map[struct{}] // lines that edits removed
	read    critbit.Map[struct{}] // lines that are read again
}

// filesToShow returns the files that were read last.
func (e *Extract) filesToShow() *shownFiles {
	var later laterChanges
	var parts []int32
	var texts []string
	s := &shownFiles{}
	room := lookShown
	for k := len(e.messages) - 1; k >= 0 && room > 0; k-- {
		m := &e.t.Messages[e.messages[k]]
		for n := m.First + m.Count - 1; n >= m.First; n-- {
			path, text := e.fileRead(e.messages[k], n, &later)
			if path == "" || later.files.Has(path) {
				continue
			}
			text = later.without(withoutEnvelope(text), later.edited.Has(path))
			if room -= len(text); len(text) < leastFile {
				continue
			}
			parts, texts = append(parts, n), append(texts, text)
			s.heads = append(s.heads, "["+itoa(e.log.turnAt(e.messages[k]))+"] "+Fence(strings.TrimPrefix(path, e.log.base))+":")
			s.sizes, s.most = append(s.sizes, min(mostRepeated, len(text)/2)), append(s.most, min(mostShown, len(text)/2))
		}
	}
	slices.Reverse(parts)
	slices.Reverse(texts)
	slices.Reverse(s.heads)
	slices.Reverse(s.sizes)
	slices.Reverse(s.most)
	messages := slices.Clip(e.messages)
	if n := len(messages); n > 0 {
		for i := int(messages[n-1]) + 1; i < len(e.t.Messages); i++ {
			messages = append(messages, int32(i))
		}
	}
	s.excerpts = newExcerpts(e.t, messages, parts, texts, true)
	s.excerpts.gaps = true
	return s
}

// fileRead returns the file whose content a result in a message is, and the content; "" if it is none. A change goes to later.
func (e *Extract) fileRead(message, result int32, later *laterChanges) (path, content string) {
	p := &e.t.Parts[result]
	switch {
	case p.Has(transcript.Removed | transcript.IsError):
		return "", ""
	case p.Kind == transcript.Text && p.Parent < 0 && isTextResult(e.t, int(message)):
		content = e.t.Text(p.Body)
		return later.textRead(calledBefore(e.t, int(message)), content), content
	case p.Kind != transcript.ToolResult || p.Pair < 0:
		return "", ""
	}
	call := &e.t.Parts[p.Pair]
	switch useOf(e.t.Text(call.Name)) {
	case reads:
		path = Path(e.t, call)
	case edits:
		for _, c := range changesOf(e.t, call) {
			later.add(&c)
		}
	case runs:
		path = later.ran(commandOf(e.t, call))
	}
	return path, ResultText(e.t, int(result))
}

// add notes an edit.
func (l *laterChanges) add(c *change) {
	if c.created || c.deleted {
		l.files.Add(c.path)
		return
	}
	l.edited.Add(c.path)
	for _, line := range c.removed {
		l.removed.Add(line)
	}
}

// ran notes the files that a script changes, and returns the only one that it prints, or "".
func (l *laterChanges) ran(script string) string {
	folder := folderOf(script)
	var printed []string
	changed := &l.files
	if strings.Contains(script, "sed -i") && !strings.Contains(script, ">") { // most lines stay
		changed = &l.edited
	}
	shellFiles(script, func(path string) { printed = addPath(printed, inFolder(folder, path)) }, func(path string) { changed.Add(inFolder(folder, path)) })
	if len(printed) != 1 || kindOf(withoutFolder(script)) != looks || searchedFor(script) != "" {
		return ""
	}
	return printed[0]
}

// without returns the content of a file without the lines that were removed later or are read again; without their numbers if it was edited.
func (l *laterChanges) without(text string, edited bool) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		shown := line
		if edited {
			shown = line[numbered(line):]
		}
		code := strings.TrimSpace(line[numbered(line):])
		switch {
		case code == "":
			b.WriteString(shown)
		case !l.removed.Has(code) && !l.read.Has(code):
			b.WriteString(shown)
		}
	}
	for line := range strings.Lines(text) {
		l.read.Add(strings.TrimSpace(line[numbered(line):]))
	}
	return b.String()
}
