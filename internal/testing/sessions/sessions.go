// Package sessions finds the real sessions that tests use, and extracts the messages from their files. It parses them
// with encoding/json, to be independent of the code under test.
package sessions

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"
)

// Session is a conversation from a file.
type Session struct {
	Name     string // file name, with a number if the file contains several conversations
	Format   string // wire format
	Messages []json.RawMessage
}

// JSON returns the session's messages as a list.
func (s *Session) JSON() []byte {
	b := []byte("[")
	for i, m := range s.Messages {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, m...)
	}
	return append(b, ']')
}

// Dir returns the folder of the real sessions: CTXFOLD_DATA, by default ../shared/data next to the project. If the folder
// is missing, the test is skipped, or fails in CI.
func Dir(t testing.TB) string { return folder(t, "CTXFOLD_DATA", "data") }

func folder(t testing.TB, env, name string) string {
	t.Helper()
	dir := os.Getenv(env)
	if dir == "" {
		root, err := os.Getwd()
		for ; err == nil; root = filepath.Dir(root) {
			if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
				break
			}
			if root == filepath.Dir(root) {
				t.Fatal("no go.mod above the test")
			}
		}
		dir = filepath.Join(root, "..", "shared", name)
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real // a walk does not follow a link at its root
	}
	if _, err := os.Stat(dir); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("%s: the real sessions are missing: %v", env, err)
		}
		t.Skipf("no real sessions at %s; set %s", dir, env)
	}
	return dir
}

// Load reads all sessions of the given wire formats, sorted by name.
func Load(t testing.TB, formats ...string) []Session {
	t.Helper()
	var all []Session
	for _, s := range everySession(t, Dir(t)) {
		if slices.Contains(formats, s.Format) {
			all = append(all, s)
		}
	}
	if len(all) == 0 {
		t.Fatalf("%s holds no session in %v", Dir(t), formats)
	}
	return all
}

// everySession reads the sessions of a folder once for all tests of a process. Tests must not change what they get.
func everySession(t testing.TB, dir string) (all []Session) {
	t.Helper()
	loading.Lock()
	defer loading.Unlock()
	if found, ok := loaded[dir]; ok {
		return found
	}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, s := range extract(t, filepath.ToSlash(rel), src) {
			if len(s.Messages) > 0 {
				all = append(all, s)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].Name < all[j].Name })
	loaded[dir] = all
	return all
}

var (
	loading sync.Mutex
	loaded  = map[string][]Session{} // by folder
)

// Mistral is the prefix of URLs for Mistral's API. Some recordings in the folder for OpenAI's API are requests to it.
const Mistral = "https://api.mistral.ai/"

