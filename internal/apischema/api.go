package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ctxfold/ctxfold/core"
)

// names are the definitions whose name is not that of their Go type, by PACKAGE.TYPE or TYPE.
var names = map[string]string{
	"Restored": "RestoredMessages", "Repaired": "RepairedMessages", "Usage": "Counted", "Code": "ErrorCode", "FailureArguments": "Failure", "LimitArguments": "OutputLimits",
	"policy.Summary": "PolicySummary", "policy.Window": "PolicyWindow", "policy.Gate": "PolicyGate", "policy.Prices": "PolicyPrices",
}

// closed says what is not in the Go types, by DEFINITION.key: the set of words that a text is one of, or another schema; nil leaves a key
// out.
var closed = map[string]any{
	"Detection.format": &schema{OneOf: []*schema{ref("Format"), {Const: new(string)}}}, "SessionInfo.format": &schema{OneOf: []*schema{ref("Format"), {Const: new(string)}}},
	"Estimate.family": "Family", "MemoryEntry.edits": &schema{Type: "array", Items: ref("Edit")},
	"Pin.role": "Role", "Plan.policy": ref("Policy"), "Planned.memory": ref("MemoryEntry"), "Policy.estimator": "Estimator", "Policy.preset": "Preset",
	"PolicySummary.style": "Style", "PresetInfo.policy": ref("Policy"), "Recalled.tool": &schema{Type: "object"},
	"SummaryRequest.thinking": &schema{Const: text("high")},
	"Info.estimators":         list("Estimator"), "Info.passes": list("PassName"), "Info.ops": list("Operation"),
	"Planned.messages": nil, "Planned.edits": nil, "RepairedMessages.messages": nil, "RepairedMessages.edits": nil, // hosts have types of their own
	"RestoredMessages.messages": nil, "RestoredMessages.edits": nil,
	"Body.places": &schema{Type: "array", Items: &schema{}},
}

// sets are the closed sets of words that are no type of their own in Go.
func sets() []set {
	var formats, presets []string
	for _, f := range known.Formats {
		formats = append(formats, f.Name)
	}
	for _, p := range known.Presets {
		presets = append(presets, p.Name)
	}
	return []set{
		{name: "Operation", doc: "The name of an operation.", words: known.Ops},
		{name: "Format", doc: "The name of a wire format; docs/FORMATS.md describes them.", words: formats},
		{name: "Preset", doc: "The name of a preset; docs/PRESETS.md says which one is for what.", words: presets},
		{name: "Estimator", doc: "The name of a token estimator; docs/TOKENS.md describes \"script\".", words: known.Estimators},
		{name: "Family", doc: "A family of tokenizers.", words: []string{"o200k", "cl100k", "claude", "llama3", "gemini"}},
		{name: "PassName", doc: "The name of a pass; docs/POLICY.md has their parameters.", words: known.Passes},
		{name: "Style", doc: "The layout of requests and digests: ctxfold's own (\"\"), or that of a published system.",
			words: []string{"", "turn-tail", "checkpoint", "window-budget", "agent-loop"}},
	}
}

// answers are the types of answers, by operation.
var answers = map[string]string{
	"info": "Info", "detect": "Detection", "estimate": "Estimate", "check": "Check", "plan": "Planned", "step": "Planned", "fit": "Planned",
	"prints": "Prints", "validate": "Validation", "repair": "Repaired", "restore": "Restored or NamedHandles", "recall": "Recalled", "search": "Found",
	"session_open": "SessionInfo", "session_append": "SessionInfo", "session_close": "ClosedSession", "classify_error": "Verdict", "limit_tool_output": "LimitedOutput", "save": "Saved", "function": "FunctionResult",
}

// keys are the schemas of what a request may hold, by KEY or OPERATION.KEY.
var keys = map[string]func(g *generator) *schema{
	"policy": typed("Policy"), "options": typed("Options"), "state": typed("State"), "plan": typed("Plan"), "summaries": listed("Summary"),
	"memory": listed("MemoryEntry"), "found": typed("Found"), "bodies": listed("Kept"),
	"messages": anything, "arguments": anything, "body": anything,
	"session": is("integer"), "tokens": is("integer"), "text": is("string"), "name": is("string"), "file": is("string"), "time": is("string"),
	"query": is("string"), "limit": is("integer"), "after": is("string"), "before": is("string"), "roles": func(*generator) *schema { return list("Role") },
	"classify_error.arguments": partly("FailureArguments"), "limit_tool_output.arguments": partly("LimitArguments"),
	"search.bodies": func(*generator) *schema { return list("Searchable") },
}

