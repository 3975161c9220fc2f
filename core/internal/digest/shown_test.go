package digest_test

import (
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/digest"
)

const (
	kilnRead = `{"role":"assistant","content":[{"type":"tool_call","id":"ID","name":"read","arguments":{"path":"/kiln/src/FILE"}}]},` +
		`{"role":"tool_result","tool_call_id":"ID","tool_name":"read","content":"OUT"}`
	kilnEdit = `{"role":"assistant","content":[{"type":"tool_call","id":"ID","name":"edit","arguments":{"path":"/kiln/src/FILE","oldText":"OLD","newText":"NEW"}}]},` +
		`{"role":"tool_result","tool_call_id":"ID","tool_name":"edit","content":"ok"}`
)

// If room is left after everything about the turns has been said, a digest also shows the content of files that were
// read, without what has changed since.
func TestDigestShowsFilesWhereThereIsRoom(t *testing.T) {
	fill := func(text string, parts ...string) string { return strings.NewReplacer(parts...).Replace(text) }
	code := `// The ramp slows down above 900 degrees because the glaze would blister.\nconst ramp = 40\n` + strings.Repeat(`x = x\n`, 60) + `\nconst soak = \"hold for 40 minutes\"\nconst glazeFan = \"blow at 30 percent\"\n`
	messages := `[{"role":"user","content":"Why does the glaze blister above 900 degrees?"},
` + fill(kilnRead, "ID", "1", "FILE", "ramp.go", "OUT", code) + `,
` + fill(kilnRead, "ID", "2", "FILE", "old.go", "OUT", `// The old kiln had three zones and no fan at all.\n`+strings.Repeat(`y = y\n`, 60)) + `,
` + fill(kilnEdit, "ID", "3", "FILE", "ramp.go", "OLD", `const soak = \"hold for 40 minutes\"`, "NEW", `const soak = \"hold for 55 minutes\"`) + `,
` + ranAs("4", "", "cat > /kiln/src/old.go <<EOF\\n// Nothing is left here.\\nEOF", "") + `,
{"role":"assistant","content":"The soak was too short: it is 55 minutes now."},
{"role":"user","content":"Thanks, and what is glazeFan?"}]`
	text := logOf(t, messages, 12000)
	_, shown, found := strings.Cut(text, "# From files that were read\n")
	if !found || !strings.HasPrefix(shown, "[1] /kiln/src/ramp.go:\n    // The ramp slows down above 900 degrees because the glaze would blister.\n") || !strings.Contains(shown, "blow at 30 percent") {
		t.Errorf("the file is not shown in\n%s", text)
	}
	for _, not := range []string{"hold for 40 minutes", "three zones"} {
		if strings.Contains(shown, not) {
			t.Errorf("%q no longer holds, but it is in\n%s", not, shown)
		}
	}
	if text := logOf(t, messages, 1500); strings.Contains(text, "From files") {
		t.Errorf("a file is shown where there is little room:\n%s", text)
	}
}

// An agent that writes its calls as text reads files too.
func TestDigestShowsFilesOfATextAgent(t *testing.T) {
	say := func(role, text string) string { return `{"role":"` + role + `","content":"` + text + `"},` }
	ran := func(script, output string) string {
		return say("assistant", "THOUGHT: on with it.\\n\\n```bash\\n"+script+"\\n```") + say("user", "<returncode>0</returncode>\\n<output>\\n"+output+"\\n</output>")
	}
	code := `// The ramp slows down above 900 degrees because the glaze would blister.\nconst ramp = 40\n` + strings.Repeat(`x = x\n`, 60) + `\nconst fan = \"blow at 30 percent\"`
	messages := "[" + say("user", "Why does the glaze blister above 900 degrees?") + ran("cat /kiln/src/ramp.go", code) + ran("cat /kiln/src/old.go", `// The old kiln had three zones.\n`+strings.Repeat(`y = y\n`, 60)) +
		ran("echo new > /kiln/src/old.go", "") + ran("ls /kiln", "src") + say("assistant", "The fan blows at 30 percent.") + `{"role":"user","content":"Thanks."}]`
	tr, seq := read(t, "native", messages)
	digest.MarkOutputs(tr, len(tr.Messages), true)
	l := &digest.Ledger{}
	l.Add(tr, seq)
	text := digest.NewExtract(tr, seq, "", l).Digest(12000)
	_, shown, found := strings.Cut(text, "# From files that were read\n")
	if !found || !strings.Contains(shown, "/kiln/src/ramp.go:\n    // The ramp slows down above 900 degrees") || strings.Contains(shown, "three zones") {
		t.Errorf("ramp.go, and nothing of old.go, is to be shown in\n%s", text)
	}
}

