package digest_test

import (
	"strings"
	"testing"
)

// The value that a user states stays, even if the assistant repeats the words later. The assistant's own value is
// marked or removed.
func TestUsersValue(t *testing.T) {
	for _, c := range []struct{ name, model, user, repeated, gone string }{
		{"a subject in the middle", "Lifts in such depots usually carry about 900 pounds per pallet, but the foreman may have set a lower load, so ask him before the first delivery comes.",
			"The foreman says 650 pounds per pallet.", "With 650 pounds per pallet you should stack the foreman's crates two high, and he says which lift.", "900 pounds"},
		{"the same subject", "The ferry to Vinga takes 45 minutes in summer, so you can be there before the bakery closes.",
			"The ferry takes 70 minutes, I asked.", "As the ferry takes 70 minutes, you asked well: board it at noon.", "45 minutes"},
		{"a reporter", "A slab of this age holds around 500 kilos in each corner, more along the beams.",
			"Our landlord says that the slab holds 240 kilos in each corner.", "If the landlord says the slab holds 240 kilos in each corner, put the kiln elsewhere.", "500 kilos"},
		{"a time", "The museum opens at 9 and is quiet until the school classes arrive.",
			"The museum opens at 11 now.", "As the museum opens at 11 now, take the later tram.", "at 9"},
		{"German", "Solche Decken tragen meist 500 Kilogramm je Feld, aber frag vorher die Verwaltung, weil ältere weniger tragen.",
			"Die Verwaltung sagt 260 Kilogramm je Feld.", "Mit 260 Kilogramm je Feld, wie die Verwaltung sagt, geht der Ofen nur an die Wand.", "500 Kilogramm"},
		{"French", "La dalle supporte en général 500 kilos par mètre, mais demandez au syndic avant la livraison.",
			"Le syndic dit 260 kilos par mètre.", "Avec 260 kilos par mètre, comme dit le syndic, posez le four contre le mur.", "500 kilos"},
		{"Chinese", "这类楼板每平方米一般可以承重500公斤，不过最好先问物业。",
			"物业说每平方米承重260公斤。", "既然物业说每平方米承重260公斤，窑炉就靠墙放。", "500公斤"},
	} {
		texts := []string{"I want to put a kiln of Delft brick into the studio. Where do I begin?", c.model, c.user + " And my nephew Ruben helps with 40 tiles.", c.repeated}
		for _, more := range []string{"glaze", "clay", "shelf", "flue", "bricks"} {
			texts = append(texts, "What "+more+" do I take for the kiln, and how many of the Delft tiles fit?", "For the "+more+", 14 of the Delft tiles fit. Ruben sets them at a slant, with a gap of 3 fingers, and the "+more+" dries for 2 days.")
		}
		for _, size := range []int{900, 1400, 8000} {
			got := digestOf(t, "", size, texts...)
			if !strings.Contains(got, strings.TrimRight(c.user, ".。")) {
				t.Errorf("%s, %d bytes: the user's value is missing:\n%s", c.name, size, got)
			}
			if strings.Contains(got, c.gone) && !strings.Contains(got, "(the user then says ") {
				t.Errorf("%s, %d bytes: the assistant's value stands unmarked:\n%s", c.name, size, got)
			}
			if again := digestOf(t, got, size, "Thanks.", "You are welcome."); strings.Contains(again, c.gone) && !strings.Contains(again, "(the user then says ") {
				t.Errorf("%s, %d bytes: the next digest loses the mark:\n%s", c.name, size, again)
			}
		}
	}
}

// Numbers that belong to other things don't mark the assistant's sentence.
func TestOtherValues(t *testing.T) {
	for _, c := range [][2]string{
		{"The museum of Marstrand costs 12 euros per day.", "The bus costs 3 euros per day."},
		{"The train to Bergen takes 7 hours.", "The train to Oslo takes 4 hours."},
		{"A trough of zinc costs 140 euros.", "I have 600 euros for everything."},
		{"The only hotel there costs 120 pounds per night.", "I need a hotel that costs 60 pounds per night."},
		{"The museum of Marstrand costs 12 euros per day.", "Does the museum of Marstrand cost 9 euros per day?"},
		{"去北京的火车要4小时。", "去上海的火车要7小时。"},
	} {
		if got := digestOf(t, "", 3000, "Tell me of Vinga.", c[0], c[1], "Noted.", "Good.", "Fine."); !strings.Contains(got, strings.TrimRight(c[0], ".。")) || strings.Contains(got, "(the user then says ") {
			t.Errorf("%q after %q:\n%s", c[1], c[0], got)
		}
	}
}
