package digest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

func TestCutTags(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"a", "a"}, {"a<x>b</x>c", "ac"}, {"<x>b</x>", ""}, {"a <x>b</x> c <x>d</x> e", "a  c  e"}, {"a<x>b", "a"}, {"a</x>b", "a</x>b"}, {"<x>a</x>b<x>c", "b"},
	} {
		if got := cutTags(c.text, "<x>", "</x>"); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

func TestJoinWords(t *testing.T) {
	for _, c := range []struct{ words, want string }{
		{"ls", "ls"}, {"ls -l", "ls -l"}, {"bash -lc 'go_test'", "'go_test'"}, {"sh -c make", "make"}, {"zsh -c make", "make"}, {"go test -c", "go test"}, {"-c make", "make"},
		{"-lc make", "make"}, {"git commit -m x", "git commit -m x"}, {"fish -c ls", "fish ls"},
	} {
		got := ""
		for _, w := range strings.Fields(c.words) {
			got = joinWords(got, w)
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.words, got, c.want)
		}
	}
	if long := strings.Repeat("x", maxScript); joinWords(long, "y") != long+" y" || joinWords(long+"x", "y") != long+"x" {
		t.Error("a long script")
	}
}

func TestUnwrap(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"a", "a"}, {"\n a \n", "a"}, {"<think>x</think>a", "a"}, {"<thinking>x</thinking>\n<summary>a</summary>", "a"}, {"<analysis>x</analysis><digest>a", "a"},
		{"<think>a", "<think>a"}, {"<output>\na\n</output>", "a"}, {"a <summary>b</summary>", "a <summary>b</summary>"},
		{"```\na\n```", "a"}, {"```markdown\na\nb\n```", "a\nb"}, {"```\na\n```\nb\n```\nc\n```", "```\na\n```\nb\n```\nc\n```"}, {"```\na\n``` b", "```\na\n``` b"}, {"a ```b```", "a ```b```"},
		{"```a```", "```a```"}, {"```a sentence that is too long\nb\n```", "```a sentence that is too long\nb\n```"}, {"a\n```\nb\n```", "a\n```\nb\n```"},
	} {
		if got := unwrap(c.text); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

func TestListItem(t *testing.T) {
	for _, c := range []struct {
		text, want string
		is         bool
	}{
		{"- a", "a", true}, {"* a", "a", true}, {"+ a", "a", true}, {"• a", "a", true}, {"・a", "a", true}, {"-a", "-a", false}, {"1. a", "a", true}, {"12) a", "a", true}, {"999. a", "a", true},
		{"1000. a", "1000. a", false}, {"1.a", "1.a", false}, {"1: a", "1: a", false}, {"1 a", "1 a", false}, {". a", ". a", false}, {"1.", "1.", false}, {"1. ", "", true}, {"a", "a", false}, {"", "", false},
	} {
		if is, got := listItem(c.text); is != c.is || got != c.want {
			t.Errorf("%q: %t %q, want %t %q", c.text, is, got, c.is, c.want)
		}
	}
}

// TestBlock uses entries of ten bytes, including the line feed, and less and less room.
func TestBlock(t *testing.T) {
	entries := []string{"- entry 1", "- entry 2", "- entry 3"}
	const tag = "tag"
	frame := len("<tag>\n</tag>")
	for _, c := range []struct {
		room int // without the tags
		want string
	}{
		{30 + len("(1000 more)\n"), "- entry 1\n- entry 2\n- entry 3\n"}, {31, "(2 more)\n- entry 3\n"}, {30, "(2 more)\n- entry 3\n"},
		{32, "- entry 1\n- entry 2\n- entry 3\n"}, {22, "(2 more)\n- entry 3\n"}, {21, ""}, {0, ""}, {-100, ""},
	} {
		want := ""
		if c.want != "" {
			want = "<tag>\n" + c.want + "</tag>"
		}
		got := block(tag, entries, c.room+frame)
		if got != want || len(got) > max(0, c.room+frame) {
			t.Errorf("%d bytes: %q, want %q", c.room, got, want)
		}
	}
	if got := block(tag, entries[:1], frame+10); got != "<tag>\n- entry 1\n</tag>" {
		t.Errorf("one entry that fits: %q", got)
	}
	if got := block(tag, entries[:1], frame+9); got != "" {
		t.Errorf("one entry that does not: %q", got)
	}
}

// TestTerms checks which terms are found in texts, and their kinds.
func TestTerms(t *testing.T) {
	names := map[termKind]string{urlTerm: "url", pathTerm: "path", nameTerm: "name", numberTerm: "number"}
	for _, c := range []struct{ text, want string }{
		{"See https://example.com/a?b=c, or http://x.", "url https://example.com/a?b=c"},
		{"ftp://files.example.org/pub.", "url ftp://files.example.org/pub"},
		{"main.go and src/app/main.go:12", "path main.go path src/app/main.go"},
		{"run parseArgs of snake_case in CamelCase, then done", "name parseArgs name snake_case name CamelCase"},
		{"version 1.24.3-beta of gpt-5.1-mini", "name 1.24.3-beta name gpt-5.1-mini"},
		{"port 8080, 12 and 3.5", "number 8080 number 3.5"},
		{"a-b c-1 abc-12", "name abc-12"},
		{"at 12:30 on 08-15, 3 of 1.5 and 42", "number 1.5"},
		{"123456789012345 and 1234567890123456", "number 123456789012345"},
		{"an error\\nmain.go:12\\ttmp.go", "path main.go path tmp.go"},
		{"C:\\new\\tmp.txt", "path tmp.txt"},
		{"\x1b[31mmain.go\x1b[0m", "path main.go"},
		{"HTTP and JSON, the API", ""},
		{"id 3f2a9c1d-77b0", "name 3f2a9c1d-77b0"},
	} {
		var got []string
		eachTerm(c.text, func(kind termKind, term string) {
			n, ok := names[kind]
			if !ok {
				n = fmt.Sprint(kind)
			}
			got = append(got, n+" "+term)
		})
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%q: %s, want %s", c.text, s, c.want)
		}
	}
}

