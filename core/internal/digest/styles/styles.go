// Package styles has what the published systems word their own way: how they render messages for a request, their
// prompts, and the beginnings of their digest messages. docs/reference/published.md describes the systems by the numbers
// in the comments, such as S1.16. Everything that is the same for all styles is in package digest.
package styles

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/digest"
)

var all = []*digest.Style{TurnTail, Checkpoint, WindowBudget, AgentLoop}

func init() { digest.DeclareStyles(all...) }

// ByName returns the style with the given name, or nil if there is none. The name of ctxfold's own style is "".
func ByName(name string) *digest.Style {
	if name == "" {
		return digest.Own
	}
	for _, s := range all {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// Unknown returns the error message for the name of a style that doesn't exist. The message lists the names that do.
func Unknown(name string) string {
	names := make([]string, len(all))
	for i, s := range all {
		names[i] = s.Name
	}
	return "there is no style \"" + name + "\"; there are: " + strings.Join(names, ", ")
}

// summarySections are the sections of a summary in the turn-tail and agent-loop styles (S1.20, S4.36).
const summarySections = `

## Goal
[What the user wants to achieve; one line for each goal]

## Constraints & Preferences
- [What the user demands, forbids or prefers; "(none)" if nothing was said]

## Progress
### Done
- [x] [What is finished]

### In Progress
- [ ] [What was started]

### Blocked
- [What prevents progress, if anything does]

## Key Decisions
- **[What was decided]**: [why]

## Next Steps
1. [What must be done next, in order]

## Critical Context
- [Data, names and references needed to continue the work; "(none)" if not applicable]
`
