package wire

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// partLists lists the message keys that hold parts.
var partLists = []string{"content", "parts", "tool_calls", "summary", "output"}

// kindName returns the name that Signs use for content of the given JSON type.
func kindName(k jsonspan.Kind) string {
	switch k {
	case jsonspan.String:
		return "string"
	case jsonspan.Array:
		return "list"
	}
	return "other"
}

// traits is a set of features of a message or a part that are signs only in combination.
type traits uint16

const (
	hasType      traits = 1 << iota // a key type
	hasID                           // a key id
	hasText                         // a key text
	hasSDKCalls                     // toolCalls or toolCallId
	hasFunction                     // a tool call contains a function
	objectCalled                    // the arguments of that function are an object
	nineID                          // the id of the call has nine letters and digits
	mixedNineID                     // not all of the id's letters are lower case, as with Groq
	hasValue                        // value is a string
	hasParent                       // a key that occurs in entries of session files, such as the id of the parent
	hasMessage                      // a key that such an entry also has
)

// maxNamedBytes is the maximum length of a role or a type that can be a sign, in bytes, with its quotes.
const maxNamedBytes = 66

// traitOf maps keys to the traits that they show.
var traitOf = map[string]traits{
	"type": hasType, "id": hasID, "text": hasText, "toolCalls": hasSDKCalls, "toolCallId": hasSDKCalls,
	"function": hasFunction, "parentUuid": hasParent, "parent_tool_use_id": hasParent, "message": hasMessage,
	"parentMessageId": hasParent, "isCreatedByUser": hasMessage, "blocks": hasParent, "additional_kwargs": hasMessage,
	"Items": hasParent, "Role": hasMessage, "items": hasParent, "content_type": hasMessage,
}

// traitSigns lists the signs that combinations of traits show, for messages and for the parts in a list. The row that
// applies is the first one whose traits under has are all present and whose traits under lacks are all missing. If that
// row has no sign, the search ends without one.
var traitSigns = []struct {
	list       string // "" is a message
	has, lacks traits
	kind, name string
}{
	{"", hasParent | hasMessage, 0, "entry", "session"},
	{"", hasID | hasSDKCalls, 0, "named", "call"},
	{"tool_calls", hasFunction | mixedNineID, 0, "call", "nine"},
	{"tool_calls", objectCalled, nineID, "call", "object"},
	{"tool_calls", hasID, 0, "", ""},
	{"parts", 0, hasType, "part", "untyped"},
	{"content", hasText, hasType, "bare", "text"},
	{"content", hasType | hasValue, hasText, "part", "valued"},
	{"tool_calls", 0, hasType, "call", "bare"},
}

// memberSigns lists the signs that single members show, by the list that contains the part and by the kind of the
// value. Invalid matches any kind.
var memberSigns = []struct {
	list, key string        // the list, "" for a message, and the key of the member
	value     jsonspan.Kind // the kind of its value
	sign      string        // the kind of the sign
	name      string        // the name of the sign
}{
	{"", "status", jsonspan.Object, "status", "object"},
	{"parts", "content", jsonspan.Invalid, "ui", "content"},
	{"content", "thinking", jsonspan.Array, "thinking", "list"},
}

// readMessage notes the signs of a message or, if list is the key of a list in a message, of a part in that list.
func (d *detector) readMessage(list string) {
	top, has := list == "", traits(0)
	activity, content := false, "" // the word for content that is an object, as in an activity
	member := "part"
	if top {
		member = "key"
	}
	for name := range d.Members {
		kind := d.Kind()
		has |= traitOf[string(name)]
		d.noteMember(list, name, kind)
		switch {
		case kind == jsonspan.Object && top && string(name) == "content":
			content = d.readBlock(activity)
		case kind == jsonspan.String && string(name) == "role":
			if value := d.readLabel(list, true); value != "" {
				activity = value == "activity"
			}
		case kind == jsonspan.String && string(name) == "type":
			d.readLabel(list, false)
		default:
			d.noteSign(member, name)
			has |= d.readMember(list, name, kind)
		}
	}
	if content != "" && !activity {
		d.noteSign("content", []byte(content))
	}
	d.noteTraits(list, has)
}

// noteMember records the signs that a member shows by its name and by the kind of its value. list
// is that of readMessage.
func (d *detector) noteMember(list string, name []byte, kind jsonspan.Kind) {
	if list == "" && string(name) == "content" {
		if kind == jsonspan.Object { // its word depends on what it contains
			return
		}
		d.noteSign("content", []byte(kindName(kind)))
	}
	for _, sign := range memberSigns {
		if sign.list == list && sign.key == string(name) && (sign.value == kind || sign.value == jsonspan.Invalid) {
			d.noteSign(sign.sign, []byte(sign.name))
		}
	}
}

