package digest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/digest"
)

// calledTool returns the messages of call n of a tool and of its result, each after a comma.
func calledTool(n int, name, arguments, result string) string {
	return fmt.Sprintf(`,{"role":"assistant","tool_calls":[{"id":"%d","type":"function","function":{"name":%q,"arguments":%q}}]},{"role":"tool","tool_call_id":"%d","content":%q}`, n, name, arguments, n, result)
}

// What was booked or changed stays, even if the call is too long for a line and the user only agreed to it. The words
// of newer requests don't displace it.
func TestDeedsWithLongArgumentsStay(t *testing.T) {
	var b strings.Builder
	say := func(role, text string) { fmt.Fprintf(&b, `,{"role":%q,"content":%q}`, role, text) }
	call := func(n int, name, arguments, result string) { b.WriteString(calledTool(n, name, arguments, result)) }
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
	call := func(n int, name, arguments, result string) { b.WriteString(calledTool(n, name, arguments, result)) }
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
		if size == 2600 && !strings.Contains(text, "reserve_berth(berth: C12, owner: Ilse Brandt, nights: 2031-05-03 Amsel, 2031-05-10 Amsel) → ") {
			t.Errorf("the arguments are not in plain text:\n%s", text)
		}
	}
}

// Calls of one tool in a turn share a line, so that none of them loses what it was about and what came of it.
func TestDeedsOfOneTool(t *testing.T) {
	type call struct{ name, arguments, result string }
	berth := func(boat string, refund int) call {
		return call{"cancel_berth", fmt.Sprintf(`{"boat":%q,"reason":"the owner has sold it"}`, boat), fmt.Sprintf(`{"refund":%d}`, refund)}
	}
	look := call{"get_berth", `{"boat":"Drossel"}`, `{"berth":"C12","price":365}`}
	many := []call{}
	for n := range 40 {
		many = append(many, berth(fmt.Sprintf("Boat %d", n), 500+n))
	}
	trams := strings.Repeat(`,{"role":"user","content":"Which trams stop near the harbour on a weekday, and how long do they take to the station?"},{"role":"assistant","content":"There are several, and each takes about a quarter of an hour."}`, 6)
	for _, c := range []struct {
		calls  []call
		size   int
		wanted string
	}{
		{[]call{berth("Amsel", 120), look, berth("Drossel", 121), berth("Elster", 122)}, 360, "called cancel_berth 3 times: Amsel → refund: 120; Drossel → refund: 121; Elster → refund: 122 (reason: the owner has sold it)"},
		{[]call{berth("Amsel", 120), berth("Drossel", 121), berth("Elster", 122), berth("Kiebitz", 123)}, 330, "called cancel_berth 4 times: Amsel → refund: 120; Drossel → refund: 121; Elster → refund: 122; Kiebitz → refund: 123"},
		{[]call{{"change_berth", `{"owner":"Ilse Brandt of Elm Row","days":["2031-05-03","2031-05-04","2031-05-05"],"berth_id":"C12"}`, `{"fee":81}`}}, 2000,
			"called change_berth(berth_id: C12, owner: Ilse Brandt of Elm Row, days: 2031-05-03, 2031-05-04, 2031-05-05) → fee: 81"},
		{[]call{berth("Amsel", 120), berth("Drossel", 121), berth("Amsel", 129)}, 2000, "called cancel_berth 2 times: Drossel → refund: 121; Amsel → refund: 129 (reason: the owner has sold it)"},
		{[]call{berth("Amsel", 120)}, 2000, "called cancel_berth(boat: Amsel, reason: the owner has sold it) → refund: 120"},
		{many, 2000, "called cancel_berth 40 times: …; Boat 24 → refund: 524; Boat 25 → refund: 525; "},
		{[]call{berth("Amsel", 120), {"cancel_berth", `{"boat":"Drossel","reason":"the owner has sold it"}`, "Error: there is no berth for this boat"}}, 2000,
			"called cancel_berth(boat: Amsel, reason: the owner has sold it) → refund: 120"},
		{[]call{{"pay_berth", `{"boat":"Amsel","by":["card 7"],"berth":"C12"}`, `{"number":81}`}, {"pay_berth", `{"boat":"Amsel","by":["cash"],"berth":"C12"}`, `{"number":82}`}}, 2000,
			"called pay_berth 2 times: card 7 → number: 81; cash → number: 82 (boat: Amsel, berth: C12)"},
		{[]call{{"send_note", `{"text":"Hello"}`, `{"id":"N-7"}`}, {"send_note", `{}`, `{"id":"N-8"}`}}, 2000, "called send_note(text: Hello) → id: N-7"},
	} {
		var b strings.Builder
		for n, k := range c.calls {
			b.WriteString(calledTool(n, k.name, k.arguments, k.result))
		}
		tr, seq := read(t, "openai-chat", `[{"role":"user","content":"Please cancel all my berths."}`+b.String()+`,{"role":"assistant","content":"All of them are cancelled."}`+trams+`]`)
		l := &digest.Ledger{}
		l.Add(tr, seq)
		if text := digest.NewExtract(tr, seq, "", l).Digest(c.size); !strings.Contains(text, c.wanted) {
			t.Errorf("the digest lacks %q:\n%s", c.wanted, text)
		}
	}
}
