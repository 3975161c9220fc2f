package digest

import (
	"bytes"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/words"
)

// use is what a tool does with the files or commands in its arguments.
type use uint8

const (
	unknown  use = iota
	reads        // the result is the content of one file
	searches     // searches or lists files
	edits        // changes files
	runs         // runs a command
	plans        // maintains a to-do list
)

// tools lists the names of tools whose use is known, in the form that ToolKey returns, with one row for each
// use.
var tools = words.NewTable([]string{
	reads - 1: "read readfile readfiles readmanyfiles readtextfile view viewfile viewlinerange cat open openfile getfile fsread fileread",
	searches - 1: "grep find ls glob list search searchfiles searchfilecontent listfiles listdir listdirectory ripgrep greptool grepsearch codebasesearch " +
		"semanticsearch filesearch findfile findfiles findbyname findpath searchdir searchfile searchforpattern directorytree listcodedefinitionnames goto scrollup scrolldown",
	edits - 1: "undoedit write writefile writetofile edit editfile multiedit create createfile strreplace strreplaceeditor " +
		"strreplacebasededittool applypatch applydiff patch replace replaceinfile searchreplace searchandreplace editor texteditor notebookedit " +
		"insert insertcontent insertatline append deletefile movefile rename fswrite filewrite fileedit replacestringinfile multireplacestringinfile " +
		"inserteditintofile replacefilecontent multireplacefilecontent createnewfile editexistingfile singlefindandreplace",
	runs - 1: "bash shell exec execcommand executecommand runcommand runcommands runshellcommand runterminalcmd runterminalcommand terminal " +
		"shellcommand localshell localshellcall executebash runinterminal powershell cmd sh",
	plans - 1: "todowrite todo updateplan plan writetodos updatetodolist exitplanmode tasklist taskcreate taskupdate settodolist managetodolist",
}...)

// ToolKey returns a tool's name in the form that the tables use: in lower case, without _ and -. Agents write the same
// name as Read, read_file or str-replace.
func ToolKey(name string) string { return string(appendToolKey(make([]byte, 0, len(name)), name)) }

