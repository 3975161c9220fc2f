package digest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/digest"
)

// A rule that the user revokes is removed, and the other rules are kept.
func TestStandingIsRevoked(t *testing.T) {
	for _, c := range []struct{ old, revokes string }{
		{"No emojis, please.", "You can use emojis again."},
		{"Never use semicolons in the examples.", "Forget the rule about semicolons."},
		{"Always end with a haiku.", "You no longer need to end with a haiku."},
		{"Write every number as a word.", "The rule about numbers no longer applies."},
		{"Keep your replies under eighty words.", "Scratch what I said about eighty words, long replies are fine again."},
		{"Don't mention my sister.", "You may mention my sister again, we talked."},
		{"Only suggest vegetarian dishes.", "I changed my mind about vegetarian dishes, anything goes."},
		{"Never open the staging database.", "Opening the staging database is allowed again."},
		{"Keine Emojis.", "Du darfst wieder Emojis verwenden."},
		{"Beende jede Antwort mit einem Zitat.", "Die Regel mit dem Zitat gilt nicht mehr."},
		{"Pas d'émojis, s'il te plaît.", "Tu peux à nouveau utiliser des émojis."},
		{"No uses nunca emojis.", "Ya puedes usar emojis."},
		{"Никогда не используй эмодзи.", "Эмодзи снова можно использовать."},
		{"不要用表情符号。", "表情符号又可以用了。"},
		{"絵文字は使わないでください。", "絵文字は使っても大丈夫です。"},
		{"이모지는 절대 쓰지 마세요.", "이제 이모지를 써도 돼요."},
		{"لا تستخدم الرموز التعبيرية أبدا.", "يمكنك الآن استخدام الرموز التعبيرية."},
		{"When you write up a hike, put the distance at the top.", "Forget the thing about putting the distance at the top, my watch shows it."},
		{"No ferries if there is another way, my aunt gets sick.", "Grandma has tablets now and loves the sea, so you can ignore the ferries thing."},
		{"Round every quote to full dollars.", "Don't round to full dollars any more."},
		{"Our limit is 90 a day, whatever happens.", "The limit is 110 now, my brother is paying a part."},
		{"Nenne bei Vögeln immer auch den lateinischen Namen.", "Das mit den lateinischen Namen kannst du wieder lassen, ich habe jetzt ein Buch."},
		{"Corrige como máximo tres faltas por carta.", "Ya me atrevo, olvida el límite de tres faltas."},
		{"每次的清单不要超过四项，太多了我看不完。", "之前说的四项限制可以取消了，多写几项也没关系。"},
		{"単語は一回に七つまでにしてください。", "単語の七つまでという制限は、もう気にしなくていいです。"},
		{"End each answer with a riddle.", "The riddles can go."},
		{"I don't eat meat, I never did.", "I eat meat again since last week."},
		{"Avoid dairy in all recipes.", "Good news: the doctor says dairy is fine for me again."},
		{"Give me two examples each time.", "One example is enough from now on."},
		{"No meetings before ten.", "I changed jobs, meetings before ten are no problem anymore."},
		{"My budget for shoes is 80 euros.", "My budget for shoes went up to 120 euros."},
		{"My budget for shoes is 80 euros.", "My shoe budget is 120 now."},
		{"Mein Limit sind 80 Euro.", "Mein Limit ist auf 110 Euro gestiegen."},
		{"Il mio budget è di 300 euro.", "Il mio budget è salito a 400 euro."},
		{"預算是三千元。", "預算提高到五千元了。"},
		{"予算は五千円です。", "予算は八千円に上がりました。"},
		{"Deadline is 5 May.", "The deadline moved to 12 May."},
		{"Please answer in Dutch.", "Let's switch to English."},
		{"Rispondi sempre in inglese.", "Torniamo al francese."},
		{"请用英文回答。", "还是用中文吧。"},
		{"Call me Doctor Lee.", "Just call me Sam."},
		{"Always put a table at the top.", "I don't want the table anymore."},
		{"Always list calories.", "Calories don't matter to me anymore."},
		{"I'm a vegetarian.", "I'm not a vegetarian anymore."},
		{"Schreib unter jede Antwort eine Quelle.", "Die Quellen brauche ich nicht mehr."},
		{"Incluye siempre un ejemplo.", "Ya no necesito los ejemplos."},
		{"Ajoute toujours une source.", "Je n'ai plus besoin des sources."},
		{"Всегда добавляй рецепт.", "Рецепт больше не нужен."},
		{"每次回答都要附上例子。", "例子不用再附了。"},
		{"毎回クイズを付けてください。", "クイズはもう要りません。"},
		{"매번 요약을 써 주세요.", "요약은 이제 필요 없어요."},
		{"Never suggest seafood.", "My husband eats seafood again, so it's okay."},
		{"Je ne mange pas de viande.", "Je mange de nouveau de la viande."},
		{"No spoilers, please.", "I've finished the series, spoilers are fine now."},
		{"No spoilers, please.", "I've finished the series, spoilers are fine."},
		{"Don't mention the Spanish supplier in the mails.", "The supplier can be named everywhere again."},
		{"Erwähne den Lieferanten nicht in den Mails.", "Der Lieferant darf wieder überall genannt werden."},
		{"Ne mentionne pas le fournisseur.", "On peut de nouveau citer le fournisseur partout."},
		{"No menciones al proveedor en los correos.", "Ya se puede nombrar al proveedor en todas partes."},
		{"Keep prices out of the brochure.", "Put the prices back into the brochure."},
		{"Don't contact the tenants directly.", "You're allowed to contact the tenants directly again."},
		{"No dairy for my son.", "My son can have dairy again, the doctor says."},
		{"Always copy Dana on the mails.", "Dana left the company, no need to copy her."},
		{"Keep answers under 100 words.", "Forget the word limit."},
		{"Don't touch the config folder.", "The config folder is free to edit now."},
		{"Never call me at work.", "I changed jobs, calling me at work is fine."},
		{"इमोजी का उपयोग न करें।", "इमोजी अब फिर से इस्तेमाल कर सकते हो।"},
	} {
		others := []string{"Never push to main.", "Always quote prices in euros.", "Don't call my boss Bob."}
		texts := append(slices.Clone(others), c.old, "Never restart the production server.", c.revokes)
		got := standing(t, texts...)
		if slices.Contains(got, c.old) {
			t.Errorf("%q is still there: %q", c.old, got)
		}
		for _, other := range append(others, "Never restart the production server.") {
			if !slices.Contains(got, other) {
				t.Errorf("%q took %q away", c.revokes, other)
			}
		}
	}
}

