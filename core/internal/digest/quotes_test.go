package digest_test

import (
	"strings"
	"testing"
)

// kilnFile is a call that reads a file of the kiln, and its result.
func kilnFile(id, file, out string) string {
	return strings.NewReplacer("ID", id, "FILE", file, "OUT", strings.NewReplacer("\n", `\n`, "\t", `\t`, `"`, `\"`, `\`, `\\`).Replace(out)).Replace(kilnRead)
}

// A definition is quoted with its end, or not at all. What a tool puts around and before the lines of a file is no part of it.
func TestQuotesAreWhole(t *testing.T) {
	const ask = `{"role":"user","content":"Why does take_glaze of KilnShelf leave kiln_rest at RETRY_GLAZE?"}`
	const end = `{"role":"assistant","content":"take_glaze reads kiln_rest and RETRY_GLAZE."},{"role":"user","content":"Thanks, and now?"}`
	const ruby = "def take_glaze(n)\n  kiln_rest.each do |shelf|\n    shelf.take(n)\n  end\nend\n"
	for name, c := range map[string]struct{ file, out, want, not string }{
		"Ruby":                   {"shelf.rb", ruby, "def take_glaze(n)\n      kiln_rest.each do |shelf|\n        shelf.take(n)\n      end\n    end", ""},
		"Ruby, read in part":     {"shelf.rb", strings.TrimSuffix(ruby, "end\n"), "", "def take_glaze"},
		"Ruby, with empty lines": {"shelf.rb", ruby + "\n\n", "      end\n    end", ""},
		"a value named 'end'":    {"shelf.go", "func take_glaze() {\n\tkiln_rest()\n}\nend = 7\n", "kiln_rest()\n    }", "}\n    end = 7"},
		"a frame of a tool":      {"retry.go", "<file>\n00001| package kiln\n00002| \n00003| const RETRY_GLAZE = 12\n(End of file)\n</file>", "3: const RETRY_GLAZE = 12", "00003| "},
		"an introduction":        {"retry.go", "Here is `cat -n` of the file:\n     1\tpackage kiln\n     2\t\n     3\tconst RETRY_GLAZE = 12\n", "3: const RETRY_GLAZE = 12", "package"},
		"the end of a text":      {"retry.py", "\"\"\"All about\nthe kiln.\n\"\"\"\nRETRY_GLAZE = 'a \\\n  b'\n", "", `"""`},
		"a name with a 'test'":   {"latest.go", "const RETRY_GLAZE = 12\n", "RETRY_GLAZE = 12", ""},
		"a file of tests":        {"ramp_test.go", "const RETRY_GLAZE = 12\n", "", "RETRY_GLAZE = 12"},
		"a specification":        {"kiln-spec.yaml", "const RETRY_GLAZE = 12\n", "RETRY_GLAZE = 12", ""},
		"tests after capitals":   {"HTTPTest.java", "const RETRY_GLAZE = 12\n", "", "RETRY_GLAZE = 12"},
		"a file of Java tests":   {"RampTests.java", "const RETRY_GLAZE = 12\n", "", "RETRY_GLAZE = 12"},
		"a list with its codes":  {"codes.yml", "codes:\n7: RETRY_GLAZE is low\n8: RETRY_GLAZE is high\n9: kiln_rest\n", "", "\n    RETRY_GLAZE is low"},
	} {
		if shown := shownOf(t, ask, kilnFile("1", c.file, c.out), end); !strings.Contains(shown, c.want) || c.not != "" && strings.Contains(shown, c.not) {
			t.Errorf("%s: the quotes of files are\n%s", name, shown)
		}
	}
}
