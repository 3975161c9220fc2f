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
	json    []byte
	members members
	changed bool
	before  int // tokens
	cut     int // number of messages that the due compaction replaces; 0 if unknown
	reason  string
}

func readAnswer(json []byte) answer {
	a := answer{json: json, members: readMembers(json)}
	report := readMembers(a.members.of("report"))
	a.changed = string(report.of("changed")) == "true"
	a.before = numberOf(readMembers(report.of("tokens")).of("before"))
	a.cut = numberOf(report.of("cut_point"))
	a.reason = textOf(report.of("reason"))
	if memory := a.members.of("memory"); memory != nil {
		lists := (&entry{Entry: memory}).lists()
		a.cut = numberOf(lists[len(lists)-1].of("messages"))
	}
	return a
}

// asks reports whether the operation has returned requests for summaries.
func (a *answer) asks() bool { return a.members.of("plan") != nil }

// due reports whether a compaction is due.
func (a *answer) due() bool { return a.asks() || a.changed }

// starts reports whether the response asks for a background compaction.
func (a *answer) starts() bool { return string(a.members.of("start")) == "true" }

// known returns the index of the memory entry that the operation applied, or -1.
func (a *answer) known() int {
	n, err := strconv.Atoi(string(a.members.of("known")))
	if err != nil {
		return -1
	}
	return n
}

func (a *answer) text(name string) string { return textOf(a.members.of(name)) }

// withoutMemory returns the response without the memory entry, which is saved separately.
func (a *answer) withoutMemory() api.Raw {
	memory := a.members.of("memory")
	if memory == nil {
		return a.json
	}
	// The member is a slice of the response's bytes.
	end := cap(a.json) - cap(memory) + len(memory)
	start := end - len(memory) - len(`,"memory":`)
	return append(a.json[:start:start], a.json[end:]...)
}

// members are the members of an object. A list suffices, because only a few members are looked up; no choice of names
// makes that slow.
type members []struct {
	name  string
	value []byte
}

// readMembers returns the members of an object.
func readMembers(json []byte) (list members) {
	eachMember(json, func(name string, value []byte) {
		list = append(list, struct {
			name  string
			value []byte
		}{name, value})
	})
	return list
}

// of returns the value of the last member with the given name; nil if there is none.
func (m members) of(name string) []byte {
	for i := len(m) - 1; i >= 0; i-- {
		if m[i].name == name {
			return m[i].value
		}
	}
	return nil
}

// elementsOf returns the elements of a list.
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

// numberOf returns the value of a JSON number, limited to 1<<30; 0 for any other value.
func numberOf(json []byte) int { return int(min(longOf(json), 1<<30)) }

func longOf(json []byte) int64 {
	n, err := strconv.ParseInt(string(json), 10, 64)
	if err != nil || n < 0 || n > MaxTime {
		return 0
	}
	return n
}

// marshal returns the JSON that write produces, which is the MarshalEasyJSON method of a value.
func marshal(write func(*jwriter.Writer)) []byte {
	w := jwriter.Writer{NoEscapeHTML: true, Flags: jwriter.NilSliceAsEmpty}
	write(&w)
	b, _ := w.BuildBytes() // cannot fail with generated marshalers
	return b
}

func appendOptions(o *api.Options) []byte { return marshal(o.MarshalEasyJSON) }

func appendFailure(f *api.Failure) []byte { return marshal(f.MarshalEasyJSON) }

func (c *call) policyMember() Member { return Member{operations.InPolicy, c.Policy} }

// memoryMember returns the member memory of a request, with the remembered compactions.
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
