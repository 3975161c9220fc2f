package digest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/digest"
)

// What was booked or changed stays, even if the call is too long for a line and the user only agreed to it. The words
// of newer requests don't displace it.
func TestDeedsWithLongArgumentsStay(t *testing.T) {
	var b strings.Builder
	say := func(role, text string) { fmt.Fprintf(&b, `,{"role":%q,"content":%q}`, role, text) }
	call := func(n int, name, arguments, result string) {
		fmt.Fprintf(&b, `,{"role":"assistant","tool_calls":[{"id":"%d","type":"function","function":{"name":%q,"arguments":%q}}]},{"role":"tool","tool_call_id":"%d","content":%q}`, n, name, arguments, n, result)
	}
	halls := []string{"Elbe", "Weser", "Ems", "Havel"}
	for n, hall := range halls {
		say("user", fmt.Sprintf("Which hall is free for a rehearsal of our choir in the week after the %dth of May?", 3+n))
		say("assistant", fmt.Sprintf("The hall %s is free in the evening. Shall I book it for your choir?", hall))
		say("user", "Yes, please proceed with the booking of that hall for us.")
		call(n, "book_hall", fmt.Sprintf(`{"hall":%q,"choir":"Kantorei an der alten Mühle","from":"19:30","to":"22:00","chairs":64,"note":"the piano must be tuned before, and the door on the side of the canal must be open"}`, hall), `{"status":"ok"}`)
		say("assistant", fmt.Sprintf("Your booking of the hall %s is confirmed: its number is HB-%d.", hall, 4410+n))
	}
	for n := range 8 {
		say("user", fmt.Sprintf("Which trams stop near the hall on a weekday after %d o'clock, and how long do they take to the main station?", 14+n))
		say("assistant", "There are several trams near the hall, and all of them take between ten and twenty minutes to the main station.")
	}
	tr, seq := read(t, "openai-chat", "["+b.String()[1:]+"]")
	l := &digest.Ledger{}
	l.Add(tr, seq)
	for _, size := range []int{1500, 1900, 2400} {
		text := digest.NewExtract(tr, seq, "", l).Digest(size)
		for n := range halls {
			if want := fmt.Sprint("HB-", 4410+n); !strings.Contains(text, want) {
				t.Errorf("%d bytes lack %s:\n%s", size, want, text)
			}
		}
	}
}

// The result of a booking often repeats the whole record. The digest quotes what only the result says.
func TestDeedsTellWhatIsNew(t *testing.T) {
	var b strings.Builder
	say := func(role, text string) { fmt.Fprintf(&b, `,{"role":%q,"content":%q}`, role, text) }
	call := func(n int, name, arguments, result string) {
		fmt.Fprintf(&b, `,{"role":"assistant","tool_calls":[{"id":"%d","type":"function","function":{"name":%q,"arguments":%q}}]},{"role":"tool","tool_call_id":"%d","content":%q}`, n, name, arguments, n, result)
	}
	owner := `{"owner":"Ilse Brandt","street":"14 Elm Row","boats":["Amsel","Drossel"],"fees":[{"berth":"C12","price":365}]}`
	for n := range 4 {
		say("user", fmt.Sprintf("I would like to have a berth for my boat from the %dth of May for about a week.", 3+n))
		call(2*n, "get_owner", fmt.Sprintf(`{"number":%d}`, 70+n), owner)
		say("assistant", "The berth C12 is free. Shall I reserve it for you?")
		say("user", "Yes, please reserve it.")
		call(2*n+1, "reserve_berth", fmt.Sprintf(`{"owner":"Ilse Brandt","berth":"C12","nights":[{"date":"2031-05-0%d","boat":"Amsel"},{"date":"2031-05-1%d","boat":"Amsel"}]}`, 3+n, n),
			fmt.Sprintf(`{"owner":"Ilse Brandt","street":"14 Elm Row","boats":["Amsel","Drossel"],"berth":"C12","price":365,"reservation":{"number":"HB-%d","made":"2031-04-30T11:42:08","deposit":%d,"paid":null}}`, 4410+n, 81+n))
		say("assistant", "That is done.")
	}
	tr, seq := read(t, "openai-chat", "["+b.String()[1:]+"]")
	l := &digest.Ledger{}
	l.Add(tr, seq)
	for _, size := range []int{1200, 1800, 2600} {
		text := digest.NewExtract(tr, seq, "", l).Digest(size)
		for n := range 4 {
			if want := fmt.Sprintf(" → number: HB-%d; deposit: %d\n", 4410+n, 81+n); !strings.Contains(text+"\n", want) {
				t.Errorf("%d bytes lack %q:\n%s", size, want, text)
			}
		}
		if size == 2600 && !strings.Contains(text, "reserve_berth(owner: Ilse Brandt, berth: C12, nights: 2031-05-03 Amsel, 2031-05-10 Amsel) → ") {
			t.Errorf("the arguments are not in plain text:\n%s", text)
		}
	}
}

func TestTheNumberOfDeedsIsTold(t *testing.T) {
	var calls strings.Builder
	for n, boat := range []string{"Amsel", "Drossel", "Elster", "Kiebitz"} {
		fmt.Fprintf(&calls, `,{"role":"assistant","tool_calls":[{"id":"%d","type":"function","function":{"name":"cancel_berth","arguments":%q}}]},{"role":"tool","tool_call_id":"%d","content":"{\"refund\":%d}"}`,
			n, fmt.Sprintf(`{"boat":%q,"reason":"the owner has sold it to somebody else"}`, boat), n, 120+n)
	}
	trams := strings.Repeat(`,{"role":"user","content":"Which trams stop near the harbour on a weekday, and how long do they take to the station?"},{"role":"assistant","content":"There are several, and each takes about a quarter of an hour."}`, 6)
	tr, seq := read(t, "openai-chat", `[{"role":"user","content":"Please cancel all my berths."}`+calls.String()+`,{"role":"assistant","content":"All of them are cancelled."}`+trams+`]`)
	l := &digest.Ledger{}
	l.Add(tr, seq)
	text := digest.NewExtract(tr, seq, "", l).Digest(330)
	if want := "called cancel_berth(boat: Kiebitz, reason: the owner has sold it to somebody else) → refund: 123 (the last of 4 such calls)"; !strings.Contains(text, want) {
		t.Errorf("the digest lacks %q:\n%s", want, text)
	}
}
