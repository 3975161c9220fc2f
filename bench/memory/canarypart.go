package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ctxfold/ctxfold/bench/memory/canaries"
)

// The windows in which canaries are measured, in tokens, and the number of compactions after the last statement.
var canaryWindows = []int{8000, 16000, 32000, 64000}

const rounds = 5

// canaryResult counts how many statements of a set were retained, by kind.
type canaryResult struct {
	set    *canaries.Set
	window int
	kinds  map[string]score
	lost   []canaries.Statement
}

// measureCanaries continues a session until it has been compacted five times after the last statement.
func measureCanaries(set *canaries.Set, seed, window int) (*canaryResult, error) {
	s := set.New(seed, estimate)
	policy := policy(window, -1)
	list := []json.RawMessage{json.RawMessage(`{"role":"system","content":"You are a careful helper."}`)}
	var state json.RawMessage
	for round, turn := 0, 0; round < rounds; turn++ {
		list = append(list, s.Turn()...)
		if turn%4 != 3 {
			continue
		}
		in, err := json.Marshal(list)
		if err != nil {
			return nil, err
		}
		l, err := compact(policy, state, in)
		if err != nil {
			return nil, fmt.Errorf("%s, window %d: %w", set.Name(), window, err)
		}
		state = l.State
		if !l.Report.Changed {
			continue
		}
		list = nil
		if err := json.Unmarshal(l.Messages, &list); err != nil {
			return nil, err
		}
		if s.Said() {
			round++
		}
	}
	all, err := json.Marshal(list)
	if err != nil {
		return nil, err
	}
	text := plain(allText(all))
	r := &canaryResult{set: set, window: window, kinds: map[string]score{}}
	for _, c := range s.Statements {
		held := strings.Contains(text, plain(c.Key))
		k := r.kinds[c.Kind]
		k.add(held)
		r.kinds[c.Kind] = k
		if !held {
			r.lost = append(r.lost, c)
		}
	}
	return r, nil
}

// plain returns text in lower case with single spaces between words.
func plain(text string) string { return strings.ToLower(strings.Join(strings.Fields(text), " ")) }

// kindNames are the names of the kinds of statements, as the page shows them.
var kindNames = map[string]string{"safety": "safety rules", "constraint": "constraints", "preference": "preferences", "fact": "facts", "goal": "goals"}

// lasting returns the score for the kinds of statements that hold until they are revoked, and the score for the other kinds.
func lasting(r *canaryResult) (rules, others score) {
	for _, k := range canaries.Kinds {
		if k == "fact" || k == "goal" {
			others.plus(r.kinds[k])
		} else {
			rules.plus(r.kinds[k])
		}
	}
	return rules, others
}

func (r *canaryResult) plus(o *canaryResult) {
	for _, k := range canaries.Kinds {
		sum := r.kinds[k]
		sum.plus(o.kinds[k])
		r.kinds[k] = sum
	}
	r.lost = append(r.lost, o.lost...)
}

// measureAllCanaries measures every set in every window, with several seeds.
func (o *options) measureAllCanaries() (all []*canaryResult, err error) {
	for _, window := range canaryWindows {
		for _, set := range canaries.Sets() {
			if o.language == "" || o.language == set.Language.Code {
				all = append(all, &canaryResult{set: set, window: window, kinds: map[string]score{}})
			}
		}
	}
	return all, each(len(all), func(i int) error {
		for seed := 1; seed <= o.seeds; seed++ {
			r, err := measureCanaries(all[i].set, seed, all[i].window)
			if err != nil {
				return err
			}
			all[i].plus(r)
		}
		return nil
	})
}

// kindTable returns a table with a row for each window and each kind of session.
func kindTable(all []*canaryResult) string {
	head := []string{"window", "sessions of"}
	for _, k := range canaries.Kinds {
		head = append(head, kindNames[k])
	}
	var rows [][]string
	for _, window := range canaryWindows {
		for _, coding := range []bool{true, false} {
			sum := &canaryResult{kinds: map[string]score{}}
			for _, r := range all {
				if r.window == window && r.set.Coding == coding {
					sum.plus(r)
				}
			}
			row := []string{thousands(window), map[bool]string{true: "a coding agent", false: "people"}[coding]}
			for _, k := range canaries.Kinds {
				row = append(row, percent(sum.kinds[k]))
			}
			rows = append(rows, row)
		}
	}
	return table(append(head[:2:2], head[2:]...), rows)
}

// setTable returns a table with a row for each set of statements.
func setTable(all []*canaryResult) string {
	head := []string{"statements"}
	rows := map[string][]string{}
	var names []string
	for _, window := range canaryWindows {
		head = append(head, thousands(window)+": rules", "facts, goals")
	}
	for _, r := range all {
		name := r.set.Name()
		if rows[name] == nil {
			rows[name] = []string{name}
			names = append(names, name)
		}
		rules, others := lasting(r)
		rows[name] = append(rows[name], fmt.Sprintf("%d/%d", rules.held, rules.asked), fmt.Sprintf("%d/%d", others.held, others.asked))
	}
	var list [][]string
	for _, name := range names {
		list = append(list, rows[name])
	}
	return table(head, list)
}
