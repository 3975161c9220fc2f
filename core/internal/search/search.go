// Package search finds the messages in archived bodies that answer a question. It ranks messages by their BM25 scores,
// by the scores of adjacent messages, and by dates and roles. It keeps no index: each search reads all bodies once and
// counts only the words of the query.
//
// This package knows only some keys, types and roles of wire formats. It knows nothing about stores or the meaning of
// words.
package search

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/dates"
	"github.com/ctxfold/ctxfold/core/internal/handles"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/words"
)

// Query describes what to find.
type Query struct {
	Text  string // the words to find, in any script
	Limit int    // the maximum number of hits
	// Roles restricts the hits to messages with these roles. The zero value allows all roles.
	Roles RoleSet
	// After and Before restrict the hits to messages from the day After to the day Before, inclusive. Zero means no
	// limit. With a limit, messages of unknown date are excluded.
	After, Before dates.Date
}

// HasWords reports whether the query's text contains any words.
func (q *Query) HasWords() bool { return len(words.Append(nil, q.Text)) > 0 }

// Role is the author of a message. See the constants.
type Role uint8

// The roles. Anything that isn't a message, such as the text of a tool result, has the role Tool.
const (
	System Role = iota
	User
	Assistant
	Tool
)

var roleNames = [...]api.Role{api.RoleSystem, api.RoleUser, api.RoleAssistant, api.RoleTool}

// Word returns the name of the role, as results write it.
func (r Role) Word() api.Role { return roleNames[r] }

// RoleNamed returns the role with the given name, in the spelling of any API. ok is false for an unknown name.
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

// Add adds a role to the set.
func (s *RoleSet) Add(r Role) { *s |= 1 << r }

// Body is an archived body: a list of messages, a message, or the body of a tool result. A body that isn't JSON is
// searched as plain text.
type Body struct {
	Handle string // whole or shortened to at least 16 digits; "" if unknown
	Text   []byte // the body as it was archived
}

// Hit is a message that matches the query.
type Hit struct {
	Body  int        // the index of its body
	Index int        // index of the message in the body's list; 0 if the body is not a list
	Score int        // in units of about a 1024th of a bit; only comparable among the hits of one search
	Role  Role       // who wrote the message
	Date  dates.Date // of the message, or of the last dated message before it; zero if unknown
	// Offset is the position of the snippet in the message's text, in Unicode scalar values.
	Offset  int
	Snippet string // the passage with the most of the query's words, on one line
}

// Stats describe what a search has covered.
type Stats struct {
	Messages int // number of messages, counting each piece of a long one
	Bytes    int // the total size of the bodies
	// Named lists the handles that the bodies name and that belong to none of them, in order of appearance. Fetching
	// these bodies extends the search.
	Named []string
}

// FarOffset is a message length in Unicode scalar values. For a longer message, a hit should show how far into the
// message its snippet is.
const FarOffset = 2000

// Limits of a search.
const (
	MostLimit    = 100     // the maximum of Query.Limit
	MostQuery    = 4096    // the maximum size of Query.Text, in bytes
	MostMessages = 1 << 20 // the maximum number of messages, counting each piece of a long message
)

// doc is the unit that is scored: a message, or a piece of a long message.
type doc struct {
	body, index int32      // index of the body, and of the message in it
	piece       int32      // index of the piece in its message
	words       int32      // the number of its words
	from, end   uint32     // the byte range of the message in its body
	date        dates.Date // of the message; 0 if unknown
	role        Role       // who wrote the message
	digest      bool       // a digest of messages that are searched themselves
	raw         bool       // its body is plain text, not JSON
}

// post is an entry of the posting list: a doc that contains a term.
type post struct {
	doc  int32 // index of the doc
	tf   int32 // the number of occurrences, in 1024ths; for a pair, the distance in words
	term uint8 // index of the term
	pair bool  // the entry is for a term near the preceding term of the query
}

// Run searches bodies and returns the hits, best first. Hits with equal scores are in the order of the bodies, and
// older first within a body. It fails with the code too_large if there are more than MostMessages messages.
func Run(q *Query, bodies []Body) (hits []Hit, stats Stats, err *jsonspan.Error) {
	s := searching{query: q, bodies: bodies}
	s.parseQuery()
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
		if s.readBody(int32(i)); s.full {
			return nil, stats, &jsonspan.Error{Code: jsonspan.TooLarge,
				Message: "the archived content has more than 1,048,576 messages: search less at a time"}
		}
	}
	stats.Messages = s.messages
	stats.Named = s.missingHandles()
	for _, r := range s.bestDocs() {
		hits = append(hits, s.hitOf(r))
	}
	return hits, stats, nil
}

// searching is the state of a search.
type searching struct {
	query  *Query // what to find
	bodies []Body // what is searched

	known      words.Known   // the stems of the query's words
	term       []term        // the query's words, by their index in known
	queryDates []dates.Found // the dates in the query
	role       RoleSet       // the roles that the query names

	docs     []doc                 // the docs that have been read
	posts    []post                // the posting list, in the order of the docs
	named    []string              // the handles that the bodies name, with repetitions
	handed   critbit.Map[struct{}] // the shortened handles of the bodies
	messages int                   // number of messages so far
	full     bool                  // whether the bodies have too many messages

	// The message being read:
	cur     doc
	tf      [words.MostKnown]int32
	pair    [words.MostKnown]int32
	last    [words.MostKnown]int32 // the position of each term's last occurrence, in words, from 1
	touched []uint8                // the terms that occur in it
	found   []words.Found          // a buffer for the words of a text
	room    []byte                 // a buffer for a decoded string
	carried dates.Date             // the date of the last dated message before it
	pieces  int                    // number of texts in the message so far

	collects  bool   // collect the texts of the message instead of counting words
	collected []byte // the texts, with a line feed between two
}

// term is a word of the query, reduced to its stem.
type term struct {
	weight int32 // the weight of a match, in 1024ths of a bit
	name   bool  // it may be a name: it is capitalized and not the first word
	lead   bool  // it is the first word of a question
	number bool  // it is a number
}

// parseQuery parses the query into terms, roles and dates. Each word counts once. Words after the maximum number of
// terms are ignored.
func (s *searching) parseQuery() {
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
	s.queryDates = dates.FindDates(text, ws)
}

// isQuestion reports whether text ends with a question mark of any script.
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
