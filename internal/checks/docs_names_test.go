package checks_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// needs checks that a document contains each of the names, set as code.
func needs(t *testing.T, file, text string, names ...string) {
	t.Helper()
	if len(names) == 0 {
		t.Errorf("%s: there is nothing to look for", file)
	}
	for _, name := range names {
		if !strings.Contains(text, "`"+name+"`") {
			t.Errorf("%s does not name `%s`", file, name)
		}
	}
}

// TestNames checks that the documents mention every name that core knows: formats, presets, passes, operations and the like.
func TestNames(t *testing.T) {
	known := info(t)
	formats, policies, abi := read(t, "docs/guides/formats.md"), read(t, "docs/reference/policy.md"), read(t, "docs/reference/abi.md")
	presets := read(t, "docs/guides/presets.md")
	_, support, _ := strings.Cut(formats, "\n## Support\n")
	support, _, _ = strings.Cut(support, "\n## ")
	for _, f := range known.Formats {
		if !strings.Contains(support, "\n| `"+f.Name+"` | ") {
			t.Errorf("docs/guides/formats.md does not say who judges `%s`", f.Name)
		}
		needs(t, "docs/guides/formats.md", formats, f.Name)
	}
	for _, p := range known.Presets {
		needs(t, "docs/reference/policy.md", policies, p.Name)
		needs(t, "docs/guides/presets.md", presets, p.Name)
	}
	needs(t, "docs/reference/policy.md", policies, known.Passes...)
	needs(t, "docs/reference/policy.md", policies, known.Estimators...)
	needs(t, "docs/reference/policy.md", policies, policyKeys(readSchema(t), "")...)
	needs(t, "docs/reference/abi.md", abi, known.Ops...)
	var functions []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(read(t, "docs/reference/functions.md"), -1) {
		functions = append(functions, m[1])
	}
	slices.Sort(functions)
	if !slices.Equal(functions, known.Functions) {
		t.Errorf("docs/reference/functions.md lists %v, the core knows %v", functions, known.Functions)
	}
	if !strings.Contains(read(t, "CHANGELOG.md"), known.Version) {
		t.Errorf("CHANGELOG.md does not name the version %s", known.Version)
	}
	for pass, keys := range passKeys(t) {
		section, found := cutSection(policies, "### `"+pass+"`")
		if !found {
			t.Errorf("docs/reference/policy.md has no section on the pass %s", pass)
		} else if len(keys) > 0 {
			needs(t, "docs/reference/policy.md, pass "+pass, section, keys...)
		}
	}
}

// schema has the members of docs/policy.schema.json that the tests need.
type schema struct {
	Default    any
	Properties map[string]*schema
	Items      *schema
	OneOf      []*schema
	Const      string
}

func readSchema(t *testing.T) *schema {
	t.Helper()
	root := new(schema)
	if err := json.Unmarshal([]byte(read(t, "docs/policy.schema.json")), root); err != nil {
		t.Fatal(err)
	}
	return root
}

// policyKeys returns the keys of a policy in the notation of the documents: window.tokens, pins[].role.
func policyKeys(s *schema, prefix string) (keys []string) {
	for name, p := range s.Properties {
		switch {
		case len(p.Properties) > 0:
			keys = append(keys, policyKeys(p, prefix+name+".")...)
		case p.Items != nil && len(p.Items.Properties) > 0:
			keys = append(keys, policyKeys(p.Items, prefix+name+"[].")...)
		default:
			keys = append(keys, prefix+name)
		}
	}
	return keys
}

// passKeys returns the parameters of each pass, by the pass's name.
func passKeys(t *testing.T) map[string][]string {
	t.Helper()
	keys := map[string][]string{}
	for _, pass := range readSchema(t).Properties["passes"].Items.OneOf {
		name := pass.Properties["pass"].Const
		keys[name] = nil
		for key := range pass.Properties {
			if key != "pass" {
				keys[name] = append(keys[name], key)
			}
		}
	}
	if known := info(t).Passes; len(keys) != len(known) {
		t.Errorf("docs/policy.schema.json has %d passes, the core knows %v", len(keys), known)
	}
	return keys
}

