// Package sessionfile reads the session files of coding agents and extracts the live conversation: the messages that
// the agent's next request would contain, as a list in a wire format.
//
// Each kind of session file has a source file in this package that registers one Kind; adding a kind changes nothing
// else. Files are scanned in place: message contents are copied byte for byte, and only the agent's wrapping is
// removed.
//
// The package knows nothing about tokens, policies and the validity of transcripts. It orders the messages as the agent
// would send them, but neither repairs nor invents anything.
package sessionfile

import (
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// Session is the live conversation of a session file.
type Session struct {
	Kind     string        // the name of a Kind
	Format   string        // the wire format of Messages
	Model    string        // the last model that the agent used; "" if the file doesn't say
	System   string        // the system prompt; "" if the file doesn't contain it
	Messages []byte        // a JSON array
	Count    int           // number of messages
	Usage    *Usage        // the provider's last count that is still valid, or nil
	Skipped  []api.Skipped // what was left out, sorted by What
}

// Usage is the provider's own token count for the call that produced one of the messages. A count from before the
// last compaction is not reported, because it doesn't describe the remaining messages.
type Usage struct {
	Message    int   // index of the message that the call produced
	Input      int64 // tokens of the prompt that were neither read from nor written to a cache
	CacheRead  int64 // tokens of the prompt that were read from a cache
	CacheWrite int64 // tokens of the prompt that were written to a cache
	Output     int64 // tokens that the model wrote, including reasoning
	Least      int64 // the lowest Total among all valid counts in the file
}

// Total returns the size of the context after the call, in tokens.
func (u *Usage) Total() int64 { return u.Input + u.CacheRead + u.CacheWrite + u.Output }

// Kind is a kind of session file.
type Kind struct {
	Name   string // as in results of open, such as "codex"
	Doc    string // a one-line description for users
	Format string // the wire format of the messages

	// Signs identifies objects that only occur in files of this kind, as one of the lines or as the whole file.
	Signs []Sign
	// Is reports whether an object that has one of the signs really is of this kind. It is nil if the signs are enough.
	Is func(src []byte, at jsonspan.Span) bool
	// Items lists the signs that identify items, for a file that consists of a list.
	Items []Sign
	// Stream means that objects may follow each other without line feeds in between.
	Stream bool
	// Beside describes lists that the agent keeps next to its session files and that are easily mistaken for them.
	Beside []Beside
	// Usage names the keys of the provider's counts.
	Usage usageKeys
	// Read reads the file into the session, and returns the writer that can save other messages in the file.
	Read func(f *file) writer
}

// Beside describes the items of a list that isn't a session. Why explains where the session is instead.
type Beside struct {
	Sign
	Why string // a clause for the error message
}

// Sign identifies an object by the value of its "type" ("" for any) and by keys that it must have.
type Sign struct {
	Type string   // "" for any
	Keys []string // the keys that the object must have
}

// kinds holds the registered kinds, sorted by name so that the order of initialization has no effect on results.
var kinds []*Kind

// register adds a kind to kinds, which it keeps sorted by name. It must be called from init.
//
//go:noinline
func register(k *Kind) {
	i := 0
	for i < len(kinds) && kinds[i].Name < k.Name {
		i++
	}
	kinds = append(kinds[:i:i], append([]*Kind{k}, kinds[i:]...)...)
}

// Kinds returns the kinds, sorted by name.
func Kinds() []*Kind { return kinds }

// Detect returns a file's kind, or nil if it is not a session file. It reads the file up to the first object that only
// one kind can have.
func Detect(src []byte) *Kind {
	k, _ := detect(src)
	return k
}

// Open reads a session file. An error has the offset in src and, for files that consist of lines, the line number in
// its message; CodeUnknownSession means that the file is of no known kind. An incomplete last line, as left by a crash,
// is not an error: it is skipped and counted in Skipped.
func Open(src []byte) (*Session, *jsonspan.Error) {
	f, _, err := load(src)
	if err != nil {
		return nil, err
	}
	f.Messages = append(f.openList(), ']')
	return f.Session, nil
}

// load recognizes the kind of a session file and reads the file. It returns the file with its messages, and the writer
// that can save others in it. It returns an error if src isn't JSON or is no session file, or the error of reading it.
func load(src []byte) (*file, writer, *jsonspan.Error) {
	if err := jsonspan.New(src).Err(); err != nil {
		return nil, nil, err
	}
	k, why := detect(src)
	if k == nil && why != "" {
		return nil, nil, &jsonspan.Error{Code: api.CodeUnknownSession, Message: "this is not a session file: " + why}
	}
	if k == nil {
		var names []string
		for _, k := range kinds {
			names = append(names, k.Name)
		}
		return nil, nil, &jsonspan.Error{Code: api.CodeUnknownSession,
			Message: "this is not a session file; the kinds are: " + strings.Join(names, ", ")}
	}
	f := &file{src: src, kind: k, whole: len(src), Session: &Session{Kind: k.Name, Format: k.Format}}
	w := k.Read(f)
	return f, w, f.err
}
