import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { createCompactor, load, memoryStore, restoreFrom } from "ctxfold";
import { installed } from "./support/built.js";

/** Conversations in workerd; the long run has 1,000. */
const CONVERSATIONS = Number(process.env.CONVERSATIONS ?? 40);
const TURNS = 8;
const WINDOW = 3000;

const example = fileURLToPath(new URL("../../examples/edge", import.meta.url));
const require = createRequire(`${example}/package.json`);
const runtimes = fileURLToPath(new URL("../fixtures/runtimes/node_modules/.bin", import.meta.url));

const log = {
  requests: 0,
  /** How often a summary was asked for, by its prompt. @type {Map<string, number>} */
  summaries: new Map(),
  invalid: /** @type {string[]} */ ([]),
  /** What was sent last of each conversation, by its last text. @type {Map<string, any[]>} */
  sent: new Map(),
};

/** No summary was asked for twice. */
function paidOnce() {
  assert.ok(log.summaries.size > 0);
  assert.deepEqual(new Set(log.summaries.values()), new Set([1]));
}

/** What the provider would refuse, by its own rules. @param {any[]} messages */
function broken(messages) {
  let open = new Set();
  for (const { role, content, tool_calls, tool_call_id } of messages) {
    if (role === "tool") {
      if (!open.delete(tool_call_id)) return `the result ${tool_call_id} answers no call`;
      continue;
    }
    if (open.size > 0) return `the calls ${[...open]} have no result`;
    if (!content && !tool_calls) return "an empty message";
    open = new Set((tool_calls ?? []).map((/** @type {any} */ { id }) => id));
  }
  return open.size > 0 ? "open calls at the end" : "";
}

/** The upstream: it answers everything, and remembers what it should have refused. */
const upstream = createServer(async (request, response) => {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  const { messages, max_completion_tokens } = JSON.parse(text);
  const problem = broken(messages);
  if (problem) log.invalid.push(problem);
  if (max_completion_tokens) {
    const prompt = messages.at(-1).content;
    log.summaries.set(prompt, (log.summaries.get(prompt) ?? 0) + 1);
  } else {
    log.requests++;
    log.sent.set(messages.at(-1)?.content, messages);
  }
  const print = createHash("sha256").update(text).digest("hex").slice(0, 8);
  const content = max_completion_tokens
    ? `## Summary\nThe user asks and the tool answers, in the one turn as in the other, and has found ${print}.`
    : `An answer to ${messages.length} messages.`;
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ choices: [{ message: { role: "assistant", content }, finish_reason: "stop" }] }));
});
let address = "";

before(async () => {
  await installed("edge");
  await new Promise((listening) => upstream.listen(0, "127.0.0.1", () => listening(undefined)));
  address = `http://127.0.0.1:${/** @type {any} */ (upstream.address()).port}`;
});
after(() => {
  upstream.closeAllConnections();
  upstream.close();
});

/** The messages of one turn, with a tool. @param {string} name @param {number} turn */
const spoken = (name, turn) => [
  { role: "user", content: `Question ${turn} of ${name}.` },
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: `${name}_${turn}`, type: "function", function: { name: "look", arguments: `{"at":${turn}}` } }],
  },
  { role: "tool", tool_call_id: `${name}_${turn}`, content: `${turn} of ${name}: ${"found it, ".repeat(200)}` },
];

/** @typedef {(path: string, init?: any) => Promise<any>} Fetch */

