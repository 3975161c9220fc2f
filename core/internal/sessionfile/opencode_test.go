package sessionfile_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// opencodeResumes takes the messages after the newest completed compaction, and those that it keeps after its summary, and converts each to
// the form that the agent passes to the AI SDK.
func opencodeResumes(t *testing.T, file []byte) (all []string) {
	var session struct {
		Info     record
		Messages []struct {
			Info  record
			Parts []record
		}
	}
	if err := json.Unmarshal(file, &session); err != nil {
		t.Fatal(err)
	}
	if session.Info["revert"] != nil {
		t.Error("the session goes back to a message that it does not have")
	}
	ids := map[string]bool{}
	users := map[string]bool{}
	asked, newest := record{}, 0.0
	for _, m := range session.Messages {
		id := text(m.Info["id"])
		created, _ := object(m.Info["time"])["created"].(float64)
		if !strings.HasPrefix(id, "msg") || ids[id] || m.Info["sessionID"] != session.Info["id"] || created <= newest {
			t.Errorf("the message %s of %v at %v", id, m.Info["sessionID"], created)
		}
		ids[id], newest = true, created
		if m.Info["role"] == "user" {
			users[id], asked = true, object(m.Info["model"])
		} else if !users[text(m.Info["parentID"])] && len(users) > 0 {
			t.Errorf("%s answers %v, which is no message of the user", id, m.Info["parentID"])
		}
		if m.Info["summary"] == true || m.Info["error"] != nil {
			t.Errorf("%s is a summary or has failed", id)
		}
		last := ""
		for _, p := range m.Parts {
			part := text(p["id"])
			if !strings.HasPrefix(part, "prt") || ids[part] || part <= last || p["sessionID"] != session.Info["id"] || p["messageID"] != id {
				t.Errorf("the part %s of %v in %s", part, p["messageID"], id)
			}
			ids[part], last = true, part
		}
	}
	for _, m := range session.Messages {
		role := text(m.Info["role"])
		say := func(part record) {
			for key, v := range part {
				if v == nil {
					delete(part, key)
				}
			}
			all = append(all, role+" "+spell(part))
		}
		same := m.Info["modelID"] == asked["modelID"] && m.Info["providerID"] == asked["providerID"]
		meta := func(p record) any {
			if !same {
				return nil
			}
			return p["metadata"]
		}
		signed := false
		for _, p := range m.Parts {
			signed = signed || p["type"] == "reasoning" && object(object(p["metadata"])["anthropic"])["signature"] != nil
		}
		for _, p := range m.Parts {
			switch typ := text(p["type"]); typ {
			case "text":
				said := text(p["text"])
				if role == "user" && (said == "" || p["ignored"] == true) {
					continue
				}
				if said == "" && signed {
					said = " "
				}
				if role == "user" {
					say(record{"type": "text", "text": said})
				} else {
					say(record{"type": "text", "text": said, "providerMetadata": meta(p)})
				}
			case "file":
				if mime := p["mime"]; role == "user" && mime != "text/plain" && mime != "application/x-directory" {
					say(record{"type": "file", "url": p["url"], "mediaType": mime, "filename": p["filename"]})
				}
			case "compaction":
				t.Error("a compaction hides what is before it")
			case "step-start":
				say(record{"type": "step-start"})
			case "reasoning":
				if same {
					say(record{"type": "reasoning", "text": p["text"], "providerMetadata": p["metadata"]})
				} else if strings.TrimSpace(text(p["text"])) != "" {
					say(record{"type": "text", "text": p["text"]})
				}
			case "tool":
				state := object(p["state"])
				part := record{"type": "tool-" + text(p["tool"]), "toolCallId": p["callID"], "input": state["input"], "state": "output-available"}
				if same && p["metadata"] != nil {
					part["callProviderMetadata"] = p["metadata"]
				}
				about := object(state["metadata"])
				attachments, _ := state["attachments"].([]any)
				switch {
				case state["status"] == "completed" && object(state["time"])["compacted"] != nil:
					part["output"] = "[Old tool result content cleared]"
				case state["status"] == "completed" && len(attachments) > 0:
					part["output"] = record{"text": state["output"], "attachments": attachments}
				case state["status"] == "completed":
					part["output"] = state["output"]
					if _, ok := state["title"].(string); !ok || state["metadata"] == nil || object(state["time"])["end"] == nil {
						t.Errorf("a result that the agent's schema refuses: %s", spell(state))
					}
				case about["interrupted"] == true && about["output"] != nil:
					part["output"] = about["output"]
				default:
					part["state"], part["errorText"] = "output-error", state["error"]
				}
				say(part)
			}
		}
	}
	return all
}

// ocFile returns an export whose messages have one part each: "user text" or "assistant text", and additional members of their info.
func ocFile(info string, messages ...[3]string) []byte {
	var all []string
	for i, m := range messages {
		about := fmt.Sprintf(`"id":"msg_%03d","role":%q,"sessionID":"ses_1","time":{"created":%d}`, i, m[0], i+1)
		if m[0] == "assistant" {
			about += `,"providerID":"p","modelID":"m"`
		} else {
			about += `,"agent":"build","model":{"providerID":"p","modelID":"m"}`
		}
		all = append(all, `{"info":{`+about+m[2]+`},"parts":[`+m[1]+`]}`)
	}
	return []byte(`{"info":{"id":"ses_1"` + info + `},"messages":[` + strings.Join(all, ",") + `]}`)
}

