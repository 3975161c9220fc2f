package digest

import "testing"

// TestTastes tests the ways in which people state their tastes, with sentences that are in no other test, and sentences
// that only sound like statements of taste.
func TestTastes(t *testing.T) {
	for _, text := range []string{
		"I'd take a tent over a caravan any time.", "Give me oats over toast.", "I would sooner row than sail.", "Wide trousers are more my thing.",
		"I'm a heavy sleeper.", "I'm not a cat person.", "Velvet leaves me cold.", "Neon signs drain me.", "I could do without balloons.", "Fresh figs work best for me.",
		"I've grown to dislike cruises.", "I'm a sucker for brass bands.",
		"Brass bands exhaust me.", "Velvet depresses me.", "I'm not much of a swimmer.", "I can't get enough of figs.", "Given the choice, I sleep outside.", "I could never live in a tent.",
		"I have a deep-seated fear of tunnels.", "I have an ethical objection to fur.", "I have a severe walnut allergy.", "I adamantly avoid casinos.",
		"I don't wear anything made of fur.", "I only consume fruit that fell from the tree.", "I find it hard to follow long tables.", "I can't stand it when a letter has no date.",
		"My husband can't stand marzipan.", "Although our son won't eat figs, he loves dates.", "Grandpa naps at noon, so plan nothing between one and three.",
		"Everything you draft for the choir needs a date.",
		"I follow a low-salt diet.", "I can't stand the sound of bagpipes.", "I learn best with a pencil in my hand.", "I find it hard to enjoy meals that don't include bread.",
		"医生说我必须避免爬楼梯。",
		"Marzipan ist nicht mein Fall.", "Mit Opern kann ich nichts anfangen.", "Am liebsten trage ich Wolle.", "Ich vertrage Zwiebeln schlecht.", "Rummel strengt mich an.",
		"L'opéra me fatigue.", "J'ai un faible pour les figues.", "Je suis plutôt figues que dattes.",
		"La ópera no me dice nada.", "Soy más de higos que de dátiles.", "Suelo evitar los túneles.",
		"Ópera não é a minha praia.", "Sou mais de figo do que de uva.", "Non reggo i tamburi.", "Sono più fichi che datteri.",
		"Опера мне неинтересна.", "Я стараюсь не летать.",
		"我对歌剧没兴趣。", "我不太能喝酒。", "比起海边我更爱山里。", "隧道は得意じゃないです。", "海より山のほうが好き。", "저는 저녁형이에요.", "저는 바다보다 산이 좋아요.", "오페라에는 흥미가 없어요.",
		"لست من هواة الأوبرا.", "أميل إلى الهدوء.", "मुझे शोर से चिढ़ है।", "मुझे ओपेरा नहीं भाता।",
	} {
		if len(statements(text, new(readRoom))) == 0 {
			t.Errorf("%q is no statement", text)
		}
	}
	for _, text := range []string{
		"My uncle never answers letters.", "I'd like a room for three.", "I'd love a coffee.", "Just leave it by the gate.", "I would rather not say now.",
		"Olga collects every stamp.", "Wir müssen gleich zum Zug.", "Keine Hetze.", "Du musst sehr stolz sein.", "Tu dois être très fière.", "Rien ne presse.",
		"Debes de estar muy orgulloso.", "La farmacia siempre está cerrada.", "Ты, должно быть, устала.", "Никто не пришёл.", "Нам нужно успеть на поезд.",
		"你一定累坏了吧。", "我弟弟总是迟到。", "别担心，没事的。", "兄はいつも遅れます。", "この箱を運んでください。", "もう駅へ行かなければなりません。", "心配しないでください。",
		"형은 항상 늦어요. 동생은 항상 늦어요.", "걱정하지 마세요.", "지금 역에 가야 해요.", "상자 하나 옮겨 주세요.", "أخي يتأخر دائما.", "لا تقلق.", "لا بد أنك متعبة.",
		"My husband can't find his keys.", "My boss can't stand long meetings.", "So far nothing on the list fits.", "I love the sound of that.", "I started a diet yesterday.", "Is that a good diet?", "I don't have a pencil right now.", "Everything you do gets better every week.", "我妈说必须早睡。",
		"Always the same fuss with him.", "Don't be shy!", "Keep the receipt.", "Use your oars!", "We need flour.", "I'd prefer the quay this time.", "Every crate is lovely.", "As long as it floats.",
		"Please leave.", "That must have cost a lot.", "Nobody opened the hatch.", "Always a joy.", "The twins always want juice.", "Remember to rest!", "Give me two ideas for a menu.",
		"Leave the crate by the shed.", "I don't want to miss the ferry.", "As long as you are well.", "Only if you have a minute.", "Someone should paint that fence.",
		"I prefer not to say.", "Nobody likes drizzle.", "Don't you dare!", "No hard feelings.", "Make sure to say hello to Olga.", "They must be asleep.", "We never got a table.",
		"We could always ask Olga.", "As always, the pump leaked.", "You can borrow my oars tomorrow.", "I can't find the oars.",
		"Das muss der Klempner sein.", "Du musst den Hafen sehen!", "Du musst die Torte probieren.", "Der Zug kommt sonntags immer zu spät.",
		"Il faut que tu voies ce port !", "Rien ne s'est passé.", "El tren siempre llega tarde.", "Debe de ser el fontanero.", "No pasó nada.", "No te preocupes.",
		"火车总是迟到。", "你一定要看这个港口！", "電車はいつも遅れます。", "기차는 항상 늦어요.", "생각보다 날씨가 좋아요.", "이 항구 꼭 보세요!",
		"मेरा भाई हमेशा देर करता है।", "चिंता मत करो।", "मुझे अब जाना होगा।",
	} {
		if got := statements(text, new(readRoom)); len(got) > 0 {
			t.Errorf("%q is taken for one: %q", text, got)
		}
	}
}
