package squeeze_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ctxfold/ctxfold/core/internal/squeeze"
	"github.com/ctxfold/ctxfold/internal/testing/steps"
)

// TestForms checks the result for one output of each form.
func TestForms(t *testing.T) {
	hex := strings.Repeat("0f1e2d3c4b5a69788796a5b4c3d2e1f0", 10)
	data := strings.Repeat("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk", 5)
	for _, tt := range []struct {
		name string
		form squeeze.Form
		text string
		want string
	}{
		{"pretty JSON", squeeze.JSON, "{\n  \"name\": \"a  b\",\n  \"list\": [\n    1,\n    2\n  ],\n  \"none\": {}\n}\n", `{"name":"a  b","list":[1,2],"none":{}}` + "\n"},
		{"JSON behind a header", squeeze.JSON, "Exit code: 0\nOutput:\n{\n  \"name\": \"first of the names\",\n  \"size\": 12\n}", "Exit code: 0\nOutput:\n{\"name\":\"first of the names\",\"size\":12}"},
		{"objects alike", squeeze.JSON | squeeze.Rows, `[{"id":1,"kind":"bug","title":"one"},{"id":2,"kind":"bug","title":"two"},{"id":3,"kind":"bug","title":"three"}]`,
			"[{id,kind=\"bug\",title}\n[1,\"one\"]\n[2,\"two\"]\n[3,\"three\"]]"},
		{"objects in objects", squeeze.JSON | squeeze.Rows, `[{"flight":"HAT1","seats":{"basic":1,"first":2}},{"flight":"HAT2","seats":{"basic":3,"first":4}}]`,
			"[{flight,seats{basic,first}}\n[\"HAT1\",[1,2]]\n[\"HAT2\",[3,4]]]"},
		{"a missing member", squeeze.JSON | squeeze.Rows, `[{"id":1,"title":"one","parent":7},{"id":2,"title":"two"},{"id":3,"title":"three","parent":8}]`,
			"[{id,title,parent}\n[1,\"one\",7]\n[2,\"two\",]\n[3,\"three\",8]]"},
		{"lines of JSON", squeeze.JSON | squeeze.Rows, "{\"level\":\"info\",\"text\":\"start\"}\n{\"level\":\"warn\",\"text\":\"slow\"}\n{\"level\":\"info\",\"text\":\"stop\"}\n",
			"[{level,text}\n[\"info\",\"start\"]\n[\"warn\",\"slow\"]\n[\"info\",\"stop\"]]\n"},
		{"JSON whose end is cut off", squeeze.JSON | squeeze.Rows, "[\n  {\n    \"number\": 1,\n    \"description\": \"one\"\n  },\n  {\n    \"number\": 2,\n    \"description\": \"two\"\n  },\n  {\n    \"number\": 3,\n    \"desc… 900 characters cut",
			"[{number,description}\n[1,\"one\"]\n[2,\"two\"],\n{\n  \"number\": 3,\n  \"desc… 900 characters cut"},
		{"JSON whose beginning is cut off", squeeze.JSON, "tokens cut…abc\",\n    \"status\": \"open\",\n    \"priority\": 1,\n    \"owner\": \"me\",\n    \"labels\": [\n      \"a\"\n    ]\n  }\n]",
			"tokens cut…abc\",\n\"status\":\"open\",\"priority\":1,\"owner\":\"me\",\"labels\":[\"a\"]}]"},
		{"a value that comes again", squeeze.JSON | squeeze.Repeats, `{"user": {"login": "somebody", "url": "https://api.example.com/users/somebody", "type": "User", "admin": false}, "head": {"user": {"login": "somebody", "url": "https://api.example.com/users/somebody", "type": "User", "admin": false}}}`,
			`{"user":{"login":"somebody","url":"https://api.example.com/users/somebody","type":"User","admin":false},"head":{"user":[as "user" above]}}`},
		{"a search", squeeze.Paths, "internal/server/server.go:12:\tfunc a() {\ninternal/server/server.go:40:\treturn\ninternal/server/other.go:7:x",
			"internal/server/server.go:\n12:func a() {\n40:return\ninternal/server/other.go:7:x"},
		{"a search with context", squeeze.Paths, "docs/a-1.md-3-before\ndocs/a-1.md:4:  found\ndocs/a-1.md-5-    after\n--\ndocs/a-1.md:90:again",
			"docs/a-1.md:\n3-before\n4:  found\n5-    after\n--\n90:again"},
		{"a search whose lines without a colon have the whole path", squeeze.Paths, "till/sum_test.go:7:\tt := Till{\ntill/sum_test.go-8-\t\tOwner: a,\n/home/shop/till/sum_test.go-9-\t}\n--\n" +
			"till/sum_test.go:20:\tt := Till{\n/home/shop/till/sum_test.go-21-\t}\n--\ntill/cart.go:3:Till{", "/home/shop/till/sum_test.go:\n7:t := Till{\n8-\tOwner: a,\n9-}\n--\n20:t := Till{\n21-}\n--\ntill/cart.go:3:Till{"},
		{"errors of a compiler", squeeze.Paths, "src/very/long/path/main.c:3:5: error: expected ';' before 'x'\nsrc/very/long/path/main.c:9:1: warning: unused",
			"src/very/long/path/main.c:\n3:5: error: expected ';' before 'x'\n9:1: warning: unused"},
		{"lines that begin alike", squeeze.Starts, "Requirement already satisfied: pytest in /usr/lib\nRequirement already satisfied: pluggy in /usr/lib\nRequirement already satisfied: iniconfig in /opt\nRequirement already satisfied: packaging in /opt\n",
			"Requirement already satisfied:…\n pytest in /usr/lib\n pluggy in /usr/lib\n iniconfig in /opt\n packaging in /opt\n"},
		{"a gutter", squeeze.Gutter, "     9→a\n    10→b\n    11→  c\n    12→", "9 a\n10 b\n11   c\n12"},
		{"a gutter of tabs", squeeze.Gutter, "     1\tif a {\n     2\t\tb()\n     3\t\tc()\n     4\t}", "1\tif a {\n2\t\tb()\n3\t\tc()\n4\t}"},
		{"indentation that brackets tell", squeeze.Indentation, "func f() {\n\tif a {\n\t\tfor {\n\t\t\tb()\n\t\t\tc()\n\t\t}\n\t\td()\n\t\te()\n\t}\n}",
			"func f() {\nif a {\nfor {\nb()\nc()\n}\nd()\ne()\n}\n}"},
		{"indentation that tells something", 0, "def f():\n    if a:\n        b()\n        c()\n    d()\n    for e in g:\n        h()\n    return i\n", ""},
		{"a repeated line", squeeze.Repeats, "wait for the lock of the package manager\nwait for the lock of the package manager\nwait for the lock of the package manager\ndone",
			"wait for the lock of the package manager\n[the line above 2 more times]\ndone"},
		{"repeated frames", squeeze.Repeats, "main.run(main.go:10)\n" + strings.Repeat("  at walk (tree.js:12)\n  at visit (tree.js:44)\n", 30) + "end",
			"main.run(main.go:10)\n  at walk (tree.js:12)\n  at visit (tree.js:44)\n[the 2 lines above 29 more times]\nend"},
		{"a screen that is shown again", squeeze.Repeats, "Refreshing every three seconds\nbuild of the first part: waits\nbuild of the second part: waits\nbuild of the third part: waits\nnow\nRefreshing every three seconds\nbuild of the first part: waits\nbuild of the second part: waits\nbuild of the third part: waits\nthen",
			"Refreshing every three seconds\nbuild of the first part: waits\nbuild of the second part: waits\nbuild of the third part: waits\nnow\n[as above: Refreshing every three secon… + 3 lines]\nthen"},
		{"colours", squeeze.Controls, "\x1b[1m\x1b[32mok\x1b[0m  3 tests\n\x1b]0;title\x07done", "ok 3 tests\ndone"},
		{"progress", squeeze.Controls, "fetch\rReceiving objects:   1% (1/9)\rReceiving objects:  50% (5/9)\rReceiving objects: 100% (9/9), done.\r\nend",
			"fetch\nReceiving objects: 100% (9/9), done.\nend"},
		{"lines that end with a carriage return", squeeze.Controls, "\x1b[2mone is here\rtwo is here\rthree is here", "one is here\ntwo is here\nthree is here"},
		{"a spinner", squeeze.Controls, "\x1b[1G\x1b[0K⠙\x1b[1G\x1b[0K⠹\x1b[1G\x1b[0Kbuilt", "built"},
		{"backspaces", squeeze.Controls, "build -\b \b\\\b \bdone", "build done"},
		{"hexadecimal digits", squeeze.Binary, "sum " + hex + " end", "sum [320 hexadecimal digits, SHA-256 a141aa3b36020482] end"},
		{"base64", squeeze.Binary, "data:image/png;base64," + data, "data:image/png;base64,[300 characters of base64, SHA-256 778b685084bd26e8]"},
		{"a diff", squeeze.Context, "diff --git a/x.go b/x.go\nindex 1..2 100644\n--- a/x.go\n+++ b/x.go\n@@ -1,4 +1,4 @@ func a()\n \n-\tb()\n+\tc()\n }\n \n",
			"index 1..2 100644\n--- a/x.go\n+++ b/x.go\n@@ -1,4 +1,4 @@ func a()\n-\tb()\n+\tc()\n"},
		{"columns", squeeze.Padding, "-rw-r--r--   1 root  root     1234 May  1 10:00 a\n", "-rw-r--r-- 1 root root 1234 May 1 10:00 a\n"},
		{"a tree behind a bar", squeeze.Padding, "[1] |          select:   one      two\n[2] |              column:   three", "[1] |          select: one two\n[2] |              column: three"},
		{"a drawn line again", squeeze.Padding, strings.Repeat("─", 40) + "\nfirst\n" + strings.Repeat("─", 40) + "\nsecond", "───\nfirst\n───\nsecond"},
		{"drawn lines", squeeze.Padding, "╭──────────────────────────────╮\n│ title │\n==============================\n", "╭───╮\n│ title │\n===\n"},
		{"spaces in a string", 0, "const a = \"one    two\" // " + strings.Repeat("x", 40), ""},
		{"the words of an error", 0, "Error: expected    'a' but got    b ==========", ""},
		{"empty lines", squeeze.Padding, "a\n\n\n\n\nb", "a\n\nb"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out, form, ok := squeeze.Text(tt.text, squeeze.Options{})
			if tt.form == 0 {
				if ok {
					t.Fatalf("%v: %q", form, out)
				}
				return
			}
			if !ok || form&tt.form != tt.form {
				t.Fatalf("forms %b, not %b: %q", form, tt.form, out)
			}
			if out != tt.want {
				t.Errorf("got\n%s\nwant\n%s\n%q", out, tt.want, out)
			}
			if _, less, _ := squeeze.Text(tt.text, squeeze.Options{Without: form}); less&form != 0 {
				t.Errorf("%b is not left out: %b", form, less)
			}
			if _, form, ok := squeeze.Text(tt.text, squeeze.Options{Without: 1<<11 - 1}); ok {
				t.Errorf("without any form there is %b", form)
			}
		})
	}
}

