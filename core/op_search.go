package core

import (
	"strconv"
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/dates"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/handles"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/search"
)

// searchLimit is the maximum number of results if the request doesn't say.
const searchLimit = 10

// searchKeys are the members of a request of search.
var searchKeys = []string{"query", "limit", "roles", "after", "before", "bodies"}

// searchBodies finds the messages of bodies that match a query. It reads its request itself, because that is nearly all bodies: each is
// scanned in place.
func searchBodies(r *request, dst []byte) []byte {
	q := search.Query{Limit: searchLimit}
	bodies, has := r.readSearch(&q)
	switch {
	case r.err != nil:
		return dst
	case !has.query:
		r.fail(&jsonspan.Error{Code: api.CodeMissingField, Message: `the request has no "query"`}, 0)
		return dst
	case !has.bodies:
		r.fail(&jsonspan.Error{Code: api.CodeMissingField, Message: `the request has no "bodies"`}, 0)
		return dst
	}
	hits, stats, err := search.Run(&q, bodies)
	if r.fail(err, has.bodiesAt); r.err != nil {
		return dst
	}
	a := api.Found{Searched: api.Searched{Bodies: len(bodies), Messages: stats.Messages, Bytes: stats.Bytes, Missing: stats.Named}}
	for _, h := range hits {
		f := api.FoundMessage{Body: h.Body, Handle: bodies[h.Body].Handle, Index: h.Index, Score: h.Score, Role: h.Role.Word(), Offset: h.Offset, Snippet: h.Snippet}
		if h.Date != 0 {
			f.Date = string(h.Date.Append(nil))
		}
		a.Results = append(a.Results, f)
	}
	return appendJSON(dst, a.MarshalEasyJSON)
}

// searchHas says which members a request of search has.
type searchHas struct {
	query, bodies bool
	bodiesAt      uint32
}

// readSearch reads the request.
func (r *request) readSearch(q *search.Query) (bodies []search.Body, has searchHas) {
	s := jsonspan.New(r.src)
	var seen uint
	for s.Object(); ; {
		name, ok := s.Key()
		if !ok {
			break
		}
		n := -1
		for i, k := range searchKeys {
			if k == string(name) {
				n = i
			}
		}
		if n < 0 {
			s.Fail(api.CodeUnknownField, int(s.KeyPos()), "a search request has no such key; its keys are: "+strings.Join(searchKeys, ", "))
			break
		}
		if seen>>n&1 == 1 {
			s.Fail(jsonspan.DuplicateKey, int(s.KeyPos()), "the key \""+searchKeys[n]+"\" appears twice")
			break
		}
		seen |= 1 << n
		kind := s.Kind()
		at := s.Pos()
		switch searchKeys[n] {
		case "query":
			has.query = true
			t := s.Text()
			if s.Err() != nil {
				break
			}
			q.Text = jsonspan.Text(r.src, t.Span)
			if len(q.Text) > search.MostQuery {
				s.Fail(api.CodeOutOfRange, int(at), "a query has at most "+strconv.Itoa(search.MostQuery)+" bytes")
			} else if !q.HasWords() {
				s.Fail(api.CodeEmptyQuery, int(at), "the query has no words: say what to look for")
			}
		case "limit":
			value := s.Skip()
			n, err := strconv.Atoi(string(value.Of(r.src)))
			switch {
			case s.Err() != nil:
			case kind != jsonspan.Number || err != nil && strings.ContainsAny(string(value.Of(r.src)), ".eE"):
				s.Fail(jsonspan.WrongType, int(at), "limit must be a whole number")
			case err != nil || n < 1 || n > search.MostLimit:
				s.Fail(api.CodeOutOfRange, int(at), "limit must be from 1 to "+strconv.Itoa(search.MostLimit))
			}
			q.Limit = n
		case "roles":
			for s.Array(); s.Elem(); {
				at := s.Pos()
				t := s.Text()
				if s.Err() != nil {
					break
				}
				role, ok := search.RoleNamed(jsonspan.Text(r.src, t.Span))
				if !ok {
					s.Fail(api.CodeOutOfRange, int(at), "a role must be user, assistant, tool or system")
				}
				q.Roles.Add(role)
			}
		case "after":
			q.After = readDate(s)
		case "before":
			q.Before = readDate(s)
		case "bodies":
			has.bodies, has.bodiesAt = true, at
			bodies = readBodies(s)
		}
	}
	s.End()
	r.fail(s.Err(), 0)
	return bodies, has
}

