package wire

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// Target contains the JSON templates with which package convert writes a conversation in this format. In a template
// each of the following is replaced with a value, and %?x…%; encloses text to omit if there is no value for %x.
//
//	%c content
//	%t text as a JSON string
//	%r a role
//	%i id of a call
//	%n name of a tool
//	%N "tool-" and the name of the tool, as a JSON string
//	%o arguments as an object
//	%s arguments as JSON in a string
//	%k calls
//	%h reasoning as a string
//	%g images as base64 strings
//	%e an error
//	%E set where a result is not an error
//	%l a list of parts
//	%j a JSON value
//	%a set where a message has calls among its parts
//	%A set where a message has no calls among its parts
//	%d base64
//	%m media type
//	%M a media type for media whose type is unknown
//	%u a URL or data URL
//	%x the format's word for the media type
//	%f name of a file
//	%F a name for a file without one
//	%# a number that is unique among the messages and parts of the result
//	%@ a date, that number of milliseconds after 1970, for stores that sort by dates
type Target struct {
	// System, User and Assistant are messages. If the list has no system role, System is "" and Apart is the system
	// prompt, which becomes the value of the member ApartKey of a request body.
	System, User, Assistant string
	Apart, ApartKey         string
	// SystemFirst means that a system message is only accepted as the first message.
	SystemFirst bool
	// Tools is the member of a request body that contains the tool definitions, with %l for their list; "" if there
	// is none. Tool is one definition, if it differs from Format.Tool.
	Tools, Tool string
	// Content is the way to write the content of a message, and Said the way to write the assistant's, if it differs.
	// Empty replaces missing content.
	Content, Said Content
	Empty         string
	// Text is a part with text, and Spoken is such a part in an assistant's message, if it differs.
	Text, Spoken string
	// Reasoning is a part with unsigned reasoning; "" if such reasoning can't be written. ReasoningBeside means that
	// the reasoning is a member of the message (%h) rather than a part.
	Reasoning       string
	ReasoningBeside bool
	// ReasoningApart means that Reasoning is a separate message.
	ReasoningApart bool

	// Call is a tool call; "" if a list can't contain calls, so that calls and results are written as text.
	// CallsBeside means that the calls are a member of the message (%k). Items means that each call and each text of
	// the assistant is a separate message. Sign means that the first call of a message is signed with Format.Sign.
	Call                     string
	CallsBeside, Items, Sign bool
	// Result is a tool result: a message, a part of a message (whose template is Gathered) or, if Answered is set,
	// the end of a call that contains its result.
	Result   string
	Gathered string
	// ResultInside means that a result is a part of the assistant's message, after all calls.
	ResultInside bool
	// Answered is a tool call with its result, and Failed is one whose result is an error, for formats in which a
	// call and its result are one part.
	Answered, Failed string
	// Step is a part that begins each assistant turn if several turns are one message.
	Step string
	// Outcome holds the templates for a tool result's content.
	Outcome Outcome
	// Media lists the supported kinds of images, files and audio. The first match is used.
	Media []MediaForm
	// Captioned means that a message with a file also needs text.
	Captioned bool
	// ID and ToolName are the required forms of call ids and of tool names.
	ID, ToolName NameForm
	// NoID means that calls have no ids.
	NoID bool
}

// Content is a way to write content.
type Content uint8

// The ways to write content.
const (
	AsList   Content = iota // a list of parts
	AsEither                // a string if it is one text, else a list
	AsString                // a string
	AsBlock                 // a part if there is only one, else a list
	AsParts                 // a list of parts; for Said if Content differs
)

// Outcome holds the templates for a tool result's content. If there is no template for a kind of value, its content is
// written as text, and an error is written like a success.
type Outcome struct {
	Text, Error            string // %t
	Object, Array, Failure string // %j: a JSON value that is an object, one that isn't, one that is an error
	List                   string // %l: a list of texts and media; "" if results can't contain media
	Part                   string // text in the list
	Beside                 bool   // media are next to the text (%l of the result) instead of in a list with it
}

// MediaPlaces is a set of places where media can occur.
type MediaPlaces uint8

// The places for media.
const (
	ByUser MediaPlaces = 1 << iota
	ByAssistant
	InResult
)

// MediaForm holds the templates for media of one kind.
type MediaForm struct {
	Kind transcript.Kind // image, file or audio
	// Types lists the supported media types, separated by spaces, each followed by a colon and the format's word for it
	// if it has one. A type that ends with a slash matches all types that begin with it; "" matches any type.
	Types string
	Data  string      // for bytes, with %d or %u; "" if only URLs are accepted
	URL   string      // for URLs, with %u; "" if bytes are required
	In    MediaPlaces // the places where they are accepted
}

// Accepts returns the format's word for a media type; ok is false if media of this kind and type can't be written in
// the given place. data means that they are base64 data rather than a URL. An empty type is unknown; a URL of unknown
// type may have any type.
func (m *MediaForm) Accepts(kind transcript.Kind, mime string, data bool, in MediaPlaces) (word string, ok bool) {
	if kind != m.Kind || m.In&in == 0 || data && m.Data == "" || !data && m.URL == "" {
		return "", false
	}
	if m.Types == "" || mime == "" && !data {
		return "", true
	}
	for _, t := range strings.Fields(m.Types) {
		name, word, _ := strings.Cut(t, ":")
		if mime != "" && (name == mime || strings.HasSuffix(name, "/") && strings.HasPrefix(mime, name)) {
			return word, true
		}
	}
	return "", false
}

// NameForm is the required form of ids or names: at most Max bytes (0 means no limit) of letters, digits and the
// characters in Marks. If Marks is "any", all characters are allowed. If Exact is set, an id has exactly that many
// letters and digits.
type NameForm struct {
	Max, Exact int
	Marks      string
}

// AnySign is the value of Marks for ids that may contain any character.
const AnySign = "any"

// Accepts reports whether an id or name has the form.
func (n *NameForm) Accepts(s string) bool {
	if s == "" || n.Max > 0 && len(s) > n.Max || n.Exact > 0 && len(s) != n.Exact {
		return false
	}
	if n.Marks == AnySign {
		return true
	}
	for i := range len(s) {
		if !n.allows(s[i]) {
			return false
		}
	}
	return true
}

func (n *NameForm) allows(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte(n.Marks, c) >= 0
}

// Conform makes a name valid in this form: characters that aren't allowed become underscores, and a name that is too
// long is cut.
func (n *NameForm) Conform(s string) string {
	b := []byte(s)
	if n.Max > 0 && len(b) > n.Max {
		b = jsonspan.TrimRune(b[:n.Max])
	}
	if n.Marks == AnySign {
		return string(b)
	}
	for i := range b {
		if !n.allows(b[i]) {
			b[i] = '_'
		}
	}
	return string(b)
}

// Values holds the values for a template, by letter. A value is nil if there is none.
type Values [128][]byte

// FillTemplate appends a template with its values filled in. It returns the extended dst. See [Target] for the syntax.
func FillTemplate(dst []byte, template string, values *Values) []byte {
	for {
		i := strings.IndexByte(template, '%')
		if i < 0 || i+1 == len(template) {
			return append(dst, template...)
		}
		dst = append(dst, template[:i]...)
		sign := template[i+1]
		template = template[i+2:]
		switch sign {
		case '?':
			sign, template = template[0], template[1:]
			if values[sign&127] == nil {
				_, template, _ = strings.Cut(template, "%;")
			}
		case ';':
		default:
			dst = append(dst, values[sign&127]...)
		}
	}
}
