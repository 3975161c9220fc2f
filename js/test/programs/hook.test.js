/**
 * Claude Code compacts with the hook of examples/plugins. Facts that its model has not written down return in the next request, with rules
 * and requests in the user's words. With the function hook, the digest replaces the compaction. Claude Code has its own home directory and
 * talks to a scripted API on 127.0.0.1. make test-agents installs it.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { installed, lines } from "../support/plugin.js";
import { scripted } from "./api.js";

const programs = fileURLToPath(new URL("../../fixtures/programs/node_modules", import.meta.url));
const skip = !process.env.CTXFOLD_AGENTS && "make test-agents installs and runs the programs";
const RULE = "Always give temperatures in Celsius.";

/** A model that forgets the facts that it should write down. @param {string} texts */
function answer(texts) {
  const newest = JSON.stringify(
    JSON.parse(texts).messages?.findLast((/** @type {any} */ { role }) => role === "user") ?? "",
  );
  if (newest.includes("<summary>")) return "<summary>Kilns were spoken of.</summary>";
  const turns = [...texts.matchAll(/Question (\d+): how hot/g)].map(([, n]) => Number(n));
  const turn = Math.max(...turns);
  return turns.length > 0
    ? `Kiln ${turn} had ${900 + turn} degrees. ${`Notes on kiln ${turn}. `.repeat(newest.includes("In detail.") ? 2500 : 60)}`
    : "Nothing.";
}

/**
 * Starts Claude Code in a project of its own. `say` resolves when it has answered, `next` with the messages of the request that a text of the user made.
 * @param {string[]} program @param {(project: string) => Promise<{ args?: string[], env?: Record<string, string>, settings?: object }>} prepare
 */
async function started(program, prepare) {
  assert.ok(existsSync(program.at(-1) ?? ""), `${program} is missing`);
  const home = await mkdtemp(join(tmpdir(), "ctxfold-hook-"));
  const api = await scripted(answer);
  const project = join(home, "project");
  await mkdir(join(project, ".claude"), { recursive: true });
  const { args = [], env: more = {}, settings = {} } = await prepare(project);
  await writeFile(join(project, ".claude/settings.json"), JSON.stringify(settings));
  const { PATH = "" } = process.env;
  const off = [
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
    "DISABLE_AUTOUPDATER",
    "DISABLE_ERROR_REPORTING",
    "DISABLE_TELEMETRY",
  ];
  const env = {
    PATH,
    HOME: home,
    TMPDIR: home,
    NO_PROXY: "127.0.0.1",
    ANTHROPIC_BASE_URL: api.url,
    ANTHROPIC_API_KEY: "none",
  };
  Object.assign(env, Object.fromEntries(off.map((name) => [name, "1"])), more);
  const format = ["-p", "--verbose", "--input-format", "stream-json", "--output-format", "stream-json"];
  const child = spawn(program[0] ?? "", [...program.slice(1), ...format, ...args], { cwd: project, env });
  const agent = lines(child);
  const say = async (/** @type {string} */ content) => {
    agent.send({ type: "user", message: { role: "user", content }, parent_tool_use_id: null, session_id: "" });
    const { is_error, result } = await agent.until(({ type }) => type === "result");
    assert.ok(!is_error, result);
  };
  return {
    project,
    api,
    say,
    next: async (/** @type {string} */ content) => {
      const from = api.sent.length;
      await say(content);
      const asked = api.sent.slice(from).map(({ body }) => JSON.stringify(body.messages ?? ""));
      return asked.find((text) => text.includes(content)) ?? "";
    },
    end: async () => {
      child.kill("SIGKILL");
      await api.end();
      await rm(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

for (const [version, program] of /** @type {[string, string[]][]} */ ([
  ["2.1.32", [process.execPath, join(programs, "claude-code-2.1/cli.js")]],
  ["2.1.332", [join(programs, "claude-code/bin/claude.exe")]],
])) {
  test(`Claude Code ${version} goes on with what its hook has kept`, { skip }, async () => {
    const { project, say, next, end } = await started(program, async (project) => {
      await installed("claude-code.js", project);
      const hooks = [{ type: "command", command: `"${process.execPath}" "$CLAUDE_PROJECT_DIR/claude-code.js"` }];
      return { settings: { hooks: { PreCompact: [{ hooks }], SessionStart: [{ matcher: "compact", hooks }] } } };
    });
    try {
      await say(`Question 1: how hot was kiln 1? ${RULE}`);
      for (let turn = 2; turn <= 4; turn++) await say(`Question ${turn}: how hot was kiln ${turn}?`);
      await say("/compact");
      const sent = await next("Question 5: how hot was kiln 5?");
      assert.ok(sent.includes("Kilns were spoken of."), "the model's summary is there");
      assert.ok(sent.includes("From the record of this session before its compaction"), sent);
      assert.ok(sent.includes(RULE) && sent.includes("Kiln 1 had 901 degrees."), sent);
      assert.equal(sent.split("From the record of this session").length, 2, "it is given once");
      const kept = await readdir(join(project, ".ctxfold"));
      assert.ok(kept.length > 0 && kept.every((name) => !name.endsWith(".txt")), `${kept}`);
    } finally {
      await end();
    }
  });
}

test("the function hook replaces the compactions of Claude Code 2.1.332, and no model is asked", { skip }, async () => {
  const program = [join(programs, "claude-code/bin/claude.exe")];
  const { project, api, say, next, end } = await started(program, async (project) => ({
    args: ["--plugin-dir", await installed("claude-code", project)],
    env: { CLAUDE_CODE_ENABLE_FUNCTION_HOOKS: "1" },
  }));
  try {
    const old = "Notes on kiln 2. ".repeat(200);
    await say(`Question 1: how hot was kiln 1? ${RULE}`);
    for (let round = 1; round <= 2; round++) {
      // Answers are long enough for the first ones to be folded.
      for (let turn = 4 * round - 2; turn <= 4 * round; turn++)
        await say(`Question ${turn}: how hot was kiln ${turn}? In detail.`);
      const asked = api.sent.length;
      await say("/compact");
      assert.equal(api.sent.length, asked, `round ${round}: the model is asked for no summary`);
      const sent = await next(`Question ${4 * round + 1}: how hot was kiln ${4 * round + 1}?`);
      assert.ok(sent.includes("[session digest") && sent.includes(RULE), sent.slice(0, 3000));
      assert.equal(sent.split("[session digest").length, 2, "there is one digest");
      assert.ok(sent.includes("Kiln 1 had 901 degrees."), sent.slice(0, 3000));
      assert.ok(sent.includes(`Notes on kiln ${4 * round}. Notes on kiln ${4 * round}.`), "the newest answer stays");
      assert.ok(!sent.includes(old), "an old one has left");
    }
    const kept = (await readdir(join(project, ".ctxfold"))).map((name) =>
      readFile(join(project, ".ctxfold", name), "utf8"),
    );
    assert.ok(
      (await Promise.all(kept)).some((body) => body.includes(old)),
      "the archive has it",
    );
    const asked = api.sent.length;
    await say("/compact Speak of kiln 2 alone.");
    assert.ok(api.sent.length > asked, "what only a model can do is left to it");
  } finally {
    await end();
  }
});
