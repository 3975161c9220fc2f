package ctxfold

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mailru/easyjson/jwriter"
)

// SearchQuery is what a search looks for.
type SearchQuery struct {
	// Text is a question, or words: names, dates and rare words decide. It has at most 4,096 bytes.
	Text string
	// Limit is how many messages there may be, from 1 to 100; 0 is 10.
	Limit int
	// Roles, where there are any, are whose messages may be found: "user", "assistant", "tool", "system".
	Roles []string
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
	Search(ctx context.Context, q SearchQuery) (*SearchResults, error)
}

// Search finds messages that compactions have taken out of a conversation, by what they say: by their words in any script, with the
// messages next to them, and by dates and roles that the query names. The input's Messages and State tell which bodies of s belong to the
// conversation; no others are searched. A body that is not the one of its handle counts as missing.
func (c *Compactor) Search(ctx context.Context, in Input, s Store, q SearchQuery) (*SearchResults, error) {
	return c.search(ctx, s, q, func() ([]Marker, error) { return c.Markers(ctx, in) })
}

func (c *Compactor) search(ctx context.Context, s Store, q SearchQuery, markers func() ([]Marker, error)) (*SearchResults, error) {
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
	e, err := q.envelope(shelf.json())
	if err != nil {
		return nil, err
	}
	a := new(SearchResults)
	if a.Raw, err = c.do(ctx, "search", a, e); err != nil {
		return nil, err
	}
	a.Searched.Missing = shelf.missing(a.Searched.Missing, q.Handles)
	return a, nil
}

// Kept is a body that a host has at hand.
type Kept struct {
	Handle string // what results name it by: 16 to 64 hexadecimal digits, or ""
	Body   []byte // JSON as a [Store] has it; what is no JSON is searched as a text
}

// SearchBodies searches bodies that need not be in a [Store], and follows no handles. Handles of the query are not read.
func (c *Compactor) SearchBodies(ctx context.Context, bodies []Kept, q SearchQuery) (*SearchResults, error) {
	var list []byte
	for _, b := range bodies {
		w := jwriter.Writer{NoEscapeHTML: true}
		w.RawString(`{"body":`)
		w.String(string(b.Body))
		if b.Handle != "" {
			w.RawString(`,"handle":`)
			w.String(b.Handle)
		}
		w.RawString("},")
		text, err := w.BuildBytes()
		if err != nil {
			return nil, fmt.Errorf("ctxfold: body: %w", err)
		}
		list = append(list, text...)
	}
	e, err := q.envelope(listed(list))
	if err != nil {
		return nil, err
	}
	a := new(SearchResults)
	a.Raw, err = c.do(ctx, "search", a, e)
	if err != nil {
		return nil, err
	}
	return a, nil
}

// ask asks a store, which is the program's own code.
func ask(ctx context.Context, s Searcher, q SearchQuery) (a *SearchResults, err error) {
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
		return nil, fmt.Errorf("ctxfold: %w: the store has answered nothing", ErrStore)
	}
	return a, nil
}

// envelope is the request of a search over bodies.
func (q *SearchQuery) envelope(bodies []byte) (e envelope, err error) {
	text, err := quote(q.Text)
	if err != nil {
		return e, err
	}
	members := []member{{key: "query", value: text}}
	add := func(key string, value any, there bool) {
		if there && err == nil {
			var b []byte
			b, err = json.Marshal(value)
			members = append(members, member{key: key, value: b})
		}
	}
	add("limit", q.Limit, q.Limit != 0)
	add("roles", q.Roles, len(q.Roles) > 0)
	add("after", q.After, q.After != "")
	add("before", q.Before, q.Before != "")
	if err != nil {
		return e, fmt.Errorf("ctxfold: query: %w", err)
	}
	return newEnvelope(append(members, member{key: "bodies", value: bodies})...), nil
}

// answerQuery answers a call of the tool that looks for something; a is what the call asks for. Without markers the conversation is
// not known.
func (c *Compactor) answerQuery(ctx context.Context, s Store, a recalled, call member, markers func() ([]Marker, error)) (string, error) {
	q := SearchQuery{Text: a.Query}
	if a.Handle != "" {
		q.Handles = []string{a.Handle}
	}
	if _, own := s.(Searcher); markers == nil && !own && a.Handle == "" {
		return "Nothing can be searched here without a handle: call with one.", nil
	}
	if markers == nil {
		markers = func() ([]Marker, error) { return nil, nil }
	}
	found, err := c.search(ctx, s, q, markers)
	if err != nil {
		return "", err
	}
	w := jwriter.Writer{NoEscapeHTML: true, Flags: jwriter.NilSliceAsEmpty}
	found.MarshalEasyJSON(&w)
	text, err := w.BuildBytes()
	if err != nil {
		return "", fmt.Errorf("ctxfold: results: %w", err)
	}
	a = recalled{}
	if _, err := c.do(ctx, "recall", &a, newEnvelope(call, member{key: "found", value: text})); err != nil {
		return "", err
	}
	if a.Text == nil {
		return "", errors.New("ctxfold: recall: the answer is not as the ABI says: it has no text")
	}
	return *a.Text, nil
}

// Search finds messages that compactions have taken out of the conversation, as [Compactor.Search] does, in the Store of its options.
func (v *Conversation) Search(ctx context.Context, q SearchQuery) (*SearchResults, error) {
	if v.o.Store == nil {
		return nil, fmt.Errorf("ctxfold: %w: the conversation has none", ErrStore)
	}
	return v.c.search(ctx, v.o.Store, q, func() ([]Marker, error) { return v.markers(ctx) })
}

// Recall answers a call of the tool of [Compactor.RecallTool], as [Compactor.Recall] does, from the Store of the options.
func (v *Conversation) Recall(ctx context.Context, arguments json.RawMessage) (string, error) {
	if v.o.Store == nil {
		return "", fmt.Errorf("ctxfold: %w: the conversation has none", ErrStore)
	}
	return v.c.recall(ctx, v.o.Store, v.o.Format, arguments, func() ([]Marker, error) { return v.markers(ctx) })
}

// markers lists what the conversation names.
func (v *Conversation) markers(ctx context.Context) ([]Marker, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	r, err := v.restore(ctx, []byte("[]"))
	if err != nil {
		return nil, err
	}
	return r.Markers, nil
}
