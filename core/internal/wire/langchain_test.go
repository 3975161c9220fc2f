package wire_test

import (
	"strings"
	"testing"
)

// lcSpelling writes a message from its type, its class and the members that it holds.
type lcSpelling struct {
	name   string
	in     string // the key of a message that holds them, for paths
	spell  func(typ, class, members string) string
	marked bool // what is written holds the type too
}

var lcSpellings = []lcSpelling{
	{"flat", "", func(typ, _, members string) string { return `{"type":"` + typ + `",` + members + `}` }, false},
	{"stored", ".data", func(typ, _, members string) string { return `{"type":"` + typ + `","data":{` + members + `}}` }, false},
	{"JavaScript", ".kwargs", func(_, class, members string) string {
		return `{"lc":1,"type":"constructor","id":["langchain_core","messages","` + class + `"],"kwargs":{` + members + `}}`
	}, false},
	{"Python", ".kwargs", func(typ, class, members string) string {
		return `{"lc":1,"type":"constructor","id":["langchain","schema","messages","` + class + `"],"kwargs":{"type":"` + typ + `",` + members + `}}`
	}, true},
}

func (s lcSpelling) human(content string) string {
	return s.spell("human", "HumanMessage", `"content":`+content)
}

// ai returns an answer with calls: in tool_calls and, if raw is set, also in the spelling of their provider.
func (s lcSpelling) ai(content, calls, raw string) string {
	members := `"content":` + content
	if raw != "" {
		members += `,"additional_kwargs":{"tool_calls":[` + raw + `]}`
	}
	if calls != "" {
		members += `,"tool_calls":[` + calls + `]`
	}
	return s.spell("ai", "AIMessage", members)
}

func (s lcSpelling) tool(id, content string) string {
	return s.spell("tool", "ToolMessage", `"content":"`+content+`","tool_call_id":"`+id+`"`)
}

func (s lcSpelling) lost(id string) string {
	return s.spell("tool", "ToolMessage", `"tool_call_id":"`+id+`","status":"error","name":"read","content":"`+lost+`"`)
}

const (
	lcCall1 = `{"name":"read","args":{"path":"a"},"id":"c1","type":"tool_call"}`
	lcCall2 = `{"name":"read","args":{},"id":"c2","type":"tool_call"}`
	lcRaw1  = `{"id":"c1","type":"function","function":{"name":"read","arguments":"{\"path\":\"a\"}"}}`
	lcRaw2  = `{"id":"c2","type":"function","function":{"name":"read","arguments":"{}"}}`
	lcUse1  = `{"type":"tool_use","id":"c1","name":"read","input":{"path":"a"}}`
	lcBad   = `{"name":"read","args":"{\"pa","id":"c3","error":"no JSON","type":"invalid_tool_call"}`
)

// TestLangChain has, for each rule of the format and in each spelling, a transcript that obeys it, one that breaks it,
// and the repaired transcript.
func TestLangChain(t *testing.T) {
	for _, s := range lcSpellings {
		t.Run(s.name, func(t *testing.T) { testRules(t, "langchain", lcRules(s)) })
	}
}