// A quote names the enclosing function and the number of its first line. Passages that have nothing to do with the conversation are left
// out, and so are lines that a later edit changes, even if the edit stays in the conversation.
func TestQuotesOfFiles(t *testing.T) {
	fill := func(text string, parts ...string) string { return strings.NewReplacer(parts...).Replace(text) }
	code := `  7\tfunc rampUp(zone int) error {\n  8\t\tk := kilnOf(zone)\n  9\t\tk.open(zone, firstBurner)\n 10\t\tk.fan = 30\n 11\t\tk.lamp = 3\n 12\t\tk.door = 0\n 13\t\n` +
		` 14\t\t// Zones above seven share one burner, so their ramps must not overlap.\n 15\t\tif zone > 7 && k.burnerBusy() {\n 16\t\t\treturn errBurner\n 17\t\t}\n 18\t\tk.start()\n` +
		` 19\t\n 20\t\tk.log(zone)\n 21\t\tk.count++\n 22\t\treturn k.close()\n 23\t}\n 24\t\n 25\t// rampSoak is how long a zone soaks: 40 minutes.\n 26\tconst rampSoak = 40\n`
	other := `// Lamps in the hall are switched off at midnight by the caretaker, who has the key.\nconst hallLamp = \"off\"\n` + strings.Repeat(`y = y\n`, 60)
	messages := `[{"role":"user","content":"Why does rampUp refuse zone 8 while burnerBusy says no? Which zones share a burner, and why must the ramps of those above seven not overlap?"},
` + fill(kilnRead, "ID", "1", "FILE", "ramp.go", "OUT", code) + `,
` + fill(kilnRead, "ID", "2", "FILE", "hall.go", "OUT", other) + `,
{"role":"assistant","content":"The burner of zone 8 is that of zone 9, and rampSoak is too long."},
{"role":"user","content":"Then soak for 30."},
` + fill(kilnEdit, "ID", "3", "FILE", "ramp.go", "OLD", `const rampSoak = 40`, "NEW", `const rampSoak = 30`) + `]`
	tr, seq := read(t, "native", messages)
	l := &digest.Ledger{}
	l.Add(tr, seq)
	text := digest.NewExtract(tr, seq[:7], "", l).Digest(12000)
	_, shown, _ := strings.Cut(text, "# From files that were read\n")
	want := "[1] /kiln/src/ramp.go:\n    func rampUp(zone int) error {\n      k := kilnOf(zone)\n      k.open(zone, firstBurner)\n      k.fan = 30\n      k.lamp = 3\n      k.door = 0\n" +
		"      // Zones above seven share one burner, so their ramps must not overlap.\n      if zone > 7 && k.burnerBusy() {\n        return errBurner\n      }\n      k.start()\n      k.log(zone)\n      k.count++\n      return k.close()\n    }"
	if shown != want {
		t.Errorf("the passages are\n%s\nwant\n%s", shown, want)
	}
	if text = logOf(t, strings.TrimSuffix(messages[:strings.Index(messages, `{"role":"assistant","content":[{"type":"tool_call","id":"3"`)], ",\n")+"]", 12000); !strings.Contains(text, "\n    …\n    25: // rampSoak is how long a zone soaks: 40 minutes.\n    const rampSoak = 40") {
		t.Errorf("the comment is not quoted with its number in\n%s", text)
	}
}

// Content that says little to somebody who continues the work is not quoted: fields, pieces of a longer function, short
// comments, text that a tool adds to a file, and lines with which several files begin.
func TestLittleOfFilesIsQuoted(t *testing.T) {
	read := func(id, file, out string) string {
		return strings.NewReplacer("ID", id, "FILE", file, "OUT", strings.NewReplacer("\n", `\n`, "\t", `\t`, `"`, `\"`).Replace(out)).Replace(kilnRead)
	}
	ask := `{"role":"user","content":"Make KilnPanel of glazeView show a kilnStatus, with glazeFan and rampZone."}`
	end := `{"role":"assistant","content":"KilnPanel has a kilnStatus for glazeFan and rampZone."},{"role":"user","content":"Thanks, and now?"}`
	body := strings.Repeat("\tglazeFan.add(rampZone);\n\n", 20)
	panel := "export class KilnPanel {\n\t// Glaze state\n\tprivate glazeFan = \"on\";\n\n\tprivate kilnStatus(rampZone: number): void {\n\t\tif (rampZone > 7) {\n\t\t\tglazeFan.stop();\n" + body +
		"\t\t}\n\t}\n}\n[459 more lines in the file. Use offset=1050 to go on]\n"
	hook := "# Written by the kilnStatus tool for glazeFan, do not edit this file.\nexport KILN=\"glazeFan\"\n"
	files := []string{read("1", "panel.ts", panel), read("2", "before", hook+"before kilnStatus\n"), read("3", "after", hook+"after kilnStatus\n")}
	if shown := shownOf(t, ask, strings.Join(files, ","), end); shown != "" {
		t.Errorf("the quotes of files are\n%s", shown)
	}
	short := "\n/** Shows the kilnStatus below the list of zones. */\nfunction kilnStatus(\n\trampZone: number,\n): void {\n" + body + "}\n\nfunction setFan(glazeFan: Fan) {\n\tglazeFan.speed = 30;\n\trampZone.cool();\n}\n"
	want := "[1] /kiln/src/short.ts:\n    /** Shows the kilnStatus below the list of zones. */\n    function kilnStatus(\n      rampZone: number,\n    ): void { … }\n" +
		"    …\n    function setFan(glazeFan: Fan) {\n      glazeFan.speed = 30;\n      rampZone.cool();\n    }"
	if shown := shownOf(t, ask, read("1", "short.ts", short), end); shown != want {
		t.Errorf("the quotes of files are\n%s\nwant\n%s", shown, want)
	}
}

