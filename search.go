package ctxfold

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/internal/guard"
	"github.com/ctxfold/ctxfold/internal/object"
	"github.com/ctxfold/ctxfold/internal/operations"
)

// SearchQuery is a query for removed messages.
type SearchQuery struct {
	// Text is a question or a list of words, at most 4,096 bytes long. Names, dates and rare words matter most.
	Text string
	// Limit is the maximum number of results, from 1 to 100; 0 means 10.
	Limit int
	// Roles restrict the search to messages with these roles. Empty means all roles.
	Roles []api.Role
	// After and Before, if set, are the first and the last day to search, in the form "2025-03-14", "2025-03" or
	// "2025". They exclude messages without a known date.
	After, Before string
	// Handles restrict the search to the bodies with these handles. If empty, the search covers all bodies whose
	// handles occur in the conversation, and all bodies whose handles occur in those bodies. A [Searcher] gets only the
	// handles that occur in the conversation.
	Handles []string
}

// Searcher is a [Store] with its own search, for example a full-text or semantic index. If a store has the method
// Search, searches call it and read no bodies. It must return only content of the conversation to which the query's
// handles belong.
type Searcher interface {
	// Search returns the messages that match the query best, the best one first. An error fails the search.
	Search(ctx context.Context, q SearchQuery) (*api.Found, error)
}

// Search finds removed messages of a conversation by their content: by words in any script, including words of adjacent
// messages, and by dates and roles in the query. It searches only the content of s that belongs to the conversation
// according to the input's Messages and State. Content that doesn't match its handle counts as missing. It returns an
// error if s is nil or fails, or if the query is invalid.
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
	fetched := fetchedBodies{store: s}
	if err := fetched.fill(ctx, c, q.Handles, markers); err != nil {
		return nil, err
	}
	a := new(api.Found)
	var err error
	if a.Raw, err = c.do(ctx, operations.OpSearch, a, q.envelope(fetched.json())); err != nil {
		return nil, err
	}
	a.Searched.Missing = fetched.missing(a.Searched.Missing, q.Handles)
	return a, nil
}

// SearchBodies searches the given content, which may be any text and needs neither a handle nor a [Store]. It doesn't
// follow handles, and ignores the handles of the query. The results name a body by its index in bodies.
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

// ask calls the Search method of a store. The method is the program's own code and may panic: a
// panic, an error or a nil answer becomes an error that wraps ErrStore. If ctx has ended, ask
// returns its error.
func ask(ctx context.Context, s Searcher, q SearchQuery) (a *api.Found, err error) {
	err = guard.Call(ctx, func() (err error) {
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

// envelope returns the request for a search in bodies, which is a JSON list.
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

// answerQuery answers a call of the recall tool that contains a query. a is the decoded call. Without markers the conversation is
// unknown, so only a [Searcher] can answer.
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

// Search works like [Compactor.Search]: it finds removed messages of the conversation, in the Store set in the options.
// It returns an error that wraps ErrStore if there is none.
func (v *Conversation) Search(ctx context.Context, q SearchQuery) (*api.Found, error) {
	if v.o.Store == nil {
		return nil, fmt.Errorf("ctxfold: %w: the conversation has none", ErrStore)
	}
	return v.c.search(ctx, v.o.Store, q, func() ([]api.Marker, error) { return v.markers(ctx) })
}

// Recall works like [Compactor.Recall]: it answers a call of the tool returned by [Compactor.RecallTool], from the
// Store set in the options. It returns an error that wraps ErrStore if there is none.
func (v *Conversation) Recall(ctx context.Context, arguments json.RawMessage) (string, error) {
	if v.o.Store == nil {
		return "", fmt.Errorf("ctxfold: %w: the conversation has none", ErrStore)
	}
	return v.c.recall(ctx, v.o.Store, v.o.Format, arguments, func() ([]api.Marker, error) { return v.markers(ctx) })
}

// markers lists the markers in the conversation that contain handles. It doesn't change the
// session.
func (v *Conversation) markers(ctx context.Context) ([]api.Marker, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	r, err := v.restore(ctx, []byte("[]"))
	if err != nil {
		return nil, err
	}
	return r.Markers, nil
}
