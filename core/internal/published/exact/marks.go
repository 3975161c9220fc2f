package exact

import (
	"strconv"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// Marks are an application's metadata for a message of the native format, which is not sent to the model. A nil field
// leaves the metadata of the message unchanged.
type Marks struct {
	Agent, User *bool
	Kind        *string
}

// Splice replaces a range of a message with other bytes.
type Splice struct {
	Old jsonspan.Span // in bytes from the beginning of the message
	New []byte        // the bytes to write instead
}

// Splices returns the changes that set the marks in a message, which must be a JSON object. Existing members get a new
// value; missing ones are added at the end of the object, in one splice.
func (m Marks) Splices(message []byte) (splices []Splice) {
	type mark struct {
		key   string
		value []byte
		found bool
	}
	var marks []mark
	if m.Agent != nil {
		marks = append(marks, mark{key: "visible_agent", value: strconv.AppendBool(nil, *m.Agent)})
	}
	if m.User != nil {
		marks = append(marks, mark{key: "visible_user", value: strconv.AppendBool(nil, *m.User)})
	}
	if m.Kind != nil {
		marks = append(marks, mark{key: "kind", value: jsonspan.AppendString(nil, *m.Kind)})
	}
	s := jsonspan.New(message)
	empty := true
	for key := range s.Members {
		empty = false
		value := s.Skip().Span
		for i := range marks {
			if string(key) == marks[i].key {
				marks[i].found = true
				splices = append(splices, Splice{value, marks[i].value})
			}
		}
	}
	end := s.Pos() - 1 // before the brace
	var added []byte
	for _, k := range marks {
		if k.found {
			continue
		}
		if !empty || len(added) > 0 {
			added = append(added, ',')
		}
		added = append(append(jsonspan.AppendString(added, k.key), ':'), k.value...)
	}
	if len(added) > 0 {
		splices = append(splices, Splice{jsonspan.Span{Start: end, End: end}, added})
	}
	return splices
}

// Append appends the message with the marks set.
func (m Marks) Append(dst, message []byte) []byte {
	var at uint32
	for _, s := range m.Splices(message) {
		dst = append(append(dst, message[at:s.Old.Start]...), s.New...)
		at = s.Old.End
	}
	return append(dst, message[at:]...)
}
