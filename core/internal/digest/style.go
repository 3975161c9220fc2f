package digest

import (
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// Style is how a system asks for its summaries and how it writes them down: how messages are rendered, what the prompt says,
// and whose message the digest is. Everything else (what fits into a request, what is an answer, what is asked again) is
// the same for all.
type Style struct {
	Name string // as in a policy, summary.style
	// Role is the digest message's. Formats that keep the system's messages apart get a user message for it.
	Role   transcript.Role
	Header string // what the digest message begins with
	System string // the system text of a request
	// Split tells that a turn that is cut is summarised apart from what was before it.
	Split bool
	// Temperature and MaxOutput are what the system asks its model with; 0 is nothing.
	Temperature float64
	MaxOutput   int // tokens
	// Record renders messages for the prompt. Between is between those of two messages.
	Record  func(t *transcript.Transcript, messages []int32, o RecordOptions) string
	Between string
	// Prompt is the user text of a request.
	Prompt func(p *Prompt) string
	// TurnPrefix is added to what is asked for of the beginning of a turn that is cut.
	TurnPrefix string
	// Own tells that the digest messages are ctxfold's own, those of a policy without a style.
	Own bool
	// Numbered tells that the header's line tells the round, that the model is asked for the header too, and that a later digest ends
	// with a line about the earlier ones (S2.18, S2.30). In other styles the round has a line of its own.
	Numbered bool
	// Fitted tells that results are clipped so that the record takes all the room it has; other styles have limits of their own.
	Fitted bool
}

// RecordOptions say how messages are rendered.
type RecordOptions struct {
	Clip        int  // how long tool results and arguments may be, in the units of the style; 0 is the style's own limit
	Thoughtless bool // without the agent's reasoning
	First       int  // what the first of the messages is numbered with, by styles that number them
}

// limit is how much of a text may be shown where the style's own limit is most.
func (o RecordOptions) limit(most int) int {
	if o.Clip > 0 {
		return min(o.Clip, most)
	}
	return most
}

// text is a text of the conversation as it may be in a record: it cannot begin a piece of its own.
func (o RecordOptions) text(text string) string {
	return guardLabels(Fence(text))
}

// name is a name where a label of the record has it.
func (o RecordOptions) name(name string) string {
	return Fence(clipLine(name, maxCommand))
}

var styles = []*Style{turnTail, checkpoint, windowBudget, agentLoop}

// StyleByName returns the style with a name, ctxfold's own for "", or nil.
func StyleByName(name string) *Style {
	for _, s := range append(styles[:len(styles):len(styles)], own) {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// NoStyle says that there is no style of a name, and which there are.
func NoStyle(name string) string {
	names := make([]string, len(styles))
	for i, s := range styles {
		names[i] = s.Name
	}
	return "there is no style \"" + name + "\"; there are: " + strings.Join(names, ", ")
}

// roundMark precedes the number of compactions in a digest message, so that a host that lost the state gets it back.
const roundMark = "Compaction Round "

// Write is the text of a digest message of ours in a style. A branch has the same in all styles.
func (s *Style) Write(body string, scope api.Scope, round int) string {
	if scope == api.ScopeBranch {
		return BranchHeader + "\n" + untrusted + "\n\n" + body
	}
	return s.Header + s.rounds(round) + "\n" + untrusted + "\n\n" + s.footer(s.strip(body), round)
}

// rounds is what follows the header in its line.
func (s *Style) rounds(round int) string {
	if s.Numbered {
		return " (" + roundMark + itoa(round) + ")"
	}
	return "\n" + roundMark + itoa(round) + "."
}

// Read takes the text of a digest message apart: the body, without what code wrote round it, and the round. It is false
// where the text is none of the style's.
func (s *Style) Read(text string) (body string, round int, ok bool) {
	rest, ok := strings.CutPrefix(text, s.Header)
	if !ok {
		return "", 0, false
	}
	head, body, ok := strings.Cut(rest, "\n"+untrusted+"\n\n")
	at := strings.Index(head, roundMark)
	if !ok || at < 0 || len(head) > 160 {
		return "", 0, false
	}
	for _, c := range []byte(head[at+len(roundMark):]) {
		if c < '0' || c > '9' || round > 1e8 {
			break
		}
		round = round*10 + int(c-'0')
	}
	return strings.Replace(body, s.footer("", round), "", 1), round, true
}

// footer adds the last line that a summary of a later round has (S2.30).
func (s *Style) footer(body string, round int) string {
	if !s.Numbered || round < 2 {
		return body
	}
	return body + "\n\nThis summary incorporates context from " + itoa(round-1) + " previous compaction rounds."
}

// strip takes the heading off that the model was asked for: ours is there already (S2.18).
func (s *Style) strip(body string) string {
	line, rest, _ := strings.Cut(body, "\n")
	if s.Numbered && strings.HasPrefix(strings.TrimLeft(line, "#"), strings.TrimLeft(s.Header, "#")) {
		return strings.TrimSpace(rest)
	}
	return body
}

// StyleOf is the style of the digest that message i reads like, in a role that the style has, or in the user's, which a digest
// takes where the style's would not be valid; nil where it is like none.
func StyleOf(t *transcript.Transcript, i int) *Style {
	role := t.Messages[i].Role
	if role == transcript.User && t.StartsWith(i, Header) {
		return own
	}
	for _, s := range styles {
		if s.Header != Header && (role == s.Role || role == transcript.User) && t.StartsWith(i, s.Header) {
			if _, _, ok := s.Read(t.Text(t.FirstText(i))); ok {
				return s
			}
			return nil
		}
	}
	return nil
}

// isOurs reports whether a text reads like a digest of ours, or that of a branch, whoever has it. Who pastes one does not ask for what it
// says.
func isOurs(text string) bool {
	if strings.HasPrefix(text, Header) || strings.HasPrefix(text, BranchHeader) {
		return true
	}
	for _, s := range styles {
		if strings.HasPrefix(text, s.Header) {
			if _, _, ok := s.Read(text); ok {
				return true
			}
		}
	}
	return false
}

// ourStarts are the starts of what beginsOurs knows.
var ourStarts = func() starts {
	s := startsOf([]string{BranchHeader, LineMarker, roundMark, untrusted})
	for _, style := range styles {
		s.add(style.Header)
	}
	return s
}()

// beginsOurs reports whether a line is the first one of a message that a compaction has written.
func beginsOurs(line string) bool {
	if !ourStarts.may(line) {
		return false
	}
	for _, s := range styles {
		if strings.HasPrefix(line, s.Header) && (s.Header[0] == '[' || s.Numbered && strings.Contains(line, roundMark)) {
			return true
		}
	}
	begins := func(mark string) bool { return strings.HasPrefix(line, mark) }
	if slices.ContainsFunc([]string{BranchHeader, LineMarker + " ", roundMark, untrusted}, begins) || slices.ContainsFunc(ofPasses, begins) {
		return true
	}
	return false
}

// Ours reports whether message i is a digest message that ctxfold wrote, in whatever style.
func Ours(t *transcript.Transcript, i int) bool {
	if t.StartsWith(i, Header) {
		return true
	}
	for _, s := range styles {
		if t.StartsWith(i, s.Header) {
			_, _, ok := s.Read(t.Text(t.FirstText(i)))
			return ok
		}
	}
	return false
}

// Carried is the digest in the text of a message for which Ours is true, without the lists that code appended to it, which are added
// to l; and the round, 0 where the message does not tell.
func Carried(text string, l *Ledger) (body string, round int) {
	for _, s := range styles {
		if body, round, ok := s.Read(text); ok {
			return Body(body, l), round
		}
	}
	return Body(text, l), 0
}
