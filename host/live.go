package host

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"sync"

	"github.com/ctxfold/ctxfold/core"
)

// Live is a conversation that goes on: its transcript stays in an instance of its own, so that a turn costs what the turn
// brings, whatever came before. It keeps the messages as bytes too, and where its instance is lost (a trap, memory over the
// limit, memory grown to more than 256 MiB and twice of what the conversation needs) it starts another one with them. Its methods may be called from any number of
// goroutines, and run one after the other.
type Live struct {
	c *Compactor // over the engine of this conversation

	mu       sync.Mutex
	policy   json.RawMessage
	state    json.RawMessage
	messages []byte // a JSON array without its closing bracket
	session  int    // 0 where there is none
}

const codeSessionClosed = "session_closed"

// Live takes up a conversation: in.Messages is a JSON array, and may be empty for a new one. The wire format must be told by
// the policy, by in.Format, or by the first messages. Close it when the conversation is over.
func (c *Compactor) Live(ctx context.Context, in Input) (*Live, error) {
	own := *c
	var err error
	if own.engine, err = c.engine.pin(); err != nil {
		return nil, err
	}
	l := &Live{c: &own, policy: in.policy().value, state: bytes.Clone(in.State), messages: []byte("[")}
	if list := bytes.TrimSpace(in.Messages); len(list) > 0 {
		if list[0] != '[' || list[len(list)-1] != ']' {
			return nil, &Error{Code: "wrong_type", Message: "a live conversation is taken up with a list of messages"}
		}
		l.messages = append(l.messages[:0], bytes.TrimSpace(list[:len(list)-1])...)
	}
	if err := l.open(ctx); err != nil {
		return nil, errors.Join(err, l.c.Close(context.WithoutCancel(ctx)))
	}
	return l, nil
}

// Append puts a JSON array of messages behind the last one. Where one of them has a fault, none is appended.
func (l *Live) Append(ctx context.Context, messages json.RawMessage) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, err := l.call(ctx, "session_append", messagesMember(messages)); err != nil {
		return err
	}
	list := bytes.TrimSpace(messages)
	list = bytes.TrimSpace(list[1 : len(list)-1]) // the core has taken it, so it is a list
	if len(list) > 0 && len(l.messages) > 1 {
		l.messages = append(l.messages, ',')
	}
	l.messages = append(l.messages, list...)
	return nil
}

// Check says whether compaction is due. It costs the same whatever the conversation holds.
func (l *Live) Check(ctx context.Context) (*Check, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	raw, err := l.call(ctx, "check")
	if err != nil {
		return nil, err
	}
	var check Check
	if err := unmarshal("check", raw, &check); err != nil {
		return nil, err
	}
	check.Raw = raw
	return &check, nil
}

// Compact is [Compactor.CompactWith] for this conversation, which goes on with the result. Result.Messages is empty where
// nothing was changed.
func (l *Live) Compact(ctx context.Context, s Summarizer) (*Result, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	policy := member{key: "policy", value: l.policy}
	policy.set(`"messages"`, "answer")
	if s == nil {
		policy.set(`"local"`, "summary", "mode")
	}
	members := []member{policy, {key: "state", value: l.state}}
	for op := "plan"; ; op = "step" {
		raw, err := l.call(ctx, op, members...)
		if err != nil {
			return nil, err
		}
		var a answerJSON
		var report Report
		if err := unmarshal(op, raw, &a); err != nil {
			return nil, err
		}
		if err := unmarshal(op, a.Report, &report); err != nil {
			return nil, err
		}
		report.Raw = a.Report
		if len(a.Requests) == 0 {
			l.c.metrics.Compaction(report)
			l.state = a.State
			r := &Result{State: a.State, Report: report, Changed: report.Changed, Reason: report.Reason}
			if r.Changed {
				r.Messages = a.Messages
				list := bytes.TrimSpace(a.Messages)
				l.messages = bytes.Clone(list[:len(list)-1])
			}
			return r, nil
		}
		replies, err := l.c.summarize(ctx, s, a.Requests, nil)
		if err != nil {
			return nil, err
		}
		text, err := marshal(summaries(replies))
		if err != nil {
			return nil, err
		}
		members = []member{{key: "plan", value: a.Plan}, {key: "summaries", value: text}}
	}
}

