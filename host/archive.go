package host

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/mailru/easyjson/jwriter"
)

// Body is one body that a compaction took out of the transcript.
type Body struct {
	// Handle is the SHA-256 of the body, in 64 hexadecimal digits. Its marker in the transcript names the first 16.
	Handle string `json:"handle"`
	// What is "tool_result", "text" for one of the texts of a tool result, "image", "audio", "file", or "fold" for the messages
	// that a digest, the line of a turn or the count of what was dropped stands for.
	What string `json:"what"`
	// Message is the index of its message, of a fold of the first one; -1 where a repair had moved it.
	Message int    `json:"message"`
	Tool    string `json:"tool"`
	Bytes   int    `json:"bytes"`
	Tokens  int    `json:"tokens"`
	// Places and Body are as docs/ABI.md says; [Body.Text] reads them.
	Places []json.RawMessage `json:"places"`
	Body   *string           `json:"body"`
}

// Text is the body: JSON, to be kept under its handle. Messages are those that were compacted.
func (b *Body) Text(messages []byte) ([]byte, error) {
	if b.Body != nil {
		return []byte(*b.Body), nil
	}
	messages = bytes.TrimLeft(messages, " \t\r\n")
	fold := b.What == "fold"
	text := make([]byte, 0, b.Bytes)
	for i, p := range b.Places {
		if fold {
			text = append(text, "[,"[min(i, 1)])
		}
		if len(p) == 0 || p[0] != '[' {
			text = append(text, p...)
			continue
		}
		var place [2]int
		if err := json.Unmarshal(p, &place); err != nil {
			return nil, fmt.Errorf("ctxfold: the place of a body: %w", err)
		}
		if place[0] < 0 || place[0] > place[1] || place[1] > len(messages) {
			return nil, errors.New("ctxfold: the place of a body is outside of the messages")
		}
		text = append(text, messages[place[0]:place[1]]...)
	}
	if fold {
		text = append(text, ']')
	}
	return text, nil
}

// keep stores the bodies of an answer. The answer is not used unless all of them are kept.
func (c *Compactor) keep(ctx context.Context, s Store, messages []byte, bodies []Body) error {
	for i := range bodies {
		b := &bodies[i]
		text, err := b.Text(messages)
		if err == nil {
			err = guard(ctx, func() error { return s.Put(ctx, b.Handle, text) })
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			c.log.Warn("ctxfold: a body could not be stored", "what", b.What, "bytes", b.Bytes, "error", err)
			return fmt.Errorf("ctxfold: %w: %w", ErrStore, err)
		}
	}
	return nil
}

// guard runs a call of the program's own code, which may panic, or hang: then it is left behind.
func guard(ctx context.Context, call func() error) error {
	done := make(chan error, 1)
	go func() {
		err := errors.New("the call did not return")
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("the call panicked: %v", p)
			}
			done <- err
		}()
		err = call()
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Restored is a transcript into which bodies were put back.
type Restored struct {
	Messages json.RawMessage
	Edits    json.RawMessage
	Report   Report
	// Valid says that the transcript breaks no rule of its wire format.
	Valid bool
	// Markers are those that still name a handle.
	Markers []Marker
	// Raw is the whole answer.
	Raw json.RawMessage
}

// Markers lists the places of a transcript where bodies stood that have handles.
func (c *Compactor) Markers(ctx context.Context, in Input) ([]Marker, error) {
	r, err := c.restore(ctx, in, []byte("[]"))
	if err != nil {
		return nil, err
	}
	return r.Markers, nil
}

// Restore puts bodies back, byte for byte, that compactions have taken out: those of some handles (whole, or 16 digits and
// more), or without any all that s has. A handle for which s has nothing is left as it is.
func (c *Compactor) Restore(ctx context.Context, in Input, s Store, handles ...string) (*Restored, error) {
	if len(handles) == 0 {
		markers, err := c.Markers(ctx, in)
		if err != nil {
			return nil, err
		}
		for _, m := range markers {
			handles = append(handles, m.Handle)
		}
	}
	bodies, err := stored(ctx, s, handles)
	if err != nil {
		return nil, err
	}
	return c.restore(ctx, in, bodies)
}

// stored is the JSON of the bodies that a store has under some handles.
func stored(ctx context.Context, s Store, handles []string) ([]byte, error) {
	w := jwriter.Writer{NoEscapeHTML: true}
	w.RawByte('[')
	for _, h := range handles {
		body, err := s.Get(ctx, h)
		if errors.Is(err, ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("ctxfold: %w: %w", ErrStore, err)
		}
		if w.Size() > 1 {
			w.RawByte(',')
		}
		w.RawString(`{"handle":`)
		w.String(h)
		w.RawString(`,"body":`)
		w.String(string(body))
		w.RawByte('}')
	}
	w.RawByte(']')
	bodies, err := w.BuildBytes()
	if err != nil {
		return nil, fmt.Errorf("ctxfold: bodies: %w", err)
	}
	return bodies, nil
}

func (c *Compactor) restore(ctx context.Context, in Input, bodies []byte) (*Restored, error) {
	policy := in.policy()
	if in.Edits {
		policy.set(`"edits"`, "answer")
	}
	j, report, raw, err := c.decode(ctx, "restore", newEnvelope(policy, member{key: "state", value: in.State},
		member{key: "bodies", value: bodies}, messagesMember(in.Messages)))
	if err != nil {
		return nil, err
	}
	return &Restored{Messages: j.Messages, Edits: j.Edits, Report: report, Valid: j.Valid, Markers: j.Markers, Raw: raw}, nil
}

// RecallTool is the definition of a tool, named recall, with which the model may ask for what was taken out: one element of
// the tools of a request body in a wire format. Answer its calls with [Compactor.Recall].
func (c *Compactor) RecallTool(ctx context.Context, format string) (json.RawMessage, error) {
	var a recalled
	policy := member{key: "policy", value: []byte(`{"format":` + strconv.Quote(format) + `}`)}
	_, err := c.do(ctx, "recall", &a, newEnvelope(policy))
	return a.Tool, err
}

// Recall answers a call of the tool: arguments are the call's, JSON or a JSON string that holds it. What the model has done
// wrong is in the answer, for it to read; an error is one of the store or of ctx.
func (c *Compactor) Recall(ctx context.Context, s Store, format string, arguments json.RawMessage) (string, error) {
	policy := member{key: "policy"}
	if format != "" {
		policy.value = []byte(`{"format":` + strconv.Quote(format) + `}`)
	}
	call := member{key: "arguments", value: arguments}
	if len(arguments) == 0 {
		call.value = []byte("null")
	}
	var a recalled
	if _, err := c.do(ctx, "recall", &a, newEnvelope(policy, call)); err != nil {
		return "", err
	}
	if a.Text != nil {
		return *a.Text, nil
	}
	text := []byte("null")
	switch body, err := s.Get(ctx, a.Handle); {
	case err == nil:
		w := jwriter.Writer{NoEscapeHTML: true}
		w.String(string(body))
		if text, err = w.BuildBytes(); err != nil {
			return "", fmt.Errorf("ctxfold: body: %w", err)
		}
	case !errors.Is(err, ErrNotFound):
		return "", fmt.Errorf("ctxfold: %w: %w", ErrStore, err)
	}
	a = recalled{}
	if _, err := c.do(ctx, "recall", &a, newEnvelope(policy, call, member{key: "body", value: text})); err != nil {
		return "", err
	}
	if a.Text == nil {
		return "", errors.New("ctxfold: recall: the answer is not as the ABI says: it has no text")
	}
	return *a.Text, nil
}
