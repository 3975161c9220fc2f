package main

import (
	"encoding/json"
	"slices"

	"github.com/ctxfold/ctxfold/bench/memory/chats"
	"github.com/ctxfold/ctxfold/core"
)

// foundAt lists how many of the first results are considered, one number for each score.
var foundAt = []int{5, 10, 20}

// canSearch reports whether the core has the operation search.
func canSearch() bool { return slices.Contains(core.Ops(), "search") }

// find archives a whole conversation, searches it as a host would, and returns the indexes of the messages found.
func find(body json.RawMessage, query string, limit int) ([]int, error) {
	request, err := json.Marshal(map[string]any{
		"query": query, "limit": limit, "bodies": []any{map[string]any{"body": string(body)}},
	})
	if err != nil {
		return nil, err
	}
	var a struct{ Results []struct{ Index int } }
	if err := call("search", request, &a); err != nil {
		return nil, err
	}
	var found []int
	for _, r := range a.Results {
		found = append(found, r.Index)
	}
	return found, nil
}

// searched counts how often a message with the answer is among the results. It has one score for each of foundAt for the questions that
// name a thing or a person in the message, then one for each of the other questions.
type searched []score

func newSearched() searched { return make(searched, 2*len(foundAt)) }

func (s searched) plus(o searched) {
	for i := range s {
		s[i].plus(o[i])
	}
}

func measureSearch(c *chats.Chat) (searched, error) {
	body, err := json.Marshal(c.Messages)
	if err != nil {
		return nil, err
	}
	s := newSearched()
	for _, q := range c.Questions {
		found, err := find(body, q.Question, slices.Max(foundAt))
		if err != nil {
			return nil, err
		}
		first := len(foundAt)
		if q.Named {
			first = 0
		}
		for i, n := range foundAt {
			for _, e := range q.Evidence {
				s[first+i].add(slices.Contains(found[:min(n, len(found))], e))
			}
		}
	}
	return s, nil
}
