package passes

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/digest"
)

// job is a digest to make of messages.
type job struct {
	id       string // of its request
	scope    api.Scope
	messages []int32
	prior    string // the digest so far
	ledger   *digest.Ledger
	gain     int  // tokens that the digest represents
	old      int  // of these, those of the digest so far
	turn     int  // index in messages of the turn that is cut, or -1
	room     int  // tokens that the limit leaves for the digest; 0 is any number
	least    bool // a digest that finds no room only counts the messages
	cut      bool // the beginning of a message is folded, and its rest stays
	tail     int  // index in the input of the first message that stays after what is folded; -1 where none of the input's does
}

// digestOf returns the digest of a job, or false when the host's model has to be asked first.
func (c *Run) digestOf(j job) (string, bool) {
	defer c.Originals(j.messages)() // what a pass before this one cleared is worth reading
	s := &c.Policy.Summary
	// Half of what is new: the digest so far need not shrink with every compaction.
	budget := min(s.MaxOutputTokens, (j.gain+j.old)/2)
	if c.Target > 0 {
		budget = min(budget, max(256, c.Target/4))
	}
	if j.room > 0 {
		budget = min(budget, j.room)
	}
	standing := c.standing(j.ledger, j.gain, budget, j.room, digest.Chats(c.T, j.messages, j.ledger))
	if j.room > 0 { // what the limit leaves is for both
		budget = max(budget/2, min(budget, j.room-c.P.Text(standing)))
	}
	spare := c.spare(j.gain, budget+c.P.Text(standing))
	if s.Text != "" {
		c.Report.Summary = api.ReportSummary{Source: api.SourceHost}
		return digest.WithStanding(digest.Fence(s.Text), standing) + j.ledger.TextBeside(c.P.MaxUnits(budget)/3, c.P.MaxUnits(spare)), true
	}
	switch s.Mode {
	case "minimal":
		c.Report.Summary = api.ReportSummary{Source: api.SourceLocal}
		return digest.Minimal(len(j.messages), j.prior), true
	case "local":
		return c.local(j, j.prior, budget, spare, standing, ""), true
	}
	text, why, ok := c.told(j, max(64, budget))
	switch {
	case !ok:
		return "", false
	case c.offer != nil && c.provided != nil:
		return c.providerDigest(j, standing, budget, spare), true
	case bad(why) && s.OnFailure == "keep":
		c.NoDigest = string(why)
		return "", false
	case bad(why):
		defer c.counts("")
		if digest.HasLog(text) { // of the same messages, where the model has answered for no part of them
			text = ""
		}
		return c.local(j, join(j.prior, text), budget, spare, standing, why), true
	}
	// A digest that lacks nothing but its headings is still worth more than an extract.
	room := c.P.MaxUnits(budget)
	text = digest.Fence(text)
	done := digest.NewExtract(c.T, j.messages, j.prior, j.ledger).Complete(text, standing, room, c.P.MaxUnits(spare))
	if c.P.Text(done.Body)+c.P.Text(done.Missing)+2 >= j.gain {
		done.Missing = ""
	}
	c.Report.Summary = api.ReportSummary{Source: api.SourceModel, Why: why, Score: share(done.Found, done.Facts)}
	if done.Named > 0 {
		c.Report.Summary.Unfounded = share(done.Unfounded, done.Named)
	}
	c.counts(c.shape)
	return done.Text(), true
}

// share is found of all with three digits, 1 of none.
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

// bad reports whether why is a reason not to take an answer at all.
func bad(why api.SummaryFault) bool { return why != "" && why != api.FaultNoHeadings }

// written is what the model has written for a job, or why nothing of it can be taken; then the text is the part that arrived
// all the same. It is false while the model has to be asked.
func (c *Run) written(j job, output int) (text string, why api.SummaryFault, ok bool) {
	switch {
	case j.scope == api.ScopeBranch:
	case j.turn == 0 && j.prior == "":
		j.scope = api.ScopeTurnPrefix
	case j.turn > 0 && c.style().Split:
		return c.apart(j, output)
	}
	return c.answered(j, output)
}

// apart asks for the turn that is cut and for what was before it by requests of their own, at the same time (S1.23).
func (c *Run) apart(j job, output int) (text string, why api.SummaryFault, ok bool) {
	output = max(64, output/2)
	past, turn := j, j
	past.messages, turn.messages = j.messages[:j.turn], j.messages[j.turn:]
	past.gain, turn.gain = c.sizeOf(past.messages), c.sizeOf(turn.messages)
	turn.id, turn.scope, turn.prior = TurnRequest, api.ScopeTurnPrefix, ""
	before, whyBefore, ok := c.answered(past, output)
	now, whyNow, both := c.answered(turn, output)
	switch {
	case !ok || !both:
		return "", "", false
	case bad(whyBefore) && bad(whyNow):
		return "", whyBefore, true
	case bad(whyBefore):
		before = c.extract(past.messages, past.prior, output)
	case bad(whyNow):
		now = c.extract(turn.messages, "", output)
	}
	return digest.JoinTurn(before, now), "", true
}

