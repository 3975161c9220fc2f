package digest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/tokens"
)

const gateRecord = `[User]: Please fix the flaky importer in core/wire/detect.go. It drops 1,337 frames when buf_size is 4096, and the run takes 12000 ms.
I told you before: never touch the lock file, and do not add new dependencies to the project.
[Assistant]: I read core/wire/limits.go and core/wire/detect.go. parse_item failed because retry_budget was 250; I raised it to 400.
[Assistant]: The tests TestSplit and TestDetect pass now, 118 of 120; two are skipped on Windows since 2024-03-15.`

// True summaries are accepted, even if they shorten, reformat, compute or translate facts.
func TestCheckSourceTrue(t *testing.T) {
	for name, text := range map[string]string{
		"plain":      "# Objective\nFix the importer in core/wire/detect.go, which dropped 1337 frames.\n# Status\nretry_budget was raised from 250 to 400; TestSplit passes.",
		"reformat":   "# Status\nThe run took 12k ms (12 s). 118/120 tests pass, 98.3 %, 2 are skipped. Since 15 March 2024 Windows is left out. 1.337 frames were lost.",
		"short path": "# Status\ndetect.go, limits.go and wire/detect.go were read; parse_item failed.",
		"quotes":     "The user said \"never touch the lock file\" and “do not add new dependencies to the project.”",
		"translated": "# Ziel\nDer Importer in core/wire/detect.go soll nicht mehr 1.337 Rahmen verlieren, wenn der Puffer 4096 hat.",
		"computed":   "# Status\n1219 frames fewer, 63 % of 3556, about 190 per second, 742 in the first half, and 1337 in all, after 400 retries.",
		"reworded":   "The person asked for a repair of the flaky data loader. The Agent looked at two files, and Parse_Item no longer fails. The Windows cases stay out.",
		"nouns": "# Stand\nDer Benutzer will eine Reparatur des Imports. Die Sperrdatei bleibt unberührt, neue Abhängigkeiten sind verboten. Der Grenzwert für Versuche stieg, die Prüfungen " +
			"laufen, zwei Fälle unter Windows fehlen. Die Ursache war ein Fehler in der Funktion parse_item, der Rest der Arbeit ist die Messung der Laufzeit.",
		"steps":    "## Next Steps\n**Open Points And Risks**\nThe Importer Fix is done. Ask the User about the Lock File, then measure the Run.",
		"no names": "# Objective\nThe user wants the importer fixed without new dependencies. The lock file is never touched.",
	} {
		if why, wrong := digest.CheckSource(text, gateRecord, ""); why != "" {
			t.Errorf("%s: %s, %s", name, why, wrong)
		}
	}
}

// Facts that a model invented are detected and named.
func TestCheckSourceFalse(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		why   api.SummaryFault
		wrong string
	}{
		"paths":   {"See src/alpha/one.ts, src/beta/two.ts, lib/gamma.py and lib/delta.py for core/wire/detect.go.", api.FaultUnfounded, "lib/gamma.py"},
		"numbers": {"It dropped 9981 frames, then 8872, 7763, 6654 and 5545; the buffer has 2048 and the port is 31337.", api.FaultUnfounded, "8872"},
		"quotes": {"The user said \"add as many dependencies as you like\", \"the lock file is yours to change\" and \"please rewrite it all in Rust today\".",
			api.FaultUnfounded, "as many dependencies"},
		"people": {"The user Marta and her daughter Ines travel with Bruno to the coast of Portugal; they stay with Carlos near the station of Ribeira and do not touch the lock file.",
			api.FaultUnfounded, "Ines, Bruno"},
		"short topic": {"The patient is in pain, the arm and the chest. Aspirin and heparin, and it is 2 of 3 on the cardiology ward; the angiography is due, the troponin pending, " +
			"penicillin allergy noted, infarction history, hypertension, cholesterol elevated, smoker, diabetes, discharge planned.", api.FaultTopic, ""},
		"topic": {"# Recipe\nWhisk eggs with sugar until pale, fold melted chocolate and butter gently, sift cocoa over everything, pour batter into greased tin, " +
			"bake thirty minutes, cool slowly on wire rack, dust powdered sugar, serve slices with cream, berries, mint leaves, toasted almonds, vanilla sauce, " +
			"espresso, candied orange, cinnamon, caramel drizzle, shaved coconut, raspberry coulis, whipped mascarpone, honey, nutmeg, pistachio.", api.FaultTopic, ""},
	} {
		if why, wrong := digest.CheckSource(c.text, gateRecord, ""); why != c.why || !strings.Contains(wrong, c.wrong) {
			t.Errorf("%s: %q, %q", name, why, wrong)
		}
	}
	numbered := ""
	for i := range 200 {
		numbered += fmt.Sprintf("%d. The importer was fixed by the agent.\n", i+1)
	}
	for name, long := range map[string]string{
		"one sentence": strings.Repeat("The importer was fixed by the agent. ", 420),
		"three items":  strings.Repeat("- The importer was fixed.\n- The tests were run.\n- The lock file was left.\n", 60),
		"numbered":     numbered,
		"two words":    strings.Repeat("importer fixed ", 900),
		"signs":        strings.Repeat("导入程序已经修复了", 300),
	} {
		if _, why := digest.AcceptDigest(api.Summary{Text: "# Objective\n" + long}, tokens.ByName("bytes4"), 200000, 8000, true); why != api.FaultRepeats {
			t.Errorf("%s: %q", name, why)
		}
	}
	list := "# Objective\nFix it.\n# Files\n"
	for i := range 120 {
		list += fmt.Sprintf("- core/wire/part%d.go: read, %d lines, function parse%c%d\n", i, 40+i*7%90, 'A'+i%26, i)
	}
	if _, why := digest.AcceptDigest(api.Summary{Text: list}, tokens.ByName("bytes4"), 200000, 8000, true); why != "" {
		t.Errorf("a list of files is %q", why)
	}
}

// A line that permits something forbidden by a user's rule is removed. A line that states the rule, or is about
// something else, stays.
func TestDeniedLinesGo(t *testing.T) {
	tr, seq := read(t, "openai-chat", `[{"role":"user","content":"Do not add new dependencies. Never touch the lock file. Always write docs in English. Never share the plan with Olga. Ask Marta before you mail anybody."}]`)
	var l digest.Ledger
	l.Add(tr, seq)
	done := digest.NewExtract(tr, seq, "", &l).Complete("# Guardrails\n- New dependencies are welcome.\n- No dependencies may be added.\n- Docs may have pictures.\n- The tests are fine.\n"+
		"- Share the plan with Olga.\n- You can mail anybody without asking Marta.\n- Marta is asked before anybody is mailed.\n- Nobody is mailed without asking Marta.\n- You can mail the pictures without a frame.\n- Olga read the plan before.\n- The user wants new dependencies to be added.\n## Never do\n- Touch the lock file.\n- Add new dependencies.",
		l.StandingBlock(1000), 2000, 0)
	for line, stays := range map[string]bool{"New dependencies are welcome": false, "No dependencies may be added": true, "Docs may have pictures": true, "The tests are fine": true,
		"- Share the plan": false, "You can mail anybody": false, "Marta is asked": true, "Nobody is mailed": true, "mail the pictures": true, "Olga read": true, "wants new dependencies": false, "- Touch the lock file": true, "- Add new dependencies": true} {
		if strings.Contains(done.Body, line) != stays {
			t.Errorf("%s, in\n%s", line, done.Body)
		}
	}
}
