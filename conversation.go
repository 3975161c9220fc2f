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

// ConversationOptions configure a [Conversation]. All of them are optional, but if neither Policy nor Format sets a
// wire format, it must be recognizable from the messages.
type ConversationOptions struct {
	// Messages are the existing messages: a JSON array. Its bytes are never modified.
	Messages json.RawMessage

	// Policy determines when and how the conversation is compacted. It needs a window, or a model whose window is
	// known.
	Policy Policy

	// State is the state that the last compaction of this conversation returned.
	State json.RawMessage

	// Format is the wire format. It applies if the policy doesn't set one.
	Format api.Format

	// Summarizer writes the summaries. If it is nil, ctxfold writes local digests.
	Summarizer Summarizer

	// Store and OnDelta work as in [Input].
	Store   Store
	OnDelta func(SummaryDelta)

	// Redact works as in [Input]. It is called for each text of the conversation when a compaction begins, and must
	// not use the conversation.
	Redact func(text string) []api.Redaction

	// Score rates calls and messages by how much they matter, as in [Input]. It is called with the
	// messages when a compaction of them begins, and must not use the conversation. Nil means that
	// all messages matter equally.
	Score func(messages json.RawMessage) *api.Score

	// ID identifies the conversation in events.
	ID string

	// Journal receives an event at the start and at the end of each compaction. It may be nil.
	Journal Journal

	// BeforeCompact is called with the start event before a compaction begins, and can cancel it. It may be nil.
	BeforeCompact func(ctx context.Context, start Event) CompactDecision

	// AfterCompact is called at the end of a compaction. The result is nil if the compaction failed. Neither
	// AfterCompact nor BeforeCompact may start a compaction.
	AfterCompact func(ctx context.Context, end Event, r *Result)
}

// Conversation is a live conversation. Its messages stay in a session of a module instance, so the cost of a turn
// depends on what the turn adds, not on the length of the conversation. It compacts the messages after turns, emits
// events, and recovers if a context window turns out to be too small.
//
// It also keeps the messages as bytes. If its instance is lost (a trap, the memory limit, a cancelled call, or memory
// above 256 MiB and twice what the conversation needs), the next call restores them in a new instance. Its methods
// may be called from any number of goroutines. One compaction runs at a time; messages appended while a summary is
// being written stay after the digest. If the policy has gate.start, AfterTurn starts compactions in the background
// before they are due, and waits for them only at the limit.
type Conversation struct {
	c *Compactor // runs the operations
	o ConversationOptions

	compacting chan struct{} // holds a token while a compaction runs

	mu       sync.Mutex
	engine   Instance          // the instance with the session
	session  int               // 0 if no session is open
	messages []json.RawMessage // the conversation as it is now
	state    json.RawMessage   // of the last compaction; nil before the first
	closed   bool              // whether Close was called
	behind   *behind           // the running background compaction
	notes    *api.TurnNotes    // what one turn leaves for the next
	edited   bool              // whether the messages were replaced since the last turn
}

// Conversation starts or resumes a conversation. Close it when it is over. It takes the memory of one module instance,
// a few MiB, plus twice the size of its messages. It returns an error if a message, the policy or the state is invalid.
func (c *Compactor) Conversation(ctx context.Context, o ConversationOptions) (*Conversation, error) {
	v := &Conversation{c: c, o: o, compacting: make(chan struct{}, 1), engine: c.engine.Instance(), state: bytes.Clone(o.State)}
	if len(bytes.TrimSpace(o.Messages)) > 0 {
		if err := v.SetMessages(ctx, o.Messages); err != nil {
			v.engine.Reset(ctx)
			return nil, err
		}
		return v, nil
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := v.open(ctx, nil); err != nil {
		v.engine.Reset(ctx)
		return nil, err
	}
	return v, nil
}

// Append adds a JSON array of messages at the end. If one of the messages is invalid, none is appended. The path and
// the offset of an error refer to messages.
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
// for a running compaction, but cancels a background one. If a message is invalid, the conversation stays unchanged.
// The path and the offset of an error refer to messages.
func (v *Conversation) SetMessages(ctx context.Context, messages json.RawMessage) error {
	list, err := split(messages)
	if err != nil {
		return err
	}
	if err := v.takeOver(ctx); err != nil {
		return err
	}
	defer v.release()
	v.mu.Lock()
	defer v.mu.Unlock()
	v.forget(ctx)
	if err := v.open(ctx, list.text); err != nil {
		return list.rebase(err)
	}
	v.messages, v.edited = adopt(list.items), true
	return nil
}

// Check reports whether compaction is due. Its cost doesn't depend on the length of the conversation. It compacts
// nothing; AfterTurn does.
func (v *Conversation) Check(ctx context.Context) (a *api.Check, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	a = new(api.Check)
	a.Raw, err = v.call(ctx, operations.OpCheck, a)
	return a, err
}

// Messages returns the messages as a JSON array without white space between them.
func (v *Conversation) Messages() json.RawMessage {
	v.mu.Lock()
	defer v.mu.Unlock()
	return join(v.messages)
}

// Len returns the number of messages. This includes messages that compactions wrote.
func (v *Conversation) Len() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return len(v.messages)
}

// State returns the state of the last compaction, which should be stored with the messages.
func (v *Conversation) State() json.RawMessage {
	v.mu.Lock()
	defer v.mu.Unlock()
	return bytes.Clone(v.state)
}

// Close cancels a background compaction and frees the instance. The conversation's [Compactor] stays open. Later calls
// return [ErrClosed]. Close itself never fails.
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

// forget drops the session together with its instance; the next call opens a new session. v.mu must
// be held.
func (v *Conversation) forget(ctx context.Context) {
	v.engine.Reset(ctx)
	v.session = 0
}

// open opens the session with messages, which are a JSON array, or nil for none. v.mu must be held.
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

// call runs an operation on the session. If its instance is gone or traps, call reopens the session once. a receives
// the decoded response, which is also returned as received. v.mu must be held.
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
