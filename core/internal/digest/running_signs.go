package digest

import (
	"bytes"
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// The kinds of running work.
const (
	shellWork    = "shell"
	agentWork    = "agent"
	timerWork    = "timer"
	approvalWork = "approval"
	taskWork     = "task"
)

// The maximum numbers of bytes to examine in a result, in a call's arguments, and after an id.
const (
	lookSign = 1500
	lookArgs = 1000
	nearID   = 200
)

// startSigns lists texts that precede an id in results of Claude Code, Codex and others that report that work
// continues. If with is set, the result must also contain that text.
var startSigns = []struct{ mark, kind, with string }{
	{"background with ID: ", shellWork, ""},
	{"background by user with ID: ", shellWork, ""},
	{"backgrounded by user with ID: ", shellWork, ""},
	{"Process running with session ID ", shellWork, ""},
	{"agentId: ", agentWork, "background"},
	{"Next wakeup scheduled for ", timerWork, ""},
	{"Task ID: ", taskWork, "background"},
	{"Monitor started (task ", taskWork, ""},
	{"Scheduled recurring job ", timerWork, ""},
	{"Scheduled one-shot task ", timerWork, ""},
}

// spawnTools lists tools that start agents that keep running. The names are in the form that ToolKey returns. The
// result of such a tool names the agent.
var spawnTools = wordListOf("spawnagent startagent launchagent")

// runningWords lists phrases, in lower case, that say that work continues.
var runningWords = []string{`"status":"running"`, `"status": "running"`, "<status>running", "status: running", `state="running"`, "state: running", `"state":"running"`,
	"still running", "is running in the background", "running in background", "started in background", "started in the background", "launched in background",
	`"status":"started"`, `"status": "started"`, `"status":"in_progress"`, `"status": "in_progress"`, `"status":"queued"`, `"status": "queued"`, "running with session id",
	`"status":"pending"`, `"status": "pending"`, "not_ready", "no new output"}

// overWords lists phrases, in lower case, that say that work is over.
var overWords = []string{"exited", "completed", "complete", "finished", "terminated", "failed", "killed", "cancelled", "canceled", "stopped", "succeeded", "exit code",
	"approved", "rejected", "denied", "granted", "expired", "not found", "no such", "no longer", "shut down", "shutdown", "closed", `"done"`, "is done"}

// stopTools lists substrings, in lower case, of the names of tools that end work.
var stopTools = []string{"kill", "stop", "cancel", "close", "terminate", "delete", "interrupt"}

// idKeys lists names, in lower case, that precede an id in a result. A quote, a colon or a space separates the name
// from the id.
var idKeys = []string{"task_id", "task id", "taskid", "job_id", "job id", "jobid", "session_id", "session id", "sessionid", "process_id", "process id", "processid",
	"shell_id", "shell id", "bash_id", "agent_id", "agent id", "agentid", "run_id", "run id", "terminal_id", "terminal id", "approval_id", "approval id", "request_id",
	"request id", "pid", `"id"`, "with id", "<task-id>"}

// signedWork returns the kind and the id of work that, according to one of the startSigns in the beginning of a result,
// continues. Both are "" if there is none. use is what the tool is used for.
func signedWork(use use, head string) (kind, id string) {
	for _, s := range startSigns {
		_, rest, found := strings.Cut(head, s.mark)
		if !found || s.with != "" && !strings.Contains(head, s.with) {
			continue
		}
		// The output of a command may quote such a line. A genuine one is at the beginning, or after the few header
		// lines that Codex writes.
		if use == runs && len(head)-len(rest) > shortNote {
			continue
		}
		if id := idAt(rest); id != "" {
			return s.kind, id
		}
	}
	return "", ""
}

// startedWork returns the work that continues according to the tool result at part n, and whether there is any.
func startedWork(t *transcript.Transcript, n int32) (r api.LedgerRunning, found bool) {
	p := &t.Parts[n]
	if p.Kind != transcript.ToolResult || p.Has(transcript.Removed|transcript.IsError) || p.Parent >= 0 {
		return r, false
	}
	name := ToolName(t, int(n))
	use := useOf(name)
	if use == reads || use == searches || use == edits { // the content of a file may contain such phrases
		return r, false
	}
	raw := t.Bytes(p.Body)
	if head := raw[:min(len(raw), lookSign)]; !containsAny(head, "ID", "id", "unning", "scheduled", "pproval") {
		return r, false
	}
	head := resultBeginning(t, int(n), lookSign)
	head = head[:min(len(head), lookSign)]
	if r.Kind, r.ID = signedWork(use, head); r.ID == "" {
		if r.Kind, r.ID = genericWork(name, use, head); r.ID == "" {
			return r, false
		}
	}
	if p.Pair >= 0 {
		r.About = workSubject(t, &t.Parts[p.Pair])
	}
	if r.Kind == shellWork && strings.HasPrefix(r.About, "sleep ") {
		r.Kind = timerWork
	}
	r.Output = outputPath(head)
	// A shell that only inspects something ends by itself, and nobody waits for it. A call without a command only polls
	// a shell, which the list contains already if it matters.
	return r, r.Kind != shellWork || r.Output != "" || r.About != "" && scriptKind(r.About) != looks
}

// genericWork returns the kind and the id of work that, according to a tool result from any agent, continues or waits
// for approval. name is the tool's name, use is what the tool is used for, and head is the beginning of the result.
// Both results are "" if nothing continues.
func genericWork(name string, use use, head string) (kind, id string) {
	low := lower(head)
	if len(low) != len(head) {
		return "", ""
	}
	key := bareTool(name)
	switch {
	case spawnTools.has(key):
		kind = agentWork
	case use == runs:
		first, _, _ := strings.Cut(low, "\n")
		if !strings.Contains(first, "background") {
			return "", ""
		}
		kind = shellWork
	case strings.Contains(low, "approval") && (strings.Contains(low, "pending") || strings.Contains(low, "await") || strings.Contains(low, "waiting") ||
		strings.Contains(low, "requested") || strings.Contains(low, "required")):
		kind = approvalWork
	default:
		for _, word := range runningWords {
			if strings.Contains(low, word) {
				kind = taskWork
				break
			}
		}
	}
	if kind == "" {
		return "", ""
	}
	if id = namedID(head, low); id == "" {
		return "", ""
	}
	return kind, id
}

// namedID returns the first id with a digit that follows one of the idKeys in the beginning of a result, or "". low is
// head in lower case.
func namedID(head, low string) string {
	for _, mark := range idKeys {
		for from := 0; ; {
			at := strings.Index(low[from:], mark)
			if at < 0 {
				break
			}
			from += at + len(mark)
			if id := idAt(strings.TrimLeft(head[from:], "\"': =#`")); strings.ContainsAny(id, "0123456789") {
				return id
			}
		}
	}
	return ""
}

// idAt returns the id at the beginning of text, or "" if there is none or if it is longer than 64 bytes. An id consists
// of ASCII letters, digits, _, -, : and dots, but doesn't end with -, : or a dot.
func idAt(text string) string {
	n := 0
	for n < len(text) && n <= 64 && (text[n] >= '0' && text[n] <= '9' || text[n] >= 'a' && text[n] <= 'z' || text[n] >= 'A' && text[n] <= 'Z' ||
		text[n] == '_' || text[n] == '-' || text[n] == '.' || text[n] == ':') {
		n++
	}
	if n > 64 {
		return ""
	}
	return strings.TrimRight(text[:n], ".:-")
}

// workSubject returns the command in the call that starts work, or else its description, name or prompt.
func workSubject(t *transcript.Transcript, call *transcript.Part) string {
	found, best := "", 9
	script := ""
	arguments(t, call, func(key, text string) {
		rank := 9
		switch meaning, _ := argumentOf(key); {
		case meaning == command:
			script = joinWords(script, text)
			return
		case key == "description" || key == "title" || key == "reason":
			rank = 1
		case key == "name" || key == "task_name" || key == "nickname":
			rank = 2
		case key == "prompt" || key == "task" || key == "message" || key == "instructions":
			rank = 3
		}
		if rank < best && !blank(text) {
			found, best = text, rank
		}
	})
	if script != "" {
		found = script
	}
	return clipLine(found, maxAbout)
}

// outputPath returns the file to which work writes its output, according to the result that starts the work, or "".
func outputPath(text string) string {
	for _, mark := range []string{"Output is being written to: ", "output_file: ", "Output file: ", "outputFile: ", `"output_file":"`, `"output_file": "`, `"outputFile":"`} {
		_, path, found := strings.Cut(text, mark)
		if !found {
			continue
		}
		path, _, _ = strings.Cut(path, "\n")
		path, _, _ = strings.Cut(path, `"`)
		for _, end := range []string{". You ", ". To ", ". Use ", " ("} {
			path, _, _ = strings.Cut(path, end)
		}
		if path = strings.TrimRight(strings.TrimSpace(path), "."); len(path) <= maxPath {
			return path
		}
	}
	return ""
}

// sign holds what a part may reveal about running work.
type sign struct {
	args, text string // the examined beginnings of the call's arguments and of the result, in lower case
	stops      bool   // the tool ends the work that its arguments name
	quotes     bool   // the tool prints texts from elsewhere
	notice     bool   // the agent program reports that something has ended
	failed     bool   // the call failed
}

// signOf returns what part n may reveal about running work. ok is false if the part is neither a
// tool result nor a notice that the agent program put into a user message.
func signOf(t *transcript.Transcript, n int32) (s sign, ok bool) {
	p := &t.Parts[n]
	switch p.Kind {
	case transcript.Text:
		if t.Messages[p.Msg].Role != transcript.User || p.Parent >= 0 {
			return s, false
		}
		s.text = lower(beginning(t, p.Body, lookSign))
		s.notice = strings.Contains(s.text, "<task-notification>") || strings.Contains(s.text, "<subagent_notification>")
		return s, s.notice
	case transcript.ToolResult:
		return signOfResult(t, n), true
	}
	return s, false
}

// signOfResult returns what the tool result at part n may reveal about running work.
func signOfResult(t *transcript.Transcript, n int32) sign {
	p := &t.Parts[n]
	name := ToolName(t, int(n))
	key, use := bareTool(name), useOf(name)
	text := ResultText(t, int(n))
	if len(text) > 2*lookSign {
		text = text[:lookSign] + "\n" + text[len(text)-lookSign:]
	}
	text = lower(text)
	if head, _, found := strings.Cut(text, "\noutput:\n"); found { // Codex: the command's output follows
		text = head
	}
	s := sign{text: text, quotes: use == reads || use == searches || use == edits || use == runs, failed: p.Has(transcript.IsError)}
	s.notice = strings.Contains(s.text, "<task-notification>") && !s.quotes
	if p.Pair >= 0 {
		args := CallArgs(t, &t.Parts[p.Pair])
		s.args = lower(args[:min(len(args), lookArgs)])
	}
	s.stops = slices.ContainsFunc(stopTools, func(stop string) bool { return strings.Contains(key, stop) }) ||
		use == runs && strings.Contains(s.args, "kill ")
	return s
}

// ends reports whether s shows that a piece of work is over.
func (s *sign) ends(r *api.LedgerRunning) bool {
	id := lower(r.ID)
	if s.notice {
		return s.announces(id, 2*nearID+len(r.Output))
	}
	if r.Kind == timerWork && !s.quotes && strings.HasPrefix(s.text, "loop stopped") {
		return true
	}
	switch at := mention(s.args, id); {
	case at < 0:
		return !s.quotes && s.tellsOf(id)
	case s.stops && !s.failed:
		return true
	case s.quotes:
		return false
	}
	if s.failed {
		return strings.Contains(s.text, "not found") || strings.Contains(s.text, "no such") || strings.Contains(s.text, "not running") || strings.Contains(s.text, "no task")
	}
	return over(s.text)
}

// announces reports whether a notice of the agent program says that the work with an id is over. near is the maximum
// distance between the id and the word that says so, in bytes.
func (s *sign) announces(id string, near int) bool {
	_, after, found := strings.Cut(s.text, "<task-id>"+id+"<")
	if !found {
		_, after, found = strings.Cut(s.text, `"`+id+`"`)
	}
	return found && over(after[:min(len(after), near)])
}

// tellsOf reports whether the text says, shortly after an id, that the work with this id is over.
func (s *sign) tellsOf(id string) bool {
	at := mention(s.text, id)
	return at >= 0 && over(s.text[at:min(len(s.text), at+len(id)+nearID)])
}

// over reports whether text in lower case says that work has ended and doesn't continue.
func over(text string) bool {
	for _, word := range runningWords {
		if strings.Contains(text, word) {
			return false
		}
	}
	for _, word := range overWords {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

// mention returns the offset of an id in text, which is in lower case, or -1. A number must follow "id", "kill" or
// "session".
func mention(text, id string) int {
	number := strings.Trim(id, "0123456789") == ""
	for from := 0; ; {
		at := strings.Index(text[from:], id)
		if at < 0 {
			return -1
		}
		at += from
		from = at + len(id)
		if at > 0 && isIDSign(text[at-1]) || from < len(text) && isIDSign(text[from]) {
			continue
		}
		if number && !strings.HasSuffix(strings.TrimRight(text[:at], "\"': =#([\\"), "id") && !strings.HasSuffix(strings.TrimRight(text[:at], "\"': =#"), "kill") &&
			!strings.HasSuffix(strings.TrimRight(text[:at], "\"': =#"), "session") {
			continue
		}
		return at
	}
}

func isIDSign(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c == '_' || c == '-'
}

func containsAny(text []byte, words ...string) bool {
	for _, w := range words {
		if bytes.Contains(text, []byte(w)) {
			return true
		}
	}
	return false
}

// searchesTools reports whether a tool finds and loads other tools, judging by its name.
func searchesTools(name string) bool {
	var room [maxToolName]byte
	return bytes.Contains(appendToolKey(room[:0], ownName(name)), []byte("toolsearch"))
}

// loadedTools returns the names of the tools that part n has loaded for later calls, or nil if it
// has loaded none. The result of a tool search contains references to these tools, or their
// definitions; once its message is removed, the tools are no longer available.
func loadedTools(t *transcript.Transcript, n int32) (names []string) {
	p := &t.Parts[n]
	if p.Kind != transcript.ToolResult && p.Kind != transcript.Opaque || p.Parent >= 0 || p.Has(transcript.Removed) {
		return nil
	}
	raw := t.Bytes(p.Span)
	head := raw[:min(len(raw), lookSign)]
	searches := p.Kind == transcript.ToolResult && searchesTools(ToolName(t, int(n)))
	if !searches && !(hasSign(head, "tool_", len("tool_")-1) && containsAny(head, "tool_reference", "tool_search")) {
		return nil
	}
	add := func(name string) {
		if name != "" && len(name) <= maxToolName && len(names) < maxUnloaded && !strings.ContainsAny(name, ",\n") {
			names = append(names, name)
		}
	}
	if searches && t.IsString(p.Body) { // definitions in text
		for text := t.Text(p.Body); len(names) < maxUnloaded; {
			_, rest, found := strings.Cut(text, "<function>")
			if !found {
				break
			}
			definition, after, _ := strings.Cut(rest, "</function>")
			src := []byte(strings.TrimSpace(definition))
			s := jsonspan.New(src)
			if s.Skip(); s.Err() == nil {
				toolNames(jsonspan.New(src), src, true, 0, add)
			}
			text = after
		}
		return names
	}
	toolNames(jsonspan.New(raw), raw, false, 0, add)
	return names
}

// toolNames calls add with each tool name in the next value of s, which may contain references to
// tools, or lists of tool definitions. definition means that the value itself is such a list or a
// definition. depth is its nesting level; whatever is more than eight levels deep is skipped.
func toolNames(s *jsonspan.Scanner, src []byte, definition bool, depth int, add func(string)) {
	switch {
	case depth > 8 || s.Kind() != jsonspan.Object && s.Kind() != jsonspan.Array:
		s.Skip()
	case s.Kind() == jsonspan.Array:
		for s.Array(); s.Err() == nil && s.Elem(); {
			toolNames(s, src, definition, depth+1, add)
		}
	default:
		for key := range s.Members {
			switch name := string(key); {
			case s.Kind() == jsonspan.String && (name == "tool_name" || name == "toolName" && depth > 0 || name == "name" && definition):
				add(jsonspan.Text(src, s.Text().Span))
			case name == "parameters" || name == "input_schema" || name == "inputSchema":
				s.Skip()
			default:
				toolNames(s, src, name == "tools", depth+1, add)
			}
		}
	}
}
