package core

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/compact"
	"github.com/ctxfold/ctxfold/core/internal/summary"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// describePrefix adds to a summary request the edits that turn the given messages into the conversation as last sent,
// followed by the request.
func (r *request) describePrefix(c *compact.Run) {
	e := view.NewEdits(nil)
	write := func(text []byte) func(dst []byte) []byte {
		return func(dst []byte) []byte { return append(dst, text...) }
	}
	given := func(message int) sentMessage {
		if r.history == nil || r.history.given == nil {
			return sentMessage{in: message}
		}
		return r.history.given[message]
	}
	put := func(p sentMessage, text []byte) {
		if p.in < 0 {
			e.Insert(write(text))
		} else {
			e.Set(p.in, write(text))
		}
	}
	c.Summary().Prefix().WriteEdits(func(message int) {
		if p := given(message); p.text == nil {
			e.Keep(p.in)
		} else {
			put(p, p.text)
		}
	}, func(message int, text []byte) { put(given(message), text) }, func(text []byte) { e.Insert(write(text)) })
	for i := range c.Summary().Requests() {
		if q := &c.Summary().Requests()[i]; q.ID == summary.PrefixRequest {
			q.Conversation = &api.RequestConversation{Edits: e.End(), Body: c.Summary().Prefix().Patch}
		}
	}
}
