package digest

import (
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/words"
)

// A call that changes something outside of the conversation, such as a booking, often returns the whole record that it
// changed. What matters is what the record adds: the number of a new booking, a price, a refund. So an entry quotes only
// values that no earlier call or result contains.

// mostDeedArgument is the maximum length, in bytes, of an argument of such a call that is quoted.
// mostNew is that of all new values in its result, and mostNewValue that of one of them.
const (
	mostDeedArgument = 120
	mostNew          = 160
	mostNewValue     = 60
)

// valuesIn calls see with each text, number and boolean in a JSON value, and with its key. The elements of an array have
// the key of the array.
//
//go:noinline
func valuesIn(s *jsonspan.Scanner, src []byte, key string, see func(key, value string)) {
	valuesUnder(s, "", key, func(_, key string, v jsonspan.Value) {
		switch v.Kind {
		case jsonspan.String:
			see(key, jsonspan.Text(src, v.Span))
		case jsonspan.Null:
		default:
			see(key, withoutResidue(string(v.Slice(src))))
		}
	})
}

// isRecord reports whether text is a JSON object or array that isn't too long to read.
func isRecord(text string) bool {
	return text != "" && (text[0] == '{' || text[0] == '[') && len(text) <= lookText && valid(jsonspan.New([]byte(text)))
}

// added returns the values in a call's result that neither its arguments nor earlier calls and
// results contain, and remembers the values of both. does means that the call changed something
// outside of the conversation; otherwise added returns "". record reports whether the result is a
// record. args and result are JSON or text.
func (r *turnReader) added(args, result string, does bool) (added string, record bool) {
	if isRecord(args) {
		r.remember(args)
	}
	if record = isRecord(result); record {
		if does {
			added = r.newValues(result)
		}
		r.remember(result)
	}
	return added, record
}

// remember stores hashes of the values in a record.
func (r *turnReader) remember(record string) {
	src := []byte(record)
	valuesIn(jsonspan.New(src), src, "", func(_, value string) { r.values.Put(words.Hash64(value)) })
}

// newValues returns the values in a record, with their keys, that no earlier call or result contains: "id: K7QX2P;
// amount: 93". Values with digits come first. It returns "" if there are none.
func (r *turnReader) newValues(record string) string {
	src := []byte(record)
	var out strings.Builder
	last := ""
	for _, digits := range []bool{true, false} {
		var told words.HashSet // values that are already in the result
		valuesIn(jsonspan.New(src), src, "", func(key, value string) {
			hash := words.Hash64(value)
			if strings.ContainsAny(value, "0123456789") != digits || blank(value) || isMoment(value) || out.Len()+len(key) > mostNew || r.values.Has(hash) || told.Has(hash) {
				return
			}
			told.Put(hash)
			value = clipLine(onOneLine(value), mostNewValue)
			switch {
			case out.Len() > 0 && key == last:
				out.WriteString(", ")
			case out.Len() > 0:
				out.WriteString("; ")
				fallthrough
			default:
				if key != "" {
					out.WriteString(clipLine(key, maxName) + ": ")
				}
			}
			out.WriteString(value)
			last = key
		})
	}
	return out.String()
}

// isMoment reports whether a value is a date with a time, which usually only says when the record was made:
// "2031-05-14T09:30:00".
func isMoment(value string) bool {
	return len(value) > len("2031-05-14T09:30") && value[4] == '-' && value[7] == '-' && (value[10] == 'T' || value[10] == ' ') && value[13] == ':'
}

// appendPlain appends a JSON value without its brackets. The elements of an array are separated by commas, and the
// members of an object by spaces. The keys of texts are left out: "K7 2031-05-14, K9 2031-05-15".
func appendPlain(dst []byte, s *jsonspan.Scanner, src []byte) []byte {
	switch s.Kind() {
	case jsonspan.String:
		return append(dst, jsonspan.Text(src, s.Text().Span)...)
	case jsonspan.Array:
		for n := 0; ; n++ {
			if n == 0 {
				s.Array()
			}
			if !s.Elem() {
				return dst
			}
			if n > 0 {
				dst = append(dst, ", "...)
			}
			dst = appendPlain(dst, s, src)
		}
	case jsonspan.Object:
		s.Object()
		for n := 0; ; n++ {
			key, ok := s.Key()
			if !ok {
				return dst
			}
			if n > 0 {
				dst = append(dst, ' ')
			}
			if s.Kind() != jsonspan.String {
				dst = append(append(dst, key...), ' ')
			}
			dst = appendPlain(dst, s, src)
		}
	}
	return append(dst, withoutResidue(string(s.Skip().Slice(src)))...)
}

