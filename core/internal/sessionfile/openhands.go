package sessionfile

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// OpenHands writes a file for each event. A session file is these events in order: as a list, as JSON lines, or concatenated;
// base_state.json may be among them. If events name their parents they form a tree; in older files they form a line. A condensation names
// the events to forget and holds the summary that is sent in their place.
func init() {
	event := []string{"id", "kind", "timestamp", "source"}
	state := []string{"id", "agent", "workspace", "execution_status"}
	register(&Kind{
		Name:   "openhands",
		Doc:    "OpenHands: the events of a conversation, as a list, as JSON lines or concatenated",
		Format: "openai-chat",
		Signs:  []Sign{{"", event}, {"", state}},
		Items:  []Sign{{"", event}},
		Is: func(src []byte, at jsonspan.Span) bool {
			kind := stringAt(src, at, "kind")
			return kind.Zero() && !find(src, at, "agent").Zero() || ohKindOf(src, kind) != ohUnknown
		},
		Stream: true,
		Usage:  usageKeys{"prompt_tokens", "completion_tokens", "cache_read_tokens", "cache_write_tokens"},
		Read:   readOpenHands,
	})
}

type ohKind uint8

const (
	ohUnknown ohKind = iota
	ohSystem
	ohMessage
	ohSummary // a summary that is stored as an event
	ohAction
	ohObservation
	ohReject
	ohAgentError
	ohCondensation
	ohState // a change of the state, outside the tree
	ohError // an error in the conversation
	ohNote  // something that the model does not see
)

var ohKinds = [...]struct {
	name string
	kind ohKind
}{
	{"SystemPromptEvent", ohSystem}, {"MessageEvent", ohMessage}, {"CondensationSummaryEvent", ohSummary}, {"ActionEvent", ohAction},
	{"ObservationEvent", ohObservation}, {"UserRejectObservation", ohReject}, {"AgentErrorEvent", ohAgentError},
	{"Condensation", ohCondensation}, {"ConversationStateUpdateEvent", ohState}, {"ConversationErrorEvent", ohError},
	{"CondensationRequest", ohNote}, {"PauseEvent", ohNote}, {"InterruptEvent", ohNote}, {"TokenEvent", ohNote},
	{"StreamingDeltaEvent", ohNote}, {"HookExecutionEvent", ohNote}, {"LLMCompletionLogEvent", ohNote}, {"ACPToolCallEvent", ohNote},
}

func ohKindOf(src []byte, name jsonspan.Span) ohKind {
	for _, k := range ohKinds {
		if jsonspan.EqualText(src, name, k.name) {
			return k.kind
		}
	}
	return ohUnknown
}

// answers reports whether the event is the result of a call.
func (k ohKind) answers() bool { return k == ohObservation || k == ohReject || k == ohAgentError }

// sent reports whether the model sees the event.
func (k ohKind) sent() bool { return k >= ohSystem && k <= ohAgentError }

// ohEvent is an event. Its ids are places in ids until resolve, and numbers afterwards.
type ohEvent struct {
	at         jsonspan.Span
	kind       ohKind
	linked     bool // names its parent
	root       bool // says that it has no parent
	thinks     bool // has thinking blocks
	executable bool // a call that the agent runs if it has no result
	id         int32
	parent     int32
	response   int32         // the model's answer that the event belongs to
	call       int32         // the id of the tool call
	action     int32         // of a result: the id of the event that it answers
	summary    jsonspan.Span // of a condensation
	offset     int           // of a condensation: where its summary goes, or -1
	summaryID  int32         // of a condensation: the id of its summary
	first, end int32         // of a condensation: forgotten[first:end]
}

type openHands struct {
	*file
	ids       ids
	events    []ohEvent
	forgotten []int32
	list      jsonspan.Span // the list of events, if the file is one
	base      jsonspan.Span // base_state.json
	leaf      jsonspan.Span // the id of the newest event according to base, as a string
	head      int32         // that id, or noID
	empty     bool          // the base state says that the conversation starts over
	numbers   int
	path      []int32 // events from the root to the newest one
	raw       []int32 // what the condensations leave: events, and -1-i for the summary of the condensation i
	view      []int32 // the part of raw that is sent
	reasoned  bool    // the model gets its reasoning_content back
	told      bool    // the last message that tell saw is merged with a user message
}

func readOpenHands(f *file) writer {
	o := &openHands{file: f, head: noID}
	if s := f.scan(uint32(start(f.src))); s.Kind() == jsonspan.Array {
		o.list = readList(s, "a session", "an event", o.event)
		s.End()
		f.fail(s.Err(), 0)
	} else {
		o.stream()
	}
	if f.err == nil {
		o.resolve()
		o.sees()
		o.model()
		o.write()
		o.count()
	}
	return o
}

