package ctxfold

import (
	"encoding/json"
	"fmt"
)

// ApplyEdits does to a caller's own list of messages what [Result].Edits say. Messages that were kept are the same values
// as before, so what JSON does not carry stays with them; decode makes a value of the JSON of a changed or a new message.
// The list itself is not modified.
func ApplyEdits[T any](messages []T, edits json.RawMessage, decode func(json.RawMessage) (T, error)) ([]T, error) {
	var runs []struct {
		Keep    *[2]int
		Set     *int
		Message json.RawMessage
		Insert  json.RawMessage
	}
	if err := json.Unmarshal(edits, &runs); err != nil {
		return nil, fmt.Errorf("ctxfold: edits: %w", err)
	}
	out := make([]T, 0, len(messages))
	for i, r := range runs {
		switch {
		case r.Keep != nil:
			from, to := r.Keep[0], r.Keep[1]
			if from < 0 || to < from || to > len(messages) {
				return nil, fmt.Errorf("ctxfold: edits[%d] keeps [%d,%d) of %d messages", i, from, to, len(messages))
			}
			out = append(out, messages[from:to]...)
			continue
		case r.Set != nil && (*r.Set < 0 || *r.Set >= len(messages)):
			return nil, fmt.Errorf("ctxfold: edits[%d] sets message %d of %d", i, *r.Set, len(messages))
		case r.Set == nil:
			r.Message = r.Insert
		}
		m, err := decode(r.Message)
		if err != nil {
			return nil, fmt.Errorf("ctxfold: edits[%d]: %w", i, err)
		}
		out = append(out, m)
	}
	return out, nil
}
