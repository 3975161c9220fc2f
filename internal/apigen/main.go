// Command apigen generates files from the types and comments of package api and of the package policy of core, and from the table of
// operations:
//
//   - docs/api.schema.json, a JSON Schema of all requests and answers, from which typescript/ generates the types of JavaScript, and
//     docs/policy.schema.json, the schema of policies, for editors and validators;
//   - the tables of operations, keys, words and error codes in docs/reference (abi.md, report.md, errors.md);
//   - the exports of the module (wasm/exports*.go);
//   - the Go types of policies and passes (policy_gen.go, pass/pass_gen.go), and constants for the names of registries
//     (api/names_gen.go);
//   - the types of the Python package (host/python/src/ctxfold/types.py), and its API for asyncio, made from the blocking one (aio.py);
//   - the entries of the npm package, made from js/src/node.ts and js/src/index.ts.
//
// Usage: apigen ROOT, where ROOT is the root of the repository.
package main

//go:generate go run . ../..

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"

	"github.com/ctxfold/ctxfold/core"
	_ "github.com/ctxfold/ctxfold/core/full" // the operation function has types too
)

// known is the answer to the operation info, from which names and declarations are taken.
var known struct {
	Formats, Presets []named
	Estimators       []string
	Passes           []string
	PassInfo         []pass `json:"pass_info"`
	Functions        []string
}

// named is an entry of a registry: a name with its documentation and, for a preset, its policy.
type named struct {
	Name, Doc string
	Policy    map[string]any
}

// pass is the declaration of a pass, with its parameters.
type pass struct {
	Name, Doc  string
	Parameters []struct {
		Name, Doc string
		Default   any
	}
}

func main() {
	if len(os.Args) != 2 {
		fatal("usage: apigen ROOT")
	}
	root := os.Args[1]
	for name, text := range generate(root) {
		check(os.WriteFile(filepath.Join(root, filepath.FromSlash(name)), text, 0o644))
	}
}

// generate returns all generated files by their path in the repository.
func generate(root string) map[string][]byte {
	check(json.Unmarshal(core.Call("info", []byte("{}")), &known))
	g := &generator{source: load(module, root, "api", "core/internal/policy")}
	api := g.api()
	policy := g.defs.get("Policy").inlined(g.defs)
	policy.Schema, policy.Title = draft, "The policy of a compaction"
	files := map[string][]byte{
		"docs/api.schema.json":    api.text(),
		"docs/policy.schema.json": policy.text(),
		"wasm/exports.go":         exports(false),
		"wasm/exports_full.go":    exports(true),
		"policy_gen.go":           g.policies(),
		"pass/pass_gen.go":        g.passes(),
		"api/names_gen.go":        g.names(),
		pythonTypes:               g.python(),
		pythonAsync:               asyncio(root),
	}
	maps.Copy(files, g.tables(root))
	maps.Copy(files, entries(root))
	return files
}

const (
	module      = "github.com/ctxfold/ctxfold"
	pythonTypes = "host/python/src/ctxfold/types.py"
)

func check(err error) {
	if err != nil {
		fatal(err)
	}
}

func fatal(what ...any) {
	fmt.Fprintln(os.Stderr, append([]any{"apigen:"}, what...)...)
	os.Exit(1)
}
