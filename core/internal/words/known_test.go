package words

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestFind compares Find with Append: the words with a stem of the query, and the total number of words.
func TestFind(t *testing.T) {
	texts := []string{"We moved to Lisbon in March because Anna found a job; moving was hard, Émile said, and élan is école. ECOLE 2023 room12b",
		"Мы переехали в Лиссабон в марте, потому что Анна нашла работу", "我们三月搬到了里斯本，因为安娜在那里的港口找到了工作 ok a b",
		"서울에 산다 東京タワー ใช้ภาษาไทย x\xffy naïve naive",
		"don’t—stop “now” 3〇々 東a京 中。文（字）的 的 tiếng Việt مرحبا بك שלום नमस्ते Ελλάδα «ой» a\u00a0b \xe4\xb8 \xe2\x80 й 住，在", "用\xe4\xb8", "İstanbul Straße ſ", "a→b ├── c │ ✓ done ₂ ⅓ ↄ Ⅷ ⭐ 😀 x", strings.Repeat("q", 100) + " " + strings.Repeat("é", 100)}
	var all []string
	for _, s := range texts {
		for _, w := range Append(nil, s) {
			all = append(all, s[w.From:w.End])
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var k Known
		of := map[uint32]int32{}
		for range 1 + rng.IntN(12) {
			word := all[rng.IntN(len(all))]
			for _, w := range Append(nil, word) {
				if term, added := k.Add(word, w); added {
					of[w.Stem] = int32(term)
				}
			}
		}
		for _, text := range texts {
			found, n := k.Find(nil, []byte(text))
			want := Append(nil, text)
			if n != len(want) {
				t.Fatalf("%d words, want %d: %q", n, len(want), text)
			}
			next := 0
			for _, f := range found {
				if !f.Exact {
					if _, known := of[want[f.Word].Stem]; known {
						t.Fatalf("%q is a relative, and has the stem", text[f.At:])
					}
					continue
				}
				for _, known := of[want[next].Stem]; !known; _, known = of[want[next].Stem] {
					next++
				}
				if int(f.Word) != next || f.At != want[next].From || f.Term != of[want[next].Stem] {
					t.Fatalf("found %+v, want word %d at %d of term %d in %q", f, next, want[next].From, of[want[next].Stem], text)
				}
				next++
			}
			for ; next < len(want); next++ {
				if _, known := of[want[next].Stem]; known {
					t.Fatalf("%q was not found in %q", text[want[next].From:want[next].End], text)
				}
			}
		}
	}
}

func TestFindRelatives(t *testing.T) {
	var k Known
	k.Add("psychology", Append(nil, "psychology")[0])
	found, _ := k.Find(nil, []byte("her psychologist has psych books"))
	if len(found) != 2 || found[0].Exact || found[0].Word != 1 || found[1].Word != 3 {
		t.Errorf("found %+v", found)
	}
	for range 3 * MostKnown { // a set that is full takes no more
		text := strings.Repeat("z", k.n) + "q"
		k.Add(text, Append(nil, text)[0])
	}
	if k.n != MostKnown {
		t.Errorf("the set has %d stems", k.n)
	}
}

func BenchmarkFind(b *testing.B) {
	var k Known
	const query = "When did Anna move to Lisbon? Когда Анна нашла работу 公寓每月"
	for _, w := range Append(nil, query) {
		k.Add(query, w)
	}
	for name, text := range map[string]string{
		"ascii":    "We moved to Lisbon in March because Anna found a job at the harbour there, and the flat costs 1,240 a month. ",
		"cyrillic": "Мы переехали в Лиссабон в марте, потому что Анна нашла там работу в порту, и квартира стоит 1240 в месяц. ",
		"han":      "我们三月搬到了里斯本，因为安娜在那里的港口找到了工作，公寓每月租金一千二百四十欧元。",
	} {
		text = strings.Repeat(text, 1<<20/len(text))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			var found []Found
			bytes := []byte(text)
			for b.Loop() {
				found, _ = k.Find(found[:0], bytes)
			}
		})
	}
}