func extract(t testing.TB, name string, src []byte) []Session {
	switch {
	case strings.HasPrefix(name, "claude_code/"):
		return []Session{{name, "anthropic", claudeCode(t, name, src)}}
	case strings.HasPrefix(name, "cline/"):
		return []Session{{name, "anthropic", plain(t, name, field(t, name, src, "messages"))}}
	case strings.HasSuffix(name, ".anthropic-messages.json"):
		messages := plain(t, name, field(t, name, src, "messages"))
		return []Session{{name, "anthropic", messages}, {name + " (as ModelMessages)", "ai-sdk", modelMessages(t, name, messages)}}
	case strings.HasSuffix(name, ".aisdk-ui-messages.json"):
		return []Session{{name, "ai-sdk-ui", plain(t, name, src)}, {name + " (one turn)", "ai-sdk-ui", oneTurn(t, name, plain(t, name, src))}}
	case strings.HasPrefix(name, "openai_chat/mini_"):
		var out []json.RawMessage
		for _, m := range plain(t, name, field(t, name, src, "messages")) {
			if role(m) != "exit" { // the test harness marks its last line with this role, which no API has
				out = append(out, m)
			}
		}
		return []Session{{name, "openai-chat", out}}
	case strings.HasPrefix(name, "openai_chat/tau_"):
		var trials []struct{ Traj []json.RawMessage }
		decode(t, name, src, &trials)
		var out []Session
		for i, tr := range trials {
			out = append(out, Session{name + "#" + pad(i), "openai-chat", tr.Traj})
		}
		return out
	case strings.HasPrefix(name, "pi/"):
		var messages []json.RawMessage
		for _, line := range lines(src) {
			var rec struct{ Message json.RawMessage }
			if decode(t, name, line, &rec); rec.Message != nil {
				messages = append(messages, rec.Message)
			}
		}
		return []Session{{name, "pi", messages}}
	case strings.HasPrefix(name, "codex/"):
		return []Session{{name, "openai-responses", codex(t, name, src)}}
	case strings.HasSuffix(name, ".gemini-contents.json"):
		return []Session{{name, "gemini", plain(t, name, field(t, name, src, "contents"))}}
	case strings.HasPrefix(name, "api_recordings/openai_responses"), strings.HasPrefix(name, "api_recordings/gemini"):
		var out []Session
		for i, line := range lines(src) {
			var rec struct {
				Request struct{ Input, Contents json.RawMessage }
			}
			decode(t, name, line, &rec)
			s := Session{name + "#" + pad(i), "openai-responses", nil}
			if rec.Request.Contents != nil {
				s.Format, rec.Request.Input = "gemini", rec.Request.Contents
			}
			if len(rec.Request.Input) > 0 && rec.Request.Input[0] == '[' { // a plain text is not a transcript
				s.Messages = plain(t, name, rec.Request.Input)
			}
			out = append(out, s)
		}
		return out
	case strings.HasPrefix(name, "api_recordings/openai_chat"), strings.HasPrefix(name, "api_recordings/anthropic"):
		format := "openai-chat"
		if strings.Contains(name, "anthropic") {
			format = "anthropic"
		}
		var out []Session
		for i, line := range lines(src) {
			var rec struct {
				URI     string
				Request struct{ Messages []json.RawMessage }
			}
			decode(t, name, line, &rec)
			s := Session{name + "#" + pad(i), format, rec.Request.Messages}
			if strings.HasPrefix(rec.URI, Mistral) {
				s.Format = "mistral"
			}
			out = append(out, s)
		}
		return out
	}
	return nil
}

// claudeCode returns the live messages of a Claude Code session, in file order. These are the messages after the last
// compaction boundary, without side chains.
func claudeCode(t testing.TB, name string, src []byte) []json.RawMessage {
	var out []json.RawMessage
	for _, line := range lines(src) {
		var rec struct {
			Type, Subtype string
			IsSidechain   bool
			Message       json.RawMessage
		}
		decode(t, name, line, &rec)
		if rec.Subtype == "compact_boundary" {
			out = nil
		}
		if (rec.Type == "user" || rec.Type == "assistant") && !rec.IsSidechain {
			var m struct {
				Role    json.RawMessage `json:"role"`
				Content json.RawMessage `json:"content"`
			}
			decode(t, name, rec.Message, &m)
			b, err := json.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, b)
		}
	}
	return out
}

// codex returns the live items of a Codex rollout. These are the items of the last compaction, which repeats
// everything it keeps, and all items after it.
func codex(t testing.TB, name string, src []byte) []json.RawMessage {
	var out []json.RawMessage
	for _, line := range lines(src) {
		var rec struct {
			Type    string
			Payload json.RawMessage
		}
		decode(t, name, line, &rec)
		switch rec.Type {
		case "response_item":
			out = append(out, rec.Payload)
		case "compacted":
			out = plain(t, name, field(t, name, rec.Payload, "replacement_history"))
		}
	}
	return out
}

func lines(src []byte) [][]byte {
	var out [][]byte
	sc := bufio.NewScanner(bytes.NewReader(src))
	sc.Buffer(nil, 64<<20)
	for sc.Scan() {
		if len(bytes.TrimSpace(sc.Bytes())) > 0 {
			out = append(out, bytes.Clone(sc.Bytes()))
		}
	}
	return out
}

func plain(t testing.TB, name string, src []byte) []json.RawMessage {
	var out []json.RawMessage
	decode(t, name, src, &out)
	return out
}

func field(t testing.TB, name string, src []byte, key string) []byte {
	var m map[string]json.RawMessage
	decode(t, name, src, &m)
	return m[key]
}

func role(m json.RawMessage) string {
	var r struct{ Role string }
	_ = json.Unmarshal(m, &r)
	return r.Role
}

func decode(t testing.TB, name string, src []byte, v any) {
	t.Helper()
	if err := json.Unmarshal(src, v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

func pad(i int) string {
	s := "000" + string(rune('0'+i/100%10)) + string(rune('0'+i/10%10)) + string(rune('0'+i%10))
	return s[len(s)-3:]
}
