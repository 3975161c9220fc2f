package squeeze

import (
	"strconv"
	"strings"
	"testing"
)

// outputs returns tool outputs of each kind, which have about the given size.
func outputs(size int) (names []string, texts []string) {
	add := func(name string, line func(b *strings.Builder, i int)) {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			line(&b, i)
		}
		names, texts = append(names, name), append(texts, b.String())
	}
	num := strconv.Itoa
	add("prose", func(b *strings.Builder, i int) {
		b.WriteString("The request number " + num(i*7919) + " waits until the one before it has been answered by the server.\n")
	})
	add("code", func(b *strings.Builder, i int) {
		b.WriteString("func (s *Server) handle" + num(i) + "(w io.Writer) error {\n\tif s.open == " + num(i%5) + " {\n\t\treturn s.close(" + num(i) + ")\n\t}\n\treturn nil\n}\n\n")
	})
	add("file with numbers", func(b *strings.Builder, i int) {
		n := num(i + 1)
		b.WriteString(strings.Repeat(" ", max(0, 6-len(n))) + n + "→\tresult := append(result, item" + num(i%97) + ")\n")
	})
	add("search", func(b *strings.Builder, i int) {
		b.WriteString("internal/server/handlers/file" + num(i/9) + ".go:" + num(i%9*31+1) + ":\treturn s.answer(request, " + num(i) + ")\n")
	})
	add("paths", func(b *strings.Builder, i int) {
		b.WriteString("./internal/part" + num(i%31) + "/handlers/file" + num(i) + ".go\n")
	})
	add("pretty JSON", func(b *strings.Builder, i int) {
		if i == 0 {
			b.WriteString("[\n")
		}
		b.WriteString("  {\n    \"id\": " + num(i) + ",\n    \"name\": \"item number " + num(i) + "\",\n    \"labels\": [\n      \"a\",\n      \"b\"\n    ],\n    \"open\": true\n  },\n")
	})
	add("lines of JSON", func(b *strings.Builder, i int) {
		b.WriteString(`{"time":"2024-05-01T10:00:00Z","level":"info","message":"request ` + num(i) + ` is answered","took":` + num(i%700) + "}\n")
	})
	add("log", func(b *strings.Builder, i int) {
		b.WriteString("2024-05-01T10:" + num(10+i/60%50) + ":" + num(10+i%50) + ".123Z INFO  server: request " + num(i*31) + " is answered\n")
	})
	add("colours", func(b *strings.Builder, i int) {
		b.WriteString("\x1b[32mok\x1b[0m  package/number" + num(i) + "\t\x1b[2m0." + num(i%900) + "s\x1b[0m\n")
	})
	add("diff", func(b *strings.Builder, i int) {
		b.WriteString("@@ -" + num(i*10) + ",3 +" + num(i*10) + ",3 @@ func run() {\n \tdefer close()\n-\tstart(" + num(i) + ")\n+\tbegin(" + num(i) + ")\n }\n")
	})
	add("one long line", func(b *strings.Builder, i int) {
		b.WriteString("word" + num(i) + " ")
	})
	return names, texts
}

func BenchmarkText(b *testing.B) {
	names, texts := outputs(1 << 20)
	for i, name := range names {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(texts[i])))
			for b.Loop() {
				Text(texts[i], Options{MinSaved: 64})
			}
		})
	}
}
