package digest_test

import (
	"runtime/debug"
	"strings"
	"testing"
)

// lookedUpAs returns a call of a tool and its result, a record.
func lookedUpAs(id, tool, args, record string) string {
	return `{"role":"assistant","content":[{"type":"tool_call","id":"` + id + `","name":"` + tool + `","arguments":` + args + `}]},` +
		`{"role":"tool_result","tool_call_id":"` + id + `","tool_name":"` + tool + `","content":"` + strings.ReplaceAll(record, `"`, `\"`) + `"}`
}

// An entry quotes what was looked up: the members of a record, and those of its parts that later messages name.
func TestLookups(t *testing.T) {
	profile := lookedUpAs("1", "get_skipper", `{"skipper_id":"lena_falk_77"}`,
		`{"name":{"first":"Lena","last":"Falk"},"grade":"coxswain","wallets":{"voucher_5512":{"kind":"voucher","balance":150,"id":"voucher_5512"},"card_9034":{"kind":"card","id":"card_9034"}},"bookings":["B-401","B-402","B-403"]}`)
	berths := lookedUpAs("2", "search_berths", `{"harbour":"Wismar"}`,
		`[{"berth":"N17","depth":2.5,"fares":{"night":38,"week":214}},{"berth":"N18","depth":3.1,"fares":{"night":44,"week":251}},{"berth":"S02","depth":4.0,"fares":{"night":61,"week":333}}]`)
	text := logOf(t, `[
{"role":"user","content":"I am lena_falk_77 and need a berth in Wismar."},
`+profile+`,
`+berths+`,
{"role":"assistant","content":"Berth N18 is free, and your voucher can pay for it. Shall I book it?"},
{"role":"user","content":"Yes."},
{"role":"assistant","content":[{"type":"tool_call","id":"3","name":"book_berth","arguments":{"berth":"N18","payment":"voucher_5512"}}]},
{"role":"tool_result","tool_call_id":"3","tool_name":"book_berth","content":"{\"booking\":\"B-404\",\"paid\":251}"},
{"role":"assistant","content":"It is booked."}
]`, 4000)
	wants(t, text, []string{"get_skipper(skipper_id: lena_falk_77) returned: grade: coxswain", "1 of 2 wallets: voucher_5512: kind: voucher, balance: 150", "bookings: B-401, B-402, B-403",
		"search_berths(harbour: Wismar) returned: 1 of 3: berth: N18, depth: 3.1, night: 44, week: 251"}, []string{"N17", "S02", "card_9034"})
}

// Parts of one list are quoted together if several of them are named, a name without its keys. If others aren't named, the
// line says how many there are.
func TestLookupsOfSeveralParts(t *testing.T) {
	crew := lookedUpAs("1", "get_crew", `{"boat":"Amsel"}`,
		`{"crew":[{"first_name":"Lena","last_name":"Falk","born":"1971-03-05"},{"first_name":"Ove","last_name":"Brandt","born":"1980-11-20"}],"berths":[{"place":"N17","fee":38.10000000000002},{"place":"N18","fee":44},{"place":"S02","fee":61}]}`)
	text := logOf(t, `[
{"role":"user","content":"Who is on the Amsel?"},
`+crew+`,
{"role":"assistant","content":"Lena Falk, born 1971-03-05, and Ove Brandt. Berth N17 for 38.1, or N18 for 44."},
{"role":"user","content":"Then take Ove Brandt off the list, please."},
{"role":"assistant","content":"I cannot do that."}
]`, 4000)
	wants(t, text, []string{"crew: Lena Falk, born: 1971-03-05; Ove Brandt, born: 1980-11-20", "2 of 3 berths: place: N17, fee: 38.1; place: N18, fee: 44"}, []string{"last_name", "S02"})
}

// A number that many parts of a record share, such as a length that was asked for, doesn't tell which of them is meant.
// Lists of ids that are in the parts anyway aren't quoted.
func TestLookupsOfPartsWithTheSameNumbers(t *testing.T) {
	sails := lookedUpAs("1", "list_sails", `{"loft":"Kiel"}`,
		`{"sails":[{"sail_id":"70011","luff":"12 m","cloth":"dacron","price":411},{"sail_id":"70012","luff":"12 m","cloth":"laminate","price":655},{"sail_id":"70013","luff":"12 m","cloth":"nylon","price":302},{"sail_id":"70014","luff":"9 m","cloth":"nylon","price":288}],"parcels":[{"codes":["PK-9917"],"sail_ids":["70011","70012"]}]}`)
	text := logOf(t, `[
{"role":"user","content":"I need a sail with a luff of 12 m."},
`+sails+`,
{"role":"assistant","content":"The nylon sail 70013 has a luff of 12 m. Do you want it? The parcel PK-9917 is for 70011 and 70012."},
{"role":"user","content":"Yes."},
{"role":"assistant","content":"It is on its way."}
]`, 2200)
	wants(t, text, []string{"sail_id: 70013, luff: 12 m, cloth: nylon, price: 302", "codes: PK-9917"}, []string{"sail_id: 70014", "sail_ids: 70011"})
}

// Until something was said about a record, all its parts may matter. A record that was looked up twice is quoted once.
func TestLookupsInProgress(t *testing.T) {
	berth := func(id string) string {
		return lookedUpAs(id, "get_berth", `{"berth":"N17"}`, `{"berth":"N17","guests":[{"boat_name":"Amsel","until":"Friday"},{"boat_name":"Elster","until":"Sunday"}]}`)
	}
	text := logOf(t, `[{"role":"user","content":"Who lies at N17?"},`+berth("1")+`,`+berth("2")+`]`, 4000)
	wants(t, text, []string{"get_berth(berth: N17) returned: guests: Amsel, until: Friday; Elster, until: Sunday"}, nil)
	if n := strings.Count(text, "Amsel"); n != 1 {
		t.Errorf("quoted %d times in\n%s", n, text)
	}
}

// Numbers are named with commas between their digits as well. Records may be damaged, deep or empty.
func TestLookupsOfAnyRecord(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(1 << 20))
	for _, record := range []string{`{}`, `[]`, `[[],{},[{}]]`, `{"a":null,"b":[null,{"c":null}]}`, `{"a":`, strings.Repeat("[", 500) + strings.Repeat("]", 500),
		"[" + strings.Repeat("[17,18],", 1000) + "[19]]",
		strings.Repeat(`{"a":`, 300) + "17" + strings.Repeat("}", 300), `[` + strings.Repeat(`{"berth":"N17"},`, 900) + `{"berth":"N17","price":16005}]`} {
		text := logOf(t, `[{"role":"user","content":"What does N17 cost?"},`+lookedUpAs("1", "get_berth", `{"berth":"N17"}`, record)+
			`,{"role":"assistant","content":"It costs 16,005, or ,1,2,, per year,"},{"role":"user","content":"Thanks, and what about the winter?"}]`, 4000)
		if strings.Contains(record, "16005") != strings.Contains(text, "price: 16005") {
			t.Errorf("%.60s:\n%s", record, text)
		}
	}
}