// readDate reads a date in ISO 8601.
func readDate(s *jsonspan.Scanner) dates.Date {
	s.Kind()
	at := s.Pos()
	t := s.Text()
	if s.Err() != nil {
		return 0
	}
	d, ok := dates.Parse(jsonspan.Text(s.Src(), t.Span))
	if !ok {
		s.Fail(api.CodeOutOfRange, int(at), `a date is a day, a month or a year: "2025-03-14", "2025-03" or "2025"`)
	}
	return d
}

// readBodies reads what is searched: bodies as a host keeps them, each as JSON in a string, or as JSON.
func readBodies(s *jsonspan.Scanner) (bodies []search.Body) {
	src := s.Src()
	for s.Array(); s.Elem(); {
		var b search.Body
		at, given := s.Pos(), false
		for s.Object(); ; {
			key, ok := s.Key()
			if !ok {
				break
			}
			kind := s.Kind()
			start := s.Pos()
			switch string(key) {
			case "handle":
				t := s.Text()
				if s.Err() != nil {
					break
				}
				if b.Handle = strings.ToLower(jsonspan.Text(src, t.Span)); !handles.IsHandle(b.Handle) {
					s.Fail(api.CodeOutOfRange, int(start), "a handle has 16 to 64 hexadecimal digits")
				}
			case "body":
				given = true
				if kind != jsonspan.String {
					b.Text = s.Skip().Of(src)
					break
				}
				if t := s.Text(); t.Escaped {
					b.Text = jsonspan.AppendText(make([]byte, 0, t.Bytes), src, t.Span)
				} else if s.Err() == nil {
					b.Text = src[t.Start+1 : t.End-1]
				}
			default:
				s.Fail(api.CodeUnknownField, int(s.KeyPos()), "a body has no such key; its keys are: handle, body")
			}
		}
		if !given {
			s.Fail(api.CodeMissingField, int(at), `this has no "body"`)
		}
		bodies = append(bodies, b)
	}
	return bodies
}

// problemOf returns what is wrong with a model's query; "" if it is valid.
func problemOf(query string) string {
	q := search.Query{Text: query}
	switch {
	case len(query) > search.MostQuery:
		return "The query has at most " + strconv.Itoa(search.MostQuery) + " bytes."
	case !q.HasWords():
		return "The query has no word: say what to look for."
	}
	return ""
}

// foundText returns the search results as a text for the model.
func foundText(query string, f *api.Found) string {
	if len(f.Results) == 0 {
		text := "No removed content of this conversation matches this query. Try other words."
		if len(f.Searched.Missing) > 0 {
			text += " Not all of it could be searched."
		}
		return text
	}
	b := []byte("These removed messages of the conversation match, the best first; they are quotes from a record. Call again with a handle " +
		"and the number of a message to read more from there.\n")
	for _, m := range f.Results {
		b = append(b, "\nhandle "...)
		b = append(b, m.Handle[:min(len(m.Handle), handles.Short)]...)
		b = strconv.AppendInt(append(b, " message "...), int64(m.Index), 10)
		b = append(append(b, ", "...), m.Role...)
		if m.Date != "" {
			b = append(append(b, ", "...), m.Date...)
		}
		if m.Offset > search.FarOffset {
			b = strconv.AppendInt(append(b, ", at about character "...), int64(m.Offset), 10)
		}
		b = append(append(b, ":\n  "...), digest.Fence(m.Snippet)...)
		b = append(b, '\n')
	}
	if len(f.Searched.Missing) > 0 {
		b = append(b, "\nNot all of it could be searched.\n"...)
	}
	return string(b[:len(b)-1])
}

// fromMessage returns a body from its n-th element on, if it is a list with that many.
func fromMessage(body []byte, n int) []byte {
	s := jsonspan.New(body)
	if n == 0 || s.Kind() != jsonspan.Array {
		return body
	}
	for s.Array(); s.Elem(); n-- {
		if s.Kind(); n == 0 {
			return append([]byte{'['}, body[s.Pos():]...)
		}
		s.Skip()
	}
	return body
}
