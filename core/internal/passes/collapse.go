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

// CollapsePass replaces each older assistant message, together with the tool results that follow it, with one line. The
// user's messages stay (S0.17 to S0.23). Its fields are the parameters that its Kind describes.
//
//easyjson:json
type CollapsePass struct {
	Pass       string `json:"pass"`        // the pass's name
	KeepRecent int    `json:"keep_recent"` // number of newest messages that stay
	MaxText    int    `json:"max_text"`    // maximum length of a text in the line, in bytes
}

func init() {
	Register(Kind{
		Name: "collapse",
		Doc:  "replaces each older assistant message and its tool results with one line. User messages stay.",
		Make: func() Pass { return new(CollapsePass) },
		Params: []Param{
			{"keep_recent", "10", "keep_recent is the number of newest messages that stay as they are."},
			{"max_text", "200", "max_text is the maximum length of an assistant text in the line, in bytes; longer texts are left out."},
		},
		Messages: []*authorship.Message{{Origin: authorship.OfLine, Prefix: digest.LineMarker,
			Is:           func(t *transcript.Transcript, m int32) bool { return digest.IsLine(t, int(m)) },
			Summarizable: true, Unnamed: true, NeedsPlace: true, Lists: true}},
		Counts: []report.Counter{folded},
	})
}

// Check reports numbers out of range; it returns "" if there are none.
func (p *CollapsePass) Check() string {
	return cmp.Or(countRange("keep_recent", p.KeepRecent, "messages"), countRange("max_text", p.MaxText, "bytes"))
}

// InsertPlace returns OfLine and Anywhere, because the lines can be at any position.
func (p *CollapsePass) InsertPlace() (of authorship.Origin, last int) {
	return authorship.OfLine, Anywhere
}

// Run replaces each group before the newest messages with a line, where the line is smaller.
func (p *CollapsePass) Run(c Run) {
	doc := c.Doc()
	boundary := len(doc.Items) - p.KeepRecent
	if boundary <= 0 {
		return
	}
	items, part := make([]view.Item, 0, len(doc.Items)), len(doc.T.Parts)
	end := 0
	for _, u := range groupUnits(c, boundary) {
		end = u.end
		old := doc.Items[u.from:u.end]
		if u.keep {
			items = append(items, old...)
			continue
		}
		var body *handles.Taken
		if c.Archive().Keeps() {
			elements := c.Archive().FoldElements(u.from, u.end, func(i int) bool { return i >= u.from }, false)
			body = c.Archive().FoldBody(elements, doc.Tokens(u.from, u.end))
		}
		marker := handles.WithHandle(digest.LineMarker, body.HandleOrNone())
		line := doc.NewItem(LineMessage(doc, Line(doc, u.from, u.end, marker, Short(doc, p.MaxText)), u.from, u.end))
		if line.Tokens >= doc.Tokens(u.from, u.end) {
			items = append(items, old...)
			continue
		}
		c.Archive().KeepFold(body, &line, old...)
		items = append(items, line)
		c.Report().AddAction(api.Action{Action: api.ActionInsert, Pass: "collapse", Message: -1, Tokens: -line.Tokens})
		ReportCollapsed(c, old)
	}
	if len(items) == end && doc.T.Input == len(doc.T.Messages) {
		return
	}
	doc.SetItems(append(items, doc.Items[end:]...), part)
}

// ReportCollapsed adds actions to the report for the old items that were replaced with lines.
func ReportCollapsed(c Run, old []view.Item) {
	for _, it := range old {
		c.Report().AddAction(api.Action{Action: api.ActionFold, Pass: "collapse", Message: int(it.In),
			Tokens: it.Tokens})
	}
	c.Report().Folded += len(old)
}

// unit is a range of items that either stays unchanged (keep) or is replaced with a line.
type unit struct {
	from, end int  // the items [from, end)
	keep      bool // whether they stay unchanged
}

// groupUnits divides the items before boundary into units, one for each group. A group is a message, or an assistant's
// message with the results of its calls. A group that crosses the boundary is left out. A unit stays unchanged if one
// of its items must stay, or if it contains anything but an assistant's texts, calls and results.
func groupUnits(c Run, boundary int) []unit {
	doc := c.Doc()
	stays, groups := c.Keep().StayingItems()
	var units []unit
	for i := 0; i < boundary; {
		u := unit{from: i, end: i}
		for u.end < len(doc.Items) && groups[u.end] == groups[i] {
			m := doc.Items[u.end].Msg
			role := doc.T.Messages[m].Role
			answers := role == transcript.Tool ||
				role == transcript.User && doc.T.Messages[m].Variant == transcript.Plain && !doc.T.HasUserText(int(m))
			u.keep = u.keep || stays[u.end] || role != transcript.Assistant && !answers ||
				role == transcript.Assistant && doc.T.HasUserText(int(m))
			u.end++
		}
		if u.end > boundary {
			break
		}
		units = append(units, u)
		i = u.end
	}
	return units
}

// Short returns a function that reports whether the text of a part fits into the line of a turn, that is, isn't blank
// and has at most max bytes.
func Short(doc *view.View, max int) func(p *transcript.Part) bool {
	return func(p *transcript.Part) bool { return int(p.Size.Bytes) <= max && !doc.T.IsBlank(p.Body) }
}

// Line returns the line that replaces the assistant's messages in the items [from, end). After marker, it has those
// texts of the messages for which short returns true or, if there are none, the number of tool calls (S0.18 to S0.20).
func Line(doc *view.View, from, end int, marker string, short func(p *transcript.Part) bool) string {
	line, texts, calls := []byte(marker+" "), 0, 0
	for i := from; i < end; i++ {
		m := doc.Items[i].Msg
		msg := &doc.T.Messages[m]
		if msg.Role != transcript.Assistant {
			continue
		}
		for n := msg.First; n < msg.First+msg.Count; n++ {
			switch p := &doc.T.Parts[n]; {
			case p.Has(transcript.Removed):
			case p.Kind == transcript.ToolCall:
				calls++
			case p.Kind == transcript.Text && p.Parent < 0 && short(p):
				if texts++; texts > 1 {
					line = append(line, ' ')
				}
				line = doc.T.AppendText(line, p.Body)
			}
		}
	}
	switch {
	case texts > 0:
	case calls > 0:
		line = append(strconv.AppendInt(append(line, "[Assistant used "...), int64(calls), 10), " tool(s)]"...)
	default:
		line = append(line, "[Assistant response]"...)
	}
	return string(line)
}

// LineMessage returns a message with the line for the items [from, end). It has the timestamp of the first
// assistant message among them that has one (S0.25).
func LineMessage(doc *view.View, line string, from, end int) []byte {
	var stamp transcript.Span
	for i := from; i < end && stamp.IsZero(); i++ {
		if msg := &doc.T.Messages[doc.Items[i].Msg]; msg.Meta > 0 && msg.Role == transcript.Assistant {
			stamp = doc.T.Metas[msg.Meta-1].Stamp
		}
	}
	var text []byte
	if doc.F.Instead != nil {
		text = doc.F.Instead(nil, transcript.User, line, doc.T.Bytes(doc.T.Messages[doc.Items[from].Msg].Span))
	} else {
		text = doc.F.Message(nil, transcript.User, line)
	}
	if !stamp.IsZero() { // only the native format has one
		text = append(append(append(text[:len(text)-1], `,"timestamp":`...), doc.T.Bytes(stamp)...), '}')
	}
	return text
}
