// Package authorship determines who wrote each message: somebody in the conversation, or a compaction (ours).
//
// The package doesn't decide what happens to a message.
package authorship

import (
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// Origin says what a message that a compaction wrote represents, such as a fold or an older turn.
type Origin uint8

// The origins of messages. Kinds of messages that passes declare get further ones.
const (
	NotOurs  Origin = iota // not written by ctxfold
	OfDigest               // the digest of a fold
	OfBranch               // the digest of an abandoned branch
	OfTurn                 // a message that a repair inserts so that the roles alternate
	OfLine                 // the line of a turn
	OfFile                 // a file that was restored
	OfCount                // the count of dropped messages
	OfLoop                 // a tool loop as text
	OfNotice               // the policy's notice that a compaction will come soon, which a host has appended
	ofOthers               // the first origin of the declared kinds
)

// Message describes a kind of message, other than a digest, that a pass or a repair writes: how to recognize such a
// message, and how to treat it.
type Message struct {
	Origin Origin // its origin; if zero, Declare assigns one
	// A message is of this kind if it has the role and begins with the prefix or, if Is is set, if Is returns true.
	Role   transcript.Role
	Prefix string
	Is     func(t *transcript.Transcript, m int32) bool

	Summarizable bool // whether a digest includes it as a part of the conversation
	// Whether the state doesn't name it, because there may be many such messages and nothing is read from them.
	Unnamed    bool
	NeedsPlace bool // whether it counts only at a position where a pass of the policy puts it
	Companion  bool // whether it follows the digest of the fold that wrote it
	Lists      bool // whether it may name the handle of the messages that it replaces
}

// declared holds the kinds of messages, in order of declaration.
var declared []*Message

// Declare declares a kind of message; repeated calls have no effect. It is called from init.
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
		m.Is = func(t *transcript.Transcript, i int32) bool {
			return t.Messages[i].Role == m.Role && t.StartsWith(int(i), m.Prefix)
		}
	}
	declared = append(declared, m)
	if m.Prefix != "" && !m.Summarizable {
		digest.Declare(m.Prefix)
	}
}

// Declared returns the declared kinds of messages.
func Declared() []*Message { return declared }

var digests = &Message{Origin: OfDigest}

// Declaration returns the kind of message whose origin is k, or that of digests if no declared kind has it.
func (k Origin) Declaration() *Message {
	for _, m := range declared {
		if m.Origin == k {
			return m
		}
	}
	return digests
}

func init() {
	Declare(&Message{Origin: OfTurn, Is: IsTurn, Unnamed: true, Companion: true})
	Declare(&Message{Origin: OfNotice, Unnamed: true, Is: func(*transcript.Transcript, int32) bool { return false }}) // only a policy knows its text
	Declare(&Message{Origin: OfLoop, Role: transcript.User, Prefix: digest.LoopMarker, Summarizable: true, Lists: true,
		Is: func(t *transcript.Transcript, m int32) bool { return digest.IsLoop(t, int(m)) }})
}
