package core

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/dates"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/handles"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/search"
)

// searchLimit is the default maximum number of results.
const searchLimit = 10

// searchKeys lists the members of a search request.
var searchKeys = []string{"query", "limit", "roles", "after", "before", "bodies"}

// searchBodies searches the messages in bodies and returns the best hits, or nil if r has an error. It parses its
// request itself, because most of the request consists of bodies, which are scanned in place.
func searchBodies(r *request) []byte {
	q := search.Query{Limit: searchLimit}
	bodies, has := r.readSearch(&q)
	switch {
	case r.err != nil:
		return nil
	case !has.query:
		r.fail(&jsonspan.Error{Code: api.CodeMissingField, Message: `the request has no "query"`}, 0)
		return nil
	case !has.bodies:
		r.fail(&jsonspan.Error{Code: api.CodeMissingField, Message: `the request has no "bodies"`}, 0)
		return nil
	}
	hits, stats, err := search.Run(&q, bodies)
	if r.fail(err, has.bodiesAt); r.err != nil {
		return nil
	}
	a := api.Found{Searched: api.Searched{Bodies: len(bodies), Messages: stats.Messages, Bytes: stats.Bytes, Missing: stats.Named}}
	for _, h := range hits {
		f := api.FoundMessage{Body: h.Body, Handle: bodies[h.Body].Handle, Index: h.Index, Score: h.Score,
			Role: h.Role.Word(), Offset: h.Offset, Snippet: h.Snippet}
		if h.Date != 0 {
			f.Date = string(h.Date.Append(nil))
		}
		a.Results = append(a.Results, f)
	}
	return encoded(a.MarshalEasyJSON)
}

// searchHas records which of its required members a search request has.
type searchHas struct {
	query, bodies bool   // whether the member was read
	bodiesAt      uint32 // the offset of the value of bodies
}

// searchRequest is a search request that is being parsed.
type searchRequest struct {
	s      *jsonspan.Scanner // reads the request
	query  *search.Query     // what was read of the query
	bodies []search.Body     // what was read of the bodies
	has    searchHas         // which members were read
}

// searchMembers are the functions that read the members of a search request, in the order of searchKeys.
var searchMembers = [...]func(r *searchRequest, at uint32, kind jsonspan.Kind){
	(*searchRequest).readQuery,
	(*searchRequest).readLimit,
	(*searchRequest).readRoles,
	func(r *searchRequest, _ uint32, _ jsonspan.Kind) { r.query.After = readDate(r.s) },
	func(r *searchRequest, _ uint32, _ jsonspan.Kind) { r.query.Before = readDate(r.s) },
	func(r *searchRequest, at uint32, _ jsonspan.Kind) {
		r.has.bodies, r.has.bodiesAt = true, at
		r.bodies = readBodies(r.s)
	},
}

// readSearch reads a search request into q. It returns the bodies to search, and which members the request has. Errors
// are recorded in r.
func (r *request) readSearch(q *search.Query) (bodies []search.Body, has searchHas) {
	s := jsonspan.New(r.src)
	in := &searchRequest{s: s, query: q}
	var seen [len(searchMembers)]bool
	for name := range s.Members {
		n := slices.Index(searchKeys, string(name))
		if n < 0 {
			s.Fail(api.CodeUnknownField, int(s.KeyPos()),
				"a search request has no such key; its keys are: "+strings.Join(searchKeys, ", "))
			break
		}
		if seen[n] {
			s.Fail(jsonspan.DuplicateKey, int(s.KeyPos()), "the key \""+searchKeys[n]+"\" appears twice")
			break
		}
		seen[n] = true
		kind := s.Kind()
		searchMembers[n](in, s.Pos(), kind)
	}
	s.End()
	r.fail(s.Err(), 0)
	return in.bodies, in.has
}

func (r *searchRequest) readQuery(at uint32, _ jsonspan.Kind) {
	r.has.query = true
	t := r.s.Text()
	if r.s.Err() != nil {
		return
	}
	r.query.Text = jsonspan.Text(r.s.Src(), t.Span)
	if len(r.query.Text) > search.MostQuery {
		r.s.Fail(api.CodeOutOfRange, int(at), "a query has at most "+strconv.Itoa(search.MostQuery)+" bytes")
	} else if !r.query.HasWords() {
		r.s.Fail(api.CodeEmptyQuery, int(at), "the query has no words: say what to look for")
	}
}

func (r *searchRequest) readLimit(at uint32, kind jsonspan.Kind) {
	spelled := string(r.s.Skip().Slice(r.s.Src()))
	n, err := strconv.Atoi(spelled)
	switch {
	case r.s.Err() != nil:
	case kind != jsonspan.Number || err != nil && strings.ContainsAny(spelled, ".eE"):
		r.s.Fail(jsonspan.WrongType, int(at), "limit must be a whole number")
	case err != nil || n < 1 || n > search.MostLimit:
		r.s.Fail(api.CodeOutOfRange, int(at), "limit must be from 1 to "+strconv.Itoa(search.MostLimit))
	}
	r.query.Limit = n
}

func (r *searchRequest) readRoles(uint32, jsonspan.Kind) {
	for r.s.Array(); r.s.Elem(); {
		at := r.s.Pos()
		t := r.s.Text()
		if r.s.Err() != nil {
			return
		}
		role, ok := search.RoleNamed(jsonspan.Text(r.s.Src(), t.Span))
		if !ok {
			r.s.Fail(api.CodeOutOfRange, int(at), "a role must be user, assistant, tool or system")
		}
		r.query.Roles.Add(role)
	}
}

// readDate reads an ISO 8601 date. For anything else the scanner gets an error. The result is then 0.
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

// readBodies reads the bodies to search, each as JSON or as a string that contains JSON. An unknown key and a missing
// body are errors of the scanner.
func readBodies(s *jsonspan.Scanner) (bodies []search.Body) {
	for s.Array(); s.Elem(); {
		var b search.Body
		at, given := s.Pos(), false
		for key := range s.Members {
			switch string(key) {
			case "handle":
				b.Handle = readHandle(s)
			case "body":
				given = true
				b.Text = readBody(s)
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

// readHandle reads a handle and converts it to lower case. If the value is not a handle, the scanner gets an error. The
// result is then "".
func readHandle(s *jsonspan.Scanner) string {
	s.Kind()
	start := s.Pos()
	t := s.Text()
	if s.Err() != nil {
		return ""
	}
	handle := strings.ToLower(jsonspan.Text(s.Src(), t.Span))
	if !handles.IsHandle(handle) {
		s.Fail(api.CodeOutOfRange, int(start), "a handle has 16 to 64 hexadecimal digits")
	}
	return handle
}

// readBody reads a body: JSON, or a string that contains JSON. It returns nil if the string is invalid. The result may
// share memory with the request.
func readBody(s *jsonspan.Scanner) []byte {
	if s.Kind() != jsonspan.String {
		return s.Skip().Slice(s.Src())
	}
	t := s.Text()
	switch {
	case t.Escaped:
		return jsonspan.AppendText(make([]byte, 0, t.Bytes), s.Src(), t.Span)
	case s.Err() == nil:
		return s.Src()[t.Start+1 : t.End-1]
	}
	return nil
}

// problemOf returns a description of the problem with a model's query; "" if the query is valid.
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

// foundText returns the search results as text for the model, which called the recall tool. If there are none, the text
// says so.
func foundText(f *api.Found) string {
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

// fromMessage returns a list without its first n elements. A body that isn't a list, or has at most n elements, is
// returned unchanged.
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
