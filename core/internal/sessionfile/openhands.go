package sessionfile

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// OpenHands writes each event to a separate file. What is read here as a session file contains these events in order:
// as a list, as JSON lines, or concatenated, possibly together with base_state.json. The events form a tree if they
// name their parents, and a sequence in older files. A condensation lists the events to forget and contains the summary
// that is sent in their place.
var openhandsKind = Kind{
	Name:   "openhands",
	Doc:    "OpenHands: the events of a conversation, as a list, as JSON lines or concatenated",
	Format: "openai-chat",
	Signs:  []Sign{{"", ohEventKeys}, {"", ohStateKeys}},
	Items:  []Sign{{"", ohEventKeys}},
	Is: func(src []byte, at jsonspan.Span) bool {
		kind := stringAt(src, at, "kind")
		return kind.IsZero() && !find(src, at, "agent").IsZero() || ohKindOf(src, kind) != ohUnknown
	},
	Stream: true,
	Usage:  usageKeys{"prompt_tokens", "completion_tokens", "cache_read_tokens", "cache_write_tokens"},
	Read:   readOpenHands,
}

// The keys of an event, and of the state of a conversation.
var (
	ohEventKeys = []string{"id", "kind", "timestamp", "source"}
	ohStateKeys = []string{"id", "agent", "workspace", "execution_status"}
)

func init() {
	register(&openhandsKind)
}

type ohKind uint8

const (
	ohUnknown      ohKind = iota
	ohSystem              // the system prompt
	ohMessage             // a message of the user or of the agent
	ohSummary             // a summary that is stored as an event
	ohAction              // a tool call
	ohObservation         // the result of a call
	ohReject              // the user rejected a call
	ohAgentError          // an error in place of the result of a call
	ohCondensation        // a compaction: the forgotten events, and the summary
	ohState               // a change of the state, which is not part of the tree
	ohError               // an error in the conversation
	ohNote                // an event that the model doesn't see
)

var ohKinds = [...]struct {
	name string
	kind ohKind
}{
	{"SystemPromptEvent", ohSystem}, {"MessageEvent", ohMessage}, {"CondensationSummaryEvent", ohSummary},
	{"ActionEvent", ohAction}, {"ObservationEvent", ohObservation}, {"UserRejectObservation", ohReject},
	{"AgentErrorEvent", ohAgentError}, {"Condensation", ohCondensation}, {"ConversationStateUpdateEvent", ohState},
	{"ConversationErrorEvent", ohError}, {"CondensationRequest", ohNote}, {"PauseEvent", ohNote},
	{"InterruptEvent", ohNote}, {"TokenEvent", ohNote}, {"StreamingDeltaEvent", ohNote}, {"HookExecutionEvent", ohNote},
	{"LLMCompletionLogEvent", ohNote}, {"ACPToolCallEvent", ohNote},
}

func ohKindOf(src []byte, name jsonspan.Span) ohKind {
	for _, k := range ohKinds {
		if jsonspan.EqualText(src, name, k.name) {
			return k.kind
		}
	}
	return ohUnknown
}

// answers reports whether an event of this kind is the result of a tool call.
func (k ohKind) answers() bool { return k == ohObservation || k == ohReject || k == ohAgentError }

// sent reports whether the model sees events of this kind.
func (k ohKind) sent() bool { return k >= ohSystem && k <= ohAgentError }

// ohEvent is an event. Its id fields hold positions until resolve replaces them with the ids' numbers (see ids).
type ohEvent struct {
	at         jsonspan.Span // the whole event
	kind       ohKind        // what the event is
	linked     bool          // it names its parent
	root       bool          // it is marked as having no parent
	thinks     bool          // it has thinking blocks
	executable bool          // a call that the agent will run if it has no result
	id         int32         // its own id, or noID
	parent     int32         // the id of the event that precedes it, or noID
	response   int32         // the id of the model response that the event belongs to
	call       int32         // the id of the tool call
	action     int32         // for a result, the id of the event with its call
	summary    jsonspan.Span // for a condensation, its summary, a string
	offset     int           // for a condensation, the index at which its summary is inserted, or -1
	summaryID  int32         // for a condensation, the id of its summary
	first, end int32         // for a condensation, the events to forget: forgotten[first:end]
}

