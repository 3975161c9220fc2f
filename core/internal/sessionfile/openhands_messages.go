package sessionfile

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ctxfold/ctxfold/core/internal/handles"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

const (
	ohFailed = "[An error occurred during execution.]\n" // precedes the result of a failed call
	// The maximum length of text in a tool result, in characters.
	ohToolLimit   = 50_000
	ohOutputLimit = 30_000 // the maximum length of a command's output, in characters
	// The notices in place of text that was cut off. A path follows ohSaved, and a line number ohSavedLine.
	ohClipped   = "<response clipped><NOTE>Due to the max output limit, only part of the full response has been shown to you.</NOTE>"
	ohSaved     = "<response clipped><NOTE>Due to the max output limit, only part of the full response has been shown to you. The complete output has been saved to "
	ohSavedLine = " - you can use other tools to view the full content (truncated part starts around line "
)

// write writes the messages of the view. All calls of one response become one message, and so do consecutive user
// messages.
func (o *openHands) write() {
	user := false // the last message is a plain user message, which the next user message continues
	for k := 0; k < len(o.view); k++ {
		entry := o.view[k]
		if entry < 0 {
			user = o.begin(user, "user")
			o.addOrigin(entry)
			o.textPart(o.events[ohSummaryOf(entry)].summary)
			o.appendPieces(`]}`)
			continue
		}
		e := &o.events[entry]
		switch e.kind {
		case ohSystem:
			user = o.begin(false, "system")
			o.addOrigin(entry)
			for _, key := range []string{"system_prompt", "dynamic_context"} {
				if at := stringAt(o.src, e.at, key+".text"); !at.IsZero() {
					o.textPart(at)
				}
			}
			o.appendPieces(`]}`)
		case ohSummary:
			user = o.begin(user, "user")
			o.addOrigin(entry)
			o.textPart(e.summary)
			o.appendPieces(`]}`)
		case ohMessage:
			user = o.said(entry, user)
		case ohAction:
			first := k
			for k+1 < len(o.view) && o.view[k+1] >= 0 && o.events[o.view[k+1]].kind == ohAction && o.events[o.view[k+1]].response == e.response {
				k++
			}
			user = o.calls(o.view[first : k+1])
		default:
			user = o.begin(false, "tool")
			o.addOrigin(entry)
			o.result(e)
			o.appendPieces(`]`)
			o.appendMember("tool_call_id", find(o.src, e.at, "tool_call_id"))
			o.appendMember("name", find(o.src, e.at, "tool_name"))
			o.appendPieces(`}`)
		}
	}
}

// begin starts a message and its content. If continues is true and the role is user, it continues the previous message
// instead. It returns true if the message is a user message.
func (o *openHands) begin(continues bool, role string) bool {
	if continues && role == "user" {
		o.Messages = o.Messages[:len(o.Messages)-len("]}")]
		return true
	}
	o.beginMessage()
	o.appendPieces(`{"role":"` + role + `","content":[`)
	return role == "user"
}

// comma writes a comma, except before the first part of the content.
func (o *openHands) comma() {
	if o.Messages[len(o.Messages)-1] != '[' {
		o.appendPieces(`,`)
	}
}

func (o *openHands) textPart(text jsonspan.Span) {
	o.comma()
	o.appendPieces(`{"type":"text","text":`, text, `}`)
}

func (o *openHands) madePart(text string) {
	o.comma()
	o.appendPieces(`{"type":"text","text":`, quoted(text), `}`)
}

func (o *openHands) imagePart(url jsonspan.Span) {
	o.comma()
	o.appendPieces(`{"type":"image_url","image_url":{"url":`, url, `}}`)
}

// each calls text for each text in content, and image for each image URL. content is a list of parts or a single text.
func (o *openHands) each(content jsonspan.Span, text, image func(at jsonspan.Span)) {
	if !content.IsZero() && o.src[content.Start] == '"' {
		text(content)
	}
	for _, part := range items(o.src, content) {
		if at := stringAt(o.src, part, "text"); !at.IsZero() {
			text(at)
			continue
		}
		for _, url := range items(o.src, find(o.src, part, "image_urls")) {
			if o.src[url.Start] == '"' {
				image(url)
			}
		}
	}
}

// writeParts writes the parts of content. It truncates long texts in tool results, and leaves out blank texts next to
// calls. calls says that the message has calls.
func (o *openHands) writeParts(content jsonspan.Span, role string, calls bool) {
	o.each(content, func(at jsonspan.Span) {
		switch {
		case calls && strings.TrimSpace(o.textAt(at)) == "":
		case role == "tool" && at.Len() > ohToolLimit:
			o.madePart(ohCut(o.textAt(at), ohToolLimit, "", ""))
		default:
			o.textPart(at)
		}
	}, o.imagePart)
}

