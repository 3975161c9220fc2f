package wire

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// partLists are the message keys that hold parts.
var partLists = []string{"content", "parts", "tool_calls", "summary", "output"}

// kindName returns the word for a JSON type of content.
func kindName(k jsonspan.Kind) string {
	switch k {
	case jsonspan.String:
		return "string"
	case jsonspan.Array:
		return "list"
	}
	return "other"
}

// message notes the signs of a message, or of a part if list is the key of a list in a message.
func (d *detector) message(list string) {
	top, typed, named, text := list == "", false, false, false
	calls, function, object, id := false, false, false, ""
	held, activity, content := false, false, "" // content is an object, as in an activity
	for d.Object(); ; {
		name, ok := d.Key()
		if !ok {
			if held && !activity {
				d.note("content", []byte(content))
			}
			switch {
			case top && named && calls:
				d.note("named", []byte("call"))
			case list == "tool_calls" && function && nineSigns(id) && id != strings.ToLower(id): // Groq's ids are all lower case
				d.note("call", []byte("nine"))
			case list == "tool_calls" && object && !nineSigns(id):
				d.note("call", []byte("object"))
			case list == "tool_calls" && named:
				d.settle(func(*Format, string) bool { return true })
			case typed:
			case list == "parts":
				d.note("part", []byte("untyped"))
			case list == "content" && text:
				d.note("bare", []byte("text"))
			case list == "tool_calls" && !named:
				d.note("call", []byte("bare"))
			}
			return
		}
		kind := d.Kind()
		typed = typed || string(name) == "type"
		named = named || string(name) == "id"
		text = text || string(name) == "text"
		calls = calls || string(name) == "toolCalls" || string(name) == "toolCallId"
		function = function || string(name) == "function"
		switch {
		case top && string(name) == "content" && kind == jsonspan.Object:
			held = true
			if activity {
				d.Skip()
			} else {
				content = d.block()
			}
			continue
		case top && string(name) == "content":
			d.note("content", []byte(kindName(kind)))
		case top && string(name) == "status" && kind == jsonspan.Object:
			d.note("status", []byte("object"))
		case list == "parts" && string(name) == "content":
			d.note("ui", name)
		case list == "content" && string(name) == "thinking" && kind == jsonspan.Array:
			d.note("thinking", []byte("list"))
		}
		switch {
		case kind == jsonspan.String && (string(name) == "role" || string(name) == "type"):
			v := d.Text()
			if v.Len() > 66 {
				continue
			}
			value := jsonspan.AppendText(nil, d.Src(), v.Span)
			if string(name) == "role" && top {
				activity = string(value) == "activity"
				d.note("role", value)
			} else if string(name) == "type" && top {
				d.note("item", value)
			} else if string(name) == "type" && list != "tool_calls" { // they show what calls are, not what the format is
				d.note("type", value)
				if list == "parts" {
					d.note("ui", value)
				}
			}
			continue
		case top:
			d.note("key", name)
		default:
			d.note("part", name)
		}
		if n := index(partLists, name); top && kind == jsonspan.Array && n >= 0 {
			for d.Array(); d.Elem(); {
				if d.Kind() == jsonspan.Object {
					d.message(partLists[n])
				} else {
					d.Skip()
				}
			}
			continue
		}
		switch {
		case list == "tool_calls" && string(name) == "id" && kind == jsonspan.String:
			id = jsonspan.Text(d.Src(), d.Text().Span)
			continue
		case list == "tool_calls" && string(name) == "function" && kind == jsonspan.Object:
			object = d.objectArguments()
			continue
		case top && string(name) == "toolCalls" && kind == jsonspan.Array:
			d.sdkCalls()
			continue
		}
		d.Skip()
	}
}

// block notes the signs of a content that is an object, and returns what it is: a block if it has a type, a store if it has format 2, a turn
// if it has a role, or parts without a format.
func (d *detector) block() (word string) {
	word = "object"
	format, parts := false, false
	for d.Object(); ; {
		name, ok := d.Key()
		if !ok {
			if word == "object" && parts && !format {
				word = "turn"
			}
			return word
		}
		format = format || string(name) == "format"
		parts = parts || string(name) == "parts" && d.Kind() == jsonspan.Array
		if d.note("part", name); string(name) == "format" && d.Kind() == jsonspan.Number {
			if v := d.Skip(); string(v.Of(d.Src())) == "2" {
				word = "store"
			}
		} else if string(name) == "role" && d.Kind() == jsonspan.String {
			word = "turn"
			d.Skip()
		} else if string(name) != "type" || d.Kind() != jsonspan.String {
			d.Skip()
		} else if v := d.Text(); v.Len() <= 66 {
			word = "block"
			d.note("type", jsonspan.AppendText(nil, d.Src(), v.Span))
		}
	}
}

// objectArguments reports whether the function at the scanner is called with an object.
func (d *detector) objectArguments() (object bool) {
	for d.Object(); ; d.Skip() {
		name, ok := d.Key()
		if !ok {
			return object
		}
		object = object || string(name) == "arguments" && d.Kind() == jsonspan.Object
	}
}

// sdkCalls notes that the elements of a toolCalls list call functions.
func (d *detector) sdkCalls() {
	for d.Array(); d.Elem(); {
		if d.Kind() != jsonspan.Object {
			d.Skip()
			continue
		}
		for d.Object(); ; d.Skip() {
			name, ok := d.Key()
			if !ok {
				break
			}
			if string(name) == "function" {
				d.note("toolCalls", name)
			}
		}
	}
}
