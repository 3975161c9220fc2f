package core_test

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/loop"
	"github.com/ctxfold/ctxfold/internal/operations"
	"github.com/mailru/easyjson/jlexer"
)

// smallCore stands for core in simulations of the loop. What the loop asks of operations is answered by a toy: four bytes of a message are
// a token, a compaction replaces all messages but the newest by one digest, and a digest names the body that it replaces. So a schedule
// costs little but the decisions of the loop, and what comes back from a digest can be checked exactly.
type smallCore struct {
	policies map[string]smallPolicy
	made     map[string][]string // what each digest replaces, by handle
	lists    map[string]*smallList
}

func newSmallCore() *smallCore {
	return &smallCore{policies: map[string]smallPolicy{}, made: map[string][]string{}, lists: map[string]*smallList{}}
}

// smallPolicy has what the toy reads of a policy.
type smallPolicy struct {
	Window  struct{ Tokens int }
	Gate    struct{ Start, Idle float64 }
	Archive string
	Summary struct {
		OnFailure string `json:"on_failure"`
		Request   string
	}
}

// smallList is a list of messages, and the fingerprints of its first message, of its first two, and so on; the later ones ignore what the
// first message says if they cover more.
type smallList struct {
	messages, prints, later []string
}

func (c *smallCore) list(text string) *smallList {
	if l := c.lists[text]; l != nil {
		return l
	}
	l := &smallList{messages: elements(text)}
	if l.prints = smallPrints(l.messages); len(l.messages) > 0 {
		l.later = append(l.prints[:1:1], smallPrints(l.messages[1:])...)
	}
	c.lists[text] = l
	return l
}

func smallPrints(messages []string) (prints []string) {
	h := fnv.New64a()
	for _, m := range messages {
		h.Write([]byte(m))
		prints = append(prints, strconv.FormatUint(h.Sum64(), 16))
	}
	return prints
}

// smallDigest is what a digest says: its number among the digests of a conversation, and the handle of what it replaces, which names the
// owner too.
func smallDigest(message string) (number int, handle string, ok bool) {
	text, ok := strings.CutPrefix(message, `{"role":"user","content":"Digest `)
	if !ok {
		return 0, "", false
	}
	digits, handle, _ := strings.Cut(strings.TrimSuffix(text, `"}`), " of ")
	number, _ = strconv.Atoi(digits)
	return number, handle, true
}

func (c *smallCore) policy(text string) smallPolicy {
	p, ok := c.policies[text]
	if !ok {
		if err := json.Unmarshal([]byte(text), &p); err != nil {
			panic(err)
		}
		c.policies[text] = p
	}
	return p
}

func (c *smallCore) call(j *simulatedJob, messages string) *smallCall {
	p := c.policy(j.policy)
	settings := loop.PolicySettings{Starts: p.Gate.Start > 0, Chills: p.Gate.Idle > 0, Stored: p.Archive != ""}
	call := &smallCall{core: c, owner: j.settings.Owner, policy: p, settings: settings, text: messages}
	if j.kept != nil { // whose host keeps a session, which has the state
		call.state = j.kept.state
	}
	return call
}

func (c *smallCore) start(j *simulatedJob, messages string) *api.JobProgress {
	settings := j.settings
	settings.Can = slices.Clone(settings.Can)
	p, err := loop.Start(c.call(j, messages), settings, api.Raw(j.policy), api.Options{Answer: api.AnswerEdits}, nil)
	return smallProgress(j, p, err)
}

func (c *smallCore) event(j *simulatedJob, e *api.JobEvent, messages string) *api.JobProgress {
	var job loop.Job
	l := jlexer.Lexer{Data: j.job}
	if job.UnmarshalEasyJSON(&l); l.Error() != nil {
		j.w.violated("%s: %v in %s", j.name, l.Error(), j.job)
		return nil
	}
	p, err := loop.Continue(c.call(j, messages), &job, e)
	return smallProgress(j, p, err)
}

func smallProgress(j *simulatedJob, p *api.JobProgress, err *jsonspan.Error) *api.JobProgress {
	if err != nil {
		j.w.violated("%s: %s: %s", j.name, err.Code, err.Message)
		return nil
	}
	return p
}

// refusal accepts lists that have a digest only at the beginning.
func (c *smallCore) refusal(_ *world, messages []string) string {
	if len(messages) == 0 {
		return "nothing is sent"
	}
	for i, m := range messages {
		if _, _, ok := smallDigest(m); ok && i > 0 {
			return fmt.Sprintf("message %d of those sent is a digest", i)
		}
	}
	return ""
}

