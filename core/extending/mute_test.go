package extending_test

import (
	"strconv"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/authorship"
	"github.com/ctxfold/ctxfold/core/internal/handles"
	"github.com/ctxfold/ctxfold/core/internal/passes"
	"github.com/ctxfold/ctxfold/core/internal/report"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/mailru/easyjson/jlexer"
)

// mutePass removes old tool results, and inserts a message with their number at the beginning.
type mutePass struct{ Keep int }

var _ passes.Placer = (*mutePass)(nil)

// muted is the message that it writes.
var muted = &authorship.Message{Role: transcript.User, Prefix: "[Muted: ", NeedsPlace: true}

func init() {
	passes.Register(passes.Kind{
		Name:     "mute",
		Doc:      "takes old tool results out, and says at the beginning how many.",
		Make:     func() passes.Pass { return new(mutePass) },
		Params:   []passes.Param{{Name: "keep", Default: "1", Doc: "keep is how many of the newest tool results stay."}},
		Markers:  []handles.Marking{{Text: "[Muted]"}},
		Messages: []*authorship.Message{muted},
		Counts:   []report.Counter{{Name: "muted", Text: "tool results that were muted"}},
	})
}

func (p *mutePass) Check() string {
	if p.Keep < 0 {
		return "keep must not be negative"
	}
	return ""
}

func (p *mutePass) InsertPlace() (of authorship.Origin, last int) { return muted.Origin, 0 }

func (p *mutePass) Run(c passes.Run) {
	n := passes.TakeOut(c, p.Keep, "mute", "[Muted]")
	if n == 0 {
		return
	}
	c.Report().AddToCounter("muted", n)
	doc := c.Doc()
	doc.Insert(0, doc.F.Message(nil, transcript.User, muted.Prefix+strconv.Itoa(n)+" results]"))
	c.Report().AddAction(api.Action{Action: api.ActionInsert, Pass: "mute", Message: -1, Tokens: -doc.Items[0].Tokens})
}

func (p *mutePass) UnmarshalEasyJSON(l *jlexer.Lexer) {
	for l.Delim('{'); !l.IsDelim('}'); l.WantComma() {
		key := l.String()
		switch l.WantColon(); key {
		case "pass":
			l.Skip()
		case "keep":
			p.Keep = l.Int()
		default:
			l.AddError(&jlexer.LexerError{Offset: l.GetPos(), Reason: "unknown field", Data: key})
		}
	}
	l.Delim('}')
}
