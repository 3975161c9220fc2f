// Package sessionfile reads the session files that coding agents keep and takes the live conversation out of them: the
// messages that the agent's next request would hold, as a list in a wire format.
//
// A kind of session file is one file here that registers one Kind; nothing else has to change to add another. Files are
// scanned in place: what a message holds is copied byte for byte, and only the agent's own wrapping is taken off.
//
// What never enters this package: tokens, policies, and what makes a transcript valid. It puts messages into the order in
// which the agent would send them; it neither mends what is broken nor makes anything up.
package sessionfile

import (
	"slices"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// Session is the live conversation of a session file.
type Session struct {
	Kind     string        // as in Kinds
	Format   string        // wire format of Messages
	Model    string        // the model asked last; "" if the file does not tell
	System   string        // system prompt; "" if the file does not hold it
	Messages []byte        // a JSON array
	Count    int           // how many messages that is
	Usage    *Usage        // the provider's last count that still holds, or nil
	Skipped  []api.Skipped // what was left out, sorted by What
}

// Usage is the provider's own count of tokens for the call that made one of the messages. A count from before the last
// compaction is not reported: it says nothing about what is left.
type Usage struct {
	Message    int   // index of the message that the call ended with
	Input      int64 // tokens of the prompt that were neither read from nor written to a cache
	CacheRead  int64 // tokens of the prompt that came from a cache
	CacheWrite int64 // tokens of the prompt that were written to a cache
	Output     int64 // tokens that the model wrote, reasoning included
}

// Total is the size of the context after the call, in tokens.
func (u *Usage) Total() int64 { return u.Input + u.CacheRead + u.CacheWrite + u.Output }

// Kind is a kind of session file.
type Kind struct {
	Name   string
	Doc    string // one line for people
	Format string // wire format of the messages

	// Signs are objects that only files of this kind have: among the lines of the file, or the whole file.
	Signs []Sign
	// Is looks closer at an object where the keys of a sign are not enough; nil takes the sign for it.
	Is func(src []byte, at jsonspan.Span) bool
	// Items are such objects in a list that is the whole file.
	Items []Sign
	// Stream says that objects may follow each other with no line feed between them.
	Stream bool
	// Beside are lists that the agent keeps beside its session files, and that people take for one.
	Beside []Beside
	// Read reads the file and writes its messages. What it returns writes others in their place.
	Read func(f *file) writer
}

// Beside is an item of a list that is no session, and where the session is.
type Beside struct {
	Sign
	Why string
}

// Sign is an object by the value of its "type", "" for any, and by the keys that it must have.
type Sign struct {
	Type string
	Keys []string
}

// kinds holds the registered kinds, sorted by name: the order of files must not be seen in any answer.
var kinds []*Kind

func register(k *Kind) {
	i := 0
	for i < len(kinds) && kinds[i].Name < k.Name {
		i++
	}
	kinds = append(kinds[:i:i], append([]*Kind{k}, kinds[i:]...)...)
}

// Kinds lists the kinds by name.
func Kinds() []*Kind { return kinds }

// IsKind tells whether there is a kind of this name.
func IsKind(name string) bool {
	return slices.ContainsFunc(kinds, func(k *Kind) bool { return k.Name == name })
}

// Detect tells of which kind a file is, "" if it is none. It reads up to the first line that only one kind can have.
func Detect(src []byte) string {
	if k, _ := detect(src); k != nil {
		return k.Name
	}
	return ""
}

// Open reads a session file. An error has its offset in src, and in files of lines the number of the line in its
// message. A last line that is cut off is no error: a crash leaves one. It is skipped, and counted in Skipped.
func Open(src []byte) (*Session, *jsonspan.Error) {
	f, _, err := read(src)
	if err != nil {
		return nil, err
	}
	f.Messages = append(f.open(), ']')
	return f.Session, nil
}

func read(src []byte) (*file, writer, *jsonspan.Error) {
	if err := jsonspan.New(src).Err(); err != nil {
		return nil, nil, err
	}
	k, why := detect(src)
	if k == nil && why != "" {
		return nil, nil, &jsonspan.Error{Code: api.CodeUnknownSession, Message: "this is not a session file: " + why}
	}
	if k == nil {
		names := ""
		for i, k := range kinds {
			if i > 0 {
				names += ", "
			}
			names += k.Name
		}
		return nil, nil, &jsonspan.Error{Code: api.CodeUnknownSession, Message: "this is not a session file; the kinds are: " + names}
	}
	f := &file{src: src, whole: len(src), Session: &Session{Kind: k.Name, Format: k.Format}}
	w := k.Read(f)
	return f, w, f.err
}
