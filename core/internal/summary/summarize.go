// Package summary produces digests. It requests summaries from the host's model or its provider, judges the replies,
// and writes digests itself if there is no model.
//
// This package never edits the document.
package summary

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/digest/styles"
	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/ctxfold/ctxfold/core/internal/report"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// The ids of requests: for a digest, for the beginning of a divided turn, for a digest requested by a message that is
// appended to the conversation, and for the provider's own compaction.
const (
	FoldRequest     = "fold-1"
	TurnRequest     = "fold-2"
	PrefixRequest   = FoldRequest + "-prefix"
	ProviderRequest = FoldRequest + "-provider"
)

// Writer produces digests with the host's model, with its provider, or with code alone. Requests returns the requests
// that must be answered first.
type Writer struct {
	doc           *view.View     // the document to compact
	policy        *policy.Policy // says who writes summaries, and how long they are
	state         *api.State     // of the last compaction
	ledger        *digest.Ledger // the facts that digests list
	report        *report.Report // says where the digest came from
	target        func() int     // returns the target size of the result in tokens
	keepOnFailure bool           // whether the messages stay if the model fails

	replies   []api.Summary        // the host's replies
	requests  []api.SummaryRequest // the requests to answer
	prefix    *Prefix              // the request that is appended to the conversation, or nil
	forecast  Forecast             // valid if there are requests
	callCost  Cost                 // the cost of the model calls
	compacted bool                 // whether the provider has compacted a part of this document
}

// New returns a Writer for a document whose result should have at most target() tokens. If keepOnFailure is true, or if
// the policy says so, a failed summary leads to no digest instead of a local one.
func New(doc *view.View, in *view.Input, state *api.State, to *report.Report, target func() int, keepOnFailure bool) *Writer {
	w := &Writer{doc: doc, policy: in.Policy, state: state, ledger: (*digest.Ledger)(&state.Ledger), report: to,
		target:        target,
		keepOnFailure: keepOnFailure || in.Policy.Summary.OnFailure == "keep", replies: in.Replies}
	if text := in.Policy.Summary.Text; text != "" { // the host has provided the summary
		w.replies = append([]api.Summary{{ID: FoldRequest, Text: text}, {ID: TurnRequest}}, in.Replies...)
	}
	return w
}

// Requests returns the requests that must be answered before the run can finish.
func (w *Writer) Requests() []api.SummaryRequest { return w.requests }

// AddRequest adds a request that must be answered before the run can finish.
func (w *Writer) AddRequest(r api.SummaryRequest) { w.requests = append(w.requests, r) }

// Prefix returns the request that is appended to the conversation, or nil.
func (w *Writer) Prefix() *Prefix { return w.prefix }

// CallCost returns the cost of the model calls so far.
func (w *Writer) CallCost() Cost { return w.callCost }

// Forecast returns a forecast of the result while requests are pending.
func (w *Writer) Forecast() Forecast { return w.forecast }

// ReplyTo returns the host's reply to the request with the given id. It returns false if the host hasn't replied to it.
func (w *Writer) ReplyTo(id string) (api.Summary, bool) {
	for _, r := range w.replies {
		if r.ID == id {
			return r, true
		}
	}
	return api.Summary{}, false
}

// RecordForecast records a forecast: the items from index first on will change, and the result will have after tokens,
// not counting the summaries.
func (w *Writer) RecordForecast(first, after int) {
	w.forecast = Forecast{First: max(0, first), After: after, Cost: w.callCost}
	if w.prefix != nil {
		w.forecast.Cost.Cached += w.prefix.Cached
	}
	for _, q := range w.requests {
		w.forecast.After += q.MaxOutputTokens
		w.forecast.Cost.In += q.InputTokens
		w.forecast.Cost.Out += q.MaxOutputTokens
	}
}

// Cost is the cost of summary requests in tokens. Cached is the part of In that the provider probably has in its
// cache.
type Cost struct{ In, Cached, Out int }

// Forecast is a forecast of the result of a run that waits for summaries: the index of the first item that will change,
// the size in tokens, and the cost of the model calls.
type Forecast struct {
	First, After int
	Cost         Cost
}

