package ctxfold

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/ctxfold/ctxfold/api"
)

// Limits of the option redact, in bytes: the minimum length of text to redact, and the maximum length of a placeholder
// (docs/guides/redact.md).
const (
	minRedacted    = 4
	maxPlaceholder = 100
)

// redactions calls find for each text of messages and returns the option redact. If find panics, or returns a string
// that the text doesn't contain or that the core doesn't accept, the whole text is replaced. It returns nil if find is
// nil or finds nothing.
func redactions(find func(text string) []api.Redaction, messages []byte) *api.Redact {
	if find == nil {
		return nil
	}
	o, seen := new(api.Redact), map[string]bool{}
	for text := range texts(messages) {
		if seen["="+text] {
			continue
		}
		seen["="+text] = true
		found, ok := secretsIn(find, text)
		if !ok {
			o.Texts = append(o.Texts, api.Redaction{Text: text, Whole: true, Failed: true})
			continue
		}
		for _, r := range found {
			if !seen[r.Text] {
				seen[r.Text] = true
				o.Texts = append(o.Texts, r)
			}
		}
	}
	if len(o.Texts) == 0 {
		return nil
	}
	return o
}

// secretsIn calls find for one text. ok reports whether the result is usable. It is false if find panics or returns
// anything that the core wouldn't accept.
func secretsIn(find func(text string) []api.Redaction, text string) (found []api.Redaction, ok bool) {
	defer func() {
		if recover() != nil {
			found, ok = nil, false
		}
	}()
	found = find(text)
	for i := range found {
		if r := &found[i]; len(r.Text) < minRedacted || len(r.Placeholder) > maxPlaceholder || !strings.Contains(text, r.Text) {
			return nil, false
		}
	}
	return found, true
}

// texts yields the strings of a JSON value, except keys and the values of "role" and "type".
func texts(value []byte) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		d := json.NewDecoder(bytes.NewReader(value))
		var objects []bool // one per open object or array; true for objects
		key, isKey := "", false
		for {
			token, err := d.Token()
			if err != nil { // the core reports invalid JSON
				return
			}
			n := len(objects)
			switch t := token.(type) {
			case json.Delim:
				if t == '{' || t == '[' {
					objects, isKey, key = append(objects, t == '{'), t == '{', ""
					continue
				}
				objects = objects[:n-1]
			case string:
				if isKey {
					key, isKey = t, false
					continue
				}
				if t != "" && key != "role" && key != "type" && !yield(t) {
					return
				}
			}
			key, isKey = "", len(objects) > 0 && objects[len(objects)-1]
		}
	}
}
