package core_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// canary is something that the user says once, early, and its key phrase, by which it is found again.
type canary struct{ kind, text, key string }

// canaries are worded in different ways: some in passing, some under a heading, a few not in English.
var canaries = []canary{
	{"safety rule", "Before I forget: the payroll tables are off limits, nobody writes to them.", "payroll tables"},
	{"safety rule", "Whatever you do, never run the purge script against the live cluster.", "purge script"},
	{"safety rule", "Customer passports must not show up in any log line.", "Customer passports"},
	{"safety rule", "Anything that deletes backups needs my explicit okay before it is run, without exception.", "deletes backups"},
	{"safety rule", "Rühr die Zertifikate im Tresor auf keinen Fall an.", "Zertifikate im Tresor"},
	{"constraint", "The binary may not grow beyond 14 megabytes, the boards have no more flash.", "14 megabytes"},
	{"constraint", "It has to build with the 2019 compiler, since the plant won't get a newer one.", "2019 compiler"},
	{"constraint", "## Ground rules\n- no network access while tests run\n- one migration per release\n\nNow look at the next file.", "one migration per release"},
	{"constraint", "Response times should stay under 180 milliseconds on the slow tablets.", "180 milliseconds"},
	{"constraint", "Les identifiants doivent rester en kebab, le portail n'accepte rien d'autre.", "rester en kebab"},
	{"preference", "I'd rather read short diffs with one idea each than a big bang.", "short diffs"},
	{"preference", "When you report back, lead with the outcome and keep the reasoning for the end.", "lead with the outcome"},
	{"preference", "Please always spell the product name Quillary with two l's.", "Quillary"},
	{"preference", "以后请把金额写成分，不要写小数。", "把金额写成分"},
	{"fact", "The vendor's contact is Ottoline Brandt, extension 4471.", "extension 4471"},
	{"fact", "The warehouse in Ghent closes at 16:45 on Fridays.", "16:45"},
	{"fact", "Our staging host is called marmot-7.", "marmot-7"},
	{"goal", "The aim of all this is to have invoice matching live before the audit in Leuven.", "audit in Leuven"},
	{"goal", "In the end the nightly import has to finish by five in the morning.", "five in the morning"},
	{"goal", "We are done once both depots can print labels on their own.", "print labels"},
}

// tell returns one turn of a session that says nothing of lasting interest, apart from the canary if there is one.
func tell(i int, c *canary) string {
	asked := []string{"Look at module %d next.", "What does handler %d do there?", "Rename the helper in part %d, it reads badly.", "Run the checks of package %d again.",
		"And the retry loop in stage %d?", "Show me where queue %d is drained."}
	said := fmt.Sprintf(asked[i%len(asked)], i)
	if c != nil {
		said = c.text
	}
	path := fmt.Sprintf("src/part%d/step%d.rs", i%17, i)
	return fmt.Sprintf(`{"role":"user","content":%q},{"role":"assistant","content":"On it.","tool_calls":[{"id":"k%d","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"%s\"}"}}]},`+
		`{"role":"tool","tool_call_id":"k%d","content":%q},{"role":"assistant","content":%q}`, said, i, path, i,
		strings.Repeat(fmt.Sprintf("let value_%d = stage.take(%d).unwrap_or_default(); // passes through\n", i, i*7), 9),
		fmt.Sprintf("Part %d takes its input from the stage before it and hands it on. ", i)+strings.Repeat("There was nothing surprising in how it does that. ", 3))
}

// TestCanaries says twenty things in a session that is compacted five times, and looks for them afterwards.
func TestCanaries(t *testing.T) {
	var out strings.Builder
	kinds := []string{"safety rule", "constraint", "preference", "fact", "goal"}
	fmt.Fprintf(&out, "| preset | summaries | window |")
	for _, k := range kinds {
		fmt.Fprintf(&out, " %ss |", k)
	}
	fmt.Fprintf(&out, " tokens, of |\n|---|---|---:|%s---:|\n", strings.Repeat("---:|", len(kinds)))
	measure := func(preset, mode string, window int, stateless bool) {
		policy := fmt.Sprintf(`{"format":"openai-chat","preset":%q,"window":{"tokens":%d,"reserve":%d},"summary":{"mode":%q,"on_failure":"local"}}`, preset, window, window/8, mode)
		list, state := `[{"role":"system","content":"You help with a codebase."}`, ""
		var a answer
		every := max(1, window/8000)
		for i, round := 0, 0; round < 5; i++ {
			var c *canary
			if n := i / every; i%every == 0 && n < len(canaries) {
				c = &canaries[n]
			}
			list += "," + tell(i, c)
			if i%4 < 3 {
				continue
			}
			if stateless {
				state = ""
			}
			a = compacts(t, policy, state, list+"]", summaryText)
			if a.Error != nil {
				t.Fatalf("%+v", a.Error)
			}
			if state = string(a.State); a.Report.Changed {
				list = strings.TrimSuffix(string(a.Messages), "]")
				if i/every >= len(canaries) { // all have been said
					round++
				}
			}
		}
		var messages []struct{ Content any }
		if err := json.Unmarshal(a.Messages, &messages); err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		for _, m := range messages {
			fmt.Fprintln(&text, m.Content)
		}
		held, all := map[string]int{}, map[string]int{}
		for _, c := range canaries {
			all[c.kind]++
			if strings.Contains(text.String(), c.key) {
				held[c.kind]++
			} else {
				t.Logf("%s, %s, %d: lost %q", preset, mode, window, c.text)
			}
		}
		name := preset
		if stateless {
			name += ", state lost"
		}
		fmt.Fprintf(&out, "| %s | %s | %d |", name, mode, window)
		for _, k := range kinds {
			fmt.Fprintf(&out, " %d/%d |", held[k], all[k])
		}
		fmt.Fprintf(&out, " %d, %d |\n", a.Report.Tokens.After, a.Report.Tokens.Limit)
		rules, of := held[kinds[0]]+held[kinds[1]]+held[kinds[2]], all[kinds[0]]+all[kinds[1]]+all[kinds[2]]
		if least := map[bool]int{true: 95, false: 80}[window >= 16000]; rules*100 < of*least {
			t.Errorf("%s, %s, %d: %d of %d rules, constraints and preferences are held", name, mode, window, rules, of)
		}
	}
	for _, window := range []int{8000, 16000, 32000, 64000} {
		measure("default", "local", window, false)
		measure("default", "model", window, false)
	}
	measure("default", "local", 16000, true)
	for _, preset := range allPresets[1:] {
		measure(preset, "local", 16000, false)
	}
	t.Log("\n" + out.String())
}
