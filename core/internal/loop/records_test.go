package loop

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/api"
)

// TestReadRecord reads records that hosts of earlier versions have saved.
func TestReadRecord(t *testing.T) {
	const now, entry = 1_772_000_000_000, `{"version":2,"print":"a","edits":[]`
	for _, c := range []struct {
		name, text string
		tries      int
		again      int64
	}{
		{"of this version", `{"version":3,"entries":[{"entry":` + entry + `},"tries":2,"again":1772000060000}]}`, 2, 1_772_000_060_000},
		{"Go's", `{"version":2,"entry":` + entry + `},"degraded":{"tries":2,"again":1772000060}}`, 2, 1_772_000_060_000},
		{"the C library's", `{"version":1,"tries":0,"again":0,"entries":[{"tries":2,"again":1772000060,"entry":` + entry + `}}]}`, 2, 1_772_000_060_000},
		{"JavaScript's", `[` + entry + `,"tries":2,"again":1772000060000}]`, 2, 1_772_000_060_000},
		{"Python's", `["` + strings.ReplaceAll(entry, `"`, `\"`) + `,\"tries\":2,\"again\":1772000060}"]`, 2, 1_772_000_060_000},
		{"without a failure", `{"version":2,"entry":` + entry + `}}`, 0, 0},
		{"by a clock in the future", `{"version":2,"entry":` + entry + `},"degraded":{"tries":2,"again":9999999999}}`, 2, now + longestAgain},
	} {
		r := readRecord(c.text, now)
		if len(r.Entries) != 1 || textOf(readMembers(r.Entries[0].Entry).valueOf("print")) != "a" || r.Entries[0].Tries != c.tries || r.Entries[0].Again != c.again {
			t.Errorf("%s: %+v", c.name, r)
		}
	}
	for _, none := range []string{"", "x", "[", "[1]", `["x"]`, `[{}]`, "{}", `{"version":4,"entries":[]}`, `{"version":3,"entries":[{"entry":7}]}`, `{"version":2}`} {
		if r := readRecord(none, now); len(r.Entries) > 0 {
			t.Errorf("%s: %+v", none, r)
		}
	}
}

// TestRecordLimits: a record has a maximum size, and keeps the newest items.
func TestRecordLimits(t *testing.T) {
	entryOf := func(print string, size int) entry {
		return entry{Entry: api.Raw(fmt.Sprintf(`{"print":%q,"edits":[],"x":%q}`, print, strings.Repeat("x", size)))}
	}
	var r record
	for i := range 200 {
		r.merge(&record{Entries: []entry{entryOf(fmt.Sprint(i), 10)}, Attempts: []attempt{{Print: fmt.Sprint(i)}}, Calls: []use{{Print: fmt.Sprint(i)}}})
	}
	if len(r.Entries) != maxEntries || len(r.Attempts) != maxAttempts || len(r.Calls) != maxCalls || r.Calls[maxCalls-1].Print != "199" {
		t.Fatal(len(r.Entries), len(r.Attempts), len(r.Calls))
	}
	for i := range 10 {
		r.merge(&record{Entries: []entry{entryOf(fmt.Sprint("large ", i), 2<<20)}})
	}
	if len(r.Entries) != 3 || len(r.text()) > maxRecordBytes {
		t.Fatal(len(r.Entries), len(r.text()))
	}
	r.merge(&record{Entries: []entry{entryOf("too large", 9<<20)}})
	if len(r.Entries) != 1 {
		t.Fatal("the newest is not kept alone")
	}
	r.merge(&record{Entries: []entry{entryOf("too large", 10)}})
	if len(r.Entries) != 1 || len(r.Entries[0].Entry) > 100 {
		t.Fatal("the same messages have two entries")
	}
}

// TestSentAfter makes the request that is appended to the conversation, byte for byte but for its changes.
func TestSentAfter(t *testing.T) {
	conversation := readMembers([]byte(`{"edits":[{"keep":[0,1]},{"set":1,"message":{"b":2}},{"insert":{"c":3}}],"body":{"stream":null,"max":5,"tool":{"mode":"none","x":null}}}`))
	for _, c := range [][2]string{
		{`[{"a": 1},{"b":1}]`, `[{"a": 1},{"b":2},{"c":3}]`},
		{`{"model" : "m","stream":true,"tool":{"mode":"auto","x":1,"y":[1, 2]},"messages":[{"a": 1},{"b":1}],"t":1.0}`,
			`{"model":"m","tool":{"mode":"none","y":[1, 2]},"messages":[{"a": 1},{"b":2},{"c":3}],"t":1.0,"max":5}`},
		{`{"tool":7,"input":[{"a":1},{"b":1}]}`, `{"tool":{"mode":"none"},"input":[{"a":1},{"b":2},{"c":3}],"max":5}`},
		{`{"no":"list"}`, ``},
		{``, ``},
	} {
		if sent := string(sentAfter([]byte(c[0]), conversation)); sent != c[1] {
			t.Errorf("%s: %s, not %s", c[0], sent, c[1])
		}
	}
}

// TestAddFoundReadsOnce adds many entries to those found. Each of them may be large, so it is read only once.
func TestAddFoundReadsOnce(t *testing.T) {
	read := func(n int) float64 {
		var list []entry
		for i := range n {
			list = append(list, entry{Entry: fmt.Appendf(nil, `{"version":2,"print":"%016x","messages":%d}`, i, i+1)})
		}
		return testing.AllocsPerRun(10, func() {
			var j call
			j.Job = new(Job)
			j.addFound(list)
			j.addFound(list)
			if len(j.Found) != n {
				t.Fatal(len(j.Found))
			}
		})
	}
	if few, many := read(8), read(64); many > 10*few {
		t.Errorf("%.0f allocations for 8 entries, %.0f for 64", few, many)
	}
}
