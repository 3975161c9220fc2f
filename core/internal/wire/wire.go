// Package wire knows the JSON of each wire format: how to read a message into records, how to write a new one, what
// makes a transcript valid, and how to repair an invalid one.
//
// A wire format is one file that registers one Format, which other packages use without knowing its name. Three tables
// stay outside of that file: what providers tolerate (severity.go), the signs of formats that a slim build leaves out
// (elsewhere.go), and the form of requests that extend a conversation (prefix_form.go). This package never contains
// budgets, passes or summaries.
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
	Name string // name of the format in a policy
	Doc  string // one-line description
	List string // key of the message list in a request body
	// Model is a word that occurs in the names of the models usually called in this format; "" if any model may be.
	Model string

	// Signs distinguishes the format from others; see sign.go.
	Signs  Signs
	number int // in the order of registration

	// ReadMessage reads the message at the reader, which is an object. It fills in m and adds the message's parts.
	ReadMessage func(r *Reader, m *transcript.Message)

	// Message appends a new message with a single text.
	Message func(dst []byte, role transcript.Role, text string) []byte
	// Instead writes a new message in place of old, which is given as JSON. It is nil for most formats; it is needed
	// if messages have ids and several messages may have the same text.
	Instead func(dst []byte, role transcript.Role, text string, old []byte) []byte
	// Timed means that each message has a timestamp. A new message gets the timestamp of a neighbor; Instead takes it
	// from the old message.
	Timed bool
	// ResultBody appends text as the value of the body of a tool result, and returns the measure that reading this
	// value would give. result is the result's index in Parts.
	ResultBody func(dst []byte, t *transcript.Transcript, result int32, text string) ([]byte, transcript.Measure)
	// TextPart is the JSON of a part that can replace an image or a file, with %t for its text.
	TextPart string
	// InnerMedia means that the parts inside tool results can only be media, so TextPart is not allowed there.
	InnerMedia bool
	// Tool is the JSON of a tool definition, as an element of a request body's tools, with %n for the name, %d for
	// the description and %p for the JSON schema of the parameters.
	Tool string
	// Results appends one or more messages, separated by commas, that answer the given tool calls with text, in the
	// order of the calls. It returns nil if a call can't be answered with text.
	Results func(dst []byte, calls []Call, text string) []byte
	// Spelled returns the format for new messages next to messages with a given spelling, which is a number set by
	// ReadMessage or 0. It is nil if all messages are spelled alike.
	Spelled func(spelling uint8) *Format
	// Within lists, by spelling, the key of the object that contains a message's content and calls; "" if there is no
	// such object. It is used for paths.
	Within []string
	// Answer appends part, a tool call given as JSON, with text added as its result. It replaces Results in formats
	// where call and result are one part.
	Answer func(dst, part []byte, text string) []byte

	// Wrap appends a message that contains a single part, given as JSON and taken from message. It is for formats in
	// which a message can contain several results.
	Wrap func(dst []byte, role transcript.Role, part, message []byte) []byte
	// Sign appends the text that replaces the opening brace of a tool call, given as JSON, so that the call has a
	// placeholder signature.
	Sign func(dst, part []byte) []byte
	// Think returns where to insert empty reasoning in a message, which is given as JSON, and the text to insert there.
	// It is nil if messages never need reasoning.
	Think func(message []byte) (at jsonspan.Span, text string)
	// Stamp is the member of a message that contains the date by which a store orders messages; "" if the order of the
	// list counts. Message writes NoStamp there, and view.Stamp replaces it with the date.
	Stamp string
	// FreshID is the prefix of the ids that repair gives to tool calls; IDLength is the required number of letters and
	// digits of an id, or 0 for any number.
	FreshID  string
	IDLength int

	// Convert holds the templates for writing another format's conversation in this format; nil if that isn't possible.
	Convert *Target

	// SystemApart means that the system prompt is outside the list, which contains no system message.
	SystemApart bool
	// Marks says which kinds of cache breakpoints messages can have; 0 if the format's providers accept none.
	Marks MarkKind
	// Parts is the key of a message's list of parts, for paths; "" means content.
	Parts string
	// Calls is the key of a message's list of tool calls, for paths; "" means tool_calls.
	Calls string
	// Link links records that belong together, other than tool calls and results, starting at part index from; may be
	// nil.
	Link func(t *transcript.Transcript, from int)

	Rules Rules // what makes a transcript valid in this format
	// Extra reports violations that the general rules don't cover; may be nil.
	Extra func(c *Checker)
}