/** @param {Fetch} fetch @param {unknown} body @param {Record<string, string>} headers */
const post = (fetch, body, headers) =>
  fetch("/v1/chat/completions", {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

/** What a client of a conversation sends with each request. @param {string} name */
const client = (name, key = "sk-1") => ({ authorization: `Bearer ${key}`, "x-conversation": name });

/**
 * A client that gives its whole history with each request, and asks again where a request fails.
 * @param {Fetch} fetch @param {string} name @param {Record<string, string>} [headers]
 */
async function converse(fetch, name, headers = client(name)) {
  /** @type {any[]} */
  const messages = [];
  let failures = 0;
  for (let turn = 0; turn < TURNS; turn++) {
    messages.push(...spoken(name, turn));
    for (;;) {
      const response = await post(fetch, { model: "m", messages }, headers).catch(() => undefined);
      if (response?.ok) {
        messages.push((await response.json()).choices[0].message);
        break;
      }
      await response?.text();
      assert.ok(++failures < 100, `${name} fails again and again`);
    }
  }
  return { messages, failures };
}

const module = await load();

/** What was sent last is shorter than the history, and with what is stored it is the history. @param {Fetch} fetch @param {any[]} messages @param {Record<string, string>} headers */
async function whole(fetch, messages, headers) {
  const { compactions, pending, archive } = await (await fetch("/v1/conversation", { headers })).json();
  assert.deepEqual([compactions > 0, pending], [true, false]);
  const history = messages.at(-1).role === "assistant" ? messages.slice(0, -1) : messages;
  const sent = log.sent.get(history.at(-1).content) ?? [];
  assert.ok(JSON.stringify(sent).length < JSON.stringify(history).length);
  const store = memoryStore();
  for (const { handle, body } of archive) await store.put(handle, body);
  const compactor = createCompactor({ module, policy: { format: "openai-chat" } });
  assert.deepEqual((await restoreFrom(store, compactor, sent)).messages, history);
  return compactions;
}

/** The worker in workerd. @param {import("node:test").TestContext} t @param {number} window @param {string} className @returns {Promise<Fetch>} */
async function workerd(t, window, className) {
  const { build } = await import(pathToFileURL(require.resolve("esbuild")).href);
  const { Miniflare } = await import(pathToFileURL(require.resolve("miniflare")).href);
  const outdir = `${example}/dist/test`;
  await build({
    stdin: {
      contents: `
        import worker, { ConversationObject } from "./src/worker.js";
        export default worker;
        export { ConversationObject };
        export class Evicted extends ConversationObject {
          constructor(ctx, env) {
            super(ctx, env);
            this.conversation.planned = async () => {
              const chance = Math.random();
              if (chance < 0.2) await ctx.storage.sync();
              if (chance < 0.4) ctx.abort("evicted");
            };
          }
        }`,
      resolveDir: example,
      sourcefile: "test.js",
    },
    outfile: `${outdir}/worker.js`,
    bundle: true,
    format: "esm",
    conditions: ["workerd"],
    external: ["cloudflare:workers", "node:*"],
    loader: { ".wasm": "copy" },
    assetNames: "[name]",
    logLevel: "error",
  });
  const miniflare = new Miniflare({
    modules: true,
    modulesRules: [
      { type: "ESModule", include: ["**/*.js"] },
      { type: "CompiledWasm", include: ["**/*.wasm"] },
    ],
    rootPath: outdir,
    modulesRoot: outdir,
    scriptPath: `${outdir}/worker.js`,
    compatibilityDate: "2026-01-01",
    durableObjects: { CONVERSATIONS: { className, useSQLite: true } },
    bindings: { UPSTREAM: address, WINDOW: String(window) },
    handleRuntimeStdio: (/** @type {any} */ out, /** @type {any} */ errors) => {
      out.resume();
      errors.resume();
    },
  });
  t.after(() => miniflare.dispose());
  await miniflare.ready;
  return (path, init) => miniflare.dispatchFetch(`http://localhost${path}`, init);
}

test("workerd: conversations that are evicted between plan and step", { timeout: 900_000 }, async (t) => {
  const fetch = await workerd(t, WINDOW, "Evicted");
  const names = Array.from({ length: CONVERSATIONS }, (_, i) => `c${i}`);
  let evictions = 0;
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let name = names.pop(); name; name = names.pop()) {
        const { messages, failures } = await converse(fetch, name);
        evictions += failures;
        await whole(fetch, messages, client(name));
      }
    }),
  );
  assert.deepEqual(log.invalid, []);
  assert.equal(log.requests, CONVERSATIONS * TURNS);
  paidOnce();
  assert.ok(evictions > CONVERSATIONS / 4, `${evictions} evictions`);
  t.diagnostic(`${CONVERSATIONS} conversations, ${evictions} evictions, ${log.summaries.size} summaries`);
});

/** A long history: one of 3 MB has rows that SQLite of a Durable Object would refuse. @param {string} name @param {number} bytes */
const long = (name, bytes) => [
  ...Array.from({ length: Math.ceil(bytes / 25_000) }, (_, turn) => [
    { role: "user", content: `Question ${turn} of ${name}?` },
    { role: "assistant", content: `Answer ${turn} of ${name}: ${"some words — and more, ".repeat(1200)}` },
  ]).flat(),
  { role: "user", content: `And now, ${name}?` },
];

