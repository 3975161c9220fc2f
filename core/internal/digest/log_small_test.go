package digest_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/digest"
)

// smallLog returns a digest of size bytes of a session in which a service settles a side issue before it returns to the
// main one.
func smallLog(t *testing.T, size int) string {
	t.Helper()
	var b strings.Builder
	n := 0
	say := func(role, text string) { fmt.Fprintf(&b, `,{"role":%q,"content":%q}`, role, text) }
	call := func(name, arguments, result string) {
		n++
		fmt.Fprintf(&b, `,{"role":"assistant","tool_calls":[{"id":"%d","type":"function","function":{"name":%q,"arguments":%q}}]},{"role":"tool","tool_call_id":"%d","content":%q}`, n, name, arguments, n, result)
	}
	say("user", "Good morning! I would like to rent two cargo bikes for a move from Altona to Eimsbüttel.")
	say("assistant", "With pleasure. Please provide the following details: 1. Your customer number; 2. The day of the move; 3. How you want to pay for the bikes.")
	say("user", "My customer number is KD-20417. By the way, the lamp of the bike that I had last week was broken. Can we talk about that for a moment before we go on?")
	say("assistant", "I am sorry to hear that. Shall I send you a voucher for the broken lamp, as a gesture of goodwill?")
	say("user", "Yes, please do that, it was really dark on my way home and I had to push it for three kilometres.")
	call("send_voucher", `{"customer":"KD-20417","amount":15}`, "Voucher V-88120 of 15 euros was sent to KD-20417.")
	say("assistant", "I have sent you a voucher. Is there anything else, or shall we go on?")
	for i, text := range []string{"Let's go on with the bikes for the move, I need them on the last Saturday of June.", "Then take the Sunday after it, that suits my brother even better than the Saturday.",
		"The second of these two is fine for us, it has the longer box for the wardrobe.", "Please take my card, the one that you already have from the last time I was there.",
		"Everything looks right to me, so go ahead with it and send me the confirmation.", "I am fine with that. Go ahead with the total that you have just told me about, please."} {
		say("user", text)
		call("search_bikes", fmt.Sprintf(`{"day":"2024-06-%d"}`, 20+i), `{"bikes":[]}`)
		say("assistant", fmt.Sprintf("For that day I see %d bikes in the shops of Altona, Ottensen and Bahrenfeld, each of them with a long box, a lock with a code, and a rain cover.", 3+i))
	}
	tr, seq := read(t, "openai-chat", "["+b.String()[1:]+"]")
	l := &digest.Ledger{}
	l.Add(tr, seq)
	return digest.NewExtract(tr, seq, "", l).Digest(size)
}

// A small log names each issue that was settled, with its outcome, before it describes the newest one at length.
func TestASmallLogKeepsSettledMatters(t *testing.T) {
	for _, size := range []int{900, 1100, 1300} {
		text := smallLog(t, size)
		for _, want := range []string{"rent two", "KD-20417", "Voucher V-88120 of 15 euros"} {
			if !strings.Contains(text, want) {
				t.Errorf("%d bytes lack %q:\n%s", size, want, text)
			}
		}
		if len(text) > size {
			t.Errorf("%d bytes of %d", len(text), size)
		}
	}
}

// In a small log, the calls that changed something take precedence over what else the user said.
func TestASmallLogKeepsWhatWasDone(t *testing.T) {
	var b strings.Builder
	topics := strings.Fields("sails crane toilets weather parrot radio bakery gangway buoys kiosk lighthouse showers laundry chandler winch pontoon")
	for n, topic := range topics {
		fmt.Fprintf(&b, `,{"role":"user","content":"I have been wondering about the %s for a while now, and my brother Emil asks for the %[1]s too."}`, topic)
		if n%2 == 1 {
			fmt.Fprintf(&b, `,{"role":"assistant","tool_calls":[{"id":"%d","type":"function","function":{"name":"order_service","arguments":"{\"about\":\"%s\",\"boat\":\"Amsel\"}"}}]},{"role":"tool","tool_call_id":"%[1]d","content":"{\"status\":\"ordered\",\"order\":\"HB-44%[1]d\"}"}`, n, topic)
		}
		fmt.Fprintf(&b, `,{"role":"assistant","content":"The %s is taken care of."}`, topic)
	}
	tr, seq := read(t, "openai-chat", "["+b.String()[1:]+"]")
	l := &digest.Ledger{}
	l.Add(tr, seq)
	again := digest.NewExtract(tr, nil, digest.NewExtract(tr, seq, "", l).Digest(1500), &digest.Ledger{}) // what an earlier digest has of the calls counts as much
	orders := strings.Fields("HB-4415 HB-4413 HB-4411 HB-449 HB-447 HB-445 HB-443 HB-441")
	for size := 300; size <= 1200; size += 20 {
		text := digest.NewExtract(tr, seq, "", l).Digest(size)
		for _, want := range orders[:max(1, min(size/200, len(orders)))] {
			if !strings.Contains(text, want) || len(text) > size {
				t.Errorf("%d bytes of %d, and %q is missing:\n%s", len(text), size, want, text)
			}
		}
		text = again.Digest(size)
		for _, want := range orders[:max(1, min(size/250, len(orders)))] {
			if !strings.Contains(text, want) || len(text) > size {
				t.Errorf("again, %d bytes of %d, and %q is missing:\n%s", len(text), size, want, text)
			}
		}
	}
}

