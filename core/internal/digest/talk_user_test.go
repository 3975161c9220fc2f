package digest_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// userChat returns a chat of a user and an assistant whose answers have about the given number of sentences, and the facts that the user has
// stated: names, numbers and titles.
func userChat(r *rand.Rand, turns, sentences int) (texts, facts []string) {
	name := func() string {
		return string(rune('A'+r.IntN(26))) + []string{"orven", "ilmar", "ustrel", "andeck", "ymova"}[r.IntN(5)] + string(rune('a'+r.IntN(26)))
	}
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	for range turns {
		a, b, n := name(), name(), 100+r.IntN(9900)
		text := pick("Thanks, that helps a lot. ", "Let me think about it. ", "Interesting, I didn't know that. ", "") + fmt.Sprintf(pick(
			"My neighbour %s has sold the boat to %s for %d crowns.", "We booked the cabin of %s near %s, number %d.", "I ordered the lamp %s from %s, order %d.",
			"Our teacher %s read us the book «%s» with %d pages.", "Die Werkstatt %s in %s verlangt %d Euro."), a, b, n) +
			pick(" What do you think of it?", " Can you tell me more about such things?", "")
		var answer strings.Builder
		for range sentences {
			place, year := name(), fmt.Sprint(1000+r.IntN(900))
			answer.WriteString(pick("In "+year+" the guild of "+place+" described how the hall of "+name()+" was built. ", "Many people in "+place+" say that you should take your time with such a decision. ",
				"Consider "+place+" too, which has "+year+" reviews. ", "It depends on what you expect from it. "))
		}
		texts = append(texts, text, answer.String())
		facts = append(facts, a, b, fmt.Sprint(n))
	}
	return texts, facts
}

// newestOfUser returns the user's messages, the newest first, in at most size bytes.
func newestOfUser(texts []string, size int) string {
	var kept []string
	for i := len(texts) - 2; i >= 0 && size > 0; i -= 2 {
		text := cutTo(texts[i], size)
		size -= len(text) + 1
		kept = append(kept, text)
	}
	return strings.Join(kept, "\n")
}

// A digest contains at least as many of the facts that the user stated as the user's newest messages would in the same
// number of bytes.
func TestNeverWorseThanTheUsersMessages(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 30))
		texts, facts := userChat(r, 12+r.IntN(20), 1+int(seed)%12)
		size := 0
		for _, text := range texts {
			size += len(text)
		}
		for _, percent := range []int{10, 25} {
			held := func(text string) (n int) {
				for _, f := range facts {
					if strings.Contains(text, f) {
						n++
					}
				}
				return n
			}
			room := size * percent / 100
			got := digestOf(t, "", room, texts...)
			if ours, theirs := held(got), held(newestOfUser(texts, room)); ours < theirs {
				t.Errorf("seed %d at %d %%: the digest has %d of %d facts, the user's newest messages have %d:\n%s", seed, percent, ours, len(facts), theirs, got)
			}
		}
	}
}

// If everything that the user said fits, the names and numbers in it are kept, although the answers have many more.
func TestWhatTheUserSaidStaysIfItFits(t *testing.T) {
	for _, language := range [][4]string{
		{"By the way, we keep the %[1]s in the locker that has number %[2]d since then.", "Can you tell me why number %[2]d is so small for a %[1]s?", "Master Bendorf %[1]d, Diesel %[2]d and Otto %[3]d met in Anklam %[3]d, Ely %[1]d and Osby %[2]d as %[4]s.",
			"anvil basket cello drum easel flute globe hammock inkwell jug kettle lantern mirror needle oboe piano quilt rug saddle tent urn violin wagon zither"},
		{"顺便说一下，从那以后我们一直把%[1]s放在%[2]d号柜子里。", "你能告诉我为什么%[2]d号装不下%[1]s吗？", "师傅%[1]d、%[2]d和%[3]d在%[3]d年、%[1]d年和%[2]d年第一次见面，地点是《%[4]s塔%[2]d》。",
			"铁砧 篮子 大提琴 鼓 画架 长笛 地球仪 吊床 墨水瓶 水壶 茶壶 灯笼 镜子 针线 双簧管 钢琴 被子 地毯 马鞍 帐篷 花瓶 小提琴 马车 古筝"},
	} {
		var texts, numbers []string
		size := 0
		for i, thing := range strings.Fields(language[3]) {
			number := 1000 + 37*i
			texts = append(texts, fmt.Sprintf(language[i%2], thing, number), fmt.Sprintf(language[2], 4000+91*i, 5000+87*i, 6000+83*i, thing))
			numbers = append(numbers, fmt.Sprint(number))
			size += len(texts[2*i]) + len("user: ")
		}
		got := digestOf(t, "", size*9/8, texts...)
		for _, number := range numbers {
			if !strings.Contains(got, number) {
				t.Errorf("%s is missing in %d bytes:\n%s", number, size, got)
				break
			}
		}
	}
}

// The user continues from the last answer, so the lists in it are kept, each line with the heading of its list.
func TestLastAnswerKeepsItsLists(t *testing.T) {
	var texts []string
	for i := range 6 {
		texts = append(texts, fmt.Sprintf("And what else do you know about pottery in town %d?", i),
			strings.Repeat(fmt.Sprintf("The potters of town %d dig their clay from the river, and fire it slowly in ovens of brick. ", i), 12))
	}
	texts = append(texts, "Which things do I need for my own workshop?",
		"Here is all that you need, in two lists.\n\n**Tools**\n- a wheel with 250 watts\n- six wire loops\n\n**Material**\n- 40 kilograms of stoneware clay\n- glaze Celadon 12\n\nHave fun with your workshop, and tell me how it goes!")
	got := digestOf(t, "", 900, texts...)
	for _, want := range []string{"Tools: a wheel with 250 watts", "Material: 40 kilograms of stoneware clay", "glaze Celadon 12"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing:\n%s", want, got)
		}
	}
	if lines := strings.Split(got, "\n"); slices.ContainsFunc(lines, func(line string) bool {
		return strings.HasSuffix(line, "Tools.") || strings.HasSuffix(line, "Material.")
	}) {
		t.Errorf("a heading stands alone:\n%s", got)
	}
}

// Formulaic answers to exercises give way to what the user says.
func TestFormulasGiveWay(t *testing.T) {
	said := []string{
		"I'm Ottilie, and I live in Marburg.", "My exam is on 4 June in the old gym.", "I play left wing for the Herons.",
		"My teacher is called Mr Quandt.", "I need a 2 for the course in Giessen.", "My sister Wiebke can help me on Sundays.",
	}
	formulas := []string{"1. 2a + 7b  2. 4x - 3  3. x = 6.", "10y+5, -2x-8, 5x+4.", "3x+15, 2x+18, x²+8x+16.", "5x + 3 = 2x + 9 so x = 2.", "6(x+4)=162, x+4=27, x=23.", "4x + 12 = 372, x = 90."}
	var texts []string
	size := 0
	for i := range said {
		texts = append(texts, formulas[i], "That is right, well done.", said[i], "Good to know. Here is the next exercise.")
		size += len(said[i])
	}
	digest := digestOf(t, "", size+40, texts...)
	for _, want := range []string{"Ottilie", "4 June", "Quandt", "Wiebke"} {
		if !strings.Contains(digest, want) {
			t.Errorf("%q is missing in:\n%s", want, digest)
		}
	}
	for _, formula := range formulas[1:] { // the first message says what the chat is about
		if strings.Contains(digest, formula) {
			t.Errorf("%q takes room in:\n%s", formula, digest)
		}
	}
}
