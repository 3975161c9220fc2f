package digest

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/transcript"
)

// Style is how a system asks for its summaries and how it writes them down: how messages are rendered, what the prompt says,
// and whose message the digest is. Everything else (what fits into a request, what is an answer, what is asked again) is
// the same for all.
type Style struct {
	Name string // as in a policy, summary.style
	// Role is the digest message's. Formats that keep the system's messages apart get a message of the user for it.
	Role   transcript.Role
	Header string // what the digest message begins with
	System string // the system text of a request
	// Split tells that a turn that is cut is summarised apart from what was before it.
	Split bool
	// Temperature and MaxOutput are what the system asks its model with; 0 is nothing.
	Temperature float64
	MaxOutput   int // tokens
	// Record renders messages for the prompt; false is a message that cannot be rendered (S2.21). Between stands between
	// those of two messages.
	Record  func(t *transcript.Transcript, messages []int32, o RecordOptions) (string, bool)
	Between string
	// Prompt is the user text of a request.
	Prompt func(p *Prompt) string
	// Ask is what a prompt asks for; TurnPrefix is added for the beginning of a turn that is cut.
	Ask        func(round int, exact bool) string
	TurnPrefix string
	// Message is the text of the digest message as the published system has it.
	Message func(body string) string
	// Task finds the user's first request as the published system does (S2.26).
	Task func(t *transcript.Transcript) string
	// Failure says that a summary failed, as the published system does: which one, and why (S1.17).
	Failure func(split, prefix bool, r Reply) string
	// Empty says that the summary is empty; a style without it takes an empty one. With Blank white space is empty too.
	Empty string
	Blank bool
	// Unseen says that the model is sent none of the messages (S4.37); "" is a style that asks all the same.
	Unseen string
	// Kind is what the application calls the digest message (S4.11); "" is nothing.
	Kind string
	// Own tells that with wire_safe the style is ctxfold's own, the one of a policy without a style.
	Own bool
	// Unchecked tells that the published system folds although what went before has freed enough (S3.46).
	Unchecked bool
	// Thinking is how much the model is to think, in the words of most providers; "" leaves it to the host.
	Thinking string
	// Local is the digest of so many messages where the model has none; a style without one fails then (S3.28).
	Local func(messages int, prior string) string
}

// RecordOptions say how messages are rendered.
type RecordOptions struct {
	Exact       bool // as the published system does, defects included
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

// text is a text of the conversation as it may stand in a record: it cannot begin a piece of its own.
func (o RecordOptions) text(text string) string {
	if o.Exact {
		return text
	}
	return guardLabels(Fence(text))
}

// name is a name where a label of the record has it.
func (o RecordOptions) name(name string) string {
	if o.Exact {
		return name
	}
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
	message := "there is no style \"" + name + "\"; there are: "
	for i, s := range styles {
		if i > 0 {
			message += ", "
		}
		message += s.Name
	}
	return message
}

// roundMark stands before the number of compactions in a digest message, so that a host that lost the state gets it back.
const roundMark = "Compaction Round "

// Write is the text of a digest message of ours in a style. That of a branch is the same in all.
func (s *Style) Write(body, scope string, round int) string {
	if scope == BranchScope {
		return BranchHeader + "\n" + untrusted + "\n\n" + body
	}
	return s.Header + s.rounds(round) + "\n" + untrusted + "\n\n" + s.footer(s.strip(body), round)
}

// rounds is what follows the header in its line.
func (s *Style) rounds(round int) string {
	if s == checkpoint {
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
	if s != checkpoint || round < 2 {
		return body
	}
	return body + "\n\nThis summary incorporates context from " + itoa(round-1) + " previous compaction rounds."
}

// strip takes the heading off that the model was asked for: ours stands there already (S2.18).
func (s *Style) strip(body string) string {
	line, rest, _ := strings.Cut(body, "\n")
	if s == checkpoint && strings.HasPrefix(strings.TrimLeft(line, "#"), " Session Summary") {
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

// isOurs tells whether a text reads like a digest of ours, or that of a branch, whoever has it. Who pastes one does not ask for
// what it says.
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

// beginsOurs tells whether a line is the first one of a message that a compaction has written.
func beginsOurs(line string) bool {
	for _, s := range styles {
		if strings.HasPrefix(line, s.Header) && s.Header[0] == '[' {
			return true
		}
	}
	for _, mark := range []string{BranchHeader, LineMarker + " ", "[Restored file after compaction]", "[Context compacted: ", roundMark, untrusted} {
		if strings.HasPrefix(line, mark) {
			return true
		}
	}
	return strings.HasPrefix(line, checkpoint.Header) && strings.Contains(line, roundMark)
}

// Ours tells whether message i is a digest message that ctxfold wrote, in whatever style.
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
