import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { createFitter, indexedDBStore, keyValueStore, memoryStore } from "ctxfold";
import { noBrowser, openPage } from "./support/browser.js";
import { files, serve } from "./support/server.js";

const root = new URL("../../", import.meta.url);

/** @param {string} body */
const handleOf = (body) => createHash("sha256").update(body).digest("hex");

/** @param {import("ctxfold").Store} store */
async function keeps(store) {
  const bodies = ["", '"one\\n"', "größer 😀".repeat(1000)];
  for (const body of [...bodies, ...bodies]) await store.put(handleOf(body), body);
  for (const body of bodies) {
    for (const digits of [16, 20, 64]) assert.equal(await store.get(handleOf(body).slice(0, digits)), body);
  }
  assert.equal((await store.get(handleOf("another"))) ?? undefined, undefined);
  for (const bad of ["", "123", "../../../../../../etc", "g".repeat(64)]) {
    await assert.rejects(async () => store.get(bad), { code: "invalid_option" });
    await assert.rejects(async () => store.put(bad, ""), { code: "invalid_option" });
  }
}

/** Checks that any JSON can be stored as a state. @param {any} store */
async function keepsStates(store) {
  assert.equal((await store.loadState("a")) ?? undefined, undefined);
  for (const round of [1, 2]) await store.saveState("a", { round, ledger: { files: ["größer.txt"] } });
  await store.saveState("b/ü", { round: 7 });
  assert.deepEqual(await store.loadState("a"), { round: 2, ledger: { files: ["größer.txt"] } });
  assert.deepEqual(await store.loadState("b/ü"), { round: 7 });
  if (!store.swapState) return;
  assert.equal(await store.swapState("c", undefined, { round: 1, files: [1, 2] }), true);
  assert.equal(await store.swapState("c", undefined, { round: 2 }), false);
  assert.equal(await store.swapState("c", { round: 1, files: [2, 1] }, { round: 2 }), false);
  assert.equal(await store.swapState("c", { round: 1, files: [1, 2], more: true }, { round: 2 }), false);
  assert.deepEqual(await store.loadState("c"), { round: 1, files: [1, 2] });
  assert.equal(await store.swapState("c", { files: [1, 2], round: 1 }, { round: 2 }), true);
  assert.deepEqual(await store.loadState("c"), { round: 2 });
}

/** Checks that records of fits are kept apart from bodies and states, whatever their names. @param {any} store */
async function remembers(store) {
  assert.equal((await store.load("default")) ?? undefined, undefined);
  for (const text of ["[1]", "[1,2]"]) await store.save("default", text);
  await store.save("größer/ü:calls", "[]");
  assert.equal(await store.load("default"), "[1,2]");
  assert.equal(await store.load("größer/ü:calls"), "[]");
  for (const name of ["default", "memory:default", "state:default"]) {
    assert.equal((await store.loadState(name)) ?? undefined, undefined, name);
    await store.saveState(name, { name });
  }
  await store.put("0".repeat(64), "a body");
  assert.equal((await store.load("0".repeat(16))) ?? undefined, undefined);
  assert.equal(await store.load("default"), "[1,2]");
  assert.deepEqual(await store.loadState("default"), { name: "default" });
}

test("a store in memory", async () => {
  await keeps(memoryStore());
  await keepsStates(memoryStore());
  await remembers(memoryStore());
});

test("a store in memory is full", async () => {
  const store = memoryStore({ maxLength: 10 });
  await store.put(handleOf("123456"), "123456");
  await store.put(handleOf("123456"), "123456");
  assert.throws(() => store.put(handleOf("12345"), "12345"), { code: "store_full" });
  await store.put(handleOf("1234"), "1234");
});

test("a store in memory keeps its body", () => {
  const store = memoryStore();
  store.put("a".repeat(64), "a body");
  store.put("a".repeat(64), "a body");
  assert.throws(() => store.put("a".repeat(64), "another body"), { code: "store_failed" });
  assert.equal(store.get("a".repeat(16)), "a body");
});

test("a store over keys and values keeps its bodies, whoever writes", async () => {
  const kv = new Map();
  let writes = 0;
  const of = {
    get: async (/** @type {string} */ key) => kv.get(key),
    put: async (/** @type {string} */ key, /** @type {string} */ value) => {
      writes++;
      kv.set(key, value);
    },
  };
  const [one, other] = [keyValueStore(of), keyValueStore(of)];
  await one.put("a".repeat(64), "a body");
  await other.put("a".repeat(64), "a body");
  assert.equal(writes, 1);
  await assert.rejects(async () => other.put(`${"a".repeat(16)}${"b".repeat(48)}`, "another body"), {
    code: "store_failed",
  });
  assert.equal(await one.get("a".repeat(16)), "a body");
});

