package ctxfold

import (
	"encoding/json"
	"fmt"

	"github.com/ctxfold/ctxfold/api"
)

// ApplyEdits applies [Result].Edits to the caller's own list of messages. Kept messages are the same values as before, so they keep what
// JSON can't carry; decode makes a value from the JSON of a changed or new message. The list itself isn't modified.
func ApplyEdits[T any](messages []T, edits json.RawMessage, decode func(json.RawMessage) (T, error)) ([]T, error) {
	var runs api.Edits
	if err := unmarshal("edits", edits, &runs); err != nil {
		return nil, err
	}
	out := make([]T, 0, len(messages))
	for i, r := range runs {
		switch {
		case r.Keep != nil:
			if len(r.Keep) != 2 || r.Keep[0] < 0 || r.Keep[1] < r.Keep[0] || r.Keep[1] > len(messages) {
				return nil, fmt.Errorf("ctxfold: edits[%d] keeps %v of %d messages", i, r.Keep, len(messages))
			}
			out = append(out, messages[r.Keep[0]:r.Keep[1]]...)
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