// batch holds the successful calls of one tool in a turn, one after another, if the tool changes something outside of
// the conversation. They share a unit of the log, so that each keeps what it was about and what came of it: "called
// cancel_berth 2 times: Amsel → refund: 120; Elster → refund: 80 (reason: sold)".
type batch struct {
	tool  string // the name of the tool; "" for no batch
	at    place  // of the unit
	calls []deed // at most mostBatch, oldest first
	left  int    // the number of earlier calls that are no longer in calls
}

// deed is a call in a batch: its text, its arguments, and what its result adds.
type deed struct {
	said   string      // its arguments as text, by which a repeated call is recognized
	args   []callValue // at most mostCompared
	result string      // "" if it adds nothing
}

// callValue is an argument of a call, with its value on one line.
type callValue struct{ key, value string }

// mostBatch is the maximum number of calls in a batch, and mostCompared that of the arguments of
// each call that are compared with those of the others. mostBatchName is the maximum length, in
// bytes, of an argument that distinguishes the calls, and mostShared that of the arguments that all
// calls share.
const (
	mostBatch     = 16
	mostCompared  = 12
	mostBatchName = 40
	mostShared    = 100
)

// join adds a call to the earlier calls of the same tool. The text of u, the unit of the new call,
// then describes all of them, and replaces their units. If no argument distinguishes the calls,
// their units stay. said and args are the call's arguments, as text and as JSON; result is its
// result.
func (r *turnReader) join(u *unit, tool, said, result string, args []byte) {
	b := &r.batch
	if b.tool != tool || b.at.turn != len(r.turns)-1 {
		*b = batch{tool: tool}
	}
	b.calls = slices.DeleteFunc(b.calls, func(d deed) bool { return d.said == said })
	if len(b.calls) == mostBatch {
		b.calls = slices.Delete(b.calls, 0, 1)
		b.left++
	}
	was := len(b.calls)
	list := argumentsIn(args, mostDeedArgument)
	b.calls = append(b.calls, deed{said, list[:min(len(list), mostCompared)], result})
	if text := b.text(); text != "" {
		r.drop(b.at)
		u.text, u.batch = text, true
	} else {
		b.calls, b.left = slices.Delete(b.calls, 0, was), 0
	}
	b.at = r.here()
}

// text returns the text of a batch of several calls, or "" if there is only one, or no argument
// distinguishes them.
func (b *batch) text() string {
	if len(b.calls) == 1 {
		return ""
	}
	id := b.id()
	var out strings.Builder
	out.WriteString(calledVerb + clipLine(b.tool, maxName) + " " + itoa(len(b.calls)+b.left) + " times: ")
	if b.left > 0 {
		out.WriteString("…; ")
	}
	for i := range b.calls {
		d := &b.calls[i]
		name := d.valueOf(id)
		if id == "" {
			name = b.nameOf(d)
		}
		if name == "" {
			return ""
		}
		if i > 0 {
			out.WriteString("; ")
		}
		out.WriteString(name)
		if d.result != "" {
			out.WriteString(" → " + d.result)
		}
	}
	shared := ""
	for _, a := range b.calls[0].args {
		if b.share(a) && len(shared)+len(a.key)+len(a.value) < mostShared {
			if shared != "" {
				shared += ", "
			}
			shared += a.key + ": " + a.value
		}
	}
	if shared != "" {
		out.WriteString(" (" + shared + ")")
	}
	return Fence(out.String())
}

// id returns the key of the first argument that is short and has another value in each call; "" if there is none.
func (b *batch) id() string {
	for _, a := range b.calls[0].args {
		values := make([]string, 0, mostBatch)
		for i := range b.calls {
			value := b.calls[i].valueOf(a.key)
			if value == "" || len(value) > mostBatchName || slices.Contains(values, value) {
				break
			}
			values = append(values, value)
		}
		if len(values) == len(b.calls) {
			return a.key
		}
	}
	return ""
}

// valueOf returns the value of an argument, or "" if the call doesn't have it.
func (d *deed) valueOf(key string) string {
	for _, a := range d.args {
		if a.key == key {
			return a.value
		}
	}
	return ""
}

// nameOf returns the values of up to two short arguments that distinguish a call from the others.
// If there are none, it returns the beginning of a long one, or "".
func (b *batch) nameOf(d *deed) string {
	name, long, n := "", "", 0
	for _, a := range d.args {
		switch {
		case a.value == "" || b.share(a):
		case len(a.value) > mostBatchName:
			if long == "" {
				long = clipLine(a.value, mostBatchName)
			}
		case n < 2:
			if n++; n == 2 {
				name += " "
			}
			name += a.value
		}
	}
	if name == "" {
		return long
	}
	return name
}

// share reports whether all calls of a batch have the argument a with the same value.
func (b *batch) share(a callValue) bool {
	for i := range b.calls {
		if !slices.Contains(b.calls[i].args, a) {
			return false
		}
	}
	return true
}