// shownOf returns the passages of files in the digest of messages.
func shownOf(t *testing.T, messages ...string) string {
	_, shown, _ := strings.Cut(logOf(t, "["+strings.Join(messages, ",")+"]", 12000), "# From files that were read\n")
	return shown
}

// A quote has the file's own text. It marks lines that are left out, and never quotes the body of a condition without
// the condition.
func TestQuotesAreUnbroken(t *testing.T) {
	read := func(id, file, out string) string {
		return strings.NewReplacer("ID", id, "FILE", file, "OUT", strings.NewReplacer("\n", `\n`, "\t", `\t`, `"`, `\"`).Replace(out)).Replace(kilnRead)
	}
	ask := `{"role":"user","content":"Why does checkOut of a glazeOrder return errUnpaid while the kilnShelf is free?"}`
	end := `{"role":"assistant","content":"checkOut reads glazeOrder and kilnShelf."},{"role":"user","content":"Thanks, and now?"}`
	order := "// checkOut releases the glazeOrder of a customer from the kilnShelf.\nfunc checkOut(glazeOrder Order) error {\n\tif !glazeOrder.paidInFull() {\n\t\treturn errUnpaid\n\t}\n" +
		"\tif err := glazeOrder.lock(); err != nil {\n\t\treturn err\n\t}\n\tkilnShelf.limit = 40\n\treturn glazeOrder.release(kilnShelf)\n}\n"
	remind := "// remind writes to who has a glazeOrder.\nfunc remind(glazeOrder Order) {\n\tif !glazeOrder.paidInFull() {\n\t\tmail(glazeOrder)\n\t}\n}\n"
	whole := "(glazeOrder Order) error {\n      if !glazeOrder.paidInFull() {\n        return errUnpaid\n      }\n      if err := glazeOrder.lock(); err != nil {\n        return err\n      }\n      kilnShelf.limit = 40\n"
	if shown := shownOf(t, ask, read("1", "order.go", order), read("2", "mail.go", remind), end); !strings.Contains(shown, whole) {
		t.Errorf("%q is not in\n%s", whole, shown)
	}
	gone := strings.NewReplacer("ID", "3", "FILE", "order.go", "OLD", `if !glazeOrder.paidInFull() {`, "NEW", `if glazeOrder.open() {`).Replace(kilnEdit)
	if shown := shownOf(t, ask, read("1", "order.go", order), gone, end); strings.Contains(shown, "errUnpaid") || strings.Contains(shown, "paidInFull") {
		t.Errorf("half of a condition that was changed is in\n%s", shown)
	}
	codes := "# What the kilnShelf answers about a glazeOrder, by number, and why checkOut says errUnpaid.\nanswers:\n  404: the kilnShelf has found no glazeOrder\n  500: the kilnShelf broke the glazeOrder = \"broken\"\n"
	if shown := shownOf(t, ask, read("1", "answers.yml", codes), end); !strings.Contains(shown, "404: the kilnShelf") {
		t.Errorf("numbers that are the file's own are not in\n%s", shown)
	}
	large := strings.Repeat("x = y\n", 50_000)
	if shown := shownOf(t, ask, read("1", "order.go", order), read("2", "large.txt", large), end); !strings.Contains(shown, "errUnpaid") {
		t.Errorf("a large file leaves nothing of the others:\n%s", shown)
	}
}

