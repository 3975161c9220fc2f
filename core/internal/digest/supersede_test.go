package digest

import "testing"

func TestReplaces(t *testing.T) {
	for _, c := range []struct {
		old, new string
		want     bool
	}{
		{"I live in Porto.", "I moved to Lisbon in May.", true},
		{"We live in Porto, near the river.", "We live in Lisbon now.", true},
		{"I work as a nurse at Saint Mary.", "I have a new job at the Riverside clinic.", true},
		{"My phone number is 555 1234.", "My new phone number is 555 9876.", true},
		{"The weekly meeting is on Tuesday.", "The weekly meeting was moved to Thursday.", true},
		{"Ich wohne in Köln.", "Ich bin nach Bremen umgezogen.", true},
		{"J'habite à Lyon.", "J'ai déménagé à Nantes.", true},
		{"Я живу в Туле.", "Я переехала в Орёл.", true},
		{"我住在波尔图。", "我五月搬到了里斯本。", true},
		{"私はポルトに住んでいます。", "私は五月にリスボンへ引っ越しました。", true},
		{"I visited Porto last year.", "I visited Lisbon in May.", false},
		{"I went to a yoga class in Berlin.", "Now I am in Rome for a concert.", false},
		{"I live in Porto.", "I love Lisbon, now more than ever.", false},
		{"My sister lives in Oslo.", "I have a new car from Turin.", false},
		{"The meeting is on Tuesday at 3.", "I moved the piano to the cellar on Friday.", false},
		{"I live in Porto.", "I live in Porto.", false},
		{"I live in Porto.", "My aunt moved to Lisbon.", false},
		{"The half marathon of Falwen took me 134 minutes.", "The new half marathon of Tenquer took me 101 minutes.", false},
		{"The bill for the skylight was 465 euros.", "The heater now costs 462 euros.", false},
		{"The appointment is on 26 September at nine.", "The appointment was moved to 27 July, they say.", false},
		{"我去年住在大理。", "姑姑搬到了上海。", false},
	} {
		var r factReader
		if got := r.fact(c.new).replaces(r.fact(c.old)); got != c.want {
			t.Errorf("%q after %q replaces it: %v", c.new, c.old, got)
		}
	}
}
