package tokens_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/tokens"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/wire"
	"github.com/ctxfold/ctxfold/internal/testing/gen"
)

// models lists a model of each tokenizer family.
var models = []string{"", "claude-sonnet-4", "gpt-4o", "gpt-4", "llama-3", "gemini-2.5-pro"}

// mostOfFile is the number of tokens that hosts count for an image or a file in addition to its bytes.
const mostOfFile = 1600

// Hosts answer without the module while a conversation has fewer bytes than its limit has tokens. So no text may be estimated at more
// tokens than bytes.
func TestNoMoreTokensThanBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	alphabets := [][]rune{[]rune(`{}[]":,\/`), []rune("\x01\x02\x1f\x7f"), []rune("aZ9 \n\t_-"), []rune("éßñ漢字한글ไทย"), []rune("😀🏳️‍🌈\U000e0041\U0010fffd"), {0xfffd, 0x2028, 0xa0}}
	for _, model := range models {
		p := tokens.ByName(tokens.Default).For(model)
		for range 3000 {
			text := make([]rune, 1+r.IntN(400))
			for i := range text {
				a := alphabets[r.IntN(1+r.IntN(len(alphabets)))]
				text[i] = a[r.IntN(len(a))]
			}
			if n := p.Text(string(text)); n > len(string(text)) {
				t.Fatalf("%s: %d tokens for %d bytes: %q", model, n, len(string(text)), string(text))
			}
			src, _ := json.Marshal(string(text))
			s := jsonspan.New(src)
			s.Weigh = p.Automaton
			if n := p.Measure(s.Text().JSON()); n > len(src) {
				t.Fatalf("%s: %d tokens for %d bytes of JSON: %s", model, n, len(src), src)
			}
		}
	}
}

// The same holds for whole conversations, whose framing takes fewer tokens than its JSON has bytes.
func TestNoMoreTokensThanBytesOfJSON(t *testing.T) {
	for _, format := range gen.Formats() {
		r := rand.New(rand.NewPCG(3, 4))
		for range 60 {
			src := append(append([]byte("["), bytes.Join(rendered(gen.New(r, gen.Options{Messages: 12, Broken: r.IntN(3) == 0}).Render(format, r)), []byte(","))...), ']')
			for _, model := range models[:5] { // Gemini counts a small image file by its pixels
				p := tokens.ByName(tokens.Default).For(model)
				s := jsonspan.New(src)
				s.Weigh = p.Automaton
				tr := wire.ByName(format).Read(s)
				if err := s.Err(); err != nil {
					t.Fatal(format, err)
				}
				most, n := len(src), p.OutsideMessages(tr)
				for i := range tr.Messages {
					n += p.Message(tr, i)
				}
				for _, part := range tr.Parts {
					if part.Kind == transcript.Image || part.Kind == transcript.File || part.Kind == transcript.Audio {
						most += mostOfFile
					}
				}
				if n > most {
					t.Fatalf("%s, %q: %d tokens, at most %d expected: %s", format, model, n, most, src)
				}
			}
		}
	}
}

func rendered(messages []json.RawMessage) [][]byte {
	out := make([][]byte, len(messages))
	for i, m := range messages {
		out[i] = m
	}
	return out
}
