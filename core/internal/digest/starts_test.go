package digest

import (
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// starts finds every prefix in a list, in any case, and in a JSON string also after white space. It excludes most other
// texts.
func TestStarts(t *testing.T) {
	for _, list := range [][]string{announceHeads, announceSigns, wonderHeads, praise, contestHeads, contestSigns, friendlyHeads, backSigns, injected, outputMarks,
		refusalStarts, codeStarts, projectStarts, skillStarts, stubs, failedRequests} {
		s := startsOf(list)
		for _, text := range list {
			for _, spelled := range []string{text, strings.ToUpper(text), strings.ToLower(text)} {
				if !s.may(spelled) {
					t.Errorf("%q", spelled)
				}
				for _, before := range []string{"", " ", `\n\n`, "\u00a0"} {
					if raw := `"` + before + spelled + `"`; !s.mayOpen([]byte(raw)) {
						t.Error(raw)
					}
				}
			}
		}
		if s.mayOpen([]byte(`"qzq"`)) {
			t.Errorf("%q may open with q", list)
		}
		if s.may("qzq") {
			t.Errorf("%q may begin with q", list)
		}
	}
}

// Whether a result is short enough to be a note depends on its text, not on how JSON spells it.
func TestNoteIn(t *testing.T) {
	for _, note := range []string{strings.Repeat("a", shortNote), strings.Repeat(`\n`, shortNote), strings.Repeat(`\u0061`, shortNote), strings.Repeat(`\ud83d\ude00`, shortNote/4)} {
		for n, body := range []string{note, note + "a"} {
			tr := &transcript.Transcript{Src: []byte(`"` + body + `"`)}
			tr.Parts = []transcript.Part{{Kind: transcript.ToolResult, Body: transcript.Span{End: uint32(len(tr.Src))}}}
			if long := len(noteIn(tr, 0)) > shortNote; long != (n == 1) {
				t.Errorf("%.12s: %d bytes", body, len(noteIn(tr, 0)))
			}
		}
	}
}

// If all answers together are too long, as many are read as there is room for: as many of the newest as of the oldest.
func TestThin(t *testing.T) {
	const size, count = 10000, 200
	tr := &transcript.Transcript{}
	old, closing := make([]int32, count), make([]bool, count)
	for i := range count {
		tr.Messages = append(tr.Messages, transcript.Message{First: int32(i), Count: 1})
		tr.Parts = append(tr.Parts, transcript.Part{Kind: transcript.Text, Size: transcript.Measure{Bytes: size}})
		old[i], closing[i] = int32(i), i%2 == 0
	}
	thin(tr, old, closing)
	var halves [2]int
	for i, is := range closing {
		if is {
			halves[i*2/count]++
		}
	}
	if sum := halves[0] + halves[1]; sum*size > mostClosing || (sum+2)*size < mostClosing || halves[0] < sum*2/5 || halves[1] < sum*2/5 {
		t.Errorf("%v answers of %d bytes each", halves, size)
	}
	few := []bool{true, false, true}
	if thin(tr, old[:3], few); !few[0] || few[1] || !few[2] {
		t.Error(few)
	}
}
