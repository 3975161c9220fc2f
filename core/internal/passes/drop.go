package passes

import (
	"strconv"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/handles"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// DropPass removes the middle of the transcript; the first and the newest messages stay. If that isn't enough, or if there is no middle, it
// continues as fit does (S0.26 to S0.28).
//
//easyjson:json
type DropPass struct {
	Pass       string `json:"pass"`
	KeepFirst  int    `json:"keep_first"`
	KeepRecent int    `json:"keep_recent"`
}

// FitPass keeps the newest messages that fit into the target, and drops everything before them (S0.29).
//
//easyjson:json
type FitPass struct {
	Pass string `json:"pass"`
}

func init() {
	Register(Kind{
		Name: "drop",
		Doc:  "removes the middle of the transcript: the first and the newest messages stay. If that is not enough, or if there is no middle, it continues as fit does.",
		Make: func() Pass { return new(DropPass) },
		Params: []Param{
			{"keep_first", "2", "keep_first and keep_recent are how many messages stay at the front and at the end."},
			{"keep_recent", "10", ""},
		},
		Messages: []*view.Message{count},
		Counts:   []view.Counter{dropped},
	})
	Register(Kind{
		Name:     "fit",
		Doc:      "keeps the newest messages that fit in the target, and drops the first that does not and everything before it.",
		Make:     func() Pass { return new(FitPass) },
		Messages: []*view.Message{count},
		Counts:   []view.Counter{dropped},
	})
}

func (p *DropPass) Check() string {
	if p.KeepFirst < 0 || p.KeepFirst > 1<<30 {
		return "keep_first must be from 0 to 1,073,741,824 messages"
	}
	if p.KeepRecent < 0 || p.KeepRecent > 1<<30 {
		return "keep_recent must be from 0 to 1,073,741,824 messages"
	}
	return ""
}

func (p *FitPass) Check() string { return "" }

func (p *DropPass) Follows() bool { return false }

func (p *FitPass) Follows() bool { return false }

// Place says where the message that counts dropped messages is: after the first messages.
func (p *DropPass) Place() (of view.Origin, last int) { return view.OfCount, p.KeepFirst }

func (p *FitPass) Place() (of view.Origin, last int) { return view.OfCount, 0 }

// count is the message that says how many messages were dropped.
var count = &view.Message{Origin: view.OfCount, Prefix: view.DroppedPrefix, Placed: true, Lists: true,
	Is: func(c *view.Run, m int32) bool { return c.DroppedBefore(m) > 0 }}

func (p *DropPass) Run(c *Run) {
	n := len(c.Items)
	first, recent := min(p.KeepFirst, n), max(0, n-p.KeepRecent)
	if first < recent {
		held, groups := c.Held()
		for first < n && first > 0 && groups[first] == groups[first-1] {
			first++
		}
		for recent > 0 && recent < n && groups[recent] == groups[recent-1] {
			recent--
		}
		c.drop("drop", DroppedToFit, func(i int) bool { return i >= first && i < recent && !held[i] })
		if c.Total <= c.Target {
			return
		}
	}
	c.fit("drop")
}

func (p *FitPass) Run(c *Run) { c.fit("fit") }

// DroppedToFit is the reason in a drop marker.
const DroppedToFit = " to fit context window"

// fit keeps the newest messages that fit in the target.
func (c *Run) fit(pass api.Doer) {
	from := len(c.Items)
	room := c.Target
	if c.Target == 0 { // the window is unknown, so nothing can be fitted to it
		return
	}
	held, groups := c.Held()
	room -= c.Total - c.Tokens(0, len(c.Items)) + c.droppedTokens()
	if all := c.droppedLedger(func(i int) bool { return !held[i] }); len(all.Standing) > 0 {
		room -= c.P.Text(c.standingIn(&all, c.standingShare(), c.chats()))
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

// drop removes the items for which gone returns true, and puts a message with their count where the first of them was. It does nothing if
// that gains nothing. It continues the count of an earlier such message.
func (c *Run) drop(pass api.Doer, why string, gone func(i int) bool) {
	at, gain, count := -1, 0, 0
	var out []view.Item
	for i, it := range c.Items {
		if !gone(i) {
			continue
		}
		if at < 0 && !c.CameAlong(&it) { // nothing may be between a digest and its companion messages
			at = i
		}
		out = append(out, it)
		gain += it.Tokens
		count++
		if c.OwnKind(it.Msg) == view.OfCount {
			count += c.DroppedBefore(it.Msg) - 1
		}
	}
	if len(out) == 0 {
		return
	}
	if at < 0 { // nothing of the conversation
		c.Remove(gone)
		return
	}
	var body *handles.Taken
	if c.Keeps() {
		body = c.FoldBody(c.FoldElements(at, len(c.Items), gone, false), gain)
	}
	part := len(c.T.Parts)
	text := handles.WithHandle(view.DroppedPrefix+strconv.Itoa(count)+" messages removed"+why+"]", body.HandleOrNone())
	ledger := c.droppedLedger(gone)
	room := max(c.standingShare(), c.Target-(c.Total-gain)-c.P.NewMessage(transcript.User, text))
	text = digest.WithStanding(text, c.standingIn(&ledger, min(room, gain/2), c.chats()))
	marker := c.Compose(c.NewMessage(at, transcript.User, text))
	if marker.Tokens >= gain {
		return
	}
	c.KeepFold(body, &marker, out...)
	*c.Ledger() = ledger
	c.PutMarker(pass, marker, at, part, gone)
}

// PutMarker removes the items for which gone returns true, and puts a message of ours, whose parts begin at part, at a place.
func (c *Run) PutMarker(pass api.Doer, marker view.Item, at, part int, gone func(i int) bool) {
	items := make([]view.Item, 0, len(c.Items)+1)
	for i, it := range c.Items {
		if i == at {
			items = append(items, marker)
		}
		if !gone(i) {
			items = append(items, it)
			continue
		}
		c.Report.Dropped++
		c.Act(api.Action{Action: api.ActionDrop, Pass: pass, Message: int(it.In), Tokens: it.Tokens})
	}
	c.SetItems(items, part)
	c.Act(api.Action{Action: api.ActionInsert, Pass: pass, Message: -1, Tokens: -marker.Tokens})
}

// droppedLedger returns a ledger with the user's standing instructions from the items for which gone returns true.
func (c *Run) droppedLedger(gone func(i int) bool) digest.Ledger {
	ledger := c.Ledger().Clone()
	if c.Policy.StandingShare() == 0 {
		return ledger
	}
	var talk []int32
	for i, it := range c.Items {
		if !gone(i) {
			continue
		}
		switch c.OwnKind(it.Msg) {
		case view.NotOurs:
			talk = append(talk, it.Msg)
		case view.OfCount, view.OfDigest: // in case the host has lost the state
			ledger.ReadStanding(c.T.Text(c.T.FirstText(int(it.Msg))))
		}
	}
	ledger.AddStanding(c.T, talk)
	return ledger
}

// droppedTokens returns the size of the message that counts dropped messages, in tokens.
func (c *Run) droppedTokens() int {
	text := view.DroppedPrefix + strconv.Itoa(len(c.T.Messages)) + " messages removed]"
	if c.Keeps() {
		text = handles.WithHandle(text, handles.Zeros)
	}
	return c.P.NewMessage(transcript.User, text)
}
