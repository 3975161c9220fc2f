package digest

import "testing"

func TestWishesForOnceAreNoRules(t *testing.T) {
	for _, s := range []string{
		"Deliver it on Monday, and only after 13:20.", "If I am not there, give it to Ivan Petrov.", "If I'm away, leave it with the porter.", "Leave it with my neighbour if I am out.",
		"Tuesday suits me better.", "I want my money back.", "I would rather have it repaired.", "我家豆豆两天不吃东西了。", "Bring them on Friday, only before noon.",
	} {
		if got := statements(s, new(readRoom)); len(got) > 0 {
			t.Errorf("a wish for once is listed as a rule: %q", got)
		}
	}
	for _, s := range []string{
		"Always call me before you come.", "Never send it to my work address again.", "I prefer mornings.", "Mornings suit me better.", "Don't send it on Friday.",
		"If I am not at home, always give it to my neighbour.", "If I am not there, leave parcels with my neighbour.", "If a test fails, give it to Tom.", "Only call me after 17:00.",
		"I would rather have tea than coffee.", "我家孩子不吃花生。", "我不吃肉。", "Deliver it every Monday, only after 13:20.",
	} {
		if got := statements(s, new(readRoom)); len(got) != 1 {
			t.Errorf("%q isn't listed as a rule: %q", s, got)
		}
	}
}

// TestErrandsByForm checks that errands are recognized by their form, and that rules with the same words are listed.
func TestErrandsByForm(t *testing.T) {
	for _, s := range []string{
		"Don't cancel it yet.", "Stornier es noch nicht.", "Ne l'annule pas encore.", "No lo canceles todavía.", "Non cancellarlo ancora.", "Не отменяй пока.", "Пока не отменяй.", "まだキャンセルしないでください。",
		"Not the red one.", "No, only the first two.", "Nein, nur die ersten beiden.", "Non, seulement les deux premiers.", "No, solo los dos primeros.", "No, solo i primi due.", "Нет, только первые два.", "Nein, das nicht.",
		"Ship it to the office, not to the old address.", "Mandalo a mia sorella, non a me.", "Отправь сестре, а не мне.", "Stuur het naar mijn zus, niet naar mij.",
		"Please use lena@example.org.", "Use lena@example.org for the confirmation.", "Usa lena@example.org para la confirmación.", "Nimm lena@example.org für die Bestätigung.",
		"We're going to paint the kitchen, and the cupboards must be empty by then.", "My plan: buy the paint and always let it dry.", "Erst streichen wir, dann muss alles trocknen.",
		"Tell them we never got the parcel.", "Sag ihnen, dass wir das Paket nie bekommen haben.",
		"Could you check if the shop always has it?", "Kannst du prüfen, ob der Laden es immer vorrätig hat?",
		"Can you take a look at the tests and make sure nothing else breaks?", "Make sure the letter goes out today.", "I'd rather take the later train.",
		"The teacher commented: every paragraph needs a topic. Never begin with a quote.", "nit: prefer a switch here", "Mon chef a écrit : toujours me mettre en copie.", "My boss wrote:\nAlways copy me.",
		"Reviewer 2: The authors should always report errors.", "From the reviewer: please avoid global state.",
		"Respond with “confirm” if you understand.", "Say yes once you have read.", "I love the idea of two doors.", "I really like how you did the door.", "Okay, I want us to really think about the door.",
		"Can you help me change it so that I don't have to commit the file?", "If I change the colour, not everything is updated.", "Explain what happened to the door, don't do anything.",
	} {
		if got := statements(s, new(readRoom)); len(got) > 0 {
			t.Errorf("%q is listed as a rule: %q", s, got)
		}
	}
	for _, s := range []string{
		"Don't merge yet, wait until I've reviewed it.", "Only the important points, please.", "Not more than three options.", "Keep it short, not chatty.", "Send invoices to billing@example.org, not to me.",
		"Always use lena@example.org.", "Use noreply@example.org as the author of commits.", "First the answer, then the details, always.", "We'll ship in May, so everything must be in Spanish.",
		"Tell them every time that we never give discounts.", "Could you always check whether a shop ships to Norway?", "Make sure the tone is friendly.",
		"Could you please not use tables?", "Can you avoid passive voice?", "Would you stop apologizing?", "Tu peux éviter le jargon ?", "¿Puedes evitar las tablas?",
		"From now on: never push to main.", "My rules: never push to main.", "No, only metric units.", "I'll depart in May, and I prefer an aisle seat.",
		"Not too formal.", "Only use the first person.", "I like short titles.", "I love the idea of doors, but never paint them red.",
		"If I ask for code, don't explain it.", "If I paste a log, it must never be committed.", "Don't do anything without asking me.", "Review every change, and don't touch anything in vendor.",
	} {
		if got := statements(s, new(readRoom)); len(got) != 1 {
			t.Errorf("%q isn't listed as a rule: %q", s, got)
		}
	}
	for _, s := range []string{"@", "a@b", "yet", "noch", "only", "not", "no, no", "not, it", "tell", "tell them", "my plan:", "can you take a", "could you not?", "ne pas", "first", "erst wir", "пока", ":", "from", "nit:", "reviewer", "а не", "i like", "i really like how", "i want us", "say you", "confirm if you are ready", "help me", "if i change,", "if i do it, not", "explain, do anything"} {
		ws := wordsOf(s, nil)
		if len(ws) > 0 {
			forNow(s, ws)
			isNotYet(ws)
			picks(ws)
			routes(ws)
			plansOwn(ws)
			asksForSign(ws)
			praisesOne(ws)
			asksForHelp(ws)
			complains(ws)
			explainsOnly(ws)
			askedFor(ws)
		}
		wroteLead(s)
		saysWhoWrote(s)
		statements(s+"?", new(readRoom))
	}
}
