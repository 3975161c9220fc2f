package digest

import (
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/core/jsonspan"
	"github.com/ctxfold/ctxfold/core/transcript"
)

// Ledger is what code, not a model, knows of the folded messages. Lists are sorted; a file that was modified is not
// listed as read.
//
//easyjson:json
type Ledger struct {
	Task     string   `json:"task,omitempty"` // the user's first request
	Read     []string `json:"read,omitempty"`
	Modified []string `json:"modified,omitempty"`
}

// The tools that read and modify files, under the names that agents give them (see ToolKey), and the arguments that hold
// a path.
var (
	readTools = []string{"read", "readfile", "view", "viewfile", "cat", "open", "openfile", "grep", "find", "ls", "glob", "search"}
	// BodyTools are the tools of which a result is the content of one file.
	bodyTools = []string{"read", "readfile", "view", "viewfile", "cat", "open", "openfile"}
	editTools = []string{"write", "writefile", "edit", "editfile", "multiedit", "create", "createfile", "strreplace",
		"strreplaceeditor", "strreplacebasededittool", "applypatch", "patch", "replace", "editor", "notebookedit"}
	pathKeys = []string{"path", "file_path", "filePath", "filepath", "file", "filename", "absolute_path", "target_file", "notebook_path"}
)

// ToolKey is a tool's name as the tables have it: lower case, without _ and -. Agents write Read, read_file, str-replace.
func ToolKey(name string) string {
	key := make([]byte, 0, len(name))
	for i := 0; i < len(name); i++ {
		c := name[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != '_' && c != '-' {
			key = append(key, c)
		}
	}
	return string(key)
}

// ReadsFile tells whether a tool's result is the content of one file.
func ReadsFile(tool string) bool { return slices.Contains(bodyTools, ToolKey(tool)) }

// EditsFile tells whether a tool changes files.
func EditsFile(tool string) bool { return slices.Contains(editTools, ToolKey(tool)) }

// Path is the path in the arguments of a tool call, or "".
func Path(t *transcript.Transcript, call *transcript.Part) string {
	args := []byte(nil)
	switch {
	case call.Body.Zero():
	case call.Has(transcript.JSONText):
		args = t.AppendText(nil, call.Body)
	default:
		args = t.Bytes(call.Body)
	}
	s := jsonspan.New(args)
	s.Lenient = true
	if s.Kind() != jsonspan.Object {
		return ""
	}
	best, path := len(pathKeys), ""
	for s.Object(); ; {
		key, ok := s.Key()
		if !ok {
			break
		}
		n := slices.Index(pathKeys, string(key))
		if n < 0 || n >= best || s.Kind() != jsonspan.String {
			s.Skip()
			continue
		}
		best, path = n, jsonspan.Text(args, s.Text().Span)
	}
	return path
}

// maxPath is the longest path, in bytes, that is taken for one; longer ones are no file names.
const maxPath = 1024

// Add collects the facts of messages.
func (l *Ledger) Add(t *transcript.Transcript, messages []int32) {
	for _, i := range messages {
		if l.Task == "" && t.HasUserText(int(i)) && !t.StartsWith(int(i), Header) {
			l.Task = Clip(strings.TrimSpace(t.Text(t.FirstText(int(i)))), 2000)
		}
		for _, p := range t.PartsOf(int(i)) {
			if p.Kind != transcript.ToolCall {
				continue
			}
			key := ToolKey(t.Text(p.Name))
			read, edit := slices.Contains(readTools, key), slices.Contains(editTools, key)
			if !read && !edit {
				continue
			}
			path := Path(t, &p)
			if path == "" || len(path) > maxPath || strings.ContainsAny(path, "\n\r") {
				continue
			}
			if edit {
				l.Modified = append(l.Modified, path)
			} else {
				l.Read = append(l.Read, path)
			}
		}
	}
	l.tidy()
}

func (l *Ledger) tidy() {
	slices.Sort(l.Modified)
	l.Modified = slices.Compact(l.Modified)
	slices.Sort(l.Read)
	l.Read = slices.Compact(l.Read)
	l.Read = slices.DeleteFunc(l.Read, func(path string) bool {
		_, found := slices.BinarySearch(l.Modified, path)
		return found
	})
}

// Text is the ledger as it stands at the end of every digest, in at most max bytes; newest or not, files are listed in
// order, and what does not fit is counted.
func (l *Ledger) Text(max int) string {
	var b strings.Builder
	for _, list := range []struct {
		tag   string
		paths []string
	}{{"modified-files", l.Modified}, {"read-files", l.Read}} {
		if len(list.paths) == 0 {
			continue
		}
		b.WriteString("\n\n<" + list.tag + ">\n")
		for i, path := range list.paths {
			path = Fence(path)
			if b.Len()+len(path) > max {
				b.WriteString("(" + itoa(len(list.paths)-i) + " more)\n")
				break
			}
			b.WriteString(path + "\n")
		}
		b.WriteString("</" + list.tag + ">")
	}
	return b.String()
}
