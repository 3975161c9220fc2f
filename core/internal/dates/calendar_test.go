package dates

import (
	"testing"
	"time"

	"github.com/ctxfold/ctxfold/core/internal/words"
)

func spelled(d Date) string {
	if d == 0 {
		return ""
	}
	return string(d.Append(nil))
}

func TestNew(t *testing.T) {
	for _, c := range []struct {
		year, month, day int
		want             string
	}{
		{2023, 5, 8, "2023-05-08"}, {2023, 12, 31, "2023-12-31"}, {0, 1, 0, "0000-01"}, {9999, 0, 0, "9999"}, {987, 10, 20, "0987-10-20"},
		{10000, 1, 1, ""}, {-1, 1, 1, ""}, {2023, 13, 1, ""}, {2023, -1, 1, ""}, {2023, 1, 32, ""}, {2023, 1, -1, ""}, {2023, 0, 1, ""},
	} {
		if got := spelled(New(c.year, c.month, c.day)); got != c.want {
			t.Errorf("%d, %d, %d is %q, not %q", c.year, c.month, c.day, got, c.want)
		}
	}
}

func TestLast(t *testing.T) {
	for _, c := range []struct{ date, last Date }{
		{New(2023, 0, 0), New(2023, 12, 31)}, {New(2023, 4, 0), New(2023, 4, 31)}, {New(2023, 4, 8), New(2023, 4, 8)},
	} {
		if got := c.date.Last(); got != c.last {
			t.Errorf("the last day of %s is %s", spelled(c.date), spelled(got))
		}
	}
}

func TestIs(t *testing.T) {
	day := New(2023, 5, 8)
	for _, c := range []struct {
		of   Date
		want bool
	}{
		{day, true}, {New(2023, 5, 0), true}, {New(2023, 0, 0), true}, {New(0, 5, 0), true}, {New(0, 5, 8), true}, {0, true},
		{New(2022, 5, 8), false}, {New(2023, 4, 8), false}, {New(2023, 5, 7), false}, {New(2022, 0, 0), false}, {New(0, 4, 0), false},
	} {
		if day.Matches(c.of) != c.want {
			t.Errorf("%s is within %q: %t", spelled(day), spelled(c.of), !c.want)
		}
	}
	if Date(0).Matches(day) || Date(0).Matches(0) {
		t.Error("no date is within one")
	}
}

// TestDaysOfYears counts the days around the ends of months, in years of every kind.
func TestDaysOfYears(t *testing.T) {
	for _, year := range []int{1600, 1699, 1700, 1900, 1970, 1999, 2000, 2001, 2023, 2024, 2100, 2400} {
		for month := 1; month <= 12; month++ {
			for _, day := range []int{1, 28, time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()} {
				d, want := New(year, month, day), int(time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC).Unix()/86400)
				if d.days() != want || ofDays(want) != d {
					t.Errorf("%s is day %d, not %d, which is %s", spelled(d), d.days(), want, spelled(ofDays(want)))
				}
			}
		}
	}
	if ofDays(-719469) != 0 || spelled(ofDays(-719468)) != "0000-03-01" {
		t.Error("the first day is", spelled(ofDays(-719468)))
	}
}

func TestPlus(t *testing.T) {
	tuesday := New(2024, 2, 27)
	for _, c := range []struct {
		n      int
		unit   unit
		number int
		want   string
	}{
		{1, aDay, 0, "2024-02-28"}, {3, aDay, 0, "2024-03-01"}, {-27, aDay, 0, "2024-01-31"},
		{1, aMonth, 0, "2024-03"}, {11, aMonth, 0, "2025-01"}, {10, aMonth, 0, "2024-12"}, {-2, aMonth, 0, "2023-12"}, {-1, aMonth, 0, "2024-01"},
		{1, aYear, 0, "2025"}, {-24, aYear, 0, "2000"},
		{-1, weekday, 1, "2024-02-26"}, {-1, weekday, 2, "2024-02-20"}, {-1, weekday, 3, "2024-02-21"}, {-1, weekday, 7, "2024-02-25"},
		{1, weekday, 1, "2024-03-04"}, {1, weekday, 2, "2024-03-05"}, {1, weekday, 3, "2024-02-28"}, {1, weekday, 7, "2024-03-03"},
	} {
		if got := spelled(tuesday.plus(c.n, c.unit, c.number)); got != c.want {
			t.Errorf("%d of unit %d (%d) from a Tuesday is %s, not %s", c.n, c.unit, c.number, got, c.want)
		}
	}
}

func TestMayHold(t *testing.T) {
	for _, c := range []struct {
		text string
		want bool
	}{
		{"", false}, {"1234", false}, {"12345", true}, {"8 May 2023", true}, {"May 2023", false}, {"1.2.3.4.", false}, {"1.2.3.4.5", true},
		{"a1b2c3d4 e5", true}, {"/:/:/:/:/:/:/:/:", false}, {"pqrstuvwpqrstuvw", false}, {"\xb0\xb1\xb2\xb3\xb4\xb5\xb6\xb7", false},
		{"00000000", true}, {"99999", true}, {"year 9 is 1999", true}, {"in room 1 at 2", false}, {"٨ مايو ٢٠٢٣", false},
	} {
		if MayHold([]byte(c.text)) != c.want {
			t.Errorf("%q may hold a date: %t", c.text, !c.want)
		}
	}
}

func TestIsKey(t *testing.T) {
	for key, want := range map[string]bool{"timestamp": true, "created_at": true, "createdAt": true, "date": true, "time": true, "": false, "times": false, "id": false} {
		if IsKey([]byte(key)) != want {
			t.Errorf("%s: %t", key, !want)
		}
	}
}

// TestForms tests texts that are just barely dates, or just barely not.
func TestForms(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"1900-01-01", "1900-01-01"}, {"2199-12-31", "2199-12-31"}, {"1899-01-01", ""}, {"2200-01-01", ""},
		{"2023-13-01", "2023"}, {"2023-12-32", "2023-12"}, {"2023-1-5", "2023-01-05"}, {"2023/05/08", "2023-05-08"}, {"2023.5.8", "2023-05-08"},
		{"2023-5", "2023"}, {"13/12/2023", "2023-12-13"}, {"12/13/2023", "2023-12-13"}, {"12/12/2023", "2023"}, {"13/13/2023", "2023"}, {"12.11.2023", "2023-11-12"},
		{"32.1.2023", "2023"}, {"31 December", "0000-12-31"}, {"December 31", "0000-12-31"}, {"32 December", "0000-12"},
		{"May 8", "0000-05-08"}, {"May 2023", "2023-05"}, {"8 of the month of May 2023", "2023-05"}, {"May, in the year 2023", "2023"}, {"May of 2023", "2023-05"}, {"May of the 2023", "2023"}, {"8 May", "0000-05-08"},
		{"2023年", "2023"}, {"5月", "0000-05"}, {"2023年5月", "2023-05"}, {"5月8日", "0000-05-08"}, {"5月8日9日", "0000-05-08"}, {"2023年5月8日2024年6月9日", "2023-05-08 2024-06-09"},
		{"2023年2024年", "2023 2024"}, {"8日", ""},
	} {
		var got string
		for _, d := range FindDates(c.text, words.Append(nil, c.text)) {
			if got != "" {
				got += " "
			}
			got += spelled(d.Date)
		}
		if got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}
