package search

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/dates"
)

// chat returns the messages of two people who alternate.
func chat(texts ...string) Body {
	type message struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	list := []message{}
	for i, text := range texts {
		list = append(list, message{[]string{"user", "assistant"}[i%2], text})
	}
	b, _ := json.Marshal(list)
	return Body{Text: b}
}

func run(t testing.TB, q Query, bodies ...Body) []Hit {
	t.Helper()
	if q.Limit == 0 {
		q.Limit = 10
	}
	hits, _, err := Run(&q, bodies)
	if err != nil {
		t.Fatal(err)
	}
	return hits
}

// filler returns n messages about nothing in particular.
func filler(n int) (texts []string) {
	for i := range n {
		texts = append(texts, fmt.Sprintf("Number %d of the things that one says when there is nothing to say", i))
	}
	return texts
}

// TestBest searches for one message among many, which must be the first result.
func TestBest(t *testing.T) {
	for _, c := range []struct{ name, query, text string }{
		{"a rare word", "Who is Ines?", "Ines is my sister"},
		{"another form of a word", "When did she move to Porto?", "We are moving to Porto soon"},
		{"a relative of a word", "Is anybody a psychologist?", "He studies psychology"},
		{"two words near each other", "blue boat?", "The blue boat leaks"},
		{"Cyrillic, inflected", "Где живёт твоя сестра в Одессе?", "Моя сестра живёт в Одессе"},
		{"Greek", "Πού μένει η αδελφή σου;", "Η αδελφή μου μένει στον Πειραιά"},
		{"Arabic", "أين تسكن أختك؟", "أختي تسكن في القاهرة"},
		{"Hebrew", "איפה גרה אחותך?", "אחותי גרה בחיפה"},
		{"Hindi", "दिल्ली में कौन रहता है?", "मेरा भाई दिल्ली में रहता है"},
		{"Chinese", "你妹妹住在哪里？", "我妹妹住在里斯本"},
		{"Japanese", "妹はどこに住んでいますか？", "妹はリスボンに住んでいます"},
		{"Korean", "동생은 어디에 살아?", "내 동생은 부산에 살아"},
		{"Thai", "น้องสาวอยู่ที่ไหน", "น้องสาวของฉันอยู่ลิสบอน"},
		{"Vietnamese", "Em gái bạn sống ở đâu?", "Em gái tôi sống ở Huế"},
		{"case", "IS ANNA HERE", "yes, anna is here"},
		{"digits", "What is 555-0134?", "Call 555-0134 tomorrow"},
	} {
		for _, at := range []int{0, 20, 39} {
			texts := slices.Insert(filler(39), at, c.text)
			hits := run(t, Query{Text: c.query}, chat(texts...))
			if len(hits) == 0 || hits[0].Index != at || hits[0].Snippet != c.text {
				t.Errorf("%s: not first at %d: %+v", c.name, at, hits[:min(len(hits), 2)])
			}
		}
	}
}

// TestNeighbours finds messages next to those with the words of the query, and ranks them lower.
func TestNeighbours(t *testing.T) {
	texts := append(filler(20), "Where did you put the ladder?", "Behind the shed.")
	texts = append(texts, filler(20)...)
	hits := run(t, Query{Text: "the ladder", Limit: 3}, chat(texts...))
	if len(hits) != 3 || hits[0].Index != 20 || hits[1].Index != 19 && hits[1].Index != 21 || hits[2].Index != 19 && hits[2].Index != 21 {
		t.Errorf("found %+v", hits)
	}
	one := run(t, Query{Text: "ladder"}, chat("a ladder"), chat("something else"))
	if len(one) != 1 {
		t.Errorf("a neighbour in another body was found: %+v", one)
	}
}

// TestCalled: a name by which one person calls the other is the other's name.
func TestCalled(t *testing.T) {
	var texts []string
	for i := range 40 {
		text := fmt.Sprintf("Well, what about number %d?", i)
		if i%2 == 1 && i < 30 {
			text = fmt.Sprintf("Anna, that is number %d.", i)
		}
		texts = append(texts, text)
	}
	texts[12], texts[33] = "I keep a parrot.", "I keep a parrot too."
	if hits := run(t, Query{Text: "Does old Anna keep a parrot"}, chat(texts...)); hits[0].Index != 12 {
		t.Errorf("found %+v", hits[:2])
	}
}

func TestTies(t *testing.T) {
	hits := run(t, Query{Text: "same"}, chat("same"), chat("same"))
	if len(hits) != 2 || hits[0].Body != 0 || hits[0].Score != hits[1].Score {
		t.Errorf("found %+v", hits)
	}
	var texts []string
	for range 2000 {
		texts = append(texts, "same")
	}
	hits = run(t, Query{Text: "same", Limit: 100}, chat(texts...))
	for i, h := range hits[1:] {
		if h.Score > hits[i].Score || h.Score == hits[i].Score && h.Index < hits[i].Index {
			t.Fatalf("%+v behind %+v", h, hits[i])
		}
	}
}