// remembers checks that the digest that is sent was made for the job's owner, and that the next job will find it.
func (c *smallCore) remembers(j *simulatedJob, sent []string, calm bool) {
	_, handle, ok := smallDigest(sent[0])
	switch {
	case !ok:
		return
	case !strings.HasSuffix(handle, " for "+j.settings.Owner):
		j.w.violated("%s: the digest of another owner is sent: %s", j.name, handle)
	case !calm || j.refuses || j.adopts || j.settings.Operation == api.JobPlan || !slices.Contains(j.settings.Can, api.EffectLoad) || !slices.Contains(j.settings.Can, api.EffectSave):
		return
	}
	for _, r := range j.w.records {
		if strings.Contains(r.text, handle) {
			return
		}
	}
	j.w.violated("%s: the compaction is not remembered", j.name)
}

// restore replaces digests by what they replace. With a state, it must be the one of the newest digest.
func (c *smallCore) restore(w *world, messages []string, state api.Raw) (whole []string) {
	for _, m := range messages {
		number, handle, ok := smallDigest(m)
		if !ok {
			whole = append(whole, m)
			continue
		}
		if state != nil && string(state) != smallState(number) {
			w.violated("the state %s belongs to another digest than %s", state, m)
		}
		whole = append(whole, c.restore(w, c.made[handle], nil)...)
	}
	return whole
}

func smallState(number int) string { return fmt.Sprintf(`{"number":%d}`, number) }

// smallCall is a call of the toy with the messages that came along.
type smallCall struct {
	core     *smallCore
	policy   smallPolicy
	owner    string
	settings loop.PolicySettings
	text     string
	state    api.Raw
}

func (c *smallCall) Messages() []byte                    { return []byte(c.text) }
func (c *smallCall) MessagesAt() int                     { return 0 }
func (c *smallCall) PolicySettings() loop.PolicySettings { return c.settings }

// Run runs an operation of the toy.
func (c *smallCall) Run(op operations.Op, members ...loop.Member) ([]byte, *jsonspan.Error) {
	of := func(name operations.Member) []byte {
		for _, m := range members {
			if m.Name == name {
				return m.JSON
			}
		}
		return nil
	}
	var o api.Options
	if text := of(operations.InOptions); text != nil {
		l := jlexer.Lexer{Data: text}
		if o.UnmarshalEasyJSON(&l); l.Error() != nil {
			return nil, &jsonspan.Error{Code: api.CodeInvalidJSON, Message: l.Error().Error()}
		}
	}
	switch op {
	case operations.OpPrints:
		l := c.core.list(c.text)
		return append(encodedTexts(append(encodedTexts([]byte(`{"format":"openai-chat","prints":`), l.prints), `,"later":`...), l.later), '}'), nil
	case operations.OpCheck:
		return c.check(c.begun(nil), &o), nil
	case operations.OpFit:
		b := c.begun(elements(string(of(operations.InMemory))))
		b.fit = true
		return c.compacted(b, &o), nil
	case operations.OpPlan:
		b := c.begun(nil)
		if c.state != nil && string(c.state) != smallState(b.number) {
			return nil, &jsonspan.Error{Code: api.CodePlanMismatch, Message: "the state is of another list"}
		}
		return c.compacted(b, &o), nil
	case operations.OpStep:
		return c.step(of(operations.InPlan), of(operations.InSummaries), of(operations.InMemory))
	case operations.OpClassifyError:
		return c.classify(of(operations.InArguments)), nil
	}
	return nil, &jsonspan.Error{Code: api.CodeInternal, Message: "the toy has no such operation"}
}

func encodedTexts(dst []byte, texts []string) []byte {
	dst = append(dst, '[')
	for i, text := range texts {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, '"'), text...), '"')
	}
	return append(dst, ']')
}

// smallEntry is a remembered compaction: the first messages of a history are replaced by a digest.
type smallEntry struct {
	Print    string `json:"print"`
	Messages int    `json:"messages"`
	Sent     string `json:"sent"`
	Digest   string `json:"digest"`
}

// smallWork is a list before it is compacted: what is sent in place of the first messages, and then the others.
type smallWork struct {
	history  *smallList
	known    int // index of the entry that was applied, or -1
	replaced int // number of messages of the history that a digest replaces already
	sent     []string
	number   int // number of the digest
	cut      int // number of messages of the history that a due compaction replaces
	fit      bool
}

