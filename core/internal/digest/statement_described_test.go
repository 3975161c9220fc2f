package digest

import "testing"

// A description, a guess or a quotation is not a rule; the same words in a rule are.
func TestDescribed(t *testing.T) {
	for text, want := range map[string]bool{
		"That drawer never opens all the way.":               false,
		"Never open that drawer all the way.":                true,
		"The ferry never leaves on time.":                    false,
		"The kettle must be boiling.":                        false,
		"The kettle must be off at night.":                   true,
		"My landlord says we must never drill.":              false,
		"We must never drill, please remember.":              true,
		"We only bake on Sundays, according to the sign.":    false,
		"Only bake on Sundays.":                              true,
		"No sign of the parcel yet.":                         false,
		"No parcels without a signature.":                    true,
		"Use of the sauna costs extra there.":                false,
		"Use the sauna price in every offer.":                true,
		"If you want towels we can add some later.":          false,
		"That means the towels should not be in the basket.": false,
		"Not everyone likes the sauna.":                      false,
		"Every cellar smelled of apples.":                    false,
		"Every cellar needs two exits.":                      true,
		"The latch must be a leftover.":                      false,
		"Nobody uses that latch anymore.":                    false,
		"News: the pile in the yard only ever grows.":        false,
		"Nobody opens the latch but me.":                     true,
	} {
		if got := len(newestStanding(statements(text, new(readRoom)))) > 0; got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