// Job describes a digest to write: the messages to summarize, and the sizes to observe, in tokens.
type Job struct {
	Scope    api.Scope      // what the digest covers
	Messages []int32        // the indexes of the messages to summarize
	Prior    string         // the previous digest
	Ledger   *digest.Ledger // the facts about them
	Gain     int            // the number of tokens that the digest replaces
	Old      int            // the part of Gain that belongs to the previous digest
	Turn     int            // the index in Messages of the divided turn, or -1
	Room     int            // the number of tokens that the limit leaves for the digest; 0 means no limit
	Least    bool           // whether to only count the messages if there is no room for a digest
	Cut      bool           // whether only the beginning of a message is folded, and the rest stays
	// The input index of the first message that stays after the folded ones, or -1.
	Tail  int
	Local bool                // whether to use neither the model nor the provider nor the host's text
	Offer *ProviderCompaction // the items that the provider can compact in place of the model, or nil
	id    string              // the id of the job's request
}

// Digest is the result of a job.
type Digest struct {
	Text    string           // the body of the digest message
	Pending bool             // whether the host's model must be called first
	Failed  api.SummaryFault // the reason why there is no digest, if the policy allows no local one
	Made    *Compacted       // the provider's compaction that the text accompanies, or nil
	// Lacks is the number of tokens that the user's rules would need in addition. It is 0 unless the digest is a small one
	// of a chat that was written without a model.
	Lacks int
}

// answer is the text for a job, or the reason why there is none.
type answer struct {
	text    string
	why     api.SummaryFault // why the text is unusable, or why it was accepted although it has no headings
	pending bool             // whether the host's model must be called first
	shape   api.SummaryShape // the shape of the request that was answered
	made    *Compacted       // the provider's compaction, if there is no text
}

// WriteDigest carries out a job and returns its digest.
func (w *Writer) WriteDigest(j Job) Digest {
	j.id = FoldRequest
	d := writing{w, w.doc.Originals(j.Messages)}
	return d.digest(j)
}

// writing is the state of writing one digest.
type writing struct {
	*Writer
	t *transcript.Transcript // the transcript to read, including content that an earlier pass cleared
}

// digest carries out a job and returns its digest. If the host must answer requests first, the digest has only Pending
// set; if the model's reply is unusable and the policy wants no digest without a model, it has only Failed set.
func (w *writing) digest(j Job) Digest {
	s := &w.policy.Summary
	// Half of the new content, plus the previous digest, which need not shrink with every compaction.
	budget := min(s.MaxOutputTokens, (j.Gain+j.Old)/2)
	if w.target() > 0 {
		budget = min(budget, max(256, w.target()/4))
	}
	if j.Room > 0 {
		budget = min(budget, j.Room)
	}
	standing := w.standing(j.Ledger, j.Gain, budget, j.Room, digest.Chats(w.t, j.Messages, j.Prior, j.Ledger))
	if j.Room > 0 { // the limit applies to the digest and the block together
		budget = max(budget/2, min(budget, j.Room-w.doc.P.Text(standing)))
	}
	spare := w.spare(j.Gain, budget+w.doc.P.Text(standing))
	switch {
	case s.Text != "" && !j.Local:
		w.report.Summary = api.ReportSummary{Source: api.SourceHost}
		return Digest{Text: w.besideLedger(&j, digest.Fence(s.Text), standing, budget, spare)}
	case s.Mode == "minimal":
		w.report.Summary = api.ReportSummary{Source: api.SourceLocal}
		return Digest{Text: digest.Minimal(len(j.Messages), j.Prior)}
	case s.Mode == "local" || j.Local:
		return w.local(j, j.Prior, budget, spare, standing, "")
	}
	a := w.modelDigest(j, max(64, budget))
	switch {
	case a.pending:
		return Digest{Pending: true}
	case a.made != nil:
		w.report.Summary = api.ReportSummary{Source: api.SourceProvider}
		return Digest{Text: w.besideLedger(&j, providerBody, standing, budget, spare), Made: a.made}
	case bad(a.why) && w.keepOnFailure:
		return Digest{Failed: a.why}
	case bad(a.why):
		defer w.counts("")
		if digest.HasLog(a.text) { // code extracted the text from these messages
			a.text = ""
		}
		d := w.local(j, join(j.Prior, a.text), budget, spare, standing, a.why)
		if a.text != "" { // a second digest would lack it
			d.Lacks = 0
		}
		return d
	}
	return Digest{Text: w.completed(&j, a, standing, budget, spare)}
}

