package digest

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/extract"
)

// In a Chinese dialogue with a service, names have no capitals, so sentences can't be judged one by one: a request
// would be kept without the name that answers it. There, an exchange is the unit: a request with its answer. The
// exchanges about one thing share a line; see [extract.Item.Headed].

// answerMark is written between a request and its answer.
const answerMark = " → "

// longestExchanges is the length, in bytes, from which another exchange about the same thing begins a new line.
const longestExchanges = 1500

// courteousShare is the inverse of the minimum share of messages that begin with a courtesy.
const courteousShare = 8

// exchanges reports whether the chat is a Chinese dialogue with a service, and longer than size bytes. In such a
// dialogue, at least half of the user's messages are requests, and most of the assistant's are no questions.
func (k *talk) exchanges(size int) bool {
	all, count, chinese := 0, 0, 0
	for i := range k.items {
		if k.sources[i].fresh {
			count++
			all += len(k.items[i].Text)
			if extract.Chinese(k.items[i].Text) {
				chinese++
			}
		}
	}
	return count >= leastService && all <= shortService*count && all > size && chinese*4 >= count*3 && !k.ofPeople() && k.serves(count)
}

// serves reports whether the requests, numbers and courtesies in a Chinese chat of count messages show that it is a
// dialogue with a service.
func (k *talk) serves(count int) bool {
	numbers, courteous := 0, 0
	var asked, said [2]int // by speaker: the user, the assistant
	for i := range k.items {
		text, src := k.items[i].Text, &k.sources[i]
		if !src.fresh {
			continue
		}
		if strings.ContainsAny(text, "0123456789") {
			numbers++
		}
		if extract.Courteous(text) {
			courteous++
		}
		by, asks := 0, false
		if src.own {
			by, asks = 1, strings.ContainsAny(text, "?？")
		} else {
			asks = extract.Seeks(text)
		}
		if said[by]++; asks {
			asked[by]++
		}
	}
	return numbers*8 >= count && courteous*courteousShare >= count && asked[0]*2 >= said[0] && asked[1]*3 <= said[1]
}

// exchange joins each request with its answer, and the exchanges about one thing.
func (k *talk) exchange() {
	e := exchanger{talk: k, collector: -1, request: -1}
	for i := range k.items {
		e.add(i)
	}
	e.flush()
	k.chosen = extract.New(k.items, k.known)
}

// exchanger joins the messages of a dialogue.
type exchanger struct {
	*talk
	collector int    // the item that collects the exchanges about one thing, -1 if there is none
	request   int    // the item of a request that has no answer yet, -1 if there is none
	wanted    string // what it asks for
	seeks     bool   // it asks for something that later requests may be about
	depends   bool   // it refers to something that was named before
	namer     int32  // the number of the collector's line that names what the next lines are about
}

// add adds item i.
func (e *exchanger) add(i int) {
	it, src := &e.items[i], &e.sources[i]
	if !src.fresh || src.denied || len(it.Weighed) > 0 || len(it.Text) > 2*shortService || !extract.Chinese(it.Text) {
		e.flush()
		if e.collector = -1; src.own && src.fresh && len(it.Text) > 2*shortService {
			it.Factor = min(it.Factor, 1024*2*shortService/len(it.Text))
		}
		return
	}
	if src.own && e.request >= 0 {
		e.answer(i)
		return
	}
	e.flush()
	if e.seeks = false; src.own {
		said := extract.Answer(it.Text)
		if !extract.Says(said) {
			said = ""
		}
		e.line(i, said, true)
		return
	}
	e.seeks = extract.Finds(it.Text)
	e.wanted, _, e.depends = extract.Request(it.Text)
	if e.request = i; !e.depends && e.collector >= 0 {
		e.depends = extract.SharesName(e.wanted, e.items[e.collector].Text)
	}
}

// flush writes a request that has no answer.
func (e *exchanger) flush() {
	if e.request >= 0 {
		e.line(e.request, e.wanted, e.depends)
		e.request = -1
	}
}

// answer adds item i, the answer to the request before it.
func (e *exchanger) answer(i int) {
	said := extract.Pick(extract.Answer(e.items[i].Text), e.later(i))
	line := e.wanted
	switch {
	case e.wanted == "" && !extract.Says(said):
		said = ""
	case e.wanted == "":
		line = said
	case said == "":
	case (!e.depends || e.collector >= 0) && extract.Repeats(e.wanted, said, e.depends):
		line = said
	default:
		line += answerMark + said
	}
	e.items[i].Text = ""
	at := e.request
	e.request = -1
	if e.line(at, line, e.depends); said != "" {
		e.sources[max(e.collector, 0)].speaker = bothMark
	}
}

// later returns what the user says in the next two messages after item i.
func (e *exchanger) later(i int) (said string) {
	for n, j := 0, i+1; j < len(e.items) && n < 2; j++ {
		if src := &e.sources[j]; src.fresh && !src.own {
			said += e.items[j].Text + "\n"
			n++
		}
	}
	return said
}

// line makes said, which may be "", the text of item i and begins a line with it. If said belongs
// to the lines before it (depends), is from the same day, and there is room, line appends it to the
// current line instead, and item i becomes empty.
func (e *exchanger) line(i int, said string, depends bool) {
	it := &e.items[i]
	it.Text = ""
	if said == "" {
		return
	}
	if e.collector >= 0 && depends && e.sources[i].day == e.sources[e.collector].day &&
		len(e.items[e.collector].Text)+len(said) < longestExchanges {
		collector := &e.items[e.collector]
		collector.Text += turnMark + said
		collector.LeansOn = append(collector.LeansOn, e.leansOn(said))
		if by := &e.sources[e.collector]; by.speaker != e.sources[i].speaker {
			by.speaker = bothMark
		}
		return
	}
	e.collector, e.namer = i, 0
	it.LeansOn = append(it.LeansOn[:0], 0)
	it.Text, it.Headed, it.Follows, it.Personal, it.Answers, it.Factor = said, true, false, false, false, 0
}

// leansOn returns the number of the line that names what the next line of the collector is about. If that line says
// itself what it is about, this is the first line.
func (e *exchanger) leansOn(line string) int32 {
	back, finds := extract.PointsBack(line)
	finds = finds || e.seeks // the line lacks the words that ask for it
	on := e.namer
	if !back {
		on = 0
	}
	if !back || finds {
		e.namer = int32(len(e.items[e.collector].LeansOn))
	}
	return on
}
