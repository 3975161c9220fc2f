package compact

import (
	"strconv"
	"strings"

	"github.com/ctxfold/ctxfold/core/digest"
	"github.com/ctxfold/ctxfold/core/transcript"
)

// droppedPrefix begins the message that counts what was dropped (S0.27, S0.29).
const droppedPrefix = "[Context compacted: "

// dropPass takes the middle of the transcript out: the first messages and the newest stay. Where that is not enough, or
// where there is no middle, it goes on as fit does (S0.26 to S0.28).
//
//easyjson:json
type dropPass struct {
	Pass string `json:"pass"`
	// KeepFirst and KeepRecent are how many messages stay at the front and at the end.
	KeepFirst  int `json:"keep_first"`
	KeepRecent int `json:"keep_recent"`
}

// fitPass keeps the newest messages that fit in the target, and drops all before the first that does not (S0.29).
//
//easyjson:json
type fitPass struct {
	Pass string `json:"pass"`
}

func init() {
	register("drop", func() pass { return &dropPass{KeepFirst: 2, KeepRecent: 10} })
	register("fit", func() pass { return &fitPass{} })
}

func (p *dropPass) check() string {
	if p.KeepFirst < 0 || p.KeepFirst > 1<<30 {
		return "keep_first must be from 0 to 1,073,741,824 messages"
	}
	if p.KeepRecent < 0 || p.KeepRecent > 1<<30 {
		return "keep_recent must be from 0 to 1,073,741,824 messages"
	}
	return ""
}

func (p *fitPass) check() string { return "" }

func (p *dropPass) follows() bool { return false }

func (p *fitPass) follows() bool { return false }

func (p *dropPass) run(c *Run) {
	n := len(c.Items)
	first, recent := min(p.KeepFirst, n), max(0, n-p.KeepRecent)
	if first < recent {
		if c.Policy.Safe() {
			held, groups := c.held()
			for first < n && first > 0 && groups[first] == groups[first-1] {
				first++
			}
			for recent > 0 && recent < n && groups[recent] == groups[recent-1] {
				recent--
			}
			c.drop("drop", " to fit context window", func(i int) bool { return i >= first && i < recent && !held[i] })
		} else {
			c.drop("drop", " to fit context window", func(i int) bool { return i >= first && i < recent })
		}
		if c.Total <= c.Target {
			return
		}
	}
	c.fit("drop")
}

func (p *fitPass) run(c *Run) { c.fit("fit") }

// fit keeps the newest messages that fit in the target. Without wire_safe nothing else counts: neither what the messages
// are nor what the marker takes (S0.29 to S0.31).
func (c *Run) fit(pass string) {
	from := len(c.Items)
	room := c.Target
	if !c.Policy.Safe() {
		for from > 0 && c.Items[from-1].Tokens <= room {
			from--
			room -= c.Items[from].Tokens
		}
		c.drop(pass, "", func(i int) bool { return i < from })
		return
	}
	if c.Target == 0 { // the window is unknown, and so is what fits
		return
	}
	held, groups := c.held()
	room -= c.Total - c.Tokens(0, len(c.Items)) + c.droppedTokens()
	if all := c.droppedLedger(func(i int) bool { return !held[i] }); len(all.Standing) > 0 {
		room -= c.P.Text(c.standingIn(&all, c.standingShare()))
	}
	for i, it := range c.Items {
		if held[i] {
			room -= it.Tokens
		}
	}
	for from > 0 {
		start, size := from, 0
		for start > 0 && (start == from || groups[start-1] == groups[from-1]) {
			if start--; !held[start] {
				size += c.Items[start].Tokens
			}
		}
		if size > room {
			break
		}
		room -= size
		from = start
	}
	c.drop(pass, "", func(i int) bool { return i < from && !held[i] })
}

