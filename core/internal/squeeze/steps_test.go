package squeeze_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/squeeze"
)

// numberedLines returns n lines, each written with a format, a pair of letters and a number.
func numberedLines(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format+"\n", string(rune('a'+i%26))+string(rune('a'+i/26)), 10+i*7)
	}
	return b.String()
}

// The middle of progress output for many files is cut if the text is long enough.
func TestSteps(t *testing.T) {
	around := "> build\n" + strings.Repeat("The bundle uses the settings of the project file.\n", 2)
	for name, line := range map[string]string{
		"bundler":   "dist/assets/%s-B3B7.js  %d.12 kB │ gzip: 4.63 kB",
		"compiler":  "   Compiling %s v1.0.%d",
		"downloads": "Downloading %s-1.%d.tar.gz",
		"go test":   "ok  \texample.org/lib/%s\t0.%ds",
		"runner":    " ✓ keeps the %s header (%d ms)",
		"pytest":    "tests/test_%s.py::test_%d PASSED",
	} {
		lines := numberedLines(line, 30)
		text := around + lines + around + "done in 3 s\n"
		out, form, ok := squeeze.Text(text, squeeze.Options{Steps: 500, Without: ^squeeze.Steps, MinSaved: 64})
		if !ok || form != squeeze.Steps || form.String() != "progress cut" {
			t.Errorf("%s: %v %q", name, form, out)
			continue
		}
		all := strings.SplitAfter(lines, "\n")
		indent := all[0][:len(all[0])-len(strings.TrimLeft(all[0], " "))]
		if want := around + strings.Join(all[:3], "") + indent + "[25 lines like these]\n" + strings.Join(all[28:], "") + around + "done in 3 s"; strings.TrimRight(out, "\n") != want {
			t.Errorf("%s: %q\nnot %q", name, out, want)
		}
		for _, o := range []squeeze.Options{{Without: ^squeeze.Steps, MinSaved: 64}, {Steps: len(text) + 1, Without: ^squeeze.Steps, MinSaved: 64}} {
			if out, _, ok := squeeze.Text(text, o); ok {
				t.Errorf("%s, %+v: %q", name, o, out)
			}
		}
	}
}

// Errors end a run and stay. Requested output is not progress.
func TestNoSteps(t *testing.T) {
	prose := strings.Repeat("The bundle uses the settings of the project file.\n", 30)
	for name, text := range map[string]string{
		"few lines":      prose + numberedLines("   Compiling %s v1.0.%d", 7) + prose,
		"failures":       prose + strings.ReplaceAll(numberedLines("Compiling %s v1.0.%d", 9), "Compiling ea", "Failing to compile ea") + prose,
		"trouble":        prose + numberedLines("Downloading %s %d failed", 30) + prose,
		"search":         prose + numberedLines("src/%s.go:%d: return nil", 30) + prose,
		"sizes asked":    numberedLines("dist/assets/%s.js %d kB", 40),
		"code":           prose + numberedLines("    sleep.%s(%d ms)", 30) + prose,
		"benchmark":      prose + numberedLines("BenchmarkRead/%s-8 1000 %d ns/op 12 B/op", 30) + prose,
		"status":         prose + numberedLines("\tmodified:   src/%s-%d.go", 30) + prose,
		"rows":           prose + numberedLines("Booking %s  room %d, paid", 30) + prose,
		"rows of ok":     prose + numberedLines("ok  kiln %s, lot %d, to be glazed", 30) + prose,
		"changing verbs": prose + strings.Repeat("Compiling a 1\nLinking a 1\n", 20) + prose,
	} {
		if out, form, ok := squeeze.Text(text, squeeze.Options{Steps: 1, Without: ^squeeze.Steps, MinSaved: 64}); ok {
			t.Errorf("%s: %v %q", name, form, out)
		}
	}
	mixed := prose + numberedLines("ok  \tlib/%s\t0.%ds", 10) + "FAIL\tlib/broken\t0.3s\n" + numberedLines("ok  \tlib/%s\t0.%ds", 10) + prose
	out, _, ok := squeeze.Text(mixed, squeeze.Options{Steps: 1, Without: ^squeeze.Steps, MinSaved: 64})
	if !ok || strings.Count(out, "[5 lines like these]\n") != 2 || !strings.Contains(out, "FAIL\tlib/broken\t0.3s") {
		t.Errorf("%q", out)
	}
}

