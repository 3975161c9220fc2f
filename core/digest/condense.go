package digest

import (
	"github.com/ctxfold/ctxfold/core/tokens"
	"github.com/ctxfold/ctxfold/core/transcript"
)

// CondenseOptions say how messages are condensed by themselves, outside of a compaction.
type CondenseOptions struct {
	Scope        string // SessionScope or BranchScope
	Prior        string // the digest so far
	Instructions string // of the policy
	Mode         string // of the policy's summary: model, local or minimal
	MaxOutput    int    // how large the digest may get, in tokens
	Exact        bool   // as the published system does (S3.25 to S3.28)
	Reply        *Reply // what the model has answered; nil is that it has not been asked
}

// Condensed is the request for a digest and, once there is a reply or none is wanted, the digest.
type Condensed struct {
	System, Prompt, Thinking string
	Message                  string // the text of the digest message; "" while the model has to be asked
	Source                   string // where the digest came from: model or local
	Why                      string // the reply was not taken
	Covered                  int    // messages
}

// Condense makes one digest of messages: those of a session, or of a path that was given up (S3.27, S3.29). It always has one in
// the end: where the reply is none, it is written without a model.
func Condense(t *transcript.Transcript, messages []int32, p *tokens.Profile, o CondenseOptions) Condensed {
	record, _ := windowBudget.Record(t, messages, RecordOptions{Exact: o.Exact})
	branch := o.Scope == BranchScope
	c := Condensed{Covered: len(messages), System: System, Thinking: windowBudget.Thinking, Prompt: windowBudgetPrompt(
		&Prompt{Scope: o.Scope, Record: record, Prior: o.Prior, Instructions: o.Instructions, Exact: o.Exact})}
	if o.Mode == "model" && o.Reply == nil {
		return c
	}
	var body string
	var ledger Ledger
	if o.Mode == "model" {
		body, c.Why = accepted(*o.Reply, p, sum(t, messages, p), o)
	}
	for _, i := range messages {
		if t.Messages[i].Role == transcript.User && t.StartsWith(int(i), BranchHeader) {
			ledger.AddBranch(t, int(i))
		}
	}
	ledger.Add(t, messages)
	if c.Source = "model"; body == "" {
		c.Source = "local"
		if o.Exact || o.Mode == "minimal" {
			body = Minimal(len(messages), o.Prior)
		} else {
			e := NewExtract(t, messages, o.Prior, &ledger)
			size := p.MaxUnits(o.MaxOutput)
			standing := ledger.StandingBlock(size / 8)
			e.Keep(standing, 0)
			body = e.Digest(size - len(standing))
		}
	} else if !o.Exact {
		body = WithStanding(Fence(body), ledger.StandingBlock(p.MaxUnits(o.MaxOutput)/8)) + ledger.Text(p.MaxUnits(o.MaxOutput)/3)
	}
	switch {
	case o.Exact && branch:
		c.Message = BranchHeader + "\n\n" + body
	case o.Exact:
		c.Message = windowBudget.Message(body)
	default:
		c.Message = own.Write(body, o.Scope, 0)
	}
	return c
}

// accepted is the text of a reply, or why it is not taken. The published system takes whatever is not empty.
func accepted(r Reply, p *tokens.Profile, folded int, o CondenseOptions) (text, why string) {
	if o.Exact {
		if r.Error != "" || blank(r.Text) {
			return "", SummarizerFailed
		}
		return r.Text, ""
	}
	if text, why = AcceptDigest(r, p, folded, o.MaxOutput, true); why == NoHeadings {
		why = "" // it still says more than an extract
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
