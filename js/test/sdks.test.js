// Runs the tests of the adapters in a fixture with the SDKs, whose newest versions require a newer Node than this
// package.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { liveTable } from "./support/live-table.js";
import { packedInto } from "./support/packed.js";
import { testedOn, updating } from "./support/tested-on.js";

const run = promisify(execFile);
const build = fileURLToPath(new URL("../../build/", import.meta.url));
const node = fileURLToPath(new URL("../fixtures/runtimes/node_modules/.bin/node", import.meta.url));

/** @type {[name: string, folder: string, what: string][]} */
const LIBRARIES = [
  ["@anthropic-ai/sdk", "@anthropic-ai/sdk", "`compactingFetch`: Messages, streamed and not, tool runner"],
  ["ai (6)", "ai-6", "`compactionMiddleware`, `prepareStep`"],
  ["ai (7)", "ai", "`compactionMiddleware`, `prepareStep`"],
  ["@mastra/core", "@mastra/core", "`compactionMiddleware` around an agent's model, with memory"],
  ["@openai/agents", "@openai/agents", "`compactingFetch`, with and without a session"],
  ["langchain", "langchain", "`compactionMiddleware` of an agent, `compactMessages`"],
  ["openai", "openai", "`compactingFetch`: Chat Completions and Responses"],
];

test("adapters: long conversations against providers that refuse what breaks their rules", async () => {
  const cwd = await packedInto("sdks");
  const names = (await readdir(cwd)).filter((name) => name.endsWith(".test.js"));
  assert.ok(names.length >= 4);
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const loops = `${build}live.jsonl`;
  await mkdir(build, { recursive: true });
  await rm(loops, { force: true });
  const table = updating || process.env.CTXFOLD_LONG ? { LIVE_TABLE: loops } : {};
  try {
    // In one process, which optimizes the module once for all of them.
    await run(node, ["--test", "--test-isolation=none", "--test-reporter=spec", ...names], {
      cwd,
      env: { ...env, ...table },
      maxBuffer: 1 << 26,
    });
  } catch (error) {
    assert.fail(/** @type {{stdout: string}} */ (error).stdout);
  }
  if (table.LIVE_TABLE) await liveTable(loops);
  for (const [name, folder, what] of LIBRARIES) {
    const { version } = JSON.parse(await readFile(`${cwd}/node_modules/${folder}/package.json`, "utf8"));
    await testedOn(name, version, what, "sdks");
  }
});
