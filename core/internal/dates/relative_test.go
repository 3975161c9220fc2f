package dates

import (
	"strings"
	"testing"
	"time"

	"github.com/ctxfold/ctxfold/core/internal/words"
)

func TestRelative(t *testing.T) {
	day := New(2023, 5, 8) // a Monday
	for _, c := range []struct{ text, want string }{
		{"We met yesterday at noon, and the day before yesterday too", "yesterday=2023-05-07 yesterday=2023-05-06"},
		{"Last month I was ill; next month I travel", "month=2023-04 month=2023-06"},
		{"It was last year, or 12 years ago", "year=2022 ago=2011"},
		{"two weeks ago, a week ago, 3 days ago, five months ago", "ago=2023-04-24 ago=2023-05-01 ago=2023-05-05 ago=2022-12"},
		{"last Friday, last Monday, next Mon, next Sunday", "Friday=2023-05-05 Monday=2023-05-01 Mon=2023-05-15 Sunday=2023-05-14"},
		{"Gestern war ich da, vor zwei Tagen nicht, nächsten Monat wieder", "Gestern=2023-05-07 Tagen=2023-05-06 Monat=2023-06"},
		{"hier, avant-hier, il y a 3 jours, l'année dernière", "hier=2023-05-07 hier=2023-05-06 jours=2023-05-05 dernière=2022"},
		{"ayer, hace dos semanas, el mes que viene", "ayer=2023-05-07 semanas=2023-04-24 viene=2023-06"},
		{"вчера, два года назад, в прошлом месяце", "вчера=2023-05-07 назад=2021 месяце=2023-04"},
		{"我昨天去了，上个月也去了", "昨天=2023-05-07 上个月=2023-04"},
		{"昨天上个月", "昨天=2023-05-07 昨天上个月=2023-04"},
		{"昨日は雨、来年も", "昨日=2023-05-07 来年=2024"},
		{"어제 비, 내년 눈", "어제=2023-05-07 내년=2024"},
		{"last week, some day, a year, 5000 days ago, 0005 days ago, Friday", ""},
	} {
		var got []string
		for _, m := range Relative(c.text, words.Append(nil, c.text), day) {
			words := strings.FieldsFunc(c.text[:m.End], func(r rune) bool { return strings.ContainsRune(" -'，、我", r) })
			got = append(got, words[len(words)-1]+"="+string(m.Append(nil)))
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%q: %s, want %s", c.text, s, c.want)
		}
	}
	if Relative("yesterday", words.Append(nil, "yesterday"), New(2023, 5, 0)) != nil {
		t.Error("a month has a yesterday")
	}
}

// TestDays compares day counts with those of package time.
func TestDays(t *testing.T) {
	for day := time.Date(1896, 1, 1, 0, 0, 0, 0, time.UTC); day.Year() < 2105; day = day.AddDate(0, 0, 13) {
		d := New(day.Year(), int(day.Month()), day.Day())
		if n := int(day.Unix() / 86400); day.Unix()%86400 == 0 && (d.days() != n || ofDays(n) != d) {
			t.Fatalf("%s is day %d, want %d, which is %s", d.Append(nil), d.days(), n, ofDays(n).Append(nil))
		}
		if w := Relative("last Friday", words.Append(nil, "last Friday"), d); time.Date(w[0].Year(), time.Month(w[0].Month()), w[0].Day(), 0, 0, 0, 0, time.UTC).Weekday() != time.Friday {
			t.Fatalf("the Friday before %s is %s", d.Append(nil), w[0].Append(nil))
		}
	}
}

func TestLike(t *testing.T) {
	for _, c := range []struct {
		d          Date
		like, want string
	}{
		{New(2023, 5, 7), "8 May, 2023", "7 May, 2023"}, {New(2022, 5, 0), "8 May, 2023", "May 2022"}, {New(2024, 3, 31), "March 1, 2023", "March 31, 2024"},
		{New(2023, 3, 9), "8. März 2023", "9. März 2023"}, {New(2023, 5, 7), "2023-05-08", ""}, {New(2023, 5, 7), "8 June 2023", ""}, {New(2023, 5, 7), "8 May", ""},
	} {
		if got, ok := c.d.InStyleOf(c.like); got != c.want || ok != (c.want != "") {
			t.Errorf("%s like %q: %q", c.d.Append(nil), c.like, got)
		}
	}
}
