import assert from "node:assert/strict";
import { test } from "node:test";
import { Conversation, createCompactor, load, memoryStore, recallFrom, restoreFrom } from "ctxfold";
import { createCompactor as createRemote } from "ctxfold/worker";

const module = await load();
/** @type {any} */
const policy = {
  format: "anthropic",
  window: { tokens: 2400, reserve: 200 },
  thinking: "adaptive",
  summary: { mode: "local", max_output_tokens: 300 },
};

/** 240 messages: turns with thinking, calls and results. */
const history = Array.from({ length: 60 }, (_, n) => [
  { role: "user", content: [{ type: "text", text: `Read file ${n}, please.`, cache_control: { type: "ephemeral" } }] },
  {
    role: "assistant",
    content: [
      { type: "thinking", thinking: `Think of ${n}.`, signature: `c2ln${n}` },
      { type: "tool_use", id: `t${n}`, name: "read", input: { path: `src/${n}.js` } },
    ],
  },
  { role: "user", content: [{ type: "tool_result", tool_use_id: `t${n}`, content: `line ${n} `.repeat(30) }] },
  { role: "assistant", content: [{ type: "text", text: `File ${n} is read.` }] },
]).flat();

/** Appends the history, and compacts several times. @param {any} conversation */
async function compactsOften(conversation) {
  let compactions = 0;
  for (let from = 0; from < history.length; from += 14) {
    await conversation.append(...history.slice(from, from + 14));
    if ((await conversation.compact()).changed) compactions += 1;
  }
  return compactions;
}

test("restore goes back over all compactions, here and in a worker", async (t) => {
  const store = memoryStore();
  const here = createCompactor({ module, policy, store });
  const remote = createRemote({ policy, store });
  t.after(() => remote.close());
  await remote.ready();
  for (const compactor of [here, remote]) {
    const conversation = new Conversation(compactor);
    assert.ok((await compactsOften(conversation)) >= 15);
    assert.ok(conversation.messages.length < 100);
    const { messages, state } = conversation;
    for (const known of [state, null]) {
      const back = await restoreFrom(store, compactor, [...messages], undefined, known);
      assert.deepEqual(back.messages, history);
      assert.deepEqual(back.markers, []);
    }
    const text = await restoreFrom(store, compactor, JSON.stringify(messages), undefined, state);
    assert.equal(text.messages, JSON.stringify(history));
    assert.deepEqual((await conversation.restore()).markers, []);
    assert.deepEqual(conversation.messages, history);
    assert.equal((await conversation.compact()).changed, true);
    await conversation.restore();
    assert.deepEqual(conversation.messages, history);
    await conversation.close();
  }
});

test("a store that gives other bodies is not believed", async () => {
  const store = memoryStore();
  const compactor = createCompactor({ module, policy, store });
  const conversation = new Conversation(compactor);
  await compactsOften(conversation);
  const { messages, state } = conversation;
  const lies = {
    put: () => {},
    get: async (/** @type {string} */ handle) => (handle < "8" ? `["${handle}"]` : store.get(handle)),
  };
  const back = await restoreFrom(lies, compactor, [...messages], undefined, state);
  assert.ok(back.markers.some(({ why }) => why === "corrupt"));
  const [marker] = (await restoreFrom({ ...lies, get: () => `"x"` }, compactor, [...messages])).markers;
  assert.equal(marker?.why, "corrupt");
  const said = await recallFrom({ ...lies, get: () => `"x"` }, compactor, { handle: marker?.handle });
  assert.match(said, /^Nothing is kept under the handle/);
});
