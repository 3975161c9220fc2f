/**
 * LangChain's integrations judge the conversion of LangChain's messages: the requests that they send to their providers for the same
 * messages are captured by a fetch.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { coerceMessageLikeToMessage, mapChatMessagesToStoredMessages } from "@langchain/core/messages";
import { createCompactor, load } from "ctxfold";
import { ChatAnthropic } from "../../fixtures/langchain/node_modules/@langchain/anthropic/dist/index.js";
import { ChatBedrockConverse } from "../../fixtures/langchain/node_modules/@langchain/aws/dist/index.js";
import { ChatGoogleGenerativeAI } from "../../fixtures/langchain/node_modules/@langchain/google-genai/dist/index.js";
import { ChatMistralAI } from "../../fixtures/langchain/node_modules/@langchain/mistralai/dist/index.js";
import { ChatOllama } from "../../fixtures/langchain/node_modules/@langchain/ollama/dist/index.js";
import { ChatOpenAI } from "../../fixtures/langchain/node_modules/@langchain/openai/dist/index.js";
import { asLangChain, conversation, SEEDS } from "./random.js";
import { conversations } from "./results.js";
import { saidIn } from "./said.js";

/** @typedef {import("ctxfold").Format} Format */

/**
 * The newest request.
 * @type {any}
 */
let kept;
/** @param {any} request @param {any} [init] @returns {Promise<any>} */
async function keep(request, init) {
  kept = JSON.parse(init?.body ? String(init.body) : await request.text());
  throw new Error("kept");
}

const once = { apiKey: "none", maxRetries: 0 };
const bedrock = {
  region: "us-east-1",
  credentials: { accessKeyId: "none", secretAccessKey: "none" },
  clientOptions: {
    requestHandler: {
      /** @param {any} request */
      handle: async ({ body }) => keep("", { body: Buffer.from(body) }),
    },
  },
};

/** @type {Record<string, () => { invoke(messages: any[]): Promise<unknown> }>} */
const models = {
  "openai-chat": () =>
    new ChatOpenAI({ ...once, model: "gpt-4.1", useResponsesApi: false, configuration: { fetch: keep } }),
  "openai-responses": () =>
    new ChatOpenAI({ ...once, model: "gpt-4.1", useResponsesApi: true, configuration: { fetch: keep } }),
  anthropic: () => new ChatAnthropic({ ...once, model: "claude-sonnet-4-5", clientOptions: { fetch: keep } }),
  gemini: () => new ChatGoogleGenerativeAI({ ...once, model: "gemini-2.5-pro" }),
  mistral: () => new ChatMistralAI({ ...once, model: "mistral-large-latest" }),
  "bedrock-converse": () => new ChatBedrockConverse({ ...once, ...bedrock, model: "anthropic.claude-sonnet-4-5" }),
  ollama: () => new ChatOllama({ ...once, model: "llama3", fetch: keep }),
};
const formats = Object.keys(models);

/** Returns the request that LangChain sends for messages. @param {string} format @param {any[]} messages */
async function requested(format, messages) {
  kept = undefined;
  const real = globalThis.fetch;
  globalThis.fetch = /** @type {any} */ (keep); // two of the integrations accept no other fetch
  try {
    await assert.rejects(async () => models[format]?.().invoke(messages));
  } finally {
    globalThis.fetch = real;
  }
  return kept;
}

/** @typedef {import("./random.js").Turn} Turn */

/** @param {Turn[]} turns @param {(turn: Turn) => Partial<Turn>} change of each */
const changed = (turns, change) => turns.map((turn) => ({ ...turn, ...change(turn) }));

/** @param {Turn} turn @param {(result: import("./random.js").Outcome) => object} change of each result */
const results = ({ calls }, change) =>
  calls.map((call) => ({ ...call, result: { ...call.result, ...change(call.result) } }));

/** Moves images in results after the results of all parallel calls. @param {string[]} events */
function imagesBehind(events) {
  /** @type {string[]} */
  const out = [];
  /** @type {string[]} */
  let held = [];
  let among = false;
  for (const event of events) {
    among = event.startsWith("result ") || (among && event.startsWith("image "));
    if (among && event.startsWith("image ")) {
      held.push(event);
      continue;
    }
    if (!among) {
      out.push(...held);
      held = [];
    }
    out.push(event);
  }
  return [...out, ...held];
}

/** Removes the images in results. @param {string[]} events */
function withoutImages(events) {
  let among = false;
  return events.filter((event) => {
    among = event.startsWith("result ") || (among && event.startsWith("image "));
    return !(among && event.startsWith("image "));
  });
}

/** @param {any} body @param {(response: any) => any} change */
function responses({ contents, ...body }, change) {
  /** @param {any} part */
  const one = ({ functionResponse: made, ...part }) =>
    made ? { ...part, functionResponse: { ...made, response: change(made.response) } } : part;
  return { ...body, contents: contents.map((/** @type {any} */ c) => ({ ...c, parts: c.parts.map(one) })) };
}

/**
 * Where LangChain sends something else than convert writes: what it is given instead (given), how its request is read (body), and which
 * events are compared of its own (theirs) and of convert's (ours). Random conversations need all but those that are marked as real.
 * @typedef {(events: string[]) => string[]} Events
 * @type {{ in: string, what: string, given?: (turns: Turn[]) => Turn[], body?: (body: any) => any, theirs?: Events, ours?: Events, real?: true }[]}
 */
