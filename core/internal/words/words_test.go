package words

import (
	"slices"
	"strings"
	"testing"
)

func texts(s string) (out []string) {
	for _, w := range Append(nil, s) {
		out = append(out, s[w.From:w.End])
	}
	return out
}

func TestAppend(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"spaces and signs", "I went, yesterday: to St. Mary's (again)!", "I went yesterday to St Mary s again"},
		{"digits", "room 12b at 9:30, $1,200.50", "room 12b at 9 30 1 200 50"},
		{"other scripts with spaces", "Я живу в Одессе; أعيش في القاهرة", "Я живу в Одессе أعيش في القاهرة"},
		{"marks belong to their letters", "मैं दिल्ली में", "मैं दिल्ली में"},
		{"pairs", "我住在里斯本。", "我住 住在 在里 里斯 斯本"},
		{"a sign alone", "在 2024 年", "在 2024 年"},
		{"kana and han", "東京タワー", "東京 京タ タワ ワー"},
		{"hangul", "서울에 산다", "서울 울에 산다"},
		{"a word beside signs", "用Python写", "用 Python 写"},
		{"invalid bytes", "a\xffb\xe4\xbd", "a b"},
		{"nothing", " .-– ", ""},
	} {
		if got := strings.Join(texts(c.text), " "); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestStems(t *testing.T) {
	stem := func(w string) uint32 { return Append(nil, w)[0].Stem }
	for _, same := range []string{"move moved moves moving Moving MOVED", "run runs running", "study studies studied", "city cities", "walk walked walking walks",
		"wohne wohnen", "книга книгу книге", "house houses"} {
		forms := strings.Fields(same)
		for _, f := range forms[1:] {
			if stem(f) != stem(forms[0]) {
				t.Errorf("%s and %s have two stems", forms[0], f)
			}
		}
	}
	for _, other := range []string{"Porto Lisbon", "2023 2024", "12b 12", "cat car", "thing th"} {
		forms := strings.Fields(other)
		if stem(forms[0]) == stem(forms[1]) {
			t.Errorf("%s and %s have one stem", forms[0], forms[1])
		}
	}
}

func TestKinds(t *testing.T) {
	var got []Kind
	for _, w := range Append(nil, "is Anna Éva b2 日本 éa") {
		got = append(got, w.Kind)
	}
	if want := []Kind{Short, Capital, Capital, Digit, Pair, Short}; !slices.Equal(got, want) {
		t.Errorf("kinds %v, want %v", got, want)
	}
}

func BenchmarkAppend(b *testing.B) {
	for name, text := range map[string]string{
		"ascii":    "We moved to Lisbon in March because Anna found a job at the harbour there, and the flat costs 1,240 a month. ",
		"cyrillic": "Мы переехали в Лиссабон в марте, потому что Анна нашла там работу в порту, и квартира стоит 1240 в месяц. ",
		"han":      "我们三月搬到了里斯本，因为安娜在那里的港口找到了工作，公寓每月租金一千二百四十欧元。",
	} {
		text = strings.Repeat(text, 1<<20/len(text))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			var ws []Word
			for b.Loop() {
				ws = Append(ws[:0], text)
			}
		})
	}
}
