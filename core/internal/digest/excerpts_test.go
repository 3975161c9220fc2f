package digest_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// excerpts chooses lines from all tool results of a conversation in the native format, in at most size bytes per result
// and room bytes altogether.
func excerpts(t *testing.T, src string, size, room int) []string {
	t.Helper()
	tr, messages := read(t, "native", src)
	var results []int32
	var texts []string
	var sizes []int
	for n := range tr.Parts {
		if tr.Parts[n].Kind == transcript.ToolResult {
			results, texts, sizes = append(results, int32(n)), append(texts, digest.ResultText(tr, n)), append(sizes, size)
		}
	}
	return digest.NewExcerpts(tr, messages, results, texts).Choose(sizes, nil, room)
}

// filled is like excerpts, but for a single result, which may use the whole room.
func filled(t *testing.T, src string, size, most, room int) string {
	t.Helper()
	tr, messages := read(t, "native", src)
	for n := range tr.Parts {
		if tr.Parts[n].Kind == transcript.ToolResult {
			return digest.NewExcerpts(tr, messages, []int32{int32(n)}, []string{digest.ResultText(tr, n)}).Choose([]int{size}, []int{most}, room)[0]
		}
	}
	t.Fatal("no result")
	return ""
}

// The rest of the room shows what a result says in addition to names that others repeat: comments with the code that
// they explain, but no other code.
func TestExcerptsFillTheRoom(t *testing.T) {
	code := "   11→func taxOf(o Order) (int, error) {\n   12→\t// Orders from before 2019 have no rate, so they are taxed by the old table.\n   13→\tn := 0\n" +
		"   14→\tif o.rate == nil {\n   15→\t\treturn oldTable(o)\n   16→\t}\n   17→\tif n < 0 {\n   18→\t\treturn 0, errors.New(\"a negative tax is a refund\")\n   19→\t}\n" +
		strings.Repeat("   20→\tn += o.lines[0]\n", 30) + "   50→}\n"
	src := `[{"role":"user","content":"go"},` + exchange("read", code, "taxOf it is.") + `]`
	if got := filled(t, src, 60, 60, 2000); strings.Contains(got, "2019") {
		t.Errorf("more than the result may have: %q", got)
	}
	if got := filled(t, src, 60, 400, 390); strings.Contains(got, "2019") {
		t.Errorf("filled where there is little room: %q", got)
	}
	got := filled(t, src, 60, 330, 2000)
	for _, want := range []string{"\n11→func taxOf", "\n  // Orders from before 2019"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
	if len(got) > 360 || strings.Contains(got, "o.lines") {
		t.Errorf("%d bytes: %q", len(got), got)
	}
}

// Lines that only pass values on under their own names don't fill the room. A value with information does.
func TestExcerptsLeaveOutCopies(t *testing.T) {
	code := "   11→func order(o Order) Slip {\n   12→\treturn Slip{\n   13→\t\tOwnerName: owner.Name,\n   14→\t\tRate:      o.rate,\n   15→\t\tCheeses:   heldCheeses,\n   16→\t}\n   17→}\n   18→\n" +
		"   18→// empty is the slip of an order that nobody has paid for.\n   19→func empty() Slip {\n   20→\treturn Slip{\n   21→\t\tRate:  defaultRate(2019),\n   22→\t\tState: waitingForMilk,\n   23→\t\tShelf: \"the lowest of the cellar\",\n   24→\t}\n   25→}\n" +
		"   26→\n   27→// shelve puts a cheese on the lowest shelf that has room for it.\n"
	got := filled(t, `[{"role":"user","content":"go"},`+exchange("read", code, "It is done.")+`]`, 60, 400, 3000)
	for _, want := range []string{"    State: waitingForMilk", "the lowest of the cellar", "// shelve puts"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
	for _, not := range []string{"OwnerName", "o.rate", "heldCheeses"} {
		if strings.Contains(got, not) {
			t.Errorf("%q is in %q", not, got)
		}
	}
}

// A result doesn't include the agent program's reminders between its parts, but does include a line of a file with the
// tag.
func TestExcerptsHaveNoReminders(t *testing.T) {
	result := "The oven_9 of the cellar has two doors, and both of them are closed at night.\n\n<system-reminder>\nYou must never open the cellar of the baker without a key.\n</system-reminder>\n\n" +
		"The kettle_4 stands beside the doors and holds forty litres of milk.\n12: <system-reminder> is the tag of a reminder in this format.\n" +
		"<system-reminder>\nYou must always whistle before you enter.\n</system-reminder>\n"
	got := filled(t, `[{"role":"user","content":"go"},`+exchange("read", result, "Fine.")+`]`, 60, 400, 3000)
	if !strings.Contains(got, "oven_9") || !strings.Contains(got, "kettle_4") || !strings.Contains(got, "is the tag of") || strings.Contains(got, "must") {
		t.Error(got)
	}
}

// call returns the messages for a call of a tool and its result. arguments is JSON.
func call(tool, id, arguments, result string) string {
	quote := func(s string) string { return strings.NewReplacer(`"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(s) }
	return `{"role":"assistant","content":[{"type":"tool_call","id":"` + id + `","name":"` + tool + `","arguments":` + arguments + `}]},` +
		`{"role":"tool_result","tool_call_id":"` + id + `","tool_name":"` + tool + `","content":[{"type":"text","text":"` + quote(result) + `"}]}`
}

// Lines that occur in the arguments of a later call aren't quoted. A file that a later call edits isn't quoted at all.
func TestExcerptsLeaveOutWhatLaterCallsHave(t *testing.T) {
	dairy := "// mature keeps a cheese in the cellar for its ripening_days.\nfunc mature(c Cheese) {\n\tshelf_of(c).put(c)\n\tc.ripening_days = 40\n}\n\n// sell takes a cheese to the market_stall of the village.\nfunc sell(c Cheese) {\n\tmarket_stall.add(c)\n}\n"
	said := `,{"role":"assistant","content":[{"type":"text","text":"ripening_days and the market_stall it is, in shelf_of"}]}]`
	wrote := call("write", "w", `{"path":"copy.go","content":"func mature(c Cheese) {\n\tshelf_of(c).put(c)\n\tc.ripening_days = 40\n}"}`, "ok")
	got := excerpts(t, `[{"role":"user","content":"go"},`+call("read", "r", `{"path":"dairy.go"}`, dairy)+","+wrote+said, 600, 10000)[0]
	if strings.Contains(got, "shelf_of") || strings.Contains(got, "ripening_days = 40") || !strings.Contains(got, "of the village.\nfunc sell") {
		t.Errorf("%q", got)
	}
	edited := call("edit", "e", `{"path":"dairy.go","oldText":"\tc.ripening_days = 40","newText":"\tc.ripening_days = 60"}`, "The file dairy.go has been updated.")
	all := excerpts(t, `[{"role":"user","content":"go"},`+call("read", "r", `{"path":"dairy.go"}`, dairy)+","+edited+","+call("read", "r2", `{"path":"dairy.go"}`, strings.ReplaceAll(dairy, "40", "60"))+said, 600, 10000)
	if all[0] != "" || all[1] != "" || !strings.Contains(all[2], "shelf_of(c)") {
		t.Errorf("%q", all)
	}
	refused := call("edit", "e", `{"path":"dairy.go","oldText":"\tc.ripe = 40","newText":"\tc.ripe = 60"}`, "Error: oldText was not found in dairy.go.")
	if all := excerpts(t, `[{"role":"user","content":"go"},`+call("read", "r", `{"path":"dairy.go"}`, dairy)+","+refused+said, 600, 10000); !strings.Contains(all[0], "shelf_of(c)") {
		t.Errorf("an edit that failed leaves nothing of the file: %q", all)
	}
}

// A result that only repeats the names of its call is uninformative.
func TestExcerptsLeaveOutNamesOfTheCall(t *testing.T) {
	src := `[{"role":"user","content":"go"},` + call("search", "s", `{"pattern":"ripening_days","path":"dairy/cellar.go"}`, "Searching dairy/cellar.go for ripening_days\ndairy/cellar.go:12: market_stall.close()\nnothing") +
		`,{"role":"assistant","content":[{"type":"text","text":"dairy/cellar.go closes the market_stall before ripening_days end"}]}]`
	if got := excerpts(t, src, 300, 10000)[0]; got != "\ndairy/cellar.go:12: market_stall.close()" {
		t.Errorf("%q", got)
	}
}

// A line that occurs in two results is quoted once.
func TestExcerptsQuoteALineOnce(t *testing.T) {
	line := "the oven_9 of the cellar has two doors"
	got := excerpts(t, `[{"role":"user","content":"go"},`+exchange("one", line, "ok")+`,`+exchange("two", line, "oven_9 it is")+`]`, 200, 10000)
	if got[0] != "" || got[1] != "\n"+line {
		t.Errorf("%q", got)
	}
}

// A statement is quoted with its whole block, below the definition that contains it. In an unbroken quote, only the
// first line is numbered.
func TestExcerptsAreUnbroken(t *testing.T) {
	filler := strings.Repeat("   20→\tn += o.lines[0]\n", 30)
	code := "   11→func taxOf(o Order) int {\n" + filler + "   51→\tbase := o.gross_amount\n   52→\tif o.exported {\n   53→\t\treturn 0\n   54→\t}\n   55→\tbase -= o.customs_duty\n   56→\tif base < 0 {\n" + filler + "   90→}\n"
	got := excerpts(t, `[{"role":"user","content":"go"},`+exchange("read", code, "gross_amount minus customs_duty")+`]`, 400, 10000)[0]
	if want := "\n11→func taxOf(o Order) int {\n51→base := o.gross_amount\nif o.exported {\n  return 0\n}\nbase -= o.customs_duty"; got != want {
		t.Errorf("%q", got)
	}
}

// exchange returns the messages for a call of a tool, its result, and what is said next.
func exchange(tool, result, next string) string {
	quote := func(s string) string { return strings.NewReplacer(`"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(s) }
	return `{"role":"assistant","content":[{"type":"tool_call","id":"` + tool + `","name":"` + tool + `","arguments":{}}]},` +
		`{"role":"tool_result","tool_call_id":"` + tool + `","tool_name":"` + tool + `","content":[{"type":"text","text":"` + quote(result) + `"}]},` +
		`{"role":"assistant","content":[{"type":"text","text":"` + quote(next) + `"}]}`
}

func TestExcerpts(t *testing.T) {
	filler := strings.Repeat("    unrelated = other_thing()\n", 40)
	for _, tt := range []struct {
		name, tool, result, next string
		size                     int
		want                     []string
		not                      []string
	}{
		{"a name that the answer repeats", "read", filler + "  max_open_orders = 17\n" + filler, "The limit is in max_open_orders.", 200,
			[]string{"\nmax_open_orders = 17"}, []string{"unrelated"}},
		{"a path that the answer repeats", "grep", "src/a.go:3: x\nsrc/billing/tax.go:41: rate\nsrc/b.go:9: y", "It is in src/billing/tax.go.", 200,
			[]string{"src/billing/tax.go:41: rate"}, []string{"src/a.go"}},
		{"what the envelope of a command says is no content", "bash", "Wall time: 0.1 seconds\nProcess exited with code 0\nOutput:\nbranch release-4\nnothing else",
			"Wall time was short; we are on release-4.", 200, []string{"\nbranch release-4"}, []string{"Wall time"}},
		{"nothing is repeated: the first lines", "read", "# Notes on cheese\n\nGouda is Dutch.\nBrie is French.\nFeta is Greek.", "I see.", 60,
			[]string{"\n# Notes on cheese\nGouda is Dutch.\nBrie is French."}, []string{"Feta"}},
		{"a piece of a long line", "fetch", `{"items":[` + strings.Repeat(`{"id":"x","note":"nothing here"},`, 30) + `{"id":"inv_2291","total":418},` + strings.Repeat(`{"id":"y","note":"nothing"},`, 30) + `]}`,
			"Invoice inv_2291 is the one.", 250, []string{"inv_2291"}, nil},
		{"the function that a line is in", "read", "   11→func taxOf(o Order) int {\n   12→\tn := 0\n   13→\tfor _, l := range o.lines {\n   14→\t\tn += l.vat_share\n   15→\t}\n   16→}",
			"It adds vat_share.", 200, []string{"11→func taxOf(o Order) int {\n  n := 0\n  for _, l := range o.lines {\n    n += l.vat_share\n  }\n}"}, []string{"12→", "16→"}},
		{"the number of a line is no content", "read", "   267→\n   268→\tx\n   269→call_the_bank()", "Line 267 is empty, call_the_bank matters.", 200,
			[]string{"\n268→x\n269→call_the_bank()"}, []string{"267"}},
		{"no room", "read", "max_open_orders = 17", "max_open_orders it is", 10, nil, []string{"max"}},
	} {
		got := excerpts(t, `[{"role":"user","content":"go"},`+exchange(tt.tool, tt.result, tt.next)+`]`, tt.size, 10000)[0]
		if len(got) > tt.size {
			t.Errorf("%s: %d bytes", tt.name, len(got))
		}
		for _, want := range tt.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q is not in %q", tt.name, want, got)
			}
		}
		for _, not := range tt.not {
			if strings.Contains(got, not) {
				t.Errorf("%s: %q is in %q", tt.name, not, got)
			}
		}
		for line := range strings.Lines(got) {
			if !strings.Contains(strings.ReplaceAll(tt.result, "\t", ""), strings.TrimSpace(line)) {
				t.Errorf("%s: %q is not in the result", tt.name, line)
			}
		}
	}
}

// Words that were repeated before a result existed don't count as learned from it.
func TestExcerptsOfLaterWords(t *testing.T) {
	got := excerpts(t, `[{"role":"user","content":"where is tax_rate?"},`+exchange("read", "tax_rate = 7\n\nshipping_cost = 4", "Look at shipping_cost.")+`]`, 200, 10000)
	if got[0] != "\nshipping_cost = 4" {
		t.Errorf("%q", got)
	}
}

// If there is room for only a few lines, those with the rarest words are quoted, regardless of the result that they are
// in.
func TestExcerptsShareRoom(t *testing.T) {
	common := strings.Repeat("call shared_helper here\n", 30)
	got := excerpts(t, `[{"role":"user","content":"go"},`+exchange("one", common, "ok")+`,`+exchange("two", "the only rare_setting = 3\n"+common, "rare_setting and shared_helper")+`]`, 200, 220)
	if got[0] != "" || !strings.HasPrefix(got[1], "\nthe only rare_setting = 3") {
		t.Errorf("%q", got)
	}
}

// Whatever a tool writes after line numbers, an excerpt contains the numbers in one form and no empty lines. Its text
// is restored without numbers.
func TestExcerptsWriteNumbersInOneForm(t *testing.T) {
	for _, mark := range []string{"→", "\t", ": ", "|"} {
		var file strings.Builder
		for i, line := range []string{"hens_in_the_barn = 17", "", "", "nothing = 0", "", "def feed_hens(n):", "    corn_each = 3", "", "    return corn_each * n"} {
			file.WriteString("     " + strconv.Itoa(i+1) + mark + line + "\n")
		}
		got := excerpts(t, `[{"role":"user","content":"go"},`+exchange("read", file.String(), "hens_in_the_barn and feed_hens with corn_each.")+`]`, 120, 10000)[0]
		if want := "\n1→hens_in_the_barn = 17\n6→def feed_hens(n):\n  corn_each = 3\n  return corn_each * n"; strings.ReplaceAll(got, "    ", "  ") != want {
			t.Errorf("%q: %q, want %q", mark, got, want)
		}
	}
}

// The cost of ranking blocks is almost linear in their number, although each of them shares names with others.
func TestExcerptsOfManyBlocksAreQuick(t *testing.T) {
	var rows, later strings.Builder
	for i := range 3900 {
		rows.WriteString("hen_" + strconv.Itoa(i) + " of stall_" + strconv.Itoa(i%60) + "\n\n")
		later.WriteString("hen_" + strconv.Itoa(i) + " ")
	}
	start := time.Now()
	got := excerpts(t, `[{"role":"user","content":"go"},`+exchange("list", rows.String(), later.String())+`]`, 90000, 90000)[0]
	if took := time.Since(start); took > 2*time.Second || strings.Count(got, "hen_") < 3000 {
		t.Errorf("%v for %d lines", took, strings.Count(got, "hen_"))
	}
}

// An excerpt of a failed check says what failed, even if nobody repeats it.
func TestExcerptsOfFailures(t *testing.T) {
	passes := strings.Repeat("=== RUN   TestOthers\n--- PASS: TestOthers (0.00s)\n", 40)
	fails := "Exit code 1\n" + passes + "    rate_test.go:41: the rate is 3, want 4\n--- FAIL: TestRate (0.00s)\n" + passes + "FAIL\n"
	src := `[{"role":"user","content":"go"},` + exchange("bash", fails, "Let me look at the rates.") + `]`
	failed := strings.Replace(src, `"role":"tool_result"`, `"role":"tool_result","is_error":true`, 1)
	if failed == src {
		t.Fatal(src)
	}
	got := excerpts(t, failed, 400, 2000)[0]
	for _, want := range []string{"rate_test.go:41: the rate is 3, want 4", "--- FAIL: TestRate"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
}
