package compact

import (
	"fmt"
	"strings"
	"testing"
)

const sameNote = "File unchanged since last read. The content from the earlier Read tool_result in this conversation is still current — refer to that instead of re-reading."

// readings returns a session with calls of a tool that reads. Each call is given by its arguments and its result. A "!"
// before the result marks an error that is flagged.
func readings(calls ...[2]string) string {
	list := []string{`{"role":"user","content":"go on"}`, `{"role":"assistant","content":[{"type":"text","text":"` + strings.Repeat("I think about it. ", 200) + `"}]}`, `{"role":"user","content":"read"}`}
	for i, c := range calls {
		text, failed := strings.CutPrefix(c[1], "!")
		list = append(list, fmt.Sprintf(`{"role":"assistant","content":[{"type":"tool_call","id":"c%d","name":"Read","arguments":%s}]}`, i, c[0]),
			fmt.Sprintf(`{"role":"tool_result","tool_call_id":"c%d","tool_name":"Read","is_error":%t,"content":%q}`, i, failed, text))
	}
	return "[" + strings.Join(append(list, `{"role":"user","content":"and now?"}`), ",") + "]"
}

// A result that only says that a file hasn't changed, that contains part of a file, or that failed doesn't supersede a
// read of the whole file, and rehydrate doesn't mistake it for the file.
func TestPointersToReads(t *testing.T) {
	const whole, part = `{"file_path":"a.go"}`, `{"file_path":"a.go","offset":10,"limit":2}`
	content := "package a\n" + strings.Repeat("the whole file has this line\n", 60)
	other := strings.Repeat("of another file there is this line\n", 60)
	note := func(n int, args string) (calls [][2]string) {
		for range n {
			calls = append(calls, [2]string{args, sameNote})
		}
		return calls
	}
	for _, c := range []struct {
		name  string
		calls [][2]string
	}{
		{"a pointer", append([][2]string{{whole, content}}, note(1, whole)...)},
		{"pointers", append([][2]string{{whole, content}}, note(3, whole)...)},
		{"a part", [][2]string{{whole, content}, {part, "the whole file has this line\nthe whole file has this line\n"}}},
		{"a failure that is flagged", [][2]string{{whole, content}, {whole, "!File does not exist."}}},
		{"a failure in words", [][2]string{{whole, content}, {whole, "Error: no such file"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := readings(c.calls...)
			if out := output(run(t, "native", `{"passes":[{"pass":"dedupe","min_tokens":1}]}`+force, src)); !strings.Contains(out, "package a") {
				t.Errorf("dedupe removed the content: %s", out)
			}
			calls := append(c.calls, [2]string{`{"file_path":"b.go"}`, other})
			out := output(run(t, "native", `{"summary":{"mode":"local"},"passes":[{"pass":"clear","keep_recent":1},{"pass":"fold","keep_tokens":10,"boundary":"group"},{"pass":"rehydrate"}]}`+force, readings(calls...)))
			if !strings.Contains(out, "[Restored file after compaction] a.go") || !strings.Contains(out, `package a\n`) || strings.Contains(out, "compaction] a.go\\n\\nFile unchanged") {
				t.Errorf("rehydrate restored no whole file: %s", out)
			}
		})
	}
	// What a kept pointer means is not cleared, and is the first file that comes back.
	src := readings([2]string{whole, content}, [2]string{`{"file_path":"b.go"}`, other}, [2]string{`{"file_path":"c.go"}`, other}, [2]string{whole, sameNote})
	if out := output(run(t, "native", `{"passes":[{"pass":"clear","keep_recent":1}]}`+force, src)); !strings.Contains(out, "package a") {
		t.Errorf("the content is cleared: %s", out)
	}
	out := output(run(t, "native", `{"summary":{"mode":"local"},"passes":[{"pass":"fold","keep_tokens":150,"boundary":"group"},{"pass":"rehydrate","max_files":1}]}`+force, src))
	if !strings.Contains(out, sameNote[:20]) || !strings.Contains(out, "compaction] a.go") {
		t.Errorf("the file that a kept result points at is not restored: %s", out)
	}
}

// A file that was changed after it was read isn't restored as it was before: by a patch, which names its files itself, by a
// command, or under another spelling of its path.
func TestOldContentIsNotRestored(t *testing.T) {
	content := "package a\n" + strings.Repeat("the whole file has this line\n", 60)
	for name, changes := range map[string]string{
		"an edit":                             `"name":"Edit","arguments":{"file_path":"/kiln/src/a.go","old_string":"has","new_string":"had"}`,
		"an edit of a relative path":          `"name":"Edit","arguments":{"file_path":"src/a.go","old_string":"has","new_string":"had"}`,
		"a patch":                             `"name":"apply_patch","arguments":{"patchText":"*** Begin Patch\n*** Update File: src/b.go\n@@\n-x\n+y\n*** Update File: src/a.go\n@@\n-has\n+had\n*** End Patch"}`,
		"a command":                           `"name":"bash","arguments":{"command":"sed -i s/has/had/ /kiln/src/a.go"}`,
		"a command in a folder":               `"name":"bash","arguments":{"command":"cd /kiln && sed -i s/has/had/ src/a.go"}`,
		"nothing":                             `"name":"bash","arguments":{"command":"cat /kiln/src/a.go"}`,
		"an edit of a file with another name": `"name":"Edit","arguments":{"file_path":"ksrc/a.go","old_string":"has","new_string":"had"}`,
	} {
		src := readings([2]string{`{"file_path":"/kiln/src/a.go"}`, content})
		src = strings.TrimSuffix(src, `,{"role":"user","content":"and now?"}]`) + `,{"role":"assistant","content":[{"type":"tool_call","id":"e",` + changes + `}]},{"role":"tool_result","tool_call_id":"e","tool_name":"x","content":"done"},{"role":"user","content":"and now?"}]`
		out := output(run(t, "native", `{"summary":{"mode":"local"},"passes":[{"pass":"fold","keep_tokens":10,"boundary":"group"},{"pass":"rehydrate"}]}`+force, src))
		kept := name == "nothing" || strings.HasSuffix(name, "another name")
		if restored := strings.Contains(out, "[Restored file after compaction] /kiln/src/a.go"); restored != kept {
			t.Errorf("%s: restored %v: %s", name, restored, out)
		}
	}
}
