// The plugins of examples/plugins: pi as a program compacts with its own, the hook of Claude Code is run as that runs it, a session of
// Cloudflare's agents runs its function in workerd, and the types of all packages are checked. make test-agents runs Claude Code and opencode.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join, relative, sep } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { createCompactor, load, restoreFrom } from "ctxfold";
import { directoryStore } from "ctxfold/directory";
import { scripted } from "./programs/api.js";
import { finished, installed, lines } from "./support/plugin.js";
import { bundle, start } from "./support/workerd.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const fixtures = join(root, "js/fixtures");
const plugins = join(root, "examples/plugins");
// pi requires a newer Node than this package.
const node = join(fixtures, "runtimes/node_modules/.bin/node");
const pi = join(fixtures, "agents/node_modules/@earendil-works/pi-coding-agent/dist/cli.js");
const opencode = join(fixtures, "agents/node_modules/opencode-linux-x64/bin/opencode");
const elsewhere = process.platform !== "linux" || process.arch !== "x64";

const RULE = "Always give temperatures in Celsius.";
/** @param {number} turn */
const question = (turn) => `Question ${turn}: how hot was kiln ${turn}?${turn === 1 ? ` ${RULE}` : ""}`;
/** @param {number} turn */
const reply = (turn) => `Kiln ${turn} had ${900 + turn} degrees. ${`Notes on kiln ${turn}. `.repeat(60)}`;

/** Answers the newest question of a request. @param {string} texts */
function answer(texts) {
  const turns = [...texts.matchAll(/Question (\d+): how hot/g)].map(([, n]) => Number(n));
  return turns.length > 0 ? reply(Math.max(...turns)) : "Nothing.";
}

/**
 * Creates a home directory with a project, and starts an API.
 * @param {import("node:test").TestContext} t
 * @param {(texts: string) => string} [says]
 */
