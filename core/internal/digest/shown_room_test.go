package digest

import (
	"strconv"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/extract"
)

// Passages of files give way to the entries of the log: if the entries fit, so do the entries with passages. Otherwise
// only requests would be kept, because the room that entries take doesn't always shrink with the number of chosen
// units.
func TestPassagesGiveWayToEntries(t *testing.T) {
	k := turnLog{room: []byte(strings.Repeat("entry\n", 1200))}
	var quotes []extract.Chosen
	for n := range 8 {
		q := fileQuote{turn: 1, path: "kiln" + strconv.Itoa(n) + ".go", factor: 100}
		for line := range 8 {
			q.text += "letter" + strconv.Itoa(n*8+line) + " := mail(owner, shelf)\n"
		}
		k.items = append(k.items, extract.Item{Text: q.text, Factor: q.factor, Whole: true})
		k.units = append(k.units, place{unit: n})
		k.quotes = append(k.quotes, q)
		quotes = append(quotes, extract.Chosen{Item: n})
	}
	shown := -1
	for room := len(k.room); room < len(k.room)+4000; room += 100 {
		files := k.showBeside(quotes, room)
		if size := sizeWith(len(k.room), files); size > room {
			t.Errorf("%d bytes of passages: the log has %d bytes in %d", len(files), size, room)
		}
		shown = max(shown, len(files))
	}
	if shown < 1000 {
		t.Errorf("at most %d bytes of passages are shown", shown)
	}
}
