package digest

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/extract"
)

// leastWhole is the minimum room per request, in bytes, at which only the longest requests are clipped. With less room,
// sentences are chosen instead, because something that the user said once is worth more than a request that was
// repeated many times.
const leastWhole = 200

// tersely sets out[from:to] to the most distinctive sentences from the requests of these turns, in about size bytes
// altogether. It marks omitted sentences.
func (k *turnLog) tersely(out []string, from, to, size int) {
	terse := k.termsOfRequests()
	for budget, n := size, 0; n < logTries; n++ {
		used := 0
		clear(out[from:to])
		chosen := terse.Choose(budget)
		for n := 0; n < len(chosen); {
			i := chosen[n].Item
			end := n + 1
			for end < len(chosen) && chosen[end].Item == i {
				end++
			}
			if i >= from && i < to {
				if s := sentencesOf(k.requestTexts[i], chosen[n:end]); !isRemnant(s) {
					out[i] = s
					used += len(s) + requestFrame
				}
			}
			n = end
		}
		if used <= size {
			return
		}
		if n == logTries-1 { // after the last try, omit the oldest requests
			for i := from; i < to && used > size; i++ {
				if out[i] != "" {
					used -= len(out[i]) + requestFrame
					out[i] = ""
				}
			}
			return
		}
		budget -= (used - size) * 9 / 8
	}
}

// termsOfRequests returns an extract of the requests of all turns.
func (k *turnLog) termsOfRequests() *extract.Extract {
	if k.terse == nil {
		items := make([]extract.Item, len(k.turns))
		for i := range k.turns {
			text := k.tidied[i]
			if strings.Count(text, "\n") > manyLines {
				text = clipRequest(text, leastNewest)
			}
			k.requestTexts = append(k.requestTexts, text)
			items[i] = extract.Item{Text: text, Uncut: true}
		}
		k.terse = extract.New(items, nil)
	}
	return k.terse
}

// sentencesOf returns the chosen sentences of text, with a mark wherever words were left out: before, between or after
// them.
func sentencesOf(text string, chosen []extract.Chosen) string {
	var b strings.Builder
	at := 0
	for _, c := range chosen {
		between := text[at:c.From]
		switch {
		case hasWords(between):
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(clippedMark + " ")
		case b.Len() > 0:
			b.WriteString(between)
		}
		b.WriteString(c.Text(text))
		at = c.To
	}
	if hasWords(text[at:]) {
		b.WriteString(" " + clippedMark)
	}
	return b.String()
}

// hasWords reports whether text contains anything but punctuation.
func hasWords(text string) bool {
	return strings.ContainsFunc(text, inWord)
}
