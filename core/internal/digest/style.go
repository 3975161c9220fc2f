package digest

import (
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// Style describes how a system requests and writes its summaries: how it renders messages, its prompt, and the digest
// message's role. Everything else is the same for all styles, such as the size of requests, the check of answers, and
// when a request is repeated.
type Style struct {
	Name string // the name in a policy's summary.style
	// Role is the role of the digest message. Formats that keep system messages apart use a user message instead.
	Role   transcript.Role
	Header string // the beginning of the digest message
	System string // the system prompt of a request
	// Split means that if the cut divides a turn, the turn's beginning is summarized separately from the history before
	// it.
	Split bool
	// Temperature and MaxOutput are the system's settings for its model; 0 means no setting.
	Temperature float64
	MaxOutput   int // tokens
	// Record renders messages for the prompt. Between is the separator between two messages.
	Record  func(t *transcript.Transcript, messages []int32, o RecordOptions) string
	Between string
	// Prompt returns the prompt for a request.
	Prompt func(p *Prompt) string
	// TurnPrefix is added to the request for the beginning of a divided turn.
	TurnPrefix string
	// Own means that digest messages have the same form as in ctxfold's own style, which applies if the policy names no
	// style.
	Own bool
	// Numbered means that the header contains the round, that the model writes the header too, and that later digests
	// end with a line about the earlier ones (S2.18, S2.30). In other styles the round has its own line.
	Numbered bool
	// Fitted means that tool results are clipped just enough for the record to fit into its room; other styles have
	// fixed limits.
	Fitted bool
}

// RecordOptions are options for rendering messages.
type RecordOptions struct {
	Clip        int  // the maximum length of tool results and arguments, in the style's units; 0 means the style's own limit
	Thoughtless bool // omits reasoning
	First       int  // the number of the first message, for styles that number them
	Exact       bool // keeps texts as they are and omits commands that the user ran, as the published system does
}

// Limit returns the maximum length of a text: the style's own limit, which is most, or Clip if that is set and lower.
func (o RecordOptions) Limit(most int) int {
	if o.Clip > 0 {
		return min(o.Clip, most)
	}
	return most
}

// Text returns text from the conversation in a form that can't begin a new piece of the record.
func (o RecordOptions) Text(text string) string {
	if o.Exact {
		return text
	}
	return Guarded(text)
}

// Name returns a name as it is written in the record's labels.
func (o RecordOptions) Name(name string) string {
	if o.Exact {
		return name
	}
	return Fence(clipLine(name, maxCommand))
}

// styles holds the styles whose digest messages are recognized: ctxfold's own and those that [DeclareStyles] adds.
var styles = []*Style{Own}

// DeclareStyles adds styles, so that their digest messages are recognized in conversations, even if the policy has
// another style. It must be called from an init function.
func DeclareStyles(added ...*Style) {
	styles = append(styles, added...)
	for _, s := range added {
		ourStarts.add(s.Header)
	}
}

// roundMark precedes the number of compactions in a digest message, from which it can be recovered if a host has lost
// the state.
const roundMark = "Compaction Round "

// Write returns the text of a digest message in the style s: the header, the notice that the text
// is a record, and body. scope is what the digest covers; that of a branch is the same in all
// styles. round is the number of compactions, including this one. chat means that the digest covers
// a chat without tools, so ctxfold's own style says nothing about text from tools.
func (s *Style) Write(body string, scope api.Scope, round int, chat bool) string {
	head := notice + untrusted
	if chat && s.Own {
		head = notice
	}
	if scope == api.ScopeBranch {
		return BranchHeader + "\n" + head + "\n\n" + body
	}
	return s.Header + s.rounds(round) + "\n" + head + "\n\n" + s.footer(s.strip(body), round)
}

// rounds returns the text that states the round. It belongs directly after the header.
func (s *Style) rounds(round int) string {
	if s.Numbered {
		return " (" + roundMark + itoa(round) + ")"
	}
	return "\n" + roundMark + itoa(round) + "."
}

// Read returns the body of a digest message, without the text that code added to it, and the round. ok is false if the
// text isn't in style s.
func (s *Style) Read(text string) (body string, round int, ok bool) {
	rest, ok := strings.CutPrefix(text, s.Header)
	if !ok {
		return "", 0, false
	}
	head, rest, _ := strings.Cut(rest, "\n"+notice)
	body, ok = strings.CutPrefix(strings.TrimPrefix(rest, untrusted), "\n\n")
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

// footer appends the line with which a summary ends from the second round on (S2.30). Only a style that numbers its
// rounds has such a line.
func (s *Style) footer(body string, round int) string {
	if !s.Numbered || round < 2 {
		return body
	}
	return body + "\n\nThis summary incorporates context from " + itoa(round-1) + " previous compaction rounds."
}

// strip removes the heading that the model was asked to write, because the header of the digest message replaces it
// (S2.18). A body without that heading is returned unchanged.
func (s *Style) strip(body string) string {
	line, rest, _ := strings.Cut(body, "\n")
	if s.Numbered && strings.HasPrefix(strings.TrimLeft(line, "#"), strings.TrimLeft(s.Header, "#")) {
		return strings.TrimSpace(rest)
	}
	return body
}

// StyleOf returns the style of message i if it looks like a digest, otherwise nil. The message must have the style's
// role, or the user role, which is used for digests where the style's role would be invalid.
func StyleOf(t *transcript.Transcript, i int) *Style {
	role := t.Messages[i].Role
	if role == transcript.User && t.StartsWith(i, Header) {
		return Own
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

// isOurs reports whether text looks like a digest in any style, or like a branch digest, whatever the role of its
// message. If a user pastes such text, it isn't a request.
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

// ourStarts holds the starts of all texts that beginsOurs recognizes.
var ourStarts = startsOf([]string{Header, BranchHeader, LineMarker, roundMark, notice})

// beginsOurs reports whether a line is the first line of a message that a compaction writes.
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
	if slices.ContainsFunc([]string{BranchHeader, LineMarker + " ", roundMark, notice}, begins) || slices.ContainsFunc(ofPasses, begins) {
		return true
	}
	return false
}

// Ours reports whether message i is a digest message in one of the styles.
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

// Carried returns the digest and the round in the text of a message for which [Ours] is true. The lists that code
// appended are not part of the digest but are added to l. The round is 0 if the message doesn't state it.
func Carried(text string, l *Ledger) (body string, round int) {
	for _, s := range styles {
		if body, round, ok := s.Read(text); ok {
			return Body(body, l), round
		}
	}
	return Body(text, l), 0
}

// JoinTurn appends the summary of a divided turn's beginning to the summary of the history (S1.25).
// If one of them is "", it returns the other.
func JoinTurn(history, prefix string) string {
	switch {
	case history == "":
		return prefix
	case prefix == "":
		return history
	}
	return history + CurrentTurn + prefix
}

// CurrentTurn separates the two summaries that JoinTurn joins. When summaries are streamed, it is shown as soon as the
// summary of the history is complete (S1.25).
const CurrentTurn = "\n\n---\n\n## Current Turn (in progress)\n\n"
