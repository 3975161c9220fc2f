package wire

import (
	"github.com/ctxfold/ctxfold/api"
)

// Severity says how a provider reacts to a request that breaks a rule.
type Severity uint8

// The severities.
const (
	Refused   Severity = iota // the provider returns an error
	Tolerated                 // the provider accepts the request, with or without changing it
)

var severityNames = [...]api.Severity{api.SeverityRefused, api.SeverityTolerated}

// Word returns the severity as it is written in results.
func (s Severity) Word() api.Severity { return severityNames[s] }

// Case is a special case of a violation. A provider may tolerate it although it refuses other violations of the rule.
type Case uint8

// The special cases. General is the case of all other violations.
const (
	General     Case = iota
	OpensInText      // the assistant speaks first, and calls no tool before the user speaks
	SameRole         // two consecutive messages have the same role
	SplitTurn        // a result is in the right turn, but not in its first message
	BlankText        // text in a list of parts is empty or blank, or a message has only such texts
	EmptyString      // the whole content of a message is an empty string
	ReusedID         // a tool call has the id of a call in an earlier turn
)

// tolerances lists the violations that providers have accepted in recorded requests, or whose code accepts them. All
// other violations count as refused, as error messages, validators or SDK types show.
var tolerances = []struct {
	format, rule string
	special      Case
}{
	{"anthropic", "AN2", OpensInText},
	{"anthropic", "AN3", ReusedID},
	{"mistral", "MI4", ReusedID},
	{"adk", "AD1", BlankText},
	{"gemini", "G2", BlankText},
	{"gemini", "G3", SameRole},
	{"gemini", "G4", SplitTurn},
	{"ollama", "OL1", General},
	{"ollama", "OL2", General},
	{"ollama", "OL2", SplitTurn},
	{"ollama", "OL3", General},
	{"ollama", "OL3", EmptyString},
	{"ollama", "OL4", General},
	{"langchain", "LC6", General},
	{"langchain", "LC6", OpensInText},
	{"mcp-sampling", "MS3", ReusedID},
	{"mcp-sampling", "MS5", General},
	{"mcp-sampling", "MS5", EmptyString},
	{"mcp-sampling", "MS5", BlankText},
	{"prompt-api", "PR1", General},
	{"prompt-api", "PR1", EmptyString},
	{"prompt-api", "PR1", BlankText},
	{"pi", "PI1", General},
	{"pi", "PI2", General},
	{"pi", "PI6", General},
	{"pi", "PI6", EmptyString},
	{"pi", "PI6", BlankText},
	{"openai-agents", "I3", EmptyString},
	{"openai-agents", "I3", BlankText},
	{"assistant-ui", "UI2", General}, // its converter adds a result to such a call
	{"mastra", "MA1", General},       // it doesn't send such a message
	{"mastra", "MA1", EmptyString},
	{"mastra", "MA1", BlankText},
	{"mastra", "MA2", General}, // it skips such a call
	{"openai-responses", "I3", EmptyString},
	{"openai-responses", "I3", BlankText},
}

// severity returns the severity of a case of one of the format's rules.
func (f *Format) severity(rule string, special Case) Severity {
	for _, t := range tolerances {
		if t.special == special && t.rule == rule && t.format == f.Name {
			return Tolerated
		}
	}
	return Refused
}

// AnyRefused reports whether a provider would refuse one of these violations.
func AnyRefused(violations []Violation) bool {
	for i := range violations {
		if violations[i].Severity == Refused {
			return true
		}
	}
	return false
}
