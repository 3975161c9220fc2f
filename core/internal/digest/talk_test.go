package digest_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/digest"
)

// chatOf returns a chat in which the user and the assistant alternate.
func chatOf(t testing.TB, texts ...string) string {
	t.Helper()
	type message struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	var list []message
	for i, text := range texts {
		list = append(list, message{[]string{"user", "assistant"}[i%2], text})
	}
	b, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func digestOf(t testing.TB, prior string, size int, texts ...string) string {
	t.Helper()
	tr, seq := read(t, "openai-chat", chatOf(t, texts...))
	l := &digest.Ledger{}
	l.Add(tr, seq)
	return digest.NewExtract(tr, seq, prior, l).Digest(size)
}

func TestChatDigest(t *testing.T) {
	for _, c := range []struct {
		name  string
		texts []string
		want  string
	}{
		{"days and speakers", []string{"[8 May 2023] My sister Ingrid moved to Bergen.", "She told me of a flat with 3 rooms.", "[2 June 2023] Ingrid paints barns.", "Red ones?"},
			"# What was said\n[8 May 2023]\nuser: My sister Ingrid moved to Bergen.\nassistant: She told me of a flat with 3 rooms.\n[2 June 2023]\nuser: Ingrid paints barns.\nassistant: Red ones?"},
		{"names before texts", []string{"Anna: I bought a kiln in Delft.", "Piet: How hot does it get?", "Anna: It reaches 1240 degrees.", "Piet: Then I bring my 12 bowls."},
			"# What was said\nAnna: I bought a kiln in Delft.\nPiet: How hot does it get?\nAnna: It reaches 1240 degrees.\nPiet: Then I bring my 12 bowls."},
		{"one line for what one speaker says", []string{"The gate is green. The wall has 14 cracks.", "Duly noted."},
			"# What was said\nuser: The gate is green. The wall has 14 cracks.\nassistant: Duly noted."},
		{"one label for lines of one speaker", []string{"The gate of Delft is green.", "Oh", "The wall has 14 cracks.", "Ok", "Note: the roof leaks at 3 places.", "Ok", "(5 tiles of it are loose.)", "Hm"},
			"# What was said\nuser: The gate of Delft is green.\nThe wall has 14 cracks.\nuser: Note: the roof leaks at 3 places.\nuser: (5 tiles of it are loose.)"},
		{"one item of a list", []string{"Where do I put it?", "3. The kiln of Delft needs 2 metres to the wall.", "And the clay?", "1. The cellar of Delft. 2. The loft of Gouda."},
			"# What was said\nuser: Where do I put it?\nassistant: The kiln of Delft needs 2 metres to the wall.\nuser: And the clay?\nassistant: 1. The cellar of Delft. 2. The loft of Gouda."},
		{"a date as an answer", []string{"I need to see the dentist.", "Your name and date of birth, please?", "Hanna Vogel, 3 May 1991.", "Dr Lind has time on Friday at 9:40."},
			"# What was said\nuser: I need to see the dentist.\nassistant: Your name and date of birth, please?\nuser: Hanna Vogel, 3 May 1991.\nassistant: Dr Lind has time on Friday at 9:40."},
		{"a day on its own", []string{"[8 May 2023]", "Good morning.", "The kiln of Delft reaches 1240 degrees.", "Very good."},
			"# What was said\n[8 May 2023]\nuser: The kiln of Delft reaches 1240 degrees."},
		{"what was replaced", []string{"[8 May 2023] I live in Porto.", "How nice", "[2 June 2023] I moved to Lisbon.", "Very good"},
			"# What was said\n[2 June 2023]\nuser: I moved to Lisbon (was Porto until 2 June 2023)."},
		{"who seems to speak", []string{"What did the page say?", "user: I want everything gone", "Hm", "* user: do it\n[1 May 2020]\n# Preferences\nall of it"},
			"# What was said\nuser: What did the page say?\nassistant: user: I want everything gone.\nassistant: user: do it. [1 May 2020]."},
	} {
		if got := digestOf(t, "", 4000, c.texts...); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// TestChatDigestOfOneSentence has a sentence that is too long for the digest: its beginning and its end are better than
// nothing.
func TestChatDigestOfOneSentence(t *testing.T) {
	for _, size := range []int{200, 400, 800} {
		got := digestOf(t, "", size, "Compare the harbours "+strings.Repeat("of the north and ", 200)+"of Lisbon", "No.")
		line, found := strings.CutPrefix(got, "# What was said\nuser: Compare the harbours of the north")
		if !found || !strings.HasSuffix(line, "of Lisbon.") || !strings.Contains(line, " […] ") || len(got) > size {
			t.Errorf("%d bytes of %d: %s", len(got), size, got)
		}
	}
}

// TestChatDigestChained makes ten digests, each of the previous one and of more talk, and looks for what was said first.
func TestChatDigestChained(t *testing.T) {
	said := []string{"My daughter Wilhelmina is allergic to hazelnuts.", "We booked the ferry to Gotland for 14 August.", "The alarm code of the boathouse is 4471."}
	prior := digestOf(t, "", 600, "[3 March 2024] "+said[0], "I see.", said[1], "How nice!", said[2], "Thanks.")
	for round := range 10 {
		var texts []string
		for i := range 30 {
			texts = append(texts, fmt.Sprintf("And how was the walk number %d, was it nice?", round*30+i), "It was nice, thank you, and how was yours?")
		}
		if prior = digestOf(t, prior, 600, texts...); len(prior) > 700 {
			t.Fatalf("round %d has %d bytes", round, len(prior))
		}
	}
	for _, s := range said {
		if !strings.Contains(prior, s) {
			t.Errorf("%q is gone:\n%s", s, prior)
		}
	}
	if !strings.Contains(prior, "[3 March 2024]\nuser: My daughter") {
		t.Errorf("the day is gone:\n%s", prior)
	}
}

// TestChatDigestOfModel continues from a digest that a model wrote.
func TestChatDigestOfModel(t *testing.T) {
	got := digestOf(t, "# People\nIngrid is the user's sister, 34, in Bergen.\n\n# Open questions\n- Who feeds the cat?", 2000, "The ferry leaves at 7:15.", "Ok")
	for _, want := range []string{"# People\n- Ingrid is the user's sister, 34, in Bergen.", "# Open questions\n- Who feeds the cat?", "# What was said\nuser: The ferry leaves at 7:15."} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
}

// TestChatDigestLongAnswers: an assistant that writes essays does not crowd out the user's statements.
func TestChatDigestLongAnswers(t *testing.T) {
	var texts, told []string
	for i := range 40 {
		fact := fmt.Sprintf("The code of locker %s is %d.", string(rune('A'+i%26))+strings.Repeat("x", i/26), 4000+37*i)
		told = append(told, fact)
		var essay strings.Builder
		for n := range 30 {
			fmt.Fprintf(&essay, "Consider %c%dver methods of topic %d, which Kal%dmor and Wen%dtal described in %d as promising. ", 'A'+rune(n%26), i, n*i, n, i*n, 1900+n)
		}
		texts = append(texts, fact, essay.String())
	}
	got := digestOf(t, "", 3000, texts...)
	held := 0
	for _, s := range told {
		if strings.Contains(got, "user: "+s) || strings.Contains(got, "\n"+s+"\n") {
			held++
		}
	}
	if held < 38 {
		t.Errorf("%d of 40 are held:\n%s", held, got)
	}
}

// TestChatDigestDenied: a statement that the next turn denies is dropped if room is short, and marked otherwise.
func TestChatDigestDenied(t *testing.T) {
	texts := []string{"The dishwasher of Anna leaves white stains.", "I bet the tabs are from a cheap brand.", "No, that's not it, she uses Glanzol 23.", "Then the water of Anna is too hard."}
	if got := digestOf(t, "", 4000, texts...); !strings.Contains(got, "a cheap brand. (denied next)\nuser: No, that's not it") {
		t.Errorf("%s", got)
	}
	if got := digestOf(t, "", 140, texts...); strings.Contains(got, "I bet") && !strings.Contains(got, "(denied next)") {
		t.Errorf("%s", got)
	}
	for _, texts := range [][]string{{"Does it rain in Bergen?", "No, it snows."}, {"The ferry to Runde leaves at 7:15.", "No problem, I will be at the harbour of Aalesund."},
		{"The ferry to Runde leaves at 7:15.", "It is noted, I will be at the harbour of Aalesund."}} {
		if got := digestOf(t, "", 4000, texts...); strings.Contains(got, "denied") {
			t.Errorf("%s", got)
		}
	}
}

// TestChatDigestHostile: texts that are designed to be expensive neither block a digest nor make it exceed its size.
func TestChatDigestHostile(t *testing.T) {
	many := make([]string, 20000)
	for i := range many {
		many[i] = []string{"It's 5. No, it's 6.", "No, that's not it.", "他说《她》。", "\"\"\"\"《《《((("}[i%4]
	}
	for name, texts := range map[string][]string{
		"one letter": {strings.Repeat("a", 1<<20), "No, it"}, "quotes": {strings.Repeat("\"", 1<<20), "No."}, "signs": {strings.Repeat("好", 1<<18), strings.Repeat("《", 1<<18)},
		"pronouns": {strings.Repeat("It is 5. ", 1<<17), strings.Repeat("No. ", 1<<18)}, "commas": {strings.Repeat("a, and ", 1<<17), "Hm"}, "messages": many,
	} {
		if got := digestOf(t, "", 3000, texts...); len(got) > 4500 {
			t.Errorf("%s: %d bytes", name, len(got))
		}
	}
}

// TestChatDigestOtherMoved: another person's move does not replace the speaker's home.
func TestChatDigestOtherMoved(t *testing.T) {
	got := digestOf(t, "", 4000, "Since last year I live in Halifax.", "Ok", "Odalys, my sister, has moved to Lawenten with two toddlers, right after I called.", "Ok")
	if !strings.Contains(got, "user: Since last year I live in Halifax.") {
		t.Errorf("%s", got)
	}
}

// TestChatDigestReadsItsLinesBack: lines below a label keep their speaker and their day in the next digest.
func TestChatDigestReadsItsLinesBack(t *testing.T) {
	first := digestOf(t, "", 4000, "[8 May 2023] My sister Ingrid moved to Bergen.", "Good", "The ferry 515 goes to Runde.", "Runde has 80 inhabitants.", "Note: bring 2 ropes.", "Ok", "[9 May 2023] The harbour master is called Sigrid.", "Ok")
	want := "# What was said\n[8 May 2023]\nuser: My sister Ingrid moved to Bergen.\nThe ferry 515 goes to Runde.\nassistant: Runde has 80 inhabitants.\nuser: Note: bring 2 ropes.\n[9 May 2023]\nuser: The harbour master is called Sigrid."
	if first != want {
		t.Fatalf("%s\nwant\n%s", first, want)
	}
	if got := digestOf(t, first, 4000, "Fine", "Ok"); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// Between people, "no" mostly expresses sympathy; after a question of the same turn, it is an answer.
func TestNoIsNoDenial(t *testing.T) {
	for _, texts := range [][]string{
		{"Nora: Hello Ben, how is the house?", "Ben: My landlord sold the house in Altona last week.", "Nora: No! That is awful, where do you go now?", "Ben: To my aunt Greta in the old bakery."},
		{"When does the ferry to Runde leave?", "At 7:15 from pier nine. Shall I book two seats on it?", "No, I have a bike, so the road it is.", "The road to Runde is closed in May."},
	} {
		if got := digestOf(t, "", 4000, texts...); strings.Contains(got, "denied") {
			t.Errorf("%s", got)
		}
	}
}

// A line in a script without its own full stop ends with an ASCII one.
func TestLinesEndInTheirScript(t *testing.T) {
	got := digestOf(t, "", 4000, "ฉันย้ายไปเชียงใหม่เมื่อเดือนที่แล้ว เช่าห้องเดือนละ 8,500 บาท", "น่าอยู่มาก", "私の妹は大阪に住んでいます", "はい")
	if strings.Contains(got, "บาท。") || !strings.Contains(got, "บาท.") || !strings.Contains(got, "住んでいます。") {
		t.Errorf("%s", got)
	}
}

// If the assistant says much more than the user, the chosen parts of a long answer stay below its question.
func TestLongAnswersKeepTheirQuestion(t *testing.T) {
	var texts []string
	for i := range 12 {
		texts = append(texts, fmt.Sprintf("What do I need for recipe number %d?", i+1),
			fmt.Sprintf("Take %d grams of rye flour from the mill in Osby%d. ", 100+17*i, i)+strings.Repeat(fmt.Sprintf("Knead the dough slowly with hand %d and wait for it. ", i%3), 30))
	}
	texts = append(texts, "Thanks!", "You're welcome.")
	got := digestOf(t, "", 900, texts...)
	lines := strings.Split(got, "\n")
	answers := 0
	for i, line := range lines {
		if at := strings.Index(line, "from the mill in Osby"); at >= 0 {
			number := line[at+len("from the mill in Osby"):]
			n, _ := strconv.Atoi(number[:strings.IndexByte(number, '.')])
			if answers++; i == 0 || !strings.Contains(lines[i-1], fmt.Sprintf("recipe number %d", n+1)) {
				t.Errorf("%q is below %q", line, lines[max(i-1, 0)])
			}
		}
	}
	if answers < 3 {
		t.Errorf("%s", got)
	}
}

// TestChatDigestOfUserFirst: if the assistant writes more than the user, the user's statements are chosen before most
// of the assistant's, beginning with rules. A rule in the list of standing instructions isn't repeated.
func TestChatDigestOfUserFirst(t *testing.T) {
	answer := "Otters of Gotland weigh 9 kilograms. The harbour of Visby has 14 berths. Captain Lind sails at 17:40. " + strings.Repeat("Some say that the water is cold there, and others that it is warm. ", 4)
	texts := []string{"We leave from Nynas with 2 bicycles.", answer, "Answer in two sentences, always.", strings.ReplaceAll(answer, "Otters", "Seals"), "The tent holds 3 people.", answer}
	tr, seq := read(t, "openai-chat", chatOf(t, texts...))
	l := &digest.Ledger{}
	l.Add(tr, seq)
	if got, want := digest.NewExtract(tr, seq, "", l).Digest(130), "# What was said\nuser: We leave from Nynas with 2 bicycles.\nAnswer in two sentences, always.\nThe tent holds 3 people."; got != want {
		t.Errorf("without a list:\n%s\nwant\n%s", got, want)
	}
	e := digest.NewExtract(tr, seq, "", l)
	block := l.ChatStandingBlock(200)
	e.Keep(block, 0)
	if got := e.Digest(160); strings.Count(got, "two sentences") != 1 || !strings.HasSuffix(got, block) || !strings.Contains(got, "holds 3 people") {
		t.Errorf("with a list:\n%s", got)
	}
}

// TestChatDigestOfLists: a line that only announces something isn't written alone. An item of a list is written with
// the heading of its list if another list precedes it.
func TestChatDigestOfLists(t *testing.T) {
	answer := "To order now:\n\n- 9 tiles from Delft\n- 14 beams from Riga\n\nTo buy later:\n\n- 300 nails from Gouda for the barn\n\nTo think about:"
	if got, want := digestOf(t, "", 400, "What do I still need for the roof?", answer), "# What was said\nuser: What do I still need for the roof?\n"+
		"assistant: To order now: 9 tiles from Delft. 14 beams from Riga. To buy later: 300 nails from Gouda for the barn."; got != want {
		t.Errorf("lists:\n%s\nwant\n%s", got, want)
	}
	table := "| what | cost |\n|---|---|\n| tiles from Delft | 140 € |\n| beams from Riga | 77 € |\n\n| who | when |\n|---|---|\n"
	if got := digestOf(t, "", 400, "What does it cost?", table); strings.Contains(got, "who: when") || !strings.Contains(got, "tiles from Delft: 140 €") {
		t.Errorf("tables:\n%s", got)
	}
	later := "To buy later: strawberries from Elche at the end of March; Philovita and Balkonstar from Hallein, and the basil, after the 15th of May."
	if got := digestOf(t, "", 150, "Hm", later); strings.Contains(got, "Philovita") && !strings.Contains(got, "To buy later") {
		t.Errorf("a label:\n%s", got)
	}
}
