import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { noSlim } from "./support/slim.js";
import { row, updating, write } from "./support/tested-on.js";

const js = fileURLToPath(new URL("..", import.meta.url));
const installed = createRequire(`${js}fixtures/runtimes/package.json`);
/** The SDKs are the app's own. */
const external = ["node:crypto", "ai", "openai", "@anthropic-ai/sdk", "@langchain/core/*", "react"];

/** @type {[name: string, file: string][]} */
const ENTRIES = [
  ["`ctxfold`", "index"],
  ["`ctxfold/core`", "core"],
  ["`ctxfold/worker`, the page", "worker"],
  ["`ctxfold/worker`, the worker", "worker-thread"],
  ["`ctxfold/ai-sdk`", "adapters/ai-sdk"],
  ["`ctxfold/anthropic`", "adapters/anthropic"],
  ["`ctxfold/chrome`", "adapters/chrome"],
  ["`ctxfold/langchain`", "adapters/langchain"],
  ["`ctxfold/openai`", "adapters/openai"],
  ["`ctxfold/postgres`", "adapters/postgres"],
  ["`ctxfold/react`", "adapters/react"],
  ["`ctxfold/redis`", "adapters/redis"],
  ["`ctxfold/shared`", "shared"],
  ["`ctxfold/slim`", "slim"],
  ["`ctxfold/transformers`", "adapters/transformers"],
  ["`ctxfold/webllm`", "adapters/webllm"],
];

const written = (/** @type {number} */ bytes) => bytes.toLocaleString("en-US");
const read = (/** @type {string | undefined} */ cell) => Number((cell ?? "").replaceAll(",", ""));

test("what a page loads is as large as docs/start/platforms.md says", async () => {
  const { build } = await import(pathToFileURL(installed.resolve("esbuild")).href);
  const alias = { ctxfold: `${js}dist/index.js` };
  for (const [name, file] of ENTRIES) {
    const { outputFiles } = await build({
      entryPoints: [`${js}dist/${file}.js`],
      bundle: true,
      minify: true,
      write: false,
      format: "esm",
      external,
      alias,
    });
    const bytes = outputFiles[0].contents;
    if (updating) {
      await write("sizes", name, ...[bytes, gzipSync(bytes), brotliCompressSync(bytes)].map((b) => written(b.length)));
    }
    const [size] = (await row("sizes", name)) ?? [];
    const part = bytes.length / read(size);
    assert.ok(part > 0.8 && part < 1.2, `${name} is ${bytes.length} bytes, not ${size}: run npm run tested-on`);
  }
});

/** @param {string} file */
async function module(file) {
  const name = `\`${file}\``;
  const bytes = await readFile(`${js}${file}`);
  if (updating) {
    await write("sizes", name, ...[bytes, gzipSync(bytes), brotliCompressSync(bytes)].map((b) => written(b.length)));
  }
  const [, gzip] = (await row("sizes", name)) ?? [];
  // Sizes are compressed, because the snapshot of the memory is mostly zeros.
  const part = gzipSync(bytes).length / read(gzip);
  assert.ok(part > 0.8 && part < 1.2, `${file} is ${part} times of ${gzip} bytes: run npm run tested-on`);
}

test("the module is as large as docs/start/platforms.md says", () => module("ctxfold.wasm"));

test("and the slim one", { skip: noSlim }, () => module("ctxfold-slim.wasm"));

test("the sizes in the text of pages are those of the files", async () => {
  // Level 11 takes half a minute of a processor. Its gain over level 9 is the same for every module of this kind.
  const measured = JSON.parse(await readFile(`${js}../bench/results.json`, "utf8")).module;
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 24 };
  const packed = brotliCompressSync(await readFile(`${js}ctxfold.wasm`), { params }).length;
  const module = (packed * measured.brotli) / measured.brotli9 / 1e6;
  const inside = (await readFile(`${js}dist/inline-module.js`)).length / 1e6;
  for (const [page, sentence, size] of /** @type {const} */ ([
    ["../README.md", /The module is ([\d.]+) MB compressed/, module],
    ["README.md", /The module is ([\d.]+) MB compressed/, module],
    ["../docs/start/platforms.md", /the module inside, ([\d.]+) MB of code/, inside],
  ])) {
    const [, told] = (await readFile(`${js}${page}`, "utf8")).match(sentence) ?? [];
    const part = size / Number(told);
    assert.ok(part > 0.95 && part < 1.05, `${page} says ${told}, and it is ${size.toFixed(2)}`);
  }
});
