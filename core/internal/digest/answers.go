package digest

import (
	"bytes"
	"cmp"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// Users also answer questions that a tool asks, comment when they refuse a tool call, and type while the agent is
// working. In these cases their words are in a tool result. This file finds them. It knows the formats of Claude Code,
// Codex, OpenCode, pi, Cline and its relatives, Gemini CLI and VS Code.

// answer is something that the user said through a tool.
type answer struct {
	about string // the question or the refused call, not in the user's words; "" if the answer is clear alone
	words string // what the user said
}

// text returns the answer, preceded by the question or the refused call if there is one.
func (a answer) text() string {
	if a.about == "" {
		return a.words
	}
	return a.about + a.words
}

// Limits: the maximum lengths of an answer and of a question, the numbers of bytes that are searched at the beginning
// and at the end of a result, and the maximum number of answers in one result.
const (
	longestAnswer   = maxRequest
	longestQuestion = 300
	resultHead      = 400
	resultTail      = 1 << 14
	mostAnswers     = 20
)

// questionTools lists the names, as ToolKey returns them, of tools that ask the user something.
var questionTools = wordListOf("askuserquestion askuser askuserquestions askquestion askquestions askfollowupquestion requestuserinput question questions " +
	"questionnaire askhuman humaninput getuserinput userinput promptuser askclarification clarify elicit fnaskquestion planmoderespond vscodeaskquestions interview")

// bareTool returns what ToolKey returns for a tool's name without its leading server name or namespace.
func bareTool(name string) string { return ToolKey(ownName(name)) }

// hasTool reports whether the list contains the result of bareTool for name.
func (l wordList) hasTool(name string) bool {
	var room [32]byte
	return l.table.Has(string(appendToolKey(room[:0], ownName(name))))
}

// heardIn returns the user's words in the tool result at part n: answers to a tool's questions or the comment on a
// refused call, then messages that the user sent meanwhile. It returns nil if there are none.
func heardIn(t *transcript.Transcript, n int32) []answer {
	p := &t.Parts[n]
	raw := t.Bytes(p.Body)
	if p.Body.IsZero() {
		raw = t.Bytes(p.Span)
	}
	asks := questionTools.hasTool(ToolName(t, int(n)))
	queued, tagged, refusal := marksIn(raw)
	if !asks && !queued && !refusal && !tagged {
		return nil
	}
	text := Tidy(ResultText(t, int(n))) // few results get this far
	var answers []answer
	if asks && !p.Has(transcript.IsError) {
		var call *transcript.Part
		if p.Pair >= 0 {
			call = &t.Parts[p.Pair]
		}
		answers = answersOf(text, questionsOf(t, call))
	}
	if len(answers) == 0 && (p.Has(transcript.IsError) || !t.Failures || tagged) {
		if words := refusalWords(text); words != "" {
			answers = refused(t, n, words)
		}
	}
	if queued {
		for _, words := range queuedAtEnd(text) {
			answers = append(answers, answer{words: words})
		}
	}
	return answers
}

// marksIn reports how the user's words may appear in a result: in a queued message, in tags, or with a refusal. raw is
// the result as JSON. For most results, the beginning and the end of the string rule out all three.
func marksIn(raw []byte) (queued, tagged, refusal bool) {
	head, tail := raw[:min(len(raw), resultHead+longestTag)], raw[max(0, len(raw)-resultTail):]
	look, end := tail, tail
	refusal = true
	if len(raw) > 2 && raw[0] == '"' {
		start := 1
		for start+2 < len(raw) && raw[start] == ' ' {
			start++
		}
		if raw[start] != '[' && raw[start] != '\\' && !refusalStart.may(string(raw[start:start+2])) {
			refusal, look = false, head
		}
		end = tail[:spokenEnd(tail)]
		end = end[max(0, len(end)-2*len(reminderEnd)):]
	}
	refusal = refusal && bytes.Contains(head, []byte("ser")) && (bytes.Contains(head, []byte("he user ")) || bytes.Contains(head, []byte("ejected")) ||
		bytes.Contains(head, []byte("enied")))
	queued = bytes.Contains(end, []byte("system-reminder")) && bytes.Contains(tail, []byte("The user sent "))
	return queued, hasSign(look, "eedback>", len("eedback>")-1), refusal
}

// hasSign reports whether text contains sign. rare is the index of a byte in sign that is rare in texts; the search
// looks for that byte first.
func hasSign(text []byte, sign string, rare int) bool {
	for from := rare; from < len(text); from++ {
		n := bytes.IndexByte(text[from:], sign[rare])
		if n < 0 {
			return false
		}
		if from += n; bytes.HasPrefix(text[from-rare:], []byte(sign)) {
			return true
		}
	}
	return false
}

// spokenEnd returns the offset in raw at which the text of a JSON string ends, without trailing white space. raw must
// include the end of the string.
func spokenEnd(raw []byte) int {
	n := len(raw) - 1
	for n > 1 {
		switch c := raw[n-1]; {
		case c == ' ':
			n--
		case (c == 'n' || c == 'r' || c == 't') && raw[n-2] == '\\':
			n -= 2
		default:
			return n
		}
	}
	return n
}

// cutWords trims the user's words and shortens them to the maximum length of an answer.
func cutWords(words string) string { return Clip(strings.TrimSpace(words), longestAnswer) }

// question is a question that a question tool asks the user.
type question struct{ id, text string }

// questionsOf returns the questions in a call's arguments, at most mostAnswers, with their ids if they have any. call
// may be nil.
func questionsOf(t *transcript.Transcript, call *transcript.Part) (questions []question) {
	if call == nil {
		return nil
	}
	id := ""
	arguments(t, call, func(key, text string) {
		switch key {
		case "id", "header", "label":
			if key == "id" {
				id = text
			}
		case "question", "prompt", "message", "text":
			if len(questions) < mostAnswers {
				questions = append(questions, question{id, text})
				id = ""
			}
		}
	})
	return questions
}

// toQuestion returns the label that precedes an answer and contains its question; "" if the question is empty.
func toQuestion(question string) string {
	if question = clipLine(question, longestQuestion); question == "" {
		return ""
	}
	return "asked: " + question + " - answered: "
}

// answersOf returns the answers in text, the result of a question tool, or nil if the user gave none.
func answersOf(text string, questions []question) (answers []answer) {
	if words := taggedWords(text); words != "" {
		return []answer{{only(questions), words}}
	}
	if strings.HasPrefix(text, "{") {
		if found, ok := answersIn(text, questions); ok {
			return found
		}
	}
	if rest, found := cutAnswersHead(text); found {
		return quotedAnswers(rest, questions)
	}
	if words := answerWords(text); words != "" {
		return []answer{{only(questions), words}}
	}
	return nil
}

// only returns the label of a single answer that applies to all of the questions; "" if there are no questions.
func only(questions []question) string {
	if len(questions) == 0 {
		return ""
	}
	texts := make([]string, len(questions))
	for i, q := range questions {
		texts[i] = q.text
	}
	return toQuestion(strings.Join(texts, " "))
}

// cutAnswersHead removes the heading that several agents put before answers, and their sentence after the answers.
// found is false if text has no such heading; rest is then text.
func cutAnswersHead(text string) (rest string, found bool) {
	for _, head := range []string{"User has answered your questions:", "Your questions have been answered:", "The user answered your questions:", "User answered your questions:"} {
		if rest, found = strings.CutPrefix(text, head); found {
			for _, end := range []string{" You can now continue", "\n\nYou can now continue"} {
				if at := strings.LastIndex(rest, end); at >= 0 {
					rest = rest[:at]
				}
			}
			return strings.TrimSuffix(strings.TrimSpace(rest), "."), true
		}
	}
	return text, false
}

// quotedAnswers parses answers of the form "question"="answer", separated by commas, in which an arrow may replace the
// equals sign. If the questions are known, it splits the text at them, so quotation marks inside questions and answers
// cause no errors; questions that don't occur are left out. Otherwise it reads at most mostAnswers answers.
func quotedAnswers(text string, questions []question) (answers []answer) {
	text = strings.ReplaceAll(text, `" → "`, `"="`)
	text = strings.ReplaceAll(text, `" -> "`, `"="`)
	if len(questions) == 0 || !strings.Contains(text, `"`+questions[0].text+`"="`) {
		for len(answers) < mostAnswers {
			q, rest, found := strings.Cut(text, `"="`)
			if !found {
				break
			}
			a, next, _ := strings.Cut(rest, `", "`)
			answers = addAnswer(answers, strings.TrimLeft(q, "\", \n-"), a)
			text = next
		}
		return answers
	}
	for i, q := range questions {
		_, rest, found := strings.Cut(text, `"`+q.text+`"="`)
		if !found {
			continue
		}
		text = rest
		end := len(rest)
		for _, next := range questions[i+1:] {
			if at := strings.Index(rest, `"`+next.text+`"="`); at >= 0 {
				end = at
				break
			}
		}
		answers = addAnswer(answers, q.text, rest[:end])
	}
	return answers
}

// addAnswer appends the answer to a question, if the user gave one. text is the quoted choice, perhaps with notes.
func addAnswer(answers []answer, question, text string) []answer {
	notes := ""
	if at := strings.Index(text, "user notes: "); at >= 0 {
		notes = strings.Trim(text[at+len("user notes: "):], "\", \n.")
		text = text[:at]
	}
	if at := strings.Index(text, `" selected preview:`); at >= 0 {
		text = text[:at]
	}
	words := strings.Trim(text, "\", \n")
	if noAnswer(words) {
		words = ""
	}
	if notes != "" {
		words = strings.TrimSpace(words + " (" + notes + ")")
	}
	if words == "" {
		return answers
	}
	return append(answers, answer{toQuestion(question), cutWords(words)})
}

// noAnswer reports whether text says that the user gave no answer.
func noAnswer(text string) bool {
	switch strings.ToLower(strings.Trim(text, "().\" ")) {
	case "", "unanswered", "no option selected", "no answer provided", "none", "null", "cancelled", "canceled", "skipped", "[no preference]":
		return true
	}
	return false
}

// answerHeads lists the labels that agents put before an answer in the user's own words.
var answerHeads = []string{"User has answered: ", "User answered: ", "User wrote: ", "User selected: ", "User responded: ", "User response: ", "User replied: ", "User's answer: ",
	"User's response: ", "User said: ", "The user answered: ", "The user said: ", "The user responded: ", "The user selected: ", "The user replied: ", "Answer: ", "User: ",
	"user selected: ", "user wrote: "}

// noWords lists the beginnings of a question tool's results that contain no answer by the user.
var noWords = []string{"User cancelled", "User canceled", "User dismissed", "The user dismissed", "The user cancelled", "The user canceled", "The user declined", "User declined",
	"User did not", "The user did not", "User submitted without", "No response", "Timed out", "timeout", "Error", "[User", "Cancelled", "User skipped", "No answer",
	"Interrupted", "aborted by user", "request_user_input", "Answer questions?", "The user doesn't want", "The user rejected", "Permission"}

// answerWords returns an answer in the user's own words, without its label, or "" if the text says there is no answer.
func answerWords(text string) string {
	text = strings.TrimSpace(text)
	for _, start := range noWords {
		if strings.HasPrefix(text, start) {
			return ""
		}
	}
	for _, head := range answerHeads {
		if rest, found := strings.CutPrefix(text, head); found {
			text = rest
			break
		}
	}
	if rest := strings.TrimLeft(text, "0123456789"); len(rest) < len(text) && strings.HasPrefix(rest, ". ") {
		text = rest[2:] // a numbered choice
	}
	text = strings.Trim(text, `" `)
	if noAnswer(text) {
		return ""
	}
	return cutWords(text)
}

// answerKeys lists the names, as ToolKey returns them, of members that hold an answer in a result.
var answerKeys = wordListOf("answers answer response responses reply text selected selection selections selectedoptions value values choice choices freetext freeform notes note input userinput content other custom")

// answersIn parses answers in JSON, such as {"answers":{"id":{"answers":["…"]}}}. If text isn't
// JSON, or none of its members is named in answerKeys, ok is false and answers is nil.
func answersIn(text string, questions []question) (answers []answer, ok bool) {
	src := []byte(text)
	s := jsonspan.New(src)
	if s.Skip(); s.Err() != nil {
		return nil, false
	}
	s = jsonspan.New(src)
	for key := range s.Members {
		name := ToolKey(string(key))
		if !answerKeys.has(name) {
			s.Skip()
			continue
		}
		ok = true
		if name == "answers" && s.Kind() == jsonspan.Object {
			answers = append(answers, answersByID(s, src, questions)...)
			continue
		}
		if words := joinedStrings(s, src); !noAnswer(words) {
			answers = append(answers, answer{only(questions), cutWords(words)})
		}
	}
	return answers, ok
}

// questionFor returns the question that the key of an answer means, by its id, its text or its position. If it is none
// of these, place, the position of the answer, determines the question, or else the key itself is the question.
func questionFor(key string, place int, questions []question) string {
	about := ""
	for i, q := range questions {
		if q.id == key && q.id != "" || q.text == key || key == itoa(i) {
			about = q.text
			break
		}
	}
	if about == "" && place < len(questions) && len(key) < 40 {
		about = questions[place].text
	}
	return cmp.Or(about, key)
}

// answersByID reads an object that maps each question to its answer. The keys are the ids, the texts or the positions
// of the questions. There are at most mostAnswers of them.
func answersByID(s *jsonspan.Scanner, src []byte, questions []question) (answers []answer) {
	place := 0
	for s.Object(); s.Err() == nil && len(answers) < mostAnswers; place++ {
		key, more := s.Key()
		if !more {
			return answers
		}
		about := questionFor(string(key), place, questions)
		if words := joinedStrings(s, src); !noAnswer(words) {
			answers = append(answers, answer{toQuestion(about), cutWords(words)})
		}
	}
	return answers
}

// joinedStrings returns the strings in the next value of s, joined with commas. In objects, it uses only the members
// named "label" or listed in answerKeys.
func joinedStrings(s *jsonspan.Scanner, src []byte) string {
	var all []string
	stringsIn(s, src, "answers", func(key, text string) {
		if text = strings.TrimSpace(strings.TrimPrefix(text, "user_note: ")); text != "" && (answerKeys.has(ToolKey(key)) || ToolKey(key) == "label") {
			all = append(all, text)
		}
	})
	return strings.Join(all, ", ")
}

// clarified returns the answers in a report by Claude Code that says the user wants to discuss the questions before
// answering all of them. Questions without an answer are left out.
func clarified(text string) (answers []answer) {
	_, list, _ := strings.Cut(text, "Questions asked:")
	about := ""
	for line := range strings.Lines(list) {
		line = strings.TrimSpace(line)
		if q, found := strings.CutPrefix(line, "- "); found {
			about = strings.Trim(q, `"`)
		} else if a, found := strings.CutPrefix(line, "Answer: "); found && len(answers) < mostAnswers {
			answers = addAnswer(answers, about, a)
		}
	}
	return answers
}
