package sessionfile_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// chat contains the kinds whose messages are assembled from parts.
var chat = map[string]bool{"librechat": true, "open-webui": true, "llamaindex": true, "semantic-kernel": true}

// chatSaid flattens a message of openai-chat: its text, the names and arguments of its calls, or the id of the call
// that it answers.
func chatSaid(m record) (all []string) {
	role, content := text(m["role"]), ""
	switch c := m["content"].(type) {
	case string:
		content = c
	case []any:
		for _, p := range c {
			if url := text(object(object(p)["image_url"])["url"]); url != "" {
				all = append(all, role+" image "+url)
			} else if content != "" {
				content += "\n" + text(object(p)["text"])
			} else {
				content = text(object(p)["text"])
			}
		}
	}
	if content != "" || role == "tool" {
		all = append(all, role+" "+text(m["tool_call_id"])+" "+content)
	}
	calls, _ := m["tool_calls"].([]any)
	for _, call := range calls {
		f := object(object(call)["function"])
		all = append(all, "call "+text(object(call)["id"])+" "+text(f["name"])+" "+text(f["arguments"]))
	}
	return all
}

// chatOrder moves the flattened calls of an answer before the results that follow them.
func chatOrder(pieces []string) []string {
	for i := range pieces {
		for k := i; k > 0 && strings.HasPrefix(pieces[k], "call ") && strings.HasPrefix(pieces[k-1], "tool "); k-- {
			pieces[k-1], pieces[k] = pieces[k], pieces[k-1]
		}
	}
	return pieces
}

// libreChatResumes follows the parents of the newest message to the root. New messages are the newest: the application
// shows the last child of each message, by time.
func libreChatResumes(t *testing.T, file []byte) (all []string) {
	byID := map[string]record{}
	newest := record{}
	var walk func(list any, parent string)
	walk = func(list any, parent string) {
		messages, _ := list.([]any)
		for _, v := range messages {
			m := object(v)
			id := text(m["messageId"])
			if byID[id] != nil {
				t.Fatalf("two messages have the id %s", id)
			}
			if text(m["conversationId"]) == "" {
				t.Errorf("the message %s is in no conversation", id)
			}
			if byID[id] = m; text(m["createdAt"]) >= text(newest["createdAt"]) {
				newest = m
			}
			if parent != "" && m["parentMessageId"] != parent {
				t.Errorf("the message %s is inside %s and names another parent", id, parent)
			}
			walk(m["children"], id)
		}
	}
	var whole any
	if err := json.Unmarshal(file, &whole); err != nil {
		t.Fatal(err)
	}
	if export := object(whole); export != nil {
		walk(export["messages"], "")
		walk(export["messagesTree"], "")
	} else {
		walk(whole, "")
	}
	var path []record
	for m := newest; m != nil; m = byID[text(m["parentMessageId"])] {
		path = append(path, m)
	}
	slices.Reverse(path)
	for _, m := range path {
		if m["isCreatedByUser"] == true {
			all = append(all, "user  "+text(m["text"]))
			continue
		}
		parts, _ := m["content"].([]any)
		if parts == nil {
			all = append(all, "assistant  "+text(m["text"]))
		}
		var said []string
		for _, v := range parts {
			switch p := object(v); p["type"] {
			case "text":
				s, _ := p["text"].(string)
				if s == "" {
					s = text(object(p["text"])["value"])
				}
				said = append(said, "assistant  "+s)
			case "tool_call":
				call := object(p["tool_call"])
				args, is := call["args"].(string)
				if !is {
					args = spell(call["args"])
				}
				said = append(said, "call "+text(call["id"])+" "+text(call["name"])+" "+args, "tool "+text(call["id"])+" "+text(call["output"]))
			case "steer":
				said = append(said, "user  "+text(p["steer"]))
			case "summary":
				t.Error("a summary would replace what comes before it")
			}
		}
		all = append(all, chatOrder(said)...)
	}
	return all
}

