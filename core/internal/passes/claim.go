package passes

import (
	"slices"

	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// claim identifies the messages of the input that ctxfold wrote.
//
// If there is a state, it names them (State.Own), and nothing else counts: each name identifies one message, the first that matches. Lines
// and turns are not named, because a digest treats them like talk and takes nothing from them for the ledger; with a state they count among
// the messages that it covers. Without a state, or with one that knows nothing about this conversation, a message counts only if its role
// and its place are those that the policy uses.
func (c *Run) claim() {
	c.Ours = make([]view.Origin, c.N)
	names := slices.Clone(c.State.Own)
	named, some := false, false // the state names a message here; a message here looks like one of ours
	for i := range c.Ours {
		if c.Ours[i] = c.KindOf(int32(i)); c.Ours[i] != view.NotOurs {
			some = true
			named = named || len(names) > 0 && slices.Contains(names, c.NameOf(int32(i)))
		}
	}
	if !some { // most transcripts cost no fingerprint
		return
	}
	known := 0 // the messages at the front that the last compaction has left
	if s := &c.State; s.Fingerprint != "" && s.Messages <= c.N && c.T.Fingerprint(s.Messages) == s.Fingerprint {
		known = s.Messages
	}
	if !named && (known == 0 || len(names) == 0) {
		names = nil
	}
	p := spot{user: true, assistant: true}
	for i, k := range c.Ours {
		if k != view.NotOurs && !c.claimed(i, k, known, names, p) {
			c.Ours[i] = view.NotOurs
		}
		if p.user {
			p = c.behind(p, i)
		}
	}
}

// claimed reports whether message i, which reads like k and is at p, is one of ours.
func (c *Run) claimed(i int, k view.Origin, known int, names []string, p spot) bool {
	seen := known == 0 || i < known // the last compaction may have seen it
	kind := k.Of()
	switch {
	case c.T.Messages[i].Variant == transcript.Digest: // the application has a type for it
		return true
	case kind.Unnamed:
		return seen && (known > 0 || i <= c.lastPlace(kind))
	case names != nil:
		at := slices.Index(names, c.NameOf(int32(i)))
		if at >= 0 {
			names[at] = ""
		}
		return at >= 0
	case k == view.OfDigest:
		return seen && c.inPlace(i, p)
	case kind.Companion:
		return seen && p.digest
	case kind.Placed:
		return seen && i <= c.lastPlace(kind)
	}
	return seen || k == view.OfBranch
}

// spot is the position of a message, described by what precedes it.
type spot struct {
	user      bool // a digest with the user's or the system's role may be here
	assistant bool // a digest with the assistant's role may be here
	said      bool // the user has said something before it that is not pinned
	digest    bool // a digest precedes it, with only its companion messages in between
}

// behind returns the position after message i, which is at p. A digest precedes all talk that isn't pinned, except perhaps the user message
// that was the newest. Nothing of the conversation may precede a digest in the assistant's role, because the assistant can be led to write
// one.
func (c *Run) behind(p spot, i int) spot {
	role := c.T.Messages[i].Role
	switch {
	case c.Ours[i] == view.OfDigest:
		return spot{user: true, said: true, digest: true}
	case p.digest: // of the files after it
		return spot{user: c.Ours[i] == view.OfFile || c.Ours[i] == view.OfTurn, said: true, digest: c.Ours[i] == view.OfFile || c.Ours[i] == view.OfTurn}
	case role == transcript.System || c.Ours[i] == view.OfTurn:
		return p
	}
	p.assistant = false
	switch {
	case c.pinned(i) || c.instructs(i):
	case role == transcript.User && c.T.HasUserText(i) && !p.said && c.Ours[i] != view.OfLoop:
		p.said = true
	default:
		p.user = false
	}
	return p
}

// inPlace reports whether message i, which looks like a digest, has the policy's style and is where a fold puts it.
func (c *Run) inPlace(i int, p spot) bool {
	s := digest.StyleOf(c.T, i)
	if s.Header != c.style().Header || p.digest {
		return false
	}
	if s.Role == transcript.Assistant && c.T.Messages[i].Role == transcript.Assistant {
		return p.assistant
	}
	return p.user
}

// lastPlace returns the last place in the input where a pass of the policy puts messages of a kind; -1 if none does, and Anywhere for a
// kind that no pass places.
func (c *Run) lastPlace(kind *view.Message) int {
	if !kind.Placed {
		return Anywhere
	}
	for _, known := range c.places {
		if known.of == kind.Origin {
			return known.last
		}
	}
	at := -1
	steps, _ := Steps(c.Policy)
	for _, step := range steps {
		if p, ok := step.(Placer); ok {
			if of, last := p.Place(); of == kind.Origin {
				at = max(at, last)
			}
		}
	}
	if groups := c.inGroups(); at >= 0 && at < Anywhere {
		for at < len(groups) && (at > 0 && groups[at] == groups[at-1] || c.T.Messages[at].Role == transcript.System || c.pinned(at)) {
			at++
		}
		at++ // the user's newest message may precede it
	}
	c.places = append(c.places, lastPlace{kind.Origin, at})
	return at
}

// lastPlace is the last place of messages of a kind.
type lastPlace struct {
	of   view.Origin
	last int
}

// inGroups returns the groups of the input.
func (c *Run) inGroups() []int32 {
	if c.groups == nil {
		c.groups = c.T.Groups(c.Seq())
	}
	return c.groups
}

// pinned reports whether message m is in one group with one that the policy pins.
func (c *Run) pinned(m int) bool {
	if len(c.Policy.Pins) == 0 {
		return false
	}
	if c.stay == nil {
		c.stay = make([]bool, len(c.inGroups()))
		for i := range c.N {
			if c.PinnedByPolicy(i) {
				c.stay[c.groups[i]] = true
			}
		}
	}
	return c.stay[c.groups[m]]
}

// instructs reports whether message m may have stayed because it holds project instructions.
func (c *Run) instructs(m int) bool {
	if c.Policy.ProjectShare() == 0 {
		return false
	}
	what, _ := digest.ProjectIn(c.T, m)
	return what != digest.NoProject
}