// The user's next message contains what the assistant asked for, so the question isn't shown.
func TestALogTellsNoRequestForDetails(t *testing.T) {
	if text := smallLog(t, 6000); strings.Contains(text, "Please provide") || strings.Contains(text, "customer number; ") || !strings.Contains(text, "customer number is KD-20417") {
		t.Errorf("%s", text)
	}
}

// If there is little room, the log shows what each answer says first or names last, rather than one answer as a whole.
func TestASmallLogTellsEachAnswer(t *testing.T) {
	var b strings.Builder
	for n, turn := range [][2]string{
		{"I can't find my booking any more. It is for the boat to Spiekeroog, I think.", "Your booking for the boat to the island of Spiekeroog on the first Friday of July has the number SP-4471."},
		{"Please put it in my sister's name and make it first class.", "A booking with a reduced fare cannot be changed. A new booking would be needed for that."},
		{"All right, then book a new one for her.", "The new booking costs 61 euros. Here is all that I have found: boat 3: 09:10 to 09:55; boat 5: 12:40 to 13:25; boat 7: 16:20 to 17:05; boat 9: 19:00 to 19:45; harbour: Neuharlingersiel; luggage: two pieces; seats: on deck; bicycles: none; dogs: on a lead."},
	} {
		fmt.Fprintf(&b, `,{"role":"user","content":%q},{"role":"assistant","tool_calls":[{"id":"%d","type":"function","function":{"name":"get_booking","arguments":"{}"}}]},{"role":"tool","tool_call_id":"%d","content":"{}"},{"role":"assistant","content":%q}`, turn[0], n, n, turn[1])
	}
	tr, seq := read(t, "openai-chat", "["+b.String()[1:]+"]")
	l := &digest.Ledger{}
	l.Add(tr, seq)
	for _, size := range []int{600, 700} {
		text := digest.NewExtract(tr, seq, "", l).Digest(size)
		for _, want := range []string{"SP-4471", "cannot be changed", "61 euros"} {
			if !strings.Contains(text, want) {
				t.Errorf("%d bytes lack %q:\n%s", size, want, text)
			}
		}
	}
}

// The room for outcomes is based on their size after clipping, which may be much less than their maximum
// length.
func TestASmallLogClipsNoOutcomeForRoomThatIsLeft(t *testing.T) {
	var b strings.Builder
	for n, turn := range [][2]string{
		{"Can I still get seats for the puppet theatre?", "There are seats in rows B and F for the play on Sunday, and the plan of the hall is at https://theatre.example/lindengasse/halls/2/plans/sunday-afternoon-puppets-2026.pdf"},
		{"Take two in row F, on the aisle.", "The two seats on the aisle of row F for the puppet theatre on Sunday have been successfully booked under PT-5512."},
		{"And where do I leave my bicycle?", "There are stands for forty bicycles under a roof in the yard, see https://theatre.example/lindengasse/arrival/bicycles/stands-and-lockers-in-the-yard-behind-the-hall.html"},
		{"Is there something to eat?", "The foyer has pretzels and soup from two o'clock on; the list with all prices is at https://theatre.example/lindengasse/foyer/menus/sunday-afternoon-drinks-and-snacks.html"},
	} {
		fmt.Fprintf(&b, `,{"role":"user","content":%q},{"role":"assistant","tool_calls":[{"id":"%d","type":"function","function":{"name":"get_play","arguments":"{}"}}]},{"role":"tool","tool_call_id":"%d","content":"{}"},{"role":"assistant","content":%q}`, turn[0], n, n, turn[1])
	}
	tr, seq := read(t, "openai-chat", "["+b.String()[1:]+"]")
	l := &digest.Ledger{}
	l.Add(tr, seq)
	for _, size := range []int{670, 690, 720} {
		if text := digest.NewExtract(tr, seq, "", l).Digest(size); !strings.Contains(text, "successfully booked under PT-5512") || len(text) > size {
			t.Errorf("%d bytes of %d:\n%s", len(text), size, text)
		}
	}
}