// begun applies the best of the remembered compactions: the one that replaces most messages of this history.
func (c *smallCall) begun(memory []string) *smallWork {
	b := &smallWork{history: c.core.list(c.text), known: -1}
	b.sent = b.history.messages
	for i, text := range memory {
		var e smallEntry
		if json.Unmarshal([]byte(text), &e) != nil {
			continue
		}
		switch prints := b.history.prints; {
		case e.Messages > b.replaced && e.Messages < len(prints) && prints[e.Messages-1] == e.Print:
			b.known, b.replaced = i, e.Messages
			b.sent = append([]string{e.Digest}, b.history.messages[e.Messages:]...)
		case b.known < 0 && len(prints) > 0 && prints[0] == e.Sent: // the app continued from what was sent
			b.known = i
		}
	}
	if len(b.sent) > 0 {
		b.number, _, _ = smallDigest(b.sent[0])
	}
	return b
}

func smallTokens(messages []string) (tokens int) {
	for _, m := range messages {
		tokens += len(m) / 4
	}
	return tokens
}

// full says whether a compaction is due, may begin in the background, and whether it is due only because the cache is cold.
func (c *smallCall) full(b *smallWork, o *api.Options) (tokens int, due, start, cold bool) {
	tokens = smallTokens(b.sent)
	if o.Usage != nil {
		tokens = o.Usage.TotalTokens
	}
	limit := c.window(o)
	early := c.policy.Gate.Start > 0 && float64(tokens) > c.policy.Gate.Start*float64(limit)
	cold = c.policy.Gate.Idle > 0 && (o.Idle > c.policy.Gate.Idle || o.Cold != "") && tokens > limit/2 && tokens <= limit
	due = o.Force || tokens > limit || cold || o.Background && early
	return tokens, due, !due && early && tokens > o.Tried+o.Tried/10, cold
}

func (c *smallCall) window(o *api.Options) int {
	if o.Window > 0 {
		return min(o.Window, c.policy.Window.Tokens)
	}
	return c.policy.Window.Tokens
}

func (c *smallCall) check(b *smallWork, o *api.Options) []byte {
	tokens, due, start, cold := c.full(b, o)
	answer := fmt.Appendf(nil, `{"due":%t,"tokens":%d,"messages":%d`, due, tokens, len(b.sent))
	if start {
		answer = append(answer, `,"start":true`...)
	}
	if cold {
		answer = append(answer, `,"cold":"time"`...)
	}
	return append(answer, '}')
}

// smallPlan is what a compaction needs after its summaries. Cut is the number of sent messages that it replaces, and Print their
// fingerprint.
type smallPlan struct {
	Cut, Tokens int
	Print       string
	Prefix      bool
	Archive     bool
	Background  bool
	Fit         bool
	Requests    int
}

// compacted begins a compaction if it is due.
func (c *smallCall) compacted(b *smallWork, o *api.Options) []byte {
	tokens, due, start, _ := c.full(b, o)
	p := smallPlan{Cut: c.cut(b, o), Tokens: tokens, Background: o.Background, Fit: b.fit, Requests: 1}
	if !due || o.OnlyKnown {
		return b.unchanged(tokens, start && b.fit, api.ReasonUnderBudget)
	}
	if p.Cut == 0 {
		return b.unchanged(tokens, false, api.ReasonNoProgress)
	}
	b.cut = p.Cut + max(0, b.replaced-1)
	p.Print = smallPrints(b.sent)[p.Cut-1]
	p.Archive = c.policy.Archive != "" || o.Archive != nil
	p.Prefix = o.Summary != nil && o.Summary.Prefix && c.policy.Summary.Request == "prefix"
	if p.Cut > 8 && !p.Prefix {
		p.Requests = 3
	}
	switch {
	case o.Summary != nil && o.Summary.Text != "", o.Summary != nil && o.Summary.Mode == api.SummaryLocal, c.window(o) < 80:
		return c.folded(b, &p)
	}
	return p.asks(b)
}

// cut returns how many of the sent messages a compaction replaces: all but the newest that fit in a third of the window. It is 0 if that is
// nothing but a digest.
func (c *smallCall) cut(b *smallWork, o *api.Options) int {
	cut, room := len(b.sent)-1, c.window(o)/3
	for cut > 0 && smallTokens(b.sent[cut-1:]) < room {
		cut--
	}
	if cut == 1 && b.number > 0 {
		return 0
	}
	return max(0, cut)
}

