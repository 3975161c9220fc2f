package wire

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// isReasoning reports whether message i is a reasoning item or, by its id, a reference to a reasoning item.
func isReasoning(t *transcript.Transcript, i int) bool {
	m := &t.Messages[i]
	if m.Count == 0 {
		return false
	}
	p := &t.Parts[m.First]
	return p.Kind == transcript.Reasoning || isReference(p) && strings.HasPrefix(t.Text(p.ID), "rs_")
}

// isReference reports whether a part represents an item that the provider stores. The type of a reference may be
// missing, so the part's name doesn't identify it.
func isReference(p *transcript.Part) bool {
	return p.Kind == transcript.Opaque && p.Has(transcript.ProviderOnly) && !p.Has(transcript.Signed)
}

// isOfType reports whether message i is an opaque item of one of these types.
func isOfType(t *transcript.Transcript, i int, types ...string) bool {
	m := &t.Messages[i]
	if m.Count == 0 || t.Parts[m.First].Kind != transcript.Opaque {
		return false
	}
	for _, typ := range types {
		if t.EqualText(t.Parts[m.First].Name, typ) {
			return true
		}
	}
	return false
}

// linkResponses joins the items that must stay together (rules OR2 and OR4): a reasoning item and
// the model's items up to the next reasoning item, approvals and their requests, and the items that
// the compact endpoint returned. Items that ctxfold writes are never joined to others. It does
// nothing unless from is 0.
func linkResponses(t *transcript.Transcript, from int) {
	if from > 0 {
		return
	}
	unit := reasonedUnit{begin: -1}
	whole := true // whether all items so far are user and system messages
	for i := range t.Messages {
		m := &t.Messages[i]
		switch reasoning := isReasoning(t, i); {
		case m.Role != transcript.Assistant:
			unit.begin = -1
		case unit.begin >= 0 && (!reasoning || isReasoning(t, i-1)):
			if t.Messages[i-1].Joined = true; !reasoning {
				unit.follow(t, i)
			}
		case reasoning:
			unit = reasonedUnit{begin: i}
		}
		switch {
		case isOfType(t, i, "mcp_approval_response"):
			joinApprovals(t, i)
		case whole && isOfType(t, i, "compaction"):
			joinBefore(t, i)
		}
		whole = whole && (m.Role == transcript.User || m.Role == transcript.System)
	}
	if t.Elsewhere {
		markResultsOfStoredCalls(t)
	}
}

// joinBefore joins all messages before the one at index i to it.
func joinBefore(t *transcript.Transcript, i int) {
	for k := range t.Messages[:i] {
		t.Messages[k].Joined = true
	}
}

// joinApprovals joins the requests and responses directly before an approval to it.
func joinApprovals(t *transcript.Transcript, i int) {
	for k := i - 1; k >= 0 && !t.Messages[k].Joined && isOfType(t, k, "mcp_approval_request", "mcp_approval_response"); k-- {
		t.Messages[k].Joined = true
	}
}

// markResultsOfStoredCalls marks results whose calls are not in the list because the provider stores that part of the
// conversation.
func markResultsOfStoredCalls(t *transcript.Transcript) {
	for i := range t.Parts {
		if p := &t.Parts[i]; p.Kind == transcript.ToolResult && p.Pair < 0 && p.Parent < 0 {
			p.Flags |= transcript.ProviderOnly
		}
	}
}

// reasonedUnit is a reasoning item and the items after it that depend on it.
type reasonedUnit struct {
	begin  int  // index of its first item, or -1 if there is no unit
	tied   bool // whether its reasoning is tied
	withID bool // whether an item in it has an id
}

// follow adds item i to the unit. The item must not be a reasoning item.
func (u *reasonedUnit) follow(t *transcript.Transcript, i int) {
	m := &t.Messages[i]
	reasoning := t.Parts[t.Messages[u.begin].First:m.First]
	if !u.withID && transcript.AnyHas(t.PartsOf(i), transcript.Stored) {
		// Without its reasoning this item would lose its id. Removing the reasoning therefore gains nothing, and it
		// stays.
		u.withID = true
		for n := range reasoning {
			reasoning[n].Flags &^= transcript.Bound
		}
	}
	if !u.tied && m.Count > 0 && t.Parts[m.First].Has(transcript.Stored) {
		u.tied = true
		for n := range reasoning {
			reasoning[n].Flags |= transcript.Tied
		}
	}
}

// checkResponses reports violations of OR2 (reasoning and the items that follow it need each other), OR3 and OR6 (if
// the provider stores nothing, nothing may rely on stored items), and OR5 (a trigger must be the last item).
func checkResponses(c *Checker) {
	followed := false
	for place := len(c.Seq) - 1; place >= 0; place-- {
		m := c.Seq[place]
		i := int(m)
		switch {
		case !isReasoning(c.T, i):
			followed = c.T.Messages[m].Role == transcript.Assistant
		case c.T.Parts[c.T.Messages[m].First].Kind == transcript.Reasoning: // only the provider knows which item must follow a reference
			c.checkReasoning(m, followed)
		}
		if c.T.Unstored && c.T.Messages[m].Count > 0 && isReference(&c.T.Parts[c.T.Messages[m].First]) {
			c.Add("OR6", m, -1, DropMessage, "nothing is stored, so there is nothing to refer to")
		}
		if place < len(c.Seq)-1 && isOfType(c.T, i, "compaction_trigger") {
			c.Add("OR5", m, -1, DropMessage, "a compaction trigger must be the last item")
		}
	}
	c.storedIDs()
}

// checkReasoning checks a reasoning item. followed is true if one of the items after it may depend on it.
func (c *Checker) checkReasoning(m int32, followed bool) {
	p := &c.T.Parts[c.T.Messages[m].First]
	if c.T.Unstored && !p.Has(transcript.Signed) && !p.ID.IsZero() {
		c.Add("OR3", m, -1, DropMessage, "nothing is stored, and this reasoning has no encrypted content")
	} else if !followed {
		c.Add("OR2", m, -1, DropMessage, "this reasoning has no item that follows it")
	}
}

// storedIDs checks that every item with an id comes with its reasoning: the provider requires the reasoning that it
// has stored with the id.
func (c *Checker) storedIDs() {
	t := c.T
	needs := -1 // the reasoning that the provider requires together with the item
	for i := range t.Messages {
		m := &t.Messages[i]
		if i == 0 || !t.Messages[i-1].Joined || m.Role != transcript.Assistant {
			needs = -1
		}
		if isReasoning(t, i) {
			needs = i
		}
		if needs < 0 || needs == i || c.place[needs] >= 0 || c.place[i] < 0 {
			continue
		}
		for n := m.First; n < m.First+m.Count; n++ {
			if p := &t.Parts[n]; p.List == transcript.Member && p.Has(transcript.Stored) && !p.Has(transcript.Removed) {
				c.Add("OR2", int32(i), n, DropPart, "the provider asks for the reasoning that it stored with this id")
			}
		}
	}
}
