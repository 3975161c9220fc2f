package digest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/digest"
)

// ferryTalk is a dialogue in which a write call fails, another one takes its place, and a third one fails and isn't
// tried again.
func ferryTalk() string {
	var b strings.Builder
	say := func(role, text string) { fmt.Fprintf(&b, `,{"role":%q,"content":%q}`, role, text) }
	call := func(n int, name, arguments, result string) { b.WriteString(calledTool(n, name, arguments, result)) }
	say("user", "Hello, I would like to move my car to a later ferry, and I hope that this is not much trouble for you.")
	say("assistant", "I understand your wish, and I am glad to be of help with that. Which booking is it, and which crossing do you prefer?")
	say("user", "It is booking FB-2207. The crossing at 18:40 on the same day would be best for us and the children.")
	say("assistant", "The crossing at 18:40 costs 12 euros more, paid with the card ending in 4471. Do you want me to proceed?")
	say("user", "Yes, please do that.")
	call(1, "exchange_paid_booking", `{"booking_id":"FB-2207","crossing":"18:40","payment_id":"card_4471"}`, "Error: paid bookings cannot be exchanged")
	call(2, "modify_booking", `{"booking_id":"FB-2207","crossing":"18:40","payment_id":"card_4471"}`, `{"booking_id":"FB-2207","state":"changed"}`)
	say("assistant", "Your booking has been changed, and you will receive an e-mail about it. Is there anything else that I can do for you today?")
	say("user", "Please also add a dog to that booking, if there is a place left for it.")
	call(3, "add_animal", `{"booking_id":"FB-2207","animal":"dog"}`, "Error: no kennel left on crossing 18:40")
	say("assistant", "I am sorry, but this was not possible. Would you like to hear about other ways to bring an animal along?")
	for n := range 6 {
		say("user", fmt.Sprintf("What can we have for dinner on deck %d of the ship, and do they have something for small children?", n+2))
		say("assistant", "There is a restaurant that serves warm meals until late, and there are always dishes for children as well.")
	}
	return "[" + b.String()[1:] + "]"
}

// What write calls changed stays with their arguments although the turns have answers, and so do the errors of calls that
// failed. Without them nobody knows what is still to be done.
func TestWriteCallsStayWithAnswers(t *testing.T) {
	tr, seq := read(t, "openai-chat", ferryTalk())
	l := &digest.Ledger{}
	l.Add(tr, seq)
	for _, size := range []int{1400, 1800, 2600} {
		text := digest.NewExtract(tr, seq, "", l).Digest(size)
		for _, want := range []string{
			"called exchange_paid_booking(booking_id: FB-2207", "paid bookings cannot be exchanged",
			"called modify_booking(booking_id: FB-2207, crossing: 18:40, payment_id: card_4471)",
			"called add_animal(animal: dog, booking_id: FB-2207) → failed: Error: no kennel left",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%d bytes lack %q:\n%s", size, want, text)
			}
		}
	}
}

// A call that succeeds says why it failed before in the same turn, on one line.
func TestWriteCallSaysWhyItFailedBefore(t *testing.T) {
	var b strings.Builder
	b.WriteString(`[{"role":"user","content":"Reserve berth C12 for the Amsel and pay with what is on file."}`)
	b.WriteString(calledTool(1, "reserve_berth", `{"berth":"C12","payment_id":"card_1"}`, "Error: payment method not found"))
	b.WriteString(calledTool(2, "reserve_berth", `{"berth":"C12","payment_id":"card_4471"}`, `{"reservation":"HB-4410"}`))
	b.WriteString(`,{"role":"assistant","content":"That is done."}]`)
	tr, seq := read(t, "openai-chat", b.String())
	text := digest.NewExtract(tr, seq, "", &digest.Ledger{}).Digest(900)
	const want = "called reserve_berth(berth: C12, payment_id: card_4471) → reservation: HB-4410 (failed before: Error: payment method not found)"
	if !strings.Contains(text, want) {
		t.Errorf("lacks %q:\n%s", want, text)
	}
	if n := strings.Count(text, "payment method not found"); n != 1 {
		t.Errorf("the error is told %d times:\n%s", n, text)
	}
}

// A clipped call shows the values that the user didn't say.
func TestClippedCallsShowNewValues(t *testing.T) {
	call := calledTool(9, "book_ferry", `{"user_id":"omar_k7","origin":"ROT","destination":"BGN","kind":"one_way","extras":["cabin"],"ferries":["KLN201","KLN202"],"payment":"card_4471 for 340 euros, the rest from voucher_29"}`, `{"ticket":"T-3391"}`)
	src := strings.TrimSuffix(ferryTalk(), "]") + `,{"role":"user","content":"I am user omar_k7 and need another one-way ferry from ROT to BGN, with a cabin."}` + call +
		`,{"role":"assistant","content":"It is booked, and I wish you a pleasant journey with all of your family."},{"role":"user","content":"Good."}]`
	tr, seq := read(t, "openai-chat", src)
	l := &digest.Ledger{}
	l.Add(tr, seq)
	wants(t, digest.NewExtract(tr, seq, "", l).Digest(1800), []string{"ferries: KLN201, KLN202", "T-3391"}, []string{"origin: ROT"})
}