// TestDatesOfMessages: a message has the date of the header before it, and messages of the requested date rank higher.
func TestDatesOfMessages(t *testing.T) {
	body := chat("[2 March 2024] The cat is ill", "Poor cat", "[9 April 2024] The cat is well", "Good cat")
	hits := run(t, Query{Text: "How was the cat in March?"}, body)
	if hits[0].Index > 1 || hits[0].Date != dates.New(2024, 3, 2) {
		t.Errorf("found %+v", hits[0])
	}
	for _, h := range run(t, Query{Text: "cat", After: dates.New(2024, 4, 0)}, body) {
		if h.Index < 2 {
			t.Errorf("found %+v", h)
		}
	}
	for _, h := range run(t, Query{Text: "cat", Before: dates.New(2024, 3, 0)}, body) {
		if h.Index > 1 {
			t.Errorf("found %+v", h)
		}
	}
}

func TestSnippet(t *testing.T) {
	long := strings.Repeat("Lorem ipsum dolor sit amet. ", 40) + "The needle lies in the second drawer. " + strings.Repeat("Consectetur adipiscing elit. ", 40)
	for name, text := range map[string]string{"ASCII": long, "Han": strings.Repeat("我们住在里斯本。", 100) + "the needle" + strings.Repeat("公寓每月租金很高。", 100),
		"emoji": strings.Repeat("😀", 500) + " needle " + strings.Repeat("😀", 500), "one word": strings.Repeat("x", 3000) + "-needle-" + strings.Repeat("y", 3000)} {
		h := run(t, Query{Text: "needle"}, chat(text))[0]
		if !strings.Contains(h.Snippet, "needle") || len(h.Snippet) > 246 || strings.Contains(h.Snippet, "\ufffd") || !strings.HasPrefix(h.Snippet, "…") || !strings.HasSuffix(h.Snippet, "…") {
			t.Errorf("%s: %q", name, h.Snippet)
		}
		if runes := []rune(text); !strings.HasPrefix(string(runes[h.Offset:]), strings.Trim(h.Snippet, "…")[:8]) {
			t.Errorf("%s: offset %d is %q", name, h.Offset, string(runes[h.Offset:min(len(runes), h.Offset+10)]))
		}
	}
}

func TestLog2AndRoot(t *testing.T) {
	for _, n := range []uint64{1, 2, 3, 7, 1000, 65535, 1 << 21, 1<<40 + 12345} {
		if got, want := float64(log2(n))/one, math.Log2(float64(n)); math.Abs(got-want) > 0.002 {
			t.Errorf("log2(%d) is %f, want %f", n, got, want)
		}
		if got, want := float64(squareRoot(int64(n)))/one, math.Sqrt(float64(n)/one); n < 1<<40 && math.Abs(got-want) > 0.001+want/1000 {
			t.Errorf("root(%d) is %f, want %f", n, got, want)
		}
	}
	if squareRoot(0) != 0 {
		t.Error("root of 0")
	}
}

// TestManyTerms: only the first 64 stems of a query count.
func TestManyTerms(t *testing.T) {
	var query, text strings.Builder
	for i := range 200 {
		fmt.Fprintf(&query, "word%d ", i)
		fmt.Fprintf(&text, "word%d word%d ", i, i)
	}
	if hits := run(t, Query{Text: query.String()}, chat(text.String()), chat("word199")); len(hits) != 1 {
		t.Errorf("found %+v", hits)
	}
}

// A body is a list of messages if its first object has a role, whatever else the archive has put before it, or says how a list was made.
func TestIsList(t *testing.T) {
	for body, want := range map[string]bool{
		`[{"role":"user","content":"x"}]`:          true,
		`["0 2",{"role":"user","content":"x"}]`:    true,
		`[7,{"role":"user","content":"x"}]`:        true,
		`["changes 0123456789abcdef","keep 0"]`:    true,
		`["a","b"]`:                                false,
		`[{"type":"text","text":"x"}]`:             false,
		`["a",{"type":"image","data":"x"},"b"]`:    false,
		`[{"id":1,"name":"x"},{"role":"manager"}]`: false,
	} {
		if got := isList([]byte(body)); got != want {
			t.Errorf("%s: %t", body, got)
		}
	}
}

// An entry of a session file contains its message in a member of that name, whose role counts. Other members don't determine the author.
func TestRolesOfEntries(t *testing.T) {
	var assistant RoleSet
	assistant.Add(Assistant)
	body := Body{Text: []byte(`[{"type":"entry","message":{"role":"user","content":"The boat leaks"}},
		{"meta":{"role":"user"},"role":"assistant","content":"A boat needs care"},{"role":"user","content":"The boat is blue"}]`)}
	if hits := run(t, Query{Text: "boat", Roles: assistant}, body); len(hits) != 1 || hits[0].Index != 1 {
		t.Errorf("found %+v", hits)
	}
}

// One message with very many matching positions leaves room for other, weaker matches.
func TestManyPlacesInOneMessage(t *testing.T) {
	var long strings.Builder
	for i := range 600 {
		fmt.Fprintf(&long, "The harbour of the town has a harbour office, number %d. %s\n\n", i, strings.Repeat("Ships come and go. ", 60))
	}
	texts := append([]string{long.String()}, filler(8)...)
	for i := range 4 {
		texts = append(texts, fmt.Sprintf("I was there on day %d, and what I saw was a harbour, as they say", i))
		texts = append(texts, filler(4)...)
	}
	found := map[int]bool{}
	for _, h := range run(t, Query{Text: "harbour office", Limit: 5}, chat(texts...)) {
		found[h.Index] = true
	}
	if len(found) != 5 || !found[0] {
		t.Errorf("found %v", found)
	}
}
