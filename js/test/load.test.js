import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { runInNewContext } from "node:vm";
import { CtxfoldModule, createCompactor, load } from "ctxfold";
import { moduleImporting } from "./support/binary.js";
import { serve } from "./support/server.js";

const file = new URL("../ctxfold.wasm", import.meta.url);
const bytes = await readFile(file);

/** Returns the version that a module reports, which shows that it runs. @param {CtxfoldModule} module */
const versionOf = (module) => createCompactor({ module }).info().version;

test("without a source it is the package's own module, loaded once", async () => {
  const [a, b] = await Promise.all([load(), load()]);
  assert.equal(a, b);
  assert.match(versionOf(a), /^\d+\.\d+\.\d+$/);
  assert.equal(await load(file), a);
});

test("a source may be bytes, a buffer, a compiled module, a URL or a promise", async () => {
  const sources = {
    bytes: new Uint8Array(bytes),
    buffer: new Uint8Array(bytes).buffer,
    module: await WebAssembly.compile(bytes),
    url: new URL("?copy", file),
    promise: readFile(file),
    "promise of a url": Promise.resolve(file),
    "url text": file.href,
    response: new Response(bytes, { headers: { "content-type": "application/wasm" } }),
    "response of another type": new Response(bytes, { headers: { "content-type": "application/octet-stream" } }),
    "loaded module": await load(),
  };
  for (const [name, source] of Object.entries(sources)) {
    const module = await load(source);
    assert.ok(versionOf(module), name);
    assert.equal(await load(source), module, `${name} is loaded once`);
  }
});

test("a module of another realm is known, though it fails instanceof", async () => {
  const foreign = runInNewContext("new WebAssembly.Module(bytes)", { bytes });
  assert.ok(!(foreign instanceof WebAssembly.Module));
  assert.ok(versionOf(await load(foreign)));
});

test("a module is fetched by URL, and a load that failed is tried again", async (t) => {
  let requests = 0;
  const address = await serve(t, (_request, response) => {
    requests++;
    if (requests === 1) response.writeHead(503).end();
    else response.writeHead(200, { "content-type": "application/wasm" }).end(bytes);
  });
  const url = new URL("/ctxfold.wasm", address);
  await assert.rejects(load(url), { name: "CtxfoldError", code: "load_failed", message: /status 503.*load\(url\)/s });
  assert.ok(versionOf(await load(url)));
  await load(url);
  assert.equal(requests, 2);
});

test("a server that gives the wrong type is served all the same", async (t) => {
  const address = await serve(t, (_request, response) =>
    response.writeHead(200, { "content-type": "text/plain" }).end(bytes),
  );
  assert.ok(versionOf(await load(`${address}/ctxfold.wasm`)));
});

test("an HTML page instead of the module is told with its cure", async (t) => {
  const address = await serve(t, (_request, response) =>
    response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>app</title>"),
  );
  await assert.rejects(load(new URL(address)), {
    code: "invalid_module",
    message: /HTML page \(it begins with 3c 21 64 6f\).*Copy node_modules/s,
  });
});

test("what is no module of ctxfold is an error that says what it is", async () => {
  const other = new Uint8Array(moduleImporting("env", []));
  const broken = Uint8Array.from([...bytes.subarray(0, 8), 0xff, 0xff]);
  /** @type {[any, string, RegExp][]} */
  const cases = [
    [new Uint8Array(), "invalid_module", /begins with nothing/],
    [new TextEncoder().encode("PK.."), "invalid_module", /begins with 50 4b 2e 2e instead of 00 61 73 6d/],
    [other, "invalid_module", /does not export memory, ctxfold_alloc/],
    [broken, "invalid_module", /does not compile/],
    [42, "invalid_module", /a module source is/],
    [null, "invalid_module", /a module source is/],
    [{}, "invalid_module", /a module source is/],
    ["ctxfold.wasm", "load_failed", /not an absolute URL/],
    [new URL("missing.wasm", file), "load_failed", /missing\.wasm cannot be read/],
  ];
  for (const [source, code, message] of cases) {
    await assert.rejects(load(source), { name: "CtxfoldError", code, message });
  }
});

test("a promise of a module that fails is a failed load", async () => {
  const source = (async () => {
    throw new Error("offline");
  })();
  await assert.rejects(load(source), { code: "load_failed", message: /offline/ });
});

test("a synchronous call before the module is there says what to await", async () => {
  const compactor = createCompactor();
  assert.throws(() => compactor.info(), { code: "not_loaded", message: /await compactor\.ready\(\)/ });
  await compactor.ready();
  assert.equal(compactor.info().name, "ctxfold");
  assert.equal(createCompactor({ module: await load() }).info().name, "ctxfold");
});

test("a compactor whose module cannot be had says so when it is used, and tries again", async (t) => {
  let up = false;
  const address = await serve(t, (_request, response) => response.writeHead(up ? 200 : 404).end(up ? bytes : ""));
  const compactor = createCompactor({ module: new URL(address), policy: {} });
  await assert.rejects(compactor.ready(), { code: "load_failed" });
  await assert.rejects(compactor.compact([{ role: "user", content: "hi" }]), { code: "load_failed" });
  up = true;
  await compactor.ready();
  assert.equal(compactor.info().name, "ctxfold");
});
