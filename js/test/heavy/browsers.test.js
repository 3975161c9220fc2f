// Tests Firefox and WebKit as packaged by Debian. make test-js-long installs and runs them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { OTHER_BROWSERS } from "../support/other-browsers.js";
import { files, serve } from "../support/server.js";
import { session as talk, tight } from "../support/session.js";
import { testedOn } from "../support/tested-on.js";
import { names, vectors } from "../support/vectors.js";

const root = new URL("../../../", import.meta.url);
const blank = "/js/test/support/page.html";
const WHAT = "vectors in a page and in a worker, compaction, `/worker`, IndexedDB";

/**
 * The function that a page runs. It is sent as text, so it can use nothing but its arguments.
 * @param {{files: string[], messages: any[], policy: object}} given
 */
async function inPage({ files, messages, policy }) {
  const at = location.origin;
  const { load, createCompactor, indexedDBStore } = await import(/** @type {any} */ (`${at}/js/dist/index.js`));
  const worker = await import(/** @type {any} */ (`${at}/js/dist/worker.js`));
  const { conform } = await import(/** @type {any} */ (`${at}/js/test/support/conformance.js`));
  const parts = files.map(async (name) => (await fetch(`${at}/testdata/vectors/${name}`)).json());
  const vectors = (await Promise.all(parts)).flat();
  const page = conform(await load(), vectors);

  const source = `import { load } from "${at}/js/dist/index.js"; import { conform } from "${at}/js/test/support/conformance.js";
    onmessage = async ({ data }) => postMessage(conform(await load(), data));`;
  const thread = new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })), { type: "module" });
  const inWorker = await new Promise((answer, failed) => {
    thread.onmessage = ({ data }) => answer(data);
    thread.onerror = failed;
    thread.postMessage(vectors);
  });

  const store = indexedDBStore("ctxfold-test");
  const here = await createCompactor({ policy, store }).compact(messages);
  const remote = worker.createCompactor({ policy });
  const held = remote.session(messages);
  const there = await held.compact();
  remote.close();
  const { handle } = here.report.actions.length ? (here.archive[0] ?? {}) : {};
  return {
    page,
    inWorker,
    reasons: [here.report.reason, there.report.reason],
    kept: typeof (await store.get(handle)) === "string",
  };
}

/** @param {any} result */
function allRight({ page, inWorker, reasons, kept }) {
  for (const { passed, failures } of [page, inWorker]) {
    assert.deepEqual(failures, []);
    assert.equal(passed, vectors.length);
  }
  assert.deepEqual(reasons, ["compacted", "compacted"]);
  assert.equal(kept, true);
}

const given = { files: names, messages: talk(20), policy: { ...tight, format: "openai-chat" } };

for (const { name, skip, open } of OTHER_BROWSERS) {
  test(name, { skip }, async (t) => {
    const page = await open(t);
    await page.goto((await serve(t, files(root))) + blank);
    allRight(await page.evaluate(inPage, given));
    await testedOn(name, page.version, WHAT);
  });
}
