package view

import (
	"strconv"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// A message that looks like one of ours need not be one: a model can be led to repeat any text. This file says which messages an earlier
// compaction wrote. All others are what their role says: an assistant's text is folded as such, adds nothing to ledger and state, and isn't
// left out of the digest.

// Origin says what a message of ours stands for.
type Origin uint8

// The messages that a compaction writes. Other messages of passes get an origin when they are declared.
const (
	NotOurs  Origin = iota
	OfDigest        // the digest of a fold
	OfBranch        // the digest of an abandoned branch
	OfTurn          // a message that a repair inserts so that the roles alternate
	OfLine          // the line of a turn
	OfFile          // a file that was restored
	OfCount         // the count of dropped messages
	OfLoop          // a tool loop as text
	ofOthers
)

// Message is a kind of message, other than a digest, that a pass or a repair writes: how it is recognized, and what follows from its being
// ours.
type Message struct {
	Origin Origin // zero: Declare gives one
	// A message is of this kind if it has the role and begins with the prefix or, if Is is set, if Is says so.
	Role   transcript.Role
	Prefix string
	Is     func(c *Run, m int32) bool

	Told      bool // a digest summarizes it as part of the talk
	Unnamed   bool // the state doesn't name it: there may be many, and they add nothing to ledger and state
	Placed    bool // it counts only at a place where a pass of the policy puts it
	Companion bool // it accompanies a fold, after its digest
	Lists     bool // it may name the handle of the messages that it replaces
}

// declared are the kinds of messages, in order of declaration.
var declared []*Message

// Declare declares a kind of message, once. It is called from init.
func Declare(m *Message) {
	next := ofOthers
	for _, known := range declared {
		if known == m || m.Origin != NotOurs && known.Origin == m.Origin {
			return
		}
		next = max(next, known.Origin+1)
	}
	if m.Origin == NotOurs {
		m.Origin = next
	}
	if m.Is == nil {
		m.Is = func(c *Run, i int32) bool { return c.T.Messages[i].Role == m.Role && c.T.StartsWith(int(i), m.Prefix) }
	}
	declared = append(declared, m)
	if m.Prefix != "" && !m.Told {
		digest.Declare(m.Prefix)
	}
}

// Declared returns the kinds of messages that were declared.
func Declared() []*Message { return declared }

var digests = &Message{Origin: OfDigest}

// Of returns the kind of a message of ours.
func (k Origin) Of() *Message {
	for _, m := range declared {
		if m.Origin == k {
			return m
		}
	}
	return digests
}

func init() {
	Declare(&Message{Origin: OfTurn, Is: (*Run).IsTurn, Unnamed: true, Companion: true})
	Declare(&Message{Origin: OfLoop, Role: transcript.User, Prefix: digest.LoopMarker, Told: true, Lists: true,
		Is: func(c *Run, m int32) bool { return digest.IsLoop(c.T, int(m)) }})
}

// maxOwn is the maximum number of messages of ours that a state names.
const maxOwn = 256

// KindOf returns what a message looks like, given the roles in which we write such messages.
func (c *Run) KindOf(m int32) Origin {
	if c.T.Messages[m].Variant == transcript.Digest {
		return OfDigest
	}
	for _, kind := range declared {
		if kind.Is(c, m) {
			return kind.Origin
		}
	}
	if digest.StyleOf(c.T, int(m)) != nil {
		return OfDigest
	}
	return NotOurs
}

// Own reports whether an earlier compaction, or this one, wrote a message.
func (c *Run) Own(m int32) bool { return c.OwnKind(m) != NotOurs }

// OwnKind returns what a message of ours stands for; NotOurs for any other, whatever it looks like.
func (c *Run) OwnKind(m int32) Origin {
	if int(m) < len(c.Ours) {
		return c.Ours[m]
	}
	return c.KindOf(m) // this run has written it
}

// NameOf returns a message's name, computed from its role and its first text, whatever else a host or an SDK keeps in it.
func (c *Run) NameOf(m int32) string {
	var f transcript.Fingerprint
	f.Add([]byte(c.T.Messages[m].Role.String()))
	text := c.T.AsGiven(c.T.FirstText(int(m)))
	f.Add([]byte(jsonspan.Text(text, transcript.Span{End: uint32(len(text))})))
	return f.String()
}

// OwnNames returns the names of our messages in the result, for the state.
func (c *Run) OwnNames() (list []string) {
	for _, it := range c.Items {
		if k := c.OwnKind(it.Msg); k != NotOurs && !k.Of().Unnamed && len(list) < maxOwn {
			list = append(list, c.NameOf(it.Msg))
		}
	}
	return list
}

// IsBranch reports whether a message is the digest of an abandoned branch.
func (c *Run) IsBranch(m int32) bool { return c.OwnKind(m) == OfBranch }

// Tells reports whether a digest should summarize a message as part of the talk: it is not one of ours, or it is the only remainder of a
// turn (its line, or its tool loop as text), or the digest of a branch, or a host has added something to the digest.
func (c *Run) Tells(m int32) bool {
	switch k := c.OwnKind(m); k {
	case NotOurs:
		return true
	case OfDigest:
		return len(c.T.PartsOf(int(m))) > 1
	default:
		return k.Of().Told
	}
}

// isCount reports whether a text is the message that counts dropped messages: its line, followed by nothing but blocks.
func isCount(rest string) bool {
	line, more, found := strings.Cut(rest, "\n")
	return strings.HasSuffix(line, "]") && (!found || strings.HasPrefix(more, "\n<") && strings.HasSuffix(more, ">"))
}

// OpeningText is the user message that a repair inserts if a conversation doesn't begin with the user.
const OpeningText = "[The conversation goes on from here.]"

// TurnText is the message that a repair inserts between two messages of one role, in the other role.
const TurnText = "[Noted.]"

// DroppedPrefix begins the message that counts dropped messages (S0.27, S0.29).
const DroppedPrefix = "[Context compacted: "

// RestoredPrefix begins the message with a restored file (S3.38).
const RestoredPrefix = "[Restored file after compaction]"

// IsTurn reports whether a message was inserted by a repair so that the roles alternate.
func (c *Run) IsTurn(m int32) bool {
	first := c.T.FirstText(int(m))
	return c.T.Messages[m].Count == 1 && (c.T.EqualText(first, TurnText) || c.T.EqualText(first, OpeningText))
}

// IsCompanion reports whether a message entered the transcript together with a fold, such as a restored file, or is an inserted turn.
func (c *Run) IsCompanion(m int32) bool {
	for _, kind := range declared {
		if kind.Companion && kind.Is(c, m) {
			return true
		}
	}
	return false
}

// DroppedBefore returns how many messages an earlier compaction dropped, according to its message; 0 if this isn't such a message.
func (c *Run) DroppedBefore(m int32) int {
	if c.T.Messages[m].Role != transcript.User || !c.T.StartsWith(int(m), DroppedPrefix) {
		return 0
	}
	digits, rest, _ := strings.Cut(c.T.Text(c.T.FirstText(int(m)))[len(DroppedPrefix):], " ")
	n, err := strconv.Atoi(digits)
	if err != nil || n < 1 || n > 1<<30 || !strings.HasPrefix(rest, "messages removed") || !isCount(rest) {
		return 0
	}
	return n
}
