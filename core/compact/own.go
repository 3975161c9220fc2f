package compact

import (
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/core/digest"
	"github.com/ctxfold/ctxfold/core/transcript"
)

// A message that reads like one of ours need not be one: a model can be led to repeat any text. This file tells which
// messages an earlier compaction wrote. What is not among them is what its role says it is: an assistant's text is folded as
// such, gives nothing to ledger and state, and is not left out of the digest.

// origin is what a message of ours stands for.
type origin uint8

// What a compaction writes.
const (
	notOurs  origin = iota
	ofDigest        // of a fold
	ofBranch        // of a path that was given up
	ofTurn          // what a repair lets somebody say so that the roles take turns
	ofLine          // the line of a turn
	ofFile          // a file that was restored
	ofCount         // how many messages were dropped
	ofLoop          // a tool loop as text
)

// maxOwn is how many messages of ours a state names.
const maxOwn = 256

// kindOf tells what a message reads like, in a role that we write such messages in.
func (c *Run) kindOf(m int32) origin {
	t := c.T
	role := t.Messages[m].Role
	switch {
	case t.Messages[m].Variant == transcript.Digest:
		return ofDigest
	case c.isTurn(m):
		return ofTurn
	case role == transcript.User && t.StartsWith(int(m), digest.BranchHeader):
		return ofBranch
	case digest.IsLine(t, int(m)):
		return ofLine
	case role == transcript.User && t.StartsWith(int(m), RestoredPrefix):
		return ofFile
	case digest.IsLoop(t, int(m)):
		return ofLoop
	case c.droppedBefore(m) > 0:
		return ofCount
	case digest.StyleOf(t, int(m)) != nil:
		return ofDigest
	}
	return notOurs
}

// own tells whether a message is one that an earlier compaction, or this one, wrote.
func (c *Run) own(m int32) bool { return c.ownKind(m) != notOurs }

// ownKind is what a message of ours stands for; notOurs for any other, whatever it reads like.
func (c *Run) ownKind(m int32) origin {
	if int(m) < len(c.ours) {
		return c.ours[m]
	}
	return c.kindOf(m) // this run has written it
}

