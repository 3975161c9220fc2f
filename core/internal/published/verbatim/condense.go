package verbatim

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/tokens"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// CondenseOptions are the options for condensing messages outside of a compaction.
type CondenseOptions struct {
	Scope        api.Scope    // api.ScopeSession or api.ScopeBranch
	Prior        string       // the previous digest; "" if there is none
	Instructions string       // the policy's instructions for summaries
	Mode         string       // the mode of the policy's summary: model, local or minimal
	MaxOutput    int          // the maximum size of the digest, in tokens
	Exact        bool         // follow the published system (S3.25 to S3.28)
	Reply        *api.Summary // the model's reply; nil if it has not been asked
}

// Condensed is the request for a digest and, if there is a reply or none is needed, the digest.
type Condensed struct {
	System, Prompt, Thinking string           // the request
	Message                  string           // the text of the digest message; "" until the model has answered
	Source                   string           // where the digest came from: model or local
	Why                      api.SummaryFault // why the reply was rejected
	Covered                  int              // number of messages
}

// Condense makes one digest of the messages of a session or of an abandoned branch (S3.27, S3.29). Once there is a
// reply, Condense always succeeds: if the reply is unusable, the digest is written without a model.
func Condense(t *transcript.Transcript, messages []int32, p *tokens.Profile, o CondenseOptions) Condensed {
	style := windowBudget.Data
	q := Prompt{Prompt: digest.Prompt{Style: style, Scope: o.Scope, Prior: o.Prior, Instructions: o.Instructions}}
	c := Condensed{Covered: len(messages), System: style.System, Thinking: windowBudget.Thinking}
	if o.Exact {
		q.Record, _ = windowBudget.Record(t, messages)
		c.Prompt = windowBudgetPrompt(&q)
	} else {
		q.Record = style.Record(t, messages, digest.RecordOptions{})
		c.Prompt = style.Prompt(&q.Prompt)
	}
	if o.Mode == "model" && o.Reply == nil {
		return c
	}
	var body string
	var ledger digest.Ledger
	if o.Mode == "model" {
		body, c.Why = accepted(*o.Reply, p, sum(t, messages, p), o)
	}
	for _, i := range messages {
		if t.Messages[i].Role == transcript.User && t.StartsWith(int(i), digest.BranchHeader) {
			ledger.AddBranch(t, int(i))
		}
	}
	ledger.Add(t, messages)
	if c.Source = "model"; body == "" {
		c.Source = "local"
		if o.Exact || o.Mode == "minimal" {
			body = digest.Minimal(len(messages), o.Prior)
		} else {
			e := digest.NewExtract(t, messages, o.Prior, &ledger)
			size := p.MaxUnits(o.MaxOutput)
			standing := ledger.StandingBlock(size / 8)
			e.Keep(standing, 0)
			body = e.Digest(size - len(standing))
		}
	} else if !o.Exact {
		body = digest.WithStanding(digest.Fence(body), ledger.StandingBlock(p.MaxUnits(o.MaxOutput)/8)) +
			ledger.TextBeside(p.MaxUnits(o.MaxOutput)/3, 0)
	}
	switch {
	case o.Exact && o.Scope == api.ScopeBranch:
		c.Message = digest.BranchHeader + "\n\n" + body
	case o.Exact:
		c.Message = windowBudget.Message(body)
	default:
		c.Message = digest.Own.Write(body, o.Scope, 0, false)
	}
	return c
}

// accepted returns the text of a reply. If the reply is rejected, why is the reason. The published system accepts any
// text that is not blank. folded is the number of tokens that the digest replaces.
func accepted(r api.Summary, p *tokens.Profile, folded int, o CondenseOptions) (text string, why api.SummaryFault) {
	if o.Exact {
		if r.Error != "" || IsBlank(r.Text) {
			return "", api.FaultFailed
		}
		return r.Text, ""
	}
	if text, why = digest.AcceptDigest(r, p, folded, o.MaxOutput, true); why == api.FaultNoHeadings {
		why = "" // accepted all the same, since it contains more than an extract would
	} else if why != "" {
		text = ""
	}
	return text, why
}

func sum(t *transcript.Transcript, messages []int32, p *tokens.Profile) (tokens int) {
	for _, m := range messages {
		tokens += p.Message(t, int(m))
	}
	return tokens
}
