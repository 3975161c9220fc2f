package core_test

import (
	"bytes"
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

// text is the body as docs/ABI.md tells a host to put it together from its places.
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
	if b.What == "fold" {
		return "[" + strings.Join(pieces, ",") + "]"
	}
	return strings.Join(pieces, "")
}

// restored counts for TestProperties how many transcripts were put back as they were.
var restored atomic.Int32

// restores checks what an answer with an archive promises: each body has the handle that it says, and putting all of them
// back gives the transcript that came in, message for message, unless something was repaired or stripped on the way.
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
	request := fmt.Sprintf(`{"policy":{"format":%q},"bodies":[%s],"messages":%s}`, format, strings.Join(given, ","), a.Messages)
	back := call(t, "restore", request)
	if back.Error != nil {
		say("restore: %s at %s: %s", back.Error.Code, back.Error.Path, back.Error.Message)
		return broken
	}
	for _, action := range a.Report.Actions {
		if action.Pass == "repair" && action.Rule != "A2" && action.Rule != "G2" || action.Pass == "collapse" || action.Pass == "truncate" || action.Action == "strip" || action.Action == "drop" {
			return broken
		}
	}
	var in, out []json.RawMessage
	if json.Unmarshal(messages, &in) != nil || json.Unmarshal(back.Messages, &out) != nil {
		say("restore gave no list")
		return broken
	}
	if len(in) != len(out) {
		say("%d messages were restored to %d", len(in), len(out))
		return broken
	}
	for i := range in {
		if !bytes.Equal(in[i], out[i]) {
			say("message %d was restored to %.300s from %.300s", i, out[i], in[i])
			return broken
		}
	}
	restored.Add(1)
	return broken
}
