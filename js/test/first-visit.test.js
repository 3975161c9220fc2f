// Checks that a page's first call loads only the code that it needs if the conversation fits.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { noBrowser, openPage } from "./support/browser.js";
import { newcomer } from "./support/newcomer.js";
import { files, serve } from "./support/server.js";

/** The maximum number of bytes, compressed with gzip, that a page may load. */
const MOST = 12 * 1024;

/** Pages by the entry that they import. Each makes `run(messages)` a function of the page. */
const PAGES = {
  fit: `import { fit } from "ctxfold"; globalThis.run = (messages) => fit(messages, { window: 16_000 });`,
  slim: `import { fit } from "ctxfold/slim"; globalThis.run = (messages) => fit(messages, { window: 16_000 });`,
  openai: `import { compactingFetch } from "ctxfold/openai";
    globalThis.run = (messages) => compactingFetch({ window: 16_000 }, () => new Response("{}"))(
      "https://api/chat/completions", { method: "POST", body: JSON.stringify({ model: "m", messages }) });`,
};

/** @typedef {{file: string, isEntry?: boolean, imports?: string[]}} Chunk */

/** Returns the files that a page loads before any call. @param {Record<string, Chunk>} manifest */
function first(manifest) {
  /** @type {Set<string>} */
  const loaded = new Set();
  /** @param {Chunk | undefined} chunk */
  const load = (chunk) => {
    if (!chunk || loaded.has(chunk.file)) return;
    loaded.add(chunk.file);
    for (const name of chunk.imports ?? []) load(manifest[name]);
  };
  load(Object.values(manifest).find(({ isEntry }) => isEntry));
  return [...loaded];
}

/** @typedef {{folder: string, loaded: string[]}} Built */

/** The folders that Vite has built, and the files that each page loads before any call. @type {Record<string, Built>} */
const built = {};
let end = async () => {};
before(async () => {
  const { folder, run } = await newcomer(
    {
      after: (work) => {
        end = work;
      },
    },
    ["vite@8.3.8"],
    [],
  );
  for (const [name, main] of Object.entries(PAGES)) {
    await writeFile(`${folder}/main.js`, main);
    await writeFile(
      `${folder}/index.html`,
      `<link rel="icon" href="data:,"><script type="module" src="main.js"></script>`,
    );
    await run("vite", "build", "--manifest", "--logLevel", "error", "--outDir", name);
    const manifest = JSON.parse(await readFile(`${folder}/${name}/.vite/manifest.json`, "utf8"));
    built[name] = { folder: `${folder}/${name}`, loaded: first(manifest) };
  }
});
after(() => end());

test("what a page loads for a conversation that fits is small", async (t) => {
  for (const [name, { folder, loaded }] of Object.entries(built)) {
    let bytes = 0;
    for (const file of loaded) bytes += gzipSync(await readFile(`${folder}/${file}`), { level: 9 }).length;
    t.diagnostic(`${name}: ${bytes} bytes of gzip in ${loaded.length} files`);
    assert.ok(bytes <= MOST, `${name}: ${bytes} bytes of gzip`);
  }
});

test("a page loads the rest when a conversation comes near its limit", { skip: noBrowser }, async (t) => {
  const { folder, loaded } = built.fit ?? assert.fail();
  const page = await openPage(t);
  /** @type {string[]} */
  const asked = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await page.goto(`${await serve(t, files(pathToFileURL(`${folder}/`)))}/`);
  await page.waitForFunction(() => "run" in globalThis);
  /** @param {number} bytes */
  const reason = (bytes) =>
    page.evaluate(async (bytes) => {
      const { run } = /** @type {any} */ (globalThis);
      return (await run([{ role: "user", content: "x".repeat(bytes) }])).report.reason;
    }, bytes);
  assert.equal(await reason(1000), "under_budget");
  await page.waitForTimeout(1500);
  const scripts = asked.filter((path) => path !== "/");
  assert.deepEqual(scripts.sort(), loaded.map((file) => `/${file}`).sort());
  const module = page.waitForRequest(/\.wasm$/);
  assert.equal(await reason(8000), "under_budget");
  await module;
});
