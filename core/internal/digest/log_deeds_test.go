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