// besideLedger adds the standing instructions and the ledger to a text that a model, a provider or the host wrote.
// budget and spare are in tokens; a third of budget is for the ledger, and spare is for the user's requests.
func (w *writing) besideLedger(j *Job, text, standing string, budget, spare int) string {
	return digest.WithStanding(text, standing) + j.Ledger.TextBeside(w.doc.P.MaxUnits(budget)/3,
		w.doc.P.MaxUnits(spare))
}

// completed returns the digest that contains the model's text. A text that only lacks headings is
// accepted, because it is still better than an extract. standing is the block of rules that code
// adds. budget and spare, in tokens, limit what else it adds.
func (w *writing) completed(j *Job, a answer, standing string, budget, spare int) string {
	room := w.doc.P.MaxUnits(budget)
	text := digest.Fence(a.text)
	done := digest.NewExtract(w.t, j.Messages, j.Prior, j.Ledger).
		Complete(text, standing, room, w.doc.P.MaxUnits(spare))
	if w.doc.P.Text(done.Body)+w.doc.P.Text(done.Missing)+2 >= j.Gain {
		done.Missing = ""
	}
	w.report.Summary = api.ReportSummary{Source: api.SourceModel, Fault: a.why, Score: share(done.Found, done.Facts)}
	if done.Named > 0 {
		w.report.Summary.Unfounded = share(done.Unfounded, done.Named)
	}
	w.counts(a.shape)
	return done.Text()
}

// Style returns the style of requests and digests that the policy names.
func (w *Writer) Style() *digest.Style { return styles.ByName(w.policy.Summary.Style) }

// Frame is the approximate size, in tokens, of a digest message without the digest itself.
const Frame = 60

// share returns found divided by all, rounded down to three decimal places, or 1 if all is 0.
func share(found, all int) float64 {
	if all == 0 {
		return 1
	}
	return float64(found*1000/all) / 1000
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}

// bad reports whether a fault means that a reply must be rejected.
func bad(why api.SummaryFault) bool { return why != "" && why != api.FaultNoHeadings }

// written returns the model's text for a job, of at most output tokens. The text can consist of several summaries.
func (w *writing) written(j Job, output int) answer {
	switch {
	case j.Scope == api.ScopeBranch:
	case j.Turn == 0 && j.Prior == "":
		j.Scope = api.ScopeTurnPrefix
	case j.Turn > 0 && w.Style().Split:
		return w.apart(j, output)
	}
	return w.answered(j, output)
}

// apart requests two summaries in parallel, one of the divided turn and one of the messages before it (S1.23), each of up
// to half of output tokens (at least 64), and joins them. An extract replaces one that fails; if both fail, so does apart.
func (w *writing) apart(j Job, output int) answer {
	output = max(64, output/2)
	past, turn := j, j
	past.Messages, turn.Messages = j.Messages[:j.Turn], j.Messages[j.Turn:]
	past.Gain, turn.Gain = w.sizeOf(past.Messages), w.sizeOf(turn.Messages)
	turn.id, turn.Scope, turn.Prior = TurnRequest, api.ScopeTurnPrefix, ""
	before, now := w.answered(past, output), w.answered(turn, output)
	switch {
	case before.pending || now.pending:
		return answer{pending: true}
	case bad(before.why) && bad(now.why):
		return answer{why: before.why}
	case bad(before.why):
		before.text = w.extract(past.Messages, past.Prior, output)
	case bad(now.why):
		now.text = w.extract(turn.Messages, "", output)
	}
	return answer{text: digest.JoinTurn(before.text, now.text)}
}

// sizeOf returns the size of messages in tokens.
func (w *writing) sizeOf(messages []int32) (sum int) {
	for _, m := range messages {
		sum += w.doc.P.Message(w.t, int(m))
	}
	return sum
}

// extract returns a digest written without a model, for messages whose summary was rejected while that of other
// messages was accepted. It adds no ledger, because the whole digest gets one. prior is the previous digest, or "", and
// output the maximum size in tokens.
func (w *writing) extract(messages []int32, prior string, output int) string {
	return digest.NewExtract(w.t, messages, prior, &digest.Ledger{}).Digest(w.doc.P.MaxUnits(output))
}

