/**
 * pi's providers judge the conversion of pi's messages: the requests that they would send for the same messages, as pi shows them before
 * sending.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createCompactor, load } from "ctxfold";
import { asPi, conversation, SEEDS } from "./random.js";
import { conversations } from "./results.js";
import { saidIn } from "./said.js";

const compactor = createCompactor({ module: await load(), policy: { format: "pi" } });

/** @typedef {import("ctxfold").Format} Format */

// The newest pi-ai needs a package that is not published. Its live messages have the same shape (see pi-live.test.js).
const api = "../../fixtures/agents/node_modules/@earendil-works/pi-ai/dist/api";
const models = {
  "openai-chat": ["openai-completions", "openai", "gpt-4.1", "https://api.openai.com/v1"],
  "openai-responses": ["openai-responses", "openai", "gpt-4.1", "https://api.openai.com/v1"],
  anthropic: ["anthropic-messages", "anthropic", "claude-sonnet-4-5", "https://api.anthropic.com"],
  gemini: ["google-generative-ai", "google", "gemini-2.5-pro", "https://generativelanguage.googleapis.com/v1beta"],
  mistral: ["mistral-conversations", "mistral", "mistral-large-latest", "https://api.mistral.ai"],
  "bedrock-converse": [
    "bedrock-converse-stream",
    "amazon-bedrock",
    "anthropic.claude-sonnet-4-5",
    "https://bedrock-runtime.us-east-1.amazonaws.com",
  ],
};
const formats = Object.keys(models);

/** Returns the request that pi makes. @param {string} format @param {any[]} messages */
async function requested(format, messages) {
  const [name, provider, id, baseUrl] = Reflect.get(models, format);
  const { stream } = await import(`${api}/${name}.js`);
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const limits = { contextWindow: 200_000, maxTokens: 4096, reasoning: false, input: ["text", "image"], cost };
  let kept;
  const onPayload = (/** @type {any} */ payload) => {
    kept = payload;
    throw new Error("kept");
  };
  const model = { name: id, api: name, provider, id, baseUrl, ...limits };
  for await (const _ of stream(model, { messages, tools: [] }, { apiKey: "none", maxRetries: 0, onPayload }));
  assert.ok(kept, `${format}: nothing was sent`);
  return kept;
}

/** @typedef {(events: string[]) => string[]} Events */

/** Joins consecutive texts of one speaker. @type {Events} */
const joined = (events) => {
  /** @type {string[]} */
  const out = [];
  for (const event of events) {
    const who = /^(user|assistant): /.exec(event)?.[0];
    if (who && out.at(-1)?.startsWith(who)) out[out.length - 1] += ` ${event.slice(who.length)}`;
    else out.push(event);
  }
  return out;
};

/** @param {RegExp} what @param {string} by @returns {Events} */
const written = (what, by) => (events) =>
  joined(events.map((event) => event.replace(what, by)).filter((event) => !/^(user|assistant): ?$/.test(event)));

/** Returns an answer with its texts joined. @param {any} message */
function oneText(message) {
  if (message.role !== "assistant") return message;
  const texts = message.content.filter((/** @type {any} */ { type }) => type === "text");
  const rest = message.content.filter((/** @type {any} */ { type }) => type !== "text");
  const text = texts.map((/** @type {any} */ part) => part.text).join("\n");
  return { ...message, content: texts.length > 0 ? [{ type: "text", text }, ...rest] : rest };
}

/**
 * Where pi sends something else than convert writes: what it is given instead, and which events are compared of its own (theirs) and of
 * convert's (ours).
 * @type {{ in: string, what: string, given?: (messages: any[]) => any[], theirs?: Events, ours?: Events, real?: true }[]}
 */
const allowed = [
  {
    in: formats.join(" "),
    what: "its own messages of the system become texts that a list has no place for",
    given: (messages) => messages.filter(({ role }) => role !== "system"),
    ours: (events) => joined(events.filter((event) => !event.startsWith("system: "))),
    real: true,
  },
  {
    in: "openai-chat",
    what: "texts of one answer are put together with nothing between them",
    given: (messages) => messages.map(oneText),
  },
  {
    in: "openai-chat openai-responses mistral",
    what: "a result without output says so",
    theirs: written(/^result \(no tool output\)$/, "result "),
  },
  {
    in: "bedrock-converse",
    what: "a result without output says so, in other words",
    theirs: written(/^result <empty>$/, "result [No output]"),
  },
  {
    in: "openai-chat gemini",
    what: "images of results stand behind the results, with a caption",
    theirs: written(/^user: (Attached image\(s\) from tool result:|Tool result image:) ?/, "user: "),
  },
  {
    in: "openai-chat openai-responses gemini mistral bedrock-converse anthropic",
    what: "calls without results get one in other words",
    theirs: written(
      /^result (\[tool error\] )?No result provided$/,
      "result [No result: it was lost before this point of the conversation]",
    ),
    real: true,
  },
  {
    in: "mistral",
    what: "errors are marked in the text",
    theirs: written(/^result \[tool error\] /, "result "),
  },
];

/** @param {string} format */
const allowedIn = (format) => allowed.filter((rule) => rule.in.split(" ").includes(format));

/** @param {string} format @param {typeof allowed} rules @param {any[]} messages @param {string} name */
async function compare(format, rules, messages, name) {
  const { messages: made } = compactor.convert({ messages }, /** @type {Format} */ (format));
  const given = rules.reduce((so, rule) => rule.given?.(so) ?? so, messages);
  const theirs = rules.reduce((so, rule) => rule.theirs?.(so) ?? so, saidIn(await requested(format, given)));
  const ours = rules.reduce((so, rule) => rule.ours?.(so) ?? so, saidIn(made));
  assert.deepEqual(ours, theirs, name);
}

for (const format of formats) {
  test(`${format}: random conversations are what pi sends`, async () => {
    for (let seed = 0; seed < SEEDS; seed++) {
      await compare(format, allowedIn(format), asPi(conversation(seed)), `seed ${seed}`);
    }
  });
}

test("every allowance is needed", async () => {
  for (const rule of allowed.filter(({ real }) => !real)) {
    for (const format of rule.in.split(" ")) {
      const rest = allowedIn(format).filter((other) => other !== rule);
      const all = async () => {
        for (let seed = 0; seed < 60; seed++) await compare(format, rest, asPi(conversation(seed)), `seed ${seed}`);
      };
      await assert.rejects(all, assert.AssertionError, `${format}: ${rule.what}`);
    }
  }
});

/** Whether pi-ai knows the role of a message. pi's coding agent converts its own messages before. @param {any} message */
const known = ({ role }) => ["system", "user", "assistant", "toolResult"].includes(role);

for (const format of formats) {
  test(`${format}: real conversations are what pi sends`, async (t) => {
    // Excludes the made-up conversation, whose results are in a different order than their calls.
    const all = (await conversations("pi")).filter(({ real }) => real);
    for (const { name, messages } of all) {
      await compare(format, allowedIn(format), messages.filter(known), name);
    }
    t.diagnostic(`${all.length} conversations`);
  });
}