// answer ends the content of a model message and writes its remaining members, except for the
// calls, from the object from. If the content is empty, it writes "" or, next to calls, no content
// at all.
func (o *openHands) answer(calls bool, from jsonspan.Span) {
	if o.Messages[len(o.Messages)-1] != '[' {
		o.appendPieces(`]`)
	} else {
		o.Messages = o.Messages[:len(o.Messages)-len(`,"content":[`)]
		if !calls {
			o.appendPieces(`,"content":""`)
		}
	}
	if blocks := find(o.src, from, "thinking_blocks"); !blocks.IsZero() && o.src[blocks.Start] == '[' && len(elements(blocks.Slice(o.src))) > 0 {
		o.appendMember("thinking_blocks", blocks)
	}
	if said := stringAt(o.src, from, "reasoning_content"); o.reasoned && said.Len() > 2 {
		o.appendMember("reasoning_content", said)
	}
}

// call writes the tool call with index n of a message.
func (o *openHands) call(n int, call jsonspan.Span) {
	if n == 0 {
		o.appendPieces(`,"tool_calls":[`)
	} else {
		o.appendPieces(`,`)
	}
	o.Messages = appendFilled(o.Messages, o.src, call, `{"id":$id?"";,"type":"function","function":{"name":$name?"";`)
	o.appendMember("arguments", stringAt(o.src, call, "arguments"))
	o.appendPieces(`}}`)
}

// calls writes a message with all calls of one response. batch has the indexes of their events. The event of the first
// call also contains the model's thoughts. It returns false, as the message isn't one of the user's.
func (o *openHands) calls(batch []int32) bool {
	o.begin(false, "assistant")
	first := o.events[batch[0]].at
	o.writeParts(find(o.src, first, "thought"), "assistant", true)
	o.answer(true, first)
	for n, i := range batch {
		o.addOrigin(i)
		o.call(n, find(o.src, o.events[i].at, "tool_call"))
	}
	o.appendPieces(`]}`)
	return false
}

// said writes a message that is stored as a single event, the entry with the given index. It returns true if that is a
// plain user message.
func (o *openHands) said(entry int32, user bool) bool {
	at := o.events[entry].at
	m := find(o.src, at, "llm_message")
	role := textOf(o.src, m, "role")
	if role != "assistant" && role != "system" && role != "tool" {
		role = "user"
	}
	id, name := stringAt(o.src, m, "tool_call_id"), stringAt(o.src, m, "name")
	calls := items(o.src, find(o.src, m, "tool_calls"))
	plain := role == "user" && calls == nil && id.IsZero() && name.IsZero()
	o.begin(user && plain, role)
	o.addOrigin(entry)
	called := role == "assistant" && calls != nil
	o.writeParts(find(o.src, m, "content"), role, called)
	o.writeParts(find(o.src, at, "extended_content"), role, called)
	if role != "assistant" {
		o.appendPieces(`]`)
	} else if o.answer(called, m); called {
		for n, call := range calls {
			o.call(n, call)
		}
		o.appendPieces(`]`)
	}
	if role == "tool" {
		o.appendMember("tool_call_id", id)
		o.appendMember("name", name)
	}
	o.appendPieces(`}`)
	return plain
}

// result writes the content of a tool result. e is the event with the result.
func (o *openHands) result(e *ohEvent) {
	switch e.kind {
	case ohReject:
		reason := "User rejected the action"
		if at := stringAt(o.src, e.at, "rejection_reason"); !at.IsZero() {
			reason = o.textAt(at)
		}
		o.madePart(ohCut("Action rejected: "+reason, ohToolLimit, "", ""))
		return
	case ohAgentError:
		o.writeParts(stringAt(o.src, e.at, "error"), "tool", false)
		return
	}
	seen := find(o.src, e.at, "observation")
	kind, content := ohObserved(o.src, seen), find(o.src, seen, "content")
	member := func(key string) string { return textOf(o.src, seen, key) }
	if kind == ohTask {
		o.madePart("Task ID: " + member("task_id") + "\nSubagent: " + member("subagent") + "\nStatus: " +
			member("status"))
	}
	if isTrue(o.src, seen, "is_error") {
		o.madePart(ohFailed)
	}
	switch kind {
	case ohTerminal:
		o.madePart(ohCut(o.output(seen, o.allText(content)), ohOutputLimit, member("full_output_save_dir"),
			"terminal_output_"))
	case ohBrowser:
		folder := member("full_output_save_dir")
		if text := o.allText(content); text != "" {
			o.madePart(ohCut(text, ohToolLimit, folder, "browser_output_"))
		}
		o.screenshot(stringAt(o.src, seen, "screenshot_data"), folder)
	default:
		o.writeParts(content, "tool", false)
	}
	o.writeParts(find(o.src, e.at, "extended_content"), "tool", false)
}

