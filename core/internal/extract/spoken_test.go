package extract

import (
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/words"
)

func wordsOf(text string) []words.Word { return words.Append(nil, text) }

// talkOf returns what two people say in turn, as they say it to each other.
func talkOf(texts ...string) []Item {
	list := items(texts...)
	for i := range list {
		list[i].Spoken, list[i].Follows = true, i > 0
	}
	return list
}

// What people tell about themselves comes before remarks on it, although remarks have rarer words.
func TestSpokenRemarks(t *testing.T) {
	talk := talkOf(
		"I signed up for the course at last.",
		"Fabulous glazed crockery enchants discerning visitors!",
		"We sold our van in March, and I bought a cargo bike instead.",
		"Pedalling strengthens calves, lungs and stamina!",
	)
	want := "I signed up for the course at last. | We sold our van in March, and I bought a cargo bike instead."
	if got := chosen(talk, nil, 120); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	worth := func() (told, remarked int64) {
		e := New(talk, nil)
		e.Choose(500)
		return e.sentences[0].alone.gain, e.sentences[1].alone.gain
	}
	if told, remarked := worth(); told < 4*remarked {
		t.Errorf("the statement is worth %d, the remark %d", told, remarked)
	}
	for i := range talk {
		talk[i].Spoken = false
	}
	if told, remarked := worth(); told >= 4*remarked {
		t.Error("this talk tries nothing: its remarks are worth little anyway")
	}
}

// In languages whose verbs need no pronoun, a sentence without one may tell anything.
func TestSpokenWithoutPronouns(t *testing.T) {
	talk := talkOf("Compré una bicicleta roja para mi hija.", "Trabajo ahora de noche en el puerto.", "Vendí el coche viejo ayer.", "Estudio violín desde enero.")
	e := New(talk, nil)
	for i := range e.sentences {
		if f := e.sentences[i].factor; f < plain {
			t.Errorf("sentence %d has the factor %d", i, f)
		}
	}
}

func TestSpokenIn(t *testing.T) {
	for text, want := range map[string]spoken{
		"I repaired the fence.":              {told: true, teller: true, stated: true},
		"I repaired the fence yesterday.":    {told: true, teller: true, named: true, dated: true, stated: true},
		"You must be so proud.":              {kind: listener, yours: true, stated: true},
		"I can imagine how proud you were.":  {kind: both, told: true, teller: true, yours: true, stated: true},
		"What a brilliant harvest!":          {kind: exclaimed, stated: true},
		"Harvests need patience.":            {kind: remote, stated: true},
		"The bus to Leiden leaves at noon.":  {named: true, stated: true},
		"Fantastic news, Ingrid!":            {kind: exclaimed, stated: true},
		"Did you repair the fence?":          {},
		"what a brilliant harvest yes it is": {stated: true},
	} {
		ws := wordsOf(text)
		if got := spokenIn(text, ws, quoted(nil, text, ws), isQuestion(text), false, false); got != want {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
	ws := wordsOf("Harvests need patience.")
	if got := spokenIn("Harvests need patience.", ws, nil, false, true, false); got.kind != reaction {
		t.Errorf("a sentence that opens a message: %+v", got)
	}
	if got := spokenIn("Harvests need patience.", ws, nil, false, true, true); got.kind != remote {
		t.Errorf("a sentence that answers a question: %+v", got)
	}
}

// A sentence that refers to something later in its first clause is quoted with what names it.
func TestSpokenObject(t *testing.T) {
	got := chosen(talkOf("By the way, have you been to Gotland?", "I really had a blast there last month.", "How lovely!"), nil, 400)
	if want := "By the way, have you been to Gotland? | I really had a blast there last month."; !strings.HasPrefix(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for text, want := range map[string]bool{
		"I finally bought it in town":                   true,
		"My brother could never live without them":      true,
		"We said that there is no bread left":           false,
		"We drove to Porto and had lunch there":         false,
		"I repaired the old fence, and it holds":        false,
		"I took the ferry - it was late":                false,
		"At 9 I will be there":                          false,
		"Yesterday my cousin's dog didn't recognize it": true,
	} {
		ws := wordsOf(text)
		if got := hasObjectBefore(text, ws, quoted(nil, text, ws)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// A heart is no number, and a farewell with a name says nothing.
func TestIdleFarewells(t *testing.T) {
	for text, want := range map[string]bool{"<3.": true, "Bye Joost!": true, "x < 3": false, "Leave Joost!": false, "Bye, 3 of us": false} {
		if got := idle(text, wordsOf(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