// The text of a failed edit is in no file. A failed script, by contrast, may have changed a file.
func TestFailedCallsAreNotQuoted(t *testing.T) {
	ask := `{"role":"user","content":"Why does glazeUpload lose files of glazeUsers?"}`
	end := `{"role":"assistant","content":"glazeUpload is called twice."},{"role":"user","content":"Thanks, and now?"}`
	text := `// glazeUpload tries 17 times, as glazeUsers complain about lost uploads.\nconst glazeUpload = \"try 17 times for glazeUsers\"\n`
	edit := strings.NewReplacer("ID", "1", "FILE", "up.go", "OLD", "const a = 1", "NEW", text+text+text).Replace(kilnEdit)
	for _, out := range []string{"Error: oldText was not found", "The user doesn't want to proceed with this tool use."} {
		messages := "[" + ask + "," + strings.Replace(edit, `"content":"ok"`, `"content":"`+out+`"`, 1) + "," + end + "]"
		if got := logOf(t, messages, 12000); strings.Contains(got, "17 times") || strings.Contains(got, "up.go — edited") {
			t.Errorf("%s: an edit that failed is in\n%s", out, got)
		}
	}
	read := strings.NewReplacer("ID", "1", "FILE", "up.go", "OUT", text+strings.Repeat(`x = x\n`, 40)).Replace(kilnRead)
	script := strings.Replace(ranAs("2", "", "cat > /kiln/src/up.go <<EOF\\npackage up\\nEOF\\ngo test", "FAIL"), `"tool_name"`, `"is_error":true,"tool_name"`, 1)
	if shown := shownOf(t, ask, read, end); !strings.Contains(shown, "17 times") {
		t.Errorf("the file is not in\n%s", shown)
	}
	if shown := shownOf(t, ask, read, script, end); strings.Contains(shown, "17 times") {
		t.Errorf("a file that was written again is in\n%s", shown)
	}
}

// Text that a call wrote is quoted unchanged, even if it replaced only a part of a file. Lines whose braces don't show
// where a block ends are not quoted.
func TestQuotesOfChanges(t *testing.T) {
	ask := `{"role":"user","content":"Why does glazeUpload lose files of glazeUsers?"}`
	end := `{"role":"assistant","content":"glazeUpload is called twice for glazeUsers."},{"role":"user","content":"Thanks, and now?"}`
	escaped := strings.NewReplacer("\n", `\n`, "\t", `\t`)
	lines := "// glazeUpload tries until glazeUsers have all files, at most 17 times and never longer than the timeout of the kiln allows.\n" +
		"func glazeUpload(glazeUsers Users) {\n\tif glazeUsers.busy > 17 {\n\t\tglazeUsers.rest = 40\n\t}\n\tglazeUsers.done = 90\n"
	wrote := `{"role":"assistant","content":[{"type":"tool_call","id":"1","name":"write","arguments":{"path":"/kiln/src/up.go","content":"` + escaped.Replace(lines+"}\n") +
		`"}}]},{"role":"tool_result","tool_call_id":"1","tool_name":"write","content":"ok"}`
	const body = "      if glazeUsers.busy > 17 {\n        glazeUsers.rest = 40\n      }\n      glazeUsers.done = 90"
	if shown := shownOf(t, ask, wrote, end); !strings.Contains(shown, body) || !strings.HasPrefix(shown, "[1] /kiln/src/up.go, as the assistant wrote it:\n") {
		t.Errorf("a file that was written is not quoted as it is:\n%s", shown)
	}
	if shown := shownOf(t, ask, strings.Replace(wrote, "up.go", "up_test.go", 1), end); shown != "" {
		t.Errorf("a test that the assistant wrote is quoted:\n%s", shown)
	}
	edit := func(now string) string {
		return strings.NewReplacer("ID", "1", "FILE", "up.go", "OLD", "const a = 1", "NEW", escaped.Replace(now)).Replace(kilnEdit)
	}
	if shown := shownOf(t, ask, edit(lines+"}\n"), end); !strings.Contains(shown, body) {
		t.Errorf("an edit is not quoted as it is:\n%s", shown)
	}
	if shown := shownOf(t, ask, edit(lines), end); strings.Contains(shown, "glazeUsers.done") {
		t.Errorf("an edit of which a brace is missing is quoted:\n%s", shown)
	}
	file := escaped.Replace("// glazeUsers are all that glazeUpload knows about the people who fire their pots here.\ntype glazeUsers struct {\n\tbusy int\n\tdone int\n}\n\n" +
		"// glazeUpload sends the files of glazeUsers to the kiln, one after the other.\nfunc glazeUpload() {\n\tsendAll()\n}\n")
	read := strings.NewReplacer("ID", "0", "FILE", "up.go", "OUT", file).Replace(kilnRead)
	grown := strings.NewReplacer("ID", "1", "FILE", "up.go", "OLD", escaped.Replace("\tbusy int\n\tdone int"), "NEW", escaped.Replace("\tbusy int\n\trest int\n\tdone int")).Replace(kilnEdit)
	if shown := shownOf(t, ask, read, grown, end); strings.Contains(shown, "busy int") || !strings.Contains(shown, "sendAll()") {
		t.Errorf("a type is quoted as it was before an edit added a line to it, or an untouched function is missing:\n%s", shown)
	}
}
