package authorship

import (
	"strconv"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// Authors records which messages of a document were written by compactions. A message that only reads like one of them
// is treated according to its role: an assistant's text is folded as such, nothing is taken from it into the ledger and
// the state, and the digest includes it.
type Authors struct {
	doc  *view.View // the document
	ours []Origin   // by message of the input
}

// maxOwn is the maximum number of messages that a state names as written by compactions.
const maxOwn = 256

// LooksLike returns the origin that a message seems to have, judging by its text and role, or NotOurs. The result is no
// proof, because a model can be led to repeat any text.
func LooksLike(t *transcript.Transcript, m int32) Origin {
	if t.Messages[m].Variant == transcript.Digest {
		return OfDigest
	}
	for _, kind := range declared {
		if kind.Is(t, m) {
			return kind.Origin
		}
	}
	if digest.StyleOf(t, int(m)) != nil {
		return OfDigest
	}
	return NotOurs
}

// IsOwn reports whether this or an earlier compaction wrote a message.
func (a *Authors) IsOwn(m int32) bool { return a.Origin(m) != NotOurs }

// Origin returns the origin of a message that a compaction wrote; NotOurs for any other message, whatever it reads
// like.
func (a *Authors) Origin(m int32) Origin {
	if int(m) < len(a.ours) {
		return a.ours[m]
	}
	return LooksLike(a.doc.T, m) // this run has written it
}

// NameOf returns a message's name: a hash of its role and first text only, because hosts and SDKs may add other data
// to the message.
func NameOf(t *transcript.Transcript, m int32) string {
	var f transcript.Fingerprint
	f.Add([]byte(t.Messages[m].Role.String()))
	text := t.AsGiven(t.FirstText(int(m)))
	f.Add([]byte(jsonspan.Text(text, transcript.Span{End: uint32(len(text))})))
	return f.String()
}

// OwnNames returns the names (see NameOf) of those messages in the result that compactions wrote,
// for the state. There are at most maxOwn, and none for kinds of messages that are Unnamed.
func (a *Authors) OwnNames() (list []string) {
	for _, it := range a.doc.Items {
		if k := a.Origin(it.Msg); k != NotOurs && !k.Declaration().Unnamed && len(list) < maxOwn {
			list = append(list, NameOf(a.doc.T, it.Msg))
		}
	}
	return list
}

// IsBranch reports whether a message is the digest of an abandoned branch.
func (a *Authors) IsBranch(m int32) bool { return a.Origin(m) == OfBranch }

// Summarizable reports whether the digest should include a message as a part of the conversation. It should if no
// compaction wrote the message, or if it is a digest to which a host has added other content. It also should if the
// message is the line of a turn, a tool loop as text or the digest of a branch, because nothing else remains of the
// messages that these replace.
func (a *Authors) Summarizable(m int32) bool {
	switch k := a.Origin(m); k {
	case NotOurs:
		return true
	case OfDigest:
		return len(a.doc.T.PartsOf(int(m))) > 1
	default:
		return k.Declaration().Summarizable
	}
}

// isCount reports whether rest can be the rest of a message that counts dropped messages: the end
// of its first line, followed by nothing or by text in tags.
func isCount(rest string) bool {
	line, more, found := strings.Cut(rest, "\n")
	return strings.HasSuffix(line, "]") && (!found || strings.HasPrefix(more, "\n<") && strings.HasSuffix(more, ">"))
}

// OpeningText is the text of the user message that a repair inserts if a conversation doesn't begin with the user.
const OpeningText = "[The conversation goes on from here.]"

// TurnText is the text of the message that a repair inserts between two messages of one role. It has the other role.
const TurnText = "[Noted.]"

// DroppedPrefix is the beginning of the message that says how many messages were dropped (S0.27, S0.29).
const DroppedPrefix = "[Context compacted: "

// RestoredPrefix is the beginning of a message with a restored file (S3.38).
const RestoredPrefix = "[Restored file after compaction]"

// IsTurn reports whether a message reads like one that a repair inserts so that the roles alternate, or so that the
// conversation begins with the user.
func IsTurn(t *transcript.Transcript, m int32) bool {
	first := t.FirstText(int(m))
	return t.Messages[m].Count == 1 && (t.EqualText(first, TurnText) || t.EqualText(first, OpeningText))
}

// IsNotice reports whether message i consists of the notice text. The user didn't write it, so it isn't a request.
func IsNotice(t *transcript.Transcript, i int, text string) bool {
	m := &t.Messages[i]
	return m.Role == transcript.User && m.Count == 1 && t.EqualText(t.FirstText(i), text)
}

// IsCompanion reports whether a message is something that a fold wrote in addition to its digest, such as a restored
// file, or an inserted turn.
func IsCompanion(t *transcript.Transcript, m int32) bool {
	for _, kind := range declared {
		if kind.Companion && kind.Is(t, m) {
			return true
		}
	}
	return false
}

// DroppedBefore returns the number of messages that an earlier compaction dropped, if message m states this number,
// otherwise 0.
func DroppedBefore(t *transcript.Transcript, m int32) int {
	if t.Messages[m].Role != transcript.User || !t.StartsWith(int(m), DroppedPrefix) {
		return 0
	}
	digits, rest, _ := strings.Cut(t.Text(t.FirstText(int(m)))[len(DroppedPrefix):], " ")
	n, err := strconv.Atoi(digits)
	if err != nil || n < 1 || n > 1<<30 || !strings.HasPrefix(rest, "messages removed") || !isCount(rest) {
		return 0
	}
	return n
}