// ohTool is a tool whose observations OpenHands turns into text.
type ohTool uint8

const (
	ohPlain ohTool = iota
	ohTerminal
	ohBrowser
	ohTask
)

var ohTools = map[string]ohTool{"TerminalObservation": ohTerminal, "BrowserObservation": ohBrowser,
	"TaskObservation": ohTask}

// ohObserved returns the tool that made an observation.
func ohObserved(src []byte, observation jsonspan.Span) ohTool {
	return ohTools[textOf(src, observation, "kind")]
}

// allText returns the concatenated texts of content.
func (o *openHands) allText(content jsonspan.Span) string {
	var all []byte
	o.each(content, func(at jsonspan.Span) { all = jsonspan.AppendText(all, o.src, at) }, func(jsonspan.Span) {})
	return string(all)
}

// output returns text, the output of a command, with the terminal's metadata before and after it.
func (o *openHands) output(observation jsonspan.Span, text string) string {
	about := find(o.src, observation, "metadata")
	if about.IsZero() || o.src[about.Start] != '{' {
		return text
	}
	member := func(key string) string { return textOf(o.src, about, key) }
	text = member("prefix") + text + member("suffix")
	if folder := member("working_dir"); folder != "" {
		text += "\n[Current working directory: " + folder + "]"
	}
	if python := member("py_interpreter_path"); python != "" {
		text += "\n[Python interpreter: " + python + "]"
	}
	if code := find(o.src, about, "exit_code"); !code.IsZero() && string(code.Slice(o.src)) != "-1" {
		text += "\n[Command finished with exit code " + string(code.Slice(o.src)) + "]"
	}
	return text
}

// screenshot writes the image of a web page, and the path where OpenHands stores it. data is the image as base64, a
// JSON string; the path is in folder. If data is empty, it writes nothing.
func (o *openHands) screenshot(data jsonspan.Span, folder string) {
	if data.Len() <= 2 {
		return
	}
	text := o.textAt(data)
	mime := "png"
	for _, known := range [...][2]string{{"/9j/", "jpeg"}, {"iVBORw0KGgo", "png"}, {"R0lGODlh", "gif"}, {"UklGR", "webp"}} {
		if strings.HasPrefix(text, known[0]) {
			mime = known[1]
			break
		}
	}
	if folder != "" {
		end := mime
		if end == "jpeg" {
			end = "jpg"
		}
		o.madePart("Screenshot saved to: " + ohPath(folder,
			"browser_screenshot_"+handles.Handle([]byte(text))[:8]+"."+end))
	}
	o.comma()
	o.appendPieces(`{"type":"image_url","image_url":{"url":`, quoted("data:image/"+mime+";base64,"+text), `}}`)
}

func ohPath(folder, name string) string { return strings.TrimRight(folder, "/") + "/" + name }

// ohCut shortens text to at most limit characters by replacing its middle with a note. If folder is not empty,
// OpenHands has saved the whole text there, under a name that begins with name, and the note gives its path.
func ohCut(text string, limit int, folder, name string) string {
	if len(text) <= limit || utf8.RuneCountInString(text) <= limit {
		return text
	}
	runes := []rune(text)
	notice := ohClipped
	head := (limit - len(notice) + 1) / 2
	if folder != "" {
		line := strconv.Itoa(lineCount(runes[:head]) + 1)
		notice = ohSaved + ohPath(folder, name+handles.Handle([]byte(text))[:8]+".txt") + ohSavedLine + line +
			").</NOTE>"
	}
	left := limit - utf8.RuneCountInString(notice)
	if left <= 0 {
		return string([]rune(notice)[:limit])
	}
	head = min(head, left)
	return string(runes[:head]) + notice + string(runes[len(runes)-(left-head):])
}

// lineCount returns the number of lines in text, by Python's definition of line breaks.
func lineCount(text []rune) (n int) {
	for i, r := range text {
		switch r {
		case '\n':
			if i > 0 && text[i-1] == '\r' {
				continue
			}
			n++
		case '\r', '\v', '\f', 0x1c, 0x1d, 0x1e, 0x85, 0x2028, 0x2029:
			n++
		default:
			if i == len(text)-1 {
				n++
			}
		}
	}
	return n
}
