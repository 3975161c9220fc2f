package digest

import "testing"

// Descriptions of a new thing, rules of a country or a game, remaining amounts, reports of what somebody told somebody
// else, and orders for one occasion are not rules, in any language. The same words addressed to the reader are rules.
func TestAbout(t *testing.T) {
	wantStatements(t, map[string]bool{
		"Write a song about a baker who never sleeps.":                  false,
		"Schreib ein Lied über einen Bäcker, der niemals schläft.":      false,
		"Напиши песню о пекаре, который никогда не спит.":               false,
		"決して眠らないパン屋の歌を書いて。":                                             false,
		"決して値段を書かないで。":                                                  true,
		"एक ऐसे नानबाई का गीत लिखो जो कभी नहीं सोता।":                   false,
		"Schreib niemals über Bäcker, der Leser mag das nicht.":         true,
		"We have a rule that says never to bake on Sundays.":            true,
		"En Francia hay que comprar el pan por la mañana.":              false,
		"Hay que comprar el pan por la mañana.":                         true,
		"In the contest, a baker must never taste the dough.":           false,
		"The oven must beep after ten minutes.":                         false,
		"The oven must stay closed at night.":                           true,
		"Der Ofen muss nach zehn Minuten piepen.":                       false,
		"Der Ofen muss nachts aus bleiben.":                             true,
		"Loaves without a label must be rejected by the scanner.":       false,
		"Loaves without a label must be rejected.":                      true,
		"Me gusta este pan, gracias.":                                   false,
		"Me gusta el pan negro.":                                        true,
		"Sempre quis ter uma padaria.":                                  false,
		"Só restam dois pães!":                                          false,
		"O padeiro disse a ele que nunca abrisse a porta.":              false,
		"빵집 주인은 항상 가게 앞에 트럭을 세워요.":                                      false,
		"답장은 항상 두 문장으로 써 주세요.":                                          true,
		"빵집 주인이 그에게 절대 문을 열지 말라고 했어요.":                                  false,
		"절대 문을 열지 마세요.":                                                 true,
		"جاري يخبز دائما في الليل.":                                     false,
		"لم يأكل أحد الخبز أبدا.":                                       false,
		"मुझे शाम तक रोटी चाहिए।":                                       false,
		"हर जवाब में कीमत होनी चाहिए।":                                  true,
		"该面包机应该能够定时。":                                                   false,
		"我昨天看到了一个我喜欢的面包机。":                                              false,
		"For this loaf only, use rye flour.":                            false,
		"Just for today, skip the glaze.":                               false,
		"For this project, only use rye flour.":                         true,
		"Suppose we banned sugar: who would come?":                      false,
		"Imagine you must never use the letter e, what would you write": false,
	})
}

// Rules and preferences are recognized by the form of their sentences.
func TestFormsOfRules(t *testing.T) {
	wantStatements(t, map[string]bool{
		"Put the price behind every cake you list for me.":     true,
		"Prices in francs, always without cents.":              true,
		"Headings in small caps, tables in plain text.":        true,
		"Errors in `oven.go`":                                  false,
		"Stop praising me and just bake.":                      true,
		"Stop worrying, it will rise.":                         false,
		"And next time warm the bowl before you start.":        true,
		"Next time we meet I'll bring you a loaf.":             false,
		"do not, whatever the reason, call the miller":         true,
		"What I say about the miller stays between us.":        true,
		"New ovens need a permit, otherwise the city shuts us": true,
		"Bevor du etwas bestellst, fragst du mich.":            true,
		"Elk brood moet een etiket hebben.":                    true,
		"Vermijd rogge.":                                       true,
		"Ik bak nooit zonder zout.":                            true,
		"My favourite loaf is rye.":                            true,
		"Il mio pane preferito è quello nero.":                 true,
		"I prefer not to say.":                                 false,
		"I usually bake at night.":                             true,
		"Je suis végane.":                                      true,
		"我只吃黑面包。":                                              true,
		"我只是问问。":                                               false,
		"저는 호밀빵만 먹어요.":                                         true,
		"删除任何配方之前先问我。":                                         true,
	})
}

// Sentences about what people had never heard of, what they have to do at a certain time, or what somebody else does
// are not rules either.
func TestRemarksInOtherLanguages(t *testing.T) {
	wantStatements(t, map[string]bool{
		"Nie von dem Brot gehört.":                     false,
		"Nie von dem Brot reden.":                      true,
		"Jamais entendu cette chanson.":                false,
		"Ne parle jamais de cette chanson.":            true,
		"Никогда такого хлеба не слышал.":              false,
		"Devo essere al forno alle quattro.":           false,
		"我六点必须到面包店。":                                   false,
		"价格必须含税。":                                      true,
		"Мельник продаёт только муку.":                 false,
		"Non preoccuparti.":                            false,
		"Не волнуйся.":                                 false,
		"Deixe esta frase mais curta.":                 false,
		"In Holland moet je vroeg bakken.":             false,
		"Schrijf een lied over een bakker die slaapt.": false,
		"There must be a mistake in the second batch.": false,
		"There must be a label on every loaf.":         true,
		"Every morning the miller brings flour.":       false,
		"The lamp has to blink when you open it.":      false,
		"Let me taste it before you sell anything.":    true,
		"Les prix sont toujours en francs.":            true,
		"Le train est toujours en retard.":             false,
		"Prices first, names below.":                   true,
		"Before any party, count the chairs.":          true,
		"Never more than two loaves per shelf.":        true,
		"Bring up the weather whenever I ask for ice.": true,
		"Толпа меня пугает.":                           true,
		"改成10点吧。":                                      false,
		"改成英文吧,以后都这样。":                                 true,
		"最好12点左右。":                                     false,
		"The keys should be in my coat.":               false,
		"The price should be in every offer.":          true,
		"人多让我头疼。":                                      true,
		"让我想想。":                                        false,
		"I rarely bake cakes.":                         true,
		"パンはほとんど食べません。":                                true,
	})
}