// openWebUIResumes follows the parents of the current message to the root.
func openWebUIResumes(t *testing.T, file []byte) (all []string) {
	var whole any
	if err := json.Unmarshal(file, &whole); err != nil {
		t.Fatal(err)
	}
	if list, ok := whole.([]any); ok {
		whole = list[0]
	}
	chat := object(whole)
	if inner := object(chat["chat"]); inner != nil {
		chat = inner
	}
	history := object(chat["history"])
	messages := object(history["messages"])
	var path []record
	child := ""
	for id := text(history["currentId"]); id != ""; {
		m := object(messages[id])
		if m == nil || m["id"] != id {
			t.Fatalf("the path leads to %s, which is not in the file", id)
		}
		if kids, _ := m["childrenIds"].([]any); child != "" && !slices.Contains(kids, any(child)) {
			t.Errorf("%s is no child of its parent", child)
		}
		path, child = append(path, m), id
		id = text(m["parentId"])
	}
	slices.Reverse(path)
	for _, m := range path {
		role := text(m["role"])
		files, _ := m["files"].([]any)
		for _, f := range files {
			all = append(all, role+" image "+text(object(f)["url"]))
		}
		output, _ := m["output"].([]any)
		if output == nil {
			said := text(m["content"])
			if _, after, found := strings.Cut(said, "</details>\n"); found {
				said = after
			}
			all = append(all, role+"  "+said)
		}
		for _, v := range output {
			item := object(v)
			list := func(key string) (said string) {
				parts, _ := item[key].([]any)
				for _, p := range parts {
					said += text(object(p)["text"])
				}
				return said
			}
			switch item["type"] {
			case "message":
				all = append(all, role+"  "+list("content"))
			case "function_call":
				all = append(all, "call "+text(item["call_id"])+" "+text(item["name"])+" "+text(item["arguments"]))
			case "function_call_output":
				all = append(all, "tool "+text(item["call_id"])+" "+list("output"))
			}
		}
	}
	return all
}

