package main

import (
	"os"
	"path/filepath"
	"regexp"
)

// entry is a generated entry of the npm package. All entries export the same API and differ only in where they get the module, so a
// generated one is a copy of a handwritten one with the differing parts replaced.
type entry struct {
	from    string // the entry that is copied
	replace []replacement
}

// replacement replaces all matches of a pattern with a template, as regexp.Expand does. The pattern must match at
// least once.
type replacement struct {
	of *regexp.Regexp
	by string
}

func (r replacement) apply(text, file string) string {
	if !r.of.MatchString(text) {
		fatal("nothing in " + file + " is " + r.of.String())
	}
	return r.of.ReplaceAllString(text, r.by)
}

var (
	entryComment = regexp.MustCompile(`^(?s)/\*\*.*?\*/\n`)
	entryReads   = regexp.MustCompile(`import \{ readFile \} from "node:fs/promises";\n`)
	entryLoader  = regexp.MustCompile(`(?s)loader\(\n.*?\n\);`)
	entryLoadDoc = regexp.MustCompile(`(?m)^(/\*\* Load)s the (module; see .*) \*/$`)
	entryCallDoc = regexp.MustCompile(`(?m)^(/\*\* (?:Creates|Fits|Reads|Resolves).*) \*/$`)
)

const fetched = "\n  (url) => fetch(url),\n"

// edgeEntry returns an entry for platforms that compile nothing at run time. Bundlers for these platforms provide the
// module under the path own.
func edgeEntry(comment, own string) entry {
	return entry{"node", []replacement{
		{entryComment, comment},
		{entryReads, `import own from "` + own + `";` + "\n" + `import { SWOLLEN_AT_THE_EDGE } from "./abi.js";` + "\n"},
		{entryLoader, "loader(\n  () => own," + fetched + "  { swollen: SWOLLEN_AT_THE_EDGE },\n);"},
	}}
}

// jsEntries are the generated entries, by the names of their files in js/src without ".ts".
var jsEntries = map[string]entry{
	"edge-light": edgeEntry("/** The entry for Vercel's Edge Runtime: like `workerd.ts`, with the suffix by which Next.js recognizes a module. */\n",
		"../ctxfold.wasm?module"),
	"workerd": edgeEntry("/**\n * The entry for Cloudflare's workerd. The platform compiles nothing at run time, so the bundler provides the module.\n */\n",
		"../ctxfold.wasm"),
	"slim-node": {"node", []replacement{
		{entryComment, "/** The entry `ctxfold/slim` for Node, Bun and Deno: like `slim.ts`, but file URLs are read from disk. */\n"},
		{regexp.MustCompile(`ctxfold\.wasm`), "ctxfold-slim.wasm"},
		{regexp.MustCompile(`(?m)^  \{ inside: .*\n`), ""},
	}},
	"inline": {"node", []replacement{
		{entryComment, "/**\n" +
			" * The entry `ctxfold/inline`, which contains the module, for bundlers that don't copy files next to the code and for\n" +
			" * single-file pages. It is a third larger than the file, and is compiled only after all of it has arrived. Tools that\n" +
			" * resolve `ctxfold` with neither the condition `production` nor `development`, such as esbuild, get this entry.\n" +
			" */\n"},
		{entryReads, ""},
		{entryLoader, `loader(` + "\n  async () => (await import(\"./inflated.js\")).inflated()," + fetched + ");"},
	}},
	"core": {"node", []replacement{
		{entryComment, "/** The entry `ctxfold/core`: bring your own module. No file is referenced here, so bundlers need no configuration. */\n"},
		{entryReads, ""},
		{regexp.MustCompile(`(import .* from "\./digest\.js";\n)`), `${1}import { CtxfoldError } from "./errors.js";` + "\n"},
		{entryLoadDoc, "${1}s a ${2} Rejects with `load_failed` if no source is given. */"},
		{entryLoader, "loader(\n  () => {\n    throw new CtxfoldError(\n      \"load_failed\",\n" +
			"      \"ctxfold/core has no module of its own: load(source), or createCompactor({ module: source }), where the source is \" +\n" +
			"        \"ctxfold/ctxfold.wasm as a URL, a Response, bytes or a WebAssembly.Module\",\n    );\n  }," + fetched + ");"},
		{entryCallDoc, "${1} The options must name a module. */"},
	}},
	"development": {"index", []replacement{
		{entryComment, "/**\n" +
			" * The entry for tools that resolve `ctxfold` with the condition `development`: like `index.ts`, but the module is also\n" +
			" * included as code for tools that don't copy its file, such as `bun build` and the development servers of Vite 5 to 7.\n" +
			" * Production builds need no second copy.\n" +
			" */\n"},
		{regexp.MustCompile(`from "\./in-page\.js"`), `from "./development-in-page.js"`},
		{regexp.MustCompile(`chunks/in-page\.js`), "chunks/development.js"},
	}},
	"development-in-page": {"in-page", []replacement{
		{entryComment, "/** The module on this thread, from its file or from inside the code. */\n"},
		{entryLoader, "loader(\n  () => new URL(\"../ctxfold.wasm\", import.meta.url)," + fetched +
			"  { inside: async () => (await import(\"./inflated.js\")).inflated() },\n);"},
	}},
	"slim-in-page": {"in-page", []replacement{
		{entryComment, "/** The slim module on this thread, for browsers. */\n"},
		{regexp.MustCompile(`(import .* from "\./load\.js";\n)`), `${1}import { ownSlim } from "./slim-module.js";` + "\n"},
		{entryLoader, "loader(ownSlim, (url) => fetch(url));"},
	}},
	"slim": {"index", []replacement{
		{entryComment, "/**\n" +
			" * The entry `ctxfold/slim`: like `index.ts`, but with `ctxfold-slim.wasm`, which contains only the features that chats in\n" +
			" * a browser need. For other features (agents' wire formats, session files, convert) it returns the error `needs_whole`.\n" +
			" * Both modules can read the same memories, so a page can later switch to the entry `ctxfold`, or pass `ctxfold.wasm` as\n" +
			" * its `module`.\n" +
			" */\n"},
		{regexp.MustCompile(`import \{ offPage \}`), "import { type OffPageCreate, offPage }"},
		{regexp.MustCompile(`(import .* from "\./preload\.js";\n)`), `${1}import { ownSlim } from "./slim-module.js";` + "\n"},
		{regexp.MustCompile(`from "\./in-page\.js"`), `from "./slim-in-page.js"`},
		{regexp.MustCompile(`chunks/in-page\.js`), "chunks/slim.js"},
		{regexp.MustCompile(`(?m)^const createEngine = /\* @__PURE__ \*/ (.*);$`), "\n" +
			"/** Names the slim module explicitly, because the page's worker loads the whole module by default. */\n" +
			"const createEngine: OffPageCreate = /* @__PURE__ */ (\n" +
			"  (create: OffPageCreate): OffPageCreate =>\n" +
			"  ({ module = ownSlim() }, worker) =>\n" +
			"    create({ module }, worker)\n" +
			")(/* @__PURE__ */ ${1});"},
	}},
}

const jsSource = "js/src/"

// entries returns the generated entries of the npm package by their path in the repository.
func entries(root string) map[string][]byte {
	files := map[string][]byte{}
	for name, e := range jsEntries {
		from := jsSource + e.from + ".ts"
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(from)))
		check(err)
		s := string(text)
		for _, r := range e.replace {
			s = r.apply(s, from)
		}
		files[jsSource+name+".ts"] = []byte("// Generated from " + e.from + ".ts by `make generate`. Do not edit it.\n" + s)
	}
	return files
}
