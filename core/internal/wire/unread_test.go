package wire_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/wire"
	"github.com/ctxfold/ctxfold/internal/testing/gen"
	"github.com/ctxfold/ctxfold/internal/testing/sessions"
)

// answered holds the members of answers that the tests of unread text examine.
type answered struct {
	Error *struct {
		Code, Message string
		Offset        int
	}
	Format     string
	Confidence float64
	Valid      bool
	Tokens     int
	Messages   json.RawMessage
	Report     struct{ Left []struct{ Rule string } }
}

func ask(t *testing.T, op, format, messages string) (a answered) {
	t.Helper()
	out := core.Call(op, []byte(`{"policy":{"format":"`+format+`","window":{"unlimited":true}},"messages":`+messages+`}`))
	if err := json.Unmarshal(out, &a); err != nil {
		t.Fatalf("%s: %v in %s", op, err, out)
	}
	return a
}

func coverage(f *wire.Format, src []byte) (c wire.Coverage, read bool) {
	s := jsonspan.New(src)
	t := f.Read(s)
	if s.Err() != nil {
		return c, false
	}
	return f.Coverage(t), true
}

// TestFormatsConfused reads conversations of each format as every other format. Either most of the text is read, or the
// result is an error. In its own format, little text is missed, such as content that an event has already summarized.
func TestFormatsConfused(t *testing.T) {
	for _, from := range gen.Formats() {
		t.Run(from, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(7, 7))
			for range 6 {
				src, _ := json.Marshal(gen.New(r, gen.Options{Messages: 24}).Render(from, r))
				own, read := coverage(wire.ByName(from), src)
				if !read || own.MissedBytes() > own.Read/5 {
					t.Errorf("its own format reads %+v", own)
				}
				if a := ask(t, "check", from, string(src)); a.Error != nil {
					t.Errorf("its own format: %+v", a.Error)
				}
				for _, to := range wire.Names() {
					a := ask(t, "repair", to, string(src))
					switch c, read := coverage(wire.ByName(to), src); {
					case a.Error != nil && a.Error.Code == "wrong_format":
						if c.MissedBytes() <= c.Read/20 {
							t.Errorf("%s reads %+v, and is refused: %s", to, c, a.Error.Message)
						}
					case a.Error != nil: // it can't be read at all
					case !read || c.MissedBytes() > c.Read/5:
						t.Errorf("%s reads %+v without an error", to, c)
					}
				}
			}
		})
	}
}

// TestUnreadFormatNeverSure renames the key of the messages' contents, so that the format reads nothing of them.
func TestUnreadFormatNeverSure(t *testing.T) {
	keys := []string{`"content":`, `"parts":`, `"text":`, `"kwargs":`, `"data":`, `"output":`, `"arguments":`, `"input":`, `"result":`, `"response":`}
	var renamed []string
	for _, k := range keys {
		renamed = append(renamed, k, `"x_`+k[1:])
	}
	rename := strings.NewReplacer(renamed...)
	for _, format := range gen.Formats() {
		r := rand.New(rand.NewPCG(3, 3))
		src, _ := json.Marshal(gen.New(r, gen.Options{Messages: 24}).Render(format, r))
		messages := rename.Replace(string(src))
		for _, named := range append(wire.Names(), "auto") {
			if a := ask(t, "check", named, messages); a.Error == nil {
				c, _ := coverage(wire.ByName(a.Format), []byte(messages))
				t.Errorf("%s without its contents is counted as %s: %d tokens %+v", format, a.Format, a.Tokens, c)
			}
		}
		if a := ask(t, "detect", "auto", messages); a.Format != "" || a.Confidence >= wire.Sure {
			t.Errorf("%s without its contents is detected as %s with %g", format, a.Format, a.Confidence)
		}
	}
}

// blocks returns chat messages of LlamaIndex, which look like LangChain's but have their text elsewhere.
func blocks(n int) string {
	var list []string
	for i := range n {
		role := [...]string{"user", "assistant"}[i%2]
		list = append(list, `{"role":"`+role+`","additional_kwargs":{},"blocks":[{"block_type":"text","text":"`+strings.Repeat("This is what was said about it. ", 30)+strconv.Itoa(i)+`"}]}`)
	}
	return "[" + strings.Join(list, ",") + "]"
}

