// Package wire knows the JSON of each wire format: how to read a message into records, how to write a new one, what makes a transcript
// valid, and how to repair one that is not.
//
// A wire format is one file that registers one Format; nothing else has to change to add another. What never enters this package: budgets,
// passes and summaries.
package wire

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// Format is a wire format: the shape of its messages and its rules.
type Format struct {
	Name string // as in a policy
	Doc  string // one line for people
	List string // the key that holds the list in a request body
	// Model is a word of the names of models that are most often asked in the format; "" where any may be.
	Model string

	// Signs are what tells the format from others; see detect.go.
	Signs Signs

	// ReadMessage reads one message, which is an object, at the reader. It fills m and adds the message's parts.
	ReadMessage func(r *Reader, m *transcript.Message)

	// Message appends a new message with one text.
	Message func(dst []byte, role transcript.Role, text string) []byte
	// Instead is Message for one that replaces another, given as JSON, where several may have one text and messages have ids; may be nil.
	Instead func(dst []byte, role transcript.Role, text string, old []byte) []byte
	// Timed is set where each message has the time when it was made, which Instead takes from the old message: what is new next to a message
	// gets that one's time.
	Timed bool
	// ResultBody appends a value with a text that may be where the body of a tool result (its index in Parts) is, and returns what reading
	// it will measure.
	ResultBody func(dst []byte, t *transcript.Transcript, result int32, text string) ([]byte, transcript.Measure)
	// TextPart is the JSON of a part that may be where an image or a file is, with %t for its text.
	TextPart string
	// InnerMedia tells that the parts inside tool results are media alone: TextPart may not be there.
	InnerMedia bool
	// Tool is the JSON of a tool's definition, as one element of a request body's tools, with %n for the name, %d for the
	// description and %p for the JSON schema of the parameters.
	Tool string
	// Results appends one or more messages, separated by commas, that answer the given tool calls with text, in their order.
	// It returns nil where there is a call that no text can answer.
	Results func(dst []byte, calls []Call, text string) []byte
	// Spelled is the format that writes what is new next to messages of a spelling, one that readers have given to messages or 0; nil where
	// all messages are spelled alike.
	Spelled func(spelling uint8) *Format
	// Within is, for each spelling of messages, the key under which they hold content and calls, for paths; "" is none.
	Within []string
	// Answer appends a tool call, given as JSON, with text as its result in it: for formats where call and result are one part, instead of
	// Results.
	Answer func(dst, part []byte, text string) []byte

	// Wrap appends a message that holds one part, given as JSON, which was in another message; for formats whose messages hold several
	// results.
	Wrap func(dst []byte, role transcript.Role, part, message []byte) []byte
	// Sign appends what replaces the opening brace of a tool call, given as JSON, to represent the signature that it lacks.
	Sign func(dst, part []byte) []byte
	// Think says where a message, given as JSON, gets reasoning that is empty, and what is there then; nil where no message needs any.
	Think func(message []byte) (at jsonspan.Span, text string)
	// Stamp is the member of messages with the date by which a store orders them; "" where their order in the list counts. Message writes
	// NoStamp for it, and view.Stamp the date.
	Stamp string
	// FreshID is how the ids begin that repair gives to tool calls; IDLength is how many letters and digits an id has, 0 for any number.
	FreshID  string
	IDLength int

	// Convert says how a conversation of another format is written in this one; nil where that cannot be done.
	Convert *Target

	// SystemApart tells that the system prompt is next to the list, and no message of the system's in it.
	SystemApart bool
	// Marks are the kinds of cache breakpoints that its messages may have; 0 where its providers take none.
	Marks MarkKind
	// Parts is the key of a message's list of parts, for paths; "" is content.
	Parts string
	// Calls is the key of a message's list of tool calls, for paths; "" is tool_calls.
	Calls string
	// Link links records that belong together and are no tool calls and results, from part index from on; may be nil.
	Link func(t *transcript.Transcript, from int)

	Rules Rules
	// Extra reports what the general rules do not cover; may be nil.
	Extra func(c *Checker)
}

