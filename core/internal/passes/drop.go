package passes

import (
	"cmp"
	"strconv"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/authorship"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/handles"
	"github.com/ctxfold/ctxfold/core/internal/report"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// DropPass removes the middle of the transcript, and keeps the first and the newest messages. If that isn't enough, or
// if there is no middle, it continues in the same way as FitPass (S0.26 to S0.28). Its fields are the parameters that
// its Kind describes.
//
//easyjson:json
type DropPass struct {
	Pass       string `json:"pass"`        // the pass's name
	KeepFirst  int    `json:"keep_first"`  // number of messages that stay at the beginning
	KeepRecent int    `json:"keep_recent"` // number of messages that stay at the end
}

// FitPass keeps the newest messages that fit into the target, and drops all earlier messages (S0.29).
//
//easyjson:json
type FitPass struct {
	Pass string `json:"pass"` // the pass's name
}

func init() {
	Register(Kind{
		Name: "drop",
		Doc:  "removes the middle of the transcript: the first and the newest messages stay. If that is not enough, or if there is no middle, it continues as fit does.",
		Make: func() Pass { return new(DropPass) },
		Params: []Param{
			{"keep_first", "2", "keep_first and keep_recent are the numbers of messages that stay at the beginning and at the end."},
			{"keep_recent", "10", ""},
		},
		Messages: []*authorship.Message{count},
		Counts:   []report.Counter{dropped},
	})
	Register(Kind{
		Name:     "fit",
		Doc:      "keeps the newest messages that fit in the target, and drops everything before them.",
		Make:     func() Pass { return new(FitPass) },
		Messages: []*authorship.Message{count},
		Counts:   []report.Counter{dropped},
	})
}

// Check reports numbers out of range; it returns "" if there are none.
func (p *DropPass) Check() string {
	return cmp.Or(countRange("keep_first", p.KeepFirst, "messages"),
		countRange("keep_recent", p.KeepRecent, "messages"))
}

// Check returns "", because the pass has no parameters.
func (p *FitPass) Check() string { return "" }

// InsertPlace returns the position, after the first messages, of the message that says how many were dropped. It is the
// number of these messages.
func (p *DropPass) InsertPlace() (of authorship.Origin, last int) {
	return authorship.OfCount, p.KeepFirst
}

// InsertPlace returns 0, because the message that says how many were dropped is the first one.
func (p *FitPass) InsertPlace() (of authorship.Origin, last int) { return authorship.OfCount, 0 }

// count describes the message that says how many messages were dropped.
var count = &authorship.Message{Origin: authorship.OfCount, Prefix: authorship.DroppedPrefix, NeedsPlace: true, Lists: true,
	Is: func(t *transcript.Transcript, m int32) bool { return authorship.DroppedBefore(t, m) > 0 }}

// Run removes the middle of the view in whole groups, except what must stay. If the rest is still over the target, it
// continues as [FitPass] does.
func (p *DropPass) Run(c Run) {
	doc := c.Doc()
	n := len(doc.Items)
	first, recent := min(p.KeepFirst, n), max(0, n-p.KeepRecent)
	if first < recent {
		stays, groups := c.Keep().StayingItems()
		for first < n && first > 0 && groups[first] == groups[first-1] {
			first++
		}
		for recent > 0 && recent < n && groups[recent] == groups[recent-1] {
			recent--
		}
		drop(c, "drop", DroppedToFit, func(i int) bool { return i >= first && i < recent && !stays[i] })
		if doc.Total <= c.Target() {
			return
		}
	}
	fit(c, "drop")
}

// Run drops the oldest messages until the rest fits into the target; it does nothing if there is no target.
func (p *FitPass) Run(c Run) { fit(c, "fit") }

// DroppedToFit is the reason given in the marker for dropped messages.
const DroppedToFit = " to fit context window"

// fit drops the oldest messages that need not stay until the rest fits into the target. Without a window it drops none.
func fit(c Run, pass api.Doer) {
	doc := c.Doc()
	from := len(doc.Items)
	room := c.Target()
	if c.Target() == 0 { // without a window it is unknown what fits
		return
	}
	stays, groups := c.Keep().StayingItems()
	room -= doc.Total - doc.Tokens(0, len(doc.Items)) + droppedTokens(c)
	if all := droppedLedger(c, func(i int) bool { return !stays[i] }); len(all.Standing) > 0 {
		room -= doc.P.Text(c.Summary().StandingIn(&all, c.Summary().StandingShare(), c.Summary().HasNoToolCalls()))
	}
	for i, it := range doc.Items {
		if stays[i] {
			room -= it.Tokens
		}
	}
	for from > 0 {
		start, size := from, 0
		for start > 0 && (start == from || groups[start-1] == groups[from-1]) {
			if start--; !stays[start] {
				size += doc.Items[start].Tokens
			}
		}
		if size > room {
			break
		}
		room -= size
		from = start
	}
	drop(c, pass, "", func(i int) bool { return i < from && !stays[i] })
}

// drop removes the items for which gone returns true, and inserts a message in place of the first. The message says how
// many were removed, including those counted in an earlier such message, and why; it also lists the user's standing
// instructions from them. drop does nothing if that would save nothing.
func drop(c Run, pass api.Doer, why string, gone func(i int) bool) {
	doc := c.Doc()
	at, gain, count := -1, 0, 0
	var out []view.Item
	for i, it := range doc.Items {
		if !gone(i) {
			continue
		}
		if at < 0 && !c.Archive().CameAlong(&it) { // nothing may be inserted between a digest and its companions
			at = i
		}
		out = append(out, it)
		gain += it.Tokens
		count++
		if c.Authors().Origin(it.Msg) == authorship.OfCount {
			count += authorship.DroppedBefore(c.Doc().T, it.Msg) - 1
		}
	}
	if len(out) == 0 {
		return
	}
	if at < 0 { // no message of the conversation was removed
		doc.Remove(gone)
		return
	}
	var body *handles.Taken
	if c.Archive().Keeps() {
		body = c.Archive().FoldBody(c.Archive().FoldElements(at, len(doc.Items), gone, false), gain)
	}
	part := len(doc.T.Parts)
	text := handles.WithHandle(authorship.DroppedPrefix+strconv.Itoa(count)+" messages removed"+why+"]",
		body.HandleOrNone())
	ledger := droppedLedger(c, gone)
	room := max(c.Summary().StandingShare(), c.Target()-(doc.Total-gain)-doc.P.NewMessage(transcript.User, text))
	text = digest.WithStanding(text, c.Summary().StandingIn(&ledger, min(room, gain/2), c.Summary().HasNoToolCalls()))
	marker := doc.NewItem(doc.NewMessage(at, transcript.User, text))
	if marker.Tokens >= gain {
		return
	}
	c.Archive().KeepFold(body, &marker, out...)
	*c.Ledger() = ledger
	PutMarker(c, pass, marker, at, part, gone)
}

// PutMarker removes the items for which gone returns true. It inserts marker before the item at index at. marker is a
// new message whose parts begin at index part.
func PutMarker(c Run, pass api.Doer, marker view.Item, at, part int, gone func(i int) bool) {
	doc := c.Doc()
	items := make([]view.Item, 0, len(doc.Items)+1)
	for i, it := range doc.Items {
		if i == at {
			items = append(items, marker)
		}
		if !gone(i) {
			items = append(items, it)
			continue
		}
		c.Report().Dropped++
		c.Report().AddAction(api.Action{Action: api.ActionDrop, Pass: pass, Message: int(it.In), Tokens: it.Tokens})
	}
	doc.SetItems(items, part)
	c.Report().AddAction(api.Action{Action: api.ActionInsert, Pass: pass, Message: -1, Tokens: -marker.Tokens})
}

// droppedLedger returns a copy of the ledger that also includes the user's standing instructions in the items for which
// gone returns true.
func droppedLedger(c Run, gone func(i int) bool) digest.Ledger {
	doc := c.Doc()
	ledger := c.Ledger().Clone()
	if c.Policy().StandingShare() == 0 {
		return ledger
	}
	var talk []int32
	for i, it := range doc.Items {
		if !gone(i) {
			continue
		}
		switch c.Authors().Origin(it.Msg) {
		case authorship.NotOurs:
			talk = append(talk, it.Msg)
		case authorship.OfCount, authorship.OfDigest: // these come from a host that has lost the state
			ledger.ReadStanding(doc.T.Text(doc.T.FirstText(int(it.Msg))))
		}
	}
	ledger.AddStanding(doc.T, talk)
	return ledger
}

// droppedTokens returns the size in tokens of the message that says how many messages were dropped.
func droppedTokens(c Run) int {
	doc := c.Doc()
	text := authorship.DroppedPrefix + strconv.Itoa(len(doc.T.Messages)) + " messages removed]"
	if c.Archive().Keeps() {
		text = handles.WithHandle(text, handles.Zeros)
	}
	return doc.P.NewMessage(transcript.User, text)
}
