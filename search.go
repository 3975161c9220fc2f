package ctxfold

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/internal/object"
	"github.com/ctxfold/ctxfold/internal/operations"
)

// SearchQuery is what a search looks for.
type SearchQuery struct {
	// Text is a question, or words: names, dates and rare words decide. It has at most 4,096 bytes.
	Text string
	// Limit is how many messages there may be, from 1 to 100; 0 is 10.
	Limit int
	// Roles, where there are any, are whose messages may be found.
	Roles []api.Role
	// After and Before, where they are not empty, are the first and the last day of messages that may be found: "2025-03-14", "2025-03" or
	// "2025". A message whose date nothing tells is not found then.
	After, Before string
	// Handles are those of the bodies to search. Without any, all are searched that the conversation names, and what these name in
	// their turn. A [Searcher] is given the first of these.
	Handles []string
}

// Searcher is a [Store] that can search by itself what it keeps, because it has an index, or can tell what means the same. Searches
// ask it then, and read no bodies. It must not find what belongs to another conversation than that of the handles of the query.
type Searcher interface {
	Search(ctx context.Context, q SearchQuery) (*api.Found, error)
}

// Search finds messages that compactions have removed of a conversation, by what they say: by their words in any script, with the messages
// next to them, and by dates and roles that the query names. The input's Messages and State tell which bodies of s belong to the
// conversation; no others are searched. A body that is not the one of its handle counts as missing.
func (c *Compactor) Search(ctx context.Context, in Input, s Store, q SearchQuery) (*api.Found, error) {
	return c.search(ctx, s, q, func() ([]api.Marker, error) { return c.Markers(ctx, in) })
}

func (c *Compactor) search(ctx context.Context, s Store, q SearchQuery, markers func() ([]api.Marker, error)) (*api.Found, error) {
	if searcher, ok := s.(Searcher); ok {
		if len(q.Handles) == 0 {
			named, err := markers()
			if err != nil {
				return nil, err
			}
			for _, m := range named {
				q.Handles = append(q.Handles, m.Handle)
			}
		}
		return ask(ctx, searcher, q)
	}
	shelf := shelf{store: s}
	if err := shelf.fill(ctx, c, q.Handles, markers); err != nil {
		return nil, err
	}
	a := new(api.Found)
	var err error
	if a.Raw, err = c.do(ctx, operations.OpSearch, a, q.envelope(shelf.json())); err != nil {
		return nil, err
	}
	a.Searched.Missing = shelf.missing(a.Searched.Missing, q.Handles)
	return a, nil
}

// SearchBodies searches bodies that need not be in a [Store], and follows no handles. A body may be any text, and have no handle. Handles
// of the query are not read.
func (c *Compactor) SearchBodies(ctx context.Context, bodies []api.Kept, q SearchQuery) (a *api.Found, err error) {
	var list []byte
	for _, b := range bodies {
		o := object.New(list)
		o.String("body", b.Text)
		if b.Handle != "" {
			o.String("handle", b.Handle)
		}
		list = append(o.End(), ',')
	}
	a = new(api.Found)
	a.Raw, err = c.do(ctx, operations.OpSearch, a, q.envelope(listed(list)))
	return a, err
}

// ask asks a store, which is the program's own code.
func ask(ctx context.Context, s Searcher, q SearchQuery) (a *api.Found, err error) {
	err = guard(ctx, func() (err error) {
		a, err = s.Search(ctx, q)
		return err
	})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, fmt.Errorf("ctxfold: %w: %w", ErrStore, err)
	case a == nil:
		return nil, fmt.Errorf("ctxfold: %w: the store returned no answer", ErrStore)
	}
	return a, nil
}

// envelope is the request of a search over bodies.
func (q *SearchQuery) envelope(bodies []byte) envelope {
	members := []member{{operations.InQuery, object.AppendString(nil, q.Text)}}
	if q.Limit != 0 {
		members = append(members, member{operations.InLimit, strconv.AppendInt(nil, int64(q.Limit), 10)})
	}
	if len(q.Roles) > 0 {
		var roles []byte
		for _, role := range q.Roles {
			roles = append(object.AppendString(roles, string(role)), ',')
		}
		members = append(members, member{operations.InRoles, listed(roles)})
	}
	if q.After != "" {
		members = append(members, member{operations.InAfter, object.AppendString(nil, q.After)})
	}
	if q.Before != "" {
		members = append(members, member{operations.InBefore, object.AppendString(nil, q.Before)})
	}
	return newEnvelope(append(members, member{operations.InBodies, bodies})...)
}

// answerQuery answers a call of the tool that looks for something; a is what the call asks for. Without markers the conversation is
// not known.
func (c *Compactor) answerQuery(ctx context.Context, s Store, a *api.Recalled, call member, markers func() ([]api.Marker, error)) (string, error) {
	q := SearchQuery{Text: a.Query}
	if a.Handle != "" {
		q.Handles = []string{a.Handle}
	}
	if _, own := s.(Searcher); markers == nil && !own && a.Handle == "" {
		return "Nothing can be searched here without a handle: call with one.", nil
	}
	if markers == nil {
		markers = func() ([]api.Marker, error) { return nil, nil }
	}
	found, err := c.search(ctx, s, q, markers)
	if err != nil {
		return "", err
	}
	return c.recalled(ctx, call, member{operations.InFound, marshal(found)})
}

// Search finds messages that compactions have removed of the conversation, as [Compactor.Search] does, in the Store of its options.
func (v *Conversation) Search(ctx context.Context, q SearchQuery) (*api.Found, error) {
	if v.o.Store == nil {
		return nil, fmt.Errorf("ctxfold: %w: the conversation has none", ErrStore)
	}
	return v.c.search(ctx, v.o.Store, q, func() ([]api.Marker, error) { return v.markers(ctx) })
}

// Recall answers a call of the tool of [Compactor.RecallTool], as [Compactor.Recall] does, from the Store of the options.
func (v *Conversation) Recall(ctx context.Context, arguments json.RawMessage) (string, error) {
	if v.o.Store == nil {
		return "", fmt.Errorf("ctxfold: %w: the conversation has none", ErrStore)
	}
	return v.c.recall(ctx, v.o.Store, v.o.Format, arguments, func() ([]api.Marker, error) { return v.markers(ctx) })
}

// markers lists what the conversation names.
func (v *Conversation) markers(ctx context.Context) ([]api.Marker, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	r, err := v.restore(ctx, []byte("[]"))
	if err != nil {
		return nil, err
	}
	return r.Markers, nil
}
