package compact

import (
	"strconv"
	"strings"

	"github.com/ctxfold/ctxfold/core/digest"
)

// job is a digest that is wanted of messages.
type job struct {
	id       string // of its request
	scope    string
	messages []int32
	prior    string // the digest so far
	ledger   *digest.Ledger
	gain     int // tokens that the digest stands for
	turn     int // index in messages of the turn that is cut, or -1; styles of published systems ask for it apart
}

// digestOf returns the digest of a job, or false when the host's model has to be asked first.
func (c *Run) digestOf(j job) (string, bool) {
	defer c.originals(j.messages)() // what a pass before this one cleared is worth reading
	s := &c.Policy.Summary
	budget := min(s.MaxOutputTokens, j.gain/2)
	if c.Target > 0 {
		budget = min(budget, max(256, c.Target/4))
	}
	switch s.Mode {
	case "minimal":
		c.Report.Summary = Summary{Source: "local"}
		return digest.Minimal(len(j.messages), j.prior), true
	case "local":
		return c.local(j, j.prior, budget, ""), true
	}
	text, why, ok := c.written(j, max(64, budget))
	switch {
	case !ok:
		return "", false
	case why != "" && why != digest.NoHeadings && s.OnFailure == "keep":
		c.failure = why
		return "", false
	case why != "" && why != digest.NoHeadings:
		return c.local(j, join(j.prior, text), budget, why), true
	}
	// A digest that lacks nothing but its headings is still worth more than an extract.
	room := c.P.MaxUnits(budget)
	body := digest.Fence(text) + j.ledger.Text(room/3)
	facts, found, missing := digest.NewExtract(c.T, j.messages, "", j.ledger).Check(body, room/10)
	if missing != "" && c.P.Text(body)+c.P.Text(missing)+2 < j.gain {
		body = digest.Complete(body, missing)
	}
	c.Report.Summary = Summary{Source: "model", Why: why, Score: share(found, facts)}
	return body, true
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

// local is the digest that ctxfold writes itself, of at most budget tokens.
func (c *Run) local(j job, prior string, budget int, why string) string {
	size := c.P.MaxUnits(budget)
	extract := digest.NewExtract(c.T, j.messages, prior, j.ledger)
	text := extract.Digest(size)
	for try := 0; try < 4 && c.P.Text(text) > budget; try++ { // an estimator that looks at the script may find more than its rate
		size = size * budget / c.P.Text(text) * 9 / 10
		text = extract.Digest(size)
	}
	facts, found, _ := extract.Check(text, 0)
	c.Report.Summary = Summary{Source: "local", Why: why, Score: share(found, facts)}
	return text
}

// Parts of a record that is too long for one request.
const (
	fewParts = 8  // up to here tool results are only clipped to 1,000 bytes
	maxParts = 32 // beyond, what is in the middle is left out
	// splitRoom is the least room for a record, in tokens, with which it is split; with less there would be more prompt than
	// record in the parts.
	splitRoom = 1000
)

// rungs are the steps of the ladder that makes a record fit: tool results and arguments are clipped, in bytes, harder and
// harder, and then reasoning is left out.
var rungs = []struct {
	clip     int
	thoughts bool
}{{16000, true}, {4000, true}, {1000, true}, {1000, false}, {200, false}}

// written is what the model has written for a job, or why nothing of it can be taken; then the text is what there is of it
// all the same. It is false while the model has to be asked.
func (c *Run) written(j job, output int) (text, why string, ok bool) {
	if s := c.style(); s != nil {
		return c.styledAnswer(s, j, output)
	}
	p := digest.Prompt{Scope: j.scope, Prior: j.prior, Instructions: c.Policy.Summary.Instructions, Language: digest.Language(c.T, j.messages)}
	if p.Prior != "" && p.Scope == digest.SessionScope {
		p.Scope = digest.UpdateScope
	}
	room := c.room(&p, output)
	if room < leastRoom {
		return "", digest.NoRoom, true
	}
	parts := c.parts(j.messages, room)
	switch {
	case len(parts) == 1:
		p.Record = parts[0].record
		return c.ask(j.id, p, output, j.gain)
	case c.Policy.Summary.Split == "chain":
		return c.chain(j, p, parts, output)
	}
	// Map: one digest of each part, all at the same time. Reduce: one of them all.
	each := max(64, min(output, room*7/10/len(parts)))
	var record strings.Builder
	ok = true
	good := 0
	for i, part := range parts {
		q := p
		q.Scope, q.Prior, q.Record = digest.PartScope, "", part.record
		text, why, done := c.ask(j.id+"-part-"+strconv.Itoa(i+1), q, each, part.tokens)
		switch {
		case !done:
			ok = false
			continue
		case why == "" || why == digest.NoHeadings:
			good++
		default:
			text = digest.NewExtract(c.T, part.messages, "", &digest.Ledger{}).Digest(c.P.MaxUnits(each))
		}
		record.WriteString("Part " + strconv.Itoa(i+1) + " of " + strconv.Itoa(len(parts)) + ":\n\n" + digest.Clip(text, c.P.MaxUnits(each)) + "\n\n")
	}
	if !ok {
		return "", "", false
	}
	if good == 0 {
		return "", digest.SummarizerFailed, true
	}
	p.Scope, p.Record = digest.MergeScope, record.String()
	text, why, ok = c.ask(j.id, p, output, j.gain)
	if ok && why != "" && why != digest.NoHeadings {
		text = record.String()
	}
	return text, why, ok
}

// chain has the model go through the parts one after the other, each time with the digest so far.
func (c *Run) chain(j job, p digest.Prompt, parts []part, output int) (text, why string, ok bool) {
	text, why = "", digest.SummarizerFailed
	for i, part := range parts {
		p.Record = part.record
		got, wrong, done := c.ask(j.id+"-part-"+strconv.Itoa(i+1), p, output, max(part.tokens, j.gain/len(parts)))
		if !done {
			return "", "", false
		}
		if wrong != "" && wrong != digest.NoHeadings {
			got = digest.NewExtract(c.T, part.messages, p.Prior, &digest.Ledger{}).Digest(c.P.MaxUnits(output))
			if i == len(parts)-1 {
				return got, wrong, true
			}
		} else {
			why = wrong
		}
		text, p.Prior, p.Scope = got, digest.Clip(got, c.P.MaxUnits(output)), digest.UpdateScope
	}
	return text, why, true
}

// ask returns what the model has written for one prompt, asking it again if its answer is no digest: as often as the
// policy says.
func (c *Run) ask(id string, p digest.Prompt, output, folded int) (text, why string, ok bool) {
	for try := 0; ; try++ {
		key := id
		if try > 0 {
			key += "-retry-" + strconv.Itoa(try)
		}
		reply, found := c.reply(key)
		if !found {
			r, fits := c.request(key, p, output)
			if !fits {
				return "", digest.NoRoom, true
			}
			c.Requests = append(c.Requests, r)
			return "", "", false
		}
		c.asked.in += c.P.Text(p.Record) + c.P.Text(p.Prior)
		c.asked.out += c.P.Text(reply.Text)
		text, why = digest.AcceptDigest(reply, c.P, folded)
		if why == "" || why == digest.SummarizerFailed || try >= c.Policy.Summary.Retries {
			return text, why, true
		}
		p.Objection = why
	}
}

// request is the request for a prompt. It is never larger than a request may be: the record is clipped until it fits. It
// is false if even then it does not.
func (c *Run) request(id string, p digest.Prompt, output int) (r digest.Request, fits bool) {
	r = digest.Request{ID: id, Scope: p.Scope, System: digest.System, MaxOutputTokens: output}
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
		p.Record = digest.Clip(p.Record, len(p.Record)*4/5)
	}
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

// room is how many tokens a prompt leaves for its record. A digest so far that would take most of it is clipped.
func (c *Run) room(p *digest.Prompt, output int) int {
	limit := c.inputLimit(output)
	if limit == 0 {
		return unlimited
	}
	limit -= c.P.Text(digest.System) + objectionRoom
	prior := p.Prior
	p.Prior = ""
	bare := c.P.Text(p.Text())
	if most := (limit - bare) / 3; c.P.Text(prior) > most {
		prior = digest.Clip(prior, max(0, c.P.MaxUnits(most)-80))
	}
	p.Prior = prior
	return limit - c.P.Text(p.Text())
}

// part is a piece of the record that fits into a request.
type part struct {
	messages []int32
	record   string
	tokens   int
}

// parts writes the record of messages as one part if there is a rung of the ladder on which it fits in room tokens, and
// else as several, none of which cuts a group unless the group alone is too large.
func (c *Run) parts(messages []int32, room int) []part {
	var records []string
	var sizes []int
	render := func(clip int, thoughts bool) (total int) {
		records, sizes = records[:0], sizes[:0]
		for _, m := range messages {
			r := digest.Record(c.T, m, clip, thoughts)
			size := c.P.Text(r)
			records, sizes, total = append(records, r), append(sizes, size), total+size
		}
		return total
	}
	for _, rung := range rungs {
		if total := render(rung.clip, rung.thoughts); total <= room {
			return []part{{messages, strings.Join(records, ""), total}}
		}
	}
	if room < splitRoom {
		return []part{{messages, strings.Join(records, ""), room}} // request clips it
	}
	if gentle := rungs[len(rungs)-2]; render(gentle.clip, gentle.thoughts) > room*(fewParts-1) {
		render(rungs[len(rungs)-1].clip, false)
	}
	groups := c.T.Groups(messages)
	var out []part
	var b strings.Builder
	from, sum := 0, 0
	end := func(at int) {
		if at > from {
			out = append(out, part{messages[from:at], b.String(), sum})
		}
		b.Reset()
		from, sum = at, 0
	}
	for i := 0; i < len(messages); {
		next, size := i, 0
		for next < len(messages) && groups[next] == groups[i] {
			size += sizes[next]
			next++
		}
		if sum+size > room {
			end(i)
		}
		for ; i < next; i++ {
			if sum > 0 && sum+sizes[i] > room {
				end(i)
			}
			if sizes[i] > room {
				records[i] = digest.Clip(records[i], len(records[i])*room/sizes[i]*9/10)
				sizes[i] = c.P.Text(records[i])
			}
			b.WriteString(records[i])
			sum += sizes[i]
		}
	}
	end(len(messages))
	if over := len(out) - maxParts; over > 0 {
		out = append(out[:1], out[1+over:]...)
		note := "[… the record leaves out what was between; there was too much of it …]\n\n"
		out[1].record = note + out[1].record
	}
	return out
}