// Text stays unchanged if squeezing it would save too little.
func TestMinSaved(t *testing.T) {
	text := "a\n\n\n\n\nb"
	if out, _, ok := squeeze.Text(text, squeeze.Options{MinSaved: 3}); !ok || out != "a\n\nb" {
		t.Errorf("%v %q", ok, out)
	}
	if out, form, ok := squeeze.Text(text, squeeze.Options{MinSaved: 4}); ok || out != text || form != 0 {
		t.Errorf("%v %q %v", ok, out, form)
	}
}

func TestFormString(t *testing.T) {
	for form, want := range map[squeeze.Form]string{
		squeeze.Padding: "padding cut", squeeze.JSON: "compact JSON", squeeze.JSON | squeeze.Rows | squeeze.Padding: "objects as rows",
		squeeze.Paths | squeeze.Repeats: "lines by path; repeats counted",
	} {
		if got := form.String(); got != want {
			t.Errorf("%b is %q, not %q", form, got, want)
		}
	}
}

// hostile returns texts of about n bytes that could cause more than linear cost, or break a form.
func hostile(n int) map[string]string {
	repeat := func(s string) string { return strings.Repeat(s, n/len(s)+1) }
	return map[string]string{
		"one line":             repeat("a"),
		"one line of words":    repeat("word "),
		"spaces":               repeat(" "),
		"tiny lines":           repeat("a\n"),
		"empty lines":          repeat("\n"),
		"carriage returns":     repeat("a\r"),
		"backspaces":           repeat("\b"),
		"words and backspaces": repeat("ab\b"),
		"escapes":              repeat("\x1b"),
		"escape codes":         repeat("\x1b[31m"),
		"open titles":          repeat("\x1b]"),
		"open codes":           repeat("\x1b[1;"),
		"deep arrays":          repeat("["),
		"deep objects":         repeat(`{"a":`),
		"arrays line by line":  repeat("[\n"),
		"deep and whole":       strings.Repeat("[", n/2) + strings.Repeat("]", n/2),
		"objects of arrays":    repeat(`[{"a":[{"a":[{"a":[{"a":1},{"a":2}]},{"a":1}]},{"a":1}]},{"a":1}]` + "\n"),
		"open strings":         repeat(`{"a`),
		"open strings by line": repeat("{\"a\n"),
		"escaped quotes":       `{"` + repeat(`\"`),
		"backslashes":          `{"` + repeat(`\`),
		"many keys":            "[" + repeat(`{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9},{"i":1,"h":2,"g":3,"f":4,"e":5,"d":6,"c":7,"b":8,"a":9},`) + "{}]",
		"the same place":       repeat("a/b.go:1:\n"),
		"dashes":               repeat("a/b-1-2-3-4-5-6-7-8-9-1-2-3\n"),
		"colons":               repeat("a.b:"),
		"the same beginning":   repeat("the same beginning of all these lines and then x\n"),
		"nearly the same":      repeat("the same beginning of lines aa\nthe same beginning of lines ab\nthe same beginning 1\n"),
		"periods":              repeat("line number one\nline number two\n"),
		"long periods":         strings.Repeat(strings.Repeat("0123456789 one line of a long period\n", 300)+"\nx\n", n/11000+1),
		"numbers":              repeat("1\t\n"),
		"signs":                repeat("-"),
		"drawn":                repeat("─"),
		"half runes":           repeat("\xe2\x94"),
		"base64":               repeat("QUJDRGVmZ2hpSktMbW5vcFFSU1R1dnd4eVo0NTY3ODkw"),
		"base64 by line":       repeat("QUJDRGVmZ2hpSktMbW5vcFFSU1R1dnd4eVo0NTY3ODkwQUJDRGVmZ2hpSktMbW5v\n"),
		"hunks":                repeat("@@ -1 +1 @@\n }\n"),
		"error and error":      repeat("Error: "),
	}
}

// No text becomes longer, and all texts remain valid.
func TestHostile(t *testing.T) {
	const n = 4 << 20
	for name, text := range hostile(n) {
		t.Run(name, func(t *testing.T) {
			out, _, _ := squeeze.Text(text, squeeze.Options{})
			if len(out) > len(text) {
				t.Errorf("%d bytes become %d", len(text), len(out))
			}
			if utf8.ValidString(text) && !utf8.ValidString(out) {
				t.Error("the result is no UTF-8")
			}
		})
	}
}

// The cost is at most proportional to the size for all texts.
func TestLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds core with counters")
	}
	counter := steps.Start(t)
	for name := range hostile(1) {
		t.Run(name, func(t *testing.T) {
			answer := counter.Linear(t, "plan", 64<<10, func(n int) []byte {
				text, err := json.Marshal(hostile(n)[name])
				if err != nil {
					t.Fatal(err)
				}
				return []byte(`{"policy":{"format":"openai-chat","window":{"tokens":100000000},"passes":[{"pass":"squeeze","keep_recent":0,"min_tokens":0}]},"options":{"force":true},"messages":[` +
					`{"role":"user","content":"go"},{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"run","arguments":"{}"}}]},` +
					`{"role":"tool","tool_call_id":"c","content":` + string(text) + `},{"role":"assistant","content":"ok"},{"role":"user","content":"x"}]}`)
			})
			if bytes.HasPrefix(answer, []byte(`{"error"`)) {
				t.Errorf("%.300s", answer)
			}
		})
	}
}

func FuzzText(f *testing.F) {
	for _, text := range hostile(300) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		out, form, ok := squeeze.Text(text, squeeze.Options{})
		switch {
		case !ok && (out != text || form != 0):
			t.Fatal("a text that stays has changed")
		case ok && len(out) >= len(text):
			t.Fatalf("%d bytes become %d", len(text), len(out))
		case utf8.ValidString(text) && !utf8.ValidString(out):
			t.Fatalf("%q is no UTF-8", out)
		}
		if again, _, _ := squeeze.Text(text, squeeze.Options{}); again != out {
			t.Fatal("the same text gives another result")
		}
	})
}
