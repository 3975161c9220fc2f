package loop

import (
	"slices"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/handles"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/ctxfold/ctxfold/internal/operations"
)

// record is what is saved under a key, in the same form for all hosts and stores.
//
//easyjson:json
type record struct {
	Version  int       `json:"version"`            // the version of its form; recordVersion once it has been read
	Entries  []entry   `json:"entries,omitempty"`  // the compactions, oldest first
	Attempts []attempt `json:"attempts,omitempty"` // failed attempts, oldest first
	Calls    []use     `json:"calls,omitempty"`    // the newest calls of the model, oldest first
}

// entry is a remembered compaction. If the model failed during it, Tries is the number of consecutive failures, and
// Again is the time at which to ask the model again.
type entry struct {
	Entry     api.Raw `json:"entry"`                // a MemoryEntry
	Tries     int     `json:"tries,omitempty"`      // 0 if the model succeeded
	Again     int64   `json:"again,omitempty"`      // in milliseconds since 1970
	Window    int     `json:"window,omitempty"`     // the window of a forced compaction
	NoReserve bool    `json:"no_reserve,omitempty"` // whether it reserved nothing for the output
}

// attempt is a failed attempt to compact a history.
//
//easyjson:json
type attempt struct {
	Print    string `json:"print"`            // fingerprint of the history without the text of its first message, which may change with each request
	Messages int    `json:"messages"`         // number of messages in the history
	Tokens   int    `json:"tokens,omitempty"` // size of a failed background compaction's history, in tokens: the next one begins when the history has grown
	Tries    int    `json:"tries,omitempty"`  // how many times the model failed in a row
	Again    int64  `json:"again,omitempty"`  // when to ask it again, in milliseconds since 1970
}

// use describes the newest model call for a history.
//
//easyjson:json
type use struct {
	Print    string `json:"print"`              // of the history that the call sent
	Time     int64  `json:"time"`               // in milliseconds since 1970
	Model    string `json:"model,omitempty"`    // the name of the model that was called
	Provider string `json:"provider,omitempty"` // the name of its provider
}

// The version and the limits of a record, and the pauses between attempts. maxEntries, maxAttempts
// and maxCalls are numbers of items, maxRecordBytes is the size of all entries in bytes, and the
// times are in milliseconds. The oldest items beyond the limits are dropped when a record is read
// and when records are merged.
const (
	recordVersion                  = 3
	maxEntries                     = 64
	maxAttempts                    = 16
	maxCalls                       = 64
	maxRecordBytes                 = 8 << 20
	longestAgain             int64 = 2 * longestPause
	firstPause, longestPause       = 60_000, 3_600_000
)

// loadedRecord is a record with its revision.
type loadedRecord struct {
	record   record // its contents
	revision string // changes with each save
}

// readRecord reads a stored record in its current form, or in one of the forms that earlier hosts wrote. Anything else
// is read as an empty record, which costs at most one compaction. now is the time in milliseconds since 1970.
func readRecord(text string, now int64) (r record) {
	src := []byte(text)
	s := jsonspan.New(src)
	switch s.Kind() {
	case jsonspan.Array:
		r.Entries = readList(s)
	case jsonspan.Object:
		r = readVersion(src)
	}
	if s.Err() != nil {
		return record{}
	}
	r.Version = recordVersion
	r.Entries = slices.DeleteFunc(r.Entries, func(e entry) bool {
		return len(e.Entry) == 0 || e.Entry[0] != '{' || e.Tries < 0
	})
	for i := range r.Entries {
		r.Entries[i].Again = min(r.Entries[i].Again, now+longestAgain) // a clock may have been wrong
	}
	for i := range r.Attempts {
		r.Attempts[i].Again = min(r.Attempts[i].Again, now+longestAgain)
	}
	r.trim()
	return r
}

// readList reads a list of entries: objects, as the JavaScript package wrote them, or strings, as the Python package
// did.
func readList(s *jsonspan.Scanner) (entries []entry) {
	for s.Array(); s.Elem(); {
		kind, v := s.Kind(), s.Skip()
		item := v.Slice(s.Src())
		if kind == jsonspan.String {
			item = []byte(jsonspan.Text(s.Src(), v.Span))
		}
		if e, ok := readFlat(item); ok {
			entries = append(entries, e)
		}
	}
	return entries
}

// readVersion reads a record that is an object, according to its version.
func readVersion(src []byte) (r record) {
	members := readMembers(src)
	switch string(members.valueOf("version")) {
	case "3":
		return readThird(members)
	case "2": // written by the Go package and by JavaScript's shared memory: one entry, with the state of the model, in seconds
		var old goRecord
		if policy.Decode(src, &old) == nil {
			e := entry{Entry: old.Entry}
			if d := old.Degraded; d != nil {
				e.Tries, e.Again, e.Window, e.NoReserve = d.Tries, 1000*d.Again, d.Window, d.NoReserve
			}
			r.Entries = []entry{e}
		}
	case "1": // written by the C library
		var old cRecord
		if policy.Decode(src, &old) == nil {
			for _, e := range old.Entries {
				e.Again *= 1000
				r.Entries = append(r.Entries, e)
			}
		}
	}
	return r
}

