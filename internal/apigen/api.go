package main

import (
	"strings"

	"github.com/ctxfold/ctxfold/internal/operations"
)

// names are the names of definitions in the schema, where they differ from the names of their Go types. The keys are PACKAGE.TYPE or
// TYPE.
var names = map[string]string{
	"Restored": "RestoredMessages", "Repaired": "RepairedMessages", "Usage": "Counted", "Code": "ErrorCode", "LimitArguments": "OutputLimits",
	"policy.Summary": "PolicySummary", "policy.Window": "PolicyWindow", "policy.Gate": "PolicyGate", "policy.Prices": "PolicyPrices",
}

// more lists, for a set of words, the other sets whose words it includes.
var more = map[string][]string{"DecisionName": {"ActionName"}, "Doer": {"PassName"}}

// api returns the schema of all operations.
func (g *generator) api() *schema {
	for _, set := range registries() {
		g.words(g.named(set.name), set.words)
	}
	g.said("Code")
	g.policy()
	index, number := &schema{Type: "integer"}, 2
	g.defs = append(g.defs, member{"Edit", &schema{Description: "One run of an answer's messages, in output order. Indexes refer to the messages of the request.",
		OneOf: []*schema{
			object("The messages from the first index up to, but excluding, the second.", member{"keep", &schema{Type: "array", Items: index, Least: &number, Most: &number}}),
			object("A new message.", member{"insert", &schema{Type: "object"}}),
			object("The message at this index, changed.", member{"set", index}, member{"message", &schema{Type: "object"}}),
		}}})
	searchable := object("A body to search: JSON as it is in a store, or the value itself.", member{"handle", &schema{Type: "string"}}, member{"body", &schema{}})
	searchable.Required = []string{"body"}
	g.defs = append(g.defs, member{"Searchable", searchable})
	root := object("Operations are the requests and the answers of all operations. The transcript of an answer is not in its type.")
	root.Schema, root.Title = draft, "Operations"
	for _, o := range operations.Operations {
		root.Properties = append(root.Properties, member{o.Name, object("", member{"request", g.request(&o)}, member{"answer", g.answer(&o)})})
		root.Required = append(root.Required, o.Name)
	}
	root.Defs = g.defs
	return root
}

// registry is a set of names, such as those of all formats.
type registry struct {
	name  string // of the Go type
	words []string
}

func registries() []registry {
	names := func(list []named) (words []string) {
		for _, n := range list {
			words = append(words, n.Name)
		}
		return words
	}
	var ops []string
	for _, o := range operations.Operations {
		ops = append(ops, o.Name)
	}
	return []registry{{"Operation", ops}, {"Format", names(known.Formats)}, {"Preset", names(known.Presets)}, {"Estimator", known.Estimators},
		{"PassName", known.Passes}, {"FunctionName", known.Functions}}
}

// request defines the request of an operation and returns its schema. If the request has no members, the operation itself specifies the
// schema.
func (g *generator) request(o *operations.Operation) *schema {
	if o.Members == 0 {
		return &schema{Type: "object"}
	}
	s := object("A request of the operation " + o.Name + ".")
	s.Required = o.Needs.Names()
	for m, row := range operations.MemberTable {
		if !o.Members.Has(operations.Member(m)) {
			continue
		}
		is := row.Type
		if o.Typed.Type != "" && o.Typed.Member == operations.Member(m) {
			is = o.Typed.Type
		}
		s.Properties = append(s.Properties, member{row.Name, g.said(is)})
	}
	name := camel(o.Name) + "Request"
	g.defs = append(g.defs, member{name, s})
	return ref(name)
}

// answer returns the schema of an operation's answer, which is of one type, or of one of several types.
func (g *generator) answer(o *operations.Operation) *schema {
	var one []*schema
	for _, name := range strings.Split(o.Answer, " or ") {
		one = append(one, g.value(g.named(name), ""))
	}
	if len(one) == 1 {
		return one[0]
	}
	return &schema{OneOf: one}
}

// object returns the schema of an object that has the given members and no others.
func object(doc string, of ...member) *schema {
	closed := false
	s := &schema{Description: doc, Type: "object", Properties: of, Closed: &closed}
	for _, each := range of {
		s.Required = append(s.Required, each.name)
	}
	return s
}
