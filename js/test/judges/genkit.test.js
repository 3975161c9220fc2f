/** Genkit's `MessageSchema` judges compacted and converted messages: it accepts them without dropping anything, and each request has its response. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createCompactor, load } from "ctxfold";
import { conversations, judgeAll } from "./results.js";

const schemas = "../../fixtures/genkit/node_modules/@genkit-ai/ai/lib/model-types.mjs";
/** @type {{ MessageSchema: { parse: (message: unknown) => any } }} */
const { MessageSchema } = await import(new URL(schemas, import.meta.url).href);

/** @param {any} request @param {any} response */
const answers = ({ ref, name }, response) => response.ref === ref && response.name === name;

/** @param {any[]} messages */
function judge(messages) {
  /** @type {any[]} */
  let open = [];
  for (const [i, message] of messages.entries()) {
    assert.deepEqual(MessageSchema.parse(message), message, `message ${i} has only what the schema knows`);
    const { role, content } = message;
    assert.ok(content.length > 0, `message ${i} has parts`);
    for (const part of content) {
      const found = /** @type {Record<string, string>} */ ({ toolRequest: "model", toolResponse: "tool" });
      const kind = Object.keys(part).find((key) => key in found);
      assert.ok(kind === undefined || found[kind] === role, `message ${i}: a ${kind} of ${role}`);
      if (!part.toolResponse) continue;
      const at = open.findIndex((request) => answers(request, part.toolResponse));
      assert.ok(at >= 0, `message ${i} answers a request of the message before it`);
      open.splice(at, 1);
    }
    assert.deepEqual(open, [], `message ${i} answers all requests`);
    open = content.flatMap((/** @type {any} */ { toolRequest }) => toolRequest ?? []);
  }
  assert.deepEqual(open, []);
}

test("the judge refuses what is broken", () => {
  const user = { role: "user", content: [{ text: "hi" }] };
  const call = { role: "model", content: [{ toolRequest: { ref: "c", name: "read", input: {} } }] };
  const got = { role: "tool", content: [{ toolResponse: { ref: "c", name: "read", output: "" } }] };
  judge([user, call, got]);
  assert.throws(() => judge([{ role: "assistant", content: [{ text: "hi" }] }]));
  assert.throws(() => judge([{ role: "user", content: [{ text: 1 }] }]));
  assert.throws(() => judge([{ role: "user", content: [{ txt: "hi" }] }]), /only what the schema knows/);
  assert.throws(() => judge([user, call, user]), /answers all requests/);
  assert.throws(() => judge([user, got]), /answers a request/);
});

test("MessageSchema takes compacted messages", (t) => judgeAll(t, "genkit", judge));

const module = await load();
for (const format of /** @type {const} */ (["openai-chat", "anthropic", "gemini"])) {
  test(`MessageSchema takes what convert makes of ${format}`, async () => {
    for (const { name, messages } of await conversations(format)) {
      const { messages: made } = createCompactor({ module, policy: { format } }).convert(messages, "genkit");
      assert.ok(made.length > 0, name);
      for (const message of /** @type {any[]} */ (made)) assert.deepEqual(MessageSchema.parse(message), message, name);
    }
  });
}