// readThird reads the members of a record of the current version. Entries may be large, so they are read only once.
func readThird(list members) (r record) {
	for _, each := range elementsOf(list.valueOf("entries")) {
		m := readMembers(each)
		e := entry{Entry: m.valueOf("entry"), Tries: numberOf(m.valueOf("tries")), Again: int64Of(m.valueOf("again")),
			Window: numberOf(m.valueOf("window"))}
		e.NoReserve = string(m.valueOf("no_reserve")) == "true"
		r.Entries = append(r.Entries, e)
	}
	for _, each := range elementsOf(list.valueOf("attempts")) {
		var a attempt
		if policy.Decode(each, &a) == nil {
			r.Attempts = append(r.Attempts, a)
		}
	}
	for _, each := range elementsOf(list.valueOf("calls")) {
		var u use
		if policy.Decode(each, &u) == nil {
			r.Calls = append(r.Calls, u)
		}
	}
	return r
}

// goRecord is a record of version 2. The Go package and JavaScript's shared memory wrote such records.
//
//easyjson:json
type goRecord struct {
	Version  int         `json:"version"`            // 2
	Entry    api.Raw     `json:"entry,omitempty"`    // a MemoryEntry, or nothing
	Degraded *goDegraded `json:"degraded,omitempty"` // nil if the model succeeded
}

type goDegraded struct {
	Tries     int   `json:"tries"`                // number of consecutive failures
	Again     int64 `json:"again"`                // when to ask the model again, in seconds since 1970
	Window    int   `json:"window,omitempty"`     // the window of a forced compaction, or 0
	NoReserve bool  `json:"no_reserve,omitempty"` // whether it reserved nothing for the output
}

// cRecord is a record of version 1. The C library wrote such records. Again is in seconds since 1970.
//
//easyjson:json
type cRecord struct {
	Version int     `json:"version"` // 1
	Tries   int     `json:"tries"`   // number of consecutive failures
	Again   int64   `json:"again"`   // when to ask the model again
	Entries []entry `json:"entries"` // the compactions, oldest first
}

// readFlat reads an entry that itself has the members tries and again. JavaScript wrote the time in milliseconds,
// Python in seconds. ok is false if the item is invalid.
func readFlat(item []byte) (e entry, ok bool) {
	if len(item) == 0 || item[0] != '{' {
		return e, false
	}
	s := jsonspan.New(item)
	s.Skip()
	if s.End(); s.Err() != nil {
		return e, false
	}
	members := readMembers(item)
	if members.valueOf("print") == nil || members.valueOf("edits") == nil {
		return e, false
	}
	e = entry{Entry: item, Tries: numberOf(members.valueOf("tries"))}
	if e.Again = int64Of(members.valueOf("again")); e.Again < 100_000_000_000 {
		e.Again *= 1000
	}
	return e, true
}

// trim drops the oldest entries, attempts and calls beyond maxEntries, maxRecordBytes, maxAttempts and maxCalls. The
// newest entry always stays.
func (r *record) trim() {
	size := 0
	for i := len(r.Entries) - 1; i >= 0; i-- {
		if size += len(r.Entries[i].Entry); i < len(r.Entries)-1 && size > maxRecordBytes || len(r.Entries)-i > maxEntries {
			r.Entries = slices.Delete(r.Entries, 0, i+1)
			break
		}
	}
	r.Attempts = slices.Delete(r.Attempts, 0, max(0, len(r.Attempts)-maxAttempts))
	r.Calls = slices.Delete(r.Calls, 0, max(0, len(r.Calls)-maxCalls))
}

// merge adds the items of another record. An item replaces an existing one for the same history.
func (r *record) merge(more *record) {
	for _, e := range more.Entries {
		r.forget(e.print(), 0)
		r.Entries = append(r.Entries, e)
	}
	for _, a := range more.Attempts {
		r.Attempts = slices.DeleteFunc(r.Attempts, func(old attempt) bool { return old.Print == a.Print })
		r.Attempts = append(r.Attempts, a)
	}
	for _, u := range more.Calls {
		r.Calls = slices.DeleteFunc(r.Calls, func(old use) bool { return old.Print == u.Print })
		r.Calls = append(r.Calls, u)
	}
	r.Version = recordVersion
	r.trim()
}

