package passes

import (
	"strconv"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/handles"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// CollapsePass replaces each older assistant message and the tool results after it with one line. What the user said stays (S0.17 to
// S0.23).
//
//easyjson:json
type CollapsePass struct {
	Pass       string `json:"pass"`
	KeepRecent int    `json:"keep_recent"`
	MaxText    int    `json:"max_text"`
}

func init() {
	Register(Kind{
		Name: "collapse",
		Doc:  "replaces each older assistant message and its tool results with one line. User messages stay.",
		Make: func() Pass { return new(CollapsePass) },
		Params: []Param{
			{"keep_recent", "10", "keep_recent is how many of the newest messages stay as they are."},
			{"max_text", "200", "max_text is how long an assistant text may be to appear in the line, in bytes; longer texts are left out."},
		},
		Messages: []*view.Message{{Origin: view.OfLine, Prefix: digest.LineMarker, Is: func(c *view.Run, m int32) bool { return digest.IsLine(c.T, int(m)) },
			Told: true, Unnamed: true, Placed: true, Lists: true}},
		Counts: []view.Counter{folded},
	})
}

func (p *CollapsePass) Check() string {
	if p.KeepRecent < 0 || p.KeepRecent > 1<<30 {
		return "keep_recent must be from 0 to 1,073,741,824 messages"
	}
	if p.MaxText < 0 || p.MaxText > 1<<30 {
		return "max_text must be from 0 to 1,073,741,824 bytes"
	}
	return ""
}

func (p *CollapsePass) Follows() bool { return false }

// Place says that lines may be anywhere.
func (p *CollapsePass) Place() (of view.Origin, last int) { return view.OfLine, Anywhere }

func (p *CollapsePass) Run(c *Run) {
	boundary := len(c.Items) - p.KeepRecent
	if boundary <= 0 {
		return
	}
	items, part := make([]view.Item, 0, len(c.Items)), len(c.T.Parts)
	end := 0
	for _, u := range c.groupUnits(boundary) {
		end = u.end
		old := c.Items[u.from:u.end]
		if u.keep {
			items = append(items, old...)
			continue
		}
		var body *handles.Taken
		if c.Keeps() {
			body = c.FoldBody(c.FoldElements(u.from, u.end, func(i int) bool { return i >= u.from }, false), c.Tokens(u.from, u.end))
		}
		marker := handles.WithHandle(digest.LineMarker, body.HandleOrNone())
		line := c.Compose(c.LineMessage(c.Line(u.from, u.end, marker, c.Short(p.MaxText)), u.from, u.end))
		if line.Tokens >= c.Tokens(u.from, u.end) {
			items = append(items, old...)
			continue
		}
		c.KeepFold(body, &line, old...)
		items = append(items, line)
		c.Act(api.Action{Action: api.ActionInsert, Pass: "collapse", Message: -1, Tokens: -line.Tokens})
		c.Collapsed(old)
	}
	if len(items) == end && c.T.Input == len(c.T.Messages) {
		return
	}
	c.SetItems(append(items, c.Items[end:]...), part)
}

// Collapsed reports items that were removed.
func (c *Run) Collapsed(old []view.Item) {
	for _, it := range old {
		c.Act(api.Action{Action: api.ActionFold, Pass: "collapse", Message: int(it.In), Tokens: it.Tokens})
	}
	c.Report.Folded += len(old)
}

// unit is a run of items that stays as it is or is replaced with a line.
type unit struct {
	from, end int
	keep      bool
}

// groupUnits divides the items before boundary into groups. A group that crosses the boundary stays, and so does one that contains anything
// besides what an assistant says and does.
func (c *Run) groupUnits(boundary int) []unit {
	held, groups := c.Held()
	var units []unit
	for i := 0; i < boundary; {
		u := unit{from: i, end: i}
		for u.end < len(c.Items) && groups[u.end] == groups[i] {
			m := c.Items[u.end].Msg
			role := c.T.Messages[m].Role
			answers := role == transcript.Tool || role == transcript.User && c.T.Messages[m].Variant == transcript.Plain && !c.T.HasUserText(int(m))
			u.keep = u.keep || held[u.end] || role != transcript.Assistant && !answers || role == transcript.Assistant && c.T.HasUserText(int(m))
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

// Short returns a function that reports whether a text fits into the line of a turn: it is not blank, and has at most max bytes.
func (c *Run) Short(max int) func(p *transcript.Part) bool {
	return func(p *transcript.Part) bool { return int(p.Size.Bytes) <= max && !c.T.Blank(p.Body) }
}

// Line returns the line that replaces the assistant's messages among the items [from, end), including those of their texts that short
// accepts (S0.18 to S0.20).
func (c *Run) Line(from, end int, marker string, short func(p *transcript.Part) bool) string {
	line, texts, calls := []byte(marker+" "), 0, 0
	for i := from; i < end; i++ {
		m := c.Items[i].Msg
		msg := &c.T.Messages[m]
		if msg.Role != transcript.Assistant {
			continue
		}
		for n := msg.First; n < msg.First+msg.Count; n++ {
			switch p := &c.T.Parts[n]; {
			case p.Has(transcript.Removed):
			case p.Kind == transcript.ToolCall:
				calls++
			case p.Kind == transcript.Text && p.Parent < 0 && short(p):
				if texts++; texts > 1 {
					line = append(line, ' ')
				}
				line = c.T.AppendText(line, p.Body)
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

// LineMessage returns the line of the items [from, end) as a message, with the time of what it replaces (S0.25).
func (c *Run) LineMessage(line string, from, end int) []byte {
	var stamp transcript.Span
	for i := from; i < end && stamp.Zero(); i++ {
		if msg := &c.T.Messages[c.Items[i].Msg]; msg.Meta > 0 && msg.Role == transcript.Assistant {
			stamp = c.T.Metas[msg.Meta-1].Stamp
		}
	}
	var text []byte
	if c.F.Instead != nil {
		text = c.F.Instead(nil, transcript.User, line, c.T.Bytes(c.T.Messages[c.Items[from].Msg].Span))
	} else {
		text = c.F.Message(nil, transcript.User, line)
	}
	if !stamp.Zero() { // only the native format has it
		text = append(append(append(text[:len(text)-1], `,"timestamp":`...), c.T.Bytes(stamp)...), '}')
	}
	return text
}
