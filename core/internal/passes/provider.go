package passes

import (
	"slices"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// native describes a provider's own compaction API for a wire format.
type native struct {
	format     string
	path, beta string   // the path of its API, and the value of the header anthropic-beta
	list       string   // the member that holds the messages
	beside     []string // members of the conversation's request body that matter
	more       string   // members that request a compaction
	readable   bool     // the result is one message with a readable summary, and an empty one is a failure; otherwise the result begins with user messages
}

// natives are the supported APIs. Their members are those of the SDK types in `@anthropic-ai/sdk` 1.12.0 (BetaCompactionConfig) and
// `openai` 7.57.0 (ResponseCompactParams).
var natives = []native{
	{format: "anthropic", path: "/v1/messages", beta: "compact-2026-09-04", list: "messages", beside: []string{"system", "tools"},
		more: `"compaction":{"type":"summarize"}`, readable: true},
	{format: "openai-responses", path: "/v1/responses/compact", list: "input", beside: []string{"instructions"}},
}

// offer is what a fold may have the provider compact.
type offer struct {
	native
	items []int // indexes of the view's items
	// Earlier compactions of the provider among them, which the new one replaces.
	old []bool
}

// offered returns what the provider may be asked to compact instead of the model: all items before cut. It returns nil if the policy
// doesn't want that, the provider has no such API, or something that must stay would be part of its answer.
func (c *Run) offered(cut int, held []bool, groups []int32) *offer {
	if !c.Policy.AsksProvider() || c.provided != nil || c.style().Split || c.Policy.Local() || c.Policy.Branch() {
		return nil
	}
	at := slices.IndexFunc(natives, func(n native) bool { return n.format == c.F.Name })
	if at < 0 {
		return nil
	}
	o := &offer{native: natives[at], old: make([]bool, len(held))}
	for i := range c.Items[:cut] {
		m := c.Items[i].Msg
		if c.T.Messages[m].Role == transcript.System {
			if len(o.items) > 0 {
				return nil // it must stay, and is in the middle
			}
			continue
		}
		if o.items = append(o.items, i); !held[i] {
			continue
		}
		for k := range c.Items[:cut] {
			o.old[i] = o.old[i] || groups[k] == groups[i] && c.compacted(c.Items[k].Msg)
		}
		if !o.old[i] {
			return nil
		}
	}
	return o
}

// compacted reports whether a message is a compaction that the provider made.
func (c *Run) compacted(m int32) bool {
	return slices.ContainsFunc(c.T.PartsOf(int(m)), func(p transcript.Part) bool { return isCompacted(&p) })
}

func isCompacted(p *transcript.Part) bool { return p.Has(transcript.Held) && p.Has(transcript.Signed) }

// request returns the request to the provider. Messages are as in the input, which its prompt cache has; if some were repaired, they are as
// they are now.
func (o *offer) request(c *Run) *api.ProviderRequest {
	body := append([]byte{'{', '"'}, o.list...)
	body = append(body, `":[`...)
	for n, i := range o.items {
		if n > 0 {
			body = append(body, ',')
		}
		if it := &c.Items[i]; it.In >= 0 && c.Report.Repaired == 0 {
			body = append(body, c.T.Bytes(c.T.Messages[it.Msg].Span)...)
		} else {
			body = c.AppendMessage(body, it)
		}
	}
	body = append(body, ']')
	if o.more != "" {
		body = append(append(body, ','), o.more...)
	}
	if outer := c.T.Outer; outer != c.T.List {
		s := jsonspan.New(c.T.Src).At(outer.Start)
		for s.Object(); ; {
			key, more := s.Key()
			if !more {
				break
			}
			name := string(key)
			value := s.Skip()
			if slices.Contains(o.beside, name) {
				body = append(jsonspan.AppendString(append(body, ','), name), ':')
				body = append(body, c.T.Src[value.Start:value.End]...)
			}
		}
	}
	return &api.ProviderRequest{Format: api.Format(o.format), Path: o.path, Beta: o.beta, Body: api.Raw(append(body, '}'))}
}

// take checks the provider's answer: messages of the format, ending with a compaction, that have at most half of the tokens that they
// replace.
func (o *offer) take(c *Run, messages api.Raw, gain int) (p *provided, why api.SummaryFault) {
	s := jsonspan.New([]byte(messages))
	s.Weigh = c.T.Weigh
	t := c.F.Read(s)
	if s.Err() != nil || len(t.Messages) == 0 || o.readable && len(t.Messages) > 1 {
		return nil, api.FaultEmpty
	}
	p = new(provided)
	for i := range t.Messages {
		signed := slices.ContainsFunc(t.PartsOf(i), func(p transcript.Part) bool {
			return isCompacted(&p) && (p.Has(transcript.Summary) || !o.readable && sealed(t.Bytes(p.Span)))
		})
		if last := i == len(t.Messages)-1; last && !signed || !last && t.Messages[i].Role != transcript.User {
			return nil, api.FaultEmpty
		}
		p.tokens += c.P.Message(t, i)
		p.messages = append(p.messages, t.Bytes(t.Messages[i].Span))
	}
	if 2*p.tokens > gain {
		return nil, api.FaultTooLarge
	}
	return p, ""
}

// ProviderRequest is the id of the request for a provider's own compaction.
const ProviderRequest = FoldRequest + "-provider"

// askProvider requests the provider's own compaction, or takes its answer. The host may answer with a text instead, if it has given the
// prompt, which covers the first part of the record, to its model. The text is "" while the reply is awaited, which ok reports, and if the
// provider has answered. If the provider failed and the model should be asked, ok is false.
func (c *Run) askProvider(p digest.Prompt, output, gain int) (text string, ok, answered bool) {
	r, fits := c.request(ProviderRequest, p, output)
	if !fits {
		return "", false, false
	}
	reply, found := c.Reply(ProviderRequest)
	if !found {
		r.Provider = c.offer.request(c)
		c.Requests = append(c.Requests, r)
		return "", false, true
	}
	c.Asked.In += r.InputTokens
	if len(reply.Messages) > 0 {
		var why api.SummaryFault
		if c.provided, why = c.offer.take(c, reply.Messages, gain); why != "" {
			return "", false, false
		}
		c.Asked.Out += c.provided.tokens
		return "", true, true
	}
	c.Asked.Out += c.P.Text(reply.Text)
	text, why := digest.AcceptDigest(reply, c.P, gain, output, p.Template == "")
	return text, true, why == ""
}

// sealed reports whether an item contains something that only its provider can read.
func sealed(item []byte) bool {
	s := jsonspan.New(item)
	for s.Object(); ; {
		key, more := s.Key()
		if !more {
			return false
		}
		if string(key) == "encrypted_content" {
			return s.Kind() == jsonspan.String && s.Skip().Len() > len(`""`)
		}
		s.Skip()
	}
}

// provided is a compaction made by the provider.
type provided struct {
	messages [][]byte
	tokens   int
}

// providerBody is the digest that accompanies a provider's compaction: the ledger, which code has written.
const providerBody = "The message before this one has the summary of the earlier conversation. The following record was kept with it."

// providerDigest writes the digest of a job whose summary the provider has made.
func (c *Run) providerDigest(j job, standing string, budget, spare int) string {
	c.Report.Summary = api.ReportSummary{Source: api.SourceProvider}
	return digest.WithStanding(providerBody, standing) + j.ledger.TextBeside(c.P.MaxUnits(budget)/3, c.P.MaxUnits(spare))
}

// putProvided puts the provider's compaction before the digest that accompanies it. No pass of this run removes it.
func (c *Run) putProvided() {
	for _, text := range c.provided.messages {
		c.Insert(c.digest, text)
		it := &c.Items[c.digest]
		it.Pinned = true
		c.Act(api.Action{Action: api.ActionInsert, Pass: "fold", Message: -1, Tokens: -it.Tokens})
		c.digest++
	}
}
