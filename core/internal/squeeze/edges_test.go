package squeeze_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/squeeze"
)

// sequence returns n lines with the same pattern, numbered from 0.
func sequence(pattern string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, pattern+"\n", i)
	}
	return b.String()
}

// base64 returns n characters that look like data.
func base64(n int) string {
	return strings.Repeat("aGVsbG8gd29ybGQ5X-rT4mP0", n/24+1)[:n]
}

// names returns the names of forms, as the constants spell them.
func names(forms squeeze.Form) string {
	var list []string
	for _, f := range []struct {
		form squeeze.Form
		name string
	}{
		{squeeze.JSON, "JSON"}, {squeeze.Rows, "Rows"}, {squeeze.Paths, "Paths"}, {squeeze.Starts, "Starts"}, {squeeze.Gutter, "Gutter"},
		{squeeze.Indentation, "Indentation"}, {squeeze.Repeats, "Repeats"}, {squeeze.Controls, "Controls"}, {squeeze.Binary, "Binary"},
		{squeeze.Context, "Context"}, {squeeze.Padding, "Padding"},
	} {
		if forms&f.form != 0 {
			list = append(list, f.name)
		}
	}
	return strings.Join(list, " ")
}

// TestEdges checks texts at the limits of each form. Each comes with the whole output, or with "" if it stays
// unchanged.
func TestEdges(t *testing.T) {
	value := func(c string, n int) string { return `{"k":"` + strings.Repeat(c, n-8) + `"}` }
	for _, tt := range []struct{ name, text, forms, want string }{
		{"two lines that begin alike", sequence("Requirement already satisfied: package number %d is there already", 2),
			"", ""},
		{"three", sequence("Requirement already satisfied: package number %d is there already", 3),
			"Starts", "Requirement already satisfied: package number…\n 0 is there already\n 1 is there already\n 2 is there already\n"},
		{"ten", sequence("Requirement already satisfied: package number %d is there already", 10),
			"Starts", "Requirement already satisfied: package number…\n 0 is there already\n 1 is there already\n 2 is there already\n 3 is there already\n 4 is there already\n 5 is there already\n 6 is there already\n 7 is there already\n 8 is there already\n 9 is there already\n"},
		{"starts up to a time", "2024-05-01T10:00:01 first thing\n2024-05-01T10:00:02 second thing\n2024-05-01T10:00:07 third thing\n2024-05-01T10:00:09 fourth thing\n2024-05-01T10:00:09 fifth thing\n",
			"", ""},
		{"starts up to a time behind a word", "worker at 2024/05/01 10:00:01 first thing\nworker at 2024/05/01 10:00:02 second thing\nworker at 2024/05/01 10:00:07 third thing\nworker at 2024/05/01 10:03:09 fourth thing\n",
			"Starts", "worker at 2024/05/01 10:…\n 00:01 first thing\n 00:02 second thing\n 00:07 third thing\n 03:09 fourth thing\n"},
		{"starts up to an address, whose ports are no time", sequence("listening at http://10.0.0.12:80%d for requests of workers", 6),
			"", ""},
		{"starts up to a call", sequence("the result of computation(%d) is of no use to anybody", 6),
			"Starts", "the result of computation…\n (0) is of no use to anybody\n (1) is of no use to anybody\n (2) is of no use to anybody\n (3) is of no use to anybody\n (4) is of no use to anybody\n (5) is of no use to anybody\n"},
		{"starts of errors stay", sequence("Error: connection %d to the server was refused by it", 6),
			"", ""},
		{"starts in blocks", sequence("downloading the first archive part %d", 5) + sequence("downloading the second archive part %d", 5),
			"Starts", "downloading the first archive part…\n 0\n 1\n 2\n 3\n 4\ndownloading the second archive part…\n 0\n 1\n 2\n 3\n 4\n"},
		{"a start that one line breaks", sequence("compiling the module number %d of many", 4) + "done\n" + sequence("compiling the module number %d of many", 4),
			"Starts", "compiling the module number…\n 0 of many\n 1 of many\n 2 of many\n 3 of many\ndone\ncompiling the module number…\n 0 of many\n 1 of many\n 2 of many\n 3 of many\n"},
		{"empty rests", "the same beginning for all of them \nthe same beginning for all of them x\nthe same beginning for all of them \nthe same beginning for all of them y\nthe same beginning for all of them z\n",
			"Starts", "the same beginning for all of them…\n \n x\n \n y\n z\n"},
		{"members without an end", "  \"a\": 1,\n  \"b\": [\n    \"x\",\n    \"y\"\n  ],\n  \"c\": {},\n  \"d\": \"text with spaces\",\n  \"e\": null,\n  \"f\": ... cut",
			"JSON Padding", "\"a\":1,\n\"b\":[\"x\",\"y\"],\n\"c\":{},\"d\":\"text with spaces\",\"e\":null,\n\"f\": ... cut"},
		{"members, and lines that are none", "  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3,\n  \"d\": 4\nplain line that goes on\n  \"e\": 5,\n  \"f\": 6\n",
			"JSON", "\"a\":1,\n\"b\":2,\n\"c\":3,\n\"d\":4\nplain line that goes on\n  \"e\": 5,\n  \"f\": 6\n"},
		{"too few members", "x {\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n",
			"", ""},
		{"more strings than members", "  \"one\",\n  \"two\",\n  \"three\",\n  \"four\",\n  \"five\": 5\n",
			"Padding", "\"one\",\n\"two\",\n\"three\",\n\"four\",\n\"five\": 5\n"},
		{"objects and lists of one line", "cut here\n  \"a\": {\n    \"b\": {},\n    \"c\": [],\n    \"d\": [\n      {},\n      []\n    ]\n  },\n  \"e\": 1\n",
			"JSON", "cut here\n\"a\":{\"b\":{},\"c\":[],\"d\":[{},[]]},\n\"e\":1\n"},
		{"lines that only look like members", "  \"a\": 1 and more,\n  \"b\": 2 and more,\n  \"c\": 3 and more,\n  \"d\": 4 and more\n",
			"Padding", "\"a\": 1 and more,\n\"b\": 2 and more,\n\"c\": 3 and more,\n\"d\": 4 and more\n"},
		{"a list that another sign begins", "[x\n{y\n[z\n{\n  \"a\": 1,\n  \"b\": 2\n",
			"", ""},
		{"JSON with a tail", "{\n  \"name\": \"a value of some length\",\n  \"more\": [1, 2, 3]\n};\nnext line",
			"JSON", "{\"name\":\"a value of some length\",\"more\":[1,2,3]};\nnext line"},
		{"JSON of just the least size", "{\n \"name\": \"a value of some le\",\n \"m\": 1}",
			"JSON", "{\"name\":\"a value of some le\",\"m\":1}"},
		{"JSON below the least size", "{\n \"name\": \"a value of so\",\n \"m\": 1}",
			"", ""},
		{"strings with escapes", "{\n  \"a\\\"b\": \"c\\\\\",\n  \"d\": \"\\\\\\\"e  f\",\n  \"g\": \"\\u00e9\"\n}",
			"JSON", "{\"a\\\"b\":\"c\\\\\",\"d\":\"\\\\\\\"e  f\",\"g\":\"\\u00e9\"}"},
		{"numbers and words", "{\n  \"a\": -1.5e+10,\n  \"b\": true,\n  \"c\": false,\n  \"d\": null,\n  \"e\": 0\n}",
			"JSON", "{\"a\":-1.5e+10,\"b\":true,\"c\":false,\"d\":null,\"e\":0}"},
		{"what is no JSON", "{\n  \"a\": nothing,\n  \"b\": 2 3\n} and then some more text that goes on",
			"", ""},
		{"empty objects and lists", "{\n  \"a\": {},\n  \"b\": [],\n  \"c\": [ [ ], { } ],\n  \"d\": \"\"\n}",
			"JSON", "{\"a\":{},\"b\":[],\"c\":[[],{}],\"d\":\"\"}"},
		{"rows with a member that all share", `[{"id":1,"url":"https://example.com/api","ok":true},{"id":2,"url":"https://example.com/api","ok":true},{"id":3,"url":"https://example.com/api","ok":false}]`,
			"JSON Rows", "[{id,url=\"https://example.com/api\",ok}\n[1,true]\n[2,true]\n[3,false]]"},
		{"two rows", `[{"number":1,"title":"the first"},{"number":2,"title":"the second"}]`,
			"", ""},
		{"objects that differ", `[{"number":1,"title":"the first"},{"name":"x","size":"the second"},{"other":true,"kind":"third"}]`,
			"", ""},
		{"lists in lists", `[ [1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12] ]`,
			"JSON", "[[1,2,3],[4,5,6],[7,8,9],[10,11,12]]"},
		{"values that come again by turns", `{"first": ` + value("a", 96) + `, "second": ` + value("b", 96) + `, "third": ` + value("a", 96) + `, "fourth": ` + value("b", 96) + `, "fifth": ` + value("c", 88) + `, "sixth": ` + value("d", 88) + `, "seventh": ` + value("c", 88) + `, "eighth": ` + value("d", 88) + `}`,
			"JSON Repeats", "{\"first\":{\"k\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"},\"second\":{\"k\":\"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\"},\"third\":[as \"first\" above],\"fourth\":[as \"second\" above],\"fifth\":{\"k\":\"cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc\"},\"sixth\":{\"k\":\"dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd\"},\"seventh\":[as \"fifth\" above],\"eighth\":[as \"sixth\" above]}"},
		{"values of the least size", `{"first": ` + value("a", 80) + `, "second": ` + value("a", 80) + `}`,
			"JSON Repeats", "{\"first\":{\"k\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"},\"second\":[as \"first\" above]}"},
		{"values below it", `{"first": ` + value("a", 79) + `, "second": ` + value("a", 79) + `}`,
			"JSON", "{\"first\":{\"k\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"},\"second\":{\"k\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"}}"},
		{"values that come again in something short", `{"a": ` + value("a", 76) + `, "b": ` + value("a", 76) + `}`,
			"JSON", "{\"a\":{\"k\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"},\"b\":{\"k\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"}}"},
		{"data", "key: " + base64(256) + " end",
			"Binary", "key: [256 characters of base64, SHA-256 aac43b13b46d3145] end"},
		{"data below the least size", "key: " + base64(255) + " end",
			"", ""},
		{"data with minus and underline", "x " + strings.Repeat("aB3dE6gH9jK2mN5pQ8rS-uV4wX7yZ1aB3dE6_H9jK2m", 8) + " y",
			"Binary", "x [344 characters of base64, SHA-256 44bebcc893832c26] y"},
		{"brackets that close between two steps", "open(\n    one,\n    further,\n    argument\n  )\nwith(\n    as,\n    many,\n    others\n  )\nand(\n    then,\n    still,\n    some\n  )\n",
			"", ""},
		{"what has a quote is no path", "he'd/src/main.go:1: one thing\nhe'd/src/main.go:2: other things\nhe'd/src/main.go:3: something\nhe'd/src/main.go:4: nothing\n",
			"", ""},
		{"spaces in what says an error", "x: : an error:  two   spaces, and more of them   here", "", ""},
		{"letters and digits that hardly mix", "x " + strings.Repeat("ggggHHHH1111", 30)[1:257] + " y", "", ""},
		{"a line that shares little of the start", sequence("Requirement already satisfied: package number %d is there already", 3) + "Requirement already sold by another\n",
			"Starts", "Requirement already satisfied: package number…\n 0 is there already\n 1 is there already\n 2 is there already\nRequirement already sold by another\n"},
		{"a path is no data", "x " + strings.Repeat("src/Main1/Test/", 20) + " y",
			"", ""},
		{"one letter is no data", "x " + strings.Repeat("a", 300) + " y",
			"", ""},
		{"small letters and digits are no data", "x " + strings.Repeat("a1b2c3z4", 40) + " y",
			"", ""},
		{"hexadecimal digits", "x " + strings.Repeat("a1b2c3d4", 40) + " y",
			"Binary", "x [320 hexadecimal digits, SHA-256 954835150792ae9c] y"},
		{"digits alone", "x " + strings.Repeat("1234567890", 30) + " y",
			"", ""},
		{"two pieces of data", base64(300) + " and " + base64(280),
			"Binary", "[300 characters of base64, SHA-256 40fe312c5b810eea] and [280 characters of base64, SHA-256 73014091e03b1109]"},
		{"data in lines", sequence("head %d", 1) + strings.Repeat(base64(64)+"\n", 5) + base64(20) + "==\nend",
			"Binary", "head 0\n[347 characters of base64, SHA-256 e29eab2a77db6b4c]\nend"},
		{"too few lines of data", "head\n" + strings.Repeat(base64(64)+"\n", 3) + "end of it\n",
			"Repeats", "head\naGVsbG8gd29ybGQ5X-rT4mP0aGVsbG8gd29ybGQ5X-rT4mP0aGVsbG8gd29ybGQ5\n[the line above 2 more times]\nend of it\n"},
		{"lines of data that are short", "head\n" + strings.Repeat(base64(59)+"\n", 6) + "end of it\n",
			"Repeats", "head\naGVsbG8gd29ybGQ5X-rT4mP0aGVsbG8gd29ybGQ5X-rT4mP0aGVsbG8gd29\n[the line above 5 more times]\nend of it\n"},
		{"a diff with context of words", "@@ -1,6 +1,6 @@\n func a() {\n \n-\told\n+\tnew\n }\n )\n word\nbehind\n \n }\n",
			"Context", "@@ -1,6 +1,6 @@\n func a() {\n-\told\n+\tnew\n word\nbehind\n\n }\n"},
		{"a diff of two files", "diff --git a/x b/x\nindex 1..2\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\ndiff --git a/y b/z\nsimilarity index 90%\n--- a/y\n+++ b/z\n@@ -1 +1 @@\n-a\n+b\n",
			"Context", "index 1..2\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\nsimilarity index 90%\n--- a/y\n+++ b/z\n@@ -1 +1 @@\n-a\n+b\n"},
		{"a diff whose names differ", "diff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+b\n",
			"", ""},
		{"columns and quotes", "name          size          date of it\nname     \"a   b\"    size\nit's     not     cut\n",
			"Padding", "name size date of it\nname     \"a   b\"    size\nit's     not     cut\n"},
		{"columns behind indentation", "   name          size\n   other         12\n",
			"Padding", "name size\nother 12\n"},
		{"signs at the edge", "= ======= x\n= ======== x\n----------\n.......... x\n______________________________\n",
			"Padding", "= ======= x\n= === x\n---\n.......... x\n___\n"},
		{"drawn signs", "│ ────────── │ ━━━━━━━━━━━━━━━ │ ─────── │\n",
			"Padding", "│ ─── │ ━━━ │ ─────── │\n"},
		{"a margin", "        first line\n          second line\n        third line\n            fourth line\n",
			"Padding", "first line\n  second line\nthird line\n    fourth line\n"},
		{"brackets that do not tell", "f(a,\n  b,\n    c)\n{\n      d\n  }\ne\n        g\n",
			"", ""},
		{"brackets with spaces", "function f() {\n    if (a) {\n        b(\n            c,\n        );\n    } else {\n        d = [\n            1,\n        ];\n    }\n    return {\n        e,\n    };\n}\n",
			"Indentation", "function f() {\nif (a) {\nb(\nc,\n);\n} else {\nd = [\n1,\n];\n}\nreturn {\ne,\n};\n}\n"},
		{"repeats of the least size", strings.Repeat("sixteen bytes of", 1) + "\n" + strings.Repeat("sixteen bytes of\n", 3),
			"Repeats", "sixteen bytes of\n[the line above 3 more times]\n"},
		{"repeats below it", "short one\nshort one\nshort one\nshort one\n",
			"", ""},
		{"a cycle of three", strings.Repeat("alpha is the first\nbeta is the second\ngamma is the third\n", 4),
			"Repeats", "alpha is the first\nbeta is the second\ngamma is the third\n[the 3 lines above 3 more times]\n"},
		{"blank lines between", "alpha is the first\n\n\n\nbeta is the second   \n \n\t\n\ngamma",
			"Padding", "alpha is the first\n\nbeta is the second\n\n\n\ngamma"},
		{"a gutter whose numbers jump", "  8\tone\n  9\ttwo\n 10\tthree\n 12\tfour\n 13\tfive\n",
			"Gutter", "8 one\n9 two\n10 three\n 12\tfour\n 13\tfive\n"},
		{"a gutter of bars", "  8 | one\n  9 | two\n 10 |   three\n 11 | four\n",
			"Gutter", "8 one\n9 two\n10   three\n11 four\n"},
		{"numbers that are no gutter", "8 apples\n3 pears\n12 plums\n9 figs\n",
			"", ""},
		{"searches in several files", "src/alpha/main.go:1:package main\nsrc/alpha/main.go:3:import x\nsrc/beta/main.go:9:a\nsrc/beta/main.go:10:b\nsrc/beta/main.go:11:c\n",
			"Paths", "src/alpha/main.go:\n1:package main\n3:import x\nsrc/beta/main.go:\n9:a\n10:b\n11:c\n"},
		{"searches without numbers", "src/alpha/main.go:package main\nsrc/alpha/main.go:import x\nsrc/alpha/main.go:func main() {\n",
			"", ""},
		{"a start of which a line has half", "the first half of the beginning, the second half of the beginning 1\nthe first half of the beginning, the second half of the beginning 2\nthe first half of the beginning, the second half of the beginning 3\nthe first half of the beginning, xyz\nthe first half of the beginning, uvw\nthe first half of the beginning, rst\n",
			"Starts", "the first half of the beginning,…\n the second half of the beginning 1\n the second half of the beginning 2\n the second half of the beginning 3\n xyz\n uvw\n rst\n"},
		{"several forms", "@@ -1,2 +1,2 @@\n }\n-a\n+b\nname          size\n" + strings.Repeat("alpha is the first\nbeta is the second\n", 4),
			"Repeats Context Padding", "@@ -1,2 +1,2 @@\n-a\n+b\nname size\nalpha is the first\nbeta is the second\n[the 2 lines above 3 more times]\n"},
		{"a form before the context of a diff", "name          size\n@@ -1,2 +1,2 @@\n }\n-a\n+b\n",
			"Context Padding", "name size\n@@ -1,2 +1,2 @@\n-a\n+b\n"},
		{"paths alone", "src/alpha/beta/gamma/one.go\nsrc/alpha/beta/gamma/two.go\nsrc/alpha/beta/gamma/three.go\nsrc/alpha/beta/delta/four.go\n",
			"", ""},
		{"times are no paths", "10:00:01 a: first\n10:00:02 b: second\n10:00:03 c: third\n",
			"", ""},
		{"progress that ends in the middle", "get 10%\rget 50%\rget 100%\nthen\rnow\r\nend\r\n",
			"Controls", "get 100%\nthen\nnow\nend\n"},
		{"colours and links", "\x1b[31;1mred\x1b[m \x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\ \x1b(Bplain \x1b[2Kline\x1b[1A\n",
			"Controls", "red link plain line\n"},
		{"what has a comma is no path", "a,b/src/main.go:1: one thing\na,b/src/main.go:2: other things\na,b/src/main.go:3: something\na,b/src/main.go:4: nothing\n",
			"", ""},
		{"a carriage return before anything", "\rone two three\n",
			"Controls", "one two three\n"},
		{"a cursor that goes on", "one\x1b[3Ctwo \x1b[9;9Hthree\n\x1b[2Cfour\n",
			"Controls", "one two three\nfour\n"},
		{"backspaces over a word", "abc\b\b\bxyz\nab\b\b\b\bq\n",
			"Controls", "xyz\nq\n"},
	} {
		out, form, ok := squeeze.Text(tt.text, squeeze.Options{})
		if !ok {
			out = ""
		}
		if out != tt.want || names(form) != tt.forms {
			t.Errorf("%s:\n%q %q, want\n%q %q", tt.name, names(form), out, tt.forms, tt.want)
		}
	}
}

// A run of eight characters is cut at any position in a line. A run of seven is never cut.
func TestRunsOfSigns(t *testing.T) {
	for at := range 40 {
		for _, sign := range []string{"-", "=", "─"} {
			before, behind := strings.Repeat("x", at), "y"+strings.Repeat("z", 60)
			out, _, _ := squeeze.Text(before+strings.Repeat(sign, 8)+behind, squeeze.Options{})
			if out != before+strings.Repeat(sign, 3)+behind {
				t.Errorf("%s at %d: %q", sign, at, out)
			}
			if out, _, ok := squeeze.Text(before+strings.Repeat(sign, 7)+behind, squeeze.Options{}); ok {
				t.Errorf("seven of %s at %d: %q", sign, at, out)
			}
		}
	}
}
