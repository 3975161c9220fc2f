package digest

import (
	"bytes"
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// The messages of some agents contain no tool calls: the assistant writes its calls as text, in a fenced block or in
// tags, and the output arrives as the next user message. This file distinguishes such outputs from what a user says;
// text_calls.go parses the calls.

// outputMarks lists, in lower case, the beginnings of user messages that contain a tool's output, or the program's
// complaint about an unreadable call.
var outputMarks = []string{"<returncode>", "<output>", "<observation>", "<exit_code>", "<stdout>", "<tool_response>", "<tool_result>",
	"<tool_output>", "<function_result", "<execution_result", "<execution_output", "<command_output>", "<warning>\nthe output of your last command",
	"observation:", "observation\n", "[observation", "execution result", "execution output:", "execution succeeded", "tool result", "tool output",
	"tool response", "[tool result", "[tool output", "command output:", "output of the command", "return code:", "returncode:", "exit code:",
	"stdout:", "please always provide exactly one action", "format error", "[error] you did not use a tool"}

// longestLead is the maximum length, in bytes, of a label at the beginning or a prompt at the end of a message, which
// are compared with those of other messages. lookAhead is the number of bytes to read at the beginning of a message.
const (
	longestLead = 40
	lookAhead   = 200
)

// MarkOutputs marks those of the first n messages that are outputs of calls written as text (Message.Output). Only user
// messages after an answer can be outputs, and only on two conditions: most of these messages begin like outputs, or
// begin or end alike, and most of the assistant messages before them contain calls. It also records whether results
// report failures. If wanted is false, it only removes the marks of an earlier run.
func MarkOutputs(t *transcript.Transcript, n int, wanted bool) {
	t.Outputs, t.Failures = false, transcript.AnyHas(t.Parts, transcript.IsError)
	for i := range t.Messages {
		t.Messages[i].Output = false
	}
	if !wanted {
		return
	}
	after := afterAssistant(t, n)
	like := outputsAmong(t, after)
	if len(like) == 0 || 2*len(like) <= len(after) {
		return
	}
	calls := 0
	for _, i := range like {
		if len(callsIn(t, int(i)-1)) > 0 {
			calls++
		}
	}
	if 2*calls <= len(like) {
		return
	}
	t.Outputs = true
	for _, i := range like {
		t.Messages[i].Output = true
	}
}

// afterAssistant returns those of the first n messages that are user messages with text and
// directly follow an assistant message, except for digests and other messages that a compaction
// wrote.
func afterAssistant(t *transcript.Transcript, n int) (after []int32) {
	for i := 1; i < n; i++ {
		m := &t.Messages[i]
		if m.Role != transcript.User || m.Variant != transcript.Plain || t.Messages[i-1].Role != transcript.Assistant ||
			!t.HasUserText(i) || t.FirstText(i).IsZero() || StyleOf(t, i) != nil || IsLine(t, i) || IsLoop(t, i) {
			continue
		}
		after = append(after, int32(i))
	}
	return after
}

// outputsAmong returns the messages that begin like outputs or, if these are a minority, the messages that share the
// most common beginning or end.
func outputsAmong(t *transcript.Transcript, messages []int32) (like []int32) {
	var leads, ends critbit.Map[int]
	type edge struct {
		lead, end string // the beginning of a message, and its last line if that ends like a prompt; otherwise ""
		output    bool   // whether it begins as tools' output does
	}
	edgesOf := make([]edge, len(messages))
	count := func(of *critbit.Map[int], key string) {
		if key != "" {
			*of.At(key)++
		}
	}
	for k, i := range messages {
		lead, end := edges(t, int(i))
		e := edge{leadOf(lead), end, isOutputLead(lead)}
		if edgesOf[k] = e; e.output {
			like = append(like, i)
		}
		count(&leads, e.lead)
		count(&ends, e.end)
	}
	if 2*len(like) > len(messages) || len(messages) < 3 {
		return like
	}
	most := func(of *critbit.Map[int], key string) bool {
		n, _ := of.Get(key)
		return key != "" && n >= 3 && 2*n > len(messages)
	}
	like = like[:0]
	for k, i := range messages {
		if e := &edgesOf[k]; e.output || most(&leads, e.lead) || most(&ends, e.end) {
			like = append(like, i)
		}
	}
	return like
}

// edges returns the beginning of message i's first text and, if that text ends with a shell prompt, its last line. Both
// may be "".
func edges(t *transcript.Transcript, i int) (lead, end string) {
	s := t.FirstText(i)
	raw := t.Bytes(s)
	if len(raw) < 3 || !mayEdge(raw) {
		return "", ""
	}
	if len(raw) <= 2*lookAhead {
		lead = t.Text(s)
		end = lead
	} else {
		lead = beginning(t, s, lookAhead)
		end = string(raw[len(raw)-1-longestLead : len(raw)-1])
		if at := strings.LastIndex(end, `\n`); at >= 0 {
			end = end[at+2:]
		}
	}
	end = strings.TrimRight(end, " \r\n")
	end = end[strings.LastIndexByte(end, '\n')+1:]
	if len(end) > longestLead || !strings.HasSuffix(end, "$") && !strings.HasSuffix(end, "#") && !strings.HasSuffix(end, ">>>") {
		end = ""
	}
	return strings.TrimLeft(lead, " \t\r\n"), end
}

// mayEdge reports whether the text of a JSON string may begin with a tag, a label or an output mark, or end with a
// shell prompt. It returns false for most texts by people.
func mayEdge(raw []byte) bool {
	head := raw[1:min(len(raw), 1+longestLead)]
	return head[0] <= ' ' || head[0] == '<' || head[0] == '[' || bytes.IndexByte(head, ':') >= 0 || bytes.IndexByte(head, '\\') >= 0 ||
		outputWords.mayOpen(raw) || mayPromptEnd(bytes.TrimRight(raw[1:len(raw)-1], " "))
}

// mayPromptEnd reports whether the content of a JSON string ends with a byte of a shell prompt, or with an escape.
func mayPromptEnd(b []byte) bool {
	n := len(b)
	return n > 0 && (b[n-1] == '$' || b[n-1] == '#' || b[n-1] == '>') || n > 1 && b[n-2] == '\\'
}

// beginning returns about the first n bytes of a string. It never cuts inside an escape or a character.
func beginning(t *transcript.Transcript, s transcript.Span, n int) string {
	raw := t.Bytes(s)
	if len(raw) <= n+2 {
		return t.Text(s)
	}
	end := 1
	for end < n {
		at := bytes.IndexByte(raw[end:n], '\\')
		if at < 0 {
			end = n
			break
		}
		if end += at + 2; raw[end-1] == 'u' {
			end += 4
		}
	}
	end = min(end, len(raw)-1)
	for end > 1 && raw[end]&0xc0 == 0x80 {
		end--
	}
	return t.Text(transcript.Span{Start: s.Start, End: s.Start + uint32(end) + 1})
}

// outputStarts are the starts of outputMarks. outputWords are the starts of those marks that begin with a letter.
var (
	outputStarts = startsOf(outputMarks)
	outputWords  = startsOf(slices.DeleteFunc(slices.Clone(outputMarks), func(mark string) bool { return byteClass[mark[0]]&small == 0 }))
)

// isOutputLead reports whether text begins like the output of a tool.
func isOutputLead(lead string) bool {
	if outputStarts.may(lead) {
		for _, mark := range outputMarks {
			if len(lead) >= len(mark) && strings.EqualFold(lead[:len(mark)], mark) {
				return true
			}
		}
	}
	return isResultHead(lead)
}

// isResultHead reports whether text begins with Cline's heading of a tool result: "[name for 'x'] Result:", "[name]
// Result:".
func isResultHead(lead string) bool {
	if !strings.HasPrefix(lead, "[") {
		return false
	}
	line, _, _ := strings.Cut(lead, "\n")
	return strings.HasSuffix(strings.TrimRight(line, " \r"), "] Result:")
}

// leadOf returns the tag or label at the beginning of text: "<name>", "LABEL:" or "[label]". It returns "" if there is
// none of at least four characters.
func leadOf(lead string) string {
	lead = lead[:min(len(lead), longestLead)]
	line, _, _ := strings.Cut(lead, "\n")
	var end int
	switch {
	case strings.HasPrefix(line, "<"):
		end = strings.IndexByte(line, '>')
	case strings.HasPrefix(line, "["):
		end = strings.IndexByte(line, ']')
	default:
		end = strings.IndexByte(line, ':')
		if end < 0 && len(line) < len(lead) && line != "" && strings.ToUpper(line) == line && strings.ToLower(line) != line {
			end = len(line) - 1 // a label on a line of its own, in capitals
		}
	}
	if end < 3 || strings.Count(line[:end], " ") > 3 {
		return ""
	}
	return line[:end+1]
}

// isTextResult reports whether message i is the output of a call written as text.
func isTextResult(t *transcript.Transcript, i int) bool { return t.Messages[i].Output }

// outputHeads lists, in lower case, the beginnings of lines that agents put before a tool's output.
var outputHeads = []string{"observation", "[observation", "execution result", "tool result", "tool output", "command output:", "output of the command"}

// textOutput returns the text of message i, an output of calls written as text, without the line that introduces it.
func textOutput(t *transcript.Transcript, i int) (output string) {
	for _, p := range t.OuterParts(&t.Messages[i]) {
		if p.Kind == transcript.Text {
			output = joinText(output, t.Text(p.Body))
		}
	}
	head, rest, found := strings.Cut(strings.TrimLeft(output, "\r\n"), "\n")
	if found && (isResultHead(head) || strings.HasSuffix(strings.TrimRight(head, " \r"), ":") && headedBy(head, outputHeads)) {
		return rest
	}
	return output
}

// openMark precedes the name of the file that SWE-agent's commands edit, in the last lines of their output.
const openMark = "\n(Open file: "

// openFile returns the open file that the last lines of a command's output name, or "".
func openFile(output string) string {
	at := strings.LastIndex(output, openMark)
	if at < 0 || at < len(output)-maxPath {
		return ""
	}
	path, _, found := strings.Cut(output[at+len(openMark):], ")\n")
	if !found || path == "n/a" {
		return ""
	}
	return path
}

// calledBefore returns the calls, written as text, whose output is message i, or nil if the message before it contains
// none.
func calledBefore(t *transcript.Transcript, i int) []textCall {
	if i == 0 {
		return nil
	}
	return callsIn(t, i-1)
}

// textRead returns the only file that calls written as text print, or "" if they print none or several, or if they
// fail. It records in l the files that they change.
func (l *laterChanges) textRead(calls []textCall, output string) (path string) {
	only := true
	for _, call := range calls {
		read := ""
		switch {
		case call.command != "":
			read = l.ran(call.command)
		case useOf(call.tool) == edits && call.path != "":
			l.files.Add(call.path)
		default:
			read = call.path
		}
		only = only && (path == "" || read == "")
		path = max(path, read)
	}
	if !only || failedText(output) {
		return ""
	}
	return path
}