// NoStamp is the date, as JSON, of a new message whose position is not yet known.
const NoStamp = `"1970-01-01T00:00:00.000Z"`

// Call is a tool call that needs a result. ID and Name are as in the source, including quotes, or nil if missing. Part
// is the whole call, Message is its message, and Result is its result if that is in a wrong place, otherwise nil.
// Legacy means that the call is spelled as in an older version of the format, or as in its SDK.
type Call struct {
	ID, Name, Part, Result, Message []byte
	Legacy                          bool
}

// FormatFor returns the format for writing new messages for t, in the spelling of t's first message.
func (f *Format) FormatFor(t *transcript.Transcript) *Format {
	if f.Spelled == nil {
		return f
	}
	spelling := uint8(0)
	if len(t.Messages) > 0 {
		spelling = t.Messages[0].Spelling
	}
	return f.Spelled(spelling)
}

// CallOf returns the tool call at index n of t.Parts. Its ID and Name are nil if the call has none. The bytes are those
// of the transcript, and must not be modified.
func CallOf(t *transcript.Transcript, n int32) Call {
	p := &t.Parts[n]
	c := Call{Part: t.Bytes(p.Span), Message: t.Bytes(t.Messages[p.Msg].Span), Legacy: p.Has(transcript.Legacy)}
	if !p.ID.IsZero() {
		c.ID = t.Bytes(p.ID)
	}
	if !p.Name.IsZero() {
		c.Name = t.Bytes(p.Name)
	}
	return c
}

// AppendID appends an id, as JSON, for a tool call. The id depends on the indexes of the call's message and part, and
// differs from old, which is also JSON.
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
	if len(old) > len(fresh) && bytes.HasPrefix(old, fresh) { // it was renamed before, to an id that is taken as well
		fresh = append(append(fresh[:0], old[:len(old)-1]...), '_')
	}
	return append(append(dst, fresh...), '"')
}

// manyParts is greater than the number of parts in any transcript, even after new messages have been added.
const manyParts = 8 * MaxParts

// stringBody is the ResultBody for formats in which every tool result's body may be a string.
func stringBody(dst []byte, _ *transcript.Transcript, _ int32, text string) ([]byte, transcript.Measure) {
	return jsonspan.AppendString(dst, text), jsonspan.MeasureText(text)
}

// formats holds the registered formats, sorted by name, so that the order of files doesn't affect results.
var formats []*Format

// Register adds a format, which is then found by its name and by its signs. It must be called from init.
func Register(f *Format) {
	f.number = len(formats)
	for _, list := range [...]string{f.Signs.Types, f.Signs.Roles, f.Signs.Items} {
		for _, word := range strings.Fields(list) {
			if same := knownWords[len(word)]; !slices.Contains(same, word) {
				knownWords[len(word)] = append(same, word)
			}
		}
	}
	i := 0
	for i < len(formats) && formats[i].Name < f.Name {
		i++
	}
	formats = append(formats[:i:i], append([]*Format{f}, formats[i:]...)...)
}

// ByName returns the format with the given name, or nil.
func ByName(name string) *Format {
	for _, f := range formats {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// AllFormats returns the formats, sorted by name.
func AllFormats() []*Format { return formats }

// Names returns the names of the formats, in alphabetical order.
func Names() []string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.Name
	}
	return names
}
