import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { noBrowser, openPage } from "./support/browser.js";
import { packedInto } from "./support/packed.js";
import { files, serve } from "./support/server.js";
import { testedOn } from "./support/tested-on.js";

const root = fileURLToPath(new URL("../fixtures/bundlers", import.meta.url));
const dist = `${root}/dist`;
const installed = createRequire(`${root}/package.json`);

/** A row of the README. @param {string} name @param {string} what @param {string} [id] the package */
async function builtWith(name, what, id = name.toLowerCase()) {
  const { version } = JSON.parse(await readFile(`${root}/node_modules/${id}/package.json`, "utf8"));
  await testedOn(name, version, what, "bundlers");
}

/** A package of the fixture. @param {string} name @returns {Promise<any>} */
const tool = async (name) => import(pathToFileURL(installed.resolve(name)).href);

before(() => packedInto("bundlers"));

/**
 * Opens the page at an address and waits for what it shows.
 * @param {import("node:test").TestContext} t @param {string} address @param {string} expected
 */
async function shows(t, address, expected) {
  const page = await openPage(t);
  await page.goto(address);
  const status = page.getByRole("status");
  await status
    .filter({ hasText: "main:" })
    .or(status.filter({ hasText: "inline:" }))
    .waitFor();
  assert.equal(await status.textContent(), expected);
}

/** Serves what a bundler has written; bundlers that write no page get one. @param {import("node:test").TestContext} t @param {string} name @param {string} expected */
async function built(t, name, expected, script = "") {
  const folder = `${dist}/${name}`;
  if (script) {
    const page = `<!doctype html><link rel="icon" href="data:,"><p role="status"></p><script type="module" src="${script}"></script>`;
    await writeFile(`${folder}/index.html`, page);
  }
  await shows(t, `${await serve(t, files(pathToFileURL(`${folder}/`)))}/`, expected);
}

const BOTH = "main: compacted, worker: compacted, fit: compacted, models: unavailable";

test("Vite builds it, with the worker", { skip: noBrowser, timeout: 120_000 }, async (t) => {
  const { build } = await tool("vite");
  await build({ root, logLevel: "error", build: { outDir: `${dist}/vite`, emptyOutDir: true } });
  await built(t, "vite", BOTH);
  await builtWith("Vite (build)", "the page, with `/worker`, `fit`, models in the browser", "vite");
});

test("Vite serves it in development, with the worker", { skip: noBrowser, timeout: 120_000 }, async (t) => {
  const { createServer } = await tool("vite");
  const server = await createServer({ root, logLevel: "error", server: { host: "127.0.0.1", port: 0 } });
  t.after(() => server.close());
  await server.listen();
  await shows(t, `http://127.0.0.1:${server.httpServer.address().port}/`, BOTH);
  await builtWith("Vite (development)", "the page, with `/worker`, `fit`, models in the browser", "vite");
});

test("webpack builds it, with the worker", { skip: noBrowser, timeout: 120_000 }, async (t) => {
  const { default: webpack } = await tool("webpack");
  const output = { path: `${dist}/webpack`, filename: "main.js", clean: true };
  const options = { context: root, entry: "./src/main.js", mode: "production", performance: false, output };
  const stats = await new Promise((done, failed) => {
    webpack(options, (/** @type {unknown} */ error, /** @type {any} */ result) =>
      error ? failed(error) : done(result),
    );
  });
  assert.equal(stats.hasErrors() || stats.hasWarnings(), false, stats.toString());
  await built(t, "webpack", BOTH, "main.js");
  await builtWith("webpack", "the page, with `/worker`, `fit`, models in the browser");
});

test("Rollup builds it with its plugin for assets", { skip: noBrowser, timeout: 120_000 }, async (t) => {
  const { rollup } = await tool("rollup");
  const { nodeResolve } = await tool("@rollup/plugin-node-resolve");
  const { importMetaAssets } = await tool("@web/rollup-plugin-import-meta-assets");
  const plugins = [nodeResolve({ browser: true }), importMetaAssets()];
  const onwarn = (/** @type {{message: string}} */ { message }) => assert.fail(message);
  const bundle = await rollup({ input: `${root}/src/no-worker.js`, plugins, onwarn });
  await bundle.write({ dir: `${dist}/rollup`, format: "es", entryFileNames: "main.js" });
  await bundle.close();
  await built(t, "rollup", "main: compacted", "main.js");
  await builtWith("Rollup", "the page, with a plugin for assets");
});

test("esbuild builds it with the module inside", { skip: noBrowser, timeout: 120_000 }, async (t) => {
  const { build } = await tool("esbuild");
  const entryPoints = [`${root}/src/no-assets.js`];
  await build({ entryPoints, outfile: `${dist}/esbuild/main.js`, bundle: true, format: "esm", minify: true });
  await built(t, "esbuild", "inline: compacted", "main.js");
  await builtWith("esbuild", "the page, with `/inline`");
});