// A sentence that gives a limit another value without naming it is added to the statement with that limit. Without one, it
// is no statement.
func TestLimitsAreAmended(t *testing.T) {
	for _, c := range []struct{ texts, want []string }{
		{[]string{"Keep answers under 50 words.", "Raise that to 80."}, []string{"Keep answers under 50 words. Raise that to 80."}},
		{[]string{"Keep answers under 50 words.", "Raise that to 80.", "Make that 120 words."}, []string{"Keep answers under 50 words. Make that 120 words."}},
		{[]string{"Keep answers under 50 words. Raise that to 80.", "Make that 120 words."}, []string{"Keep answers under 50 words. Make that 120 words."}},
		{[]string{"No more than three options at a time, please.", "Make it five from now on."}, []string{"No more than three options at a time, please. Make it five from now on."}},
		{[]string{"Höchstens 100 Wörter pro Antwort.", "Mach daraus 200."}, []string{"Höchstens 100 Wörter pro Antwort. Mach daraus 200."}},
		{[]string{"My budget is 300 per month.", "My budget went up to 450."}, []string{"My budget went up to 450."}},
		{[]string{"Our meals cost at most 40 euros, always.", "Make that 8 lines."}, []string{"Our meals cost at most 40 euros, always."}},
		{[]string{"At most 200 words per answer.", "300 words are fine too."}, []string{"At most 200 words per answer. 300 words are fine too."}},
		{[]string{"Keep each mail to three sentences.", "Three sentences is too tight, five is better."}, []string{"Keep each mail to three sentences. Three sentences is too tight, five is better."}},
		{[]string{"Réponds en moins de 100 mots.", "Tu peux aller jusqu'à 200 mots."}, []string{"Réponds en moins de 100 mots. Tu peux aller jusqu'à 200 mots."}},
		{[]string{"Отвечай коротко, до пяти предложений.", "Теперь можно до десяти предложений."}, []string{"Отвечай коротко, до пяти предложений. Теперь можно до десяти предложений."}},
		{[]string{"Book only morning flights.", "Evening flights work too now."}, []string{"Book only morning flights. Evening flights work too now."}},
		{[]string{"Evening flights work too now.", "I eat soup again.", "I don't live there anymore."}, nil},
		{[]string{"Make that 8 lines.", "Set it to 5.", "Make it five."}, nil},
	} {
		if got := standing(t, c.texts...); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.texts, got, c.want)
		}
	}
}

