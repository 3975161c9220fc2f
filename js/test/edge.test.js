import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { installed } from "./support/built.js";

/** Conversations in workerd; the long run has 1,000. */
const CONVERSATIONS = Number(process.env.CONVERSATIONS ?? 40);
const TURNS = 8;
const WINDOW = 3000;

const example = fileURLToPath(new URL("../../examples/edge", import.meta.url));
const require = createRequire(`${example}/package.json`);
const runtimes = fileURLToPath(new URL("../fixtures/runtimes/node_modules/.bin", import.meta.url));

const log = { requests: 0, summaries: 0, invalid: /** @type {string[]} */ ([]) };

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
  if (max_completion_tokens) log.summaries++;
  else log.requests++;
  const content = max_completion_tokens
    ? "## Summary\nThe user asks and the tool answers."
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

/**
 * A client that gives its whole history with each request, and asks again where a request fails.
 * @param {(path: string, init?: any) => Promise<any>} fetch @param {string} name
 */
async function converse(fetch, name) {
  const headers = { "x-conversation": name, "content-type": "application/json" };
  /** @type {any[]} */
  const messages = [];
  let failures = 0;
  for (let turn = 0; turn < TURNS; turn++) {
    messages.push(...spoken(name, turn));
    for (;;) {
      const init = { method: "POST", headers, body: JSON.stringify({ model: "m", messages }) };
      const response = await fetch("/v1/chat/completions", init).catch(() => undefined);
      if (response?.ok) {
        messages.push((await response.json()).choices[0].message);
        break;
      }
      await response?.text();
      assert.ok(++failures < 100, `${name} fails again and again`);
    }
  }
  const stored = await (await fetch("/v1/conversation", { headers })).json();
  return { messages, stored, failures };
}

/** Nothing is lost and nothing is there twice. @param {{messages: any[], stored: any}} conversation */
function whole({ messages, stored: { given, context, archive, pending } }) {
  assert.equal(pending, false);
  assert.ok(given > 0, "no compaction");
  const places = archive.map((/** @type {any} */ [place]) => place);
  assert.equal(new Set(places).size, places.length);
  for (const [place, message] of archive) assert.deepEqual(message, messages[place]);
  const kept = new Set(context.map((/** @type {unknown} */ message) => JSON.stringify(message)));
  const lost = messages
    .slice(0, given)
    .filter((message, i) => !kept.has(JSON.stringify(message)) && !places.includes(i));
  assert.deepEqual(lost, []);
  const own = context
    .map((/** @type {any} */ message) => JSON.stringify(message))
    .filter((/** @type {string} */ text) => messages.some((each) => JSON.stringify(each) === text));
  assert.equal(new Set(own).size, own.length, "a message is there twice");
}

test("workerd: conversations that are evicted between plan and step", { timeout: 900_000 }, async (t) => {
  const { build } = await import(pathToFileURL(require.resolve("esbuild")).href);
  const { Miniflare } = await import(pathToFileURL(require.resolve("miniflare")).href);
  const outdir = `${example}/dist/test`;
  await build({
    stdin: {
      contents: `
        import worker, { ConversationObject } from "./src/worker.js";
        export default worker;
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
    durableObjects: { CONVERSATIONS: { className: "Evicted", useSQLite: true } },
    bindings: { UPSTREAM: address, WINDOW: String(WINDOW) },
    handleRuntimeStdio: (/** @type {any} */ out, /** @type {any} */ errors) => {
      out.resume();
      errors.resume();
    },
  });
  t.after(() => miniflare.dispose());
  await miniflare.ready;
  const fetch = (/** @type {string} */ path, /** @type {any} */ init) =>
    miniflare.dispatchFetch(`http://localhost${path}`, init);
  const names = Array.from({ length: CONVERSATIONS }, (_, i) => `c${i}`);
  let evictions = 0;
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let name = names.pop(); name; name = names.pop()) {
        const conversation = await converse(fetch, name);
        evictions += conversation.failures;
        whole(conversation);
      }
    }),
  );
  assert.deepEqual(log.invalid, []);
  assert.equal(log.requests, CONVERSATIONS * TURNS);
  assert.ok(evictions > CONVERSATIONS / 4, `${evictions} evictions`);
  t.diagnostic(`${CONVERSATIONS} conversations, ${evictions} evictions, ${log.summaries} summaries`);
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
    whole(await converse(own, name.toLowerCase()));
    assert.deepEqual(log.invalid, []);
    assert.equal((await own("/v1/chat/completions", { method: "POST", body: "{}" })).status, 400);
  });
}
