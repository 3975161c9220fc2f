package digest_test

import "testing"

// Norms are recognized by what they apply to: everything of a kind, whatever fits a description, or what the reader writes.
func TestNormsByForm(t *testing.T) {
	for sentence, want := range map[string]bool{
		"All photos need a caption.":                                true,
		"Each letter you draft for me is signed \"Warmly, Ines\".":  true,
		"Any amount goes in as francs and cents.":                   true,
		"Whatever you book, it has to be near a station.":           true,
		"Anything over 80 francs needs two offers.":                 true,
		"For all future trips: trains before planes.":               true,
		"You write in the past tense; it's a memoir.":               true,
		"Your job is to fix my Danish in every message.":            true,
		"Short lines only, the screen is small.":                    true,
		"The last line of every stanza is a question.":              true,
		"Double-check the allergens in all menus.":                  true,
		"Have another look at any figure before you send it to me.": true,
		"I need everything in metres.":                              true,
		"Start each chapter with a date.":                           true,
		"You can edit my songs but the titles are off limits.":      true,
		"When a street has two names, go with the older one.":       true,
		"When you don't know a date, say so.":                       true,
		"Als ik je een lijst stuur, controleer dan eerst de namen.": true,
		"Quando ti mando una lista, controlla prima i nomi.":        true,
		"Когда я присылаю список, сначала проверяй имена.":          true,
		"Elke mail eindigt met \"Groeten, Daan\".":                  true,
		"Nei menu indica sempre il prezzo.":                         true,
		"Bei Zügen immer die Abfahrt nennen.":                       true,
		"每张请柬都以“此致”结尾。":                                             true,
		"住所は番地ありで。":                                                 true,
		"Please keep the card short, he hates reading.":             false,
		"There is no lift, and no parking either.":                  false,
		"Ask Ines before you call anybody.":                         true,
		"All the good seats were taken.":                            false,
		"All your ideas are great.":                                 false,
		"Every pupil in the choir got a medal.":                     false,
		"Every evening there's a queue at the baker's.":             false,
		"Everything goes wrong lately.":                             false,
		"You write so well!":                                        false,
		"Translate this letter without using the word \"nice\".":    false,
		"In poker you must never show your cards.":                  false,
		"From now on it gets colder, the farmer warned.":            false,
		"For this one, use pounds.":                                 false,
		"We must be the only house without a bell.":                 false,
		"Limit the guests to twenty this time.":                     false,
		"If I had a boat I'd never work again.":                     false,
		"Wenn ich Kapitän wäre, würde ich alle Netze verbieten.":    false,
		"Si fuera capitana, prohibiría todas las redes.":            false,
		"Если бы я был капитаном, я бы запретил все сети.":          false,
		"如果我是船长，我会禁止所有渔网。":                                          false,
		"もし私が船長なら、網を全部禁止します。":                                       false,
		"내가 선장이라면 모든 그물을 금지할 거예요.":                                  false,
		"لو كنت قبطانا لمنعت كل الشباك.":                            false,
		"Je weet maar nooit.":                                       false,
		"Toujours la même histoire avec le bus.":                    false,
		"Mein Trainer sagt, wir sollen immer vorher dehnen.":        false,
		"Minha vizinha diz que a gente deve sempre fechar a porta.": false,
		"我同事说我们必须打卡。":                                               false,
		"Cada vez que abro la caja falta una pieza.":                false,
		"Jedes Mal, wenn ich die Kiste öffne, fehlt ein Teil.":      false,
		"Каждый раз, когда я открываю ящик, выпадает болт.":         false,
		"我每次打开箱子都少一个零件。":                                            false,
		"Ogni estate ci sedevamo sul molo.":                         false,
		"हर शाम हम छत पर बैठते थे।":                                 false,
		"كنا نجلس في الحديقة كل مساء.":                              false,
		"医者は彼に毎回飲むように言いました。":                                        false,
	} {
		if got := len(standing(t, sentence)) > 0; got != want {
			t.Errorf("%s: %v", sentence, got)
		}
	}
}

// What people say about their own habits and favourites is a preference, even without a verb of liking.
func TestHabitsByForm(t *testing.T) {
	for sentence, want := range map[string]bool{
		"I take my tea black.":                    true,
		"Ik drink mijn thee zwart.":               true,
		"I sleep badly on boats.":                 true,
		"I get seasick on ferries.":               true,
		"I could eat soup every day.":             true,
		"Aisle seats over windows, any day.":      true,
		"Foggy days are my favourite.":            true,
		"Evenings after nine are hard for me.":    true,
		"Bevo il tè senza limone.":                true,
		"Scelgo sempre il posto in fondo.":        true,
		"Я всегда сижу у выхода.":                 true,
		"Museus me entediam.":                     true,
		"好きな花は菫です。":                               true,
		"I never thought I'd enjoy accounting.":   false,
		"I get letters from my aunt.":             false,
		"The results will be here any day now.":   false,
		"Winter is hard for me right now, sorry.": false,
	} {
		if got := len(standing(t, sentence)) > 0; got != want {
			t.Errorf("%s: %v", sentence, got)
		}
	}
}