// Of a log that has been read, the beginning, the end and the problems stay. Nothing of any other text is left out.
func TestLogs(t *testing.T) {
	plain := func(n int) string { return numberedLines("[plugin-%s] rewriting chunk %d of the bundle", n) }
	text := "> build\n" + plain(60) + "Rendered.\nerror: the upload of the maps was refused\nCaused by:\n    status 400\n" + plain(60) + "pushed to origin\n"
	out, form, ok := squeeze.Text(text, squeeze.Options{Steps: 500, Log: true, Without: ^squeeze.Steps, MinSaved: 64})
	lines := strings.Split(strings.TrimRight(out, "\n"), "\n")
	if !ok || form != squeeze.Middle || form.String() != "middle cut" || lines[0] != "> build" || lines[4] != "[57 lines left out]" || lines[5] != "Rendered." ||
		lines[6] != "error: the upload of the maps was refused" || lines[8] != "    status 400" || lines[11] != "[40 lines left out]" || lines[len(lines)-1] != "pushed to origin" || len(lines) != 31 {
		t.Errorf("%v %v %d lines: %q", ok, form, len(lines), out)
	}
	failing := strings.Repeat("error: no such file\nCaused by:\n", 60)
	for name, o := range map[string]squeeze.Options{"no log": {Steps: 500}, "short": {Steps: len(text) + 1, Log: true}, "lossless": {Log: true}} {
		o.Without, o.MinSaved = ^squeeze.Steps, 64
		if out, form, ok := squeeze.Text(text, o); ok {
			t.Errorf("%s: %v %q", name, form, out)
		}
	}
	if out, form, ok := squeeze.Text(failing, squeeze.Options{Steps: 500, Log: true, Without: ^squeeze.Steps, MinSaved: 64}); ok {
		t.Errorf("only problems: %v %q", form, out)
	}
}

// Long results of searches lose the lines around hits.
func TestLinesAroundHits(t *testing.T) {
	var text string
	for i := range 20 {
		text += fmt.Sprintf("cellar/shelf_%d.go:%d:\tshelf := &Shelf{\ncellar/shelf_%d.go-%d-\t\tdepth: 3,\ncellar/shelf_%d.go-%d-\t}\n--\n", i/5, i*9, i/5, i*9+1, i/5, i*9+2)
	}
	out, form, ok := squeeze.Text(text, squeeze.Options{Steps: 500, MinSaved: 64})
	if !ok || form&squeeze.Around == 0 || !strings.Contains(form.String(), "lines around hits cut") || strings.Contains(out, "depth") || strings.Count(out, "\n--") > 4 || strings.Count(out, "shelf := &Shelf{") != 20 {
		t.Errorf("%v %q", form, out)
	}
	if out, form, _ := squeeze.Text(text, squeeze.Options{MinSaved: 64}); form&squeeze.Around != 0 || strings.Count(out, "depth: 3") != 20 {
		t.Errorf("%v %q", form, out)
	}
}

// Names of files with numbers between dashes look like the lines around hits. Without a hit among them all of them stay.
func TestNumberedNamesAreNoLinesAroundHits(t *testing.T) {
	var frames, dates strings.Builder
	for i := range 40 {
		fmt.Fprintf(&frames, "barn/photos/goat-%04d-front.png\n", i)
		fmt.Fprintf(&dates, "dairy/notes/2023-%02d-milk_%d.md\n", 1+i/4, i)
	}
	for name, text := range map[string]string{"frames": frames.String(), "dates": dates.String()} {
		out, form, _ := squeeze.Text(text, squeeze.Options{Steps: 500, MinSaved: 64})
		if form&squeeze.Around != 0 || strings.Count(out, "\n") < 39 {
			t.Errorf("%s: %v %q", name, form, out)
		}
	}
	text := frames.String() + strings.Repeat("barn/photos/goat:7:the lines of a hit\nbarn/photos/goat-8-the line below it\n--\n", 3)
	out, _, _ := squeeze.Text(text, squeeze.Options{Steps: 500, MinSaved: 64})
	if strings.Count(out, "front.png") != 40 || strings.Contains(out, "below it") {
		t.Errorf("%q", out)
	}
}