// Two answers with the same beginning don't have the same outcome.
func TestALogDoesNotEquateAnswersThatDiffer(t *testing.T) {
	const begins = "These are the details:"
	var b strings.Builder
	for n, request := range []string{"Send 40 euros to Ilse.", "And 25 to the rowing club, please.", "Where is the nearest counter?", "Another 60 to Ilse, for the boat."} {
		fmt.Fprintf(&b, `,{"role":"user","content":%q},{"role":"assistant","tool_calls":[{"id":"%d","type":"function","function":{"name":"get_account","arguments":"{}"}}]},{"role":"tool","tool_call_id":"%d","content":"{}"},{"role":"assistant","content":%q}`, request, n, n, begins+"\n- It goes from counter 4 in Lindengasse to the bank in Rorschach on the 20th of May at 6:00\n- It comes back from Rorschach with ferry "+strconv.Itoa(70+n)+" on the 25th of May")
	}
	tr, seq := read(t, "openai-chat", "["+b.String()[1:]+"]")
	l := &digest.Ledger{}
	l.Add(tr, seq)
	for size := 300; size < 900; size += 25 {
		if text := digest.NewExtract(tr, seq, "", l).Digest(size); strings.Contains(text, "same outcome") {
			t.Errorf("%d bytes:\n%s", size, text)
		}
	}
}

// An outcome that several turns share is written once, and later entries refer to the first one. A digest of the digest
// finds the outcome of each turn.
func TestALogTellsAnOutcomeOnce(t *testing.T) {
	const shared = "Your transfer has been entered and will be executed on the next working day, see PT-7731 and the terms of the account."
	var b strings.Builder
	for n, request := range []string{"Send 40 euros to Ilse.", "And 25 to the rowing club, please.", "Where is the nearest counter?", "Another 60 to Ilse, for the boat."} {
		answer := shared
		if n == 2 {
			answer = "The nearest counter is in Lindengasse 8, next to the pharmacy, and opens at nine."
		}
		fmt.Fprintf(&b, `,{"role":"user","content":%q},{"role":"assistant","tool_calls":[{"id":"%d","type":"function","function":{"name":"get_account","arguments":"{}"}}]},{"role":"tool","tool_call_id":"%d","content":"{}"},{"role":"assistant","content":%q}`, request, n, n, answer)
	}
	tr, seq := read(t, "openai-chat", "["+b.String()[1:]+"]")
	l := &digest.Ledger{}
	l.Add(tr, seq)
	text := digest.NewExtract(tr, seq, "", l).Digest(650)
	if strings.Count(text, shared) != 1 || strings.Count(text, "  - the same outcome as in [1]\n") != 1 || !strings.HasSuffix(text, "\n  - the same outcome as in [1]") {
		t.Errorf("%s", text)
	}
	tr, seq = read(t, "openai-chat", `[{"role":"user","content":"Thanks. And now cancel the card that ends in 0416, I have lost it."},{"role":"assistant","tool_calls":[{"id":"x","type":"function","function":{"name":"cancel_card","arguments":"{}"}}]},{"role":"tool","tool_call_id":"x","content":"{}"},{"role":"assistant","content":"The card that ends in 0416 is cancelled, and you don't have to do anything more about it."}]`)
	l.Add(tr, seq)
	again := digest.NewExtract(tr, seq, text, l).Digest(900)
	if strings.Count(again, shared) != 1 || strings.Count(again, "  - the same outcome as in [1]\n") != 2 || !strings.Contains(again, "is cancelled") {
		t.Errorf("%s", again)
	}
}

// The line with a turn's answer contains the content of the answer, not just that it agrees or praises.
func TestASmallLogTellsWhatAnAnswerSays(t *testing.T) {
	var b strings.Builder
	say := func(role, text string) { fmt.Fprintf(&b, `,{"role":%q,"content":%q}`, role, text) }
	for i := range 12 {
		say("user", fmt.Sprintf("Could shelf %d of the kiln be moved to the other wall, so that the pots on it dry faster than they do now in the damp corner?", i))
		fmt.Fprintf(&b, `,{"role":"assistant","tool_calls":[{"id":"%d","type":"function","function":{"name":"read","arguments":"{\"path\":\"/kiln/shelf%d.md\"}"}}]},{"role":"tool","tool_call_id":"%d","content":"a shelf"}`, i, i, i)
		say("assistant", fmt.Sprintf("Good thinking.\n\nYes, that's a clean way.\n\n1. Rack %d holds it, if its bolts are long enough\n2. The fan must be turned\n\nThe pots then dry in a day, which is half of what they take now.", 40+i))
	}
	tr, seq := read(t, "openai-chat", "["+b.String()[1:]+"]")
	l := &digest.Ledger{}
	l.Add(tr, seq)
	text := digest.NewExtract(tr, seq, "", l).Digest(3000)
	if strings.Contains(text, "Good thinking") || strings.Count(text, "1. Rack ") < 11 {
		t.Errorf("%s", text)
	}
}
