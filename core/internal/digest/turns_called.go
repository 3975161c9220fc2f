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

// other adds a call of a tool whose use is unknown, with its result. Of several identical calls in a turn, only the
// last one is kept. text is the result, and failed says that the tool reported an error.
func (r *turnReader) other(i int, call *transcript.Part, text string, failed bool) {
	name := r.t.Name(call.Name)
	if name == "" || polling.hasTool(name) || closes(r.t, call) {
		return
	}
	delegates, does, most := delegating.hasTool(name), !isLookup(name) && isDeed(name), mostArgument
	switch {
	case delegates:
		most = mostTask
	case does:
		most = mostDeedArgument
	}
	args := argumentsOf(r.t, call)
	about := ""
	if does {
		about = name
	}
	said := calledVerb + Fence(clipLine(name, maxName)+"("+onOneLine(argumentLine(args, most, about, r.isAsked))+")")
	if at, found := r.ran.Get(said); found && !r.unitAt(at).batch {
		r.drop(at)
	}
	short := strings.TrimSpace(withoutEnvelope(text))
	failed = failed || does && hasErrorHead(short)
	u := unit{kind: ranUnit, message: int32(i), text: said, factor: ofCall}
	added, record := r.added(string(args), short, does && !failed)
	switch {
	case does:
		u.factor = ofDeed
	case delegates:
		u.factor = ofTask
	}
	switch told := len(short) > mostReturned; {
	case failed:
		if u.factor = ofFailure; does {
			u.factor = ofFailedDeed
		}
		u.text += failedArrow + ": " + Fence(clipLine(complaint(plainText(short)), quotedChange))
	case added != "":
		u.text += " → " + Fence(added)
	case told && delegates:
		r.ran.Set(said, r.here())
		r.add(u)
		r.report(i, name, text)
		return
	case told && does && record: // the result adds nothing
	case record && isLookup(name):
		r.report(i, said[len(calledVerb):], short)
		return
	case told:
		before := len(r.now().units)
		r.report(i, said[len(calledVerb):], text)
		if len(r.now().units) > before && isLookup(name) { // the units from its result suffice
			return
		}
		line, _, _ := strings.Cut(short, "\n")
		if line = strings.Trim(line, "[ ]"); len(r.now().units) == before && (isTrouble(line) || strings.HasPrefix(line, "No ")) {
			u.factor = ofFailure
			u.text += " → " + Fence(clipLine(line, quotedChange))
		}
	case strings.HasPrefix(lower(short[:min(len(short), len("success"))]), "success"): // the result says nothing more
		if !does {
			u.factor = ofCommand / 4
		}
	case saysOutcome(short):
		u.text += " → " + Fence(onOneLine(short))
	case does && strings.HasPrefix(short, "{"):
		u.text += " → " + Fence(argumentLine([]byte(short), mostArgument, "", nil))
	}
	if isLookup(name) && !failed {
		u.factor = ofCommand
	}
	if failures := r.failures.At(said); u.factor != ofFailure && u.factor != ofFailedDeed {
		*failures = 0
	} else if *failures++; *failures > 1 {
		u.text += " (failed " + itoa(*failures) + " times)"
	}
	if u.factor == ofDeed {
		u.text += r.now().failedBefore(name)
		r.join(&u, name, said, strings.TrimPrefix(u.text[len(said):], " → "), args)
	}
	r.ran.Set(said, r.here())
	r.add(u)
}

// hasErrorHead reports whether the result of a call that wasn't marked as failed begins as an error.
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
	return asksOnly.has(word) || lookers.has(word) || gitLooks.has(word)
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

// orderedArguments returns the arguments of a call of a tool that changes something, in the order in which they are worth
// being read: the one for the tool's object, those whose values aren't known, and the others.
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

// askedWithin is the number of turns, with the current one, whose requests show which values the user said. lookAsked is
// the number of bytes of each request that are searched.
const (
	askedWithin = 8
	lookAsked   = 4000
)

// isAsked reports whether the user said a value in this turn or in one of the few before it.
func (r *turnReader) isAsked(value string) bool {
	for _, t := range r.turns[max(0, len(r.turns)-askedWithin):] {
		asked := t.asked[:min(len(t.asked), lookAsked)]
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
	for s.Object(); ; {
		key, ok := s.Key()
		if !ok {
			return list
		}
		name, value := clipLine(string(key), maxName), ""
		if s.Kind() == jsonspan.String {
			value = jsonspan.Text(args, s.Text().Span)
		} else {
			value = string(appendPlain(nil, s, args))
		}
		list = append(list, callValue{name, clipLine(value, most)})
	}
}
