package ctxfold

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"sync"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/internal/operations"
)

// ConversationOptions configure a [Conversation]. All of them are optional, but if neither Policy nor Format sets a wire format, the
// messages must show it.
type ConversationOptions struct {
	// Messages are the existing messages: a JSON array. Its bytes are never modified.
	Messages json.RawMessage

	// Policy says what to do.
	Policy Policy

	// State is what the last compaction of this conversation returned.
	State json.RawMessage

	// Format is the wire format if the policy has none.
	Format api.Format

	// Summarizer writes the summaries. Nil means the local digest.
	Summarizer Summarizer

	// Store and OnDelta are as in [Input].
	Store   Store
	OnDelta func(Delta)

	// Redact is as in [Input]. It is called for each text of the conversation when that is compacted, and must not use the conversation.
	Redact func(text string) []api.Redaction

	// Score says how much calls and messages matter, as in [Input]. It is called with the messages when a compaction of them begins, and must
	// not use the conversation. Nil means that all matter alike.
	Score func(messages json.RawMessage) *api.Score

	// ID identifies the conversation in events.
	ID string

	// Journal receives an event at the start and at the end of each compaction. Nil means none.
	Journal Journal

	// BeforeCompact is called before a compaction begins, with its start event. Nil lets all of them begin.
	BeforeCompact func(ctx context.Context, start Event) Before

	// AfterCompact is called at the end of a compaction. The result is nil if it failed. Neither function may compact.
	AfterCompact func(ctx context.Context, end Event, r *Result)
}

// Conversation is a live conversation. Its messages stay in an instance of the module, a session, so a turn costs what it adds, however long
// the conversation is. It compacts them after turns, emits events, and recovers if a context window turns out too small.
//
// It also keeps the messages as bytes. If its instance is lost (a trap, the memory limit, a cancelled call, or memory above 256 MiB and
// twice what the conversation needs), the next call starts another one with them. Its methods may be called from any number of goroutines.
// One compaction runs at a time; messages may be appended while a summary is being written and stay after its digest. If the policy has
// gate.start, AfterTurn starts compactions in the background before they are due, and waits for them only at the limit.
type Conversation struct {
	c *Compactor
	o ConversationOptions

	compacting chan struct{} // holds a token while a compaction runs

	mu       sync.Mutex
	engine   Pinned
	session  int // 0 if there is none
	messages []json.RawMessage
	state    json.RawMessage
	closed   bool
	behind   *behind // the compaction running in the background
	notes    *api.TurnNotes
	edited   bool // since the last turn
}

// Conversation begins or continues a conversation. Close it when it is over. It takes the memory of one instance of the module, a few MiB,
// and its messages twice.
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
	if err := v.open(ctx, nil); err != nil {
		v.engine.Drop(ctx)
		return nil, err
	}
	return v, nil
}

// Append adds a JSON array of messages at the end. If one of them is invalid, none is appended.
func (v *Conversation) Append(ctx context.Context, messages json.RawMessage) error {
	more, err := split(messages)
	if err != nil {
		return err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if _, err := v.call(ctx, operations.OpSessionAppend, new(api.SessionInfo), member{operations.InMessages, more.text}); err != nil {
		return more.rebase(err)
	}
	v.messages = append(v.messages, adopt(more.items)...)
	return nil
}

// SetMessages replaces all messages with a JSON array, for example after the user edited an earlier message. It waits
// for a running compaction, and cancels one in the background. If a message is invalid, the conversation stays as it
// is.
func (v *Conversation) SetMessages(ctx context.Context, messages json.RawMessage) error {
	list, err := split(messages)
	if err != nil {
		return err
	}
	if err := v.takeOver(ctx); err != nil {
		return err
	}
	defer v.end()
	v.mu.Lock()
	defer v.mu.Unlock()
	v.forget(ctx)
	if err := v.open(ctx, list.text); err != nil {
		return list.rebase(err)
	}
	v.messages, v.edited = adopt(list.items), true
	return nil
}

// Check returns whether compaction is due. It costs the same at every length.
func (v *Conversation) Check(ctx context.Context) (a *api.Check, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	a = new(api.Check)
	a.Raw, err = v.call(ctx, operations.OpCheck, a)
	return a, err
}

// Messages returns the conversation: a JSON array, without white space between messages.
func (v *Conversation) Messages() json.RawMessage {
	v.mu.Lock()
	defer v.mu.Unlock()
	return join(v.messages)
}

// Len returns the number of messages.
func (v *Conversation) Len() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return len(v.messages)
}

// State returns the state of the last compaction, to be stored with the messages.
func (v *Conversation) State() json.RawMessage {
	v.mu.Lock()
	defer v.mu.Unlock()
	return bytes.Clone(v.state)
}

// Close cancels a background compaction and frees the instance. The conversation's [Compactor] stays open.
func (v *Conversation) Close(ctx context.Context) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.closed = true
	if v.behind != nil {
		v.behind.cancel()
	}
	v.forget(ctx)
	v.messages = nil
	return nil
}

// forget drops the session; the next call opens another one.
func (v *Conversation) forget(ctx context.Context) {
	v.engine.Drop(ctx)
	v.session = 0
}

// open starts the session with messages, a JSON array, or none if nil.
func (v *Conversation) open(ctx context.Context, messages []byte) error {
	if v.closed {
		return ErrClosed
	}
	var opened api.SessionInfo
	_, err := v.c.doOn(ctx, v.engine, operations.OpSessionOpen, &opened, newEnvelope(v.o.Policy.member(), optionsMember(api.Options{Format: v.o.Format, Answer: api.AnswerEdits}),
		member{operations.InState, v.state}, member{operations.InMessages, messages}))
	v.session = opened.Session
	return err
}

// call runs an operation on the session. If its instance is gone or traps, call reopens the session once.
func (v *Conversation) call(ctx context.Context, op operations.Op, a unmarshaler, members ...member) (json.RawMessage, error) {
	for again := false; ; again = true {
		if v.session == 0 {
			var messages []byte
			if len(v.messages) > 0 {
				messages = join(v.messages)
			}
			if err := v.open(ctx, messages); err != nil {
				return nil, err
			}
		}
		number := member{operations.InSession, strconv.AppendInt(nil, int64(v.session), 10)}
		raw, err := v.c.doOn(ctx, v.engine, op, a, newEnvelope(append([]member{number}, members...)...))
		var answer *Error
		switch errors.As(err, &answer); {
		case err != nil && raw != nil: // the contents of the session are unknown now
			v.forget(ctx)
			return nil, err
		case err == nil || answer != nil && answer.Code != api.CodeSessionClosed:
			return raw, err
		}
		v.session = 0
		if again || answer == nil && !errors.Is(err, ErrTrap) {
			return nil, err
		}
	}
}