// claim finds the messages of ours in the input.
//
// A state names them (State.Own), and nothing else counts then: each name for one message, the first. Lines and turns,
// which stand in the digest like talk and give nothing to the ledger, are not named: with a state they count among the
// messages that it knows. Without a state, or with one that knows nothing of this conversation, a message counts only in the
// role and at the place where the policy puts it.
func (c *Run) claim() {
	c.ours = make([]origin, c.N)
	names := slices.Clone(c.State.Own)
	named, some := false, false // the state names a message here; something here reads like one of ours
	for i := range c.ours {
		if c.ours[i] = c.kindOf(int32(i)); c.ours[i] != notOurs {
			some = true
			named = named || len(names) > 0 && slices.Contains(names, c.nameOf(int32(i)))
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
	for i, k := range c.ours {
		if k != notOurs && !c.claimed(i, k, known, names, p) {
			c.ours[i] = notOurs
		}
		if p.user {
			p = c.behind(p, i)
		}
	}
}

// claimed tells whether message i, which reads like k and stands at p, is one of ours.
func (c *Run) claimed(i int, k origin, known int, names []string, p spot) bool {
	seen := known == 0 || i < known // nothing speaks against it that the last compaction has seen it
	switch {
	case c.T.Messages[i].Variant == transcript.Digest: // the application has a type for it
		return true
	case k == ofTurn:
		return seen
	case k == ofLine:
		return seen && (known > 0 || c.puts().lines)
	case names != nil:
		at := slices.Index(names, c.nameOf(int32(i)))
		if at >= 0 {
			names[at] = ""
		}
		return at >= 0
	case k == ofDigest:
		return seen && c.inPlace(i, p)
	case k == ofFile:
		return seen && p.digest
	case k == ofCount:
		return seen && i <= c.puts().count
	}
	return seen || k == ofBranch
}

// nameOf names a message by its role and its first text, whatever else a host or an SDK keeps in it.
func (c *Run) nameOf(m int32) string {
	var f transcript.Fingerprint
	f.Add([]byte(c.T.Messages[m].Role.String()))
	f.Add([]byte(c.T.Text(c.T.FirstText(int(m)))))
	return f.String()
}

// spot is where a message stands, by what stands before it.
type spot struct {
	user      bool // a digest in the user's name or the system's may stand here
	assistant bool // one in the assistant's
	said      bool // the user has said something before it that is not pinned
	digest    bool // a digest stands before it, and only what came with it in between
}

// behind is the place behind message i, which stands at p. A digest stands before all talk that is not pinned; the user's
// message that was the newest may stand before it. Before a digest in the assistant's name nothing of the conversation may
// stand, since the assistant can be led to write one.
func (c *Run) behind(p spot, i int) spot {
	role := c.T.Messages[i].Role
	switch {
	case c.ours[i] == ofDigest:
		return spot{user: true, said: true, digest: true}
	case p.digest: // of the files behind it
		return spot{user: c.ours[i] == ofFile || c.ours[i] == ofTurn, said: true, digest: c.ours[i] == ofFile || c.ours[i] == ofTurn}
	case role == transcript.System || c.ours[i] == ofTurn:
		return p
	}
	p.assistant = false
	switch {
	case c.pinned(i):
	case role == transcript.User && c.T.HasUserText(i) && !p.said && c.ours[i] != ofLoop:
		p.said = true
	default:
		p.user = false
	}
	return p
}

// inPlace tells whether the digest that message i reads like is of the policy's style, and stands where a fold puts it.
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

// putting is where the policy's passes put messages of ours.
type putting struct {
	lines bool // lines for turns, anywhere
	count int  // the last place for the count of what was dropped; -1 where nothing is dropped
}

// puts is where the policy's passes put messages of ours.
func (c *Run) puts() putting {
	if c.putting != nil {
		return *c.putting
	}
	c.putting = &putting{count: -1}
	passes, _ := parsePasses(c.Policy)
	at := -1
	for _, p := range passes {
		switch p := p.(type) {
		case *collapsePass:
			c.putting.lines = true
		case *dropPass:
			at = max(at, p.KeepFirst)
		case *fitPass:
			at = max(at, 0)
		}
	}
	if groups := c.inGroups(); at >= 0 {
		for at < len(groups) && (at > 0 && groups[at] == groups[at-1] || c.T.Messages[at].Role == transcript.System || c.pinned(at)) {
			at++
		}
		c.putting.count = at + 1 // the user's newest message may stand before it
	}
	return *c.putting
}

// inGroups are the groups of the input.
func (c *Run) inGroups() []int32 {
	if c.groups == nil {
		c.groups = c.T.Groups(c.Seq())
	}
	return c.groups
}

// pinned tells whether message m is in one group with one that the policy pins.
func (c *Run) pinned(m int) bool {
	if len(c.Policy.Pins) == 0 {
		return false
	}
	if c.stay == nil {
		c.stay = make([]bool, len(c.inGroups()))
		for i := range c.N {
			if c.pinnedByPolicy(i) {
				c.stay[c.groups[i]] = true
			}
		}
	}
	return c.stay[c.groups[m]]
}

// names are the names of the messages of ours in the result, for the state.
func (c *Run) names() (list []string) {
	for _, it := range c.Items {
		if k := c.ownKind(it.Msg); k != notOurs && k != ofTurn && k != ofLine && len(list) < maxOwn {
			list = append(list, c.nameOf(it.Msg))
		}
	}
	return list
}

// isBranch tells whether a message is the digest of a path that was given up.
func (c *Run) isBranch(m int32) bool { return c.ownKind(m) == ofBranch }

// tells tells whether a message is told on by a digest as a part of the talk: it is nobody's own, or the line of a turn
// or its tool loop as text, which is all that is left of it, or the digest of a branch; or a host has put more into it than the digest.
func (c *Run) tells(m int32) bool {
	switch c.ownKind(m) {
	case notOurs, ofLine, ofLoop, ofBranch:
		return true
	case ofDigest:
		return len(c.T.PartsOf(int(m))) > 1
	}
	return false
}

// isCount tells whether a text is the message that counts what was dropped: its line, and behind it nothing but blocks.
func isCount(rest string) bool {
	line, more, found := strings.Cut(rest, "\n")
	return strings.HasSuffix(line, "]") && (!found || strings.HasPrefix(more, "\n<") && strings.HasSuffix(more, ">"))
}