// sizeOf is the tokens of messages.
func (c *Run) sizeOf(messages []int32) (sum int) {
	for _, m := range messages {
		sum += c.P.Message(c.T, int(m))
	}
	return sum
}

// extract represents messages of which the model has written nothing that can be taken, while it has of others. The ledger is that of the
// whole digest.
func (c *Run) extract(messages []int32, prior string, output int) string {
	return digest.NewExtract(c.T, messages, prior, &digest.Ledger{}).Digest(c.P.MaxUnits(output))
}

// answered is what the model has written for a job that has one record.
func (c *Run) answered(j job, output int) (text string, why api.SummaryFault, ok bool) {
	s := c.style()
	if s.MaxOutput > 0 {
		output = min(output, s.MaxOutput)
	}
	p := digest.Prompt{Style: s, Scope: j.scope, Prior: j.prior, Task: j.ledger.Task, Round: c.State.Round + 1,
		Instructions: c.Policy.Summary.Instructions, Template: c.Policy.Summary.Prompt, Language: c.language(j),
		Chat: digest.Chats(c.T, j.messages, j.ledger)}
	if p.Prior != "" && p.Scope == api.ScopeSession {
		p.Scope = api.ScopeUpdate
	}
	room := c.room(&p, output)
	if room < leastRoom {
		return "", api.FaultNoRoom, true
	}
	parts := c.parts(j.messages, room)
	if c.offer != nil && j.id == FoldRequest {
		p.Record = parts[0].record
		if text, ok, answered := c.askProvider(p, output, j.gain); answered && (text == "" || len(parts) == 1) {
			return text, "", ok
		}
	}
	switch {
	case len(parts) == 1:
		p.Record = parts[0].record
		return c.ask(j.id, p, output, j.gain)
	case c.Policy.Summary.Split == "chain":
		carried := min(output, room/3) // what the digest so far takes of the room
		return c.chain(j, p, c.parts(j.messages, room-carried), output, carried)
	}
	return c.mapped(j, p, parts, max(64, min(output, room*7/10/len(parts))), output)
}

// language is the user's, told by what is folded or, where that says nothing, by what was before it.
func (c *Run) language(j job) string {
	if name := digest.Language(digest.Requests(c.T, j.messages)); name != "" {
		return name
	}
	return digest.Language(append(slices.Clone(j.ledger.Requests), j.ledger.Task))
}

// mapped asks for a digest of each part, of at most each tokens, all at the same time, and then for one of them all.
func (c *Run) mapped(j job, p digest.Prompt, parts []part, each, output int) (text string, why api.SummaryFault, ok bool) {
	var record strings.Builder
	var texts string // as record, without what tells the model which part it reads
	ok = true
	good := 0
	for i, part := range parts {
		q := p
		q.Scope, q.Prior, q.Record = api.ScopePart, "", part.record
		text, why, done := c.ask(j.id+"-part-"+strconv.Itoa(i+1), q, each, part.tokens)
		switch {
		case !done:
			ok = false
			continue
		case bad(why):
			text = c.extract(part.messages, "", each)
		default:
			good++
		}
		text = digest.Clip(text, c.P.MaxUnits(each))
		texts = join(texts, text)
		record.WriteString("Part " + strconv.Itoa(i+1) + " of " + strconv.Itoa(len(parts)) + ":\n\n" + text + "\n\n")
	}
	if !ok {
		return "", "", false
	}
	if good == 0 {
		return "", api.FaultFailed, true
	}
	p.Scope, p.Record = api.ScopeMerge, record.String()
	text, why, ok = c.ask(j.id, p, output, j.gain)
	if ok && bad(why) {
		text = texts
	}
	return text, why, ok
}

// chain has the model go through the parts one after the other, each time with the digest so far, in at most carried tokens.
func (c *Run) chain(j job, p digest.Prompt, parts []part, output, carried int) (text string, why api.SummaryFault, ok bool) {
	text, why = "", api.FaultFailed
	for i, part := range parts {
		p.Record = part.record
		got, wrong, done := c.ask(j.id+"-part-"+strconv.Itoa(i+1), p, output, max(part.tokens, j.gain/len(parts)))
		if !done {
			return "", "", false
		}
		if bad(wrong) {
			got = c.extract(part.messages, p.Prior, output)
			if i == len(parts)-1 {
				return got, wrong, true
			}
		} else {
			why = wrong
		}
		text, p.Prior, p.Scope = got, c.clipped(got, carried), api.ScopeUpdate
	}
	return text, why, true
}