// A permission doesn't revoke a rule that merely shares a word with it.
func TestRevocationIsNarrow(t *testing.T) {
	for _, c := range [][2]string{
		{"Never restart the production server.", "You can use the staging server again."},
		{"Never delete the backups of the archive.", "Feel free to delete the drafts again."},
		{"Always ask before you book a hotel.", "You may name hotel chains again."},
		{"Our limit is 90 euros a day, whatever happens.", "The limit is 12 pages now."},
		{"My budget for shoes is 80 euros.", "My budget for books went up to 50 euros."},
		{"No puns in titles.", "Titles without dates are fine."},
		{"Never use red boxes.", "No more red ink, please."},
		{"上限は五千円です。", "上限は三つに変わりました。"},
		{"I don't eat meat.", "I eat bread again."},
		{"Call me Robert.", "Never call me Bob."},
		{"Call me Robert.", "Call me before you deploy anything."},
		{"No cold drinks.", "I have a cold again."},
		{"Don't mention the supplier.", "The supplier can deliver again from May."},
		{"Never suggest places with stairs.", "The stairs can be used again."},
		{"Don't touch the supplier's folder.", "The supplier can be named again."},
		{"No dairy for my son.", "My daughter can have dairy again."},
		{"Never call me at work.", "Calling the bank is fine."},
		{"Never call me at work.", "Ya se puede llamar al fontanero."},
		{"Keep answers under 100 words.", "Forget the time limit."},
		{"Keep the chairs out of the kitchen.", "Put the prices back into the brochure."},
		{"Don't use the table.", "The table is free now."},
		{"The limit for meals is 40 euros, always.", "The limit for trains is 90 euros, always."},
	} {
		if got := standing(t, c[0], c[1]); !slices.Contains(got, c[0]) {
			t.Errorf("%q took %q away", c[1], c[0])
		}
	}
}

// A rule that has been kept for five rounds is kept whatever weaker statements follow, even if a block has no room for
// all of them.
func TestStandingIsSenior(t *testing.T) {
	var l digest.Ledger
	var rules []string
	syllables := []string{"bra", "ken", "lor", "mut", "pil", "sog", "tav", "wex", "zun"}
	word := func(i int) string { return syllables[i%9] + syllables[i/9%9] + syllables[i/81%9] }
	for i := range 45 {
		rules = append(rules, fmt.Sprintf("Never open valve %s, nor %s.", word(i), word(i+200)))
	}
	l.Standing = slices.Clone(rules)
	size := len(l.StandingBlock(1 << 20))
	for round := range 5 {
		var messages []string
		for i := range 60 {
			messages = append(messages, fmt.Sprintf(`{"role":"user","content":"Every crate of %s stays on shelf %s."},{"role":"user","content":"I prefer rope of %s, or %s."}`,
				word(i), word(i+90*round), word(i*3), word(i+70*round+11)))
		}
		tr, seq := read(t, "openai-chat", "["+strings.Join(messages, ",")+"]")
		l.AddStanding(tr, seq)
		block := l.ChatStandingBlock(size)
		held := 0
		for _, r := range rules {
			if strings.Contains(block, r) {
				held++
			}
		}
		if held < len(rules) {
			t.Errorf("round %d: %d of %d rules in\n%s", round, held, len(rules), block)
		}
		if round%2 == 1 { // the state is lost
			var back digest.Ledger
			digest.Body(digest.Message("# Topics\nx\n\n"+block), &back)
			l = back
		}
	}
}

// The header with the day isn't part of a rule.
func TestStandingHasNoHeader(t *testing.T) {
	for _, header := range []string{"[1:56 pm on 8 May, 2023]", "## Session 3, 2023-05-08\n", "(March 15, 2024) "} {
		if got := standing(t, header+" Never call me Bob."); len(got) != 1 || got[0] != "Never call me Bob." {
			t.Errorf("%s: %q", header, got)
		}
	}
}
