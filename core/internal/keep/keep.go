// Package keep determines which messages must stay: those that are pinned, and those that belong to a pinned message or
// to a tool call that is still open.
//
// The package marks the items of a document, but never changes their content.
package keep

import (
	"bytes"
	"slices"

	"github.com/ctxfold/ctxfold/core/internal/authorship"
	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// Keeper determines which items of a document must stay in the result.
type Keeper struct {
	doc     *view.View          // the document whose items may have to stay
	authors *authorship.Authors // says who wrote a message
	policy  *policy.Policy      // determines what stays
	scores  *scores             // nil if the host has given none
	// instructions is the size, in tokens, of the items that stay because they are project instructions.
	instructions int
	// system is the size, in tokens, of the items that are system messages of the host.
	system int
}

// New returns the Keeper for a document and a policy.
func New(doc *view.View, authors *authorship.Authors, p *policy.Policy) *Keeper {
	return &Keeper{doc: doc, authors: authors, policy: p}
}

// PinItems marks the items that must stay unchanged: system messages, the newest user message (except in a branch,
// where it is folded too), messages with content that only the provider can read, the provider's own summaries,
// messages that match the policy's pins, project instructions, and messages whose scores are high enough.
func (k *Keeper) PinItems() {
	k.instructions, k.system = 0, 0
	t, newest, summarized := k.doc.T, k.NewestUser(), int32(k.doc.T.ProviderSummarized())
	for i := range k.doc.Items {
		m := k.doc.Items[i].Msg
		words := i == newest && t.Messages[m].Role == transcript.Assistant // the steps before the user's words may be removed
		k.doc.Items[i].Said = 0
		if words {
			k.doc.Items[i].Said = t.LastSaid(int(m)) + 1
		}
		system := t.Messages[m].Role == transcript.System && !k.authors.IsOwn(m)
		if system {
			k.system += k.doc.Items[i].Tokens
		}
		k.doc.Items[i].Pinned = i == newest && !words || m < summarized || system || k.ProviderOnly(m) || PinOf(k.doc, k.policy, int(m)) >= 0
		k.doc.Items[i].Instr = false
	}
	k.pinProject()
	k.pinScored()
}

// pinProject pins messages with project instructions, as far as their share of the window allows: the newest version of
// each file and each skill, files before skills.
func (k *Keeper) pinProject() {
	room := k.ProjectRoom()
	if room == 0 {
		return
	}
	var files, skills []int
	var seen critbit.Map[struct{}]
	for i := len(k.doc.Items) - 1; i >= 0; i-- {
		if k.authors.IsOwn(k.doc.Items[i].Msg) {
			continue
		}
		what, key := digest.ProjectIn(k.doc.T, int(k.doc.Items[i].Msg))
		if what == digest.NoProject || seen.Has(key) {
			continue
		}
		seen.Add(key)
		if what == digest.ProjectFile {
			files = append(files, i)
		} else {
			skills = append(skills, i)
		}
	}
	for _, i := range append(files, skills...) {
		if it := &k.doc.Items[i]; !it.Pinned && it.Tokens <= room {
			room -= it.Tokens
			k.PinInstructions(it)
		}
	}
}

// ProjectRoom returns the number of further tokens of project instructions that may stay. Without a window it is
// unlimited. If the policy keeps no project instructions, it is 0.
func (k *Keeper) ProjectRoom() int {
	share := k.policy.ProjectShare()
	if share == 0 || k.policy.IsBranchScope() {
		return 0
	}
	window := max(k.policy.Window.Tokens, k.policy.Limit())
	if window == 0 {
		return policy.MaxTokens
	}
	return max(0, int(float64(window)*share)-k.instructions)
}

// PinInstructions pins an item with project instructions.
func (k *Keeper) PinInstructions(it *view.Item) {
	it.Pinned, it.Instr = true, true
	k.instructions += it.Tokens
}

// InstructionTokens returns the size, in tokens, of the project instructions that stay.
func (k *Keeper) InstructionTokens() int { return k.instructions }

// SystemTokens returns the size, in tokens, of the host's system messages.
func (k *Keeper) SystemTokens() int { return k.system }

// NewestUser returns the index of the item with the newest user message. It returns -1 if there is
// none, or if the policy compacts a branch.
func (k *Keeper) NewestUser() int {
	if k.policy.IsBranchScope() {
		return -1
	}
	for i := len(k.doc.Items) - 1; i >= 0; i-- {
		if k.doc.T.HasUserText(int(k.doc.Items[i].Msg)) && !k.authors.IsOwn(k.doc.Items[i].Msg) {
			return i
		}
	}
	return -1
}

// ProviderOnly reports whether a message contains something that only the provider can read.
func (k *Keeper) ProviderOnly(m int32) bool {
	return transcript.AnyHas(k.doc.T.PartsOf(int(m)), transcript.ProviderOnly)
}

// PinOf returns the index of the policy's first pin that matches message m of a document, or -1.
func PinOf(doc *view.View, p *policy.Policy, m int) int {
	return slices.IndexFunc(p.Pins, func(pin policy.Pin) bool { return matches(doc, &pin, m) })
}

// matches reports whether a pin matches message m of a document.
func matches(doc *view.View, pin *policy.Pin, m int) bool {
	t := doc.T
	msg := &t.Messages[m]
	if pin.Role != "" && pin.Role != msg.Role.String() {
		return false
	}
	if pin.Index != nil && !(*pin.Index == m || *pin.Index < 0 && *pin.Index+doc.N == m) {
		return false
	}
	if pin.ID != "" && !slices.ContainsFunc(t.PartsOf(m), func(p transcript.Part) bool { return !p.ID.IsZero() && t.EqualText(p.ID, pin.ID) }) {
		return false
	}
	return pin.Contains == "" || bytes.Contains(t.Bytes(msg.Span), []byte(pin.Contains))
}

// StayingItems returns for each item whether it must stay, and the group of each item. An item must stay if it is
// pinned, contains a tool call that is still open or the newest words of the user, is the rest of a message whose
// beginning was folded, or is in one group with such an item. An item that must stay for one
// pass must stay for all later passes, because the bodies of folds refer to it by number.
func (k *Keeper) StayingItems() (stays []bool, groups []int32) {
	if k.policy.IsBranchScope() {
		return k.StayingItemsWith(func(int) bool { return false })
	}
	waiting := len(k.doc.Items) // start of the last turn, in which a provider's tool may still be running
	if k.doc.F.Rules.Server != "" || k.doc.T.Calls {
		waiting = k.OpenTurn(waiting)
	}
	return k.StayingItemsWith(func(i int) bool {
		m := k.doc.Items[i].Msg
		return k.doc.T.OpenCalls(int(m)) || i >= waiting && k.RunsProviderTool(m)
	})
}

// StayingItemsWith is like StayingItems, but open decides which items must stay in addition to the pinned ones. stays
// and groups have one element per item; items with the same number in groups are one group, which stays as a whole.
func (k *Keeper) StayingItemsWith(open func(item int) bool) (stays []bool, groups []int32) {
	seq := make([]int32, len(k.doc.Items))
	for i, it := range k.doc.Items {
		seq[i] = it.Msg
	}
	groups = k.doc.T.Groups(seq)
	stays = make([]bool, len(k.doc.Items))
	for i := 0; i < len(stays); {
		end, whole := i, false
		for ; end < len(stays) && groups[end] == groups[i]; end++ {
			stays[end] = k.doc.Items[end].Pinned || k.doc.Items[end].Rest || k.doc.Items[end].Said > 0 || open(end)
			whole = whole || stays[end] && k.doc.T.Messages[seq[end]].Role != transcript.System && k.InPair(seq[end])
		}
		for ; i < end; i++ {
			stays[i] = stays[i] || whole
		}
	}
	return stays, groups
}

// OpenTurn returns the index at which the last turn of the first n items begins: after the newest message of the user
// or, if the user's newest words are inside an assistant message, with that message. It is n if the turn is empty.
func (k *Keeper) OpenTurn(n int) int {
	return k.TurnOf(n, func(i int) int32 { return k.doc.Items[i].Msg })
}

// TurnOf is like OpenTurn, for n messages of any list; msg returns the message at an index.
func (k *Keeper) TurnOf(n int, msg func(i int) int32) int {
	for n > 0 && !k.doc.T.HasUserText(int(msg(n-1))) {
		n--
	}
	if n > 0 && k.doc.T.Messages[msg(n-1)].Role == transcript.Assistant {
		n--
	}
	return n
}

// RunsProviderTool reports whether a message calls a provider's tool that has not returned its result yet.
func (k *Keeper) RunsProviderTool(m int32) bool {
	return slices.ContainsFunc(k.doc.T.PartsOf(int(m)), func(p transcript.Part) bool {
		return p.Kind == transcript.ToolCall && p.Has(transcript.Server) && p.Pair < 0 && !p.Has(transcript.Removed)
	})
}

// InPair reports whether message m contains a tool call or a tool result, or is joined to the message before or after
// it.
func (k *Keeper) InPair(m int32) bool {
	if k.doc.T.Messages[m].Joined || m > 0 && k.doc.T.Messages[m-1].Joined {
		return true
	}
	for _, p := range k.doc.T.PartsOf(int(m)) {
		if p.Kind == transcript.ToolCall || p.Kind == transcript.ToolResult {
			return true
		}
	}
	return false
}