// drop takes the items out for which gone is true, and puts a message that counts them where the first of them was. With
// wire_safe it does so only where something is gained, and what an earlier message of the kind counted counts on.
func (c *Run) drop(pass, why string, gone func(i int) bool) {
	first, at, gain, count := -1, -1, 0, 0
	var out []Item
	for i, it := range c.Items {
		if !gone(i) {
			continue
		}
		if first < 0 {
			first = i
		}
		if at < 0 && !c.cameAlong(&it) { // between a digest and what came with it nothing may stand
			at = i
		}
		out = append(out, it)
		gain += it.Tokens
		count++
		if c.Policy.Safe() && c.ownKind(it.Msg) == ofCount {
			count += c.droppedBefore(it.Msg) - 1
		}
	}
	if len(out) == 0 {
		return
	}
	switch {
	case !c.Policy.Safe():
		at = first
	case at < 0: // nothing of the conversation
		c.Remove(gone)
		return
	}
	var body *taken
	if c.keeps() {
		body = c.foldBody(c.foldElements(at, len(c.Items), gone, false), gain)
	}
	part := len(c.T.Parts)
	text := withHandle(droppedPrefix+strconv.Itoa(count)+" messages removed"+why+"]", body.handle())
	ledger := c.State.Ledger
	if c.Policy.Safe() {
		ledger = c.droppedLedger(gone)
		room := max(c.standingShare(), c.Target-(c.Total-gain)-c.P.NewMessage(transcript.User, text))
		text = digest.WithStanding(text, c.standingIn(&ledger, min(room, gain/2)))
	}
	marker := c.compose(c.F.Message(nil, transcript.User, text))
	if c.Policy.Safe() && marker.Tokens >= gain {
		return
	}
	c.keepFold(body, &marker, out...)
	items := make([]Item, 0, len(c.Items)-len(out)+1)
	for i, it := range c.Items {
		if i == at {
			items = append(items, marker)
		}
		if !gone(i) {
			items = append(items, it)
			continue
		}
		c.act(Action{Action: "drop", Pass: pass, Message: int(it.In), Tokens: it.Tokens})
	}
	c.Report.Dropped += len(out)
	c.State.Ledger = ledger
	c.setItems(items, part)
	c.act(Action{Action: "insert", Pass: pass, Message: -1, Tokens: -marker.Tokens})
}

// droppedLedger is the ledger with what the user said about how to work in the items for which gone is true.
func (c *Run) droppedLedger(gone func(i int) bool) digest.Ledger {
	ledger := c.State.Ledger.Clone()
	if c.Policy.StandingShare() == 0 {
		return ledger
	}
	var talk []int32
	for i, it := range c.Items {
		if !gone(i) {
			continue
		}
		switch c.ownKind(it.Msg) {
		case notOurs:
			talk = append(talk, it.Msg)
		case ofCount, ofDigest: // of a host that has lost the state
			ledger.ReadStanding(c.T.Text(c.T.FirstText(int(it.Msg))))
		}
	}
	ledger.AddStanding(c.T, talk)
	return ledger
}

// droppedTokens is what the message takes that counts what was dropped.
func (c *Run) droppedTokens() int {
	text := droppedPrefix + strconv.Itoa(len(c.T.Messages)) + " messages removed]"
	if c.keeps() {
		text = withHandle(text, zeros)
	}
	return c.P.NewMessage(transcript.User, text)
}

// droppedBefore is how many messages an earlier compaction dropped, as its message says; 0 if this is no such message.
func (c *Run) droppedBefore(m int32) int {
	if c.T.Messages[m].Role != transcript.User || !c.T.StartsWith(int(m), droppedPrefix) {
		return 0
	}
	digits, rest, _ := strings.Cut(c.T.Text(c.T.FirstText(int(m)))[len(droppedPrefix):], " ")
	n, err := strconv.Atoi(digits)
	if err != nil || n < 1 || n > 1<<30 || !strings.HasPrefix(rest, "messages removed") || !isCount(rest) {
		return 0
	}
	return n
}
