package search

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/ctxfold/ctxfold/core/internal/dates"
	"github.com/ctxfold/ctxfold/core/internal/sorting"
)

// The parameters of BM25 and the weights of the other features, in 1024ths. They were fitted to long public
// conversations between two people, with and without the names of the speakers; see docs/inside/memory.md.
const (
	one = 1024 // the factor 1

	leastWeight = 64  // the weight of a word that every message has
	saturation  = 819 // k1
	lengthPart  = 410 // b
	// The bonus for two query words near each other, relative to the weight of the lighter one.
	pairBonus            = 717
	maxPairDistance      = 8    // the maximum distance of such words, in words
	relativeShare        = 410  // the weight of a word that shares five letters with a query word
	leadPart             = 512  // the share of its weight that the first word of a question keeps
	addressedBonus       = 1536 // the weight of a person's name in messages written by that person
	neighbourShare       = 512  // the share of the better neighbour's score that a message gets
	secondNeighbourShare = 307  // the same for the neighbours two messages away
	dateBonus            = 512  // the bonus for a date in the query, relative to the message's own score
	roleBonus            = 128  // the bonus for a role in the query, likewise
)

// log2 returns the binary logarithm of n, in 1024ths. n must be positive.
func log2(n uint64) int64 {
	whole := bits.Len64(n) - 1
	m := n << (63 - whole) >> 32 // 1 ≤ m/2^31 < 2
	r := int64(whole)
	for range 10 {
		m = m * m >> 31
		r <<= 1
		if m >= 1<<32 {
			m >>= 1
			r++
		}
	}
	return r
}

// squareRoot returns the square root of n; both are in 1024ths.
func squareRoot(n int64) int64 {
	n <<= 10
	r := int64(1) << ((bits.Len64(uint64(n)) + 1) / 2)
	for {
		next := (r + n/max(r, 1)) / 2
		if next >= r {
			return r
		}
		r = next
	}
}

// ranked is a doc with its score.
type ranked struct {
	doc   int32 // its index
	score int64 // in 1024ths of a bit
}

// bestDocs returns the docs with the highest scores, the best first, with one for each message and at most the query's
// limit. It returns nil if there are no docs.
func (s *searching) bestDocs() []ranked {
	n := int64(len(s.docs))
	if n == 0 {
		return nil
	}
	scores := s.wordScores()
	plain := len(s.term) == 0 || slices.Max(scores) == 0 // the query has only a date or a role, or no word that occurs
	room := 8*s.query.Limit + 256                        // the maximum number of docs that are sorted at a time
	list := make([]ranked, 0, room)
	floor := int64(1)
	for i := range s.docs {
		d := &s.docs[i]
		score := withNeighbours(s.docs, scores, i)
		if plain {
			score += s.bonus(d, one)
		} else {
			score += s.bonus(d, score)
		}
		if score < floor || d.digest || !s.isWanted(d) {
			continue
		}
		if len(list) == room {
			list = append(list[:0], s.bestPerMessage(list)...)
			if len(list) == s.query.Limit {
				floor = list[len(list)-1].score + 1 // a later doc with the same score would rank lower
			}
		}
		list = append(list, ranked{int32(i), score})
	}
	return s.bestPerMessage(list)
}

// bonus returns what a doc with the score own gets for a date or a role in the query, if it has them.
func (s *searching) bonus(d *doc, own int64) (bonus int64) {
	if slices.ContainsFunc(s.queryDates, func(a dates.Found) bool { return d.date.Matches(a.Date) }) {
		bonus += own * dateBonus / one
	}
	if s.role>>d.role&1 == 1 {
		bonus += own * roleBonus / one
	}
	return bonus
}

// isWanted reports whether a doc passes the query's filters by role and date.
func (s *searching) isWanted(d *doc) bool {
	q := s.query
	if q.Roles != 0 && q.Roles>>d.role&1 == 0 {
		return false
	}
	if q.After != 0 && (d.date == 0 || d.date < q.After) {
		return false
	}
	return q.Before == 0 || d.date != 0 && d.date <= q.Before.Last()
}

