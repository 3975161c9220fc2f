package ctxfold

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/internal/object"
	"github.com/ctxfold/ctxfold/internal/operations"
)

// keep stores the bodies of an answer. The answer is not used unless all of them are kept.
func (c *Compactor) keep(ctx context.Context, s Store, messages []byte, bodies []api.Body) error {
	for i := range bodies {
		b := &bodies[i]
		text, err := b.Of(messages)
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

// Markers lists the places of a transcript where bodies stood that have handles.
func (c *Compactor) Markers(ctx context.Context, in Input) ([]api.Marker, error) {
	r, err := c.restore(ctx, in, []byte("[]"))
	if err != nil {
		return nil, err
	}
	return r.Markers, nil
}

// Restore puts bodies back, byte for byte, that compactions have removed: those of some handles (whole, or 16 digits and more), or without
// any all that s has, and then goes back from compaction to compaction until nothing is left that s has. With the input's State, what
// compactions have removed without a marker is back too. A handle for which s has nothing, or a body that is not its own, is left as it is:
// Markers of the answer tell.
func (c *Compactor) Restore(ctx context.Context, in Input, s Store, handles ...string) (*api.Restored, error) {
	shelf := shelf{store: s}
	if err := shelf.fill(ctx, c, handles, func() ([]api.Marker, error) { return c.Markers(ctx, in) }); err != nil {
		return nil, err
	}
	r, err := c.restore(ctx, in, shelf.json())
	if err != nil {
		return nil, err
	}
	shelf.tell(c, r.Markers)
	return r, nil
}

// missing adds the handles to list that were asked for and that the store has no body of, each once; where some were named, only of
// these.
func (f *shelf) missing(list, named []string) []string {
	if len(named) == 0 {
		named = f.order
	}
	listed := map[string]bool{}
	for _, h := range list {
		if key, err := storeKey(h); err == nil {
			listed[key] = true
		}
	}
	for _, h := range named {
		if key, err := storeKey(h); err == nil && !f.here[key] && !listed[key] {
			listed[key] = true
			list = append(list, h)
		}
	}
	return list
}

// shelf is the bodies that are got from a store for one restoration, or one search.
type shelf struct {
	store   Store
	bodies  []byte            // as JSON, with commas after them
	asked   map[string]bool   // the handles that were asked for, as stores keep them
	order   []string          // the same as they were named
	here    map[string]bool   // those that the store has
	corrupt map[string]string // those under which the store has another body, and what they were called
}

// fill gets the bodies of some handles; without any those that the markers name, and those that these name in their turn. Each is
// asked for once, whatever names it.
func (f *shelf) fill(ctx context.Context, c *Compactor, handles []string, markers func() ([]api.Marker, error)) error {
	follow := len(handles) == 0
	if follow {
		list, err := markers()
		if err != nil {
			return err
		}
		for _, m := range list {
			handles = append(handles, m.Handle)
		}
	}
	f.asked, f.here, f.corrupt = map[string]bool{}, map[string]bool{}, map[string]string{}
	for len(handles) > 0 {
		from := len(f.bodies)
		for _, h := range handles {
			if err := f.get(ctx, h); err != nil {
				return err
			}
		}
		if !follow || from == len(f.bodies) {
			return nil
		}
		var named api.NamedHandles
		if _, err := c.do(ctx, operations.OpRestore, &named, newEnvelope(member{operations.InBodies, listed(f.bodies[from:])})); err != nil {
			return err
		}
		handles = named.Handles
	}
	return nil
}

// get takes the body of a handle in, if the store has it and it is not here yet.
func (f *shelf) get(ctx context.Context, handle string) error {
	key, err := storeKey(handle)
	if err != nil || f.asked[key] {
		return err
	}
	f.asked[key] = true
	f.order = append(f.order, handle)
	body, err := f.store.Get(ctx, handle)
	switch {
	case errors.Is(err, ErrNotFound):
		return nil
	case errors.Is(err, ErrCorrupt), err == nil && !holds(handle, body):
		f.corrupt[key] = handle
		return nil
	case err != nil:
		return fmt.Errorf("ctxfold: %w: %w", ErrStore, err)
	}
	f.here[key] = true
	o := object.New(f.bodies)
	o.String("handle", strings.ToLower(handle))
	o.String("body", string(body))
	f.bodies = append(o.End(), ',')
	return nil
}

// json is the list of all bodies.
func (f *shelf) json() []byte { return listed(f.bodies) }

// listed is a list of values that have a comma after each.
func listed(values []byte) []byte {
	text := append(make([]byte, 0, len(values)+2), '[')
	return append(append(text, bytes.TrimSuffix(values, []byte{','})...), ']')
}

// tell says of the markers that are left why.
func (f *shelf) tell(c *Compactor, markers []api.Marker) {
	for i := range markers {
		m := &markers[i]
		if key, err := storeKey(m.Handle); err == nil && f.corrupt[key] != "" {
			m.Why = api.MarkerCorrupt
			c.log.Warn("ctxfold: the store has another body under a handle", "handle", m.Handle)
		}
	}
}

func (c *Compactor) restore(ctx context.Context, in Input, bodies []byte) (a *api.Restored, err error) {
	o := api.Options{Format: in.Format, Answer: in.answer()}
	a = new(api.Restored)
	a.Raw, err = c.do(ctx, operations.OpRestore, a, newEnvelope(in.Policy.member(), optionsMember(o), member{operations.InState, in.State},
		member{operations.InBodies, bodies}, messagesMember(in.Messages)))
	return a, err
}

// RecallTool is the definition of a tool, named recall, with which the model may ask for what was removed, by its handle or by a query: one
// element of the tools of a request body in a wire format. Answer its calls with [Compactor.Recall].
func (c *Compactor) RecallTool(ctx context.Context, format api.Format) (json.RawMessage, error) {
	var a api.Recalled
	_, err := c.do(ctx, operations.OpRecall, &a, newEnvelope(optionsMember(api.Options{Format: format})))
	return a.Tool, err
}

// Recall answers a call of the tool: arguments are the call's, JSON or a JSON string that holds it. What the model has done
// wrong is in the answer, for it to read; an error is one of the store or of ctx. A query of the model is answered from what the
// transcript and the state of within name, and from nothing else that s keeps; without them only a [Searcher] can answer it.
func (c *Compactor) Recall(ctx context.Context, s Store, format api.Format, arguments json.RawMessage, within ...Input) (string, error) {
	if len(within) == 0 {
		return c.recall(ctx, s, format, arguments, nil)
	}
	return c.recall(ctx, s, format, arguments, func() (all []api.Marker, err error) {
		for _, in := range within {
			markers, err := c.Markers(ctx, in)
			if err != nil {
				return nil, err
			}
			all = append(all, markers...)
		}
		return all, nil
	})
}

func (c *Compactor) recall(ctx context.Context, s Store, format api.Format, arguments json.RawMessage, markers func() ([]api.Marker, error)) (string, error) {
	o := optionsMember(api.Options{Format: format})
	call := member{operations.InArguments, arguments}
	if len(arguments) == 0 {
		call.value = []byte("null")
	}
	var a api.Recalled
	if _, err := c.do(ctx, operations.OpRecall, &a, newEnvelope(o, call)); err != nil {
		return "", err
	}
	if a.Text != nil {
		return *a.Text, nil
	}
	if a.Query != "" {
		return c.answerQuery(ctx, s, &a, call, markers)
	}
	text := []byte("null")
	switch body, err := s.Get(ctx, a.Handle); {
	case err == nil && holds(a.Handle, body):
		text = object.AppendString(nil, string(body))
	case err == nil, errors.Is(err, ErrCorrupt):
		c.log.Warn("ctxfold: the store has another body under a handle", "handle", a.Handle)
	case !errors.Is(err, ErrNotFound):
		return "", fmt.Errorf("ctxfold: %w: %w", ErrStore, err)
	}
	return c.recalled(ctx, o, call, member{operations.InBody, text})
}

// recalled is the text to answer a call of the tool with, where all that it takes is there.
func (c *Compactor) recalled(ctx context.Context, members ...member) (string, error) {
	var a api.Recalled
	if _, err := c.do(ctx, operations.OpRecall, &a, newEnvelope(members...)); err != nil {
		return "", err
	}
	if a.Text == nil {
		return "", errors.New("ctxfold: recall: the answer breaks the ABI: it has no text")
	}
	return *a.Text, nil
}
