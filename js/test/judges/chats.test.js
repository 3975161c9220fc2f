/**
 * The packages of chat applications and agents judge stored chats: LibreChat's schema and tree, the types of Letta, Copilot and the Claude
 * Agent SDK, and the function with which that SDK reads a session.
 */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { test } from "node:test";
import { createCompactor, load } from "ctxfold";
import { root } from "./ai-sessions.js";
import { compile } from "./compiler.js";

const packages = "../fixtures/chats/node_modules";
const { tMessageSchema, buildTree } = createRequire(new URL("../../fixtures/chats/", import.meta.url))(
  "librechat-data-provider",
);
const agentSdk = new URL(`../${packages}/@anthropic-ai/claude-agent-sdk/sdk.mjs`, import.meta.url);
/** @type {{ getSessionMessages: (id: string, options: object) => Promise<{ message: any }[]> }} */
const { getSessionMessages } = await import(agentSdk.href);
const module = await load();

/** Reads a sample. @param {string} name */
const read = (name) => readFile(new URL(`testdata/sessions/${name}`, root), "utf8");

/** Returns entries from lines or from a list. @param {string} text @returns {any[]} */
const entries = (text) =>
  text.startsWith("[")
    ? JSON.parse(text)
    : text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));

const policy = { window: { tokens: 20_000 }, passes: [{ pass: /** @type {const} */ ("fold"), keep_tokens: 5 }] };
const compactor = createCompactor({ module, policy });

/**
 * The samples, the type of their items, and an item that doesn't have it. In a stream, messages of Anthropic's API aren't judged, because
 * their type requires members that older versions of the API don't send, and the ids may be any strings.
 * @type {[samples: string[], type: string, from: string, broken: object, of?: string][]}
 */
const types = [
  [["letta.json"], "Message", "@letta-ai/letta-client/resources/agents/messages.js", { message_type: "user" }],
  [["copilot.json", "copilot.jsonl"], "SessionEvent", "@github/copilot-sdk/dist/index.js", { type: "user.message" }],
  [
    ["claude-code-stream.json", "claude-code-stream.jsonl"],
    "SDKMessage",
    "@anthropic-ai/claude-agent-sdk/sdk.js",
    { type: "user", message: {}, uuid: "1" },
    "Of<Imported>; type In = 'uuid' | 'message' | 'event' | 'usage'; type Of<M> = " +
      "M extends unknown ? Omit<M, In> & { [K in keyof M & In]: K extends 'uuid' ? string : object } : never",
  ],
];

const sources = types.map(async ([samples, type, from, broken, of = "Imported"]) => [
  samples[0],
  {
    head: `import type { ${type} as Imported } from "${packages}/${from}"; type Message = ${of};`,
    messages: [broken, ...(await Promise.all(samples.map(read))).flatMap(entries)],
  },
]);
const errorsOf = await compile(Object.fromEntries(await Promise.all(sources)));

for (const [[sample], type, from, broken] of types) {
  test(`${sample} consists of ${type}s of ${from}`, () => {
    const errors = errorsOf(sample);
    assert.ok(errors.delete(JSON.stringify(broken)), "the compiler refuses what is broken");
    assert.deepEqual([...errors].flat(2), []);
  });
}

/** Returns the messages of a file of LibreChat in a flat list. @param {any} file @returns {any[]} */
function flat(file) {
  const list = Array.isArray(file) ? file : (file.messages ?? file.messagesTree);
  return list.flatMap((/** @type {any} */ { children = [], ...message }) => [message, ...flat(children)]);
}

/** Returns the newest message of LibreChat's tree, which is at the end of the path that LibreChat shows. @param {any[]} messages */
function newest(messages) {
  let shown = buildTree({ messages }).at(-1);
  while (shown.children.length > 0) shown = shown.children.at(-1);
  return shown;
}

test("the schema of LibreChat refuses what is broken", () => {
  assert.throws(() => tMessageSchema.parse({ messageId: "1", conversationId: "c", text: "hi" }));
  assert.throws(() => tMessageSchema.parse({ messageId: 1, conversationId: "c", text: "", isCreatedByUser: true }));
});

for (const sample of ["librechat.json", "librechat-nested.json", "librechat-list.json"]) {
  test(`${sample}: LibreChat reads the sample and what save makes of it, and shows the new branch`, async () => {
    const text = await read(sample);
    const { messages } = compactor.open(text);
    const summary = { role: "user", content: "A summary of what was said." };
    /** @type {any} the result of a compaction that kept the newest messages */
    const done = { messages: [summary, ...messages.slice(-2)], report: { changed: true, tokens: { before: 900 } } };
    const saved = compactor.save(text, done);
    const before = flat(JSON.parse(text));
    const after = flat(JSON.parse(saved));
    for (const message of [...before, ...after]) tMessageSchema.parse(message);
    const known = new Set(before.map(({ messageId }) => messageId));
    const added = after.filter(({ messageId }) => !known.has(messageId)).map(({ messageId }) => messageId);
    assert.equal(new Set(after.map(({ messageId }) => messageId)).size, after.length, "ids are unique");
    assert.equal(after.length, before.length + added.length, "every message of the sample is kept");
    assert.ok(added.includes(newest(after).messageId), "LibreChat shows the new branch");
    assert.deepEqual(compactor.open(saved).messages, done.messages);
  });
}

for (const sample of [
  "claude-code.jsonl",
  "claude-code-kept.jsonl",
  "claude-code-stream.jsonl",
  "claude-code-stream.json",
]) {
  test(`${sample}: the Claude Agent SDK reads what save has written`, async () => {
    const text = await read(sample);
    const alone = createCompactor({ module, policy }); // a compactor knows the conversation that it has compacted
    const done = await alone.compact(alone.open(text), { options: { force: true } });
    const saved = alone.save(text, done);
    assert.ok(done.report.changed);
    const sessionStore = { append() {}, load: async () => entries(saved) };
    const shown = await getSessionMessages("8d0c1f6e-0000-4000-8000-000000000001", { sessionStore });
    const plain = (/** @type {any[]} */ list) => list.map(({ role, content }) => ({ role, content }));
    assert.deepEqual(plain(shown.map(({ message }) => message)), plain(done.messages));
  });
}
