package digest

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/words"
)

// A call that only looks something up often returns a whole record, of which the conversation uses a few values: the
// balance of one card, the fare of the chosen flight. An entry quotes the members of the record itself, and those of its
// parts of which a later call or message names a value.

// lookup is the result of such a call.
type lookup struct {
	at      place       // where the units about it belong
	message int32       // index of the message with the result
	call    string      // `tool(argument: value)`
	record  string      // JSON; "" if an earlier lookup had the same call and record
	members []callValue // of the record itself, without ids that an earlier one has
}

// The weights of units about a lookup, in 1024ths: of parts with a number that is named later, of the members of the
// record itself and of parts with a name that is named later, and of parts of which nothing is known yet.
const (
	ofNamed       = 1600
	ofMembers     = 900
	ofUnmentioned = 320
)

// Limits for units about a lookup: the maximum length of the unit about a part and of a value, in bytes, the maximum
// length of a list of values, the depth of parts in a record, the maximum numbers of parts and of lists, and those of all
// units and of the units about parts of which nothing is known yet.
const (
	mostPart        = 200
	mostPartValue   = 60
	mostValues      = 96
	deepestPart     = 6
	mostObjects     = 1024
	mostLists       = 16
	mostLookedUp    = 40
	mostUnmentioned = 8
)

// lookUp remembers a record that a call returned.
func (r *turnReader) lookUp(i int, call, record string) {
	r.lookups = append(r.lookups, lookup{at: r.here(), message: int32(i), call: call, record: record})
}

// lookedUp adds the units about all lookups. It needs to know what later messages name, and so goes back from the last
// message.
func (r *turnReader) lookedUp() {
	if len(r.lookups) == 0 {
		return
	}
	r.readLookups()
	n := namedLater{t: r.t, next: len(r.t.Messages) - 1}
	for k := len(r.lookups) - 1; k >= 0; k-- {
		l := &r.lookups[k]
		n.goBackTo(int(l.message))
		if l.record == "" {
			continue
		}
		t := &r.turns[l.at.turn]
		units := l.units(&n)
		t.units = append(t.units[:l.at.unit:l.at.unit], append(units, t.units[l.at.unit:]...)...)
	}
	r.lookups = nil
}

// readLookups finds the members of all records. It leaves out what an earlier lookup had as well: the same call and record,
// and ids among the members of records, such as that of the customer to whom all orders belong.
func (r *turnReader) readLookups() {
	var seen words.HashSet
	isNew := func(a, b string) bool {
		hash := words.Hash64(a)*31 + words.Hash64(b)
		known := seen.Has(hash)
		seen.Put(hash)
		return !known
	}
	for k := range r.lookups {
		l := &r.lookups[k]
		if !isNew(l.call, l.record) {
			l.record = ""
			continue
		}
		l.members = slices.DeleteFunc(membersOf(l.record), func(v callValue) bool {
			return len(v.value) >= leastID && strings.ContainsAny(v.value, "0123456789") && !isNew(v.key, v.value)
		})
	}
}

// leastID is the minimum length, in bytes, of an id that isn't repeated.
const leastID = 8

// namedLater holds the words of the texts and calls after a message.
type namedLater struct {
	t     *transcript.Transcript // the transcript that is read
	next  int                    // the last message that isn't included yet
	said  bool                   // anybody said something after the message
	stems words.StemSet          // the stems of these words
	room  []words.Word           // a buffer for the words of a text
}

// goBackTo includes the messages after message i. Of message i itself, it includes what the assistant says in it.
func (n *namedLater) goBackTo(i int) {
	for ; n.next >= i; n.next-- {
		if m := &n.t.Messages[n.next]; n.next == i && m.Role != transcript.Assistant {
			return
		}
		for _, p := range n.t.OuterParts(&n.t.Messages[n.next]) {
			switch {
			case p.Kind == transcript.Text:
				text := n.t.Text(p.Body)
				n.said = n.said || !blank(text)
				n.add(text)
			case p.Kind == transcript.ToolCall && n.next > i:
				n.add(string(argumentsOf(n.t, p)))
			}
		}
	}
}

// add includes the words of a text, and its numbers without the commas that group digits.
func (n *namedLater) add(text string) {
	text = text[:min(len(text), lookText)]
	n.stems.Add(text)
	for at := strings.IndexByte(text, ','); at >= 0 && at+1 < len(text); {
		if at > 0 && byteClass[text[at-1]]&digit != 0 && byteClass[text[at+1]]&digit != 0 {
			from, end := at, at
			for from > 0 && byteClass[text[from-1]]&digit != 0 {
				from--
			}
			for end < len(text) && (byteClass[text[end]]&digit != 0 || text[end] == ',') {
				end++
			}
			n.stems.Add(strings.ReplaceAll(text[from:end], ",", ""))
			at = end - 1
		}
		next := strings.IndexByte(text[at+1:], ',')
		if next < 0 {
			return
		}
		at += 1 + next
	}
}