// TestChatTrees reads, with separate code, the samples of applications that keep a tree.
func TestChatTrees(t *testing.T) {
	for _, name := range []string{"librechat.json", "open-webui.json", "open-webui-chat.json", "llamaindex.json", "llamaindex-list.json", "semantic-kernel.json", "semantic-kernel-net.json"} {
		src := sample(t)[name]
		a := open(t, src)
		if want, got := resumes[a.Kind](t, src), said(t, a.Kind, a.Messages); !slices.Equal(want, got) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestChatBranches saves a compaction: all old messages stay, and an export of several chats is refused.
func TestChatBranches(t *testing.T) {
	for _, name := range []string{"librechat.json", "librechat-nested.json", "open-webui.json"} {
		src := sample(t)[name]
		next := checkSaved(t, src, []byte(`[{"role":"user","content":"So far."},{"role":"user","content":"And now?"}]`))
		for _, said := range []string{`There are 12 boats.`, `The tallest mast has 10 m.`, `14 of them are blue.`} {
			if strings.Count(string(src), said) != strings.Count(string(next), said) {
				t.Errorf("%s: %q is lost", name, said)
			}
		}
	}
	src, err := os.ReadFile(samples + "/open-webui.json")
	if err != nil {
		t.Fatal(err)
	}
	one := strings.TrimSpace(string(src))
	if a := open(t, []byte(one[:len(one)-1]+","+one[1:])); a.Error == nil || !strings.Contains(a.Error.Message, "several chats") {
		t.Errorf("an export of two chats: %+v", a.Error)
	}
	if _, a := save(t, src, []byte(`[{"role":"user","content":"a"},{"role":"tool","tool_call_id":"x","content":"b"},{"role":"assistant","content":"<details type=\"reasoning\">c</details>"}]`)); a.Error == nil || a.Error.Code != "cannot_save" {
		t.Errorf("an answer that would be read as a thought is saved: %+v", a)
	}
}

// TestChatLogs reads logs whose entries are out of order or taken back.
func TestChatLogs(t *testing.T) {
	letta := `{"id":"b","date":"2026-03-01T10:00:02Z","message_type":"user_message","content":"b"},{"id":"a","date":"2026-03-01T10:00:01Z","message_type":"user_message","content":"a"}`
	if a := open(t, []byte("["+letta+"]")); a.Error == nil || !strings.Contains(a.Error.Message, "ascending order") {
		t.Errorf("a list with the newest message first: %+v", a)
	}
	event := func(id, typ, data string) string {
		return `{"id":"` + id + `","type":"` + typ + `","data":` + data + `,"parentId":null,"timestamp":"2026-03-01T10:00:01.000Z"}` + "\n"
	}
	log := event("1", "user.message", `{"content":"a"}`) + event("2", "user.message", `{"content":"b"}`) +
		event("3", "session.snapshot_rewind", `{"upToEventId":"2","eventsRemoved":1}`) + event("4", "user.message", `{"content":"c"}`) +
		event("5", "session.snapshot_rewind", `{"upToEventId":"2","eventsRemoved":9}`) +
		event("6", "session.compaction_complete", `{"success":false,"error":"no"}`) +
		event("7", "assistant.message", `{"content":"","toolRequests":[{"toolCallId":"x","name":"n","arguments":"{}"}]}`)
	a := open(t, []byte(log))
	want := []string{"user  a", "user  c", "call x n {}"}
	if got := said(t, "librechat", a.Messages); !slices.Equal(got, want) || a.skipped("rolled_back") != 1 {
		t.Errorf("%q, want %q; %+v", got, want, a.Skipped)
	}
}

// listResumes flattens the list of a file of LlamaIndex or of Semantic Kernel.
func listResumes(t *testing.T, file []byte) (all []string) {
	var whole any
	if err := json.Unmarshal(file, &whole); err != nil {
		t.Fatal(err)
	}
	if m := object(whole); m != nil {
		if whole = m["messages"]; whole == nil {
			whole = object(m["store"])["chat_history"]
		}
	}
	either := func(m record, keys ...string) any {
		for _, key := range keys {
			if v := m[key]; v != nil && v != "" {
				return v
			}
		}
		return nil
	}
	spelled := func(v any) string {
		if s, is := v.(string); is {
			return s
		}
		return spell(v)
	}
	messages, _ := whole.([]any)
	for _, v := range messages {
		m := object(v)
		role := text(either(m, "role"))
		if role == "" {
			role = text(object(m["Role"])["Label"])
		}
		kwargs := object(m["additional_kwargs"])
		parts, _ := either(m, "blocks", "items", "Items").([]any)
		var texts, images, calls, results []string
		for _, v := range parts {
			p := object(v)
			name := text(either(p, "tool_name", "function_name", "FunctionName"))
			if plugin := text(either(p, "plugin_name", "PluginName")); plugin != "" {
				name = plugin + "-" + name
			}
			switch text(either(p, "block_type", "content_type", "$type")) {
			case "text", "TextContent":
				texts = append(texts, text(either(p, "text", "Text")))
			case "image", "ImageContent":
				if data := text(p["image"]); data != "" {
					images = append(images, role+" image data:"+text(p["image_mimetype"])+";base64,"+data)
				} else {
					images = append(images, role+" image "+text(either(p, "url", "uri", "Uri")))
				}
			case "tool_call", "function_call", "FunctionCallContent":
				calls = append(calls, "call "+text(either(p, "tool_call_id", "id", "Id"))+" "+name+" "+spelled(either(p, "tool_kwargs", "arguments", "Arguments")))
			case "function_result", "FunctionResultContent":
				results = append(results, "tool "+text(either(p, "id", "CallId"))+" "+spelled(either(p, "result", "Result")))
			}
		}
		if old, _ := kwargs["tool_calls"].([]any); calls == nil {
			for _, v := range old {
				f := object(object(v)["function"])
				calls = append(calls, "call "+text(object(v)["id"])+" "+text(f["name"])+" "+text(f["arguments"]))
			}
		}
		all = append(all, images...)
		if said := strings.Join(texts, "\n"); said != "" || role == "tool" && results == nil {
			all = append(all, role+" "+text(kwargs["tool_call_id"])+" "+said)
		}
		all = append(append(all, calls...), results...)
	}
	return all
}

// TestChatLists refuses a store of two conversations, and leaves lists of wire formats alone.
func TestChatLists(t *testing.T) {
	for _, c := range []struct{ src, message string }{
		{`{"store":{"a":[],"b":[]},"class_name":"SimpleChatStore"}`, "several conversations"},
		{`{"messages":[{"role":"user","content":"a"}]}`, "not a session file"},
		{`{"store":{"a":7},"class_name":"SimpleChatStore"}`, "must be a list"},
	} {
		if a := open(t, []byte(c.src)); a.Error == nil || !strings.Contains(a.Error.Message, c.message) {
			t.Errorf("%s: %+v", c.src, a)
		}
	}
}

// TestChatCurrent saves messages in Open WebUI files that don't name a newest message or have invalid messages.
func TestChatCurrent(t *testing.T) {
	hi := `"a":{"id":"a","parentId":null,"role":"user","content":"hi"}`
	for _, history := range []string{`"messages":{` + hi + `}`, `"messages":{` + hi + `},"currentId":null`, `"currentId":null,"messages":{` + hi + `}`, `"messages":{"a":5}`, `"messages":{}`} {
		checkSaved(t, []byte(`{"title":"t","chat":{"history":{`+history+`}}}`), []byte(`[{"role":"user","content":"So far."},{"role":"user","content":"And now?"}]`))
	}
	if _, a := save(t, []byte(`{"conversationId":"c","exportAt":"2026-03-01"}`), []byte(`[{"role":"user","content":"a"}]`)); a.Error == nil || a.Error.Code != "cannot_save" {
		t.Errorf("a file without messages: %+v", a.Error)
	}
}

// TestChatSaid opens messages whose texts could be lost.
func TestChatSaid(t *testing.T) {
	webUI := func(message string) string {
		return `{"title":"t","chat":{"history":{"currentId":"a","messages":{"a":{"id":"a","parentId":null,"role":"assistant",` + message + `}}}}}`
	}
	libre := func(message string) string {
		return `[{"messageId":"a","parentMessageId":null,"isCreatedByUser":false,` + message + `}]`
	}
	hidden := `<details type="reasoning">c</details>`
	result := func(output string) string {
		return webUI(`"output":[{"type":"function_call","call_id":"x","name":"n","arguments":"{}"},{"type":"function_call_output","call_id":"x","output":` + output + `}]`)
	}
	for _, c := range []struct {
		name, src string
		want      []string
	}{
		{"a current message that is not there", strings.Replace(webUI(`"content":"a"`), `"currentId":"a"`, `"currentId":"z"`, 1), []string{"assistant  a"}},
		{"a list of parts as text", strings.Replace(webUI(`"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]`), `"assistant"`, `"user"`, 1), []string{"user  a\nb"}},
		{"only reasoning in the output", webUI(`"content":"a","output":[{"type":"reasoning"}]`), []string{"assistant  a"}},
		{"reasoning in the text", webUI(`"content":"a` + strings.ReplaceAll(hidden+hidden, `"`, `\"`) + `b"`), []string{"assistant  ab"}},
		{"a quotation in LibreChat", libre(`"text":"a` + strings.ReplaceAll(hidden, `"`, `\"`) + `"`), []string{"assistant  a" + hidden}},
		{"only a thought in LibreChat", libre(`"text":"a","content":[{"type":"think","think":"b"}]`), []string{"assistant  a"}},
		{"an image as a result", result(`[{"type":"input_image","image_url":"data:image/png;base64,AAAA"}]`), []string{"call x n {}", "tool x "}},
		{"an object as a result", result(`{}`), []string{"call x n {}", "tool x {}"}},
		{"a number as a result", result(`42`), []string{"call x n {}", "tool x 42"}},
		{"no result", result(`null`), []string{"call x n {}", "tool x "}},
		{"arguments that are null", libre(`"content":[{"type":"tool_call","tool_call":{"id":"x","name":"n","args":null,"output":"o"}}]`), []string{"call x n {}", "tool x o"}},
		{"arguments as an object", libre(`"content":[{"type":"tool_call","tool_call":{"id":"x","name":"n","args":{ "a": 5 },"output":"o"}}]`), []string{`call x n {"a":5}`, "tool x o"}},
		{"a list of data as a result", result(`[{"text":"a","n":5}]`), []string{"call x n {}", `tool x [{"text":"a","n":5}]`}},
	} {
		a := open(t, []byte(c.src))
		if got := said(t, "librechat", a.Messages); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	parallel := `[{"date":"2026-03-01T10:00:01Z","message_type":"tool_return_message","tool_call_id":"x","tool_return":"a","tool_returns":[{"tool_call_id":"x","tool_return":"a"},{"tool_call_id":"y","tool_return":[{"type":"text","text":"b"}]}]}]`
	if got := said(t, "librechat", open(t, []byte(parallel)).Messages); !slices.Equal(got, []string{"tool x a", "tool y b"}) {
		t.Errorf("results of parallel calls: %q", got)
	}
	letta := `[{"id":"a","date":"2026-03-01T10:00:01Z","message_type":"user_message","content":"a"},{"id":"b","date":"2026-03-01T10:00:01.5Z","message_type":"user_message","content":"b"}]`
	if a := open(t, []byte(letta)); a.Error != nil {
		t.Errorf("a list in order: %+v", a.Error)
	}
}