// stream reads consecutive objects, with any white space between them. An incomplete last one is skipped.
func (o *openHands) stream() {
	for at := uint32(start(o.src)); o.err == nil; {
		s := o.scan(at)
		kind := s.Kind()
		from := int(s.Pos())
		if from == len(o.src) {
			return
		}
		if kind != jsonspan.Object {
			s.Fail(jsonspan.WrongType, from, "an event must be an object")
		} else {
			o.event(s)
		}
		if s.Err() != nil && s.Err().Code == jsonspan.TruncatedJSON {
			o.skip(api.SkipUnfinished, 1)
			o.whole = from
			return
		}
		if s.Err() != nil {
			o.fail(s.Err(), 1+bytes.Count(o.src[:from], []byte{'\n'}))
		}
		at = s.Pos()
	}
}

func (o *openHands) event(s *jsonspan.Scanner) {
	e := ohEvent{at: jsonspan.Span{Start: s.Pos()}, id: noID, parent: noID, response: noID, call: noID, action: noID,
		offset: -1, summaryID: noID, first: int32(len(o.forgotten))}
	var kind, agent, id, leaf, stamp jsonspan.Span
	empty := false
	read(s, field{"kind", &kind}, field{"id", &id}, field{"timestamp", &stamp},
		field{"parent_id", func(s *jsonspan.Scanner) {
			p := text(s)
			e.root = jsonspan.EqualText(o.src, p, "__root__")
			if e.linked = p.Len() >= 2; e.linked {
				e.parent = o.ids.add(o.src, p)
			}
		}},
		field{"llm_response_id", number{&o.ids, &e.response}}, field{"tool_call_id", number{&o.ids, &e.call}},
		field{"action_id", number{&o.ids, &e.action}},
		field{"action", func(s *jsonspan.Scanner) { e.executable = s.Skip().Kind == jsonspan.Object }},
		field{"thinking_blocks", func(s *jsonspan.Scanner) { e.thinks = len(s.Skip().Of(o.src)) > 2 }},
		field{"summary", &e.summary},
		field{"summary_offset", func(s *jsonspan.Scanner) {
			if v := s.Skip(); v.Kind == jsonspan.Number {
				if n, err := strconv.Atoi(string(v.Of(o.src))); err == nil && n >= 0 {
					e.offset = n
				}
			}
		}},
		field{"forgotten_event_ids", func(s *jsonspan.Scanner) { o.forgotten = o.ids.list(s, o.forgotten) }},
		field{"agent", anyValue{&agent}}, field{"leaf_event_id", &leaf}, field{"head_is_empty", &empty})
	e.at.End, e.end = s.Pos(), int32(len(o.forgotten))
	if s.Err() != nil {
		return
	}
	if kind.Zero() && !agent.Zero() {
		o.base, o.leaf, o.head, o.empty = e.at, leaf, o.ids.add(o.src, leaf), empty
		return
	}
	e.kind = ohKindOf(o.src, kind)
	e.id = o.ids.add(o.src, id)
	if stamp.Len() > 2 {
		o.timed(stamp)
	}
	if e.kind == ohCondensation && e.id != noID {
		e.summaryID = o.ids.addText(append(bytes.Clone(o.ids.keys[e.id]), "-summary"...))
	}
	o.events = append(o.events, e)
}

// resolve finds the path from the newest event back to the root. If several events have the same id, the first counts.
func (o *openHands) resolve() {
	ranks, n := o.ids.rank()
	o.numbers = n
	ranks.number(&o.head)
	for i := range o.forgotten {
		ranks.number(&o.forgotten[i])
	}
	at := filled(n, -1)
	for i := range o.events {
		e := &o.events[i]
		ranks.number(&e.id, &e.parent, &e.response, &e.call, &e.action, &e.summaryID)
		if e.id != noID && at[e.id] < 0 {
			at[e.id] = int32(i)
		}
	}
	first := func(i int) int32 { // the event with the same id that the agent uses for event i
		if i >= 0 && o.events[i].id != noID {
			return at[o.events[i].id]
		}
		return int32(i)
	}
	leaf := int32(-1)
	if o.head != noID {
		leaf = at[o.head]
	} else if !o.empty {
		for i := len(o.events) - 1; i >= 0; i-- {
			if k := o.events[i].kind; k != ohState && k != ohError {
				leaf = first(i)
				break
			}
		}
	}
	seen := make([]bool, len(o.events))
	for i := leaf; i >= 0 && !seen[i]; {
		seen[i] = true
		o.path = append(o.path, i)
		switch e := &o.events[i]; {
		case e.root:
			i = -1
		case e.linked:
			i = at[e.parent]
		default:
			i = first(int(i) - 1)
		}
	}
	slices.Reverse(o.path)
	for i := range o.events {
		if !seen[i] {
			if k := o.events[i].kind; k.sent() || k == ohCondensation {
				o.skip(api.SkipBranch, 1)
			} else {
				o.skip(api.SkipMeta, 1)
			}
		}
	}
}
