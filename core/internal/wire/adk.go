//go:build !ctxfold_no_formats

package wire

import (
	"bytes"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

func init() {
	Register(&Format{
		Name:    "adk",
		Doc:     "Google Agent Development Kit: Event[], as sessions of JavaScript and Python keep them",
		List:    "events",
		Convert: target(&adkTarget),
		Signs: Signs{
			Keys:    "content timestamp",
			Content: "turn",
			Own: "content:turn key:invocationId key:invocation_id key:longRunningToolIds key:long_running_tool_ids key:isCompacted list:events " +
				"body:appName body:app_name body:lastUpdateTime body:last_update_time",
			Also: "part:role part:parts",
			Shy:  true,
		},
		Parts:       "parts",
		Within:      []string{"content"},
		ReadMessage: readADK,
		Message: func(dst []byte, role transcript.Role, text string) []byte {
			return adkReplacement(dst, role, text, nil)
		},
		Instead:     adkReplacement,
		Timed:       true,
		ResultBody:  geminiResultBody,
		Tool:        `{"name":%n,"description":%d,"parametersJsonSchema":%p}`,
		TextPart:    `{"text":%t}`,
		InnerMedia:  true,
		Results:     adkResults,
		Wrap:        adkWrap,
		Sign:        geminiSign,
		Link:        linkADK,
		Stamp:       "timestamp",
		SystemApart: true,
		FreshID:     "adk-ctxfold-",
		Rules: Rules{
			Unanswered: "AD2", Orphan: "AD3", Duplicate: "AD4", Empty: "AD1", First: "AD5", Role: "AD6",
			Answers: NewestOpen, ResultRole: transcript.User, Named: true, Through: true,
		},
		Extra: checkADK,
	})
}

const (
	adContent = iota
	adAuthor
	adCompacted
	adSummary
	adActions
	adScope
	adScope2
)

var adkKeys = []string{"content", "author", "isCompacted", "compactedContent", "actions", "isolationScope",
	"isolation_scope"}

// readADK reads an event. An event that isn't sent to the model (a state change, a request to the user interface,
// content without text) costs nothing, and its calls are ignored.
func readADK(r *Reader, m *transcript.Message) {
	first := len(r.T.Parts)
	var role, parts field
	var told adkCompaction
	f, _ := r.fields(adkKeys, func(r *Reader, key int, f *frame) bool {
		switch object := r.Kind() == jsonspan.Object; {
		case object && key == adActions:
			told.actions(r)
		case object && key == adContent:
			in := r.roleAndList(m, geminiMessageKeys, geminiPart)
			role, parts = in[0], in[1]
		default:
			return false
		}
		return true
	})
	r.wantKind(&f[adContent], jsonspan.Object, jsonspan.Null,
		"the content of an event must be an object with role and parts")
	r.wantKind(&parts, jsonspan.Array, jsonspan.Null, "parts must be a list")
	r.wantKind(&role, jsonspan.String, jsonspan.Null, "the role must be a string")
	if r.Err() != nil {
		return
	}
	switch {
	case f[adCompacted].Kind == jsonspan.True:
		told.texts = append(told.texts[:0], f[adSummary])
		told.digest(r, m, first)
		return
	case told.found:
		told.digest(r, m, first)
		return
	}
	m.Content, m.RoleSpan = parts.Span, role.Span
	if !role.Str() || role.Size.Bytes == 0 || adkUnseen(r, first) {
		adkUnsent(r, m, first)
		return
	}
	r.setRole(m, &role, geminiRoles)
	for _, k := range [...]int{adScope, adScope2} {
		if f[k].Str() {
			m.Label = f[k].Span
		}
	}
}

// adkUnsent marks an event as not sent: it costs nothing, and has no calls. first is the index of its first part.
func adkUnsent(r *Reader, m *transcript.Message, first int) {
	m.Role, m.Variant, m.Unsent = transcript.User, transcript.Note, true
	for i := range r.T.Parts[first:] {
		p := &r.T.Parts[first+i]
		p.Kind, p.Flags, p.Size, p.Data = transcript.Opaque, transcript.NotSent, jsonspan.Measure{}, 0
		p.ID, p.Name = jsonspan.Span{}, jsonspan.Span{}
	}
}

// adkFramework lists the names of calls with which the framework addresses users. Events that contain them aren't sent
// to the model.
var adkFramework = []string{"adk_request_credential", "adk_request_confirmation", "adk_request_input", "adk_framework"}

// adkUnseen reports whether an event isn't sent, because it belongs to the framework or contains only empty texts.
// first is the index of the event's first part.
func adkUnseen(r *Reader, first int) bool {
	parts := r.T.Parts[first:]
	seen := len(parts) == 0
	for i := range parts {
		p := &parts[i]
		seen = seen || p.Kind != transcript.Text && p.Kind != transcript.Reasoning || p.Size.Bytes > 0
		if p.Name.IsZero() {
			continue
		}
		for _, name := range adkFramework {
			if jsonspan.EqualText(r.Src(), p.Name, name) {
				return true
			}
		}
	}
	return !seen
}

// adkCompaction is a compaction by the framework. An event contains it in place of the events that it summarizes.
type adkCompaction struct {
	found bool    // whether the event has a compaction
	texts []field // the texts of its content, in order
}

var (
	adkActionKeys     = []string{"compaction"}
	adkCompactionKeys = []string{"compactedContent", "compacted_content"}
	adkTextKeys       = []string{"text"}
)

// actions reads the actions of an event, where the Python SDK keeps a compaction.
func (c *adkCompaction) actions(r *Reader) {
	r.fields(adkActionKeys, func(r *Reader, _ int, f *frame) bool {
		if r.Kind() != jsonspan.Object {
			return false
		}
		f[0].Start, c.found = r.Pos(), true
		r.fields(adkCompactionKeys, func(r *Reader, key int, f *frame) bool {
			if r.Kind() != jsonspan.Object {
				return false
			}
			r.fields(geminiMessageKeys, func(r *Reader, key int, f *frame) bool {
				if key != 1 || r.Kind() != jsonspan.Array {
					return false
				}
				r.list(c.part)
				return true
			})
			return true
		})
		return true
	})
}

// part reads a part of the compaction's content.
func (c *adkCompaction) part(r *Reader) {
	if r.Kind() != jsonspan.Object {
		r.Skip()
		return
	}
	if in, _ := r.fields(adkTextKeys, nil); in[0].Str() {
		c.texts = append(c.texts, in[0])
	}
}

// digest turns the event into a digest that consists of the compaction's texts only. first is the
// index of the event's first part.
func (c *adkCompaction) digest(r *Reader, m *transcript.Message, first int) {
	r.T.Parts, m.Lists = r.T.Parts[:first], [2]jsonspan.Span{}
	m.Role, m.Variant = transcript.User, transcript.Digest
	for i := range c.texts {
		if c.texts[i].Str() {
			r.Add(wholePart(transcript.Text, &c.texts[i]))
		}
	}
}

// linkADK pairs each call with its last response, because that is the one sent to the model. It
// considers the responses from part index from on. It also marks calls that have begun a task: the
// events of a task have the call's id as their scope, and the response comes when the task ends.
func linkADK(t *transcript.Transcript, from int) {
	var answers critbit.Map[int32] // the response to a call, by its id
	for i := from; i < len(t.Parts); i++ {
		p := &t.Parts[i]
		if p.Kind != transcript.ToolResult || p.ID.IsZero() {
			continue
		}
		if before, ok := answers.Get(t.Text(p.ID)); ok && p.Pair < 0 && t.Parts[before].Msg != p.Msg && t.Text(t.Parts[before].Name) == t.Text(p.Name) {
			old := &t.Parts[before]
			call := old.Pair
			p.Pair, t.Parts[call].Pair = call, int32(i)
			old.Pair, old.Caller = -1, call+1
			old.Flags |= transcript.Continues
		}
		if p.Pair >= 0 {
			answers.Set(t.Text(p.ID), int32(i))
		}
	}
	if from == 0 {
		linkTasks(t)
	}
}

// linkTasks marks the calls without results that have begun a task as provider-only.
func linkTasks(t *transcript.Transcript) {
	var tasks critbit.Map[bool]
	any := false
	for i := range t.Messages {
		if m := &t.Messages[i]; m.Variant == transcript.Plain && !m.Label.IsZero() {
			tasks.Add(t.Text(m.Label))
			any = true
		}
	}
	for i := range t.Parts {
		if p := &t.Parts[i]; any && p.Kind == transcript.ToolCall && p.Pair < 0 && !p.ID.IsZero() && tasks.Has(t.Text(p.ID)) {
			p.Flags |= transcript.ProviderOnly
		}
	}
}

// checkADK reports violations of AD1 (no part may be empty), AD3 (an event with responses must answer the calls of one
// event by their ids, and have no calls itself), AD7 (the first call of a turn must be signed), AD8 (a response must be
// an object) and AD9 (an event must not begin with an empty text).
func checkADK(c *Checker) {
	last := c.lastCalling()
	rules := geminiRules{empty: "AD1", sign: "AD7", object: "AD8", begin: "AD9", last: last}
	if last < 0 {
		rules.last = int32(len(c.Seq)) - 1
	}
	c.geminiParts(&rules)
	moved := map[int32]bool{} // calls whose response is moved directly after them
	for _, m := range c.Seq {
		c.adkResponses(m, last, moved)
	}
	if len(moved) == 0 {
		return
	}
	for n, p := range c.parts { // drop the earlier responses of the same calls
		if p.Kind == transcript.ToolResult && p.Pair < 0 && p.Has(transcript.Continues) && moved[p.Caller-1] {
			c.Add("AD3", p.Msg, n, DropPart, "a later response has taken its place")
		}
	}
}

// adkResponses checks the responses in an event. It adds to moved the calls whose response must follow them directly.
// last is the result of lastCalling.
func (c *Checker) adkResponses(m, last int32, moved map[int32]bool) {
	t, msg := c.T, &c.T.Messages[m]
	calls, one := false, int32(-1)
	for _, p := range t.PartsOf(int(m)) {
		calls = calls || p.Kind == transcript.ToolCall && !p.Has(transcript.Removed)
	}
	move := func(n, call int32, why string) {
		moved[call] = true
		c.Add("AD3", m, n, MoveResult, why)
	}
	for n := msg.First; n < msg.First+msg.Count; n++ {
		p := &t.Parts[n]
		if p.Kind != transcript.ToolResult || p.Pair < 0 || p.Has(transcript.Removed) {
			continue
		}
		switch of := t.Parts[p.Pair].Msg; {
		case p.ID.IsZero() || t.Parts[p.Pair].ID.IsZero():
			c.Add("AD3", m, n, DropPart, "without an id, a response is not matched to its call")
		case calls:
			move(n, p.Pair, "an event that holds responses must hold no calls")
		case c.place[of] < last && c.place[m] > last:
			move(n, p.Pair, "the events between the last responses and their calls are not sent")
		case one >= 0 && of != one:
			move(n, p.Pair, "the responses of this event answer calls of several events")
		default:
			one = of
		}
	}
}

// lastCalling returns the position of the event whose calls are answered by the last event that is sent. Events in
// between don't matter. It returns -1 if that event answers no calls.
func (c *Checker) lastCalling() int32 {
	for i := len(c.Seq) - 1; i >= 0; i-- {
		if c.T.Messages[c.Seq[i]].Unsent {
			continue
		}
		for _, p := range c.T.PartsOf(int(c.Seq[i])) {
			if p.Kind == transcript.ToolResult && p.Pair >= 0 && !p.Has(transcript.Removed) {
				return c.place[c.T.Parts[p.Pair].Msg]
			}
		}
		break
	}
	return -1
}

const adkActions = `"actions":{"stateDelta":{},"artifactDelta":{},"requestedAuthConfigs":{},"requestedToolConfirmations":{}}}`

// adkCopied lists the members that a new event copies from a neighboring one. If a member has two spellings, they are
// next to each other.
var adkCopied = []string{"invocationId", "invocation_id", "author", "branch", "isolationScope", "isolation_scope"}

// appendADK writes the beginning of an event, up to its content. Its id is computed from id and salt. The new event has
// the invocation of event, which may be nil. author is JSON; if it is nil, the author and the members that restrict who
// can see the new event are copied from event.
func appendADK(dst []byte, id string, author, event, salt []byte) []byte {
	var f frame
	if event != nil {
		in, _ := (&Reader{Scanner: jsonspan.New(event)}).fields(adkCopied, nil)
		f = *in
	}
	either := func(k int) []byte {
		for _, k := range [...]int{k, k + 1} {
			if f[k].Str() {
				return f[k].Slice(event)
			}
		}
		return nil
	}
	dst = append(appendMessageID(dst, id, salt), `,"invocationId":`...)
	if invocation := either(0); invocation != nil {
		dst = append(dst, invocation...)
	} else {
		dst = append(dst, `""`...)
	}
	own := author == nil
	if own && f[2].Str() {
		author = f[2].Slice(event)
	} else if own {
		author = []byte(`"model"`)
	}
	dst = append(append(dst, `,"author":`...), author...)
	if own && f[3].Str() {
		dst = append(append(dst, `,"branch":`...), f[3].Slice(event)...)
	}
	if scope := either(4); own && scope != nil {
		dst = append(append(dst, `,"isolationScope":`...), scope...)
	}
	return append(dst, `,"timestamp":`+NoStamp+`,"content":`...)
}

var adkUser = []byte(`"user"`)

// adkReplacement writes an event with one text. Unless the text is the model's, the event's author is the user, and the
// event is visible in all branches.
func adkReplacement(dst []byte, role transcript.Role, text string, old []byte) []byte {
	author := adkUser
	if role == transcript.Assistant {
		if author = nil; old != nil && bytes.Equal(adkAuthor(old), adkUser) {
			author = []byte(`"model"`)
		}
	}
	dst = textMessage(geminiText)(appendADK(dst, text, author, old, old), role, text)
	return append(dst, `,`+adkActions...)
}

// adkAuthor returns the author of an event as JSON, or nil if it has none.
func adkAuthor(event []byte) []byte {
	f, _ := (&Reader{Scanner: jsonspan.New(event)}).fields(adkCopied, nil)
	if !f[2].Str() {
		return nil
	}
	return f[2].Slice(event)
}

// adkResults writes one event with a response for each call, or returns nil if a call has no id. The event has the same
// author as the calls, because the framework would show a response by another author to the agent as text.
func adkResults(dst []byte, calls []Call, text string) []byte {
	if len(calls) == 0 {
		return nil
	}
	for _, c := range calls {
		if c.ID == nil {
			return nil
		}
	}
	dst = appendADK(dst, text, nil, calls[0].Message, calls[0].ID)
	return append(geminiAnswers.results(dst, calls, text), `,`+adkActions...)
}

// adkWrap writes an event that contains only a response taken from another event.
func adkWrap(dst []byte, role transcript.Role, part, event []byte) []byte {
	dst = appendADK(dst, "", nil, event, part)
	return append(wrapParts(dst, role, part), `,`+adkActions...)
}

// adkTarget gives each event a time of its own, because both SDKs identify summarized events by their times.
var adkTarget = Target{
	User:      `{"id":"ctxfold-%#","invocationId":"","author":"user","timestamp":%#,"content":{"role":"user","parts":[%c]},` + adkActions,
	Assistant: `{"id":"ctxfold-%#","invocationId":"","author":"model","timestamp":%#,"content":{"role":"model","parts":[%c]},` + adkActions,
	Apart:     `%t`, ApartKey: "instruction",
	Text:      geminiTarget.Text,
	Reasoning: geminiTarget.Reasoning,
	Call:      geminiTarget.Call, Sign: true,
	Result:   geminiTarget.Result,
	Gathered: `{"id":"ctxfold-%#","invocationId":"","author":"model","timestamp":%#,"content":{"role":"user","parts":[%c]},` + adkActions,
	Outcome:  geminiTarget.Outcome,
	Media:    geminiTarget.Media,
	ID:       NameForm{Marks: AnySign}, ToolName: NameForm{Max: 64, Marks: "_.:-"},
}
