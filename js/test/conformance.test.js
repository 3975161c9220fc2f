import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "ctxfold";
import { noBrowser, openPage } from "./support/browser.js";
import { conform } from "./support/conformance.js";
import { full, noFull } from "./support/full.js";
import { files, serve } from "./support/server.js";
import { testedOn } from "./support/tested-on.js";
import { all, names, vectors } from "./support/vectors.js";

const root = new URL("../../", import.meta.url);

/** @param {{passed: number, failures: string[]}} result */
function allPassed({ passed, failures }) {
  assert.equal(failures.length, 0, `${failures.length} failed, such as:\n${failures.slice(0, 5).join("\n")}`);
  assert.equal(passed, vectors.length);
}

test("there are vectors", () => assert.ok(vectors.length > 0, `no vectors`));

test("Node gives the answers of the vectors, byte for byte", async () => {
  allPassed(conform(await load(), vectors));
});

test("Node gives the answers of all vectors in the full module, byte for byte", { skip: noFull }, async () => {
  const { passed, failures } = conform(await load(full), all);
  assert.equal(failures.length, 0, failures.slice(0, 5).join("\n"));
  assert.equal(passed, all.length);
});

test("a wrong answer is seen", async () => {
  const info = { name: "wrong", op: "info", request: "{}", answer: `{"name":"other"}` };
  const { passed, failures } = conform(await load(), [info]);
  assert.equal(passed, 0);
  assert.match(failures[0], /^wrong: byte \d+ of info/);
});

/** The function that a page or a worker runs. @param {string[]} files */
async function run(files) {
  const { load } = await import(/** @type {any} */ (`${location.origin}/js/dist/index.js`));
  const { conform } = await import(/** @type {any} */ (`${location.origin}/js/test/support/conformance.js`));
  const parts = files.map(async (name) => (await fetch(`${location.origin}/testdata/vectors/${name}`)).json());
  return conform(await load(), (await Promise.all(parts)).flat());
}

test("Chromium gives the answers of the vectors, byte for byte, in a page and in a worker", {
  skip: noBrowser,
}, async (t) => {
  const page = await openPage(t);
  const address = await serve(t, files(root));
  await page.goto(`${address}/js/test/support/page.html`);
  allPassed(await page.evaluate(run, names));
  const source = run.toString().replaceAll("location.origin", JSON.stringify(address));
  const inWorker = await page.evaluate(
    ([source, names]) => {
      const code = `(${source})(${names}).then(postMessage)`;
      const worker = new Worker(URL.createObjectURL(new Blob([code], { type: "text/javascript" })), { type: "module" });
      return new Promise((answer, failed) => {
        worker.onmessage = ({ data }) => answer(data);
        worker.onerror = failed;
      });
    },
    [source, JSON.stringify(names)],
  );
  allPassed(inWorker);
  const version = page.context().browser()?.version() ?? "";
  await testedOn("Chromium", version, "vectors in a page and in a worker, compaction, `/worker`");
});