// ask returns what the model has written for one prompt, asking it again if its answer is no digest: as often as the
// policy says.
func (c *Run) ask(id string, p digest.Prompt, output, folded int) (text string, why api.SummaryFault, ok bool) {
	for try := 0; ; try++ {
		key := id
		if try > 0 {
			key += "-retry-" + strconv.Itoa(try)
		}
		r, fits := c.request(key, p, output)
		if !fits {
			return "", api.FaultNoRoom, true
		}
		reply, found := c.Reply(key)
		if !found {
			c.Requests = append(c.Requests, r)
			return "", "", false
		}
		c.Asked.In += r.InputTokens
		c.Asked.Out += c.P.Text(reply.Text)
		if p.Scope == api.ScopeToolOutput {
			text, why = digest.Accept(reply, c.P, folded)
		} else {
			text, why = digest.AcceptDigest(reply, c.P, folded, output, p.Template == "")
		}
		p.Wrong = ""
		if p.Scope != api.ScopeToolOutput && why == "" {
			if why, p.Wrong = digest.CheckSource(text, r.Prompt); why != "" {
				text = ""
			}
		}
		if why == "" || why == api.FaultFailed || try >= c.Policy.Summary.Retries {
			return text, why, true
		}
		p.Objection = why
	}
}

// request is the request for a prompt. It is never larger than a request may be: the record is clipped until it fits. It
// is false if even then it does not.
func (c *Run) request(id string, p digest.Prompt, output int) (r api.SummaryRequest, fits bool) {
	r = api.SummaryRequest{ID: id, Scope: p.Scope, System: p.System(), MaxOutputTokens: output, Temperature: c.style().Temperature}
	if p.Scope == api.ScopeToolOutput {
		r.Temperature = 0
	}
	limit := c.inputLimit(output)
	for {
		r.Prompt = p.Text()
		r.InputTokens = c.P.Text(r.System) + c.P.Text(r.Prompt)
		switch {
		case limit == 0 || r.InputTokens <= limit:
			return r, true
		case len(p.Record) < 200:
			return r, false
		}
		keep := len(p.Record) * 4 / 5
		if record := c.P.Text(p.Record); c.style().Fitted && record > 0 {
			keep = max(keep/2, min(len(p.Record)-leastClip, len(p.Record)*max(0, record-(r.InputTokens-limit)-clipMark)/record))
		}
		p.Record = digest.Clip(p.Record, keep)
	}
}

// clipMark is about what the mark takes that represents what is clipped, in tokens; leastClip is more bytes than it has, so that a clipped
// record is always shorter.
const (
	clipMark  = 12
	leastClip = 64
)

// fits reports whether a prompt fits into a request as it is, with what a second one says of the first answer.
func (c *Run) fits(p *digest.Prompt, output int) bool {
	limit := c.inputLimit(output)
	return limit == 0 || c.P.Text(p.System())+c.P.Text(p.Text())+objectionRoom <= limit
}

// inputLimit is how large a request may be, in tokens; 0 is no limit.
func (c *Run) inputLimit(output int) int {
	if limit := c.Policy.Summary.MaxInputTokens; limit > 0 || c.Policy.Window.Tokens == 0 {
		return limit
	}
	return max(1, c.Policy.Usable()-output)
}

// leastRoom is the least room for a record, in tokens, with which asking makes sense.
const leastRoom = 64

// objectionRoom is kept free for what a second request says of the first answer, in tokens.
const objectionRoom = 60

// unlimited is room for any record.
const unlimited = 1 << 60

// room is how many tokens a prompt leaves for its record. A digest so far, and a first request of the user, that would take most
// of it are clipped.
func (c *Run) room(p *digest.Prompt, output int) int {
	limit := c.inputLimit(output)
	if limit == 0 {
		return unlimited
	}
	limit -= c.P.Text(p.System()) + objectionRoom
	prior, task := p.Prior, p.Task
	p.Prior, p.Task = "", ""
	bare := c.P.Text(p.Text())
	p.Prior, p.Task = c.clipped(prior, (limit-bare)/3), c.clipped(task, (limit-bare)/6)
	return limit - c.P.Text(p.Text())
}

// clipped is a text in at most about most tokens.
func (c *Run) clipped(text string, most int) string {
	if c.P.Text(text) <= most {
		return text
	}
	return digest.Clip(text, max(0, c.P.MaxUnits(most)-80))
}
