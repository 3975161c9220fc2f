// Command apischema writes two JSON Schemas from the Go types of core: docs/policy.schema.json, of a policy by itself, for editors
// and validators; and docs/api.schema.json, of all requests and answers, from which the types of hosts are generated. Keys, types
// and what they mean are those of the types and their comments; in which package a type lies does not matter. What a text may
// be is the constants of its type, or a set of words (words.go).
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ctxfold/ctxfold/core"
	_ "github.com/ctxfold/ctxfold/core/full" // the operation function has types too
)

//go:generate go run . ../.. ../../docs

const module = "github.com/ctxfold/ctxfold"

// known is what the operation info answers.
var known struct {
	Ops     []string
	Formats []struct{ Name string }
	Presets []struct {
		Name   string
		Policy map[string]any
	}
	Estimators []string
	Passes     []string
	PassInfo   []pass `json:"pass_info"`
}

// pass is what a pass has declared.
type pass struct {
	Name, Doc  string
	Parameters []struct {
		Name, Doc string
		Default   any
	}
}

func main() {
	if len(os.Args) != 3 {
		fatal("usage: apischema ROOT DOCS")
	}
	generate(os.Args[1], os.Args[2])
}

// generate reads the sources of the module in a folder, and writes the schemas into another.
func generate(root, docs string) {
	if err := json.Unmarshal(core.Call("info", []byte("{}")), &known); err != nil {
		fatal(err)
	}
	g := &generator{source: load(module, root, "core")}
	write(filepath.Join(docs, "api.schema.json"), g.api())
	policy := g.defs.get("Policy").inlined(g.defs)
	policy.Schema, policy.Title = draft, "The policy of a compaction"
	write(filepath.Join(docs, "policy.schema.json"), policy)
}

const draft = "https://json-schema.org/draft/2020-12/schema"

func write(file string, s *schema) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(s); err != nil {
		fatal(err)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
		fatal(err)
	}
}

func fatal(what any) {
	fmt.Fprintln(os.Stderr, "apischema:", what)
	os.Exit(1)
}