async function home(t, says = answer) {
  const folder = await mkdtemp(join(tmpdir(), "ctxfold-plugin-"));
  const api = await scripted(says);
  t.after(async () => {
    await api.end();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  const project = join(folder, "project");
  await mkdir(project);
  const { PATH = "" } = process.env;
  return { folder, project, api, env: { PATH, HOME: folder, TMPDIR: folder, NO_PROXY: "127.0.0.1" } };
}

test("each plugin is at most 100 lines", async () => {
  const files = (await readdir(plugins, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  /** @type {Record<string, number>} */
  const lengths = {};
  for (const { parentPath, name } of files) {
    const path = join(parentPath, name);
    const [plugin = ""] = relative(plugins, path).split(sep);
    lengths[plugin] = (lengths[plugin] ?? 0) + (await readFile(path, "utf8")).split("\n").length - 1;
  }
  const names = ["claude-code", "claude-code.js", "cloudflare-agents.js", "opencode.js", "pi.js"];
  assert.deepEqual(Object.keys(lengths).sort(), names);
  for (const [plugin, length] of Object.entries(lengths)) assert.ok(length <= 100, `${plugin} has ${length} lines`);
});

test("pi compacts with its extension, asks no model, and goes on with the digest", {
  timeout: 1_800_000,
}, async (t) => {
  assert.ok(
    existsSync(pi) && existsSync(node),
    "pi or Node is missing: npm install in js/fixtures/agents and runtimes",
  );
  const { folder, project, api, env } = await home(t);
  const extension = await installed("pi.js", project);
  const settings = join(folder, ".pi/agent");
  await mkdir(settings, { recursive: true });
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const model = {
    id: "m",
    name: "m",
    reasoning: false,
    input: ["text"],
    contextWindow: 200_000,
    maxTokens: 8000,
    cost,
  };
  const provider = { baseUrl: api.url, api: "anthropic-messages", apiKey: "none", models: [model] };
  await writeFile(join(settings, "models.json"), JSON.stringify({ providers: { scripted: provider } }));
  const compaction = { enabled: true, reserveTokens: 2000, keepRecentTokens: 800 };
  await writeFile(join(settings, "settings.json"), JSON.stringify({ compaction }));
  const args = [pi, "--mode", "rpc", "--offline", "--provider", "scripted", "--model", "m", "--extension", extension];
  const child = spawn(node, args, { cwd: project, env: { ...env, PI_OFFLINE: "1", PI_TELEMETRY: "0" } });
  t.after(() => child.kill("SIGKILL"));
  const agent = lines(child);
  const ask = async (/** @type {number} */ turn) => {
    agent.send({ type: "prompt", message: question(turn) });
    await agent.until(({ type }) => type === "agent_end");
    return JSON.stringify(api.sent.at(-1)?.body.messages);
  };
  for (let turn = 1; turn <= 6; turn++) await ask(turn);
  for (let round = 1; round <= 2; round++) {
    const asked = api.sent.length;
    agent.send({ id: `c${round}`, type: "compact" });
    const { success, data, error } = await agent.until(({ type, id }) => type === "response" && id === `c${round}`);
    assert.ok(success, `round ${round}: ${error}`);
    assert.equal(data.details?.by, "ctxfold", JSON.stringify(data));
    assert.ok(data.summary.startsWith("[session digest") && data.summary.includes(RULE), data.summary);
    assert.equal(api.sent.length, asked, "no model is asked");
    const sent = await ask(3 + 4 * round);
    assert.ok(sent.includes(RULE) && sent.includes("[session digest"));
    assert.ok(!sent.includes(reply(1).trim()), "the first answer is gone");
    assert.ok(sent.includes(question(3 + 4 * round)));
    for (let turn = 4; turn <= 6; turn++) await ask(turn + 4 * round);
  }
  const kept = (await readdir(join(project, ".ctxfold"))).map((name) =>
    readFile(join(project, ".ctxfold", name), "utf8"),
  );
  assert.ok(
    (await Promise.all(kept)).some((body) => body.includes(reply(1).trim())),
    "the archive has the first answer",
  );
  // Compactions that only a model can do are left to pi.
  agent.send({ id: "own", type: "compact", customInstructions: "Speak of kiln 2 alone." });
  const { data } = await agent.until(({ type, id }) => type === "response" && id === "own");
  assert.notEqual(data?.details?.by, "ctxfold");
});

test("the plugin of opencode adds the facts of the session to what its model is asked", async (t) => {
  const { project } = await home(t);
  const { Ctxfold } = await import(await installed("opencode.js", project));
  const { info, messages } = JSON.parse(await readFile(join(root, "testdata/sessions/opencode.json"), "utf8"));
  /** @type {string[]} */
  const logged = [];
  const client = {
    session: { get: async () => ({ data: info }), messages: async () => ({ data: messages }) },
    app: { log: async (/** @type {any} */ { body }) => logged.push(body.message) },
  };
  const hooks = await Ctxfold({ client, directory: project });
  const compacting = hooks["experimental.session.compacting"];
  const output = { context: ["opencode's own"] };
  await compacting({ sessionID: info.id }, output);
  assert.deepEqual(logged, []);
  const [own, facts = "", ...more] = output.context;
  assert.deepEqual([own, more], ["opencode's own", []]);
  assert.ok(facts.startsWith("Facts from the record of this session") && facts.includes("How old is Ada?"), facts);
  assert.ok((await readdir(join(project, ".ctxfold"))).length > 0, "what a compaction removes is stored");
  client.session.messages = () => Promise.reject(new Error("no such session"));
  await compacting({ sessionID: info.id }, output);
  assert.equal(output.context.length, 2);
  assert.match(logged.join(), /no such session/);
});

test("opencode gives its model the facts of the session when it compacts", {
  timeout: 1_800_000,
  skip: process.env.CTXFOLD_AGENTS ? elsewhere && "opencode is not installed here" : "make test-agents starts it",
}, async (t) => {
  assert.ok(existsSync(opencode), "opencode is missing: npm install in js/fixtures/agents");
  const { folder, project, api, env } = await home(t);
  await installed("opencode.js", project);
  const options = { baseURL: `${api.url}/v1`, apiKey: "none" };
  const models = { m: { name: "m", limit: { context: 200_000, output: 8000 } } };
  const provider = { fake: { npm: "@ai-sdk/anthropic", name: "Fake", options, models } };
  const config = {
    share: "disabled",
    autoupdate: false,
    provider,
    model: "fake/m",
    small_model: "fake/m",
    plugin: ["./opencode.js"],
  };
  await writeFile(join(project, "opencode.json"), JSON.stringify(config));
  const own = { PWD: project, OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_AUTOUPDATE: "1" };
  for (const name of ["DATA", "CONFIG", "STATE", "CACHE"])
    Object.assign(own, { [`XDG_${name}_HOME`]: join(folder, name) });
  const child = spawn(opencode, ["serve", "--port", "0"], { cwd: project, env: { ...env, ...own } });
  t.after(() => child.kill("SIGKILL"));
  let said = "";
  const url = await new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (piece) => {
        said += piece;
        const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? [];
        if (found) resolve(found);
      });
    }
    child.on("close", () => reject(new Error(said)));
  });
  // fetch would give up after five minutes without an answer.
  const post = async (/** @type {string} */ path, /** @type {object} */ body) => {
    const outgoing = request(url + path, { method: "POST", headers: { "content-type": "application/json" } });
    const [response] = await once(outgoing.end(JSON.stringify(body)), "response");
    const answer = await text(response);
    assert.equal(response.statusCode, 200, `${path}: ${answer}\n${said.slice(-2000)}`);
    return JSON.parse(answer);
  };
  const { id } = await post("/session", {});
  const model = { providerID: "fake", modelID: "m" };
  for (let turn = 1; turn <= 3; turn++) {
    await post(`/session/${id}/message`, { model, parts: [{ type: "text", text: question(turn) }] });
  }
  const from = api.sent.length;
  await post(`/session/${id}/summarize`, { ...model, auto: false });
  const asked = api.sent.slice(from).map(({ body }) => JSON.stringify(body));
  const facts = asked.filter((sent) => sent.includes("Facts from the record of this session"));
  assert.equal(facts.length, 1, asked.join("\n").slice(-3000));
  const [, given = ""] = facts[0]?.split("Facts from the record of this session") ?? [];
  assert.ok(given.includes(question(1)) && given.includes("Kiln 2 had 902 degrees."), given);
  assert.ok((await readdir(join(project, ".ctxfold"))).length > 0);
});

