package authorship

import (
	"math"
	"slices"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// Anywhere is the result of Places.Last for messages that may be at any position.
const Anywhere = math.MaxInt

// Places describes where a policy puts the messages that compactions write, and what may precede them. It is used only
// to check messages that read as if a compaction had written them.
type Places struct {
	Style   *digest.Style          // the style of the policy's digests
	Pinned  func(message int) bool // whether the policy pins a message of the input; nil if it pins none
	Notice  string                 // the policy's gate.notice, which hosts append
	Project bool                   // whether messages with project instructions may stay before the digest
	// The last input position at which one of the policy's passes puts messages of an origin: -1 for none, or Anywhere.
	Last func(of Origin) int
}

// identifying finds the messages in the input of a document that compactions wrote.
//
// If there is a state, it names these messages (State.Own), and no other message counts: each name identifies one
// message, the first that matches. Lines and inserted turns are not named, because a digest treats them like the rest
// of the conversation and takes nothing from them for the ledger; with a state, they count if the digest covers them.
// Without a state, or with the state of another conversation, a message counts only if it has the role and the position
// that the policy uses.
type identifying struct {
	doc    *view.View    // the document to examine
	places Places        // where the policy puts such messages
	ours   []Origin      // by input message: what it is, as far as it was examined
	known  int           // number of messages at the front that the last compaction left
	names  []string      // from the state; nil if it names no message of this conversation
	groups []int32       // of the input, computed on demand
	pinned []bool        // by group: whether the policy pins one of its messages, computed on demand
	last   map[uint8]int // the results of lastPlace, by origin
}

// Identify finds the messages of the document that earlier compactions wrote, using the state of the last compaction
// and the positions at which the policy puts such messages.
func Identify(doc *view.View, state *api.State, places Places) *Authors {
	id := &identifying{doc: doc, places: places, ours: make([]Origin, doc.N)}
	if id.look(state) { // most transcripts need no fingerprint
		at := digestPlace{user: true, assistant: true}
		for i, k := range id.ours {
			if k != NotOurs && !id.isOurs(i, k, at) {
				id.ours[i] = NotOurs
			}
			if at.user {
				at = id.following(at, i)
			}
		}
	}
	for i := range id.ours {
		if places.Notice != "" && IsNotice(doc.T, i, places.Notice) {
			id.ours[i] = OfNotice
		}
	}
	return &Authors{doc: doc, ours: id.ours}
}

// look records what each message reads like, and what the state knows about the conversation. It returns false if no
// message reads like one of ours.
func (id *identifying) look(state *api.State) (some bool) {
	t, named := id.doc.T, false // whether the state names a message of this transcript
	for i := range id.ours {
		if id.ours[i] = LooksLike(t, int32(i)); id.ours[i] != NotOurs {
			some = true
			named = named || len(state.Own) > 0 && slices.Contains(state.Own, NameOf(t, int32(i)))
		}
	}
	if !some {
		return false
	}
	if state.Fingerprint != "" && state.Messages <= id.doc.N && t.Fingerprint(state.Messages) == state.Fingerprint {
		id.known = state.Messages
	}
	if named || id.known > 0 && len(state.Own) > 0 {
		id.names = slices.Clone(state.Own)
	}
	return true
}

// isOurs reports whether a compaction wrote message i. k is what the message reads like, and at describes its
// position.
func (id *identifying) isOurs(i int, k Origin, at digestPlace) bool {
	seen := id.known == 0 || i < id.known // the last compaction may have seen it
	kind := k.Declaration()
	switch {
	case id.doc.T.Messages[i].Variant == transcript.Digest: // the application has a message type for it
		return true
	case kind.Unnamed:
		return seen && (id.known > 0 || i <= id.lastPlace(kind))
	case id.names != nil:
		return id.takeName(i)
	case k == OfDigest:
		return seen && id.isWhereFoldsPut(i, at)
	case kind.Companion:
		return seen && at.digest
	case kind.NeedsPlace:
		return seen && i <= id.lastPlace(kind)
	}
	return seen || k == OfBranch
}

// takeName reports whether the state names message i. It removes the name, because a name identifies only one
// message.
func (id *identifying) takeName(i int) bool {
	at := slices.Index(id.names, NameOf(id.doc.T, int32(i)))
	if at >= 0 {
		id.names[at] = ""
	}
	return at >= 0
}

// digestPlace describes a position in the input by the messages before it.
type digestPlace struct {
	user      bool // a digest with the user's or the system's role may be here
	assistant bool // a digest with the assistant's role may be here
	said      bool // an unpinned user message precedes it
	digest    bool // a digest precedes it, with only its companion messages in between
}

// following returns the place after message i. at is the place of message i itself. Only pinned messages and the former
// newest user message may precede a digest. A digest in the assistant's role may have no message of the conversation
// before it, because the model can be led to write one.
func (id *identifying) following(at digestPlace, i int) digestPlace {
	t, ours := id.doc.T, id.ours[i]
	role := t.Messages[i].Role
	switch {
	case ours == OfDigest:
		return digestPlace{user: true, said: true, digest: true}
	case at.digest: // a restored file after the digest
		companion := ours == OfFile || ours == OfTurn
		return digestPlace{user: companion, said: true, digest: companion}
	case role == transcript.System || ours == OfTurn:
		return at
	}
	at.assistant = false
	switch {
	case id.isPinned(i) || id.instructs(i):
	case role == transcript.User && t.HasUserText(i) && !at.said && ours != OfLoop:
		at.said = true
	default:
		at.user = false
	}
	return at
}

// isWhereFoldsPut reports whether message i, which looks like a digest, has the policy's style and is at a position where a
// fold puts digests.
func (id *identifying) isWhereFoldsPut(i int, at digestPlace) bool {
	s := digest.StyleOf(id.doc.T, i)
	if s.Header != id.places.Style.Header || at.digest {
		return false
	}
	if s.Role == transcript.Assistant && id.doc.T.Messages[i].Role == transcript.Assistant {
		return at.assistant
	}
	return at.user
}

// lastPlace returns the last position in the input at which one of the policy's passes puts messages of this kind; -1
// if none does, and Anywhere for a kind that has no particular position.
func (id *identifying) lastPlace(kind *Message) int {
	if !kind.NeedsPlace {
		return Anywhere
	}
	if last, known := id.last[uint8(kind.Origin)]; known {
		return last
	}
	last := id.places.Last(kind.Origin)
	if groups := id.inputGroups(); last >= 0 && last < Anywhere {
		for last < len(groups) && (last > 0 && groups[last] == groups[last-1] ||
			id.doc.T.Messages[last].Role == transcript.System || id.isPinned(last)) {
			last++
		}
		last++ // the newest user message may precede it
	}
	if id.last == nil {
		id.last = map[uint8]int{}
	}
	id.last[uint8(kind.Origin)] = last
	return last
}

// inputGroups returns the groups of the input's items.
func (id *identifying) inputGroups() []int32 {
	if id.groups == nil {
		id.groups = id.doc.T.Groups(id.doc.MessageOrder())
	}
	return id.groups
}

// isPinned reports whether the policy pins message i or another one in its group.
func (id *identifying) isPinned(i int) bool {
	if id.places.Pinned == nil {
		return false
	}
	groups := id.inputGroups()
	if id.pinned == nil {
		id.pinned = make([]bool, len(groups))
		for m := range id.doc.N {
			if id.places.Pinned(m) {
				id.pinned[groups[m]] = true
			}
		}
	}
	return id.pinned[groups[i]]
}

// instructs reports whether message i may have been kept by a compaction because it contains project instructions.
func (id *identifying) instructs(i int) bool {
	if !id.places.Project {
		return false
	}
	what, _ := digest.ProjectIn(id.doc.T, i)
	return what != digest.NoProject
}