test("workerd: a history of 3 MB, and clients that share nothing but the proxy", { timeout: 900_000 }, async (t) => {
  const fetch = await workerd(t, 128_000, "ConversationObject");
  log.invalid = [];
  log.summaries.clear();
  const history = long("the long one", 3_000_000);
  assert.ok(JSON.stringify(history).length > 3_000_000);
  for (let turn = 0; turn < 3; turn++) {
    const response = await post(fetch, { model: "m", messages: history }, client("long"));
    assert.equal(response.status, 200, await response.text());
    assert.equal(await whole(fetch, history, client("long")), 1);
    history.push({ role: "assistant", content: "Well." }, { role: "user", content: `And in turn ${turn}?` });
  }
  paidOnce();

  // The same name and the same history, with another key: nothing of the first is found.
  const asked = log.summaries.size;
  const other = client("long", "sk-2");
  assert.deepEqual((await (await fetch("/v1/conversation", { headers: other })).json()).compactions, 0);
  assert.equal((await post(fetch, { model: "m", messages: history.slice(0, -2) }, other)).status, 200);
  assert.equal(log.summaries.size, asked, "the same prompts");
  assert.ok([...log.summaries.values()].includes(2), "asked again");
  assert.equal((await (await fetch("/v1/conversation", { headers: other })).json()).compactions, 1);

  // Without a name what is in them tells conversations apart, those that begin alike too.
  log.summaries.clear();
  const { authorization } = client("");
  const nameless = ["one", "two"].map((name) => long(name, 600_000));
  const twin = [.../** @type {any[]} */ (nameless[0]).slice(0, 1), ...long("three", 600_000).slice(1)];
  for (let turn = 0; turn < 2; turn++) {
    for (const messages of [...nameless, twin]) {
      assert.equal((await post(fetch, { model: "m", messages }, { authorization })).status, 200);
      const text = JSON.stringify(log.sent.get(messages.at(-1).content));
      assert.ok(text.length < 500_000);
      messages.push(
        { role: "assistant", content: "Well." },
        { role: "user", content: `${messages.at(-1).content} Yes.` },
      );
    }
  }
  paidOnce();
  assert.deepEqual(log.invalid, []);
});

/** What a proxy refuses by itself, and what it passes on. @param {Fetch} fetch */
async function refuses(fetch) {
  const messages = [{ role: "user", content: "Hello?" }];
  const requests = log.requests;
  for (const [body, headers, status] of /** @type {[unknown, Record<string, string>, number][]} */ ([
    [{ model: "m", messages }, {}, 401],
    [{ model: "m", messages }, { "x-conversation": "mine" }, 401],
    [{ model: "m", messages: [] }, client("a"), 400],
    [{ model: "m", messages: [] }, { authorization: "Bearer sk-1" }, 400],
    [{ model: "m", messages: "Hello?" }, client("a"), 400],
    [{ model: "m", messages: [null] }, client("a"), 400],
    [{ model: "m" }, client("a"), 400],
    ["null", client("a"), 400],
    ["", client("a"), 400],
    ['{"model": "m", "messages": [', client("a"), 400],
  ])) {
    const response = await post(fetch, body, headers);
    const { error } = await response.json();
    assert.deepEqual([response.status, typeof error.message], [status, "string"], JSON.stringify(body));
  }
  assert.equal((await fetch("/v1/conversation")).status, 401);
  assert.equal((await fetch("/v1/conversation", { headers: { authorization: "Bearer sk-1" } })).status, 400);
  assert.equal((await fetch("/v1/models", { headers: client("a") })).status, 404);
  assert.equal(log.requests, requests, "nothing of it was sent");
  // What only the upstream can judge goes to it as it is.
  for (const strange of [{ role: "user" }, { role: "exit", content: "Bye." }, { role: "user", content: "\ud83d" }]) {
    const response = await post(fetch, { model: "m", messages: [strange] }, client("strange"));
    assert.equal(response.status, 200);
    await response.text();
  }
  assert.equal(log.requests, requests + 3);
}

test("workerd: bad bodies, no credentials", { timeout: 120_000 }, async (t) => {
  await refuses(await workerd(t, WINDOW, "ConversationObject"));
});

