package wire

import "github.com/ctxfold/ctxfold/core/internal/transcript"

// checkOrder checks that the first message has the right role and, as far as the format requires it, that roles
// alternate and follow each other in the right order.
func (c *Checker) checkOrder() {
	last := transcript.System
	for i, m := range c.Seq {
		role := c.T.Messages[m].Role
		if mayNotFollow(c.roleBefore(i), role) {
			c.Add(c.F.Rules.Follow, m, -1, AddTurn, "no message of this role may follow the previous one")
		}
		if role == transcript.System || c.F.Rules.Through && c.T.Messages[m].Unsent {
			continue
		}
		if last == transcript.System && role != transcript.User && !c.isSummarized(m) {
			c.AddCase(c.F.Rules.First, c.openingCase(i), m, -1, AddUser, "the first message must be the user's")
		}
		if last == role && i > 0 {
			c.AddCase(c.F.Rules.Alternate, SameRole, m, -1, AddTurn, "two consecutive messages have the same role")
		}
		last = role
	}
}

// mayNotFollow reports whether providers with the rule Follow refuse a message with the given role directly after one
// whose role is before.
func mayNotFollow(before, role transcript.Role) bool {
	switch role {
	case transcript.User:
		return before == transcript.Tool
	case transcript.System:
		return before == transcript.Tool || before == transcript.Assistant
	}
	return false
}

// openingCase returns the case of the violation if the first message, at place, isn't from the user. It is OpensInText
// if none of the consecutive first messages with that role calls a tool.
func (c *Checker) openingCase(place int) Case {
	for k := place; k < len(c.Seq) && c.run[k] == c.run[place]; k++ {
		for _, p := range c.T.PartsOf(int(c.Seq[k])) {
			if p.Kind == transcript.ToolCall && !p.Has(transcript.Removed) {
				return General
			}
		}
	}
	return OpensInText
}

// roleBefore returns the role of the message before a position, or User if there is none. The list begins as if the
// user had spoken before it.
func (c *Checker) roleBefore(place int) transcript.Role {
	if place == 0 {
		return transcript.User
	}
	return c.T.Messages[c.Seq[place-1]].Role
}

// isSummarized reports whether a message begins with the provider's own summary of everything before it (AN2).
func (c *Checker) isSummarized(m int32) bool {
	for _, p := range c.T.PartsOf(int(m)) {
		if !p.Has(transcript.Removed) {
			return p.Has(transcript.Summary)
		}
	}
	return false
}

// isPresent reports whether the part with the given index is in the sequence.
func (c *Checker) isPresent(part int32) bool {
	return part >= 0 && !c.T.Parts[part].Has(transcript.Removed) && c.place[c.T.Parts[part].Msg] >= 0
}