// NoStamp is the date of a new message that has no place yet, as JSON.
const NoStamp = `"1970-01-01T00:00:00.000Z"`

// Call is a tool call that needs a result: its id and name as they are in the source, quotes included; nil if it has none. Part is all of
// it, Message the message that it is in. Result is the result that it has in a wrong place, or nil. Legacy tells that the call is spelled as
// in an older version of the format, or as its SDK does.
type Call struct {
	ID, Name, Part, Result, Message []byte
	Legacy                          bool
}

// As is the format that writes what is new next to the messages of t: as the first of them is spelled.
func (f *Format) As(t *transcript.Transcript) *Format {
	if f.Spelled == nil {
		return f
	}
	spelling := uint8(0)
	if len(t.Messages) > 0 {
		spelling = t.Messages[0].Spelling
	}
	return f.Spelled(spelling)
}

// CallOf is the tool call at index n of t.Parts.
func CallOf(t *transcript.Transcript, n int32) Call {
	p := &t.Parts[n]
	c := Call{Part: t.Bytes(p.Span), Message: t.Bytes(t.Messages[p.Msg].Span), Legacy: p.Has(transcript.Legacy)}
	if !p.ID.Zero() {
		c.ID = t.Bytes(p.ID)
	}
	if !p.Name.Zero() {
		c.Name = t.Bytes(p.Name)
	}
	return c
}

// AppendID appends an id for the tool call that has a part index in a message, as JSON: another one than old, which is JSON too.
func (f *Format) AppendID(dst []byte, message, part int32, old []byte) []byte {
	fresh := append([]byte(`"`), f.FreshID...)
	if f.IDLength > 0 {
		n := uint64(part)
		if was := bytes.TrimPrefix(old, fresh); len(was) < len(old) {
			if last, err := strconv.ParseUint(string(was[:len(was)-1]), 36, 64); err == nil && last%manyParts == n {
				n = last + manyParts
			}
		}
		digits := strconv.FormatUint(n, 36)
		fresh = append(fresh, strings.Repeat("0", max(0, f.IDLength-len(f.FreshID)-len(digits)))...)
		return append(append(append(dst, fresh...), digits...), '"')
	}
	fresh = strconv.AppendInt(fresh, int64(message), 10)
	fresh = strconv.AppendInt(append(fresh, '_'), int64(part), 10)
	if len(old) > len(fresh) && bytes.HasPrefix(old, fresh) { // renamed before, to an id that is taken too
		fresh = append(append(fresh[:0], old[:len(old)-1]...), '_')
	}
	return append(append(dst, fresh...), '"')
}

// manyParts is more than the parts of a transcript, those of new messages included.
const manyParts = 8 * MaxParts

// stringBody is the ResultBody of formats where the body of every tool result may be a string.
func stringBody(dst []byte, _ *transcript.Transcript, _ int32, text string) ([]byte, transcript.Measure) {
	return jsonspan.AppendString(dst, text), jsonspan.MeasureText(text)
}

// formats holds the registered formats, sorted by name: the order of files must not be seen in any answer.
var formats []*Format

// Register adds a format. It is called from init.
func Register(f *Format) {
	f.Signs.learn(f.List)
	for _, list := range [...]string{f.Signs.Types, f.Signs.Roles, f.Signs.Items} {
		for _, word := range strings.Fields(list) {
			if same := words[len(word)]; !slices.Contains(same, word) {
				words[len(word)] = append(same, word)
			}
		}
	}
	i := 0
	for i < len(formats) && formats[i].Name < f.Name {
		i++
	}
	formats = append(formats[:i:i], append([]*Format{f}, formats[i:]...)...)
}

// ByName returns the format with a name, or nil.
func ByName(name string) *Format {
	for _, f := range formats {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// All lists the formats by name.
func All() []*Format { return formats }

// Names lists the names of the formats.
func Names() []string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.Name
	}
	return names
}
