import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { LIMIT, noBrowser, openPage } from "./support/browser.js";
import { files, serve } from "./support/server.js";
import { session, summary, tight } from "./support/session.js";

const root = new URL("../../", import.meta.url);
const wasm = await readFile(new URL("../ctxfold.wasm", import.meta.url));
const blank = "/js/test/support/page.html";

/**
 * Ways in which the test server answers requests for the module, instead of sending the file.
 * @type {Record<string, (response: import("node:http").ServerResponse) => void>}
 */
const modules = {
  "?type": (response) => response.writeHead(200, { "content-type": "application/octet-stream" }).end(wasm),
  "?html": (response) => response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html>"),
  "?missing": (response) => response.writeHead(404).end(),
};

/**
 * Opens a blank page from a server that serves the repository.
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

/**
 * Returns the result of `fit` in a page, and whether a worker did the work.
 * @param {import("playwright-core").Page} page
 * @param {object} options
 */
async function fitted(page, options = {}) {
  const result = await page.evaluate(
    async ({ messages, options }) => {
      const { fit, preload } = await import(/** @type {any} */ ("/js/dist/index.js"));
      const loaded = await preload(options);
      const done = await fit(messages, { window: 8000, format: "openai-chat", ...options });
      const again = await fit(messages, { window: 8000, format: "openai-chat", ...options });
      return { loaded, reason: done.report.reason, kept: done.messages.at(-1) === messages.at(-1), known: again.known };
    },
    { messages: session(20), options },
  );
  assert.deepEqual(result, { loaded: true, reason: "compacted", kept: true, known: true });
  return page.workers().length;
}

test("fit computes in a worker, unless it is told not to", { skip: noBrowser }, async (t) => {
  assert.equal(await fitted(await open(t)), 1);
  assert.equal(await fitted(await open(t), { worker: false }), 0);
  assert.equal(await fitted(await open(t), { module: "/js/ctxfold.wasm?type" }), 1);
});

test("fit computes in the page where no worker can be had", { skip: noBrowser }, async (t) => {
  const csp = "script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'";
  assert.equal(await fitted(await open(t, { "content-security-policy": csp })), 1);
  assert.equal(await fitted(await open(t, { "content-security-policy": `${csp}; worker-src 'none'` })), 0);
  // A bundler has not copied the worker's file.
  const lost = await open(t);
  await lost.route("**/worker-thread.js", (route) => route.fulfill({ status: 404, body: "" }));
  assert.equal(await fitted(lost), 0);
  const page = await open(t);
  const reason = await page.evaluate(
    async ({ messages }) => {
      const { fit, load } = await import(/** @type {any} */ ("/js/dist/index.js"));
      return (await fit(messages, { window: 8000, format: "openai-chat", module: await load() })).report.reason;
    },
    { messages: session(20) },
  );
  assert.deepEqual([reason, page.workers().length], ["compacted", 0]);
});

