package digest

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/extract"
)

// In a dialogue with a service, such as a booking, each matter becomes one line with the values from its messages:
// "table for 4 at 19:30 on Friday – name Berger – reference number 7GK2". Whole sentences would take twice as much
// room.

// A chat is such a dialogue if it has at least leastService messages of at most shortService bytes on average, a
// quarter of them contain a number, one in courtesyShare is a courtesy or a question by the assistant, and most
// speakers have no name, unlike in a chat between friends. It is shortened if it has more than tightService times as
// much text as fits.
const (
	shortService  = 160
	leastService  = 12
	courtesyShare = 12
	tightService  = 3
)

// bothMark is the speaker of a matter to which both sides contributed. turnMark separates messages, which are chosen
// one by one. deniedTurn replaces it before a message that denies something, so that the text before that message is
// never quoted without it. longestMatter is the length, in bytes, from which a line isn't continued.
const (
	bothMark      = "both"
	turnMark      = "\n"
	deniedTurn    = "\u00a0→ " // with a space that ends no sentence after a question mark
	longestMatter = 200
)

// ofReply is the factor, in 1024ths, for the weight of the user's reply to a question. A reply tells the service what
// it had to know, even if it contains no number or name.
const ofReply = 1536

// service reports whether the chat is a dialogue with a service and is much longer than size bytes.
func (k *talk) service(size int) bool {
	all, numbers, count := 0, 0, 0
	for i := range k.items {
		if text := k.items[i].Text; k.sources[i].fresh {
			count++
			all += len(text)
			if strings.ContainsAny(text, "0123456789") {
				numbers++
			}
		}
	}
	short := count >= leastService && all <= shortService*count && all > size*tightService
	return short && numbers*4 >= count && !k.ofPeople() && k.courtesies()*courtesyShare >= count
}

// courtesies returns the number of messages that are a courtesy or a question by the assistant.
func (k *talk) courtesies() (n int) {
	for i := range k.items {
		if !k.sources[i].fresh {
			continue
		}
		if asks, idle := extract.Closing(k.items[i].Text); idle && !asks || asks && k.sources[i].own {
			n++
		}
	}
	return n
}

// serve joins the messages of each matter if the chat is a dialogue with a service and is much longer than size bytes.
// A matter ends when the assistant says goodbye, or when the user says something that doesn't depend on anything before
// it.
func (k *talk) serve(size int) {
	if k.served {
		return
	}
	if k.exchanges(size) {
		k.served = true
		k.exchange()
		return
	}
	if !k.service(size) {
		return
	}
	k.served = true
	m := matter{talk: k, first: -1}
	for i := range k.items {
		m.add(i)
	}
	k.chosen = extract.New(k.items, k.known)
}

// matter is one thing that a dialogue is about, such as a booking.
type matter struct {
	*talk
	first         int  // the item with the text of the matter, -1 if there is none; the items joined to it have no text
	afterQuestion bool // the previous message asks something
	denied        bool // a message of the matter denies something
}

// add joins item i to the matter, or begins another one with it.
func (m *matter) add(i int) {
	it, src := &m.items[i], &m.sources[i]
	if !src.fresh || src.denied || len(it.Weighed) > 0 || len(it.Text) > 2*shortService {
		if src.own && src.fresh { // a long text would crowd out the matters
			it.Factor = min(it.Factor, 1024*2*shortService/len(it.Text))
		}
		m.first = -1
		return
	}
	replies := m.afterQuestion && !src.own
	asks, closes := extract.Closing(it.Text)
	m.afterQuestion = asks && !closes
	another := !src.own && !replies && !extract.Continues(it.Text)
	full := m.first >= 0 && len(m.items[m.first].Text) > longestMatter
	if m.first >= 0 && (another || full || src.day != m.sources[m.first].day) {
		m.first = -1
	}
	said, denied := extract.Terse(it.Text, src.own, !src.own && (replies || m.first < 0 && (another || !full)))
	switch {
	case said == "" && (src.own || full || closes || m.first >= 0):
		it.Text = ""
	case said == "":
	case m.first < 0:
		m.first, m.denied = i, denied
		it.Text, it.Terse, it.Follows = said, true, false
	default:
		m.join(said, src.speaker, denied, replies)
		it.Text = ""
	}
	if closes && src.own {
		m.first = -1
	}
}

// join adds what a speaker said to the matter. denied means that it is a refusal, and replies that it replies to a
// question.
func (m *matter) join(said, speaker string, denied, replies bool) {
	head := &m.items[m.first]
	all, mark := head.Text, turnMark
	if m.denied = m.denied || denied; denied {
		all, mark = strings.ReplaceAll(all, turnMark, deniedTurn), deniedTurn+speaker+labelMark
		// A refusal keeps its time, and a question settles nothing.
	} else if !m.denied && !strings.Contains(said, "?") {
		all = extract.Replace(all, said)
	}
	if all == "" {
		mark = ""
	}
	if len(all) != len(head.Text) { // the ranges have moved
		head.Weighed = nil
	}
	if at := len(all) + len(mark); replies {
		head.Weighed = append(head.Weighed, extract.Weighed{From: at, To: at + len(said), Factor: head.Factor * ofReply / 1024})
	}
	head.Text = all + mark + said
	if by := &m.sources[m.first]; by.speaker != speaker {
		by.speaker = bothMark
	}
}
