package core_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
)

// body is an entry of an answer's archive.
type body struct {
	Handle, What, Tool     string
	Message, Bytes, Tokens int
	Places                 []json.RawMessage
	Body                   *string
}

// text returns the body, assembled from its places as docs/reference/report.md tells a host to do.
func (b *body) text(messages []byte) string {
	if b.Body != nil {
		return *b.Body
	}
	var pieces []string
	for _, p := range b.Places {
		var place [2]int
		if json.Unmarshal(p, &place) == nil {
			pieces = append(pieces, string(messages[place[0]:place[1]]))
		} else {
			pieces = append(pieces, string(p))
		}
	}
	if b.What == "fold" || b.What == "changes" {
		return "[" + strings.Join(pieces, ",") + "]"
	}
	return strings.Join(pieces, "")
}

// restored counts the transcripts that TestProperties has restored unchanged.
var restored atomic.Int32

// restores checks the promises of an answer with an archive: each body matches its handle, and restoring all of them yields the original
// transcript, message for message, whatever was repaired or stripped.
func restores(t testing.TB, format string, messages []byte, a answer) (broken []string) {
	t.Helper()
	say := func(f string, args ...any) { broken = append(broken, fmt.Sprintf(f, args...)) }
	var given []string
	for _, b := range a.Archive {
		text := b.text(messages)
		sum := sha256.Sum256([]byte(text))
		if h := hex.EncodeToString(sum[:]); h != b.Handle || len(text) != b.Bytes {
			say("the body of %s has the handle %s and %d bytes, not %s and %d", b.What, h, len(text), b.Handle, b.Bytes)
			return broken
		}
		quoted, _ := json.Marshal(text)
		given = append(given, fmt.Sprintf(`{"handle":%q,"body":%s}`, b.Handle[:16], quoted))
	}
	request := fmt.Sprintf(`{"policy":{"format":%q},"state":%s,"bodies":[%s],"messages":%s}`, format, a.State, strings.Join(given, ","), a.Messages)
	back := call(t, "restore", request)
	if back.Error != nil {
		say("restore: %s at %s: %s", back.Error.Code, back.Error.Path, back.Error.Message)
		return broken
	}
	if err := exact(messages, back.Messages); err != nil {
		say("%v", err)
		return broken
	}
	restored.Add(1)
	return broken
}

// TestArchiveOfPasses examines the results of the passes of layered: a truncated text, lines of turns, and a count of dropped messages,
// which include some lines. Everything can be restored, at once or step by step.
func TestArchiveOfPasses(t *testing.T) {
	long := strings.Repeat("line of the output\\n", 80)
	var list []string
	for n := range 8 {
		list = append(list, fmt.Sprintf(`{"role":"user","content":"do %d"}`, n),
			fmt.Sprintf(`{"role":"assistant","content":"I do %d","tool_calls":[{"id":"c%d","type":"function","function":{"name":"bash","arguments":"{}"}}]}`, n, n),
			fmt.Sprintf(`{"role":"tool","tool_call_id":"c%d","content":"%s%d"}`, n, long, n))
	}
	messages := "[" + strings.Join(list, ",") + "]"
	policy := `{"preset":"layered","format":"openai-chat","archive":"places","window":{"tokens":20000,"reserve":100},
		"passes":[{"pass":"truncate","max_lines":20},{"pass":"collapse","keep_recent":6},{"pass":"drop","keep_first":4,"keep_recent":9}]}` + force
	a := call(t, "plan", `{"policy":`+policy+`,"messages":`+messages+`}`)
	text := string(a.Messages)
	for part, want := range map[string]int{"[Truncated. Handle: ": 2, "[Summary. Handle: ": 4, "[Context compacted: 5 messages removed to fit context window. Handle: ": 1} {
		if got := strings.Count(text, part); got != want {
			t.Errorf("%d times %s, not %d, in %s", got, part, want, text)
		}
	}
	for _, broken := range restores(t, "openai-chat", []byte(messages), a) {
		t.Error(broken)
	}
	back := a.Messages
	for _, b := range a.Archive {
		if b.What == "changes" {
			continue
		}
		quoted, _ := json.Marshal(b.text([]byte(messages)))
		one := call(t, "restore", fmt.Sprintf(`{"policy":{"format":"openai-chat"},"bodies":[{"handle":%q,"body":%s}],"messages":%s}`, b.Handle, quoted, back))
		if back = one.Messages; one.Report.Restored != 1 {
			t.Errorf("%s %s was put back %d times", b.What, b.Handle, one.Report.Restored)
		}
	}
	if string(back) != messages {
		t.Errorf("one by one they came back as %s", back)
	}
}