test("a store over keys and values", async () => {
  const kv = new Map();
  await keeps(keyValueStore({ get: async (key) => kv.get(key), put: async (key, value) => kv.set(key, value) }, "p/"));
  assert.equal(kv.size, 3);
  for (const key of kv.keys()) assert.match(key, /^p\/[0-9a-f]{16}$/);
  await keepsStates(keyValueStore({ get: (key) => kv.get(key), put: (key, value) => kv.set(key, value) }));
  const fresh = new Map();
  await remembers(keyValueStore({ get: (key) => fresh.get(key), put: (key, value) => fresh.set(key, value) }, "p/"));
  for (const key of fresh.keys()) assert.match(key, /^p\//);
});

test("a store over keys and values is all that fits need, also in the next process", async () => {
  const kv = new Map();
  const later = () => new Promise((done) => setImmediate(done));
  const of = {
    get: async (/** @type {string} */ key) => {
      await later();
      return kv.get(key);
    },
    put: async (/** @type {string} */ key, /** @type {string} */ value) => {
      await later();
      kv.set(key, value);
    },
  };
  let compactions = 0;
  const fitter = () => {
    const store = keyValueStore(of);
    const onCompaction = () => void compactions++;
    return createFitter({ format: "openai-chat", window: 4000, memory: store, store, onCompaction });
  };
  const histories = [1, 2].map((n) => {
    const history = [{ role: "user", content: `Conversation ${n}: which module first?` }];
    for (let i = 0; i < 60; i++) {
      history.push({
        role: "assistant",
        content: `Module ${i} of conversation ${n} reads the settings and checks them. `.repeat(8),
      });
      history.push({ role: "user", content: `What does module ${i} need?` });
    }
    return history;
  });
  const first = await Promise.all(histories.map((history) => fitter()(history)));
  assert.equal(compactions, 2);
  const second = await Promise.all(histories.map((history) => fitter()(history)));
  assert.deepEqual(
    second.map(({ known, report }) => [known, report.changed]),
    [
      [true, false],
      [true, false],
    ],
  );
  assert.deepEqual(
    second.map(({ messages }) => messages),
    first.map(({ messages }) => messages),
  );
});

test("without IndexedDB, a store in it says what to use instead", async () => {
  await assert.rejects(async () => indexedDBStore().get("0".repeat(64)), {
    code: "store_failed",
    message: /memoryStore\(\)/,
  });
  const fitting = createFitter({ window: 1_000, memory: indexedDBStore() })([{ role: "user", content: "Hello." }]);
  await assert.rejects(fitting, { code: "memory_failed", message: /no IndexedDB here: use memoryStore\(\)/ });
});

test("a store in IndexedDB", { skip: noBrowser }, async (t) => {
  const page = await openPage(t);
  await page.goto(`${await serve(t, files(root))}/js/test/support/page.html`);
  const bodies = ["", '"one\\n"', "größer 😀".repeat(1000)];
  const got = await page.evaluate(
    async ({ bodies, handles }) => {
      const { indexedDBStore } = await import(/** @type {any} */ ("/js/dist/index.js"));
      const first = indexedDBStore("test");
      await Promise.all(bodies.map((body, i) => first.put(handles[i], body)));
      await Promise.all(bodies.map((body, i) => first.put(handles[i], body)));
      const second = indexedDBStore("test"); // as after reloading the page
      const read = await Promise.all(handles.map((handle) => second.get(handle.slice(0, 16))));
      const [one] = handles;
      const refused = await first
        .put(`${one.slice(0, 16)}${"0".repeat(48)}`, "another body")
        .catch((/** @type {any} */ error) => error.code);
      const kept = await second.get(one);
      for (const round of [1, 2]) await first.saveState("a", { round });
      const state = await second.loadState("a");
      for (const text of ["[1]", "[1,2]"]) await first.save("a", text);
      const texts = [await second.load("a"), await second.load("b"), await second.loadState("memory:a")];
      await new Promise((done, failed) => {
        const request = indexedDB.deleteDatabase("test");
        request.onsuccess = done;
        request.onblocked = failed;
      });
      return {
        read,
        refused,
        kept,
        state,
        texts,
        gone: (await second.get(handles[0])) === undefined,
        none: await second.get("0".repeat(16)),
      };
    },
    { bodies, handles: bodies.map(handleOf) },
  );
  assert.deepEqual(got.read, bodies);
  assert.deepEqual([got.refused, got.kept], ["store_failed", bodies[0]]);
  assert.deepEqual(got.state, { round: 2 });
  assert.deepEqual(got.texts, ["[1,2]", undefined, undefined]);
  assert.ok(got.gone);
});