// bestPerMessage returns the best doc of each message, best first, up to the query's limit.
func (s *searching) bestPerMessage(list []ranked) []ranked {
	sorting.Func(list, func(a, b ranked) int {
		if a.score != b.score {
			return cmp.Compare(b.score, a.score)
		}
		return cmp.Compare(a.doc, b.doc)
	})
	var out []ranked
	for _, r := range list {
		d := &s.docs[r.doc]
		if slices.ContainsFunc(out, func(o ranked) bool { return s.docs[o.doc].body == d.body && s.docs[o.doc].index == d.index }) {
			continue
		}
		if out = append(out, r); len(out) == s.query.Limit {
			break
		}
	}
	return out
}

// withNeighbours returns the score of doc i plus its share of its neighbours' scores. Docs of other bodies aren't
// neighbours. The second neighbour on each side has a smaller share.
func withNeighbours(docs []doc, scores []int64, i int) int64 {
	at := func(k int) int64 {
		if k < 0 || k >= len(docs) || docs[k].body != docs[i].body {
			return 0
		}
		return scores[k]
	}
	return scores[i] + max(at(i-1), at(i+1))*neighbourShare/one + max(at(i-2), at(i+2))*secondNeighbourShare/one
}

// weighTerms sets the weights of the query's words. df has the number of docs with each word.
func (s *searching) weighTerms(df []int64) {
	for k := range s.term {
		t := &s.term[k]
		w := log2(uint64(2*len(s.docs)+2)) - log2(uint64(2*df[k]+1))
		w = w * squareRoot(w) / one // rare words decide
		if t.lead {
			w = w * leadPart / one
		}
		t.weight = int32(max(w, leastWeight))
	}
}

// wordScores returns the score of each doc by its words alone, ignoring dates, roles and
// neighboring docs. It also sets the weights of the terms.
func (s *searching) wordScores() []int64 {
	n := int64(len(s.docs))
	df, by := make([]int64, len(s.term)), make([][4]int64, len(s.term))
	for _, p := range s.posts {
		if !p.pair && p.tf >= one {
			df[p.term]++
			by[p.term][s.docs[p.doc].role]++
		}
	}
	var roles [4]int64
	var length int64
	for i := range s.docs {
		length += int64(s.docs[i].words)
		roles[s.docs[i].role]++
	}
	length = max(length, 1)
	s.weighTerms(df)
	scores := make([]int64, len(s.docs))
	part := func(term uint8, d int32, tf int64) int64 {
		norm := one - lengthPart + lengthPart*int64(s.docs[d].words)*n/length
		return int64(s.term[term].weight) * tf * (one + saturation) / one / (tf + saturation*norm/one)
	}
	called := s.rolesOfNames(df, by, roles)
	for _, p := range s.posts {
		if p.pair {
			w := min(s.term[p.term].weight, s.term[p.term-1].weight)
			scores[p.doc] += int64(w) * pairBonus / one / int64(p.tf)
			continue
		}
		tf := int64(p.tf)
		if role := called[p.term]; role == s.docs[p.doc].role && role != Tool {
			tf += addressedBonus
			scores[p.doc] -= part(p.term, p.doc, addressedBonus) // the weight for all of them is added below
		}
		scores[p.doc] += part(p.term, p.doc, tf)
	}
	for k, role := range called {
		if role == Tool {
			continue
		}
		for d := range s.docs {
			if s.docs[d].role == role {
				scores[d] += part(uint8(k), int32(d), addressedBonus)
			}
		}
	}
	return scores
}

// rolesOfNames returns, for each term, the role of the person whose name it is, or Tool if it isn't
// a name. If almost only one of two people uses a name, and doesn't use it in most messages as if
// it were a label, it is the other person's name. df is the number of docs with each term, by the
// same for each role, and roles the number of docs of each role.
func (s *searching) rolesOfNames(df []int64, by [][4]int64, roles [4]int64) []Role {
	of := make([]Role, len(s.term))
	for k := range of {
		of[k] = Tool
		talk := by[k][User] + by[k][Assistant]
		if !s.term[k].name || talk < 5 || talk*2 < df[k] {
			continue
		}
		for _, r := range [...]Role{User, Assistant} {
			if by[k][r]*5 >= talk*4 && by[k][r]*2 <= roles[r] {
				of[k] = User + Assistant - r
			}
		}
	}
	return of
}