const allowed = [
  {
    in: "gemini mistral ollama",
    what: "blocks of reasoning: the integrations refuse them, or leave out the calls beside them",
    given: (turns) => changed(turns, () => ({ reasoning: "" })),
  },
  {
    in: "ollama",
    what: "calls beside a list of texts are left out, and results that are lists are refused",
    given: (turns) =>
      changed(turns, (turn) => ({
        texts: turn.who === "assistant" && turn.texts.length > 0 ? [turn.texts.join("\n")] : turn.texts,
        calls: results(turn, ({ texts }) => ({ texts: [texts.join("\n")] })),
      })),
  },
  {
    in: "mistral",
    what: "texts beside calls are left out",
    ours: (events) =>
      events.filter((event, i) => !(event.startsWith("assistant: ") && events[i + 1]?.startsWith("call "))),
  },
  {
    in: "mistral",
    what: "calls without results at the end are left out; convert leaves them for the host to answer",
    ours: (events) => events.slice(0, events.findLastIndex((event) => !event.startsWith("call ")) + 1),
    real: true,
  },
  {
    in: "bedrock-converse",
    what: "empty results are sent as empty texts, which the API refuses; convert says that there is no output",
    ours: (events) => events.map((event) => (event === "result [No output]" ? "result " : event)),
  },
  {
    in: "gemini mistral ollama",
    what: "images in results are refused, or left out",
    given: (turns) => changed(turns, (turn) => ({ calls: results(turn, () => ({ image: false })) })),
    ours: withoutImages,
  },
  {
    in: "openai-chat",
    what: "images stay in the messages of tools, which the API refuses; convert moves them behind the results",
    theirs: imagesBehind,
  },
  {
    in: "openai-responses",
    what: "a result that is a list of blocks is sent as JSON in a text; convert sends the texts and images of it",
    body: (body) => ({
      ...body,
      input: body.input.map((/** @type {any} */ item) =>
        typeof item.output === "string" && item.output.startsWith('[{"type":')
          ? { ...item, output: JSON.parse(item.output) }
          : item,
      ),
    }),
  },
  {
    in: "gemini",
    what: "responses have the members result and error.details; convert writes output and error",
    body: (body) => responses(body, ({ result, error, ...rest }) => ({ output: result ?? error?.details ?? rest })),
  },
];

const langchain = createCompactor({ module: await load(), policy: { format: "langchain" } });

/** @param {string} format */
const allowedIn = (format) => allowed.filter((rule) => rule.in.split(" ").includes(format));

/**
 * Compares the output of convert with the request that LangChain sends for the messages that it is given.
 * @param {string} format
 * @param {typeof allowed} rules
 * @param {any[]} messages
 * @param {any[]} given
 * @param {string} name
 */
async function compare(format, rules, messages, given, name) {
  const stored = JSON.parse(JSON.stringify(mapChatMessagesToStoredMessages(messages)));
  const { messages: made } = langchain.convert({ messages: stored }, /** @type {Format} */ (format));
  const body = await requested(format, given);
  assert.ok(body, `${name}: nothing was sent`);
  const read = rules.reduce((so, rule) => rule.body?.(so) ?? so, body);
  const theirs = rules.reduce((so, rule) => rule.theirs?.(so) ?? so, saidIn(read));
  const ours = rules.reduce((so, rule) => rule.ours?.(so) ?? so, saidIn(made));
  assert.deepEqual(ours, theirs, name);
}

/** @param {string} format @param {typeof allowed} rules @param {number} seed */
async function compareRandom(format, rules, seed) {
  const turns = conversation(seed);
  const given = rules.reduce((so, rule) => rule.given?.(so) ?? so, turns);
  await compare(format, rules, asLangChain(turns), asLangChain(given), `seed ${seed}`);
}

for (const format of formats) {
  test(`${format}: random conversations are what LangChain sends`, async () => {
    for (let seed = 0; seed < SEEDS; seed++) await compareRandom(format, allowedIn(format), seed);
  });
}

test("every allowance is needed", async () => {
  for (const rule of allowed.filter(({ real }) => !real)) {
    for (const format of rule.in.split(" ")) {
      const rest = allowedIn(format).filter((other) => other !== rule);
      const all = async () => {
        for (let seed = 0; seed < 60; seed++) await compareRandom(format, rest, seed);
      };
      await assert.rejects(all, assert.AssertionError, `${format}: ${rule.what}`);
    }
  }
});

// For Ollama, calls next to content that is null are omitted too.
for (const format of formats.filter((name) => name !== "ollama")) {
  test(`${format}: real conversations are what LangChain sends`, async (t) => {
    let compared = 0;
    let refused = 0;
    for (const { name, messages: list } of (await conversations("openai-chat")).slice(1)) {
      const messages = list.map((message) => coerceMessageLikeToMessage(message));
      if (format === "gemini" && !(await requested(format, messages))) {
        refused++; // the integration requires tool names in results
        continue;
      }
      await compare(format, allowedIn(format), messages, messages, name);
      compared++;
    }
    assert.ok(refused <= 1, `${refused} were refused`);
    t.diagnostic(`${compared} conversations, ${refused} were refused`);
  });
}