test("a module that cannot be had is told by fit, and not by preload", { skip: noBrowser }, async (t) => {
  const page = await open(t);
  const result = await page.evaluate(async () => {
    const { fit, preload } = await import(/** @type {any} */ ("/js/dist/index.js"));
    const options = { module: "/js/ctxfold.wasm?missing", format: "openai-chat" };
    const loaded = await preload(options);
    const code = await fit([{ role: "user", content: "Hello?" }], options).catch(
      (/** @type {any} */ error) => error.code,
    );
    return [loaded, code];
  });
  assert.deepEqual(result, [false, "load_failed"]);
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
  assert.match(await failure(page, "/js/ctxfold.wasm?html"), /^invalid_module: .*3c 21 64 6f.*ctxfold\/inline/s);
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

test("two pages with one memory make a compaction once, and neither overwrites what the other remembers", {
  skip: noBrowser,
}, async (t) => {
  const page = await openPage(t);
  const context = await page.context().browser()?.newContext();
  assert.ok(context);
  context.setDefaultTimeout(LIMIT);
  const address = (await serve(t, files(root))) + blank;
  const pages = await Promise.all([context.newPage(), context.newPage()]);
  await Promise.all(pages.map((each) => each.goto(address)));
  const others = [session(20), session(20)].map((messages, i) => [
    { role: "user", content: `Another conversation, of page ${i}.` },
    ...messages,
  ]);
  const results = await Promise.all(
    pages.map((each, i) =>
      each.evaluate(
        async ({ both, own, window }) => {
          const { fit } = await import(/** @type {any} */ ("/js/dist/index.js"));
          const later = (/** @type {number} */ ms) => new Promise((done) => setTimeout(done, ms));
          // localStorage would not work: a value that one page writes may become visible to another one later, lock or not.
          /** @type {Promise<IDBDatabase>} */
          const database = new Promise((done, failed) => {
            const opening = indexedDB.open("memories", 1);
            opening.onupgradeneeded = () => opening.result.createObjectStore("memories");
            opening.onsuccess = () => done(opening.result);
            opening.onerror = () => failed(opening.error);
          });
          const store = async (
            /** @type {IDBTransactionMode} */ mode,
            /** @type {(s: IDBObjectStore) => IDBRequest} */ work,
          ) => {
            const asked = work((await database).transaction("memories", mode).objectStore("memories"));
            return new Promise((done, failed) => {
              asked.onsuccess = () => done(asked.result);
              asked.onerror = () => failed(asked.error);
            });
          };
          // It is as slow as a server, so that the calls of the pages interleave.
          const memory = {
            load: async (/** @type {string} */ key) => {
              const json = await store("readonly", (each) => each.get(key));
              await later(100);
              return json;
            },
            save: async (/** @type {string} */ key, /** @type {string} */ json) => {
              await later(100);
              await store("readwrite", (each) => each.put(json, key));
            },
          };
          const asked = { both: 0, own: 0 };
          const fitted = async (/** @type {object[]} */ history, /** @type {"both" | "own"} */ which) => {
            const summarize = async (/** @type {{id: string}} */ { id }) => {
              asked[which]++;
              await later(300);
              return `## Summary\nThe user asked what modules say (${id}).`;
            };
            return fit(history, { window, format: "openai-chat", memory, summarize });
          };
          const [shared] = await Promise.all([fitted(both, "both"), fitted(own, "own")]);
          const again = await fitted(own, "own");
          return { asked, sent: shared.messages, known: again.known };
        },
        { both: session(20), own: others[i] ?? [], window: tight.window.tokens },
      ),
    ),
  );
  const [first, second] = results;
  assert.deepEqual(first?.sent, second?.sent);
  const asked = results.map(({ asked: { both } }) => both).sort();
  assert.equal(asked[0], 0, `both pages asked for summaries of one conversation: ${asked}`);
  assert.ok((asked[1] ?? 0) > 0);
  assert.deepEqual(
    results.map(({ known }) => known),
    [true, true],
  );
  const [remembered] =
    (await pages[0]?.evaluate(
      () =>
        new Promise((done, failed) => {
          const opening = indexedDB.open("memories", 1);
          opening.onerror = () => failed(opening.error);
          opening.onsuccess = () => {
            const all = opening.result.transaction("memories").objectStore("memories").getAll();
            all.onsuccess = () => done(all.result);
            all.onerror = () => failed(all.error);
          };
        }),
    )) ?? [];
  assert.equal(
    JSON.parse(remembered).entries.length,
    3,
    "a compaction of the conversation of both, and one of each page's own",
  );
});

test("what fits remember in IndexedDB is there after a reload, and two pages lose none of it", {
  skip: noBrowser,
}, async (t) => {
  const context = await (await openPage(t)).context().browser()?.newContext();
  assert.ok(context);
  context.setDefaultTimeout(LIMIT);
  const first = await context.newPage();
  const pages = [first, await context.newPage()];
  const address = (await serve(t, files(root))) + blank;
  const histories = [0, 1].map((page) =>
    [0, 1, 2].map((n) => [
      { role: "user", content: `Conversation ${n} of page ${page}.` },
      { role: "assistant", content: `This is conversation ${n} of page ${page}.` },
      ...session(20),
    ]),
  );
  /** @param {import("playwright-core").Page} page @param {{role: string}[][]} histories */
  const fitted = async (page, histories) => {
    await page.goto(address);
    return page.evaluate(
      async ({ histories, window }) => {
        const { createFitter, indexedDBStore } = await import(/** @type {any} */ ("/js/dist/index.js"));
        const store = indexedDBStore();
        let asked = 0;
        const summarize = async () => {
          asked++;
          return "## Summary\nThe user asked what modules say.";
        };
        const fit = createFitter({ window, format: "openai-chat", memory: store, store, summarize });
        const all = await Promise.all(histories.map((history) => fit(history)));
        return { asked, known: all.map(({ known }) => known), sent: all.map(({ messages }) => messages) };
      },
      { histories, window: tight.window.tokens },
    );
  };
  const made = await Promise.all(pages.map((page, i) => fitted(page, histories[i] ?? [])));
  for (const { asked, known } of made) assert.deepEqual([asked >= 3, known], [true, [false, false, false]]);
  const after = await fitted(first, histories.flat()); // reloads the page
  assert.deepEqual([after.asked, after.known], [0, Array(6).fill(true)]);
  assert.deepEqual(
    after.sent,
    made.flatMap(({ sent }) => sent),
  );
});
