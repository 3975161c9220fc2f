// Installs the tarball and tools that install in seconds in an empty folder, and builds with each of them without configuration.
// test/heavy has the others.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { noBrowser } from "./support/browser.js";
import { BOTH, newcomer } from "./support/newcomer.js";
import { built, shows } from "./support/newcomer-page.js";
import { testedOn } from "./support/tested-on.js";

const options = { skip: noBrowser };
const EVERY = `${BOTH}, worker: compacted, slim: compacted, models: unavailable`;
const WITH_WORKER = "the page, `fit` in a worker; `/worker`, models in the browser";
const INSIDE = "`fit` in the page, the module inside the code";
const PAGE = ["both.js", "main.js", "index.html"];
/** The files of the page that imports every entry. */
const EVERY_ENTRY = { "both.js": "both.js", "main.js": "every-entry.js", "index.html": "index.html" };
const MODULE = `<script type="module" src="main.js"></script>`;
const CLASSIC = `<script src="main.js"></script>`;
/** All tools, and the plugins of Rollup. They are installed at once, because each installation takes seconds. */
const TOOLS = [
  ...["vite@8.3.8", "webpack@5.112.2", "webpack-cli@6.0.1", "esbuild@0.28.2"],
  ...["rollup@4.68.7", "@rollup/plugin-node-resolve@16.0.3", "@web/rollup-plugin-import-meta-assets@2.3.3"],
];
// The test runtimes, in place of those that a newcomer has installed.
const runtimes = fileURLToPath(new URL("../fixtures/runtimes/node_modules/.bin/", import.meta.url));
const bun = `${runtimes}bun`;
const deno = `${runtimes}deno`;

/** Returns the version that a program prints. @param {string} program */
const versionOf = async (program) =>
  (await promisify(execFile)(program, ["--version"])).stdout.match(/\d+(\.\d+)+/)?.[0] ?? "";

test("Vite builds the page, and serves it in development", options, async (t) => {
  const { folder, run, started, tested } = await newcomer(t, TOOLS, EVERY_ENTRY);
  await run("vite", "build", "--logLevel", "error");
  await built(t, `${folder}/dist`, EVERY, 1);
  await tested("Vite (build)", "vite", WITH_WORKER);
  await shows(t, await started(["vite", "--host", "127.0.0.1"]), EVERY, 1);
  await tested("Vite (development)", "vite", WITH_WORKER);
});

test("webpack builds the page", options, async (t) => {
  const { folder, run, tested } = await newcomer(t, TOOLS, EVERY_ENTRY);
  await run("webpack", "./main.js", "--mode", "production");
  await built(t, `${folder}/dist`, EVERY, 1, CLASSIC);
  await tested("webpack", "webpack", WITH_WORKER);
});

test("esbuild builds a page of one file, and a program", options, async (t) => {
  const { folder, run, tested } = await newcomer(t, TOOLS, [...PAGE, "program.js"]);
  await run("esbuild", "main.js", "--bundle", "--log-level=error", "--outfile=dist/main.js");
  await built(t, `${folder}/dist`, BOTH, 0, CLASSIC);
  await run("esbuild", "main.js", "--bundle", "--log-level=error", "--minify", "--format=esm", "--outdir=dist/module");
  await built(t, `${folder}/dist/module`, BOTH, 0, MODULE);
  for (const [file, format] of Object.entries({ "node.cjs": "cjs", "node.mjs": "esm" })) {
    const outfile = `${folder}/dist/${file}`;
    const to = [`--format=${format}`, `--outfile=${outfile}`];
    await run("esbuild", "program.js", "--bundle", "--platform=node", "--log-level=error", ...to);
    assert.equal(await run(process.execPath, outfile), `${BOTH}\n`);
  }
  await tested("esbuild", "esbuild", `a page of one file, a program for Node; ${INSIDE}`);
});

test("bun build: a page of one file, a page from its HTML, and programs", options, async (t) => {
  const { folder, run } = await newcomer(t, TOOLS, [...PAGE, "program.js"]);
  await run(bun, "build", "main.js", "--outdir=dist");
  await built(t, `${folder}/dist`, BOTH, 0, MODULE);
  await run(bun, "build", "main.js", "--production", "--outdir=production");
  await built(t, `${folder}/production`, BOTH, 0, MODULE);
  await run(bun, "build", "index.html", "--outdir=html");
  await built(t, `${folder}/html`, BOTH, 0);
  for (const [target, program] of Object.entries({ bun, node: process.execPath })) {
    await run(bun, "build", "program.js", `--target=${target}`, `--outdir=${target}`);
    assert.equal(await run(program, `${folder}/${target}/program.js`), `${BOTH}\n`);
  }
  await testedOn(
    "bun build",
    await versionOf(bun),
    `a page of one file, programs for Bun and Node; ${INSIDE}`,
    "bundlers",
  );
});

test("Rollup builds the page with its plugins", options, async (t) => {
  const { folder, run, tested } = await newcomer(t, TOOLS, PAGE);
  const named = ["-p", "node-resolve={browser:true}", "-p", "@web/rollup-plugin-import-meta-assets"];
  await run("rollup", "main.js", "--silent", "--format", "es", "--dir", "dist", ...named);
  await built(t, `${folder}/dist`, BOTH, 0, MODULE);
  await tested("Rollup", "rollup", "the page, with a plugin for assets; `fit` in the page");
});

test("Node, Bun and Deno run a program", async (t) => {
  const { folder, tarball, run } = await newcomer(t, [], ["both.js", "program.js"]);
  assert.equal(await run(process.execPath, "program.js"), `${BOTH}\n`);
  assert.equal(await run(deno, "run", "--quiet", "--allow-read", "program.js"), `${BOTH}\n`);
  await run(process.execPath, "-e", `fs.rmSync("node_modules", { recursive: true }); fs.rmSync("package.json")`);
  await run(bun, "add", `./${tarball}`);
  assert.equal(await run(bun, "run", `${folder}/program.js`), `${BOTH}\n`);
  for (const [name, program] of Object.entries({ Bun: bun, Deno: deno, Node: process.execPath })) {
    await testedOn(name, await versionOf(program), "a program", "bundlers");
  }
});
