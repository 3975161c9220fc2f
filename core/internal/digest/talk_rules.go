package digest

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/extract"
)

// A rule that the block of standing instructions lists need not appear in the conversation of a chat digest too, and a
// rule for which the block has no room should. This file finds the user's rules in the conversation.

// favourRules gives the user's rules a high weight, except for those that block lists, which need not appear twice, and
// those that the user has revoked or changed.
func (k *talk) favourRules(rules []string, block string) {
	if len(rules) == 0 {
		return
	}
	f := ruleFinder{block: block, updates: updatesIn(rules)}
	for _, rule := range rules {
		f.add(rule)
	}
	var ranges [][2]int
	for i := range k.items {
		it := &k.items[i]
		if src := &k.sources[i]; src.own || !src.fresh {
			continue
		}
		at := 0
		for line := range strings.Lines(it.Text) {
			ranges = sentencesIn(ranges[:0], line, quotedIn(line))
			for _, s := range ranges {
				if factor := f.factorOf(line[s[0]:s[1]]); factor != 0 {
					it.Weighed = append(it.Weighed, extract.Weighed{From: at + s[0], To: at + s[1], Factor: factor})
				}
			}
			at += len(line)
		}
	}
}

// ruleFinder finds the user's rules in what the user said. A rule may be a part of a sentence.
type ruleFinder struct {
	block   string                    // the block of standing instructions
	starts  critbit.Map[[]ruleInTalk] // the rules by their first bytes
	updates updates                   // the rules that revoke or change earlier ones
}

// ruleInTalk is a sentence of a rule, without the punctuation around it. listed means that the block contains the rule.
type ruleInTalk struct {
	text   string // as the user wrote it
	listed bool
}

// ruleStart is the number of bytes by which rules are looked up.
const ruleStart = 4

// Characters around a rule, and characters between the clauses of a sentence.
const (
	aroundRule     = " \t\r\n*-•" + betweenClauses
	betweenClauses = ",;:.!?–—，；：。！？、।؟،"
)

func (f *ruleFinder) add(rule string) {
	listed := listsStanding(f.block, rule)
	_, rule = splitRule(rule)
	for _, s := range sentencesIn(nil, rule, quotedIn(rule)) {
		if text := strings.Trim(rule[s[0]:s[1]], aroundRule); len(text) >= ruleStart {
			same, _ := f.starts.Get(text[:ruleStart])
			f.starts.Set(text[:ruleStart], append(same, ruleInTalk{text, listed}))
		}
	}
}

// factorOf returns the factor of a sentence of the user: ofRule if it contains a rule for which the block has no room,
// ofListed if the block lists at least half of it, ofDenied if it contains a rule that no longer applies, and otherwise 0.
func (f *ruleFinder) factorOf(sentence string) int {
	listed := 0
	for rest := sentence; rest != ""; {
		rest = withoutJoin(strings.TrimLeft(rest, aroundRule))
		rule := f.at(rest)
		switch {
		case rule.text == "":
			if n := strings.IndexAny(rest, betweenClauses); n >= 0 {
				rest = rest[n:]
				continue
			}
			rest = ""
		case !rule.listed:
			return ofRule
		}
		listed += len(rule.text)
		rest = rest[len(rule.text):]
	}
	if listed > 0 && 2*listed >= len(strings.Trim(sentence, aroundRule)) {
		return ofListed
	}
	if f.updates.outdate(sentence) {
		return ofDenied
	}
	return 0
}

// at returns the longest rule with which text begins. Its text is "" if there is none.
func (f *ruleFinder) at(text string) (best ruleInTalk) {
	if len(text) < ruleStart {
		return best
	}
	same, _ := f.starts.Get(text[:ruleStart])
	for _, rule := range same {
		if len(rule.text) > len(best.text) && strings.HasPrefix(text, rule.text) {
			best = rule
		}
	}
	return best
}
