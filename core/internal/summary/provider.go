package summary

import (
	"slices"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// native describes a provider's compaction API for a wire format.
type native struct {
	format     string   // the name of the wire format
	path, beta string   // the path of the API, and the value of the header anthropic-beta
	list       string   // the member that contains the messages
	beside     []string // the members of the conversation's request body that the API needs
	more       string   // the members that request a compaction
	// Whether the result is one message with a readable summary (empty on failure), rather than a list that begins with
	// user messages.
	readable bool
}

// natives lists the supported APIs. The names of the members are those in the SDK types of `@anthropic-ai/sdk` 1.12.0
// (BetaCompactionConfig) and `openai` 7.57.0 (ResponseCompactParams).
var natives = []native{
	{format: "anthropic", path: "/v1/messages", beta: "compact-2026-09-04", list: "messages", beside: []string{"system", "tools"},
		more: `"compaction":{"type":"summarize"}`, readable: true},
	{format: "openai-responses", path: "/v1/responses/compact", list: "input", beside: []string{"instructions"}},
}

// ProviderCompaction describes the part of a fold that the provider can compact.
type ProviderCompaction struct {
	native
	items []int // indexes of the items in the view
	// Old marks items that are earlier compactions by the provider, which the new compaction replaces.
	Old []bool
}

// hasCompaction reports whether an item of the group contains the provider's own compaction. groups has the groups of
// the first items; only these are searched.
func (w *Writer) hasCompaction(group int32, groups []int32) bool {
	for k, g := range groups {
		if g == group && isCompaction(w.doc.T, w.doc.Items[k].Msg) {
			return true
		}
	}
	return false
}

// ProviderCompaction returns the items that the provider can compact in place of the model, which are all items before
// cut, except for leading system messages. It returns nil if the policy doesn't ask for this, if the provider has no
// such API, or if the compaction would include items that must stay. stays and groups have one element per item.
func (w *Writer) ProviderCompaction(cut int, stays []bool, groups []int32) *ProviderCompaction {
	if !w.policy.AsksProvider() || w.compacted || w.Style().Split || w.policy.UsesLocalDigest() || w.policy.IsBranchScope() {
		return nil
	}
	at := slices.IndexFunc(natives, func(n native) bool { return n.format == w.doc.F.Name })
	if at < 0 {
		return nil
	}
	o := &ProviderCompaction{native: natives[at], Old: make([]bool, len(stays))}
	for i := range w.doc.Items[:cut] {
		m := w.doc.Items[i].Msg
		if w.doc.T.Messages[m].Role == transcript.System {
			if len(o.items) > 0 {
				return nil // an item that must stay is in the middle
			}
			continue
		}
		if o.items = append(o.items, i); !stays[i] {
			continue
		}
		if o.Old[i] = w.hasCompaction(groups[i], groups[:cut]); !o.Old[i] {
			return nil
		}
	}
	return o
}

// isCompaction reports whether a message is a compaction of other messages by a provider.
func isCompaction(t *transcript.Transcript, m int32) bool {
	return slices.ContainsFunc(t.PartsOf(int(m)), func(p transcript.Part) bool { return isCompacted(&p) })
}

func isCompacted(p *transcript.Part) bool {
	return p.Has(transcript.ProviderOnly) && p.Has(transcript.Signed)
}

// providerRequest returns the request to the provider. It contains the original messages, which are in the provider's
// prompt cache, unless some of them were repaired.
func (w *Writer) providerRequest(o *ProviderCompaction) *api.ProviderRequest {
	doc := w.doc
	body := append([]byte{'{', '"'}, o.list...)
	body = append(body, `":[`...)
	for n, i := range o.items {
		if n > 0 {
			body = append(body, ',')
		}
		if it := &doc.Items[i]; it.In >= 0 && w.report.Repaired == 0 {
			body = append(body, doc.T.Bytes(doc.T.Messages[it.Msg].Span)...)
		} else {
			body = doc.AppendMessage(body, it)
		}
	}
	body = append(body, ']')
	if o.more != "" {
		body = append(append(body, ','), o.more...)
	}
	if outer := doc.T.Outer; outer != doc.T.List {
		s := jsonspan.New(doc.T.Src).At(outer.Start)
		for key := range s.Members {
			name := string(key)
			value := s.Skip()
			if slices.Contains(o.beside, name) {
				body = append(jsonspan.AppendString(append(body, ','), name), ':')
				body = append(body, doc.T.Src[value.Start:value.End]...)
			}
		}
	}
	return &api.ProviderRequest{Format: api.Format(o.format), Path: o.path, Beta: o.beta,
		Body: api.Raw(append(body, '}'))}
}

// accepted returns the provider's compaction, or nil if it can't be used. It must be a list of user messages that
// ends with a compacted message, or only that message if it is readable. It must have at most half as many tokens as it
// replaces (gain).
func (w *Writer) accepted(o *ProviderCompaction, messages api.Raw, gain int) *Compacted {
	s := jsonspan.New([]byte(messages))
	s.Weigh = w.doc.T.Weigh
	t := w.doc.F.Read(s)
	if s.Err() != nil || len(t.Messages) == 0 || o.readable && len(t.Messages) > 1 {
		return nil
	}
	made := new(Compacted)
	for i := range t.Messages {
		signed := slices.ContainsFunc(t.PartsOf(i), func(p transcript.Part) bool {
			return isCompacted(&p) && (p.Has(transcript.Summary) || !o.readable && sealed(t.Bytes(p.Span)))
		})
		if last := i == len(t.Messages)-1; last && !signed || !last && t.Messages[i].Role != transcript.User {
			return nil
		}
		made.Tokens += w.doc.P.Message(t, i)
		made.Messages = append(made.Messages, t.Bytes(t.Messages[i].Span))
	}
	if 2*made.Tokens > gain {
		return nil
	}
	return made
}

// askProvider requests the provider's compaction, in which case the answer is pending, or accepts the result. A host
// that can't request a compaction may have called its model instead, with the prompt for the first part of the record.
// taken is false if the prompt doesn't fit into a request, or if the reply can't be used; then the model must be
// called. p is the prompt for a host that calls its model. output is the maximum size of its reply, and gain the size
// of what the digest replaces, both in tokens.
func (w *Writer) askProvider(o *ProviderCompaction, p digest.Prompt, output, gain int) (a answer, taken bool) {
	r, fits := w.request(ProviderRequest, p, output)
	if !fits {
		return a, false
	}
	reply, found := w.ReplyTo(ProviderRequest)
	if !found {
		r.Provider = w.providerRequest(o)
		w.requests = append(w.requests, r)
		return answer{pending: true}, true
	}
	w.callCost.In += r.InputTokens
	if len(reply.Messages) > 0 {
		made := w.accepted(o, reply.Messages, gain)
		if made == nil {
			return a, false
		}
		w.callCost.Out += made.Tokens
		w.compacted = true
		return answer{made: made}, true
	}
	w.callCost.Out += w.doc.P.Text(reply.Text)
	text, why := digest.AcceptDigest(reply, w.doc.P, gain, output, p.Template == "")
	return answer{text: text}, why == ""
}

// sealed reports whether an item contains content that only its provider can read.
func sealed(item []byte) bool {
	s := jsonspan.New(item)
	for key := range s.Members {
		if string(key) == "encrypted_content" {
			return s.Kind() == jsonspan.String && s.Skip().Len() > len(`""`)
		}
		s.Skip()
	}
	return false
}

// Compacted is a compaction of messages by a provider.
type Compacted struct {
	Messages [][]byte // JSON
	Tokens   int      // number of tokens of the messages
}

// providerBody is the text of the digest that accompanies a provider's compaction. It is followed by the ledger.
const providerBody = "The message before this one has the summary of the earlier conversation. The following record was kept with it."