test("a summary that was paid for is not asked for again, and where compaction fails the history is sent", async () => {
  const { Conversation } = await import(pathToFileURL(`${example}/src/conversation.js`).href);
  /** @type {Map<string, string>} */
  const records = new Map();
  let broken = (/** @type {any} */ _change) => false;
  const keys = (/** @type {string} */ prefix) => [...records.keys()].filter((key) => key.startsWith(prefix));
  const storage = {
    get: (/** @type {string} */ key) => JSON.parse(records.get(key) ?? "null") ?? undefined,
    list: (/** @type {string} */ prefix) => keys(prefix).map((key) => JSON.parse(records.get(key) ?? "")),
    write: (/** @type {any} */ change) => {
      if (broken(change)) throw new Error("the disk is full");
      for (const key of (change.remove ?? []).flatMap(keys)) records.delete(key);
      for (const [key, value] of Object.entries(change.set ?? {})) records.set(key, JSON.stringify(value));
    },
  };
  let asked = 0;
  let busy = false;
  /** @type {any[]} */
  let sent = [];
  const send = async (/** @type {any} */ { messages, max_completion_tokens }) => {
    if (!max_completion_tokens) {
      sent = messages;
      return Response.json({});
    }
    asked++;
    if (busy) return Response.json({ error: { message: "busy" } }, { status: 429 });
    const content = "## Summary\nThe user asks and the tool answers, in the one turn as in the other.";
    return Response.json({ choices: [{ message: { content }, finish_reason: "stop" }] });
  };
  const { signal } = new AbortController();
  /** @type {import("ctxfold").Policy} */
  const policy = { format: "openai-chat", window: { tokens: WINDOW, reserve: 300 } };
  const history = Array.from({ length: TURNS }, (_, turn) => [
    ...spoken("paid", turn),
    { role: "assistant", content: `An answer, number ${turn}.` },
  ]).flat();
  const ask = (/** @type {any[]} */ messages) =>
    new Conversation(storage, policy).complete({ model: "m", messages }, "m", send, signal);
  const grown = (/** @type {string} */ more) => {
    history.push({ role: "user", content: more }, { role: "assistant", content: "Well." });
    return history.slice(0, -1);
  };
  broken = ({ set }) => set?.memory;
  const first = grown("And now?");
  await ask(first);
  assert.deepEqual(sent, first, "sent as it is");
  const paid = asked;
  assert.ok(paid > 0);
  broken = () => false;
  await ask(grown("And then?"));
  assert.ok(sent.length < first.length);
  assert.equal(asked, paid, "the summary was there");
  await ask(grown("And at last?"));
  assert.equal(asked, paid);
  assert.deepEqual(
    [...records.keys()].filter((key) => key.startsWith("job/")),
    [],
  );

  // A digest of a model that fails counts for a minute.
  records.clear();
  busy = true;
  await ask(history.slice(0, -1));
  const failed = asked;
  assert.ok(failed > paid && sent.length < history.length);
  await ask(grown("Again?"));
  assert.equal(asked, failed);
  busy = false;
  const memory = storage.get("memory");
  assert.ok(memory[0].again > Date.now());
  records.set("memory", JSON.stringify([{ ...memory[0], again: Date.now() - 1 }]));
  await ask(grown("And again?"));
  assert.ok(asked > failed);
  assert.deepEqual(
    storage.get("memory").map((/** @type {any} */ { again }) => again),
    [undefined],
  );
});

for (const [name, command, args] of /** @type {[string, string, string[]][]} */ ([
  ["Node", process.execPath, []],
  ["Bun", `${runtimes}/bun`, []],
  ["Deno", `${runtimes}/deno`, ["run", "--quiet", "--no-lock", "--allow-all"]],
])) {
  test(`${name}: the same proxy`, { timeout: 120_000 }, async (t) => {
    const free = createServer().listen(0, "127.0.0.1");
    await new Promise((listening) => free.once("listening", listening));
    const { port } = /** @type {any} */ (free.address());
    await new Promise((closed) => free.close(closed));
    const env = { ...process.env, PORT: String(port), UPSTREAM: address, WINDOW: String(WINDOW) };
    const server = spawn(command, [...args, "src/server.js"], {
      cwd: example,
      env,
      detached: true, // what npm put there may be a launcher, which would end without its child
      stdio: ["ignore", "inherit", "inherit"],
    });
    t.after(() => process.kill(-Number(server.pid)));
    const own = (/** @type {string} */ path, /** @type {any} */ init) => fetch(`http://127.0.0.1:${port}${path}`, init);
    for (let i = 0; !(await own("/", {}).catch(() => undefined)); i++) {
      assert.ok(i < 100, "it does not answer");
      await new Promise((later) => setTimeout(later, 100));
    }
    log.invalid = [];
    const { messages } = await converse(own, name.toLowerCase());
    await whole(own, messages, client(name.toLowerCase()));
    assert.deepEqual(log.invalid, []);
    await refuses(own);
  });
}