func TestUnreadMessages(t *testing.T) {
	ui := transcriptOf(`{"id":"1","role":"user","parts":[{"type":"text","content":"Read the settings."}]}`,
		`{"id":"2","role":"assistant","parts":[{"type":"text","content":"There are three of them."}]}`)
	withCalls := transcriptOf(`{"role":"user","content":[{"type":"text","text":"`+strings.Repeat("Please read it. ", 60)+`"}]}`,
		`{"role":"assistant","content":[{"type":"text","text":"I do."},{"type":"tool-call","toolCallId":"c1","toolName":"read","args":{"path":"`+strings.Repeat("a b ", 60)+`"}}]}`)
	for _, test := range []struct{ name, format, messages, code, names string }{
		{"blocks, found", "auto", blocks(80), "unknown_format", ""},
		{"blocks, named", "langchain", blocks(80), "unknown_format", "llamaindex"},
		{"blocks, named otherwise", "openai-chat", blocks(80), "missing_field", ""},
		{"TanStack's parts", "ai-sdk-ui", ui, "wrong_format", "tanstack"},
		{"calls that another format reads", "openai-chat", withCalls, "wrong_format", "ai-sdk"},
		{"a text beside", "auto", transcriptOf(`{"role":"user","content":"go","response":"` + strings.Repeat("It is a long answer. ", 10) + `"}`), "unknown_format", ""},
		{"a text beside, where the format is named", "openai-chat", transcriptOf(`{"role":"user","content":"go","response":"` + strings.Repeat("It is a long answer. ", 10) + `"}`), "", ""},
		{"what an application keeps", "auto", transcriptOf(`{"role":"user","content":"go","metadata":{"html":"` + strings.Repeat("It is a long answer. ", 10) + `"}}`), "", ""},
		{"what an SDK repeats", "auto", transcriptOf(`{"role":"user","content":"go","provider_specific_fields":{"text":"` + strings.Repeat("It is a long answer. ", 10) + `"}}`), "", ""},
		{"a part of an application's own", "anthropic", transcriptOf(asMessage("user", `{"type":"text","text":"`+strings.Repeat("Draw it again. ", 10)+`"}`, `{"type":"chart","title":"`+strings.Repeat("All of the sales. ", 20)+`"}`)), "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, op := range []string{"check", "estimate", "plan", "repair", "validate", "fit", "prints"} {
				a := ask(t, op, test.format, test.messages)
				switch {
				case a.Error == nil && test.code != "", a.Error != nil && a.Error.Code != test.code && test.code != "missing_field":
					t.Errorf("%s: %+v, not %q", op, a.Error, test.code)
				case test.names != "" && !strings.Contains(a.Error.Message, `"`+test.names+`"`):
					t.Errorf("%s: %q doesn't name %s", op, a.Error.Message, test.names)
				}
			}
			if a := ask(t, "detect", "auto", test.messages); test.format == "auto" && (a.Confidence >= wire.Sure) != (test.code == "") {
				t.Errorf("detected as %q with confidence %g", a.Format, a.Confidence)
			}
		})
	}
}

// TestRepairKeepsUnreadText repairs a conversation of which the format reads most: a message with unread content is not empty.
func TestRepairKeepsUnreadText(t *testing.T) {
	long := strings.Repeat("It is a long answer. ", 20)
	for format, messages := range map[string][]string{
		"langchain":        {`{"type":"human","content":"` + long + `"}`, `{"type":"ai","content":"` + long + `"}`, `{"type":"human","content":"","blocks":[{"text":"The one word."}]}`},
		"anthropic":        {`{"role":"user","content":"` + long + `"}`, `{"role":"assistant","content":[],"blocks":[{"text":"The one word."}]}`, `{"role":"user","content":"` + long + `"}`},
		"ai-sdk-ui":        {`{"role":"user","parts":[{"type":"text","text":"` + long + `"}]}`, `{"role":"assistant","parts":[],"content":"The one word."}`, `{"role":"user","parts":[{"type":"text","text":"go"}]}`},
		"bedrock-converse": {`{"role":"user","content":[{"text":"` + long + `"}]}`, `{"role":"assistant","content":[],"said":"The one word."}`, `{"role":"user","content":[{"text":"go"}]}`},
		"gemini":           {`{"role":"user","parts":[{"text":"` + long + `"}]}`, `{"role":"model","parts":[],"said":"The one word."}`, `{"role":"user","parts":[{"text":"go"}]}`},
	} {
		a := ask(t, "repair", format, "["+strings.Join(messages, ",")+"]")
		if a.Error != nil || !strings.Contains(string(a.Messages), "The one word.") && (a.Valid || len(a.Report.Left) == 0) {
			t.Errorf("%s: %+v: a text is lost, and nothing says so", format, a)
		}
		if v := ask(t, "validate", format, string(a.Messages)); v.Valid != a.Valid {
			t.Errorf("%s: repair says valid %v, validate %v", format, a.Valid, v.Valid)
		}
	}
}

// TestReadRealSessions checks that each real session is read by its format, named or found, and counted.
func TestReadRealSessions(t *testing.T) {
	for _, s := range sessions.Load(t, wire.Names()...) {
		for _, format := range slices.Compact([]string{s.Format, "auto"}) {
			if a := ask(t, "check", format, string(s.JSON())); a.Error != nil && a.Error.Code != "ambiguous_format" {
				t.Errorf("%s as %s: %+v", s.Name, format, a.Error)
			}
		}
	}
}
