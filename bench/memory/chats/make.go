package chats

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Message is a message of a conversation, in OpenAI's chat format. Name and Timestamp are set in conversations that use
// them for the speaker and the time.
type Message struct {
	Role      string `json:"role"`
	Name      string `json:"name,omitempty"`
	Timestamp string `json:"timestamp,omitempty"`
	Content   string `json:"content"`
}

// Question is a question whose answer is in one message.
type Question struct {
	Kind     string   `json:"kind,omitempty"`
	Question string   `json:"question"`
	Answer   string   `json:"answer"`
	Evidence []int    `json:"evidence"`        // indexes of the messages that contain the answer
	Named    bool     `json:"named,omitempty"` // whether the question names a thing or a person that the message names too
	Stale    []string `json:"stale,omitempty"` // earlier answers
}

// Chat is a conversation with questions about it.
type Chat struct {
	Name      string     `json:"name"`
	Language  *Language  `json:"-"`
	Messages  []Message  `json:"messages"`
	Questions []Question `json:"questions"`
}

// Size is the approximate size of a conversation in tokens.
const Size = 24000

// fact is something that a person says, possibly a second time with another answer.
type fact struct {
	kind    *kind
	speaker int
	slots   slots
	asked   bool
	said    int // how many times it has been told
	answers []string
	index   int // index of the message with the newest answer
}

// telling is one mention of a fact in a conversation.
type telling struct {
	at   int // in thousandths of the conversation
	fact *fact
	echo string // a remark about its subject that doesn't tell the fact itself
}

// Make makes a conversation of about Size tokens, as counted by count: between two people, or a user and an assistant.
func Make(l *Language, assistant bool, seed int, count func(string) int) *Chat {
	return l.chat(assistant, true, seed, count)
}

// SmallTalk makes a conversation between a user and an assistant in which nobody says anything of lasting interest.
func SmallTalk(l *Language, seed int, count func(string) int) []Message {
	return l.chat(true, false, seed, count).Messages
}

// random returns a stream of random numbers for a seed, which differs between languages.
func (l *Language) random(seed int) *random {
	r := random(uint64(seed) * 0x5851f42d4c957f2d)
	for _, c := range []byte(l.Code) {
		r = random(uint64(r)*31 + uint64(c))
	}
	return &r
}

func (l *Language) chat(assistant, told bool, seed int, count func(string) int) *Chat {
	r := l.random(seed)
	w := &writer{l, r, map[string]*deck{}, map[string]*deck{}, false}
	names := l.pairs[r.below(len(l.pairs))]
	c := &Chat{Name: fmt.Sprintf("%s, two people, seed %d", l.Name, seed), Language: l}
	subject := names
	if assistant {
		c.Name = fmt.Sprintf("%s, assistant, seed %d", l.Name, seed)
		subject = []string{l.user}
	}
	var facts []*fact
	var plan []telling
	if told {
		facts, plan = w.plan(subject)
	}
	m := &maker{writer: w, chat: c, assistant: assistant, names: names, plan: plan, style: r.below(3), count: count}
	m.talk()
	seen := map[string]bool{}
	for _, f := range facts {
		if f.said == 0 {
			continue
		}
		asked, _ := w.fill(f.kind.question, f.slots, true)
		if last := len(f.answers) - 1; (f.asked || last > 0) && !seen[asked] {
			c.Questions = append(c.Questions, Question{f.kind.name, asked, f.answers[last], []int{f.index}, f.kind.many, f.answers[:last]})
		}
		seen[asked] = true
	}
	slices.SortStableFunc(c.Questions, func(a, b Question) int { return cmp.Compare(a.Evidence[0], b.Evidence[0]) })
	return c
}

// The maximum number of facts of one kind in a conversation, and the percentage of facts with a question: more facts
// are told than asked about.
const (
	most  = 16
	asked = 45
)

// again reports whether the values in the question about a kind of fact have all been used before.
func (w *writer) again(k *kind) bool {
	for _, part := range strings.Split(k.question, "{")[1:] {
		name, _, _ := strings.Cut(part, "}")
		name, _, _ = strings.Cut(name, "~")
		if d := w.decks[strings.TrimRight(name, "23456789")]; name != "friend" && d != nil && d.round > 0 {
			return true
		}
	}
	return false
}

// echoed returns the list whose value the question about a kind names, if there are remarks about values of that list.
func (w *writer) echoed(k *kind) string {
	for _, part := range strings.Split(k.question, "{")[1:] {
		name, _, _ := strings.Cut(part, "}")
		if len(w.echoes[name]) > 0 {
			return name
		}
	}
	return ""
}

// plan decides which facts are told, when, and which of them change.
func (w *writer) plan(subject []string) (facts []*fact, plan []telling) {
	for s, who := range subject {
		for _, k := range w.facts {
			n := 1
			if k.many {
				n = most / len(subject)
			}
			for range n {
				f := &fact{kind: k, speaker: s, slots: slots{"me": who}, asked: w.r.chance(asked)}
				if w.fill(k.question, f.slots, true); w.again(k) {
					break // two facts with one question
				}
				facts = append(facts, f)
				at := w.r.below(1000)
				changes := len(k.news) > 0 && w.r.chance(map[bool]int{false: 75, true: 40}[k.many])
				if changes {
					at = w.r.below(600)
					plan = append(plan, telling{at + 150 + w.r.below(850-at), f, ""})
				}
				plan = append(plan, telling{at, f, ""})
				if list := w.echoed(k); list != "" {
					for range w.r.below(3) {
						plan = append(plan, telling{at + w.r.below(1000-at), f, w.r.of(w.echoes[list])})
					}
				}
			}
		}
	}
	slices.SortStableFunc(plan, func(a, b telling) int { return cmp.Compare(a.at, b.at) })
	return facts, plan
}

