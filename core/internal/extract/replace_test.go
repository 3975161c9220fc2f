package extract_test

import (
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/extract"
)

func TestReplaceTime(t *testing.T) {
	for _, c := range []struct{ text, said, want string }{
		{"Dr Egger, Friday at 10:40", "Monday at 9:05", "Dr Egger"},
		{"my boiler is cold, 14 Elm Row; Tuesday at 10:15 or on Thursday at 8:40", "Thursday at 11:50", "my boiler is cold, 14 Elm Row"},
		{"My boiler is cold, 14 Elm Row; Tuesday at 10:15 or on Thursday at 8:40; K7QX2P", "Thursday at 11:50", "My boiler is cold, 14 Elm Row; K7QX2P"},
		{"Dr Corso, Wednesday, 8:50, Thursday at 18:10", "Wednesday at 8:50 with Dr Corso", "Dr Corso"},
		{"Thursday at 8:40; K7QX2P", "11:50", "Thursday at 8:40; K7QX2P"},
		{"Thursday; 8:40; K7QX2P", "11:50", "Thursday; K7QX2P"},
		{"table for 4 at 19:30 on Friday; 7GK2", "Saturday, 20:00", "table for 4; 7GK2"},
		{"parcel X1; Monday between 13:20 and 18:45; code 77", "Tuesday after 9:00", "parcel X1; code 77"},
		{"Monday, 15:10 for 174.95 euros", "Monday, 16:10", "for 174.95 euros"},
		{"骨科吧; 高医生周五10点一刻有号，周三13点也可以", "已经帮您预约周五10点一刻", "骨科吧; 高医生"},
		{"Friday at 10:40; 61.50 euros", "0789 948475", "Friday at 10:40; 61.50 euros"},
		{"", "9:05", ""},
	} {
		if got := extract.Replace(c.text, c.said); got != c.want {
			t.Errorf("%q, %q: got %q, want %q", c.text, c.said, got, c.want)
		}
	}
}