func lcRules(s lcSpelling) []rule {
	go1, done := s.human(`"go"`), s.ai(`"done"`, "", "")
	says := func(text string) string { return strings.ReplaceAll(text, "].", "]"+s.in+".") }
	rename := func(message, id, to string) string { return strings.ReplaceAll(message, `"`+id+`"`, `"`+to+`"`) }
	invalid := func(calls, bad, raw string) string {
		return s.spell("ai", "AIMessage", `"content":"","tool_calls":[`+calls+`],"invalid_tool_calls":[`+bad+`],"additional_kwargs":{"tool_calls":[`+raw+`]}`)
	}
	const noID, rawNoID = `{"name":"read","args":{},"id":null,"type":"tool_call"}`, `{"type":"function","function":{"name":"read","arguments":"{}"}}`
	raw3 := strings.ReplaceAll(lcRaw2, "c2", "c3")
	return []rule{
		{
			name:    "LC1 the type",
			valid:   transcriptOf(s.spell("system", "SystemMessage", `"content":"s"`), go1, done),
			invalid: transcriptOf(go1, s.spell("chat", "ChatMessage", `"content":"x","role":"critic"`), done),
			says:    "LC1 messages[1] none",
		}, {
			name:     "LC2 a call without result",
			valid:    transcriptOf(go1, s.ai(`""`, lcCall1+","+lcCall2, lcRaw1+","+lcRaw2), s.tool("c2", "two"), s.tool("c1", "one"), done),
			invalid:  transcriptOf(go1, s.ai(`""`, lcCall1+","+lcCall2, lcRaw1+","+lcRaw2), s.tool("c2", "two"), done),
			says:     says("LC2 messages[1].tool_calls[0] add_result"),
			repaired: transcriptOf(go1, s.ai(`""`, lcCall1+","+lcCall2, lcRaw1+","+lcRaw2), s.lost("c1"), s.tool("c2", "two"), done),
		}, {
			name:     "LC2 a call that only the provider's list has",
			valid:    transcriptOf(go1, s.ai(`""`, "", lcRaw1), s.tool("c1", "one"), done),
			invalid:  transcriptOf(go1, s.ai(`""`, "", lcRaw1), done),
			says:     says("LC2 messages[1].additional_kwargs.tool_calls[0] add_result"),
			repaired: transcriptOf(go1, s.ai(`""`, "", lcRaw1), s.lost("c1"), done),
		}, {
			name:     "LC2 a call that only the content has",
			valid:    transcriptOf(go1, s.ai(`[`+lcUse1+`]`, "", ""), s.tool("c1", "one"), done),
			invalid:  transcriptOf(go1, s.ai(`[`+lcUse1+`]`, "", ""), done),
			says:     says("LC2 messages[1].content[0] add_result"),
			repaired: transcriptOf(go1, s.ai(`[`+lcUse1+`]`, "", ""), s.lost("c1"), done),
		}, {
			name:     "LC2 a call that could not be read, in two lists",
			valid:    transcriptOf(go1, invalid(lcCall1, lcBad, lcRaw1+","+raw3), s.tool("c3", "no JSON"), s.tool("c1", "one"), done),
			invalid:  transcriptOf(go1, invalid(lcCall1, lcBad, lcRaw1+","+raw3), s.tool("c1", "one"), done),
			says:     says("LC2 messages[1].invalid_tool_calls[0] drop_part"),
			repaired: transcriptOf(go1, invalid(lcCall1, "", lcRaw1), s.tool("c1", "one"), done),
		}, {
			name:     "LC2 a call without an id, in two lists",
			valid:    transcriptOf(go1, s.ai(`"so"`, lcCall1, lcRaw1), s.tool("c1", "one"), done),
			invalid:  transcriptOf(go1, s.ai(`"so"`, noID+","+lcCall1, rawNoID+","+lcRaw1), s.tool("c1", "one"), done),
			says:     says("LC2 messages[1].tool_calls[0] drop_part"),
			repaired: transcriptOf(go1, s.ai(`"so"`, lcCall1, lcRaw1), s.tool("c1", "one"), done),
		}, {
			name:     "LC2 a call that would be read when the others are gone",
			valid:    transcriptOf(go1, s.ai(`"so"`, "", lcRaw2), s.tool("c2", "two"), done),
			invalid:  transcriptOf(go1, s.ai(`"so"`, noID, rawNoID+","+lcRaw2), done),
			says:     says("LC2 messages[1].tool_calls[0] drop_part"),
			repaired: transcriptOf(go1, s.spell("ai", "AIMessage", `"content":"so","additional_kwargs":{"tool_calls":[]},"tool_calls":[]`), done),
		}, {
			name:     "LC3 a result without call",
			valid:    transcriptOf(go1, s.ai(`""`, lcCall1, ""), s.tool("c1", "one")),
			invalid:  transcriptOf(go1, s.tool("c2", "two"), s.ai(`""`, lcCall1, ""), s.tool("c1", "one"), s.tool("c1", "one")),
			says:     "LC3 messages[1] drop_message, LC3 messages[4] drop_message",
			repaired: transcriptOf(go1, s.ai(`""`, lcCall1, ""), s.tool("c1", "one")),
		}, {
			name:     "LC3 a result in a wrong place",
			valid:    transcriptOf(go1, s.ai(`""`, lcCall1, ""), s.tool("c1", "one"), done),
			invalid:  transcriptOf(go1, s.ai(`""`, lcCall1, ""), go1, s.tool("c1", "one")),
			says:     "LC3 messages[3] move_result",
			repaired: transcriptOf(go1, s.ai(`""`, lcCall1, ""), s.tool("c1", "one"), go1),
		}, {
			name:  "LC3 a result among blocks of the user's",
			valid: transcriptOf(go1, s.ai(`[`+lcUse1+`]`, lcCall1, ""), s.human(`[{"type":"tool_result","tool_use_id":"c1","content":"one"}]`), done),
			invalid: transcriptOf(go1, s.ai(`[`+lcUse1+`]`, lcCall1, ""), go1,
				s.human(`[{"type":"tool_result","tool_use_id":"c1","content":"one"},{"type":"text","text":"so"}]`), done),
			says: says("LC3 messages[3].content[0] move_result"),
			repaired: transcriptOf(go1, s.ai(`[`+lcUse1+`]`, lcCall1, ""),
				s.human(`[{"type":"tool_result","tool_use_id":"c1","content":"one"}]`), go1, s.human(`[{"type":"text","text":"so"}]`), done),
		}, {
			name:    "LC4 an id twice, in all lists",
			valid:   transcriptOf(go1, s.ai(`[`+lcUse1+`]`, lcCall1, lcRaw1), s.tool("c1", "one"), done),
			invalid: transcriptOf(go1, s.ai(`""`, lcCall1, ""), s.tool("c1", "one"), go1, s.ai(`[`+lcUse1+`]`, lcCall1, lcRaw1), s.tool("c1", "one"), done),
			says:    says("LC4 messages[4].tool_calls[0] rename_id"),
			repaired: transcriptOf(go1, s.ai(`""`, lcCall1, ""), s.tool("c1", "one"), go1,
				rename(s.ai(`[`+lcUse1+`]`, lcCall1, lcRaw1), "c1", "call_ctxfold_4_7"), s.tool("call_ctxfold_4_7", "one"), done),
		}, {
			name:     "LC5 nothing in it",
			valid:    transcriptOf(go1, s.ai(`""`, lcCall1, ""), s.tool("c1", ""), done),
			invalid:  transcriptOf(go1, s.ai(`""`, "", ""), s.ai(`[]`, "", ""), s.human(`null`), s.human(`" "`), done),
			says:     "LC5 messages[1] drop_message, LC5 messages[2] drop_message, LC5 messages[3] drop_message, LC5 messages[4] drop_message",
			repaired: transcriptOf(go1, done),
		}, {
			name:     "LC5 a text of white space",
			valid:    transcriptOf(s.human(`["go",{"type":"text","text":"on"}]`), done),
			invalid:  transcriptOf(s.human(`["go",{"type":"text","text":"\n"}]`), s.ai(`["",{"type":"text","text":"so"}]`, "", "")),
			says:     says("LC5 messages[0].content[1] drop_part, LC5 messages[1].content[0] drop_part"),
			repaired: transcriptOf(s.human(`["go"]`), s.ai(`[{"type":"text","text":"so"}]`, "", "")),
		}, {
			name:     "LC7 a tool of the provider's own",
			valid:    transcriptOf(go1, s.ai(`[{"type":"server_tool_call","id":"s1","name":"web","args":{}},{"type":"server_tool_call_result","toolCallId":"s1","output":1},"so"]`, "", "")),
			invalid:  transcriptOf(go1, s.ai(`[{"type":"server_tool_call","id":"s1","name":"web","args":{}},"so"]`, "", ""), go1),
			says:     says("LC7 messages[1].content[0] drop_part"),
			repaired: transcriptOf(go1, s.ai(`["so"]`, "", ""), go1),
		},
	}
}

