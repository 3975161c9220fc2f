/**
 * Claude Code compacts with the hook of examples/plugins. Facts that its model has not written down return in the next request, with rules
 * and requests in the user's words. It has its own home directory and talks to a scripted API on 127.0.0.1. make test-agents installs it.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { installed, lines } from "../support/plugin.js";
import { scripted } from "./api.js";

const programs = fileURLToPath(new URL("../../fixtures/programs/node_modules", import.meta.url));
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
    ? `Kiln ${turn} had ${900 + turn} degrees. ${`Notes on kiln ${turn}. `.repeat(60)}`
    : "Nothing.";
}

for (const [version, program] of /** @type {[string, string[]][]} */ ([
  ["2.1.32", [process.execPath, join(programs, "claude-code-2.1/cli.js")]],
  ["2.1.331", [join(programs, "claude-code/bin/claude.exe")]],
])) {
  const skip = !process.env.CTXFOLD_AGENTS && "make test-agents installs and runs the programs";
  test(`Claude Code ${version} goes on with what its hook has kept`, { skip }, async () => {
    assert.ok(existsSync(program.at(-1) ?? ""), `${program} is missing`);
    const home = await mkdtemp(join(tmpdir(), "ctxfold-hook-"));
    const api = await scripted(answer);
    const project = join(home, "project");
    await mkdir(join(project, ".claude"), { recursive: true });
    await installed("claude-code.js", project);
    const hooks = [{ type: "command", command: `"${process.execPath}" "$CLAUDE_PROJECT_DIR/claude-code.js"` }];
    const settings = { hooks: { PreCompact: [{ hooks }], SessionStart: [{ matcher: "compact", hooks }] } };
    await writeFile(join(project, ".claude/settings.json"), JSON.stringify(settings));
    const { PATH = "" } = process.env;
    const off = [
      "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
      "DISABLE_AUTOUPDATER",
      "DISABLE_ERROR_REPORTING",
      "DISABLE_TELEMETRY",
    ];
    const env = { PATH, HOME: home, NO_PROXY: "127.0.0.1", ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: "none" };
    Object.assign(env, Object.fromEntries(off.map((name) => [name, "1"])));
    const format = ["-p", "--verbose", "--input-format", "stream-json", "--output-format", "stream-json"];
    const child = spawn(program[0] ?? "", [...program.slice(1), ...format], { cwd: project, env });
    try {
      const agent = lines(child);
      const say = async (/** @type {string} */ content) => {
        agent.send({ type: "user", message: { role: "user", content }, parent_tool_use_id: null, session_id: "" });
        const { is_error, result } = await agent.until(({ type }) => type === "result");
        assert.ok(!is_error, result);
      };
      await say(`Question 1: how hot was kiln 1? ${RULE}`);
      for (let turn = 2; turn <= 4; turn++) await say(`Question ${turn}: how hot was kiln ${turn}?`);
      await say("/compact");
      const from = api.sent.length;
      await say("Question 5: how hot was kiln 5?");
      const asked = api.sent.slice(from).map(({ body }) => JSON.stringify(body.messages ?? ""));
      const next = asked.find((text) => text.includes("Question 5: how hot")) ?? "";
      assert.ok(next.includes("Kilns were spoken of."), "the model's summary is there");
      assert.ok(next.includes("From the record of this session before its compaction"), next);
      assert.ok(next.includes(RULE) && next.includes("Kiln 1 had 901 degrees."), next);
      assert.equal(next.split("From the record of this session").length, 2, "it is given once");
      const kept = await readdir(join(project, ".ctxfold"));
      assert.ok(kept.length > 0 && kept.every((name) => !name.endsWith(".txt")), `${kept}`);
    } finally {
      child.kill("SIGKILL");
      await api.end();
      await rm(home, { recursive: true, force: true, maxRetries: 5 });
    }
  });
}
