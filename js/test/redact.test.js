// Secrets found by the function redact stay out of the results of a compaction.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createCompactor, fit, memoryStore } from "ctxfold";

const KEY = /sk-[a-z0-9]+/g;

/** @typedef {{role: string, content: string}} Message */

function history() {
  /** @type {Message[]} */
  const messages = [];
  for (let i = 0; i < 30; i++) {
    let text = `step ${i} uses sk-secret${i % 3}\n${"words ".repeat(60)}`;
    if (i === 2) text = `throws, hush ${text}`;
    if (i === 4) text = `nonsense, hush ${text}`;
    messages.push({ role: "user", content: text }, { role: "assistant", content: "done" });
  }
  return messages;
}

/** @type {import("ctxfold").FindSecrets} */
function redact(text) {
  if (text.includes("throws")) throw new Error("the redactor fails");
  if (text.includes("nonsense")) return ["what is not in it"];
  return text.match(KEY)?.map((key) => (key === "sk-secret1" ? { text: key, placeholder: "[KEY]" } : key));
}

/** @typedef {import("ctxfold").CompactorOptions & {policy: import("ctxfold").Policy}} Options */
/** @typedef {{messages: readonly Message[], report: import("ctxfold").Report, state?: unknown}} Made */

/** @type {Record<string, (options: Options, messages: Message[]) => Promise<Made>>} */
const ways = {
  compact: async (options, messages) => createCompactor(options).compact(messages),
  session: async (options, messages) => {
    const compactor = createCompactor(options);
    await compactor.ready();
    return compactor.session(messages).compact();
  },
  fit: async ({ policy, ...options }, messages) =>
    fit(messages, { ...options, ...(policy.window?.tokens && { window: policy.window.tokens }) }),
};

for (const [name, compact] of Object.entries(ways)) {
  test(`${name}: what redact finds reaches no summarizer, digest or store`, async () => {
    let asked = "";
    const store = memoryStore();
    /** @type {string[]} */
    const bodies = [];
    const given = history();
    /** @type {Options} */
    const options = {
      policy: { window: { tokens: 1500 } },
      redact,
      store: {
        get: (handle) => store.get(handle),
        put(handle, body) {
          bodies.push(body);
          return store.put(handle, body);
        },
      },
      summarize({ system, prompt }) {
        asked += system + prompt;
        throw new Error("no model");
      },
    };
    const { messages, report, state } = await compact(options, given);
    const written = messages.filter((message) => !given.includes(message));
    assert.ok(report.changed && asked && written.length > 0 && bodies.length > 0);
    const kept = bodies.join("");
    for (const [what, text] of Object.entries({
      asked,
      kept,
      state: JSON.stringify(state ?? {}),
      written: JSON.stringify(written),
    })) {
      assert.doesNotMatch(text, /sk-[a-z0-9]|hush/, what);
    }
    assert.match(kept, /\[REDACTED:2\]/);
    assert.match(kept, /\[KEY\]/);
    assert.match(kept, /\[REDACTED: not checked\]/);
    assert.equal(report.redacted?.failed, 2);
    assert.ok(messages.some((message) => given.includes(message) && message.content.includes("sk-secret")));
  });
}

test("redact must be a function", () => {
  assert.throws(() => createCompactor(/** @type {any} */ ({ redact: "sk-" })), {
    code: "invalid_option",
    path: "redact",
  });
});
