package digest

import (
	"cmp"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// textCall is a call that the assistant wrote as text.
type textCall struct {
	tool    string          // the tool's name; shellTool for a block of commands
	command string          // the command to run, or ""
	path    string          // the file that the call is about, or ""
	text    string          // the arguments or commands in their original form
	given   []givenArgument // in the order of the call
}

// givenArgument is a named argument of a call that the assistant wrote as text.
type givenArgument struct{ key, value string }

// changes returns the changes made by a call of a tool that edits files. output is the call's output.
func (c *textCall) changes(output string) []change {
	return changesBy(c.tool, or(c.path, openFile(output)), func(see func(key, text string)) {
		for _, a := range c.given {
			see(a.key, a.value)
		}
		if c.given == nil {
			see("", c.text)
		}
	})
}

// shellTool is the tool name for a block of commands.
const shellTool = "bash"

// The number of bytes at the end of each text that are searched for calls, and the maximum number of calls to read in a
// message.
const (
	lookCalls = 1 << 16
	mostCalls = 16
)

// textCalls returns the calls in the texts of assistant message i. It returns nil if the transcript
// has no outputs written as text, because a fenced block in a chat is a quotation.
func textCalls(t *transcript.Transcript, i int) []textCall {
	if !t.Outputs || t.Messages[i].Role != transcript.Assistant {
		return nil
	}
	return callsIn(t, i)
}

// callsIn returns whatever looks like a call in the texts of message i, but at most mostCalls
// calls. It reads only the last lookCalls bytes of each text. It returns nil if the message isn't
// the assistant's.
func callsIn(t *transcript.Transcript, i int) (calls []textCall) {
	if t.Messages[i].Role != transcript.Assistant {
		return nil
	}
	for _, p := range t.PartsOf(i) {
		if p.Kind != transcript.Text || p.Parent >= 0 || p.Has(transcript.Removed|transcript.Said) {
			continue
		}
		text := t.Text(p.Body)
		if len(text) > lookCalls {
			text = text[len(text)-lookCalls:]
		}
		if calls = append(calls, callsOf(text)...); len(calls) >= mostCalls {
			return calls[:mostCalls]
		}
	}
	return calls
}

// callsOf returns the calls in text, or nil if there are none. It returns those in fenced blocks;
// if there are none, those in tags; failing that, the call on a line that names an action; and
// otherwise the call in JSON that makes up the whole text.
func callsOf(text string) []textCall {
	if calls := fencedCalls(text); len(calls) > 0 {
		return calls
	}
	if calls := taggedCalls(text); len(calls) > 0 {
		return calls
	}
	if calls := actionLine(text); len(calls) > 0 {
		return calls
	}
	if body := strings.TrimSpace(text); strings.HasPrefix(body, "{") {
		return jsonCall(body)
	}
	return nil
}

// callsInBlock returns the calls in a fenced block with the given language, in lower case.
func callsInBlock(language, body string) []textCall {
	switch language {
	case "sh", "shell", "zsh", "console", "powershell", "cmd", "command":
		return []textCall{shellCall(body)}
	case "python", "py", "ipython", "tool_code", "execute_ipython":
		return []textCall{{tool: "python", text: strings.TrimSpace(body)}}
	case "json", "tool_call", "tool", "action":
		return jsonCall(strings.TrimSpace(body))
	}
	if strings.HasSuffix(language, "bash") || strings.HasSuffix(language, "bash_command") {
		return []textCall{shellCall(body)}
	}
	return nil
}

// callsInBareBlock returns the call in a fenced block without a language: one in JSON, or else a shell command.
func callsInBareBlock(body string) []textCall {
	if named := jsonCall(strings.TrimSpace(body)); named != nil {
		return named
	}
	return []textCall{shellCall(body)}
}

// fencedCalls returns the calls in fenced blocks: those for a shell or an interpreter, and blocks of JSON that name a
// tool. If there are none, it returns the last block without a language, unless other text follows that block.
func fencedCalls(text string) (calls []textCall) {
	bare := ""
	for {
		_, rest, found := strings.Cut(text, "```")
		if !found {
			break
		}
		language, rest, found := strings.Cut(rest, "\n")
		if !found {
			break
		}
		body, after, found := strings.Cut(rest, "```")
		if !found && strings.TrimSpace(rest) == "" {
			break
		}
		text, bare = after, ""
		language = strings.ToLower(strings.TrimSpace(language))
		calls = append(calls, callsInBlock(language, body)...)
		if language == "" && strings.TrimSpace(after) == "" {
			bare = body
		}
		if !found {
			break
		}
	}
	if len(calls) == 0 && strings.TrimSpace(bare) != "" {
		return callsInBareBlock(bare)
	}
	return calls
}

// shellCall returns a block of commands as a call. If the block begins with an agent's own command for opening,
// creating or editing a file, it returns a call of that kind, with the file if the command names it.
func shellCall(body string) textCall {
	body = strings.TrimSpace(body)
	c := textCall{tool: shellTool, command: body, text: body}
	line, _, _ := strings.Cut(body, "\n")
	words := strings.Fields(line)
	if len(words) < 2 {
		return c
	}
	switch words[0] {
	case "open":
		return textCall{tool: "open_file", path: strings.Trim(words[1], `"'`), text: body}
	case "create":
		return textCall{tool: "create_file", path: strings.Trim(words[1], `"'`), text: body}
	case "edit", "insert":
		return editCall(words[0], body)
	case "str_replace_editor":
		if len(words) > 2 {
			c.tool, c.path = "edit_file", words[2]
			if words[1] == viewCommand {
				c.tool = "view_file"
			}
		}
	}
	return c
}

// endOfEdit is the line after the new lines of SWE-agent's command "edit FIRST:LAST".
const endOfEdit = "\nend_of_edit"

// editCall returns a call of an SWE-agent command that changes the open file: edit FIRST:LAST with the new lines after
// it, edit OLD NEW, or insert NEW. tool is that command, and body the whole block.
func editCall(tool, body string) textCall {
	c := textCall{tool: tool, text: body}
	first, rest, _ := strings.Cut(body, "\n")
	if lines := strings.Fields(first)[1]; exitOf(lines) != "" && strings.Contains(lines, ":") {
		c.given = []givenArgument{{"new_str", strings.TrimSuffix(rest, endOfEdit)}}
		return c
	}
	rest = strings.TrimSpace(body[len(tool):])
	old, end := shellWord(rest, 0)
	now, _ := shellWord(rest, min(len(rest), end+1))
	switch {
	case tool == "insert":
		c.given = []givenArgument{{"new_str", old}}
	case now != "":
		c.given = []givenArgument{{"old_str", old}, {"new_str", now}}
	}
	return c
}

// toolInTag returns the tool that the tag of a call names. head is the text between the angle brackets, and body the
// text after them. isCall is false for the tag of anything else.
func toolInTag(name, head, body string) (tool string, isCall bool) {
	switch name {
	case "function":
		if tool, isCall = strings.CutPrefix(head, "function="); isCall {
			return strings.Trim(tool, ` "'`), true
		}
	case "invoke":
		return attribute(head, "name"), true
	case "execute_bash", "bash":
		return shellTool, true
	case "execute_command":
		if !strings.Contains(body, "<command>") {
			return shellTool, true
		}
	case "execute_ipython", "attempt_completion", "ask_followup_question":
		return name, true
	}
	return name, useOf(name) != unknown && head == name
}

// taggedCalls returns the calls in tags: <function=name> with <parameter=key>, <invoke name="…"> with <parameter
// name="…">, <tool_call> with JSON, <execute_bash>, and a tag named like a tool that contains a tag for each argument.
// There are at most mostCalls of them.
func taggedCalls(text string) (calls []textCall) {
	for at := 0; at < len(text) && len(calls) < mostCalls; {
		open := strings.IndexByte(text[at:], '<')
		if open < 0 {
			break
		}
		at += open + 1
		name := tagName(text[at:])
		if name == "" {
			continue
		}
		size := strings.IndexByte(text[at:min(len(text), at+longestTag)], '>')
		if size < 0 {
			continue
		}
		head, body := text[at:at+size], text[at+size+1:]
		if name == "tool_call" || name == "function_call" {
			body, after, _ := strings.Cut(body, "</"+name+">")
			calls = append(calls, jsonCall(strings.TrimSpace(body))...)
			at = len(text) - len(after)
			continue
		}
		tool, isCall := toolInTag(name, head, body)
		if !isCall {
			continue
		}
		call := textCall{tool: tool}
		end := "</" + name + ">"
		inside, after, closed := strings.Cut(body, end)
		if !closed && name != "function" {
			continue
		}
		call.arguments(inside)
		calls = append(calls, call)
		at = len(text) - len(after)
		if !closed {
			break
		}
	}
	return calls
}

// longestTag is the maximum length of a tag with its attributes, in bytes.
const longestTag = 120

// tagName returns the tag name at the beginning of text. It consists of lower-case letters, digits, _ and -.
func tagName(text string) string {
	n := 0
	for n < len(text) && n < longestLead &&
		(text[n] >= 'a' && text[n] <= 'z' || n > 0 && (text[n] == '_' || text[n] == '-' || text[n] >= '0' && text[n] <= '9')) {
		n++
	}
	return text[:n]
}

// attribute returns the value of the attribute with the given name in a tag, or "".
func attribute(tag, name string) string {
	_, value, found := strings.Cut(tag, name+"=")
	if !found || value == "" {
		return ""
	}
	if quote := value[0]; quote == '"' || quote == '\'' {
		value, _, _ = strings.Cut(value[1:], string(quote))
	}
	return value
}

// arguments reads the arguments between the tags of a call. They are added to c, and so is the file that they name.
func (c *textCall) arguments(inside string) {
	c.text = strings.TrimSpace(inside)
	best := len(keysOf[0].keys)
	found := false
	for rest := inside; ; {
		_, after, more := strings.Cut(rest, "<")
		if !more {
			break
		}
		name := tagName(after)
		size := strings.IndexByte(after[:min(len(after), longestTag)], '>')
		if rest = after; name == "" || size < 0 {
			continue
		}
		key := name
		if name == "parameter" {
			if key = attribute(after[:size], "name"); key == "" {
				key = strings.Trim(strings.TrimPrefix(after[:size], "parameter="), ` "'`)
			}
		}
		value, next, closed := strings.Cut(after[size+1:], "</"+name+">")
		if !closed {
			continue
		}
		rest, found = next, true
		c.argument(key, strings.TrimSpace(value), &best)
	}
	if !found && c.command == "" && (c.tool == shellTool || useOf(c.tool) == runs) {
		c.command = c.text
	}
}

// argument adds one argument of a call. *best is the lowest rank of the keys for a path that were seen so far.
func (c *textCall) argument(key, value string, best *int) {
	switch meaning, rank := argumentOf(key); {
	case meaning == path && rank < *best:
		*best, c.path = rank, value
	case meaning == command && useOf(c.tool) == runs:
		c.command = value
	case meaning == command && value == viewCommand && useOf(c.tool) == edits:
		c.tool = "view_file"
	}
	c.given = append(c.given, givenArgument{key, value})
}

// jsonCall returns a call that is written in JSON, as an object with a tool's name and its arguments. It returns nil
// for any other text.
func jsonCall(text string) []textCall {
	src := []byte(text)
	s := jsonspan.New(src)
	if len(src) == 0 || s.Kind() != jsonspan.Object {
		return nil
	}
	if s.Skip(); s.Err() != nil {
		return nil
	}
	c := textCall{text: text}
	s = jsonspan.New(src)
	best := len(keysOf[0].keys)
	for key := range s.Members {
		switch string(key) {
		case "name", "tool", "tool_name", "action", "function":
			if s.Kind() == jsonspan.String {
				c.tool = jsonspan.Text(src, s.Text().Span)
				continue
			}
		}
		if s.Kind() != jsonspan.Object && s.Kind() != jsonspan.String {
			s.Skip()
			continue
		}
		stringsIn(s, src, string(key), func(key, text string) {
			if meaning, _ := argumentOf(key); meaning == command && c.tool == "" {
				c.command = text
			}
			c.argument(key, text, &best)
		})
	}
	if c.tool == "" && c.command != "" {
		c.tool = shellTool
	}
	if c.tool == "" {
		return nil
	}
	return []textCall{c}
}

// actionLine returns a call written on one line: "Action: name[argument]", or "Action: name",
// followed by a line "Action Input:" with the argument. Without an argument, the text after
// "Action:" is a shell command. It returns nil if text contains no such line.
func actionLine(text string) []textCall {
	at := strings.LastIndex("\n"+text, "\nAction:")
	if at < 0 {
		return nil
	}
	line, rest, _ := strings.Cut(text[at+len("Action:"):], "\n")
	line = strings.TrimSpace(line)
	if line == "" {
		line, rest, _ = strings.Cut(strings.TrimSpace(rest), "\n")
	}
	if name, input, found := strings.Cut(line, "["); found && strings.HasSuffix(input, "]") {
		return []textCall{{tool: strings.TrimSpace(name), text: input[:len(input)-1]}}
	}
	if _, input, found := strings.Cut(rest, "Action Input:"); found {
		c := textCall{tool: line, text: strings.TrimSpace(input)}
		if useOf(line) == runs {
			c.command = c.text
		}
		if named := jsonCall(c.text); named != nil {
			c.command, c.path = named[0].command, named[0].path
		}
		return []textCall{c}
	}
	if line == "" {
		return nil
	}
	return []textCall{shellCall(line)}
}

// inText collects facts from the texts of message i: its calls or, if it is the output of calls, their outcome.
func (c *collector) inText(i int) {
	t := c.t
	if !isTextResult(t, i) {
		if t.Messages[i].Role != transcript.Assistant {
			return
		}
		c.called = textCalls(t, i)
		for _, call := range c.called {
			c.textCall(call)
		}
		return
	}
	text := textOutput(t, i)
	exit := exitIn(text)
	if exit == "" && failedText(text) {
		exit = "failed"
	}
	for k, call := range c.called {
		of := exit
		if k < len(c.called)-1 {
			of = "" // the output belongs to all calls together, but its exit code is that of the last one
		}
		on := call.path
		if useOf(call.tool) == edits && !failedText(text) {
			c.Modified = addPath(c.Modified, or(call.path, openFile(text)))
			patchedFiles(call.text, func(path string) { c.Modified = addPath(c.Modified, path) })
		}
		if call.command != "" {
			on = call.command
			c.patches.ran(call.command, func() string { return text }, func(patch string) {
				patchedFiles(patch, func(path string) { c.Modified = addPath(c.Modified, inFolder(folderOf(call.command), path)) })
			})
			c.scripts.ran(call.command, func() bool { return exit != "" && exit != "0" }, func() string { return text }, func(change *change) {
				c.Modified = addPath(c.Modified, inFolder(folderOf(call.command), change.path))
			}, func(string, string) {})
			c.ran(call.command, of)
		}
		if k == len(c.called)-1 {
			run := runOf(call.command, text, exit == "failed")
			failed := exit != "" && exit != "0" && !abandoned(text) && (run.kind != looks || call.command == "")
			c.ended(call.tool, on, cmp.Or(run.failure, complaint(plainText(text))), failed)
		}
	}
	c.called = nil
}

// textCall collects the files that a call reads, and those that its command changes. Changes made by editing tools are
// collected once their output is known.
func (c *collector) textCall(call textCall) {
	folder := folderOf(call.command)
	read := func(path string) { c.Read = addPath(c.Read, inFolder(folder, path)) }
	wrote := func(path string) {
		if path = inFolder(folder, path); !thrownAway(path) {
			c.Modified = addPath(c.Modified, path)
		}
	}
	if u := useOf(call.tool); call.path != "" && (u == reads || u == searches) {
		read(call.path)
	}
	if call.command != "" {
		shellFiles(call.command, read, wrote)
	}
}
