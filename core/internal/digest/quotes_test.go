package digest_test

import (
	"strings"
	"testing"
)

// kilnFile returns the messages for a call that reads a file of the kiln, and its result.
func kilnFile(id, file, out string) string {
	return strings.NewReplacer("ID", id, "FILE", file, "OUT", strings.NewReplacer("\n", `\n`, "\t", `\t`, `"`, `\"`, `\`, `\\`).Replace(out)).Replace(kilnRead)
}

// A definition is quoted up to its end, or not at all. What a tool adds around and before the lines of a file isn't
// part of a quote.
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
		"numbers with a colon":   {"retry.go", "[File: src/retry.go (9 lines total)]\n(6 more lines above)\n7:func take_glaze() {\n8:\tRETRY_GLAZE = 12\n9:}\n", "7: func take_glaze() {\n      RETRY_GLAZE = 12\n    }", "8:"},
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

// Lines with which all files of a kind begin say nothing: the name of a module, a licence, imports.
func TestBoilerplateIsNotQuoted(t *testing.T) {
	const ask = `{"role":"user","content":"Why does take_glaze of KilnShelf leave kiln_rest at RETRY_GLAZE?"}`
	const end = `{"role":"assistant","content":"take_glaze reads kiln_rest and RETRY_GLAZE."}`
	for file, text := range map[string]string{
		"go.mod":     "module take_glaze\n\ngo 1.24\n\nrequire (\n\tkiln.example/kiln_rest v1.2.3\n)\n",
		"shelf.h":    "class KilnShelf;\nstruct kiln_rest;\n",
		"shelf.js":   "const take_glaze = require(\"./take_glaze\");\nconst kiln_rest = require('kiln_rest');\n",
		"shelf.go":   "// Copyright 2024 The Kiln Authors. All rights reserved. Use of take_glaze and KilnShelf is governed by a licence.\npackage take_glaze\n",
		"shelf.py":   "# SPDX-License-Identifier: MIT, which also holds for take_glaze and KilnShelf with kiln_rest\nfrom take_glaze import KilnShelf\n",
		"LICENSE.md": "Permission is hereby granted, free of charge, to any person obtaining a copy of take_glaze, KilnShelf and kiln_rest.\n",
	} {
		if shown := shownOf(t, ask, kilnFile("1", file, text), end); shown != "" {
			t.Errorf("%s: the quotes of files are\n%s", file, shown)
		}
	}
}

// A list, a table or an example in a document is quoted with the sentence that introduces it, and under its heading.
// Its items are shortened. Lists of links are not quoted.
func TestQuotesOfDocuments(t *testing.T) {
	const ask = `{"role":"user","content":"Please read the notes about the kiln."}`
	const end = `{"role":"assistant","content":"I have read kiln.md."}`
	long := "- **Cool**: the door stays shut for nine hours, because glaze that cools in a draught crazes within the first week. " + strings.Repeat("Potters of the valley tell this to everybody. ", 8) + "\n"
	text := "# Kiln\n\n- [Firing](#firing)\n- [Slices](#slices)\n\n## Firing\n\nThere are three ways to fire a pot:\n\n1. Slowly, with the lid open.\n2. Fast, if the pot is\n   thin enough.\n" + long +
		"\n## Slices of work\n\nThree slices can be released alone, the smallest one first.\n\n| slice | closes |\n|---|---|\n| the ramp | 305 |\n| the fan | 306 |\n\n" +
		"### How to begin\n\nThe shortest way to a first firing is this command:\n\n```sh\nkiln fire --slow pot.yaml\n```\n\nThe following follows from it:\n\n## Nothing\n"
	shown := shownOf(t, ask, kilnFile("1", "kiln.md", text), end)
	for _, want := range []string{
		"in Firing:\n    There are three ways to fire a pot:\n    1. Slowly, with the lid open.\n    2. Fast, if the pot is thin enough.\n    - **Cool**: the door stays shut for nine hours, because glaze that cools in a draught crazes within the first week. Potters of the valley tell this to everybody. …\n",
		"in Slices of work:\n    Three slices can be released alone, the smallest one first.\n", "\n    | slice | closes |\n    | the ramp | 305 |\n    | the fan | 306 |\n",
		"in How to begin:\n    The shortest way to a first firing is this command:\n      kiln fire --slow pot.yaml",
	} {
		if !strings.Contains(shown, want) {
			t.Errorf("%q is not in\n%s", want, shown)
		}
	}
	for _, not := range []string{"#firing", "The following follows", "valley tell this to everybody. Potters", "---"} {
		if strings.Contains(shown, not) {
			t.Errorf("%q says little, but it is in\n%s", not, shown)
		}
	}
	if shown = shownOf(t, ask, kilnFile("1", "kiln.yaml", "- name: the first of all of the kilns\n  burner: 2\n- name: the second of all of the kilns\n  burner: 3\n"), end); strings.Contains(shown, "burner") {
		t.Errorf("settings are quoted as a list:\n%s", shown)
	}
	unclosed := "## Ovens\n\nThe oven is opened by this command:\n\n```sh\noven open\n\n## Kilns\n\nThe kiln has three doors, and all of them must be shut.\n\n**Changes to the ramp:**\n\n1. Remove the fan.\n2. Add a door.\n"
	if shown = shownOf(t, ask, kilnFile("1", "kiln.md", unclosed), end); !strings.Contains(shown, "in Kilns:\n    The kiln has three doors") || !strings.Contains(shown, "**Changes to the ramp:**\n    1. Remove") {
		t.Errorf("after a block that isn't closed:\n%s", shown)
	}
	many := strings.Repeat("- a list of which each item says the same thing about glaze\n", 5000)
	if shown = shownOf(t, ask, kilnFile("1", "kiln.md", many), end); strings.Count(shown, "the same thing") > 20 || !strings.HasSuffix(shown, "\n    …") {
		t.Errorf("a long list is quoted as\n%s", shown)
	}
}
