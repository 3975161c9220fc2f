package view

import (
	"strconv"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// A message that reads like one of ours need not be one: a model can be led to repeat any text. This file says which messages an earlier
// compaction wrote. What is not among them is what its role says it is: an assistant's text is folded as such, gives nothing to ledger and
// state, and is not left out of the digest.

// Origin is what a message of ours represents.
type Origin uint8

// What a compaction writes. Messages of passes that are not among these get an origin when they are declared.
const (
	NotOurs  Origin = iota
	OfDigest        // of a fold
	OfBranch        // of a path that was given up
	OfTurn          // what a repair lets somebody say so that the roles take turns
	OfLine          // the line of a turn
	OfFile          // a file that was restored
	OfCount         // how many messages were dropped
	OfLoop          // a tool loop as text
	ofOthers
)

// Message is a kind of message that a pass or a repair writes, digests excepted: how it is known, and what follows from its being
// ours.
type Message struct {
	Origin Origin // zero: Declare gives one
	// It is a message of the role that begins with the prefix, or what Is tells, where that is set.
	Role   transcript.Role
	Prefix string
	Is     func(c *Run, m int32) bool

	Told      bool // a digest tells it on as a part of the talk
	Unnamed   bool // the state does not name it: there may be many, and they give nothing to ledger and state
	Placed    bool // it counts only where a pass of the policy puts it
	Companion bool // it came with a fold, and follows its digest
	Lists     bool // it may name the handle of the messages that it represents
}

// declared are the kinds of messages, in the order of their declaration.
var declared []*Message

// Declare adds a kind of message, once. It is called from init.
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

// Declared are the kinds of messages that were declared.
func Declared() []*Message { return declared }

var digests = &Message{Origin: OfDigest}

// Of is the kind of a message of ours.
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

// maxOwn is how many messages of ours a state names.
const maxOwn = 256

// KindOf says what a message reads like, in a role that we write such messages in.
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

// Own reports whether a message is one that an earlier compaction, or this one, wrote.
func (c *Run) Own(m int32) bool { return c.OwnKind(m) != NotOurs }

// OwnKind is what a message of ours represents; notOurs for any other, whatever it reads like.
func (c *Run) OwnKind(m int32) Origin {
	if int(m) < len(c.Ours) {
		return c.Ours[m]
	}
	return c.KindOf(m) // this run has written it
}

// NameOf names a message by its role and its first text, whatever else a host or an SDK keeps in it.
func (c *Run) NameOf(m int32) string {
	var f transcript.Fingerprint
	f.Add([]byte(c.T.Messages[m].Role.String()))
	text := c.T.AsGiven(c.T.FirstText(int(m)))
	f.Add([]byte(jsonspan.Text(text, transcript.Span{End: uint32(len(text))})))
	return f.String()
}

// OwnNames are the names of the messages of ours in the result, for the state.
func (c *Run) OwnNames() (list []string) {
	for _, it := range c.Items {
		if k := c.OwnKind(it.Msg); k != NotOurs && !k.Of().Unnamed && len(list) < maxOwn {
			list = append(list, c.NameOf(it.Msg))
		}
	}
	return list
}

// IsBranch reports whether a message is the digest of a path that was given up.
func (c *Run) IsBranch(m int32) bool { return c.OwnKind(m) == OfBranch }

// Tells reports whether a message is told on by a digest as a part of the talk: it belongs to nobody own, or the line of a turn or its tool
// loop as text, which is all that is left of it, or the digest of a branch; or a host has put more into it than the digest.
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

// isCount reports whether a text is the message that counts what was dropped: its line, and after it nothing but blocks.
func isCount(rest string) bool {
	line, more, found := strings.Cut(rest, "\n")
	return strings.HasSuffix(line, "]") && (!found || strings.HasPrefix(more, "\n<") && strings.HasSuffix(more, ">"))
}

// OpeningText is what a repair lets the user say where a conversation begins without the user.
const OpeningText = "[The conversation goes on from here.]"

// TurnText is what a repair puts between two messages of one role, as said by the other one.
const TurnText = "[Noted.]"

// DroppedPrefix begins the message that counts what was dropped (S0.27, S0.29).
const DroppedPrefix = "[Context compacted: "

// RestoredPrefix begins the message that holds a restored file (S3.38).
const RestoredPrefix = "[Restored file after compaction]"

// IsTurn reports whether a message is what a repair lets somebody say so that the roles take turns.
func (c *Run) IsTurn(m int32) bool {
	first := c.T.FirstText(int(m))
	return c.T.Messages[m].Count == 1 && (c.T.EqualText(first, TurnText) || c.T.EqualText(first, OpeningText))
}

// IsCompanion reports whether a message came into the transcript with a fold, such as a restored file, or a turn.
func (c *Run) IsCompanion(m int32) bool {
	for _, kind := range declared {
		if kind.Companion && kind.Is(c, m) {
			return true
		}
	}
	return false
}

// DroppedBefore is how many messages an earlier compaction dropped, as its message says; 0 if this is no such message.
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