// has reports whether the texts contain all words of a value, which must have at least leastNamed bytes.
func (n *namedLater) has(value string) bool {
	if len(value) < leastNamed {
		return false
	}
	n.room = words.Append(n.room[:0], value)
	for _, w := range n.room {
		if !n.stems.Has(w.Stem) {
			return false
		}
	}
	return len(n.room) > 0
}

// leastNamed is the minimum length, in bytes, of a value that is named.
const leastNamed = 3

// part is an object in a record: an item of an order, a card in a profile.
type part struct {
	list   string      // the key of the array or object that contains it
	key    string      // its own key in such an object
	values []callValue // its plain members; at least one
}

// parts are the parts of a record, without the record itself. Each array of plain values is in lists.
type parts struct{ all, lists []part }

// membersOf returns the plain members of a record itself. record is a JSON object. The members that are objects or
// arrays are left out.
func membersOf(record string) (values []callValue) {
	src := []byte(record)
	s := jsonspan.New(src)
	s.Members(func(key []byte) bool {
		if kind := s.Kind(); kind == jsonspan.Object || kind == jsonspan.Array {
			s.Skip()
		} else {
			values = appendValues(values, s.Skip().Slice(src), string(key))
		}
		return true
	})
	return values
}

// recordParts returns the parts of a record, which is JSON. The plain members of the record itself are not among them;
// see membersOf. The result is never nil.
func recordParts(record string) *parts {
	p := new(parts)
	src := []byte(record)
	s := jsonspan.New(src)
	if s.Kind() != jsonspan.Object {
		p.read(src, "", "", 1)
		return p
	}
	s.Members(func(key []byte) bool {
		if kind := s.Kind(); kind == jsonspan.Object || kind == jsonspan.Array {
			p.read(s.Skip().Slice(src), string(key), "", 1)
		} else {
			s.Skip()
		}
		return true
	})
	return p
}

// read adds the parts in a JSON object or array. list and key are those of the value, if it is a
// part itself. depth is its nesting level. Values below deepestPart are left out, and so is
// everything after mostObjects parts.
func (p *parts) read(src []byte, list, key string, depth int) {
	s := jsonspan.New(src)
	switch {
	case len(p.all) >= mostObjects || depth > deepestPart:
	case s.Kind() == jsonspan.Array:
		plain := part{list: cmp.Or(key, list)}
		for s.Array(); s.Elem(); {
			if kind := s.Kind(); kind == jsonspan.Object || kind == jsonspan.Array {
				p.read(s.Skip().Slice(src), list, "", depth+1)
			} else {
				plain.values = appendValues(plain.values, s.Skip().Slice(src), "")
			}
		}
		if len(plain.values) > 0 && len(p.lists) < mostLists {
			p.lists = append(p.lists, plain)
		}
	case hasPlainMembers(src):
		if values := appendValues(nil, src, ""); len(values) > 0 {
			p.all = append(p.all, part{list, key, values})
		}
	default:
		s.Members(func(name []byte) bool {
			p.read(s.Skip().Slice(src), list, string(name), depth+1)
			return true
		})
	}
}

// hasPlainMembers reports whether a JSON object has members that are neither objects nor arrays.
func hasPlainMembers(src []byte) (plain bool) {
	s := jsonspan.New(src)
	s.Members(func([]byte) bool {
		kind := s.Kind()
		plain = plain || kind != jsonspan.Object && kind != jsonspan.Array
		s.Skip()
		return true
	})
	return plain
}

// appendValues appends the plain values in a JSON value that aren't too long to quote.
func appendValues(list []callValue, src []byte, key string) []callValue {
	valuesIn(jsonspan.New(src), src, key, func(key, value string) {
		if !blank(value) && len(value) <= mostLead {
			list = append(list, callValue{clipLine(key, maxName), clipLine(onOneLine(value), mostPartValue)})
		}
	})
	return list
}