// TestPolicyDefaults checks that the tables of docs/reference/policy.md have the same defaults as docs/policy.schema.json.
func TestPolicyDefaults(t *testing.T) {
	root := readSchema(t)
	text := read(t, "docs/reference/policy.md")
	compared := 0
	compare := func(where, section string, find func(key string) *schema) {
		for _, row := range regexp.MustCompile("(?m)^\\| `([a-z_.]+)` \\| [^|]* \\| ([^|]*) \\|").FindAllStringSubmatch(section, -1) {
			s := find(row[1])
			if s == nil || s.Default == nil || strings.Contains(row[2], " ") && s.Default != "" {
				continue
			}
			want, _ := json.Marshal(s.Default)
			got := strings.Trim(strings.ReplaceAll(row[2], ",", ""), "` ")
			if compared++; got != string(want) && !(got == "" && s.Default == "") {
				t.Errorf("docs/reference/policy.md, %s: the default of %s is %s and not %s", where, row[1], want, got)
			}
		}
	}
	keys, _ := cutSection(text, "## Keys")
	compare("keys", keys, func(key string) *schema {
		s := root
		for _, name := range strings.Split(key, ".") {
			if s = s.Properties[name]; s == nil {
				return nil
			}
		}
		return s
	})
	for _, pass := range root.Properties["passes"].Items.OneOf {
		name := pass.Properties["pass"].Const
		section, _ := cutSection(text, "### `"+name+"`")
		compare(name, section, func(key string) *schema { return pass.Properties[key] })
	}
	if compared < 30 {
		t.Errorf("only %d defaults were compared", compared)
	}
}

// cutSection returns the text from a heading to the next heading of the same or a higher level.
func cutSection(text, heading string) (string, bool) {
	_, rest, found := strings.Cut(text, "\n"+heading+"\n")
	level := heading[:strings.Index(heading, " ")]
	for i := range level {
		rest, _, _ = strings.Cut(rest, "\n"+level[:i+1]+" ")
	}
	return rest, found
}

// rows returns the first cell of each row in the table under a heading; these cells are set as code.
func rows(t *testing.T, file, heading string) (names []string) {
	t.Helper()
	section, found := cutSection(read(t, file), heading)
	if !found {
		t.Fatalf("%s has no section %q", file, heading)
	}
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(section, -1) {
		names = append(names, m[1])
	}
	return names
}

// withoutVector lists the error codes that no vector can produce, with the reason.
var withoutVector = map[string]string{
	"needs_full":  "TestNeedsFull in host: the vectors are of the full module too",
	"needs_whole": "TestSlim in host: the vectors are of the whole module",
	"internal":    "a request that leads to it is a mistake in the core",
	"too_large":   "it takes a request of over 1 GiB",
	"unknown_op":  "a module has no export for it to be asked with",
}

