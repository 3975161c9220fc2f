import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";
import { load } from "ctxfold";
import { noBrowser, openPage } from "./support/browser.js";
import { conform } from "./support/conformance.js";
import { files, serve } from "./support/server.js";

const root = new URL("../../", import.meta.url);
const folder = new URL("testdata/vectors/", root);

/** @type {import("./support/conformance.js").Vector[]} */
const vectors = [];
const names = (await readdir(folder)).filter((name) => name.endsWith(".json")).sort();
for (const name of names) {
  vectors.push(...JSON.parse(await readFile(new URL(name, folder), "utf8")));
}

/** @param {{passed: number, failures: string[]}} result */
function allPassed({ passed, failures }) {
  assert.equal(failures.length, 0, `${failures.length} failed, such as:\n${failures.slice(0, 5).join("\n")}`);
  assert.equal(passed, vectors.length);
}

test("there are vectors", () => assert.ok(vectors.length > 0, `no vectors in ${folder}`));

test("Node gives the answers of the vectors, byte for byte", async () => {
  allPassed(conform(await load(), vectors));
});

test("a wrong answer is seen", async () => {
  const info = { name: "wrong", op: "info", request: "{}", answer: `{"name":"other"}` };
  const { passed, failures } = conform(await load(), [info]);
  assert.equal(passed, 0);
  assert.match(failures[0], /^wrong: byte \d+ of info/);
});

test("Chromium gives the answers of the vectors, byte for byte", { skip: noBrowser }, async (t) => {
  const page = await openPage(t);
  const address = await serve(t, files(root));
  await page.goto(`${address}/js/test/support/page.html`);
  const result = await page.evaluate(async (files) => {
    const { load } = await import(/** @type {any} */ ("/js/dist/index.js"));
    const { conform } = await import(/** @type {any} */ ("/js/test/support/conformance.js"));
    const parts = files.map(async (name) => (await fetch(`/testdata/vectors/${name}`)).json());
    return conform(await load(), (await Promise.all(parts)).flat());
  }, names);
  allPassed(result);
});