// noteTraits records the sign that the traits show in combination. list is that of readMessage. If
// the row that applies has no sign, it settles the search.
func (d *detector) noteTraits(list string, has traits) {
	for _, sign := range traitSigns {
		if sign.list != list || has&sign.has != sign.has || has&sign.lacks != 0 {
			continue
		}
		if sign.kind == "" {
			d.settle(true)
		} else {
			d.noteSign(sign.kind, []byte(sign.name))
		}
		return
	}
}

// readLabel reads the role or the type of a message or a part, notes it as a sign, and returns it; "" if it is too long to
// be a sign. list is the key of the list that contains the object, "" for messages; role tells a role from a type.
func (d *detector) readLabel(list string, role bool) string {
	v := d.Text()
	if v.Len() > maxNamedBytes {
		return ""
	}
	value := jsonspan.AppendText(nil, d.Src(), v.Span)
	switch {
	case role && list == "":
		d.noteSign("role", value)
	case role || list == "tool_calls": // the type of a call says what the call is, not which format it has
	case list == "":
		d.noteSign("item", value)
	default:
		if d.noteSign("type", value); list == "parts" {
			d.noteSign("ui", value)
		}
	}
	return string(value)
}

// readMember reads the value of the member with the given name, and returns the traits that it
// shows. list is that of readMessage.
func (d *detector) readMember(list string, name []byte, kind jsonspan.Kind) (has traits) {
	top := list == ""
	switch n := indexOf(partLists, name); {
	case string(name) == "value" && kind == jsonspan.String:
		d.Skip()
		has = hasValue
	case top && kind == jsonspan.Array && n >= 0:
		d.partsOf(partLists[n])
	case list == "tool_calls" && string(name) == "id" && kind == jsonspan.String:
		has = idTraits(jsonspan.Text(d.Src(), d.Text().Span))
	case list == "tool_calls" && string(name) == "function" && kind == jsonspan.Object:
		has = d.argumentTraits()
	case top && string(name) == "toolCalls" && kind == jsonspan.Array:
		d.sdkCalls()
	default:
		d.Skip()
	}
	return has
}

// partsOf notes the signs of the parts in the list under a key.
func (d *detector) partsOf(key string) {
	for d.Array(); d.Elem(); {
		if d.Kind() == jsonspan.Object {
			d.readMessage(key)
		} else {
			d.Skip()
		}
	}
}

// idTraits returns the traits that the id of a call shows, or 0. Ids of nine letters and digits are Mistral's.
func idTraits(id string) traits {
	switch {
	case !nineSigns(id):
		return 0
	case id != strings.ToLower(id):
		return nineID | mixedNineID
	}
	return nineID
}

// readBlock notes the signs of content that is an object, and returns the word for it: a block if it has a type, a
// store if it has format 2, a turn if it has a role, or parts if it has parts and no format. The content of an activity
// shows nothing, so the word is "".
func (d *detector) readBlock(activity bool) (word string) {
	if activity {
		d.Skip()
		return ""
	}
	word = "object"
	format, parts := false, false
	for name := range d.Members {
		format = format || string(name) == "format"
		parts = parts || string(name) == "parts" && d.Kind() == jsonspan.Array
		d.noteSign("part", name)
		if shown := d.blockMember(name); shown != "" {
			word = shown
		}
	}
	if word == "object" && parts && !format {
		word = "turn"
	}
	return word
}

// blockMember reads a member of content that is an object, and returns the word for the object if the member shows it.
// Otherwise it returns "".
func (d *detector) blockMember(name []byte) string {
	switch kind := d.Kind(); {
	case string(name) == "format" && kind == jsonspan.Number:
		if v := d.Skip(); string(v.Slice(d.Src())) == "2" {
			return "store"
		}
	case string(name) == "role" && kind == jsonspan.String:
		d.Skip()
		return "turn"
	case string(name) == "type" && kind == jsonspan.String:
		if v := d.Text(); v.Len() <= maxNamedBytes {
			d.noteSign("type", jsonspan.AppendText(nil, d.Src(), v.Span))
			return "block"
		}
	default:
		d.Skip()
	}
	return ""
}

// nineSigns reports whether an id consists of nine ASCII letters and digits.
func nineSigns(id string) bool {
	for i := 0; i < len(id); i++ {
		if c := id[i] | 0x20; (c < 'a' || c > 'z') && (id[i] < '0' || id[i] > '9') {
			return false
		}
	}
	return len(id) == 9
}

// argumentTraits returns the traits that the function call at the scanner shows: whether its arguments are an object.
func (d *detector) argumentTraits() (has traits) {
	for name := range d.Members {
		if d.Skip().Kind == jsonspan.Object && string(name) == "arguments" {
			has = objectCalled
		}
	}
	return has
}

// sdkCalls notes whether the elements of a toolCalls list are function calls.
func (d *detector) sdkCalls() {
	for d.Array(); d.Elem(); {
		if d.Kind() != jsonspan.Object {
			d.Skip()
			continue
		}
		for name := range d.Members {
			if string(name) == "function" {
				d.noteSign("toolCalls", name)
			}
			d.Skip()
		}
	}
}