// forget removes the compaction of the messages with the given print, which is JSON, if the model failed during it at
// least tries times.
func (r *record) forget(print []byte, tries int) {
	r.Entries = slices.DeleteFunc(r.Entries, func(old entry) bool {
		return old.Tries >= tries && string(old.print()) == string(print)
	})
}

// print returns the print of the messages that an entry replaces, as JSON.
func (e *entry) print() []byte { return readMembers(e.Entry).valueOf("print") }

// lists returns the members of an entry. If its history continued from the messages that had been sent before, it also
// returns the members that describe the compaction in terms of those messages ("given").
func (e *entry) lists() []members {
	list := []members{readMembers(e.Entry)}
	if given := readMembers(list[0].valueOf("given")); given != nil {
		list = append(list, given)
	}
	return list
}

// text returns the record as JSON.
func (r *record) text() string {
	return string(marshalJSON(r.MarshalEasyJSON))
}

// keys holds the keys of a history in the records, and the data from which they are computed.
type keys struct {
	owner  []byte   // hash of the owner
	format string   // the name of the history's wire format
	prints []string // the prints of the first message, of the first two messages, and so on
	later  []string // the same without the text of the first message; only the print of that message alone contains it
}

// keysOf returns the keys of the history that came with the event, or nil if it could not be read.
func (c *call) keysOf() *keys {
	if c.known != nil {
		return c.known
	}
	a, ok := c.runCore(operations.OpPrints, c.policyMember(), Member{operations.InOptions, appendOptions(&c.Options)})
	if !ok {
		return nil
	}
	owner := handles.Handle([]byte(c.Settings.Owner))
	c.known = &keys{owner: bytesOf(owner), format: a.textMember("format"), prints: textsOf(a.members.valueOf("prints")),
		later: textsOf(a.members.valueOf("later"))}
	if c.Settings.Model == "" {
		c.Settings.Model = orElse(a.textMember("model"), c.core.PolicySettings().Model)
	}
	return c.known
}

// keyOf returns the key of the messages with the given print.
func (k *keys) keyOf(print string) string {
	text := append(make([]byte, 0, 96), k.owner...)
	text = append(append(append(text, k.format...), ' '), print...)
	return handles.Handle(text)
}

// keysFor returns the keys for the given prints, the last one first.
func (k *keys) keysFor(prints []string) (list []string) {
	for i := len(prints) - 1; i >= 0; i-- {
		list = append(list, k.keyOf(prints[i]))
	}
	return list
}

// all returns the key first, followed by the keys of all beginnings of the history, with and without the text of the
// first message.
func (k *keys) all(first string) []string {
	return append(append([]string{first}, k.keysFor(k.prints)...), k.keysFor(k.later)...)
}

// keysOfEntry returns the keys under which to save an entry: first those of the messages that the entry replaces and of
// those that were sent instead, then, if the entry has it, that of the replaced messages without the text of the first
// one. The keys of the messages that had been sent before follow, if the entry describes the compaction in terms of
// them; see lists.
func (k *keys) keysOfEntry(e *entry) []string {
	lists := e.lists()
	list := []string{k.keyOf(textOf(lists[0].valueOf("print"))), k.keyOf(textOf(lists[0].valueOf("sent")))}
	for i, m := range lists {
		if i > 0 {
			list = append(list, k.keyOf(textOf(m.valueOf("print"))))
		}
		if later := textOf(m.valueOf("later")); later != "" {
			list = append(list, k.keyOf(later))
		}
	}
	return list
}

// replacedPrints returns the prints of those beginnings of the history that an entry replaces, whatever the first
// message says.
func (k *keys) replacedPrints(e *entry) (prints []string) {
	for _, m := range e.lists() {
		n := numberOf(m.valueOf("messages"))
		if print := textOf(m.valueOf("print")); isAt(k.prints, n, print) {
			prints = append(prints, print)
		}
		if later := textOf(m.valueOf("later")); isAt(k.later, n, later) {
			prints = append(prints, later)
		}
	}
	return prints
}

// isAt reports whether print is the print of the beginning of a history whose length is messages. prints holds the
// prints of the first message, of the first two messages, and so on.
func isAt(prints []string, messages int, print string) bool {
	return messages > 0 && messages <= len(prints) && prints[messages-1] == print
}

// bytesOf decodes hexadecimal digits. The digits must be in lower case; an odd one at the end is ignored.
func bytesOf(digits string) (b []byte) {
	value := func(c byte) byte {
		if c >= 'a' {
			return c - 'a' + 10
		}
		return c - '0'
	}
	for i := 0; i+1 < len(digits); i += 2 {
		b = append(b, value(digits[i])<<4|value(digits[i+1]))
	}
	return b
}

// useKeys turns keys of a history into the keys of the records that describe the model's newest calls.
func useKeys(list []string) []string {
	for i, key := range list {
		list[i] = handles.Handle([]byte("use " + key))
	}
	return list
}
