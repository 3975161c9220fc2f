import assert from "node:assert/strict";
import { test } from "node:test";
import { createCompactor, load, memoryStore, recallFrom, searchFrom } from "ctxfold";

await load();

/** @param {number} from @param {number} to @returns {import("ctxfold").Message[]} */
function talk(from, to) {
  return Array.from({ length: to - from }, (_, k) => {
    const n = from + k;
    let content = `Message ${n} is about nothing much, and goes on for a while so that there is something to fold away.`;
    if (n === 7) content = "My sister Ines keeps bees on the roof in Coimbra.";
    if (n === 33) content = "[2024-03-09] The boat is called Andorinha.";
    return { role: n % 2 ? "assistant" : "user", content };
  });
}

/** Compacts three times in a row. Each compaction folds the messages that the previous one has left. */
async function folded(store = memoryStore()) {
  const compactor = createCompactor({
    policy: {
      format: "openai-chat",
      window: { tokens: 100000 },
      summary: { mode: "local" },
      passes: [{ pass: "fold", keep_tokens: 60 }],
    },
    store,
  });
  /** @type {import("ctxfold").Message[]} */
  let messages = [];
  for (const n of [0, 20, 40]) {
    messages = [...messages, ...talk(n, n + 20)];
    const done = await compactor.compact(messages, { options: { force: true } });
    assert.equal(done.report.changed, true);
    messages = done.messages;
  }
  return { compactor, messages, store };
}

test("what was folded, one compaction inside the other, is found by what it says", async () => {
  const { compactor, messages, store } = await folded();
  const found = await searchFrom(store, compactor, "Where does Ines keep her bees?", { messages });
  const [best] = found.results;
  assert.equal(best?.role, "assistant");
  assert.match(best?.snippet ?? "", /bees on the roof in Coimbra/);
  assert.deepEqual(found.searched.missing, []);
  assert.ok(found.searched.bodies >= 3);
  const boat = await searchFrom(store, compactor, "boat", {
    messages,
    limit: 1,
    roles: ["assistant"],
    after: "2024-03",
  });
  assert.deepEqual([boat.results.length, boat.results[0]?.date], [1, "2024-03-09"]);
  const one = await searchFrom(store, compactor, "bees", { handles: [best?.handle ?? "", "0".repeat(16)] });
  assert.equal(one.searched.bodies, 1);
  assert.ok(one.searched.missing.includes("0".repeat(16)));
});

test("bodies at hand are searched as texts and as values", async () => {
  const compactor = createCompactor();
  await compactor.ready();
  const list = [
    { role: "user", content: "她在面包店的屋顶上养蜂。" },
    { role: "assistant", content: "😀 Good." },
  ];
  const values = compactor.search({ query: "养蜂", bodies: [{ body: list }] });
  const texts = compactor.search({ query: "养蜂", bodies: [{ handle: "A".repeat(16), body: JSON.stringify(list) }] });
  assert.equal(values.results[0]?.snippet, "她在面包店的屋顶上养蜂。");
  assert.equal(texts.results[0]?.handle, "a".repeat(16));
  assert.deepEqual(
    texts.results.map(({ score }) => score),
    values.results.map(({ score }) => score),
  );
  assert.throws(() => compactor.search({ query: "?", bodies: [] }), { code: "empty_query", path: "query" });
  assert.throws(() => compactor.search({ query: "x", limit: 1000, bodies: [] }), {
    code: "out_of_range",
    path: "limit",
  });
});

test("the model looks for what it has no handle for, and reads on from there", async () => {
  const { compactor, messages, store } = await folded();
  await store.put("f".repeat(64), JSON.stringify([{ role: "user", content: "Somebody else keeps bees in Coimbra." }]));
  const said = await recallFrom(store, compactor, JSON.stringify({ query: "bees in Coimbra" }), { messages });
  assert.match(said, /\n {2}My sister Ines keeps bees/);
  assert.doesNotMatch(said, /Somebody else/);
  const [, handle, message] = /\nhandle ([0-9a-f]{16}) message (\d+), assistant/.exec(said) ?? [];
  assert.match(await recallFrom(store, compactor, { handle, message: Number(message) }), /^» agent: My sister Ines/);
  assert.match(await recallFrom(store, compactor, { query: "bees", handle }), /Ines/);
  assert.match(
    await recallFrom(store, compactor, { query: "zebra" }, { messages }),
    /^No removed content of this conversation matches/,
  );
  assert.match(await recallFrom(store, compactor, { query: "…" }), /no word/);
  assert.match(await recallFrom(store, compactor, { query: "bees" }), /^Nothing can be searched here/);
  const tool = JSON.stringify(compactor.recallTool());
  assert.match(tool, /"query"/);
  assert.ok(tool.length < 1100);
});

test("a store that searches by itself is asked, and what it says is data", async () => {
  const { compactor, messages, store } = await folded();
  /** @type {any[]} */
  const asked = [];
  const own = {
    ...store,
    search(/** @type {string} */ query, /** @type {import("ctxfold").StoreSearch} */ options) {
      asked.push([query, options]);
      /** @type {import("ctxfold").Found} */
      const found = {
        results: [{ body: 0, handle: "a".repeat(16), index: 1, score: 1, role: "user", snippet: "x <conversation> y" }],
        searched: { bodies: 1, messages: 1, bytes: 1, missing: [] },
      };
      return found;
    },
  };
  const found = await searchFrom(own, compactor, "bees", { messages, limit: 3 });
  assert.equal(found.results.length, 1);
  assert.equal(asked[0][0], "bees");
  assert.equal(asked[0][1].limit, 3);
  assert.ok(asked[0][1].handles.length > 0);
  assert.match(await recallFrom(own, compactor, { query: "bees" }, { messages }), /x ‹conversation> y/);
});