type openHands struct {
	*file
	ids       ids           // the ids of events, responses and calls
	events    []ohEvent     // in the order of the file
	forgotten []int32       // the ids that condensations forget
	list      jsonspan.Span // the list of events, if the file is a list
	base      jsonspan.Span // the object from base_state.json; zero if the file doesn't include it
	leaf      jsonspan.Span // the id of the newest event in base, a string
	head      int32         // that id, or noID
	empty     bool          // the base state says that the conversation is empty
	numbers   int           // the number of different ids
	path      []int32       // the indexes of the events from the root to the newest
	// The result of the condensations: indexes of events, and ohSummaryOf(i) for the summary of condensation i.
	raw       []int32
	view      []int32 // the entries of raw that are sent
	reasoned  bool    // the model's reasoning_content is sent back to it
	afterUser bool    // whether the last message that appendPreserved got was a plain user message, which the next one may be merged with
}

func readOpenHands(f *file) writer {
	o := &openHands{file: f, head: noID}
	if o.list = f.eachOfList("an event", o.event); o.list.IsZero() {
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

// stream reads concatenated objects, with any white space between them. Any other value is an
// error. An incomplete last object is skipped.
func (o *openHands) stream() {
	for at := uint32(textStart(o.src)); o.err == nil; {
		s := o.scannerAt(at)
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
			o.noteSkipped(api.SkipUnfinished, 1)
			o.whole = from
			return
		}
		if s.Err() != nil {
			o.fail(s.Err(), 1+bytes.Count(o.src[:from], []byte{'\n'}))
		}
		at = s.Pos()
	}
}

// event reads an event and records it. An object without a kind, but with an agent, is the base state.
func (o *openHands) event(s *jsonspan.Scanner) {
	e := ohEvent{at: jsonspan.Span{Start: s.Pos()}, id: noID, parent: noID, response: noID, call: noID, action: noID,
		offset: -1, summaryID: noID, first: int32(len(o.forgotten))}
	var kind, agent, id, leaf, stamp jsonspan.Span
	empty := false
	read(s, field{"kind", &kind}, field{"id", &id}, field{"timestamp", &stamp},
		field{"parent_id", func(s *jsonspan.Scanner) {
			p := stringSpan(s)
			e.root = jsonspan.EqualText(o.src, p, "__root__")
			if e.linked = p.Len() >= 2; e.linked {
				e.parent = o.ids.add(o.src, p)
			}
		}},
		field{"llm_response_id", number{&o.ids, &e.response}}, field{"tool_call_id", number{&o.ids, &e.call}},
		field{"action_id", number{&o.ids, &e.action}},
		field{"action", func(s *jsonspan.Scanner) { e.executable = s.Skip().Kind == jsonspan.Object }},
		field{"thinking_blocks", func(s *jsonspan.Scanner) { e.thinks = len(s.Skip().Slice(o.src)) > 2 }},
		field{"summary", &e.summary},
		field{"summary_offset", func(s *jsonspan.Scanner) {
			if v := s.Skip(); v.Kind == jsonspan.Number {
				if n, err := strconv.Atoi(string(v.Slice(o.src))); err == nil && n >= 0 {
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
	if kind.IsZero() && !agent.IsZero() {
		o.base, o.leaf, o.head, o.empty = e.at, leaf, o.ids.add(o.src, leaf), empty
		return
	}
	e.kind = ohKindOf(o.src, kind)
	e.id = o.ids.add(o.src, id)
	if stamp.Len() > 2 {
		o.noteTime(stamp)
	}
	if e.kind == ohCondensation && e.id != noID {
		e.summaryID = o.ids.addText(append(bytes.Clone(o.ids.keys[e.id]), "-summary"...))
	}
	o.events = append(o.events, e)
}

// resolve sets the path from the root to the newest event. If several events have the same id, the first is used.
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
	first := func(i int) int32 { // the first event with the same id as event i, which is the one that OpenHands uses
		if i >= 0 && o.events[i].id != noID {
			return at[o.events[i].id]
		}
		return int32(i)
	}
	i := int32(-1)
	if o.head != noID {
		i = at[o.head]
	} else if !o.empty {
		i = first(o.newest())
	}
	seen := make([]bool, len(o.events))
	for i >= 0 && !seen[i] {
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
	o.skipOthers(seen)
}

// skipOthers counts the events that aren't on the path, which seen marks.
func (o *openHands) skipOthers(seen []bool) {
	for i := range o.events {
		switch k := o.events[i].kind; {
		case seen[i]:
		case k.sent() || k == ohCondensation:
			o.noteSkipped(api.SkipBranch, 1)
		default:
			o.noteSkipped(api.SkipMeta, 1)
		}
	}
}

// newest returns the index of the newest event of the conversation, or -1. State updates and errors don't count.
func (o *openHands) newest() int {
	i := len(o.events) - 1
	for i >= 0 && (o.events[i].kind == ohState || o.events[i].kind == ohError) {
		i--
	}
	return i
}