// maker writes the messages of a conversation.
type maker struct {
	*writer
	chat      *Chat
	assistant bool
	names     []string
	plan      []telling
	style     int
	count     func(string) int
	clock     time.Time
}

// How a conversation shows the speaker and the time.
const (
	dateLines = iota // a line with the date at the beginning of a day
	prefixes         // date lines, and every message begins with a name
	metadata         // members besides the text
)

func (m *maker) talk() {
	want := 640 + m.r.below(240)
	total := 0
	m.clock = time.Date(2022+m.r.below(4), time.Month(1+m.r.below(12)), 1+m.r.below(28), 0, 0, 0, 0, time.UTC)
	day := 0 // messages left on this day
	for i := 0; total < Size || i%2 == 1; i++ {
		began := day == 0
		if began {
			day = 12 + m.r.below(20)
			m.clock = m.clock.AddDate(0, 0, 2+m.r.below(20))
			m.clock = time.Date(m.clock.Year(), m.clock.Month(), m.clock.Day(), 8+m.r.below(12), 5*m.r.below(12), 0, 0, time.UTC)
		}
		day--
		room := Size / want * (35 + m.r.below(130)) / 100
		if m.assistant {
			room = room * (60 + 80*(i%2)) / 100
		}
		text := m.message(i, total*1000/Size, room, began)
		total += m.append(i%2, text, began)
		m.clock = m.clock.Add(time.Duration(20+m.r.below(200)) * time.Second)
	}
}

// message writes text of about room tokens. at is its position, in thousandths of the conversation.
func (m *maker) message(i, at, room int, began bool) string {
	var parts []string
	size := 0
	say := func(text string) {
		parts = append(parts, text)
		size += m.count(text)
	}
	plain := func(what string, list []string) {
		text, _ := m.fill(m.line(what, list), slots{}, false)
		say(text)
	}
	if !began && m.r.chance(45) {
		plain("react", m.react)
	}
	answers := m.assistant && i%2 == 1
	if !answers {
		for k, t := range m.plan {
			if t.at > at {
				break
			}
			if t.echo != "" || t.fact.speaker != i%2 {
				continue
			}
			m.plan = slices.Delete(m.plan, k, k+1)
			say(m.tell(t.fact, i))
			break
		}
	}
	for k, t := range m.plan {
		if t.at > at {
			break
		}
		if t.echo != "" && t.fact.said > 0 {
			m.plan = slices.Delete(m.plan, k, k+1)
			text, _ := m.fill(t.echo, maps.Clone(t.fact.slots), false)
			say(text)
			break
		}
	}
	for size < room {
		switch {
		case answers && m.r.chance(60):
			plain("advise", m.advise)
		case m.r.chance(15):
			plain("ask", m.ask)
		default:
			plain("fill", m.writer.Language.fill)
		}
	}
	if len(parts) == 0 {
		plain("react", m.react)
	}
	if m.Dense {
		return strings.Join(parts, "")
	}
	return strings.Join(parts, " ")
}

func (m *maker) tell(f *fact, i int) string {
	template := m.r.of(f.kind.says)
	if f.said > 0 {
		template = m.r.of(f.kind.news)
		names := marked(template)
		old := f.slots[names[0]]
		for _, name := range names {
			delete(f.slots, name)
		}
		f.slots["old"] = old
	}
	text, answer := m.fill(template, f.slots, true)
	if end, found := strings.CutSuffix(text, m.period); found && m.r.chance(35) {
		tail, _ := m.fill(m.line("tail", m.tail), slots{}, false)
		text = end + tail + m.period
	}
	f.said++
	f.index = i
	f.answers = append(f.answers, answer)
	return text
}

// append adds a message to the conversation and returns its tokens.
func (m *maker) append(speaker int, text string, began bool) int {
	msg := Message{Role: []string{"user", "assistant"}[speaker]}
	switch {
	case m.style == metadata:
		msg.Timestamp = m.clock.Format(time.RFC3339)
		if !m.assistant {
			msg.Name = m.names[speaker]
		}
	default:
		if m.style == prefixes && !m.assistant {
			text = m.names[speaker] + ": " + text
		}
		if began {
			text = "[" + m.dated(m.day, m.clock.Day(), int(m.clock.Month())-1, m.clock.Year()) + m.clock.Format(", 15:04") + "]\n" + text
		}
	}
	msg.Content = text
	m.chat.Messages = append(m.chat.Messages, msg)
	return m.count(text) + 4
}

// Writer fills in templates outside of a conversation, with names and times that no conversation contains.
type Writer struct{ w *writer }

// NewWriter returns a Writer for a language's templates.
func NewWriter(l *Language, seed int) *Writer {
	return &Writer{&writer{l, l.random(seed ^ 0x4f6cdd1d), map[string]*deck{}, map[string]*deck{}, true}}
}

// Fill fills in the slots of a template. It returns the text, and the parts of it that the template encloses in [ ].
func (w *Writer) Fill(template string) (text, marked string) {
	return w.w.fill(template, slots{}, false)
}

// Below returns a number from 0 to n-1.
func (w *Writer) Below(n int) int { return w.w.r.below(n) }