// required are the keys that a request of an operation always has.
var required = map[string][]string{"step": {"plan"}, "search": {"query", "bodies"}, "save": {"file", "messages"}, "session_append": {"session"},
	"session_close": {"session"}, "function": {"name"}, "classify_error": {"arguments"},
	"limit_tool_output": {"text"}}

// key is the schema of a key of an operation's requests; nil where there is none.
func (g *generator) key(op, name string) *schema {
	make := keys[op+"."+name]
	if make == nil {
		make = keys[name]
	}
	if make == nil {
		fatal(fmt.Sprintf("%s has the key %s, which has no schema", op, name))
	}
	return make(g)
}

func typed(name string) func(*generator) *schema {
	return func(g *generator) *schema { return g.value(g.named(name), "") }
}

// partly is a type of which every member may be left out.
func partly(name string) func(*generator) *schema {
	return func(g *generator) *schema {
		g.optional = true
		defer func() { g.optional = false }()
		return g.value(g.named(name), "")
	}
}

func listed(name string) func(*generator) *schema {
	return func(g *generator) *schema { return &schema{Type: "array", Items: g.value(g.named(name), "")} }
}

func is(kind string) func(*generator) *schema {
	return func(*generator) *schema { return &schema{Type: kind} }
}

func anything(*generator) *schema { return &schema{} }

func text(s string) *string { return &s }

func list(set string) *schema { return &schema{Type: "array", Items: ref(set)} }

// api is the schema of all operations.
func (g *generator) api() *schema {
	for _, each := range sets() {
		g.defs = append(g.defs, member{each.name, &schema{Description: each.doc, Type: "string", Enum: each.words}})
	}
	g.defs = append(g.defs, member{"ErrorCode", &schema{Description: "What went wrong; docs/ABI.md says what each means.", Type: "string",
		Enum: append(g.constants(g.named("Code")), "summary_failed")}})
	g.policy()
	index, number := &schema{Type: "integer"}, 2
	g.defs = append(g.defs, member{"Edit", &schema{Description: "One run of an answer's messages, in output order. Indexes count in the messages that were given.",
		OneOf: []*schema{
			object("The messages from the first index up to, not with, the second.", member{"keep", &schema{Type: "array", Items: index, Least: &number, Most: &number}}),
			object("A message that was not there.", member{"insert", &schema{Type: "object"}}),
			object("The message at this index, changed.", member{"set", index}, member{"message", &schema{Type: "object"}}),
		}}})
	searchable := object("A body to search: JSON as a store has it, or the value itself.", member{"handle", &schema{Type: "string"}}, member{"body", &schema{}})
	searchable.Required = []string{"body"}
	g.defs = append(g.defs, member{"Searchable", searchable})
	root := object("Operations are the requests and the answers of all operations. The transcript of an answer is not in its type.")
	root.Schema, root.Title = draft, "Operations"
	for _, op := range known.Ops {
		request, answer := &schema{Type: "object"}, &schema{Type: "object"}
		if members := membersOf(op); members != nil {
			request = g.request(op, members)
		}
		var one []*schema
		for _, name := range strings.Split(answers[op], " or ") {
			if name != "" {
				one = append(one, g.value(g.named(name), ""))
			}
		}
		switch len(one) {
		case 0:
		case 1:
			answer = one[0]
		default:
			answer = &schema{OneOf: one}
		}
		root.Properties = append(root.Properties, member{op, object("", member{"request", request}, member{"answer", answer})})
		root.Required = append(root.Required, op)
	}
	root.Defs = g.defs
	return root
}

// request defines the requests of an operation.
func (g *generator) request(op string, members []string) *schema {
	s := object("A request of the operation " + op + ".")
	s.Required = required[op]
	for _, key := range members {
		s.Properties = append(s.Properties, member{key, g.key(op, key)})
	}
	var name strings.Builder
	for _, word := range strings.Split(op, "_") {
		name.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	name.WriteString("Request")
	g.defs = append(g.defs, member{name.String(), s})
	return ref(name.String())
}

// membersOf are the keys that requests of an operation may have, as it says itself where there is another; nil where they are no object
// with such keys.
func membersOf(op string) []string {
	var answer struct{ Error struct{ Message string } }
	if err := json.Unmarshal(core.Call(op, []byte(`{"?":0}`)), &answer); err != nil {
		fatal(err)
	}
	_, listed, ok := strings.Cut(answer.Error.Message, "it may have: ")
	if !ok {
		return nil
	}
	return strings.Split(listed, ", ")
}

// object is the schema of an object that has all of these members and no other.
func object(doc string, of ...member) *schema {
	closed := false
	s := &schema{Description: doc, Type: "object", Properties: of, Closed: &closed}
	for _, each := range of {
		s.Required = append(s.Required, each.name)
	}
	return s
}