func appendToolKey(key []byte, name string) []byte {
	for i := 0; i < len(name); i++ {
		c := name[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != '_' && c != '-' {
			key = append(key, c)
		}
	}
	return key
}

// ownName returns a tool's name without a leading server name or namespace.
func ownName(name string) string {
	if i := strings.LastIndex(name, "__"); i >= 0 {
		name = name[i+2:]
	}
	return name[strings.LastIndexByte(name, '.')+1:]
}

// useOf returns the use of a tool, judging by its name without a leading server name or namespace
// (mcp__files__read_file, functions.shell).
func useOf(name string) use {
	name = ownName(name)
	var room [32]byte
	return use(tools.Row(string(appendToolKey(room[:0], name))))
}

// useOfCall returns what a call does. Some tools for editing files can also show files, depending on their argument
// "command".
func useOfCall(t *transcript.Transcript, call *transcript.Part) use {
	u := useOf(t.Name(call.Name))
	if args := t.Bytes(call.Body); u == edits && bytes.Contains(args[:min(len(args), lookAhead)], []byte(viewCommand)) {
		arguments(t, call, func(key, text string) {
			if meaning, _ := argumentOf(key); meaning == command && text == viewCommand {
				u = reads
			}
		})
	}
	return u
}

// viewCommand is the argument that makes a tool for editing files show a file instead.
const viewCommand = "view"

// ReadsFile reports whether a tool's result is the content of one file.
func ReadsFile(tool string) bool { return useOf(tool) == reads }

// argument is the meaning of an argument of a tool call.
type argument uint8

const (
	plain argument = iota
	path
	command
	patch
)

// keysOf lists the names of arguments whose meaning is known. If a call has several arguments with the same meaning,
// the one whose name comes first in the list counts.
var keysOf = []struct {
	meaning argument
	keys    []string
}{
	{path, []string{"path", "file_path", "filePath", "filepath", "file", "filename", "absolute_path", "target_file", "notebook_path", "relative_path", "paths", "files"}},
	{command, []string{"command", "cmd", "script", "commands", "shell_command"}},
	{patch, []string{"input", "patch", "diff", "patchText"}},
}

// argumentOf returns the meaning of the value under a key, and the key's position in the list of keys with this
// meaning. A key without a known meaning is plain.
func argumentOf(key string) (meaning argument, rank int) {
	for _, k := range keysOf {
		for i, name := range k.keys {
			if name == key {
				return k.meaning, i
			}
		}
	}
	return plain, 0
}

// arguments calls see with every string in the arguments of a tool call, and with its key. A string in a list has the
// key of the list. Arguments that aren't JSON are passed as one string without a key.
func arguments(t *transcript.Transcript, call *transcript.Part, see func(key, text string)) {
	args := argumentsOf(t, call)
	if len(args) == 0 {
		return
	}
	if isText(t, call) {
		s := jsonspan.New(args)
		if s.Skip(); s.Err() != nil {
			see("", string(args))
			return
		}
	}
	stringsIn(jsonspan.New(args), args, "", see)
}

// stringsIn calls see for each string in the value at the scanner, with the key of the innermost member that contains
// it. key is the key of the value itself.
//
//go:noinline
func stringsIn(s *jsonspan.Scanner, src []byte, key string, see func(key, text string)) {
	valuesUnder(s, "", key, func(_, key string, v jsonspan.Value) {
		if v.Kind == jsonspan.String {
			see(key, jsonspan.Text(src, v.Span))
		}
	})
}

// valuesUnder calls see with each value in a JSON value that is neither an array nor an object, with its key, and with
// the key of the enclosing object. The elements of an array have the key of the array. s is at the value, which has
// key, and parent is the key of the object around it.
func valuesUnder(s *jsonspan.Scanner, parent, key string, see func(parent, key string, v jsonspan.Value)) {
	switch s.Kind() {
	case jsonspan.Array:
		for s.Array(); s.Elem(); {
			valuesUnder(s, parent, key, see)
		}
	case jsonspan.Object:
		for name := range s.Members {
			valuesUnder(s, key, string(name), see)
		}
	default:
		see(parent, key, s.Skip())
	}
}

// Path returns the path in the arguments of a tool call, or "". Only top-level members count. If several members are
// paths, the one whose name comes first in the table counts.
func Path(t *transcript.Transcript, call *transcript.Part) string {
	args := argumentsOf(t, call)
	s := jsonspan.New(args)
	if s.Kind() != jsonspan.Object {
		return ""
	}
	best, found := len(keysOf[0].keys), ""
	for key := range s.Members {
		meaning, rank := argumentOf(string(key))
		if meaning != path || rank >= best || s.Kind() != jsonspan.String {
			s.Skip()
			continue
		}
		best, found = rank, jsonspan.Text(args, s.Text().Span)
	}
	return found
}

// argumentsOf returns the arguments of a tool call as JSON, or the text that the call has instead. It returns nil if
// there are none.
func argumentsOf(t *transcript.Transcript, call *transcript.Part) []byte {
	switch {
	case call.Body.IsZero():
		return nil
	case isText(t, call):
		return t.AppendText(nil, call.Body)
	}
	return t.Bytes(call.Body)
}

// isText reports whether the arguments of a tool call are a JSON string, which usually contains JSON.
func isText(t *transcript.Transcript, call *transcript.Part) bool {
	return call.Has(transcript.JSONText) || t.IsString(call.Body)
}

// commandOf returns the script that a call of a shell tool runs. It returns "" if the call has none.
func commandOf(t *transcript.Transcript, call *transcript.Part) (script string) {
	arguments(t, call, func(key, text string) {
		if meaning, _ := argumentOf(key); meaning == command || key == "" {
			script = joinWords(script, text)
		}
	})
	return script
}
