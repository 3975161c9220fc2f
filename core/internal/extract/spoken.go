package extract

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/dates"
	"github.com/ctxfold/ctxfold/core/internal/words"
)

// When people talk to each other, half of what they say comments on what they hear: "Wow, you must be so proud of that
// trip!" What others ask about later is what the speakers tell: sentences in the first person, with a name, a number or a
// day. Who a sentence is about tells the two apart better than the rarity of its words.

// spoken says what a sentence is in a talk of people.
type spoken struct {
	kind   remark
	told   bool // it is in the first person
	named  bool // it contains a name, a number, a quotation or a day
	dated  bool // it contains a day
	teller bool // it says I or we
	yours  bool // it is in the second person
	stated bool // it isn't a question
}

// remark is the kind of a sentence that only comments on something.
type remark uint8

const (
	noRemark  remark = iota // it tells something
	reaction                // it opens a message, and doesn't answer a question
	listener                // it is about the listener
	both                    // it is about the speaker and the listener
	exclaimed               // it is an exclamation about neither
	remote                  // it is any other sentence about neither
)

// remarkFactors are the factors of remarks, in 1024ths.
var remarkFactors = [...]int64{noRemark: plain, reaction: 128, listener: 256, both: 512, exclaimed: 256, remote: 512}

// The factors, in 1024ths, of sentences that aren't remarks.
const (
	ofTeller = 2048 // a sentence in the first person with a name, a number or a day
	ofNamed  = 1536 // any other sentence with one
	ofDay    = 1536 // a sentence with a day, besides these
	ofAnswer = 1536 // the first sentence after a question, besides these
)

// leastTold is the inverse of the minimum share of statements that contain one of the tellers. If fewer do, sentences in
// other persons don't count as remarks, because in languages whose verbs need no pronoun, such as Spanish, they can tell
// anything.
const leastTold = 5

// tellers lists the words for I and we in some languages in which people write to assistants.
var tellers = words.NewExact("i we ich wir je j nous yo nosotros eu nós io noi ik wij я мы")

// listeners lists the words for you and your in some languages in which people write to assistants. Words that mean
// something else in another of these languages are left out, unless they are frequent ("du").
var listeners = words.NewExact("you your yours yourself yourselves du dich dir dein deine deinen deinem deiner euch euer eure tu toi tes vous votre vos " +
	"jij jou jouw jullie tú ti tus contigo usted ustedes você vocês teu tua ты тебя тебе твой твоя твоё твои вы вас вам ваш ваша ваши")

// anyDay is a day relative to which phrases such as "last week" are recognized. It doesn't matter which one.
var anyDay = dates.New(2024, 5, 15)

// spokenIn returns what a sentence says in a talk of people. inQuotes is the result of quoted. asked means that the
// sentence is a question, opens that it begins a message, and replying that the message follows a question.
func spokenIn(text string, ws []words.Word, inQuotes []bool, asked, opens, replying bool) spoken {
	s := spoken{stated: !asked}
	if asked {
		return s
	}
	for k, w := range ws {
		self := selfSet.Has(w.Stem)
		s.told = s.told || self
		s.teller = s.teller || tellers.Has(spelled(text, w))
		s.yours = s.yours || listeners.Has(spelled(text, w))
		s.named = s.named || w.Kind&words.Digit != 0 || isQuoted(inQuotes, k) || k > 0 && capitalized(w) && !self && !isAddressed(text, ws, k)
	}
	s.dated = len(dates.Relative(text, ws, anyDay)) > 0 || len(dates.FindDates(text, ws)) > 0
	s.named = s.named || s.dated
	switch {
	case s.named || ws[0].Kind&words.Capital == 0: // without capitals, names can't be seen
	case s.told && s.yours:
		s.kind = both
	case s.told:
	case opens && !replying:
		s.kind = reaction
	case s.yours:
		s.kind = listener
	case strings.HasSuffix(text, "!"):
		s.kind = exclaimed
	default:
		s.kind = remote
	}
	return s
}

// raised returns the factor of a sentence, given the factor that it would have elsewhere. answers means that it follows a
// question.
func (s *spoken) raised(factor int32, answers bool) int32 {
	f := int64(factor)
	switch {
	case s.named && s.told:
		f = f * ofTeller / plain
	case s.named && !s.yours:
		f = f * ofNamed / plain
	}
	if s.dated && (s.told || !s.yours) {
		f = f * ofDay / plain
	}
	if answers && s.stated {
		f = f * ofAnswer / plain
	}
	return int32(f)
}

// comments reports whether a remark isn't what a later "it" refers to.
func (r remark) comments() bool { return r == reaction || r == listener || r == exclaimed }

// countTellers counts a sentence in a talk of people.
func (e *Extract) countTellers(s *spoken) {
	if s.stated {
		e.stated++
	}
	if s.teller {
		e.tellers++
	}
}

// namesTellers reports whether enough statements of the talk say I or we; see leastTold.
func (e *Extract) namesTellers() bool { return e.tellers*leastTold >= e.stated }

// lowerRemarks lowers the factors of remarks if enough statements of the talk say I or we.
func (e *Extract) lowerRemarks() {
	if !e.namesTellers() {
		return
	}
	for i := range e.sentences {
		s := &e.sentences[i]
		s.factor = int32(int64(s.factor) * remarkFactors[s.spoken.kind] / plain)
	}
}