test("the hook of Claude Code gives back after a compaction what its transcript had before", async (t) => {
  const { project, env } = await home(t);
  const hook = await installed("claude-code.js", project);
  const transcript = join(project, "session.jsonl");
  const messages = [1, 2, 3, 4].flatMap((turn) => [
    { role: "user", content: question(turn) },
    { role: "assistant", model: "claude-opus-4-5", content: [{ type: "text", text: reply(turn) }] },
  ]);
  messages.push({ role: "user", content: "Thanks." }); // only the file shows the format of this message
  const entries = messages.map((message, n) => ({
    ...{ type: message.role, uuid: `u${n}`, parentUuid: n === 0 ? null : `u${n - 1}`, sessionId: "s-1", cwd: project },
    ...{ version: "2.1.0", timestamp: new Date(Date.UTC(2026, 0, 1, 0, n)).toISOString(), isSidechain: false, message },
  }));
  await writeFile(transcript, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
  const told = { session_id: "s-1", transcript_path: transcript, cwd: project };
  const run = (/** @type {object} */ more) => {
    const child = spawn(process.execPath, [hook], { cwd: tmpdir(), env: { ...env, CLAUDE_PROJECT_DIR: project } });
    return finished(child, JSON.stringify({ ...told, ...more }));
  };
  assert.equal(await run({ hook_event_name: "SessionStart", source: "compact" }), "", "there was no compaction");
  assert.equal(await run({ hook_event_name: "PreCompact", trigger: "auto", custom_instructions: "" }), "");
  assert.equal(await run({ hook_event_name: "SessionStart", source: "startup" }), "");
  assert.equal(await run({ hook_event_name: "SessionStart", source: "compact", session_id: "s-2" }), "");
  const { hookSpecificOutput: output } = JSON.parse(await run({ hook_event_name: "SessionStart", source: "compact" }));
  assert.equal(output.hookEventName, "SessionStart");
  assert.ok(output.additionalContext.includes(question(1)), output.additionalContext);
  assert.ok(output.additionalContext.includes("Kiln 3 had 903 degrees."));
  assert.equal(await run({ hook_event_name: "SessionStart", source: "compact" }), "", "it is given once");
});

test("the function hook of Claude Code replaces a compaction by a digest, and keeps the newest messages as they are", async (t) => {
  const { project } = await home(t);
  const plugin = await installed("claude-code", project);
  const { register } = await import(join(plugin, "hooks/compact.js"));
  /** @type {any} */
  let hook;
  register((/** @type {string} */ event, /** @type {any} */ it) => {
    assert.equal(event, "session.compact");
    hook = it;
  });
  /** @type {string[]} */
  const logged = [];
  const engine = {
    plugin: { root: plugin },
    session: { root: async () => project },
    ui: { log: (/** @type {string} */ line) => logged.push(line) },
    process: {
      run: async ([, ...args] = [""], { stdin = "" }) => {
        const child = spawn(process.execPath, args, { cwd: project });
        return { exitCode: 0, stdout: await finished(child, stdin), stderr: "" };
      },
    },
  };
  const next = async () => "Claude Code's own";
  const messages = Array.from({ length: 60 }, (_, n) => [
    { role: "user", text: question(n + 1), toolUses: [], handle: `u${n}` },
    {
      role: "assistant",
      text: "",
      toolUses: [{ tool_use_id: `c${n}`, tool: "Read", input: { file_path: `kiln${n}` }, text: reply(n + 1) }],
      handle: `c${n}`,
    },
    {
      role: "user",
      text: "",
      toolUses: [],
      toolResults: [{ tool_use_id: `c${n}`, text: reply(n + 1).repeat(2), isError: false }],
      handle: `r${n}`,
    },
    { role: "assistant", text: reply(n + 1), toolUses: [], handle: `a${n}` },
  ]).flat();
  const { messages: left } = await hook(engine, { trigger: "auto", messages }, next);
  const [digest, ...kept] = left;
  assert.ok(digest.text.startsWith("[session digest") && digest.text.includes(RULE), JSON.stringify(digest));
  assert.equal(digest.handle, undefined);
  assert.ok(kept.length > 4 && kept.length < messages.length / 2, `${kept.length} messages stay`);
  assert.deepEqual(kept, messages.slice(-kept.length));
  assert.equal(kept[0].toolResults, undefined, "no result stays without its call");
  assert.equal(await hook(engine, { trigger: "auto", messages: messages.slice(0, 4) }, next), "Claude Code's own");
  assert.equal(await hook(engine, { trigger: "manual", instructions: "Kiln 2.", messages }, next), "Claude Code's own");
  assert.deepEqual(logged, []);
  engine.process.run = async () => ({ exitCode: 1, stdout: "", stderr: "no module" });
  assert.equal(await hook(engine, { trigger: "auto", messages }, next), "Claude Code's own");
  assert.match(logged.join(), /no module/);
});

/** Returns a session of Cloudflare's agents. @param {number} turns */
const session = (turns) =>
  Array.from({ length: turns }, (_, n) => [
    { id: `u${n}`, role: "user", parts: [{ type: "text", text: question(n + 1) }] },
    {
      id: `a${n}`,
      role: "assistant",
      parts: [
        {
          type: "tool-read",
          toolCallId: `c${n}`,
          state: "output-available",
          input: { path: `kiln${n}` },
          output: reply(n + 1),
        },
        { type: "text", text: reply(n + 1) },
      ],
    },
  ]).flat();

test("the function for sessions of Cloudflare's agents says what its summary replaces, again and again", async (t) => {
  const { project } = await home(t);
  const { createCompactFunction } = await import(await installed("cloudflare-agents.js", project));
  const store = directoryStore(join(project, "kept"));
  const compact = createCompactFunction({ keepRecentTokens: 2000, store });
  /** @type {any[]} */
  let view = session(30);
  assert.equal(await compact(view.slice(0, 2)), null, "a short session stays");
  for (let round = 1; round <= 3; round++) {
    const before = view;
    const { fromMessageId, toMessageId, summary } = await compact(before);
    assert.equal(fromMessageId, before[0].id);
    const end = before.findIndex(({ id }) => id === toMessageId);
    assert.ok(end > 30 && end < before.length - 2, `${end} of ${before.length}`);
    assert.equal(before[end + 1].role, "user", "a turn is not cut");
    assert.ok(summary.includes(RULE) && summary.includes(`Compaction Round ${round}.`), summary);
    // From then on the session shows this overlay.
    const overlay = { id: `compaction_${round}`, role: "assistant", parts: [{ type: "text", text: summary }] };
    view = [
      overlay,
      ...before.slice(end + 1),
      ...session(30).map((message) => ({ ...message, id: `${message.id}-${round}` })),
    ];
  }
  const module = await load();
  const compactor = createCompactor({ module, policy: { format: "ai-sdk-ui", window: { unlimited: true } }, store });
  const { messages } = await restoreFrom(store, compactor, [{ ...view[0], role: "user" }]);
  assert.deepEqual(messages.slice(0, 4), session(2), "what the summaries replaced is in the store");
});

/** A Durable Object with a session that compacts. */
const WORKER = `
import { DurableObject } from "cloudflare:workers";
import { Lifecycle } from "agents/lifecycle";
import { Sessions } from "agents/sessions";
import { createCompactFunction } from "${join(plugins, "cloudflare-agents.js")}";

export class ConversationObject extends DurableObject {
  sessions = new Sessions();
  lifecycle = Lifecycle.install(this).use(this.sessions);
  session = this.sessions.session().onCompaction(createCompactFunction({ keepRecentTokens: 1500 })).compactAfter(6000);
  async onRequest(request) {
    for (const message of await request.json()) await this.session.appendMessage(message);
    return Response.json(await this.session.getHistory());
  }
}
export default { fetch: (request, env) => env.CONVERSATIONS.get(env.CONVERSATIONS.idFromName("one")).fetch(request) };
`;

test("a session of Cloudflare's agents compacts by itself with the function, in workerd", {
  skip: elsewhere && "workerd is started on Linux alone",
}, async (t) => {
  const { folder } = await home(t);
  await bundle({ contents: WORKER, resolveDir: join(fixtures, "cloudflare") }, folder);
  const worker = await start(t, folder, {}, [], ["nodejs_compat"]);
  /** @param {number} part */
  const append = async (part) => {
    const messages = session(20).map((message) => ({ ...message, id: `${message.id}-${part}` }));
    const response = await worker.fetch("/", { method: "POST", body: JSON.stringify(messages) });
    const answer = await response.text();
    assert.ok(response.ok, answer);
    return JSON.parse(answer);
  };
  let length = 0;
  for (let part = 1; part <= 3; part++) {
    const history = await append(part);
    const [overlay, ...rest] = history;
    assert.match(overlay.id, /^compaction_/, JSON.stringify(history.map((/** @type {any} */ { id }) => id)));
    assert.ok(
      overlay.parts[0].text.startsWith("[session digest") && overlay.parts[0].text.includes(RULE),
      overlay.parts[0].text,
    );
    assert.ok(
      rest.every((/** @type {any} */ { id }) => !id.startsWith("compaction_")),
      "there is one digest",
    );
    assert.equal(rest.at(-1).id, `a19-${part}`);
    assert.ok(rest.length < 40, `${rest.length} messages stay`);
    length = Math.max(length, JSON.stringify(history).length);
  }
  assert.ok(length < 60_000, `the history has ${length} characters at most`);
});

test("a summary of the app's own model is taken, and one that fails is replaced", async (t) => {
  const { project } = await home(t);
  const { createCompactFunction } = await import(await installed("cloudflare-agents.js", project));
  const summarize = async () =>
    `## Goal\nKnow how hot each kiln was.\n\n## Rules\n- ${RULE}\n\n## Progress\nAll kilns were read.`;
  const written = await createCompactFunction({ keepRecentTokens: 2000, summarize })(session(30));
  assert.ok(written.summary.includes("Know how hot each kiln was."), written.summary);
  const failing = async () => Promise.reject(new Error("no model"));
  const local = await createCompactFunction({ keepRecentTokens: 2000, summarize: failing })(session(30));
  assert.ok(local.summary.includes(RULE) && local.summary.includes("[1] user: Question 1"));
});

/** Checks the types of the packages. The marked line must be rejected. */
const PROGRAM = `
import type { CompactionFunction, Session } from "agents/sessions";
import type { Plugin } from "@opencode-ai/plugin";
import type { ExtensionFactory } from "@earendil-works/pi-coding-agent";
import { createCompactFunction } from "./cloudflare-agents.js";
import { Ctxfold } from "./opencode.js";
import pi from "./pi.js";

export const compacts: CompactionFunction = createCompactFunction({ keepRecentTokens: 1000 });
export const configured = (session: Session) => session.onCompaction(createCompactFunction()).compactAfter(100_000);
export const plugin: Plugin = Ctxfold;
export const extension: ExtensionFactory = pi;
// @ts-expect-error there is no such option
createCompactFunction({ keep: 1 });
`;

test("the plugins are what the types of their programs want", async (t) => {
  const { project } = await home(t);
  for (const plugin of await readdir(plugins)) await installed(plugin, project);
  await writeFile(join(project, "package.json"), '{"type":"module"}');
  await writeFile(join(project, "program.ts"), PROGRAM);
  const paths = {
    "agents/sessions": [join(fixtures, "cloudflare/node_modules/agents/dist/sessions/index.d.ts")],
    "@opencode-ai/plugin": [join(fixtures, "agents/node_modules/@opencode-ai/plugin/dist/index.d.ts")],
    "@earendil-works/pi-coding-agent": [
      join(fixtures, "agents/node_modules/@earendil-works/pi-coding-agent/dist/index.d.ts"),
    ],
  };
  for (const [file] of Object.values(paths)) assert.ok(existsSync(file ?? ""), `${file} is missing`);
  const tsconfig = {
    compilerOptions: { paths, ...{ module: "nodenext", moduleResolution: "nodenext" } },
    files: ["program.ts"],
  };
  Object.assign(tsconfig.compilerOptions, {
    noEmit: true,
    strict: true,
    allowJs: true,
    skipLibCheck: true,
    target: "es2022",
  });
  Object.assign(tsconfig.compilerOptions, { lib: ["es2024", "dom"], types: [] });
  await writeFile(join(project, "tsconfig.json"), JSON.stringify(tsconfig));
  const compiler = join(root, "js/node_modules/typescript/bin/tsc");
  await finished(spawn(process.execPath, [compiler, "-p", "tsconfig.json", "--pretty", "false"], { cwd: project }));
});
