import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { installed } from "./support/built.js";
import {
  client,
  converse,
  endUpstream,
  example,
  log,
  MAX_BODY,
  paidOnce,
  passesStreams,
  post,
  reach,
  refuses,
  spoken,
  TURNS,
  upstream,
  WINDOW,
  whole,
} from "./support/edge.js";
import { freePort } from "./support/port.js";
import { serve } from "./support/server.js";

/** The number of conversations in workerd; the long run has 1,000. */
const CONVERSATIONS = Number(process.env.CONVERSATIONS ?? 20);

/** @typedef {import("./support/edge.js").Fetch} Fetch */

const require = createRequire(`${example}/package.json`);
const runtimes = fileURLToPath(new URL("../fixtures/runtimes/node_modules/.bin", import.meta.url));
let address = "";

before(async () => {
  await installed("edge");
  address = await upstream();
});
after(endUpstream);

/**
 * Starts the worker in workerd.
 * @param {import("node:test").TestContext} t
 * @param {number} window
 * @param {string} className
 * @returns {Promise<Fetch>}
 */
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
    bindings: { UPSTREAM: address, WINDOW: String(window), MAX_BODY },
    handleRuntimeStdio: (/** @type {any} */ out, /** @type {any} */ errors) => {
      out.resume();
      errors.resume();
    },
  });
  t.after(() => miniflare.dispose());
  return reach(await miniflare.ready);
}