// TestOpencodeSelects lists the texts of a session that remain after a compaction, its tail, and a step back, in order.
func TestOpencodeSelects(t *testing.T) {
	say := func(s string) string { return `{"type":"text","text":"` + s + `"}` }
	u := func(s string) [3]string { return [3]string{"user", say(s), ""} }
	a := func(s string) [3]string { return [3]string{"assistant", say(s), `,"finish":"stop"`} }
	compaction := func(tail string) [3]string {
		if tail != "" {
			tail = `,"tail_start_id":"` + tail + `"`
		}
		return [3]string{"user", `{"type":"compaction","auto":true` + tail + `}`, ""}
	}
	sum := func(of, more string) [3]string {
		return [3]string{"assistant", say("sum"), `,"summary":true,"parentID":"` + of + `"` + more}
	}
	const done, asked = `,"finish":"stop"`, "What did we do so far?"
	for _, c := range []struct {
		name, info string
		messages   [][3]string
		want       string
	}{
		{"no compaction", "", [][3]string{u("1"), a("2")}, "1 2"},
		{"no tail", "", [][3]string{u("1"), a("2"), compaction(""), sum("msg_002", done), u("5")}, asked + " sum 5"},
		{"a tail", "", [][3]string{u("1"), a("2"), u("3"), a("4"), compaction("msg_002"), sum("msg_004", done), u("7")}, asked + " sum 3 4 7"},
		{"a tail that is not there", "", [][3]string{u("1"), compaction("msg_999"), sum("msg_001", done), u("4")}, "1 " + asked + " sum 4"},
		{"one that has not ended", "", [][3]string{u("1"), a("2"), compaction(""), sum("msg_002", "")}, "1 2 " + asked + " sum"},
		{"one that has failed", "", [][3]string{u("1"), compaction(""), sum("msg_001", done+`,"error":{"name":"APIError"}`), u("4")}, "1 " + asked + " 4"},
		{"two", "", [][3]string{u("1"), compaction(""), sum("msg_001", done), u("4"), compaction("msg_003"), sum("msg_004", done)}, asked + " sum 4"},
		{"a step back", `,"revert":{"messageID":"msg_002"}`, [][3]string{u("1"), a("2"), u("3"), a("4")}, "1 2"},
		{"a step back before a compaction", `,"revert":{"messageID":"msg_002"}`, [][3]string{u("1"), a("2"), compaction(""), sum("msg_002", done)}, "1 2"},
		{"a step back into a message", `,"revert":{"messageID":"msg_001","partID":"y"}`,
			[][3]string{u("1"), {"assistant", `{"id":"x","type":"text","text":"2"},{"id":"y","type":"text","text":"no"}`, ""}, u("3")}, "1 2"},
		{"an answer that has failed", "", [][3]string{u("1"), {"assistant", say("2"), `,"error":{"name":"APIError"}`}}, "1"},
		{"an answer that was broken off", "", [][3]string{u("1"), {"assistant", say("2"), `,"error":{"name":"MessageAbortedError"}`}}, "1 2"},
		{"broken off while it thought", "", [][3]string{u("1"), {"assistant", `{"type":"reasoning","text":"2"}`, `,"error":{"name":"MessageAbortedError"}`}}, "1"},
		{"a text for the user", "", [][3]string{u("1"), {"user", `{"type":"text","text":"2","ignored":true}`, ""}}, "1"},
	} {
		o := open(t, ocFile(c.info, c.messages...))
		if o.Error != nil {
			t.Fatalf("%s: %+v", c.name, o.Error)
		}
		var messages []struct{ Parts []struct{ Text string } }
		if err := json.Unmarshal(o.Messages, &messages); err != nil {
			t.Fatal(err)
		}
		var texts []string
		for _, m := range messages {
			for _, p := range m.Parts {
				texts = append(texts, p.Text)
			}
		}
		if got := strings.Join(texts, " "); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// A changed message keeps the agent's notes on its calls; the saved session has a new id.
func TestOpencodeKeepsNotes(t *testing.T) {
	file := ocFile("", [3]string{"user", `{"id":"prt_1","type":"text","text":"1"}`, ""},
		[3]string{"assistant", `{"id":"prt_2","type":"tool","callID":"c","tool":"read","state":{"status":"completed","input":{"a":1},"output":"long","title":"Read a","metadata":{"lines":9},"time":{"start":1,"end":2}}},` +
			`{"id":"prt_3","type":"step-finish","reason":"stop","cost":1,"tokens":{}}`, `,"parentID":"msg_000","finish":"stop","cost":1,"tokens":{"input":900}`})
	messages := bytes.Replace(open(t, file).Messages, []byte(`"long"`), []byte(`"cleared"`), 1)
	next := checkSaved(t, file, messages)
	for _, want := range []string{`"output":"cleared","title":"Read a","metadata":{"lines":9},"time":{"start":1,"end":2}`, `"cost":0`} {
		if !bytes.Contains(next, []byte(want)) {
			t.Errorf("no %s in %s", want, next)
		}
	}
	for _, no := range []string{`"ses_1"`, `"msg_000"`, `"prt_1"`, "step-finish"} {
		if bytes.Contains(next, []byte(no)) {
			t.Errorf("%s in %s", no, next)
		}
	}
	_, s := save(t, ocFile("", [3]string{"user", `{"type":"text","text":"1"}`, ""}), []byte(`[{"role":"assistant","parts":[{"type":"text","text":"2"}]}]`))
	if s.Error == nil || s.Error.Code != "cannot_save" || !strings.Contains(s.Error.Message, "assistant") {
		t.Errorf("%+v", s.Error)
	}
	_, s = save(t, file, []byte(`[{"role":"user","parts":[{"type":"source-url","url":"x"}]}]`))
	if s.Error == nil || s.Error.Code != "cannot_save" {
		t.Errorf("%+v", s.Error)
	}
}
