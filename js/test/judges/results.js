/** Compacts invented, shipped and real conversations, for judges that know nothing about ctxfold. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createCompactor, load } from "ctxfold";
import { data, json, root } from "./ai-sessions.js";
import { madeUp } from "./made-up.js";

const module = await load();

/** @typedef {{name: string, real: boolean, at?: number, messages: any[]}} Conversation at is the place among the real ones */

/**
 * A fixed selection of the real sessions: whole bodies and lists, session files, recorded exchanges.
 * @type {Record<string, [kind: string, file: string][]>}
 */
const sessions = {
  "openai-chat": [
    ["tau", "openai_chat/tau_airline_even.json"],
    ["body", "openai_chat/mini_reasoner_dev_sqlfluff-1763.traj.json"],
    ["recorded", "api_recordings/openai_chat_pydantic_open.jsonl"],
  ],
  "openai-responses": [
    ["session", "codex/codex_7b22d8d4bd_0.jsonl"],
    ["recorded", "api_recordings/openai_responses_pydantic_open.jsonl"],
  ],
  anthropic: [
    ["body", "derived/pi_before-compaction.anthropic-messages.json"],
    ["session", "claude_code/cc_a8bc758709.jsonl"],
    ["session", "claude_code/cc_fca7ea73ac.jsonl"],
    ["session", "claude_code/cc_episodic_large.jsonl"],
    ["recorded", "api_recordings/anthropic_messages_pydantic_open.jsonl"],
  ],
  gemini: [
    ["body", "derived/pi_before-compaction.gemini-contents.json"],
    ["session", "gemini_cli/gemini_3d69f30a1f.json"],
    ["session", "gemini_cli/gemini_9c53780d06b7.json"],
    ["recorded", "api_recordings/gemini_contents_pydantic_open.jsonl"],
  ],
  pi: [["pi", "pi/pi_before-compaction.jsonl"]],
  mistral: [["mistral", "api_recordings/openai_chat_pydantic_open.jsonl"]],
};

const sample = new Map([
  ["openai-chat", "testdata/sample.openai.json"],
  ["anthropic", "testdata/sample.anthropic.json"],
]);

/** Returns the messages of a request body. @param {any} body */
const messagesOf = (body) => body.messages ?? body.contents ?? body.input;

/** The maximum number of conversations that are used from one file. */
const few = 10;

/**
 * Functions that read the conversations in a file, by the kind of file.
 * @type {Record<string, (file: string) => Promise<any[][]>>}
 */
const readers = {
  // In one session, the agent recorded its end as a message that it never sent.
  body: async (file) => [messagesOf(await json(file)).filter((/** @type {any} */ { role }) => role !== "exit")],
  tau: async (file) => (await json(file)).slice(0, few).map((/** @type {any} */ { traj }) => traj),
  session: async (file) => {
    const { messages, error } = JSON.parse(new TextDecoder().decode(module.call("open", await readFile(file))));
    assert.ok(messages, `${file}: ${error?.message}`);
    return [messages];
  },
  pi: async (file) => {
    const lines = (await readFile(file, "utf8")).trim().split("\n");
    const messages = lines.map((line) => JSON.parse(line).message).filter((message) => message !== undefined);
    // Splits the session into pieces that begin with the user, because pi itself answers a call that the user left
    // open.
    /** @type {any[][]} */
    const pieces = [[]];
    for (const message of messages) {
      if (message.role === "user" && pieces[pieces.length - 1].length > 150) pieces.push([]);
      pieces[pieces.length - 1].push(message);
    }
    return pieces;
  },
  recorded: (file) => recorded(file, ""),
  mistral: (file) => recorded(file, "https://api.mistral.ai/"), // the requests were recorded together with OpenAI's
};

