package component

import (
	"encoding/binary"
	"strings"

	"github.com/mailru/easyjson/jwriter"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/internal/operations"
)

// Argument is an argument of a function, which becomes a member of the request. It is absent if its JSON is empty.
type Argument struct {
	Member operations.Member
	JSON   []byte
}

func (a *Argument) name() string { return operations.MemberTable[a.Member].Name }

// Request is a request as JSON, with the offsets of its members.
type Request struct {
	JSON      []byte
	arguments []Argument
	starts    []int
}

// NewRequest writes a request. The transcript goes last, because it is read in one pass if the policy precedes it.
func NewRequest(arguments ...Argument) *Request {
	size := len("{}")
	for _, a := range arguments {
		size += len(`"":,`) + len(a.name()) + len(a.JSON)
	}
	r := &Request{JSON: append(make([]byte, 0, size), '{')}
	for _, a := range arguments {
		if len(a.JSON) == 0 {
			continue
		}
		if len(r.starts) > 0 {
			r.JSON = append(r.JSON, ',')
		}
		r.JSON = append(append(append(r.JSON, '"'), a.name()...), `":`...)
		r.starts = append(r.starts, len(r.JSON))
		r.arguments = append(r.arguments, a)
		r.JSON = append(r.JSON, a.JSON...)
	}
	r.JSON = append(r.JSON, '}')
	return r
}

// locate returns the argument that an error is in, and the offset within it. An error without a path, such as a syntax
// error, belongs to the argument that contains its offset.
func (r *Request) locate(e *api.Error) (argument string, offset int) {
	root := e.Path
	if i := strings.IndexAny(root, ".["); i >= 0 {
		root = root[:i]
	}
	for i, a := range r.arguments {
		at := e.Offset - r.starts[i]
		if root == a.name() || root == "" && at >= 0 && at <= len(a.JSON) {
			return a.name(), min(max(at, 0), len(a.JSON))
		}
	}
	return "", e.Offset
}

// Memory returns the bytes of an argument, which from then on belong to the module.
type Memory func(ptr, size uint32) []byte

// fields reads a value in the memory layout of the canonical ABI.
type fields struct {
	b    []byte
	take Memory
}

func (f *fields) word() uint32 {
	v := binary.LittleEndian.Uint32(f.b)
	f.b = f.b[4:]
	return v
}

func (f *fields) text() []byte {
	ptr := f.word()
	return f.take(ptr, f.word())
}

// variant reads a discriminant, which occupies a whole word because of the alignment of the value.
func (f *fields) variant() byte { return byte(f.word()) }

func (f *fields) optional() []byte {
	if f.variant() == 0 {
		f.b = f.b[8:]
		return nil
	}
	return f.text()
}

// JSONList returns a list<json> as a JSON list. For an empty list it returns nothing, so that the member is omitted.
func JSONList(ptr, n uint32, take Memory) (list []byte) {
	f := fields{take(ptr, n*8), take}
	for i := range n {
		list = append(list, "[,"[min(i, 1)])
		list = append(list, f.text()...)
	}
	if n > 0 {
		list = append(list, ']')
	}
	return list
}

// summarySize is the size of a record summary in bytes.
const summarySize = 36

// Summaries returns a list<summary> as the JSON of a request's summaries.
func Summaries(ptr, n uint32, take Memory) []byte {
	b := take(ptr, n*summarySize)
	summaries := make(api.Summaries, n)
	for i := range summaries {
		f := fields{b[i*summarySize : (i+1)*summarySize], take}
		s := &summaries[i]
		s.ID = string(f.text())
		if failed := f.variant() == 1; failed {
			s.Error = string(f.text())
			continue
		}
		s.Text, s.FinishReason = string(f.text()), string(f.optional())
		s.Stream = f.variant() == 1
	}
	var w jwriter.Writer
	summaries.MarshalEasyJSON(&w)
	text, _ := w.BuildBytes()
	return text
}
