package dates

import (
	"strings"
	"testing"
	"time"

	"github.com/ctxfold/ctxfold/core/internal/words"
)

func TestHeader(t *testing.T) {
	for _, c := range []struct{ text, day, spelled, rest string }{
		{"[1:56 pm on 8 May, 2023] Hey Jo!", "2023-05-08", "8 May, 2023", "Hey Jo!"},
		{"## Session 3, 2023-05-08\nHello", "2023-05-08", "2023-05-08", "Hello"},
		{"(8. März 2021): Guten Tag", "2021-03-08", "8. März 2021", "Guten Tag"},
		{"【2023年5月8日】你好", "2023-05-08", "2023年5月8日", "你好"},
		{"May 8, 2023\n\nHello", "2023-05-08", "May 8, 2023", "Hello"},
		{"2023-05-08 13:56 and then the text goes on for much longer than a header would, far beyond its room", "2023-05-08", "2023-05-08", "2023-05-08 13:56 and then the text goes on for much longer than a header would, far beyond its room"},
		{"I was born on the 8th of May 1990.", "", "", ""},
		{"[laughs] In 2023 we met", "", "", ""},
		{"[8 May", "", "", ""},
		{"", "", "", ""},
	} {
		f, size := Header(c.text)
		day := ""
		if f.Date != 0 {
			day = string(f.Append(nil))
		}
		if day != c.day {
			t.Errorf("%q: the day is %q", c.text, day)
			continue
		}
		if day != "" && (c.text[f.From:f.End] != c.spelled || c.text[size:] != c.rest) {
			t.Errorf("%q: %q, then %q", c.text, c.text[f.From:f.End], c.text[size:])
		}
	}
}

func FuzzHeader(f *testing.F) {
	f.Add("[8 May 2023] x")
	f.Fuzz(func(t *testing.T, text string) {
		if found, size := Header(text); found.Date != 0 {
			_, _ = text[found.From:found.End], text[size:]
		}
	})
}

func TestDatesIn(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"What happened on 8 May, 2023?", "2023-05-08"},
		{"on May 8th, 2023", "2023-05-08"},
		{"on the 8th of May 2023", "2023-05-08"},
		{"in March", "0000-03"},
		{"last march", ""},
		{"in march 2024", "2024-03"},
		{"You may go, may I?", ""},
		{"2023-05-08T10:00:00Z and 2024-01", "2023-05-08 2024-01"},
		{"08.05.2023", "2023-05-08"},
		{"25/12/2023 12/25/2023 05/08/2023", "2023-12-25 2023-12-25 2023"},
		{"8 de mayo de 2023", "2023-05-08"},
		{"am 8. März 2023", "2023-03-08"},
		{"8 мая 2023 года", "2023-05-08"},
		{"le 8 août 2023", "2023-08-08"},
		{"2023年5月8日と6月", "2023-05-08 0000-06"},
		{"2023년 5월 8일", "2023-05-08"},
		{"٨ مايو 2023", "2023-05"},
		{"in 1999, for 2500 euros and 3 days", "1999"},
		{"version 2.10.4 of 99 things, room 12b", ""},
	} {
		var got []string
		for _, d := range FindDates(c.text, words.Append(nil, c.text)) {
			got = append(got, string(d.Append(nil)))
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%q: %s, want %s", c.text, s, c.want)
		}
	}
}

func TestHeaderDay(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"[1:56 pm on 8 May, 2023] Ingrid: Hey!", "2023-05-08"},
		{"## Session 3, 2023-05-08\nHey!", "2023-05-08"},
		{"2023-05-08 10:00 hey, what happened in the meantime, now that you are back from where you were all of last year?", "2023-05-08"},
		{"【2024年4月9日】船の名前", "2024-04-09"},
		{"Date: 9 April 2024", "2024-04-09"},
		{"I was born on 8 May 1990, and since then a lot has happened in the world, as you may have heard from others", ""},
		{"[May 2023] no day", ""},
		{"[no date] 8 May 2023", ""},
		{"", ""},
	} {
		got := ""
		if d, _ := Header(c.text); d.Date != 0 {
			got = string(d.Append(nil))
		}
		if got != c.want {
			t.Errorf("%q: %s, want %s", c.text, got, c.want)
		}
	}
}

func TestOfEpoch(t *testing.T) {
	for _, at := range []string{"1999-12-31", "2000-02-29", "2023-05-08", "2024-03-01", "2100-03-01"} {
		day, _ := time.Parse(time.DateOnly, at)
		for _, n := range []int64{day.Unix(), day.Unix() + 86399, day.UnixMilli()} {
			if got := string(OfEpoch(n).Append(nil)); got != at {
				t.Errorf("%d is %s, want %s", n, got, at)
			}
		}
	}
}

func TestOf(t *testing.T) {
	for _, c := range []struct{ value, want string }{
		{`"2023-05-08T10:00:00.000Z"`, "2023-05-08"}, {`"1:56 pm on 8 May, 2023"`, "2023-05-08"}, {`1683500000`, "2023-05-07"},
		{`1683500000123`, "2023-05-07"}, {`"1683500000123"`, "2023-05-07"}, {`""`, ""}, {`"soon"`, ""}, {`null`, ""}, {`-5`, ""}, {`12`, ""}, {`[]`, ""},
		{`1683500000.999`, "2023-05-07"}, {`"1683500000 UTC"`, "2023-05-07"}, {`"`, ""}, {``, ""},
	} {
		got := ""
		if d := DateOfValue([]byte(c.value)); d != 0 {
			got = string(d.Append(nil))
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.value, got, c.want)
		}
	}
}

// A date may end after the year or the month, and only a time may follow a day.
func TestParse(t *testing.T) {
	for text, want := range map[string]Date{
		"2023": New(2023, 0, 0), "2023-05": New(2023, 5, 0), "2023-05-08": New(2023, 5, 8), "2023-05-08T10:00:00Z": New(2023, 5, 8), "2023-05-08 10:00": New(2023, 5, 8),
		"2023-05-08x": 0, "2023-05-081": 0, "2023x": 0, "2023-": 0, "2023-05-": 0, "2023-05T10:00": 0, "2023T10": 0, "2023-13": 0, "x": 0, "": 0,
	} {
		if got, ok := Parse(text); got != want || ok != (want != 0) {
			t.Errorf("%q: %s, %t", text, got.Append(nil), ok)
		}
	}
}
