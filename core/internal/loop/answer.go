package loop

import (
	"strconv"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/internal/operations"
	"github.com/mailru/easyjson/jwriter"
)

// answer is the response of an operation. Only the members that decide how the job continues are decoded.
type answer struct {
	json    []byte  // the whole response
	members members // its members, undecoded
	changed bool    // whether the report says that the transcript has changed
	before  int     // tokens
	cut     int     // number of messages that the due compaction replaces; 0 if unknown
	reason  string  // the reason in the report; "" if there is none
}

// readAnswer reads the response of an operation. Members that are missing or have the wrong type count as zero values:
// core wrote the response, so they aren't checked.
func readAnswer(json []byte) answer {
	a := answer{json: json, members: readMembers(json)}
	report := readMembers(a.members.valueOf("report"))
	a.changed = string(report.valueOf("changed")) == "true"
	a.before = numberOf(readMembers(report.valueOf("tokens")).valueOf("before"))
	a.cut = numberOf(report.valueOf("cut_point"))
	a.reason = textOf(report.valueOf("reason"))
	if memory := a.members.valueOf("memory"); memory != nil {
		lists := (&entry{Entry: memory}).lists()
		a.cut = numberOf(lists[len(lists)-1].valueOf("messages"))
	}
	return a
}

// hasRequests reports whether the operation has returned requests for summaries.
func (a *answer) hasRequests() bool { return a.members.valueOf("plan") != nil }

// compacts reports whether the operation asks for summaries or has compacted.
func (a *answer) compacts() bool { return a.hasRequests() || a.changed }

// startsInBackground reports whether the response asks for a background compaction.
func (a *answer) startsInBackground() bool { return string(a.members.valueOf("start")) == "true" }

// knownEntry returns the index of the memory entry that the operation applied, or -1.
func (a *answer) knownEntry() int {
	known := a.members.valueOf("known")
	if known == nil {
		return -1
	}
	n, err := strconv.Atoi(string(known))
	if err != nil {
		return -1
	}
	return n
}

// textMember returns the text of a member, or "" if there is no such text.
func (a *answer) textMember(name string) string { return textOf(a.members.valueOf(name)) }

// withoutMemory returns the response without the memory entry, which is saved separately.
func (a *answer) withoutMemory() api.Raw {
	memory := a.members.valueOf("memory")
	if memory == nil {
		return a.json
	}
	// memory is a subslice of the response, so the two capacities give its position.
	end := cap(a.json) - cap(memory) + len(memory)
	start := end - len(memory) - len(`,"memory":`)
	return append(a.json[:start:start], a.json[end:]...)
}

// usualMembers is the number of members that most objects here have at most.
const usualMembers = 16

// members lists the members of an object. It isn't a map because only a few members are looked up, and hostile names
// can't make a search through a list slow.
type members []struct{ name, value []byte }

// readMembers returns the members of an object, or nil for any other value.
func readMembers(json []byte) (list members) {
	if len(json) > 0 && json[0] == '{' {
		list = make(members, 0, usualMembers)
	}
	eachMember(json, func(name, value []byte) {
		list = append(list, struct{ name, value []byte }{name, value})
	})
	return list
}

// valueOf returns the value of the last member with the given name; nil if there is none.
func (m members) valueOf(name string) []byte {
	for i := len(m) - 1; i >= 0; i-- {
		if string(m[i].name) == name {
			return m[i].value
		}
	}
	return nil
}

// elementsOf returns the elements of a list; nil for any other value.
func elementsOf(json []byte) (list [][]byte) {
	if len(json) == 0 || json[0] != '[' {
		return nil
	}
	s := jsonspan.New(json)
	for s.Array(); s.Elem(); {
		v := s.Skip()
		if s.Err() != nil {
			return nil
		}
		list = append(list, json[v.Start:v.End])
	}
	return list
}

// textsOf returns the elements of a list as texts; "" for an element that isn't a string.
func textsOf(json []byte) (list []string) {
	for _, each := range elementsOf(json) {
		list = append(list, textOf(each))
	}
	return list
}

// textOf returns the text of a JSON string; "" for any other value.
func textOf(json []byte) string {
	if len(json) < 2 || json[0] != '"' {
		return ""
	}
	return jsonspan.Text(json, jsonspan.Span{Start: 0, End: uint32(len(json))})
}

// numberOf returns the value of a whole number, limited to 1<<30; 0 for any other value or a negative one.
func numberOf(json []byte) int { return int(min(int64Of(json), 1<<30)) }

// int64Of returns the value of a whole number from 0 to MaxTime; 0 for any other value.
func int64Of(json []byte) int64 {
	if len(json) == 0 {
		return 0
	}
	n, err := strconv.ParseInt(string(json), 10, 64)
	if err != nil || n < 0 || n > MaxTime {
		return 0
	}
	return n
}

// marshalJSON returns the JSON written by write, the MarshalEasyJSON method of a value.
func marshalJSON(write func(*jwriter.Writer)) []byte {
	w := jwriter.Writer{NoEscapeHTML: true, Flags: jwriter.NilSliceAsEmpty}
	write(&w)
	b, _ := w.BuildBytes() // cannot fail with generated marshalers
	return b
}

func appendOptions(o *api.Options) []byte { return marshalJSON(o.MarshalEasyJSON) }

func appendFailure(f *api.Failure) []byte { return marshalJSON(f.MarshalEasyJSON) }

func (c *call) policyMember() Member { return Member{operations.InPolicy, c.Policy} }

// memoryMember returns a request's member "memory", which lists the remembered compactions in entries.
func memoryMember(entries []entry) Member {
	list := []byte{'['}
	for i, e := range entries {
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, e.Entry...)
	}
	return Member{operations.InMemory, append(list, ']')}
}
