package digest

import (
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// The maximum lengths, in bytes, of texts in an entry about a call of an unknown tool: mostArgument for an argument,
// mostTask for an argument that is a task for another agent, and mostReturned for a result on the same line.
const (
	mostArgument = 80
	mostTask     = 280
	mostReturned = 120
)

// calledVerb begins a unit about a call of a tool whose use is unknown.
const calledVerb = "called "

// unknownCall is a call of a tool whose use is unknown, with its result.
type unknownCall struct {
	message   int    // index of the message with the call
	name      string // the name of the tool
	said      string // the text of the unit, without the result
	text      string // the result
	short     string // the result without the lines that tools add around it
	added     string // what the result adds to what is known; "" if nothing, or if it isn't a record
	record    bool   // whether the result is a record
	delegates bool   // whether the tool gives a task to another agent
	does      bool   // whether the tool changes something outside of the conversation
	failed    bool   // whether the tool reported an error
	starts    bool   // whether the agent to which it gives the task works in the background
}

// other adds a call of a tool whose use is unknown, with its result. Of several identical calls in
// a turn, only the last one is kept. n is the index of the part with the result, and text is the
// result's text. failed means that the tool reported an error.
func (r *turnReader) other(i int, n int32, call *transcript.Part, text string, failed bool) {
	name := r.t.Name(call.Name)
	if name == "" || polling.hasTool(name) || closes(r.t, call) {
		return
	}
	c := unknownCall{message: i, name: name, text: text, short: strings.TrimSpace(withoutEnvelope(text)),
		delegates: delegating.hasTool(name), does: !isLookup(name) && isDeed(name)}
	c.failed = failed || c.does && hasErrorHead(c.short)
	if c.delegates && !c.failed {
		_, c.starts = startedWork(r.t, n)
	}
	args := argumentsOf(r.t, call)
	c.said = calledVerb + Fence(clipLine(name, maxName)+"("+onOneLine(c.arguments(args, r.userSaid))+")")
	if at, found := r.ran.Get(c.said); found && !r.unitAt(at).batch {
		r.drop(at)
	}
	c.added, c.record = r.added(string(args), c.short, c.does && !c.failed)
	u := unit{kind: ranUnit, message: int32(i), text: c.said, factor: c.factor()}
	if !r.tellResult(&u, &c) {
		return
	}
	if isLookup(name) && !c.failed {
		u.factor = ofCommand
	}
	r.countFailures(&u, c.said)
	if u.factor == ofDeed {
		u.text += r.now().failedBefore(name)
		r.join(&u, name, c.said, strings.TrimPrefix(u.text[len(c.said):], " → "), args)
	}
	r.ran.Set(c.said, r.here())
	r.add(u)
}

// countFailures counts the failures of a call in the turn, and adds their number to u, the unit of the last one, if there
// are several. A success sets the count to 0. said is the text of the unit without the result.
func (r *turnReader) countFailures(u *unit, said string) {
	if failures := r.failures.At(said); u.factor != ofFailure && u.factor != ofFailedDeed {
		*failures = 0
	} else if *failures++; *failures > 1 {
		u.text += " (failed " + itoa(*failures) + " times)"
	}
}

// arguments returns the arguments that the unit shows, on one line. userSaid reports whether the
// user has said a text.
func (c *unknownCall) arguments(args []byte, userSaid func(text string) bool) string {
	most, tool := mostArgument, ""
	if c.does {
		most, tool = mostDeedArgument, c.name
	}
	if c.delegates {
		most = mostTask
	}
	return argumentLine(args, most, tool, userSaid)
}

// factor returns the factor for the weight of the unit, as far as it depends on the tool. The
// result of the call may change it.
func (c *unknownCall) factor() int {
	switch {
	case c.does:
		return ofDeed
	case c.delegates:
		return ofTask
	}
	return ofCall
}

// tellResult adds what the result says to u, the unit of a call, or to the units of the turn. It returns false if the
// unit is complete and has been added, or isn't needed.
func (r *turnReader) tellResult(u *unit, c *unknownCall) bool {
	switch told := len(c.short) > mostReturned; {
	case c.failed:
		if u.factor = ofFailure; c.does {
			u.factor = ofFailedDeed
		}
		u.text += failedArrow + ": " + Fence(clipLine(complaint(plainText(c.short)), quotedChange))
	case c.starts:
		if !strings.Contains(c.said, "background") {
			u.text += backgroundNote
		}
	case c.added != "":
		u.text += " → " + Fence(c.added)
	case told && c.delegates:
		r.ran.Set(c.said, r.here())
		r.add(*u)
		r.report(c.message, c.name, c.text)
		return false
	case told && c.does && c.record: // the result adds nothing
	case c.record && isLookup(c.name):
		r.report(c.message, c.said[len(calledVerb):], c.short)
		return false
	case told:
		return r.tellLong(u, c)
	default:
		c.tellShort(u)
	}
	return true
}

// tellLong adds units from a long result, or its first line to u if that says that something is wrong or missing. It
// returns false if u isn't needed, because the units from the result suffice.
func (r *turnReader) tellLong(u *unit, c *unknownCall) bool {
	before := len(r.now().units)
	r.report(c.message, c.said[len(calledVerb):], c.text)
	if len(r.now().units) > before {
		return !isLookup(c.name)
	}
	line, _, _ := strings.Cut(c.short, "\n")
	if line = strings.Trim(line, "[ ]"); isTrouble(line) || strings.HasPrefix(line, "No ") {
		u.factor = ofFailure
		u.text += " → " + Fence(clipLine(line, quotedChange))
	}
	return true
}

// tellShort adds a short result to u, unless it says nothing more than that the call succeeded.
func (c *unknownCall) tellShort(u *unit) {
	switch {
	case strings.HasPrefix(lower(c.short[:min(len(c.short), len("success"))]), "success"):
		if !c.does {
			u.factor = ofCommand / 4
		}
	case saysOutcome(c.short):
		u.text += " → " + Fence(onOneLine(c.short))
	case c.does && strings.HasPrefix(c.short, "{"):
		u.text += " → " + Fence(argumentLine([]byte(c.short), mostArgument, "", nil))
	}
}

// hasErrorHead reports whether the result of a call that wasn't marked as failed begins like an
// error message.
func hasErrorHead(result string) bool {
	return strings.HasPrefix(lower(result[:min(len(result), len("error"))]), "error")
}

// isLookup reports whether the first word in the name of a tool suggests that the tool only shows something:
// "get_user", "listFiles".
func isLookup(name string) bool {
	name = name[strings.LastIndex(name, "__")+1:]
	name = strings.TrimLeft(name, "_")
	end := 0
	for end < len(name) && name[end] >= 'a' && name[end] <= 'z' {
		end++
	}
	word := name[:end]
	return queryWords.has(word) || lookers.has(word) || gitLooks.has(word)
}

// isDeed reports whether a word in the name of a tool shows that the tool changes something outside of the
// conversation: "send_certificate", "crm.createTicket".
func isDeed(name string) bool {
	from := 0
	for at := 1; at <= len(name); at++ {
		if at < len(name) && byteClass[name[at]]&small != 0 {
			continue
		}
		if doers.hasInAnyCase(strings.Trim(name[from:at], "_-.")) {
			return true
		}
		from = at
	}
	return false
}

// doers lists verbs in the names of tools that change something outside of the conversation.
var doers = wordListOf("send book rebook create update cancel modify change set add remove delete pay refund charge transfer exchange return submit place " +
	"order reserve register schedule reschedule assign approve confirm post publish issue close enable disable apply grant revoke insert reset")

// argumentLine formats the JSON arguments of a call on one line: "path: a.txt, limit: 5". most is the maximum size of a
// value in bytes; the line may be about three times as long. If tool is the name of one that changes something, an
// argument for its object comes first: the reservation_id of update_reservation. In a line so long that its end may be
// cut, arguments whose values are known to the reader come last.
func argumentLine(args []byte, most int, tool string, known func(value string) bool) string {
	if len(args) == 0 || !valid(jsonspan.New(args)) {
		return clipLine(string(args), most)
	}
	s := jsonspan.New(args)
	if s.Kind() != jsonspan.Object {
		return clipLine(string(args), most)
	}
	list := argumentsIn(args, most)
	if tool != "" {
		size := 0
		for _, a := range list {
			size += len(a.key) + len(a.value) + len(": ") + len(", ")
		}
		list = orderedArguments(list, tool, func(value string) bool { return size > usualDeed && known(value) })
	}
	var b strings.Builder
	for _, a := range list {
		if b.Len() > 2*most {
			break
		}
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		b.WriteString(a.key + ": " + a.value)
	}
	return b.String()
}

// mostArguments is the maximum number of arguments of a call that are put in order.
const mostArguments = 32

// orderedArguments returns the arguments of a call of a tool that changes something, the most
// informative ones first: the one for the tool's object, then those whose values aren't known, and
// then the others.
func orderedArguments(list []callValue, tool string, known func(value string) bool) []callValue {
	ordered := make([]callValue, 0, len(list))
	object := slices.IndexFunc(list, func(a callValue) bool { return isObjectOf(tool, a.key) })
	if object >= 0 {
		ordered = append(ordered, list[object])
	}
	var rest []callValue
	for i, a := range list {
		switch {
		case i == object:
		case i >= mostArguments || known(a.value):
			rest = append(rest, a)
		default:
			ordered = append(ordered, a)
		}
	}
	return append(ordered, rest...)
}

// saidWithin is the number of turns, with the current one, whose requests show which values the user said. lookSaid is
// the number of bytes of each request that are searched.
const (
	saidWithin = 8
	lookSaid   = 4000
)

// userSaid reports whether the user said a value in this turn or in one of the few before it.
func (r *turnReader) userSaid(value string) bool {
	for _, t := range r.turns[max(0, len(r.turns)-saidWithin):] {
		asked := t.request[:min(len(t.request), lookSaid)]
		if strings.Contains(asked, value) || strings.Contains(asked, strings.ReplaceAll(value, "_", "-")) {
			return true
		}
	}
	return false
}

// leastObject is the minimum length, in bytes, of a word that names the object of a tool.
const leastObject = 4

// isObjectOf reports whether the key of an argument begins with a word in the name of a tool: "reservation_id" and
// "update_reservation".
func isObjectOf(tool, key string) bool {
	end := 0
	for end < len(key) && byteClass[key[end]]&small != 0 {
		end++
	}
	return end >= leastObject && strings.Contains(tool, key[:end])
}

// argumentsIn returns the arguments of a call from its JSON, or nil if that isn't an object. most is the maximum size of
// a value in bytes.
func argumentsIn(args []byte, most int) (list []callValue) {
	s := jsonspan.New(args)
	if len(args) == 0 || s.Kind() != jsonspan.Object {
		return nil
	}
	for key := range s.Members {
		name, value := clipLine(string(key), maxName), ""
		if s.Kind() == jsonspan.String {
			value = jsonspan.Text(args, s.Text().Span)
		} else {
			value = string(appendPlain(nil, s, args))
		}
		list = append(list, callValue{name, clipLine(value, most)})
	}
	return list
}