// asks returns the answer that asks for summaries.
func (p *smallPlan) asks(b *smallWork) []byte {
	text, err := json.Marshal(p)
	if err != nil {
		panic(err)
	}
	answer := fmt.Appendf(nil, `{"plan":%s,"requests":[`, text)
	for i := range p.Requests {
		if i > 0 {
			answer = append(answer, ',')
		}
		answer = fmt.Appendf(answer, `{"id":"%d","print":%q`, i, p.Print)
		if p.Prefix {
			answer = fmt.Appendf(answer, `,"conversation":{"edits":[{"keep":[0,%d]},{"insert":{"role":"user","content":"Summarize"}}]}`, len(b.sent))
		}
		answer = append(answer, '}')
	}
	return b.end(append(answer, ']'), p.Tokens, false, "")
}

// end appends what every answer of a fit or a plan has.
func (b *smallWork) end(answer []byte, tokens int, changed bool, reason api.Reason) []byte {
	answer = fmt.Appendf(answer, `,"report":{"changed":%t,"reason":%q,"cut_point":%d,"tokens":{"before":%d}}`, changed, reason, b.cut, tokens)
	if b.fit {
		answer = fmt.Appendf(answer, `,"known":%d`, b.known)
	}
	return append(answer, '}')
}

// unchanged returns the answer with which nothing is compacted that was not before.
func (b *smallWork) unchanged(tokens int, start bool, reason api.Reason) []byte {
	answer := []byte(`{"edits":[`)
	if b.replaced > 0 {
		answer = append(append(append(answer, `{"insert":`...), b.sent[0]...), "},"...)
	}
	answer = fmt.Appendf(answer, `{"keep":[%d,%d]}],"state":%s`, b.replaced, len(b.history.messages), smallState(b.number))
	if start {
		answer = append(answer, `,"start":true`...)
	}
	return b.end(answer, tokens, false, reason)
}

// folded makes the compaction.
func (c *smallCall) folded(b *smallWork, p *smallPlan) []byte {
	body := b.sent[:p.Cut]
	handle := p.Print + " for " + c.owner
	c.core.made[handle] = body
	digest := fmt.Sprintf(`{"role":"user","content":"Digest %d of %s"}`, b.number+1, handle)
	replaced := p.Cut
	if b.replaced > 0 {
		replaced += b.replaced - 1
	}
	answer := fmt.Appendf(nil, `{"edits":[{"insert":%s},{"keep":[%d,%d]}],"state":%s`, digest, replaced, len(b.history.messages), smallState(b.number+1))
	if p.Archive {
		answer = fmt.Appendf(answer, `,"archive":[{"handle":%q,"body":%q}]`, handle, "["+strings.Join(body, ",")+"]")
	}
	answer = b.end(answer, p.Tokens, true, "")
	if !b.fit {
		return answer
	}
	entry, err := json.Marshal(smallEntry{Print: b.history.prints[replaced-1], Messages: replaced, Sent: smallPrints([]string{digest})[0], Digest: digest})
	if err != nil {
		panic(err)
	}
	return append(fmt.Appendf(answer[:len(answer)-1], `,"memory":%s`, entry), '}')
}

// step continues with the summaries. If a request that was appended to the conversation fails, the model is asked again with the messages
// alone.
func (c *smallCall) step(plan, summaries, memory []byte) ([]byte, *jsonspan.Error) {
	var p smallPlan
	if err := json.Unmarshal(plan, &p); err != nil {
		return nil, &jsonspan.Error{Code: api.CodePlanMismatch, Message: err.Error()}
	}
	b := c.begun(elements(string(memory)))
	b.fit = p.Fit
	if p.Cut > len(b.sent) || smallPrints(b.sent)[p.Cut-1] != p.Print {
		return nil, &jsonspan.Error{Code: api.CodePlanMismatch, Message: "the plan is of other messages"}
	}
	replies, failed := elements(string(summaries)), false
	for _, reply := range replies {
		var s api.Summary
		l := jlexer.Lexer{Data: []byte(reply)}
		s.UnmarshalEasyJSON(&l)
		failed = failed || l.Error() != nil || len(s.Text) < 2
	}
	switch {
	case len(replies) != p.Requests:
		return nil, &jsonspan.Error{Code: api.CodePlanMismatch, Message: "the plan has as many requests as summaries"}
	case failed && p.Prefix:
		p.Prefix = false
		return p.asks(b), nil
	case failed && (p.Background || c.policy.Summary.OnFailure == "keep"):
		return b.unchanged(p.Tokens, false, api.ReasonSummaryFailed), nil
	}
	return c.folded(b, &p), nil
}

// classify reads the refusals of the simulated apps.
func (c *smallCall) classify(failure []byte) []byte {
	_, limit, ok := strings.Cut(string(failure), " > ")
	digits, _, _ := strings.Cut(limit, " ")
	return fmt.Appendf(nil, `{"overflow":%t,"limit_tokens":%s}`, ok, digits)
}
