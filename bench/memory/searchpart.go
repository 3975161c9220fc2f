package main

import (
	"encoding/json"
	"slices"

	"github.com/ctxfold/ctxfold/bench/memory/chats"
	"github.com/ctxfold/ctxfold/core"
)

// foundAt are the numbers of results that are considered.
var foundAt = []int{5, 10, 20}

// canSearch reports whether the core has the operation.
func canSearch() bool { return slices.Contains(core.Ops(), "search") }

// find searches a conversation as a host would that has archived all of it, and returns the indexes of the messages
// found.
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

// searched counts the messages with evidence among the results, one score for each of foundAt: for questions that name
// a thing or a person in the message, then for the others.
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
