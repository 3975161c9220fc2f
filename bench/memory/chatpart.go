package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ctxfold/ctxfold/bench/memory/chats"
	"github.com/ctxfold/ctxfold/bench/memory/held"
)

// setting determines the window for compacting a conversation: a fixed size, or the size at which the target leaves a
// given share of the conversation.
type setting struct {
	share  float64 // of the conversation, in percent
	window int     // in tokens
}

func (s setting) String() string {
	if s.share > 0 {
		return fmt.Sprintf("%g %% left", s.share)
	}
	return fmt.Sprintf("window of %s", thousands(s.window))
}

// A compaction leaves at most the target: 0.6 × 0.8 of a window without a reserve.
const targetShare = 0.48

func (s setting) policy(tokens int) string {
	if s.share > 0 {
		return policy(int(float64(tokens)*s.share/100/targetShare), 0)
	}
	return policy(s.window, -1)
}

var settings = []setting{{share: 20}, {share: 12.5}, {share: 5}, {window: 12000}, {window: 8000}, {window: 4000}}

// score is the number of questions asked that can still be answered from text.
type score struct{ held, asked int }

func (s *score) add(held bool) {
	s.asked++
	if held {
		s.held++
	}
}

func (s *score) plus(o score) { s.held, s.asked = s.held+o.held, s.asked+o.asked }

func (s score) percent() float64 { return 100 * float64(s.held) / float64(max(1, s.asked)) }

// measured is the sum of all measurements in one setting.
type measured struct {
	before, after int // tokens
	ours          score
	newest, stale score // for facts that changed: whether the newest answer is retained, or only an older one
	others        map[string]score
}

func (m *measured) plus(o *measured) {
	m.before, m.after = m.before+o.before, m.after+o.after
	m.ours.plus(o.ours)
	m.newest.plus(o.newest)
	m.stale.plus(o.stale)
	if m.others == nil {
		m.others = map[string]score{}
	}
	for name, s := range o.others {
		sum := m.others[name]
		sum.plus(s)
		m.others[name] = sum
	}
}

// chatResult contains the measurements of one conversation.
type chatResult struct {
	chat   *chats.Chat
	whole  score       // of the uncompacted conversation
	by     []*measured // by setting
	tokens int
	pruned int // messages that remain after pruneMessages
}

// measureChat compacts a conversation in every setting, and compares the result with what other methods leave at the
// same size.
func measureChat(c *chats.Chat, peers *peers) (*chatResult, error) {
	list, err := json.Marshal(c.Messages)
	if err != nil {
		return nil, err
	}
	each, all, err := sizes(c.Messages)
	if err != nil {
		return nil, err
	}
	var texts []string
	for _, m := range c.Messages {
		text := m.Content
		if m.Name != "" {
			text = m.Name + ": " + text
		}
		texts = append(texts, text)
	}
	conv := newConversation(texts, each)
	r := &chatResult{chat: c, tokens: all, whole: count(c, strings.Join(texts, "\n"))}
	var kept []*left
	var budgets []int
	for _, s := range settings {
		l, err := compact(s.policy(all), nil, list)
		if err != nil {
			return nil, fmt.Errorf("%s, %v: %w", c.Name, s, err)
		}
		kept, budgets = append(kept, l), append(budgets, l.Report.Tokens.After)
	}
	others, err := peers.leave(c, conv, budgets)
	if err != nil {
		return nil, err
	}
	r.pruned = others.pruned
	for i, l := range kept {
		m := &measured{before: all, after: l.Report.Tokens.After, others: map[string]score{}}
		text := held.New(l.text())
		for _, q := range c.Questions {
			now := text.Holds(q.Answer, c.Language.Stop)
			m.ours.add(now)
			if len(q.Stale) == 0 {
				continue
			}
			m.newest.add(now)
			before := false
			for _, old := range q.Stale {
				before = before || text.Holds(old, c.Language.Stop)
			}
			m.stale.add(before && !now)
		}
		for _, cut := range cuts {
			m.others[cut.name] = count(c, cut.text(conv, m.after))
		}
		for name, texts := range others.texts {
			m.others[name] = count(c, texts[i])
		}
		r.by = append(r.by, m)
	}
	return r, nil
}

// count returns the score of text for a conversation's questions.
func count(c *chats.Chat, text string) (s score) {
	t := held.New(text)
	for _, q := range c.Questions {
		s.add(t.Holds(q.Answer, c.Language.Stop))
	}
	return s
}

// measureChats measures conversations, two at a time, each with its own process of Node.
func (o *options) measureChats(list []*chats.Chat) ([]*chatResult, error) {
	free := make(chan *peers, 2)
	for range cap(free) {
		var p *peers
		if o.peers {
			var err error
			if p, err = startPeers(o.root); err != nil {
				return nil, err
			}
		}
		free <- p
	}
	results := make([]*chatResult, len(list))
	err := each(len(list), func(i int) (err error) {
		p := <-free
		results[i], err = measureChat(list[i], p)
		free <- p
		return err
	})
	for range cap(free) {
		if stopped := (<-free).stop(); err == nil {
			err = stopped
		}
	}
	return results, err
}

// better returns the better of two scores: keeping the newest messages, and keeping the head and tail.
func (m *measured) better() float64 {
	return max(m.others["newest messages"].percent(), m.others["head and tail"].percent())
}

// chatTable returns a table with a row for each setting.
func chatTable(results []*chatResult, peers bool) string {
	head := []string{"", "left", "local digest", "× the better of the next two"}
	var names []string
	for _, c := range cuts {
		names = append(names, c.name)
	}
	if peers {
		names = append(names, peerNames...)
	}
	var rows [][]string
	for i, s := range settings {
		sum := &measured{}
		for _, r := range results {
			sum.plus(r.by[i])
		}
		row := []string{s.String(), fmt.Sprintf("%.1f %%", 100*float64(sum.after)/float64(max(1, sum.before))), percent(sum.ours),
			fmt.Sprintf("%.1f", sum.ours.percent()/max(0.1, sum.better()))}
		for _, name := range names {
			row = append(row, percent(sum.others[name]))
		}
		rows = append(rows, row)
	}
	return table(append(head, names...), rows)
}

// changedTable returns a table of how often facts that changed are retained.
func changedTable(results []*chatResult) string {
	var rows [][]string
	for i, s := range settings {
		sum := &measured{}
		for _, r := range results {
			sum.plus(r.by[i])
		}
		rows = append(rows, []string{s.String(), percent(sum.newest), percent(sum.stale)})
	}
	return table([]string{"", "has the newest answer", "has only an older one"}, rows)
}

// languageTable returns a table with a row for each language, in two settings.
func languageTable(results []*chatResult) string {
	shown := []int{1, 4}
	head := []string{"language"}
	for _, i := range shown {
		head = append(head, settings[i].String()+": local digest", "the better of newest, head and tail")
	}
	var rows [][]string
	for at := 0; at < len(results); {
		name, from := results[at].chat.Language.Name, at
		for at < len(results) && results[at].chat.Language.Name == name {
			at++
		}
		row := []string{name}
		for _, i := range shown {
			sum := &measured{}
			for _, r := range results[from:at] {
				sum.plus(r.by[i])
			}
			row = append(row, percent(sum.ours), fmt.Sprintf("%.1f %%", sum.better()))
		}
		rows = append(rows, row)
	}
	return table(head, rows)
}