/** Returns the messages of the longest recorded requests to an address. @param {string} file @param {string} to */
async function recorded(file, to) {
  const lines = (await readFile(file, "utf8")).trim().split("\n");
  const requests = lines.map((line) => JSON.parse(line)).filter(({ uri }) => to === "" || uri.startsWith(to));
  const lists = requests.map(({ request }) => messagesOf(request)).filter(Array.isArray);
  return lists.toSorted((a, b) => b.length - a.length).slice(0, few);
}

/**
 * Returns the conversations of a format: the made-up one, the shipped sample, and real ones if they are available.
 * @param {string} format
 * @param {string} [shape] of LangChain's
 * @returns {Promise<Conversation[]>}
 */
export async function conversations(format, shape) {
  const own = [{ name: "made up", real: false, messages: madeUp(format, shape) }];
  const file = sample.get(format);
  if (file !== undefined) {
    own.push({ name: file, real: false, messages: await json(new URL(file, root)) });
  }
  if (data === undefined) {
    assert.notEqual(process.env.CI, "true", "the real sessions are missing, and in CI they are not left out");
    return own;
  }
  /** @type {Conversation[]} */
  const real = [];
  for (const [kind, path] of sessions[format] ?? []) {
    const lists = await readers[kind](`${data}/${path}`);
    real.push(...lists.map((messages, i) => ({ name: `${path} ${i}`, real: true, at: real.length + i, messages })));
  }
  return [...own, ...real];
}

/**
 * Compacts with windows that are too small for the conversation, with and without a model's summary: in 12 ways. A real conversation is
 * compacted in three of them, drawn by its place so that every way occurs, except in make test-long.
 * @param {string} format
 * @param {Conversation} conversation
 */
export async function results(format, { name, real, at = 0, messages }) {
  const known = /** @type {import("ctxfold").Format} */ (format);
  const { tokens: size } = createCompactor({ module, policy: { format: known } }).estimate(messages);
  /** @type {{name: string, messages: any[]}[]} */
  const out = [];
  let way = 0;
  for (const preset of /** @type {const} */ (["default", "window-budget"])) {
    for (const percent of [50, 20, 5]) {
      const tokens = Math.max(64, Math.floor((size * percent) / 100));
      /** @type {import("ctxfold").Policy} */
      const policy = { preset, format: known, window: { tokens, reserve: Math.floor(tokens / 10) } };
      for (const summarize of [undefined, async () => "# Objective\nGo on.\n\n# Status\nAll before is done."]) {
        if (real && !process.env.CTXFOLD_LONG && (way++ + at) % 4 !== 0) continue;
        const done = await createCompactor({ module, policy, ...(summarize && { summarize }) }).compact(messages);
        if (done.report.changed) {
          const by = summarize ? "a model's summary" : "a digest";
          out.push({ name: `${name}, ${preset}, ${percent} %, ${by}`, messages: done.messages });
        }
      }
    }
  }
  assert.ok(real || out.length >= 6, `${name}: only ${out.length} of 12 compactions changed anything`);
  return out;
}

/**
 * Judges every result of a format whose input the judge accepts, and reports the number of these results.
 * @param {import("node:test").TestContext} t
 * @param {string} format
 * @param {(messages: any[]) => void | Promise<void>} judge throws if the provider would reject the messages
 * @param {string} [shape] the way in which LangChain stores messages
 */
export async function judgeAll(t, format, judge, shape) {
  let judged = 0;
  let accepted = 0;
  const all = await conversations(format, shape);
  for (const conversation of all) {
    try {
      await judge(conversation.messages);
    } catch (error) {
      if (!conversation.real) {
        throw error;
      }
      continue;
    }
    accepted++;
    for (const { name, messages } of await results(format, conversation)) {
      await assert.doesNotReject(async () => judge(messages), name);
      judged++;
    }
  }
  const made = all.filter(({ real }) => !real).length;
  assert.ok(accepted > made || all.length === made, "no real session was judged");
  t.diagnostic(
    `${judged} results judged, of ${accepted} conversations; ${all.length - accepted} were refused as they came`,
  );
}
