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

// Markers lists the markers in a transcript that contain the handle of removed content. Without any, it returns an
// empty list.
func (c *Compactor) Markers(ctx context.Context, in Input) ([]api.Marker, error) {
	r, err := c.restore(ctx, in, []byte("[]"))
	if err != nil {
		return nil, err
	}
	return r.Markers, nil
}

// Restore puts removed content back, byte for byte: the content of the given handles (whole handles, or at least their
// first 16 digits) or, without handles, everything in s, compaction by compaction. With the input's State it also
// restores content that left no marker, such as reasoning. If s has no content under a handle, or content that doesn't
// match it, that place stays unchanged, and the result's Markers list it. An invalid handle is an error, and so is an
// error of s.
func (c *Compactor) Restore(ctx context.Context, in Input, s Store, handles ...string) (*api.Restored, error) {
	fetched := fetchedBodies{store: s}
	if err := fetched.fill(ctx, c, handles, func() ([]api.Marker, error) { return c.Markers(ctx, in) }); err != nil {
		return nil, err
	}
	r, err := c.restore(ctx, in, fetched.json())
	if err != nil {
		return nil, err
	}
	fetched.markCorrupt(c, r.Markers)
	return r, nil
}

// missing appends to list, once each, the requested handles for which the store has no body, and returns list. If named
// isn't empty, only handles in named are considered.
func (f *fetchedBodies) missing(list, named []string) []string {
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

// errNoStore is the error of methods that need a store but get nil.
var errNoStore = fmt.Errorf("ctxfold: %w: there is none; pass one, such as NewMemoryStore(0) or a DirStore", ErrStore)

// fetchedBodies holds the bodies read from a store for one restoration or search.
type fetchedBodies struct {
	store   Store             // from which they are read
	bodies  []byte            // JSON values, each followed by a comma
	asked   map[string]bool   // the requested handles, in the form that stores use
	order   []string          // the requested handles in order, as the caller wrote them
	here    map[string]bool   // the handles that were found in the store
	corrupt map[string]string // handles with different content in the store, mapped to the requested handles
}

// fill reads the bodies of the given handles. Without any, it reads the bodies of the handles that the markers name,
// and then the bodies that those bodies name. Each body is read once. Without a store it returns errNoStore; other
// errors come from the store, from markers or from an invalid handle.
func (f *fetchedBodies) fill(ctx context.Context, c *Compactor, handles []string, markers func() ([]api.Marker, error)) error {
	if f.store == nil {
		return errNoStore
	}
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

// get adds the body that is stored under handle to f, unless the handle has been requested before.
// A body that the store doesn't have, or that doesn't match the handle, is left out; any other
// error of the store wraps ErrStore.
func (f *fetchedBodies) get(ctx context.Context, handle string) error {
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

// json returns all bodies as a JSON list.
func (f *fetchedBodies) json() []byte { return listed(f.bodies) }

// listed returns values as a JSON list. In values, a comma follows each value; the last comma is dropped.
func listed(values []byte) []byte {
	text := append(make([]byte, 0, len(values)+2), '[')
	return append(append(text, bytes.TrimSuffix(values, []byte{','})...), ']')
}

// markCorrupt sets Fault in each remaining marker whose content in the store doesn't match its handle, and logs it.
func (f *fetchedBodies) markCorrupt(c *Compactor, markers []api.Marker) {
	for i := range markers {
		m := &markers[i]
		if key, err := storeKey(m.Handle); err == nil && f.corrupt[key] != "" {
			m.Fault = api.MarkerCorrupt
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

// RecallTool returns the definition of a tool named recall, with which the model can ask for removed content by handle
// or by query. It is one element for the tools of a request body in the given wire format. Answer the tool's calls with
// [Compactor.Recall]. It returns an error if the format is unknown or not named.
func (c *Compactor) RecallTool(ctx context.Context, format api.Format) (json.RawMessage, error) {
	var a api.Recalled
	_, err := c.do(ctx, operations.OpRecall, &a, newEnvelope(optionsMember(api.Options{Format: format})))
	return a.Tool, err
}

// Recall answers a call of the tool returned by [Compactor.RecallTool]. arguments are the call's arguments as JSON,
// or as a JSON string that contains JSON. The model's mistakes are explained in the returned text, for the model to
// read; an error comes from the store or from ctx. A query searches only the content of s that is named by the
// transcript and the state of within. Without within, only a [Searcher] can answer it.
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

// recall is like Recall. markers returns the markers of the transcripts within which a query searches; nil if there are
// none. A nil s is an error.
func (c *Compactor) recall(ctx context.Context, s Store, format api.Format, arguments json.RawMessage, markers func() ([]api.Marker, error)) (string, error) {
	if s == nil {
		return "", errNoStore
	}
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

// recalled runs the operation recall with the given members and returns the text that answers the
// tool call.
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
