package digest_test

import (
	"strings"
	"testing"
)

// The text of a file with a long type, a long function, and one that nobody asks about.
const kilnLog = `// firingLog is what the kiln remembers of one firing, in the order in which it happens.
type firingLog struct {
	// opened is when the door was shut for the last time before the firing.
	opened time.Time
	zones  []zoneLog
	peak   int // in degrees
	cones  []cone
	blame  string
	// cold means that the kiln was below forty degrees when somebody opened it.
	cold  bool
	owner string
	shelf string
	rest  string
	fuel  string
}

// closeLog ends a firing and writes what came of it.
func closeLog(l *firingLog) error {
	shut := doorOf(l)
	if l.peak > 1300 {
		return errMelted
	}
	// Cones that bent too early say more than the thermocouple, so these are read first.
	for _, c := range l.cones {
		c.read()
		if c.bent {
			// A bent cone of another zone does not count, because the fan moves the heat.
			l.blame = c.zone
		}
	}
	l.save()
	if err := l.flush(); err != nil {
		return err
	}
	// The owner gets a letter even if the firing failed, with the number of the shelf.
	mail(l.owner, shut)
	l.count()
	l.sort()
	return l.end()
}
`

// If a session only reads files, the digest shows what they contain as long as there is room: long definitions are
// outlined.
func TestRoomIsFilledFromFiles(t *testing.T) {
	const ask = `{"role":"user","content":"Please look into why letters are wrong sometimes."}`
	end := `{"role":"assistant","content":"I have read firing.go and go on with the letters."}`
	shown := shownOf(t, ask, kilnFile("1", "firing.go", kilnLog), end)
	for _, want := range []string{
		"type firingLog struct {\n      // opened is when the door was shut for the last time before the firing.\n      opened time.Time\n", "\n      fuel  string",
		"func closeLog(l *firingLog) error {\n", "\n      if l.peak > 1300 {\n        return errMelted\n      }\n      // Cones that bent too early",
		"\n      for _, c := range l.cones {\n        …\n          // A bent cone of another zone does not count, because the fan moves the heat.\n          …\n      }\n      …\n", "\n      // The owner gets a letter even if the firing failed, with the number of the shelf.\n      mail(l.owner, shut)\n",
	} {
		if !strings.Contains(shown, want) {
			t.Errorf("%q is not in\n%s", want, shown)
		}
	}
	for _, not := range []string{"return err\n", "l.save()", "c.read()"} {
		if strings.Contains(shown, not) {
			t.Errorf("%q says little, but it is in\n%s", not, shown)
		}
	}
	if strings.Count(shown, "say more than the thermocouple") != 1 {
		t.Errorf("a comment is there twice or not at all:\n%s", shown)
	}
}

// A file of an earlier turn that nobody mentions or edits doesn't fill the room, and neither does an edit that ends
// inside a definition.
func TestRoomIsNotFilledWithOtherFiles(t *testing.T) {
	const ask = `{"role":"user","content":"Please look into why letters are wrong sometimes."}`
	end := `{"role":"assistant","content":"They are sent to the owner of the shelf."},{"role":"user","content":"Thanks, and what is the weather like?"},{"role":"assistant","content":"Fine."}`
	if shown := shownOf(t, ask, kilnFile("1", "firing.go", kilnLog), end); shown != "" {
		t.Errorf("a file that nobody mentions is quoted:\n%s", shown)
	}
	half := kilnLog[:strings.Index(kilnLog, "	l.sort()")]
	if shown := shownOf(t, ask, kilnFile("1", "firing.go", half), `{"role":"assistant","content":"I go on."}`); strings.Contains(shown, "peak > 1300") || !strings.Contains(shown, "type firingLog") {
		t.Errorf("half of a function is outlined, or a whole type isn't:\n%s", shown)
	}
}