// TestClipResultKeepsTroubles puts an error line at each position of a log. The line is kept at every position.
func TestClipResultKeepsTroubles(t *testing.T) {
	for at := range 100 {
		if at == 20 { // where the head ends
			continue
		}
		var b strings.Builder
		for i := range 100 {
			line := fmt.Sprintf("line %d of a log", i)
			if i == at {
				line = "src/a.go:12: error: undefined: parseItem"
			}
			b.WriteString(line + strings.Repeat(" ", 99-len(line)) + "\n")
		}
		got := clipResult(b.String(), 3000)
		if !strings.Contains(got, "error: undefined: parseItem") || len(got) > 3100 {
			t.Errorf("line %d is gone in %d bytes", at, len(got))
		}
	}
}

func TestFactOf(t *testing.T) {
	for _, c := range []struct {
		text, value string
		counts      bool
	}{
		{"My phone number is 555 1234.", "555 1234", true}, {"I live in Porto.", "Porto", false},
		{"It is on 8 May.", "8 May", false}, {"We met in Porto and in Lisbon.", "", false}, {"Nothing of it is here.", "", false}, {"Porto is nice.", "", false},
	} {
		if f := new(factReader).fact(c.text); f.value != c.value || f.counts != c.counts {
			t.Errorf("%s: %q %t, want %q %t", c.text, f.value, f.counts, c.value, c.counts)
		}
	}
}

func TestStemsOfSubjects(t *testing.T) {
	for _, c := range []struct{ word, want string }{
		{"an", ""}, {"sea", "sea"}, {"used", "used"}, {"tests", "test"}, {"testing", "test"}, {"columns", "column"}, {"generated", "genera"}, {"files", "fil"}, {"ring", "ring"}, {"string", "str"},
		{"2024", ""}, {"actions", "act"}, {"столбцы", "столбц"}, {"الأعمدة", "أعمد"}, {"문서를", "문서"}, {"测试文件", "测试 试文 文件"},
	} {
		if got := strings.Join(stems(c.word), " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.word, got, c.want)
		}
	}
}

// TestTextBesideIsFull checks blocks that take up exactly the available room, and one byte less.
func TestTextBesideIsFull(t *testing.T) {
	files := &Ledger{Read: []string{"a.go"}}
	requests := &Ledger{Task: "Build it.", Requests: []string{"And test it."}}
	const ofFiles, ofRequests = "\n\n<read-files>\na.go\n</read-files>", "\n\n<user-requests>\n(2 more)\n</user-requests>"
	for _, c := range []struct {
		ledger     *Ledger
		max, spare int
		want       string
	}{
		{files, len(ofFiles), 0, ofFiles}, {files, len(ofFiles) - 1, 0, ""}, {files, 20, 20, ""},
		{requests, 40, len(ofRequests) - 40, ofRequests}, {requests, 40, len(ofRequests) - 41, ""},
	} {
		if got := c.ledger.TextBeside(c.max, c.spare); got != c.want {
			t.Errorf("%d bytes and %d for requests: %q, want %q", c.max, c.spare, got, c.want)
		}
	}
}

// Only the newest megabyte of a long conversation is examined. Texts count as far as they are read.
func TestRecent(t *testing.T) {
	const long = lookBack / lookText
	for _, c := range []struct{ size, want int }{{lookBack - long*lookText, 1}, {lookBack - long*lookText - 1, 0}, {lookText, 1}} {
		tr, e := &transcript.Transcript{}, &Extract{}
		for i := range long + 2 {
			size := 10 * lookText
			if i == 1 {
				size = c.size
			}
			tr.Messages = append(tr.Messages, transcript.Message{First: int32(i), Count: 1})
			tr.Parts = append(tr.Parts, transcript.Part{Kind: transcript.Text, Msg: int32(i), Parent: -1, Pair: -1, Size: jsonspan.ASCII(uint32(size))})
			e.messages = append(e.messages, int32(i))
		}
		if e.t = tr; e.recent() != c.want {
			t.Errorf("with %d bytes before %d long texts: from %d on", c.size, long, e.recent())
		}
	}
}

// The user's requests stay whole if there is room for them, the tags and a note about other requests.
func TestRequestsBlockRoom(t *testing.T) {
	const note = len("(1000 more)\n") + 8
	for _, requests := range [][]string{{"Look at the parser."}, {"Look at the parser.", "And the lexer, please."}} {
		l := &Ledger{Requests: requests}
		all := l.requestsBlock(10000)
		for size, whole := range map[int]bool{len(all) + note - 1: false, len(all) + note: true} {
			if got := l.requestsBlock(size); got == all != whole {
				t.Errorf("in %d bytes:\n%s", size, got)
			}
		}
	}
}

// An article or a particle that has lost its vowel is a separate word. Other apostrophes are parts of words.
func TestWordsOf(t *testing.T) {
	for text, want := range map[string]string{
		"N'utilise jamais l’ancien": "n'|utilise|jamais|l'|ancien",
		"Don't touch the users' d":  "don't|touch|the|users|d",
		"the file's, or l'":         "the|file's|or|l'",
	} {
		var got []string
		for _, w := range wordsOf(text, nil) {
			got = append(got, w.text)
		}
		if s := strings.Join(got, "|"); s != want {
			t.Errorf("%q: %s, want %s", text, s, want)
		}
	}
}
