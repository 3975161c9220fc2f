import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { noBrowser, openPage } from "./support/browser.js";
import { files, serve } from "./support/server.js";
import { session, summary, tight } from "./support/session.js";

const root = new URL("../../", import.meta.url);
const wasm = await readFile(new URL("../ctxfold.wasm", import.meta.url));
const blank = "/js/test/support/page.html";

/** How a test's server answers requests for the module, instead of with the file. @type {Record<string, (response: import("node:http").ServerResponse) => void>} */
const modules = {
  "?type": (response) => response.writeHead(200, { "content-type": "application/octet-stream" }).end(wasm),
  "?html": (response) => response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html>"),
  "?missing": (response) => response.writeHead(404).end(),
};

/**
 * A blank page of a server that serves the repository.
 * @param {import("node:test").TestContext} t
 * @param {Record<string, string>} headers of the page
 */
async function open(t, headers = {}) {
  const page = await openPage(t);
  const listener = files(root, (path, response) => {
    if (path === blank) for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    const answer = path.startsWith("/js/ctxfold.wasm?") && modules[path.slice(path.indexOf("?"))];
    if (answer) answer(response);
    return Boolean(answer);
  });
  await page.goto((await serve(t, listener)) + blank);
  return page;
}

test("a page compacts live messages with the package's own module", { skip: noBrowser }, async (t) => {
  const page = await open(t);
  const result = await page.evaluate(
    async ({ messages, policy, summary }) => {
      const { createCompactor } = await import(/** @type {any} */ ("/js/dist/index.js"));
      const compactor = createCompactor({ policy, summarize: async () => summary });
      const done = await compactor.compact(messages);
      const again = await compactor.compact(done.messages);
      return { ...done, kept: done.messages[0] === messages[0], same: again.messages === done.messages };
    },
    { messages: session(20), policy: tight, summary },
  );
  assert.equal(result.report.reason, "compacted");
  assert.equal(result.report.summary.source, "model");
  assert.ok(result.kept);
  assert.ok(result.same);
});

test("a worker does the same", { skip: noBrowser }, async (t) => {
  const page = await open(t);
  const result = await page.evaluate(
    async ({ messages, policy }) => {
      const source = `
        import { createCompactor } from "${location.origin}/js/dist/index.js";
        onmessage = async ({ data }) => postMessage((await createCompactor({ policy: data.policy }).compact(data.messages)).report);
      `;
      const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
      const worker = new Worker(url, { type: "module" });
      worker.postMessage({ messages, policy });
      return new Promise((answer, failed) => {
        worker.onmessage = ({ data }) => answer(data);
        worker.onerror = failed;
      });
    },
    { messages: session(20), policy: tight },
  );
  assert.equal(result.reason, "compacted");
});

test("ctxfold/worker compacts off the page, and the page's own objects come back", { skip: noBrowser }, async (t) => {
  const page = await open(t);
  const result = await page.evaluate(
    async ({ messages, policy, summary }) => {
      const { createCompactor } = await import(/** @type {any} */ ("/js/dist/worker.js"));
      const compactor = createCompactor({ policy, module: "/js/ctxfold.wasm", summarize: async () => summary });
      const done = await compactor.compact(messages);
      const bytes = new TextEncoder().encode(JSON.stringify(messages));
      const check = await compactor.check(bytes);
      compactor.close();
      return { report: done.report, kept: done.messages[0] === messages[0], due: check.due, given: bytes.length };
    },
    { messages: session(20), policy: tight, summary },
  );
  assert.equal(result.report.summary.source, "model");
  assert.ok(result.kept && result.due);
  assert.ok(result.given > 0, "the caller's bytes stay the caller's");
});

test("the module is taken from a server that gives it the wrong type", { skip: noBrowser }, async (t) => {
  const page = await open(t);
  const version = await page.evaluate(async () => {
    const { load, createCompactor } = await import(/** @type {any} */ ("/js/dist/index.js"));
    return createCompactor({ module: await load("/js/ctxfold.wasm?type") }).info().version;
  });
  assert.match(version, /^\d+\.\d+\.\d+$/);
});

test("what goes wrong with the module is told with its cure", { skip: noBrowser }, async (t) => {
  /** @param {import("playwright-core").Page} page @param {string} url */
  const failure = (page, url) =>
    page.evaluate(async (url) => {
      const { load } = await import(/** @type {any} */ ("/js/dist/index.js"));
      return load(url).then(
        () => "loaded",
        (/** @type {any} */ error) => `${error.code}: ${error.message}`,
      );
    }, url);
  const page = await open(t);
  assert.match(await failure(page, "/js/ctxfold.wasm?html"), /^invalid_module: .*3c 21 64 6f.*optimizeDeps\.exclude/s);
  assert.match(await failure(page, "/js/ctxfold.wasm?missing"), /^load_failed: .*status 404/s);
  assert.match(await failure(page, "http://127.0.0.1:1/ctxfold.wasm"), /^load_failed: .*cannot be read/s);

  const strict = await open(t, { "content-security-policy": "script-src 'self' 'unsafe-inline'" });
  assert.match(await failure(strict, "/js/ctxfold.wasm"), /^invalid_module: .*needs script-src 'wasm-unsafe-eval'/s);
});

test("the browser example compacts the sample", { skip: noBrowser }, async (t) => {
  const page = await openPage(t);
  await page.goto(`${await serve(t, files(root))}/examples/browser/`);
  const result = page.getByRole("status");
  await result.filter({ hasText: `"due": true` }).waitFor();
  await page.getByRole("button", { name: "Compact the session" }).click();
  await result.filter({ hasText: `"reason": "compacted"` }).waitFor();
  const report = JSON.parse((await result.textContent()) ?? "");
  assert.ok(report.tokens.after < report.tokens.before);
  assert.equal(report.summary.source, "model");
  await page.getByRole("button", { name: "Compact the session" }).click();
  await result.filter({ hasText: `"reason": "under_budget"` }).waitFor();
});