// An outline closes the blocks that it opens, in languages with brackets, with keywords and with neither. A line that
// was edited or read again later leaves a mark instead of an empty line.
func TestOutlinesAreClosed(t *testing.T) {
	const ask = `{"role":"user","content":"Please look into why letters are wrong sometimes."}`
	end := `{"role":"assistant","content":"I have read it and go on with the letters."}`
	fill := strings.Repeat("    noteGlaze(kilnRest);\n", 14)
	for name, c := range map[string]struct{ file, text, want string }{
		"a body left out": {"a.js", "function closeFiring(kiln) {\n  if (kiln.peak > 1300) {\n" + fill + "  }\n  mailOwner(kiln.owner, kiln.shelf);\n}\n",
			"function closeFiring(kiln) {\n      if (kiln.peak > 1300) { … }\n      mailOwner(kiln.owner, kiln.shelf);\n    }"},
		"cases": {"a.go", "func closeFiring(kiln *Kiln) error {\n\tswitch kiln.peak {\n\tcase 1300:\n" + fill + "\tcase 1400:\n\t\treturn errMelted\n\t}\n\tmailOwner(kiln.owner)\n}\n",
			"\n      switch kiln.peak {\n      case 1300:\n        …\n      case 1400:\n        return errMelted\n      }\n      mailOwner(kiln.owner)\n    }"},
		"Ruby": {"a.rb", "def close_firing(kiln)\n  if kiln.peak > 1300\n" + strings.Repeat("    note_glaze(kiln)\n", 14) + "  end\n  mail_owner(kiln.owner, kiln.shelf)\nend\n",
			"def close_firing(kiln)\n      if kiln.peak > 1300\n        …\n      end\n      mail_owner(kiln.owner, kiln.shelf)\n    end"},
		"Python": {"a.py", "def close_firing(kiln):\n    if kiln.peak > 1300:\n" + strings.Repeat("        note_glaze(kiln)\n", 14) + "    mail_owner(kiln.owner, kiln.shelf)\n\n\nclass Kiln:\n    pass\n",
			"def close_firing(kiln):\n        if kiln.peak > 1300:\n            …\n        mail_owner(kiln.owner, kiln.shelf)"},
		"an else": {"a.js", "function closeFiring(kiln) {\n  if (kiln.peak > 1300) {\n" + fill + "  } else {\n" + fill + "  }\n  mailOwner(kiln.owner, kiln.shelf);\n}\n",
			"\n      if (kiln.peak > 1300) {\n        …\n      } else {\n        …\n      }\n      mailOwner("},
	} {
		if shown := shownOf(t, ask, kilnFile("1", c.file, c.text), end); !strings.Contains(shown, c.want) {
			t.Errorf("%s: %q is not in\n%s", name, c.want, shown)
		}
	}
	edit := strings.NewReplacer("ID", "2", "FILE", "firing.go", "OLD", `\t\treturn errMelted`, "NEW", `\t\treturn errHot`).Replace(kilnEdit)
	if shown := shownOf(t, ask, kilnFile("1", "firing.go", kilnLog), edit, end); strings.Contains(shown, "\x00") || !strings.Contains(shown, "\n      if l.peak > 1300 { … }\n") {
		t.Errorf("a line that was edited later leaves no mark in\n%s", shown)
	}
}

// Whatever fills the room, the digest doesn't exceed its size.
func TestFilledDigestsKeepTheirSize(t *testing.T) {
	const ask = `{"role":"user","content":"Please look into why letters are wrong sometimes."}`
	files := make([]string, 0, 12)
	for _, name := range strings.Fields("a b c d e f g h i j k l") {
		files = append(files, kilnFile(name, name+"firing.go", strings.NewReplacer("firingLog", "firing"+name, "closeLog", "close"+name, "door", "door"+name).Replace(kilnLog)))
	}
	for size := 6000; size < 12000; size += 700 {
		text := logOf(t, "["+ask+","+strings.Join(files, ",")+"]", size)
		if len(text) > size || len(text) < size*8/10 {
			t.Errorf("a digest of at most %d bytes has %d", size, len(text))
		}
	}
}

// Edits that git has undone, files that were moved away and git's own files are not quoted. Edits that were committed
// or came back from the stash are.
func TestQuotesOfTakenBackEdits(t *testing.T) {
	const ask = `{"role":"user","content":"Why does glazeUpload lose files of glazeUsers?"}`
	const end = `{"role":"assistant","content":"glazeUpload is called twice for glazeUsers."}`
	read := kilnFile("0", "up.go", "// glazeUpload tries 17 times, as glazeUsers complain.\nconst glazeUpload = \"17 times for glazeUsers\"\n")
	edit := strings.NewReplacer("ID", "1", "FILE", "up.go", "OLD", `const glazeUpload = \"17 times for glazeUsers\"`, "NEW", `const glazeUpload = \"19 times for glazeUsers\"`).Replace(kilnEdit)
	for script, want := range map[string]string{
		"git checkout src/up.go": "17 times for", "cd /kiln && git restore src/up.go": "17 times for", "git stash": "17 times for", "git checkout other.go": "19 times for",
		"git mv src/up.go src/down.go": "", "git stash && go test ./... && git stash pop": "19 times for",
	} {
		shown := shownOf(t, ask, read, edit, ranAs("2", "", "cd /kiln && "+strings.TrimPrefix(script, "cd /kiln && "), "ok"), end)
		for _, all := range []string{"17 times for", "19 times for"} {
			if strings.Contains(shown, all) != (all == want) {
				t.Errorf("%s: want %q in\n%s", script, want, shown)
			}
		}
	}
	if shown := shownOf(t, ask, read, edit, ranAs("2", "", "cd /kiln && git stash", "ok"), ranAs("3", "", "cd /kiln && git stash pop", "ok"), end); !strings.Contains(shown, "19 times") {
		t.Errorf("an edit that came back from the stash is not in\n%s", shown)
	}
	if shown := shownOf(t, ask, read, edit, ranAs("2", "", "cd /kiln && git commit -am more", "[main 1a2b3c4] more"), ranAs("3", "", "cd /kiln && git checkout .", "ok"), end); !strings.Contains(shown, "19 times") {
		t.Errorf("an edit that was committed is not in\n%s", shown)
	}
	if shown := shownOf(t, ask, strings.Replace(read, "/kiln/src/", "/kiln/.git/hooks/", 1), end); shown != "" {
		t.Errorf("a file of git's own is quoted:\n%s", shown)
	}
}