// units returns the units about the lookup. n says what is named later. Values that are named later weigh more.
func (l *lookup) units(n *namedLater) (units []unit) {
	add := func(list, text string, factor int) {
		if text != "" {
			units = append(units, unit{kind: toldUnit, message: l.message, lead: clipLine(list, maxName), source: l.call, text: Fence(text), factor: factor})
		}
	}
	add("", l.text(n), ofMembers)
	p := recordParts(l.record)
	c := p.counts()
	for i := range p.lists {
		if c.haveAll(p.lists[i].values) { // ids of the parts
			continue
		}
		text, factor := p.lists[i].listed(n)
		add(p.lists[i].list, text, factor)
	}
	open := 0
	for from, to := 0, 0; from < len(p.all); from = to {
		to = p.endOfList(from)
		list := listOfParts{n: n, parts: p.all[from:to]}
		list.weigh(&c)
		if text := list.joined(); text != "" && len(units) < mostLookedUp {
			add(list.lead(true), text, list.factor)
			continue
		}
		for i := range list.parts {
			part, factor, lead := &list.parts[i], list.worths[i], list.lead(false)
			if factor == 0 && !n.said && open < mostUnmentioned {
				open++
				factor, lead = ofUnmentioned, part.list
			}
			if factor > 0 && len(units) < mostLookedUp {
				add(lead, part.text(n), factor)
			}
		}
	}
	return units
}

// text returns the members of the record itself, without those that the call names. Those that are named later come first.
func (l *lookup) text(n *namedLater) string {
	var b strings.Builder
	for _, named := range []bool{true, false} {
		for _, v := range l.members {
			if n.has(v.value) == named && b.Len()+len(v.key)+len(v.value) < mostPart && !l.gives(v.value) {
				if b.Len() > 0 {
					b.WriteString("; ")
				}
				b.WriteString(v.key + ": " + v.value)
			}
		}
	}
	return b.String()
}

// gives reports whether the call has an argument with a value.
func (l *lookup) gives(value string) bool {
	return strings.Contains(l.call, ": "+value+",") || strings.Contains(l.call, ": "+value+")")
}

// listed returns the values of a list: all of them if they are few, and otherwise those that are named later. text is
// "" if there are none. factor is the weight of the unit about them.
func (p *part) listed(n *namedLater) (text string, factor int) {
	size, named := 0, false
	for _, v := range p.values {
		size += len(v.value) + len(", ")
		named = named || n.has(v.value)
	}
	var b strings.Builder
	left := 0
	for _, v := range p.values {
		if b.Len()+len(v.value) > mostValues || size > mostValues && named && !n.has(v.value) {
			left++
			continue
		}
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		b.WriteString(v.value)
	}
	if left > 0 {
		b.WriteString(", and " + itoa(left) + " more")
	}
	if factor = ofUnmentioned; named {
		factor = ofNamed
	}
	return strings.TrimPrefix(b.String(), ", "), factor
}

// valueCounts counts the parts of a record by hashes of their first values, and of all their values.
type valueCounts struct{ first, all map[uint64]int }

// counts counts the parts by their values.
func (p *parts) counts() valueCounts {
	c := valueCounts{map[uint64]int{}, map[uint64]int{}}
	last := map[uint64]int{} // for each value, the last part that has it, plus one
	for i := range p.all {
		c.first[words.Hash64(p.all[i].values[0].value)]++
		for _, v := range p.all[i].values {
			if hash := words.Hash64(v.value); last[hash] != i+1 {
				last[hash] = i + 1
				c.all[hash]++
			}
		}
	}
	return c
}

// haveAll reports whether each of the values is in a part.
func (c *valueCounts) haveAll(values []callValue) bool {
	return !slices.ContainsFunc(values, func(v callValue) bool { return c.all[words.Hash64(v.value)] == 0 })
}

// mostShare is the maximum number of parts with the same number for which a message that names this
// number is taken to be about them.
const mostShare = 2

// worth returns the weight of the part. It is ofNamed if a later message names its key or a number
// in it, and ofMembers if one names its first value, unless other parts have the same. If only
// numbers are named that more than mostShare parts have, such as the date of all flights, the
// weight is ofUnmentioned. It is 0 if nothing in the part is named.
func (p *part) worth(n *namedLater, c *valueCounts) int {
	shared := false
	numbered := func(value string, count int) bool {
		if !strings.ContainsAny(value, "0123456789") || !n.has(value) {
			return false
		}
		shared = shared || count > mostShare
		return count <= mostShare
	}
	if p.key != "" && numbered(p.key, 1) || slices.ContainsFunc(p.values, func(v callValue) bool { return numbered(v.value, c.all[words.Hash64(v.value)]) }) {
		return ofNamed
	}
	if head := p.values[0].value; c.first[words.Hash64(head)] == 1 && n.has(head) {
		return ofMembers
	}
	if shared {
		return ofUnmentioned
	}
	return 0
}
