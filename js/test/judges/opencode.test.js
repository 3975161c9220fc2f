/** opencode itself judges the exports that `save` writes: it imports and continues them, and the test examines its next request. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { createCompactor, load } from "ctxfold";
import { root } from "./ai-sessions.js";

const opencode = fileURLToPath(
  new URL("../../fixtures/agents/node_modules/opencode-linux-x64/bin/opencode", import.meta.url),
);
const there = existsSync(opencode);
const skip = !there && (process.platform !== "linux" || process.arch !== "x64") && "opencode is not installed here";
const module = await load();

/**
 * Each way takes opencode two starts, of many seconds each: make test has one, and make test-long all.
 * @type {[name: string, passes: any[]][]}
 */
const WAYS = [["folded", [{ pass: "fold", keep_tokens: 60 }]]];
if (process.env.CTXFOLD_LONG) WAYS.push(["cleared", [{ pass: "clear", keep_recent: 1 }]]);

/** Returns the content of messages for a model, message by message: texts, calls and results. @param {any[]} messages */
function told(messages) {
  return messages.flatMap(({ role, parts }) => {
    const of = (/** @type {any} */ part) => {
      if (part.type === "text") return [[role, part.text]];
      return part.type.startsWith("tool-") ? [["call", part.toolCallId]] : [];
    };
    const results = parts
      .filter((/** @type {any} */ part) => part.type.startsWith("tool-"))
      .map((/** @type {any} */ part) => ["tool", part.errorText ?? part.output.text ?? part.output]);
    return [...parts.flatMap(of), ...results];
  });
}

/** Does the same for a request, without the note that opencode adds if a model accepts no images. @param {any[]} messages */
function asked(messages) {
  return messages.flatMap(({ role, content, tool_calls = [] }) => {
    const texts = typeof content === "string" ? [content] : (content ?? []).map((/** @type {any} */ part) => part.text);
    return [
      ...texts
        .filter(
          (/** @type {string} */ text) => text !== "" && !/^(ERROR: Cannot read|Attached media from tool)/.test(text),
        )
        .map((/** @type {string} */ text) => [role, text]),
      ...tool_calls.map((/** @type {any} */ { id }) => ["call", id]),
    ];
  });
}

test("opencode resumes what save has written", { skip }, async () => {
  assert.ok(there, "opencode is missing: npm ci in js/fixtures/agents");
  const folder = await mkdtemp(`${tmpdir()}/ctxfold-opencode-`);
  /** @type {any[]} */
  let requests = [];
  const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    requests.push(JSON.parse(body));
    const chunk = (/** @type {any} */ choice, /** @type {any} */ more) =>
      `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, ...choice }], ...more })}\n\n`;
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(chunk({ delta: { role: "assistant", content: "Done." }, finish_reason: null }, {}));
    const usage = { prompt_tokens: 9, completion_tokens: 1, total_tokens: 10 };
    response.end(`${chunk({ delta: {}, finish_reason: "stop" }, { usage })}data: [DONE]\n\n`);
  });
  try {
    await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
    const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
    const project = `${folder}/project`;
    await mkdir(project);
    const options = { baseURL: `http://127.0.0.1:${port}/v1`, apiKey: "none" };
    const models = { m: { name: "m", limit: { context: 200_000, output: 8000 } } };
    const provider = { fake: { npm: "@ai-sdk/openai-compatible", name: "Fake", options, models } };
    const config = { share: "disabled", autoupdate: false, provider, model: "fake/m", small_model: "fake/m" };
    await writeFile(`${project}/opencode.json`, JSON.stringify(config));
    const own = {
      HOME: folder,
      TMPDIR: folder,
      PWD: project,
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_AUTOUPDATE: "1",
    };
    const folders = {
      XDG_DATA_HOME: "data",
      XDG_CONFIG_HOME: "config",
      XDG_STATE_HOME: "state",
      XDG_CACHE_HOME: "cache",
    };
    const env = { PATH: process.env.PATH, ...own };
    for (const [key, name] of Object.entries(folders)) Object.assign(env, { [key]: `${folder}/${name}` });
    const run = (/** @type {string[]} */ ...args) =>
      new Promise((resolve, reject) => {
        const child = execFile(opencode, args, { cwd: project, env }, (error, stdout, stderr) =>
          error ? reject(new Error(`opencode ${args[0]}: ${error.message}\n${stderr}`)) : resolve(stdout),
        );
        child.stdin?.end();
      });
    const sample = await readFile(new URL("testdata/sessions/opencode.json", root), "utf8");
    const text = sample
      .replaceAll('"providerID": "anthropic"', '"providerID": "fake"')
      .replaceAll("claude-opus-4-5", "m")
      .replaceAll('"Ada 1931"', JSON.stringify("Ada 1931. ".repeat(200)));
    let changed = 0;
    /** @type {typeof WAYS} */
    const ways = process.env.CTXFOLD_LONG ? [["as it is", []], ...WAYS] : WAYS;
    for (const [name, passes] of ways) {
      const compactor = createCompactor({ module, policy: { window: { tokens: 20_000, reserve: 0 }, passes } });
      const session = compactor.open(text);
      const done = name === "as it is" ? undefined : await compactor.compact(session, { options: { force: true } });
      if (done !== undefined && !done.report.changed) continue;
      const file = done === undefined ? text : compactor.save(text, done);
      if (done !== undefined) changed++;
      await writeFile(`${folder}/session.json`, file);
      assert.match(String(await run("import", `${folder}/session.json`)), /Imported session/, name);
      requests = [];
      await run("run", "--session", JSON.parse(file).info.id, "--model", "fake/m", "Continue");
      const sent = requests.at(-1).messages.filter((/** @type {any} */ { role }) => role !== "system");
      assert.match(JSON.stringify(sent.pop()), /Continue/, name);
      const want = told(JSON.parse(JSON.stringify(done === undefined ? session.messages : done.messages)));
      assert.deepEqual(asked(sent), want, name);
    }
    assert.equal(changed, WAYS.length, "too little was compacted");
  } finally {
    server.close();
    await rm(folder, { recursive: true, force: true });
  }
});
