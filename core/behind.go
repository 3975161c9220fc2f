package core

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/compact"
	"github.com/ctxfold/ctxfold/core/internal/passes"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// place tells how a request that is appended to the conversation is made from the given messages.
func (r *request) place(c *compact.Run) {
	e := view.NewEdits(nil)
	write := func(text []byte) func(dst []byte) []byte {
		return func(dst []byte) []byte { return append(dst, text...) }
	}
	given := func(message int) place {
		if r.history == nil || r.history.given == nil {
			return place{in: message}
		}
		return r.history.given[message]
	}
	put := func(p place, text []byte) {
		if p.in < 0 {
			e.Insert(write(text))
		} else {
			e.Set(p.in, write(text))
		}
	}
	c.Behind.Write(func(message int) {
		if p := given(message); p.text == nil {
			e.Keep(p.in)
		} else {
			put(p, p.text)
		}
	}, func(message int, text []byte) { put(given(message), text) }, func(text []byte) { e.Insert(write(text)) })
	for i := range c.Requests {
		if q := &c.Requests[i]; q.ID == passes.PrefixRequest {
			q.Conversation = &api.RequestConversation{Edits: e.End(), Body: c.Behind.Patch}
		}
	}
}