// answered returns the model's text for a job whose messages form a single record, of at most output tokens.
func (w *writing) answered(j Job, output int) answer {
	s := w.Style()
	if s.MaxOutput > 0 {
		output = min(output, s.MaxOutput)
	}
	p := digest.Prompt{Style: s, Scope: j.Scope, Prior: j.Prior, Task: j.Ledger.Task, Round: w.state.Round + 1,
		Instructions: w.policy.Summary.Instructions, Template: w.policy.Summary.Prompt, Language: w.language(j),
		Chat: digest.Chats(w.t, j.Messages, j.Prior, j.Ledger)}
	if p.Prior != "" && p.Scope == api.ScopeSession {
		p.Scope = api.ScopeUpdate
	}
	room := w.room(&p, output)
	if room < leastRoom {
		return answer{why: api.FaultNoRoom}
	}
	parts := w.parts(j.Messages, room)
	if j.Offer != nil && j.id == FoldRequest {
		p.Record = parts[0].record
		if a, taken := w.askProvider(j.Offer, p, output, j.Gain); taken && (a.text == "" || len(parts) == 1) {
			return a
		}
	}
	switch {
	case len(parts) == 1:
		p.Record = parts[0].record
		return w.requestText(j.id, p, output, j.Gain)
	case w.policy.Summary.Split == "chain":
		carried := min(output, room/3) // the part of the room that the previous digest takes up
		return w.chain(j, p, w.parts(j.Messages, room-carried), output, carried)
	}
	return w.mapped(j, p, parts, max(64, min(output, room*7/10/len(parts))), output)
}

// language returns the name of the user's language, or "" if it is unknown. It is determined from
// the folded messages or, if these are inconclusive, from the messages before them.
func (w *writing) language(j Job) string {
	if name := digest.Language(digest.Requests(w.t, j.Messages)); name != "" {
		return name
	}
	return digest.Language(append(slices.Clone(j.Ledger.Requests), j.Ledger.Task))
}

// mapped requests the digests of all parts in parallel, and then one digest that merges them. each and output are the
// maximum sizes, in tokens, of a part's digest and of the merged digest.
func (w *writing) mapped(j Job, p digest.Prompt, parts []part, each, output int) answer {
	var record strings.Builder
	var texts string // like record, but without the text that tells the model which part it is
	pending, good := false, 0
	for i, part := range parts {
		q := p
		q.Scope, q.Prior, q.Record = api.ScopePart, "", part.record
		a := w.requestText(j.id+"-part-"+strconv.Itoa(i+1), q, each, part.tokens)
		switch {
		case a.pending:
			pending = true
			continue
		case bad(a.why):
			a.text = w.extract(part.messages, "", each)
		default:
			good++
		}
		text := digest.Clip(a.text, w.doc.P.MaxUnits(each))
		texts = join(texts, text)
		record.WriteString("Part " + strconv.Itoa(i+1) + " of " + strconv.Itoa(len(parts)) + ":\n\n" + text + "\n\n")
	}
	switch {
	case pending:
		return answer{pending: true}
	case good == 0:
		return answer{why: api.FaultFailed}
	}
	p.Scope, p.Record = api.ScopeMerge, record.String()
	a := w.requestText(j.id, p, output, j.Gain)
	if !a.pending && bad(a.why) {
		a.text = texts
	}
	return a
}

// chain lets the model process the parts one after the other, each time together with the digest so far. carried and
// output are the maximum sizes, in tokens, of that digest and of the result.
func (w *writing) chain(j Job, p digest.Prompt, parts []part, output, carried int) answer {
	all := answer{why: api.FaultFailed}
	for i, part := range parts {
		p.Record = part.record
		a := w.requestText(j.id+"-part-"+strconv.Itoa(i+1), p, output, max(part.tokens, j.Gain/len(parts)))
		if a.pending {
			return a
		}
		if bad(a.why) {
			a.text = w.extract(part.messages, p.Prior, output)
			if i == len(parts)-1 {
				return a
			}
		} else {
			all.why = a.why
		}
		all.text, p.Prior, p.Scope = a.text, w.clipped(a.text, carried), api.ScopeUpdate
	}
	return all
}
