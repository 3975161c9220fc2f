package ctxfold

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/ctxfold/ctxfold/core"
)

// ConversationOptions say what a [Conversation] begins with. All of them may be left out, but where neither Policy nor
// Format names a wire format, the messages must tell it.
type ConversationOptions struct {
	// Messages is what there is already: a JSON array. Its bytes are never modified.
	Messages json.RawMessage

	// Policy says what to do.
	Policy Policy

	// State is what the last compaction of this conversation returned.
	State json.RawMessage

	// Format is the wire format, where the policy names none.
	Format Format

	// Summarizer writes the summaries. Nil is the local digest.
	Summarizer Summarizer

	// Store and OnDelta are those of [Input].
	Store   Store
	OnDelta func(Delta)

	// ID names the conversation in events.
	ID string

	// Journal gets an event at the start and at the end of each compaction. Nil is none.
	Journal Journal

	// BeforeCompact is asked before a compaction begins, with the event of its start. Nil lets all of them begin.
	BeforeCompact func(ctx context.Context, start Event) Before

	// AfterCompact is told the end of a compaction. The result is nil where it failed. Neither function may compact.
	AfterCompact func(ctx context.Context, end Event, r *Result)
}

// Conversation is a conversation that goes on. Its messages stay in an instance of the module of its own, a session, so that
// a turn costs what the turn brings, whatever came before. It compacts them after turns, tells what happens, and gets them
// over a context window that turned out too small.
//
// It keeps the messages as bytes too, and where its instance is lost (a trap, the memory limit, a call that was cancelled, or
// memory grown to more than 256 MiB and twice of what the conversation needs) the next call starts another one with them.
// Its methods may be called from any number of goroutines. One compaction runs at a time; messages may be appended while a
// summary is being written, and stay behind its digest.
type Conversation struct {
	c *Compactor
	o ConversationOptions

	compacting chan struct{} // holds a token while a compaction runs

	mu       sync.Mutex
	engine   Pinned
	session  int // 0 where there is none
	messages []json.RawMessage
	state    json.RawMessage
	closed   bool
}

// Conversation takes up a conversation, or begins one. Close it when it is over. It takes the memory of one instance of the
// module, a few MiB, and its messages twice.
func (c *Compactor) Conversation(ctx context.Context, o ConversationOptions) (*Conversation, error) {
	v := &Conversation{c: c, o: o, compacting: make(chan struct{}, 1), engine: c.engine.Pin(), state: bytes.Clone(o.State)}
	if len(bytes.TrimSpace(o.Messages)) > 0 {
		if err := v.SetMessages(ctx, o.Messages); err != nil {
			v.engine.Drop(ctx)
			return nil, err
		}
		return v, nil
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := v.open(ctx); err != nil {
		v.engine.Drop(ctx)
		return nil, err
	}
	return v, nil
}

// Append puts a JSON array of messages behind the last one. Where one of them has a fault, none is appended.
func (v *Conversation) Append(ctx context.Context, messages json.RawMessage) error {
	more, err := split(messages)
	if err != nil {
		return err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if _, err := v.call(ctx, "session_append", member{key: "messages", value: join(more.items)}); err != nil {
		return more.rebase(err)
	}
	v.messages = append(v.messages, adopt(more.items)...)
	return nil
}

// SetMessages puts a JSON array of messages in the place of all that there are, for a user who goes back. It waits for a
// compaction that is running. Where one of them has a fault, the conversation stays as it is.
func (v *Conversation) SetMessages(ctx context.Context, messages json.RawMessage) error {
	list, err := split(messages)
	if err != nil {
		return err
	}
	if err := v.begin(ctx); err != nil {
		return err
	}
	defer v.end()
	v.mu.Lock()
	defer v.mu.Unlock()
	was := v.messages
	v.messages = adopt(list.items)
	v.forget(ctx)
	if err := v.open(ctx); err != nil {
		v.messages = was
		return list.rebase(err)
	}
	return nil
}

// Check says whether compaction is due. It costs the same whatever the conversation holds.
func (v *Conversation) Check(ctx context.Context) (*Check, error) {
	return v.check(ctx, options{})
}

// Messages is the conversation as it stands: a JSON array, without white space between its messages.
func (v *Conversation) Messages() json.RawMessage {
	v.mu.Lock()
	defer v.mu.Unlock()
	return join(v.messages)
}

// Len is how many messages there are.
func (v *Conversation) Len() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return len(v.messages)
}

// State is what the last compaction returned, to be stored beside the messages.
func (v *Conversation) State() json.RawMessage {
	v.mu.Lock()
	defer v.mu.Unlock()
	return bytes.Clone(v.state)
}

// Close frees the instance. The [Compactor] that the conversation came from stays open.
func (v *Conversation) Close(ctx context.Context) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.closed = true
	v.forget(ctx)
	v.messages = nil
	return nil
}

