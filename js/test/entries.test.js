import assert from "node:assert/strict";
import { access, readFile } from "node:fs/promises";
import { test } from "node:test";
import * as main from "ctxfold";
import * as core from "ctxfold/core";
import * as inline from "ctxfold/inline";

const manifest = JSON.parse(await readFile(new URL("../package.json", import.meta.url), "utf8"));

test("the inline entry holds the module that the package ships", async () => {
  const module = await inline.load();
  assert.equal(await inline.load(), module);
  const answer = new TextDecoder().decode(module.call("info", "{}"));
  assert.equal(answer, new TextDecoder().decode((await main.load()).call("info", "{}")));
});

test("the core entry wants a module and takes any", async () => {
  await assert.rejects(core.load(), { code: "load_failed", message: /ctxfold\/core has no module of its own/ });
  await assert.rejects(core.createCompactor().compact([]), { code: "load_failed" });
  const module = await core.load(await readFile(new URL("../ctxfold.wasm", import.meta.url)));
  assert.equal(core.createCompactor({ module }).info().name, "ctxfold");
});

test("every entry exports the same names, but the worker's, which needs no load", async () => {
  const names = Object.keys(main).sort();
  assert.deepEqual(Object.keys(core).sort(), names);
  assert.deepEqual(Object.keys(inline).sort(), names);
  const { load: _, ...rest } = main;
  assert.deepEqual(Object.keys(await import("ctxfold/worker")).sort(), Object.keys(rest).sort());
  for (const file of ["index", "development", "slim", "slim-node"]) {
    assert.deepEqual(Object.keys(await import(`../dist/${file}.js`)).sort(), names, file);
  }
  for (const file of ["workerd", "edge-light"]) {
    const text = await readFile(new URL(`../dist/${file}.js`, import.meta.url), "utf8");
    assert.match(
      text,
      /const load\b.*const createCompactor\b.*const createFitter\b.*const fit\b.*const preload\b/s,
      file,
    );
  }
});

test("conditions stand in the order in which platforms must find them, and each is a file", async () => {
  for (const conditions of Object.values(manifest.exports)) {
    const paths = typeof conditions === "string" ? [conditions] : Object.values(conditions);
    for (const path of paths) await access(new URL(`../${path}`, import.meta.url));
  }
  assert.deepEqual(Object.keys(manifest.exports["."]), [
    "types",
    "workerd",
    "edge-light",
    "node",
    "bun",
    "deno",
    "production",
    "development",
    "default",
  ]);
});

test("a tool gets a module beside the code, inside it, or both, by what it names", () => {
  const { production, development, default: others } = manifest.exports["."];
  assert.deepEqual([production, development, others], ["./dist/index.js", "./dist/development.js", "./dist/inline.js"]);
});

test("where the file is missing the module inside is loaded once, and the file is not asked for again", async (t) => {
  const asked = t.mock.method(globalThis, "fetch", async () => new Response("<!doctype html>", { status: 404 }));
  const development = await import("../dist/development.js");
  const [one, two] = await Promise.all([development.load(), development.load()]);
  assert.equal(one, two);
  assert.equal(await development.load(), one);
  assert.equal(asked.mock.callCount(), 1);
  assert.equal(development.createCompactor({ module: one }).info().name, "ctxfold");
  const index = await import("../dist/index.js");
  await assert.rejects(index.load(), { code: "load_failed", message: /status 404.*import ctxfold\/inline/ });
});

test("who does not read exports gets the entry for browsers: Parcel does not, and Node does", () => {
  assert.equal(manifest.main, manifest.exports["."].production);
  assert.equal(manifest.browser, undefined);
});
