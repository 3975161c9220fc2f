// Package search finds the messages of archived bodies that answer a question: BM25 over messages, with adjacent messages, dates and roles.
// It keeps no index: one pass over the bodies counts the words of the query, and nothing else.
//
// This package knows nothing about wire formats, stores, and what words mean.
package search

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/dates"
	"github.com/ctxfold/ctxfold/core/internal/handles"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/words"
)

// Query is what is looked for.
type Query struct {
	Text  string
	Limit int // the maximum number of hits
	// Roles, if it isn't empty, are the roles of messages that may be hits.
	Roles RoleSet
	// After and Before, if they are not zero, are the first and the last day of messages that may be hits. Messages of unknown date are
	// then excluded.
	After, Before dates.Date
}

// HasWords reports whether there is anything to look for.
func (q *Query) HasWords() bool { return len(words.Append(nil, q.Text)) > 0 }

// Role is who a message is from.
type Role uint8

// The roles. Anything that isn't a message, such as the text of a tool result, counts as Tool.
const (
	System Role = iota
	User
	Assistant
	Tool
)

var roleNames = [...]api.Role{api.RoleSystem, api.RoleUser, api.RoleAssistant, api.RoleTool}

// Word returns the role as answers name it.
func (r Role) Word() api.Role { return roleNames[r] }

// RoleNamed returns the role with a name, in any API's spelling; false if there is none.
func RoleNamed[T string | []byte](name T) (Role, bool) {
	switch string(name) {
	case "user", "human":
		return User, true
	case "assistant", "ai", "model", "agent":
		return Assistant, true
	case "tool", "function", "toolResult", "ipython":
		return Tool, true
	case "system", "developer":
		return System, true
	}
	return 0, false
}

// RoleSet is a set of roles; the zero RoleSet contains all roles.
type RoleSet uint8

// Add adds a role.
func (s *RoleSet) Add(r Role) { *s |= 1 << r }

// Body is a body as an archive holds it: a list of messages, a message, or the body of a tool result. Anything that isn't JSON is a text.
type Body struct {
	Handle string // or its first 16 digits or more; "" if it has none
	Text   []byte
}

// Hit is a message that was found.
type Hit struct {
	Body  int // the index of its body
	Index int // index of the message in the body's list; 0 if the body is no list
	Score int // in roughly 1/1024 bit, to compare hits of one search
	Role  Role
	Date  dates.Date // of the message, or of the header before it; zero if unknown
	// Offset is where the snippet begins in the message's text, in Unicode scalar values.
	Offset  int
	Snippet string
}

// Stats say what was searched.
type Stats struct {
	Messages int
	Bytes    int // of the bodies
	// Named are the handles that the bodies mention and that are not among them, in order of appearance.
	Named []string
}

// FarOffset is the length in Unicode scalar values from which on a hit says how far into its message the snippet is.
const FarOffset = 2000

// Limits of a search.
const (
	MostLimit    = 100     // hits
	MostQuery    = 4096    // bytes of a query
	MostMessages = 1 << 20 // messages, or pieces of long ones
)

// doc is what is scored: a message, or a piece of a long one.
type doc struct {
	body, index int32
	piece       int32 // 0 for the first piece of its message
	words       int32
	from, end   uint32 // the message in its body
	date        dates.Date
	role        Role
	digest      bool // it only summarizes messages that are searched too
	raw         bool // its body is a text that isn't JSON
}

// post says that a doc contains a term.
type post struct {
	doc  int32
	tf   int32 // in 1/1024
	term uint8
	pair bool // the term is near the preceding one, and tf says how near
}

// Run searches bodies. Hits with equal scores are in the order of the bodies, and older first within a body. It returns the code too_large
// if there are more than MostMessages messages.
func Run(q *Query, bodies []Body) (hits []Hit, stats Stats, err *jsonspan.Error) {
	s := searching{query: q, bodies: bodies}
	s.terms()
	size := 0
	for i := range bodies {
		size += len(bodies[i].Text)
	}
	for i := range bodies {
		if h := bodies[i].Handle; len(h) >= handles.Short {
			s.handed.Add(h[:handles.Short])
		}
	}
	s.docs = make([]doc, 0, min(size/256, MostMessages)+len(bodies))
	for i := range bodies {
		stats.Bytes += len(bodies[i].Text)
		if s.read(int32(i)); s.full {
			return nil, stats, &jsonspan.Error{Code: jsonspan.TooLarge, Message: "the archived content has more than 1,048,576 messages: search less at a time"}
		}
	}
	stats.Messages = s.messages
	stats.Named = s.missing()
	for _, r := range s.best() {
		hits = append(hits, s.hit(r))
	}
	return hits, stats, nil
}

// searching is a search in progress.
type searching struct {
	query  *Query
	bodies []Body

	known words.Known
	term  []term
	asked []dates.Found // dates that the query names
	role  RoleSet

	docs     []doc
	posts    []post
	named    []string
	handed   critbit.Map[struct{}] // the first digits of the handles of the bodies
	messages int
	full     bool

	// For the message being read:
	cur     doc
	tf      [words.MostKnown]int32
	pair    [words.MostKnown]int32
	last    [words.MostKnown]int32 // the word number of a term's last occurrence, from 1
	touched []uint8
	found   []words.Found
	room    []byte
	carried dates.Date // of the header before it
	pieces  int        // of text in the message so far

	collects  bool // texts of a message are joined instead of counted
	collected []byte
}

// term is a stem of the query.
type term struct {
	weight int32
	name   bool // it may be a name: it has a capital letter, and isn't the first word
	lead   bool // it begins a question
	number bool
}

// terms parses the query.
func (s *searching) terms() {
	text := s.query.Text
	ws := words.Append(nil, text)
	for i, w := range ws {
		spelled := text[w.From:w.End]
		k, added := s.known.Add(text, w)
		if !added {
			continue
		}
		if k >= len(s.term) {
			s.term = append(s.term, term{})
		}
		s.term[k] = term{name: w.Kind&words.Capital != 0 && i > 0, number: w.Kind&words.Digit != 0}
		if role, ok := RoleNamed(spelled); ok {
			s.role.Add(role)
		}
	}
	if len(s.term) >= 4 && isQuestion(text) {
		s.term[0].lead = true
	}
	s.asked = dates.In(text, ws)
}

// isQuestion reports whether a text ends with a question mark of any script.
func isQuestion(text string) bool {
	for _, mark := range [...]string{"?", "？", "؟", ";", "՞", "፧"} {
		for n := len(text); n > 0 && n > len(text)-8; n-- {
			if c := text[n-1]; c == ' ' || c == '\n' || c == '"' || c == ')' {
				continue
			}
			if n >= len(mark) && text[n-len(mark):n] == mark {
				return true
			}
			break
		}
	}
	return false
}