test("workerd: conversations that are evicted between plan and step", async (t) => {
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

/**
 * Returns a long history. A history of 3 MB would need rows that are too large for SQLite in a Durable Object.
 * @param {string} name
 * @param {number} bytes
 */
const long = (name, bytes) => [
  ...Array.from({ length: Math.ceil(bytes / 25_000) }, (_, turn) => [
    { role: "user", content: `Question ${turn} of ${name}?` },
    { role: "assistant", content: `Answer ${turn} of ${name}: ${"some words — and more, ".repeat(1200)}` },
  ]).flat(),
  { role: "user", content: `And now, ${name}?` },
];

test("workerd: a history of 3 MB, and clients that share nothing but the proxy", async (t) => {
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

  // With the same name and the same history, but another key, nothing of the first conversation is found.
  const asked = log.summaries.size;
  const other = client("long", "sk-2");
  assert.deepEqual((await (await fetch("/v1/conversation", { headers: other })).json()).compactions, 0);
  assert.equal((await post(fetch, { model: "m", messages: history.slice(0, -2) }, other)).status, 200);
  assert.equal(log.summaries.size, asked, "the same prompts");
  assert.ok([...log.summaries.values()].includes(2), "asked again");
  assert.equal((await (await fetch("/v1/conversation", { headers: other })).json()).compactions, 1);

  // Without a name, conversations are distinguished by their content, even if they begin alike.
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

test("workerd: bad bodies, no credentials, streams", async (t) => {
  const fetch = await workerd(t, WINDOW, "ConversationObject");
  await refuses(fetch);
  await passesStreams(fetch);
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
  const send = async (/** @type {string | Uint8Array} */ body) => {
    const { messages, max_completion_tokens } = JSON.parse(
      typeof body === "string" ? body : new TextDecoder().decode(body),
    );
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
  const utf8 = (/** @type {object} */ body) => new TextEncoder().encode(JSON.stringify(body));
  /** @type {import("ctxfold").Policy} */
  const policy = { format: "openai-chat", window: { tokens: WINDOW, reserve: 300 } };
  const history = Array.from({ length: TURNS }, (_, turn) => [
    ...spoken("paid", turn),
    { role: "assistant", content: `An answer, number ${turn}.` },
  ]).flat();
  const ask = (/** @type {any[]} */ messages) =>
    new Conversation(storage, policy).complete(utf8({ model: "m", messages }), "m", send, signal);
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

  // A digest that was made because the model failed is used for a minute.
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

/**
 * Starts the proxy as a program.
 * @param {import("node:test").TestContext} t
 * @param {string} command
 * @param {string[]} args
 * @param {Record<string, string>} [settings]
 * @returns {Promise<{fetch: Fetch, stop: () => Promise<void>}>}
 */
async function program(t, command, args, settings = {}) {
  const port = await freePort();
  const env = { ...process.env, PORT: String(port), UPSTREAM: address, WINDOW: String(WINDOW), ...settings };
  const server = spawn(command, args, {
    cwd: example,
    env: { ...env, MAX_BODY: String(MAX_BODY) },
    detached: true, // the npm package may install a launcher, which would end without its child
    stdio: ["ignore", "ignore", "inherit"],
  });
  const ended = new Promise((end) => server.once("exit", end));
  const stop = async () => {
    if (server.exitCode === null && server.signalCode === null) process.kill(-Number(server.pid));
    await ended;
  };
  t.after(stop);
  const own = reach(`http://127.0.0.1:${port}`);
  while (!(await own("/", {}).catch(() => undefined))) {
    assert.ok(server.exitCode === null && server.signalCode === null, "it has ended");
    await new Promise((later) => setTimeout(later, 100));
  }
  return { fetch: own, stop };
}

/** Checks the behavior that all platforms share. @param {Fetch} fetch @param {string} name */
async function proxies(fetch, name) {
  log.invalid = [];
  const { messages } = await converse(fetch, name);
  await whole(fetch, messages, client(name));
  assert.deepEqual(log.invalid, []);
  await refuses(fetch);
}

const DENO = ["run", "--quiet", "--no-lock", "--allow-all"];

for (const [name, command, args] of /** @type {[string, string, string[]][]} */ ([
  ["Node", process.execPath, []],
  ["Bun", `${runtimes}/bun`, []],
  ["Deno", `${runtimes}/deno`, DENO],
])) {
  test(`${name}: the same proxy`, async (t) => {
    const { fetch } = await program(t, command, [...args, "src/server.js"]);
    await proxies(fetch, name.toLowerCase());
    await passesStreams(fetch);
  });
}

/**
 * Sends a history of 3 MB in two turns. The second turn finds the compaction that the first has stored.
 * @param {(turn: number) => Promise<Fetch>} fetchOf
 */
async function keepsLarge(fetchOf) {
  const headers = client("large");
  const history = long("the large one", 3_000_000);
  log.summaries.clear();
  for (let turn = 0; turn < 2; turn++) {
    const fetch = await fetchOf(turn);
    const response = await post(fetch, { model: "m", messages: history }, headers);
    assert.equal(response.status, 200, await response.text());
    assert.equal(await whole(fetch, history, headers), 1);
    history.push({ role: "assistant", content: "Well." }, { role: "user", content: `And in turn ${turn}?` });
  }
  paidOnce();
}

test("Deno Deploy: conversations in Deno KV, whose values are small, outlive the isolate", async (t) => {
  const folder = await mkdtemp(`${tmpdir()}/ctxfold-kv-`);
  t.after(() => rm(folder, { recursive: true, force: true }));
  const start = (/** @type {number} */ window) =>
    program(t, `${runtimes}/deno`, [...DENO, "--unstable-kv", "src/deno.js"], {
      KV: `${folder}/kv`,
      WINDOW: String(window),
    });
  const small = await start(WINDOW);
  await proxies(small.fetch, "deploy");
  await passesStreams(small.fetch);
  await small.stop();
  /** @type {Awaited<ReturnType<typeof start>> | undefined} */
  let isolate;
  await keepsLarge(async () => {
    await isolate?.stop();
    isolate = await start(128_000);
    return isolate.fetch;
  });
});

/**
 * Starts a server for the part of Redis over REST that the example uses. Like the real one, it accepts requests of up to 1 MB.
 * @param {import("node:test").TestContext} t
 */
async function redis(t) {
  /** @type {Map<string, any>} */
  const values = new Map();
  /** @type {Record<string, (key: string, ...rest: string[]) => unknown>} */
  const commands = {
    GET: (key) => values.get(key) ?? null,
    SET: (key, value) => values.set(key, value) && "OK",
    DEL: (...keys) => keys.filter((key) => values.delete(key)).length,
    HGETALL: (key) => Object.entries(values.get(key) ?? {}).flat(),
    HSET: (key, ...pairs) => {
      const hash = { ...values.get(key) };
      for (let i = 0; i < pairs.length; i += 2) hash[pairs[i] ?? ""] = pairs[i + 1];
      values.set(key, hash);
      return pairs.length / 2;
    },
    HDEL: (key, ...fields) => {
      const hash = values.get(key) ?? {};
      for (const field of fields) delete hash[field];
      return fields.length;
    },
  };
  return serve(t, async (request, response) => {
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += chunk;
    const allowed = request.headers.authorization === "Bearer secret" && text.length < 1e6;
    if (request.url !== "/multi-exec" || !allowed) return response.writeHead(400).end(`refused: ${text.length}`);
    /** @type {[string, string, ...string[]][]} */
    const asked = JSON.parse(text);
    const results = asked.map(([name, ...args]) => ({ result: commands[name]?.(...args) }));
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(results));
  });
}

test("Vercel: an edge function, with conversations in Redis", async (t) => {
  const fixture = createRequire(`${runtimes}/../../package.json`);
  const { build } = await import(pathToFileURL(fixture.resolve("esbuild")).href);
  const { EdgeRuntime, runServer } = fixture("edge-runtime");
  // As on the platform, each file in `api` is a route, and modules are passed along.
  const { outputFiles } = await build({
    stdin: {
      contents: `
        import completions, { config } from "./api/v1/chat/completions.js";
        import conversation from "./api/v1/conversation.js";
        if (config.runtime !== "edge") throw new Error("no edge function");
        const routes = { "/api/v1/chat/completions": completions, "/api/v1/conversation": conversation };
        addEventListener("fetch", (event) => {
          const route = routes[new URL(event.request.url).pathname] ?? conversation;
          event.respondWith(route(event.request));
        });`,
      resolveDir: example,
    },
    bundle: true,
    write: false,
    format: "iife",
    conditions: ["edge-light"],
    logLevel: "error",
    plugins: [
      {
        name: "modules are handed over by the platform",
        setup(/** @type {any} */ builder) {
          builder.onResolve({ filter: /\.wasm\?module$/ }, () => ({ path: "ctxfold", namespace: "wasm" }));
          builder.onLoad({ filter: /.*/, namespace: "wasm" }, () => ({ contents: "export default globalThis.OWN" }));
        },
      },
    ],
  });
  const OWN = await WebAssembly.compile(await readFile(new URL("../ctxfold.wasm", import.meta.url)));
  const database = { KV_REST_API_URL: await redis(t), KV_REST_API_TOKEN: "secret" };
  /** @param {number} window @returns {Promise<Fetch>} */
  const start = async (window) => {
    const env = { UPSTREAM: address, WINDOW: String(window), MAX_BODY: String(MAX_BODY), ...database };
    const runtime = new EdgeRuntime({
      initialCode: outputFiles[0].text,
      codeGeneration: { strings: false, wasm: false },
      extend: (/** @type {any} */ context) => Object.assign(context, { OWN, process: { env } }),
    });
    const server = await runServer({ runtime, host: "127.0.0.1" });
    t.after(() => server.close());
    return reach(new URL("/api/", server.url));
  };
  await proxies(await start(WINDOW), "vercel");
  await keepsLarge(() => start(128_000));
});