// Messages is the conversation as it stands, a JSON array.
func (l *Live) Messages() json.RawMessage {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append(bytes.Clone(l.messages), ']')
}

// State is what the last compaction returned, to be stored beside the messages.
func (l *Live) State() json.RawMessage {
	l.mu.Lock()
	defer l.mu.Unlock()
	return bytes.Clone(l.state)
}

// Close frees the instance. The compactor that it came from stays open.
func (l *Live) Close(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.c.Close(ctx)
}

// open starts the session from what is kept.
func (l *Live) open(ctx context.Context) error {
	members := []member{{key: "policy", value: l.policy}, {key: "state", value: l.state}}
	if len(l.messages) > 1 {
		members = append(members, messagesMember(append(bytes.Clone(l.messages), ']')))
	}
	e := newEnvelope(members...)
	raw, err := l.c.Call(ctx, "session_open", e.request)
	if err != nil {
		return e.rebase(err)
	}
	var opened struct{ Session int }
	if err := json.Unmarshal(raw, &opened); err != nil {
		return err
	}
	l.session = opened.Session
	return nil
}

// call runs an operation on the session, and opens it again where the instance that had it is gone.
func (l *Live) call(ctx context.Context, op string, members ...member) (json.RawMessage, error) {
	for again := false; ; again = true {
		if l.session == 0 {
			if err := l.open(ctx); err != nil {
				return nil, err
			}
		}
		e := newEnvelope(append([]member{{key: "session", value: strconv.AppendInt(nil, int64(l.session), 10)}}, members...)...)
		raw, err := l.c.Call(ctx, op, e.request)
		var answer *Error
		if err == nil || errors.As(err, &answer) && answer.Code != codeSessionClosed {
			return raw, e.rebase(err)
		}
		l.session = 0
		if answer == nil || again {
			return nil, err
		}
	}
}

// pin returns an engine with an instance of its own, which keeps what is opened in it.
func (n *native) pin() (engine, error) {
	if n.closed.Load() {
		return nil, ErrClosed
	}
	return &pinnedNative{}, nil
}

type pinnedNative struct{ sessions core.Sessions }

func (p *pinnedNative) call(_ context.Context, op string, request []byte) ([]byte, cost, error) {
	return p.sessions.Call(op, request), cost{}, nil
}

func (p *pinnedNative) pin() (engine, error) { return p, nil }

func (p *pinnedNative) close(context.Context) error {
	p.sessions = core.Sessions{}
	return nil
}

func (m *module) pin() (engine, error) { return &pinnedModule{m: m}, nil }

// pinnedModule is one instance, beside those of the pool.
type pinnedModule struct {
	m      *module
	in     *instance
	opened uint64 // bytes of memory when the session had been opened
}

func (p *pinnedModule) call(ctx context.Context, op string, request []byte) ([]byte, cost, error) {
	m := p.m
	if !m.ops[op] {
		answer, err := unknownOp(op)
		return answer, cost{}, err
	}
	select {
	case m.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, cost{}, ctx.Err()
	}
	defer func() { <-m.slots }()
	if m.isClosed() {
		return nil, cost{}, ErrClosed
	}
	if p.in == nil {
		in, err := m.instantiate(ctx)
		if err != nil {
			return nil, cost{}, err
		}
		p.in = in
	}
	in := p.in
	answer, err := in.call(ctx, op, request)
	memory := uint64(in.module.Memory().Size())
	if err != nil {
		p.drop(ctx)
		return nil, cost{memory: memory}, m.explain(ctx, in, op, len(request), err)
	}
	if op == "session_open" {
		p.opened = memory
	}
	if memory > max(maxIdleMemory, 2*p.opened) {
		p.drop(ctx) // the next call opens the session anew, with what is left of it
	}
	return answer, cost{memory: memory}, nil
}

func (p *pinnedModule) pin() (engine, error) { return p, nil }

func (p *pinnedModule) drop(ctx context.Context) {
	if p.in != nil {
		_ = p.in.module.Close(context.WithoutCancel(ctx))
		p.in = nil
	}
}

func (p *pinnedModule) close(ctx context.Context) error {
	p.drop(ctx)
	return nil
}

func (m *module) isClosed() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.closed
}
