// Command apigen writes what is generated from package core/internal/api: the exports of the module, the key table and the tables of
// words of docs/ABI.md. With --json it prints the whole API instead (operations, types, closed sets of words), for the generators of
// other languages.
//
// Usage: apigen [--json] ROOT, where ROOT is the root of the repository; without it, the current folder.
package main

//go:generate go run . ../..

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
)

func main() {
	asJSON := flag.Bool("json", false, "print the API as JSON")
	flag.Parse()
	root := "."
	if flag.NArg() > 0 {
		root = flag.Arg(0)
	}
	a := read(root)
	if *asJSON {
		out := json.NewEncoder(os.Stdout)
		out.SetEscapeHTML(false)
		out.SetIndent("", "  ")
		check(out.Encode(a))
		return
	}
	a.write(root)
}

func check(err error) {
	if err != nil {
		fatal(err)
	}
}

func fatal(what ...any) {
	fmt.Fprintln(os.Stderr, append([]any{"apigen:"}, what...)...)
	os.Exit(1)
}