// TestLangChainOpens repairs lists that begin with an assistant message, which some providers reject and others accept.
func TestLangChainOpens(t *testing.T) {
	for _, s := range lcSpellings {
		messages := transcriptOf(s.ai(`"hello"`, "", ""), s.human(`"go"`))
		if says := violations(t, "langchain", messages); says != "LC6 messages[0] add_user" {
			t.Errorf("%s: %s", s.name, says)
		}
		opened := transcriptOf(s.human(`"[The conversation goes on from here.]"`), s.ai(`"hello"`, "", ""), s.human(`"go"`))
		for policy, want := range map[string]string{`{"format":"langchain"}`: messages, `{"format":"langchain","repair":"all"}`: opened} {
			var a struct{ Messages rawJSON }
			if request(t, "repair", policy, messages, &a); string(a.Messages) != want {
				t.Errorf("%s, %s: repaired to\n%s, want\n%s", s.name, policy, a.Messages, want)
			}
		}
	}
}

type rawJSON []byte

func (r *rawJSON) UnmarshalJSON(b []byte) error { *r = append((*r)[:0], b...); return nil }

// TestLangChainDigests folds conversations: new messages have the spelling of the existing ones.
func TestLangChainDigests(t *testing.T) {
	for _, s := range lcSpellings {
		long := `"` + strings.Repeat("long ", 400) + `"`
		messages := []string{s.human(`"Count the words of a.txt."`)}
		for range 6 {
			messages = append(messages, s.ai(long, "", ""), s.human(`"go on"`))
		}
		var a struct {
			Report   struct{ Folded int }
			Messages rawJSON
		}
		request(t, "plan", `{"format":"langchain","window":{"tokens":900,"reserve":0},"summary":{"mode":"local"},"passes":[{"pass":"fold","keep_tokens":100}]}`+force,
			transcriptOf(messages...), &a)
		if want := strings.TrimSuffix(s.human(`"`), "}"); a.Report.Folded == 0 || !strings.HasPrefix(string(a.Messages), "["+strings.TrimRight(want, "}")) {
			t.Errorf("%s: %d folded, %.200s", s.name, a.Report.Folded, a.Messages)
		}
	}
}