// TestCodes compares the codes and other fixed words in the vectors' answers with the tables of the documents.
func TestCodes(t *testing.T) {
	var codes, rules, reasons, whys, actions []string
	note := func(list *[]string, word string) {
		if word != "" && !slices.Contains(*list, word) {
			*list = append(*list, word)
		}
	}
	files, err := filepath.Glob("testdata/vectors/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no vectors", err)
	}
	for _, file := range files {
		var vectors []struct{ Answer string }
		if err := json.Unmarshal([]byte(read(t, file)), &vectors); err != nil {
			t.Fatal(err)
		}
		for _, v := range vectors {
			var a struct {
				Error      struct{ Code string }
				Violations []struct{ Rule string }
				Reason     string
				Repairs    []struct{ Action string }
				Report     struct {
					Reason  string
					Summary struct{ Why string }
					Actions []struct{ Action string }
				}
			}
			if err := json.Unmarshal([]byte(v.Answer), &a); err != nil {
				t.Fatal(err)
			}
			note(&codes, a.Error.Code)
			note(&reasons, a.Report.Reason)
			note(&reasons, a.Reason)
			note(&whys, a.Report.Summary.Why)
			for _, v := range a.Violations {
				note(&rules, v.Rule)
			}
			for _, list := range [][]struct{ Action string }{a.Repairs, a.Report.Actions} {
				for _, action := range list {
					note(&actions, action.Action)
				}
			}
		}
	}
	for code := range withoutVector {
		note(&codes, code)
	}
	same(t, "docs/reference/errors.md", rows(t, "docs/reference/errors.md", "## Codes"), codes)
	same(t, "docs/reference/report.md, reasons", rows(t, "docs/reference/report.md", "## Reasons"), reasons)
	same(t, "docs/reference/report.md, why a summary is not taken", rows(t, "docs/reference/report.md", "## Rejected summaries"), whys)
	same(t, "docs/reference/report.md, actions", rows(t, "docs/reference/report.md", "## Actions"), actions)
	same(t, "docs/guides/formats.md, rules", rows(t, "docs/guides/formats.md", "## Rules"), rules)
}

func same(t *testing.T, what string, documented, seen []string) {
	t.Helper()
	for _, word := range seen {
		if !slices.Contains(documented, word) {
			t.Errorf("%s: `%s` is missing", what, word)
		}
	}
	for _, word := range documented {
		if !slices.Contains(seen, word) {
			t.Errorf("%s: no vector shows `%s`", what, word)
		}
	}
}

var link = regexp.MustCompile(`\]\(([^)#]+)(#[^)]*)?\)`)

// TestLinks checks that links from the documents to this repository lead to existing files.
func TestLinks(t *testing.T) {
	for _, file := range documents(t) {
		for _, m := range link.FindAllStringSubmatch(read(t, file), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(file), m[1])); err != nil {
				t.Errorf("%s links to %s: %v", file, m[1], err)
			}
		}
	}
}

// TestDigestMap checks that the map of core/internal/digest in docs/inside/design.md has a row for each file of it and of its
// folder styles, by name or by pattern, and nothing that doesn't exist.
func TestDigestMap(t *testing.T) {
	rows, found := cutSection(read(t, "docs/inside/design.md"), "### Where a digest's lines come from")
	_, rows, table := strings.Cut(rows, "| files of `digest/` |")
	if !found || !table {
		t.Fatal("docs/inside/design.md has no map of digest")
	}
	var files []string
	for _, folder := range []string{"digest", "digest/styles"} {
		found, err := filepath.Glob("core/internal/" + folder + "/*.go")
		if err != nil || len(found) == 0 {
			t.Fatal(folder, err)
		}
		files = append(files, found...)
	}
	files = slices.DeleteFunc(files, func(file string) bool { return strings.HasSuffix(file, "_test.go") })
	mapped := map[string]bool{}
	named := map[string]bool{}
	for row := range strings.Lines(rows) {
		cell, _, _ := strings.Cut(strings.TrimPrefix(row, "| "), " |")
		for _, name := range strings.Fields(strings.ReplaceAll(cell, "`", "")) {
			if !strings.HasSuffix(name, ".go") {
				continue
			}
			if named[name] {
				t.Errorf("the map has %s twice", name)
			}
			named[name] = true
			dir := "core/internal/digest"
			if strings.Contains(name, "/") {
				dir = "core/internal"
			}
			matches, err := filepath.Glob(filepath.Join(dir, name))
			if err != nil || len(matches) == 0 {
				t.Errorf("the map has %s, which matches no file (%v)", name, err)
			}
			for _, file := range matches {
				mapped[file] = true
			}
		}
	}
	for _, file := range files {
		if !mapped[file] {
			t.Errorf("the map of digest in docs/inside/design.md has no row for %s", filepath.Base(file))
		}
	}
}