// options are those of the session. What a compaction wants more is in its own, which count over these.
func (v *Conversation) options() options {
	in := Input{Format: v.o.Format, Store: v.o.Store, Edits: true}
	return in.compacting(options{Format: in.Format}, v.o.Summarizer == nil)
}

// forget gives the session up; the next call opens another one.
func (v *Conversation) forget(ctx context.Context) {
	v.engine.Drop(ctx)
	v.session = 0
}

// open starts the session from what is kept.
func (v *Conversation) open(ctx context.Context) error {
	if v.closed {
		return ErrClosed
	}
	members := []member{v.o.Policy.member(), v.options().member(), {key: "state", value: v.state}}
	if len(v.messages) > 0 {
		members = append(members, member{key: "messages", value: join(v.messages)})
	}
	e := newEnvelope(members...)
	raw, err := v.c.callOn(ctx, v.engine, "session_open", e.request)
	if err != nil {
		return e.rebase(err)
	}
	var opened struct{ Session int }
	if err := json.Unmarshal(raw, &opened); err != nil {
		return fmt.Errorf("ctxfold: session_open: the answer is not as the ABI says: %w", err)
	}
	v.session = opened.Session
	return nil
}

// call runs an operation on the session. Where the instance that had it is gone, or traps, the session is opened again, once.
func (v *Conversation) call(ctx context.Context, op string, members ...member) (json.RawMessage, error) {
	for again := false; ; again = true {
		if v.session == 0 {
			if err := v.open(ctx); err != nil {
				return nil, err
			}
		}
		e := newEnvelope(append([]member{{key: "session", value: strconv.AppendInt(nil, int64(v.session), 10)}}, members...)...)
		raw, err := v.c.callOn(ctx, v.engine, op, e.request)
		var answer *Error
		if errors.As(err, &answer); err == nil || answer != nil && answer.Code != codeSessionClosed {
			return raw, e.rebase(err)
		}
		v.session = 0
		if again || answer == nil && !errors.Is(err, ErrTrap) {
			return nil, err
		}
	}
}

// messageList is a JSON array of messages that a caller has given.
type messageList struct {
	items  []json.RawMessage
	starts []int // where they stand in the caller's bytes
}

// split finds the messages of a JSON array. What is wrong with a message is left to the core, but for its JSON.
func split(text []byte) (l messageList, err error) {
	spans, e := core.Elements(text)
	if e != nil {
		return messageList{}, &Error{Code: ErrorCode(e.Code), Message: e.Message, Path: "messages" + e.Path, In: "messages", Offset: e.Offset}
	}
	for _, m := range spans {
		l.items = append(l.items, json.RawMessage(text[m[0]:m[1]]))
		l.starts = append(l.starts, m[0])
	}
	return l, nil
}

// rebase makes the offset of an error, which counts in the joined messages, count in the caller's bytes.
func (l messageList) rebase(err error) error {
	var answer *Error
	if !errors.As(err, &answer) || answer.In != "messages" {
		return err
	}
	rebased := *answer
	at := 1
	for i, m := range l.items {
		if rebased.Offset <= at+len(m) {
			rebased.Offset = l.starts[i] + max(0, rebased.Offset-at)
			break
		}
		at += len(m) + 1
	}
	return &rebased
}

// join is the JSON array of messages.
func join(messages []json.RawMessage) json.RawMessage {
	size := 2
	for _, m := range messages {
		size += len(m) + 1
	}
	list := append(make([]byte, 0, size), '[')
	for i, m := range messages {
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, m...)
	}
	return append(list, ']')
}

// adopt copies messages into bytes of their own, so that nothing else stays in memory with them.
func adopt(messages []json.RawMessage) []json.RawMessage {
	text := join(messages)
	own := make([]json.RawMessage, len(messages))
	at := 1
	for i, m := range messages {
		own[i] = text[at : at+len(m) : at+len(m)]
		at += len(m) + 1
	}
	return own
}
