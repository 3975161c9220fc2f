/**
 * pi itself judges the session files that `save` writes: it opens them, finds the remaining messages, and continues.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createCompactor, load } from "ctxfold";
import { data, root } from "./ai-sessions.js";

const run = promisify(execFile);
// pi requires a newer Node than this package.
const node = fileURLToPath(new URL("../../fixtures/runtimes/node_modules/.bin/node", import.meta.url));
const pi = fileURLToPath(new URL("../../fixtures/agents/pi.js", import.meta.url));
const module = await load();

const files = ["pi-v1.jsonl", "pi-v3.jsonl"].map((name) => fileURLToPath(new URL(`testdata/sessions/${name}`, root)));
if (data !== undefined) {
  files.push(`${data}/pi/pi_before-compaction.jsonl`, `${data}/derived/pi_before-compaction.pi-v3.jsonl`);
}

/** @type {[name: string, passes: any[]][]} */
const WAYS = [
  ["folded", [{ pass: "fold", keep_tokens: 2000 }]],
  ["cleared", [{ pass: "clear", keep_recent: 1 }]],
  ["both", [{ pass: "clear", keep_recent: 1 }, { pass: "reasoning" }, { pass: "fold", keep_tokens: 4000 }]],
];

/**
 * Converts pi's message to the native format, as far as the formats correspond. @param {any} message @param {number} i
 */
function native(message, i) {
  const { role, content, summary, toolCallId, isError, command, output, exitCode, customType } = message;
  const parts = typeof content === "string" ? [{ type: "text", text: content }] : content;
  /** @param {any} part */
  const part = ({ type, text, thinking, thinkingSignature, id, name, arguments: given, data: payload }) => {
    if (type === "thinking") return { type: "reasoning", text: thinking, signature: thinkingSignature };
    return type === "toolCall" ? { type: "tool_call", id, name, given } : { type, text, payload };
  };
  const said = parts?.map(part);
  switch (role) {
    case "compactionSummary":
      return { summary };
    case "branchSummary":
      return { branch: summary };
    case "toolResult":
      return { role: "tool_result", id: toolCallId, failed: isError, said };
    case "bashExecution":
      return { command, output, exitCode };
    default:
      // The first message of a compacted conversation is a new summary in pi.
      return i === 0 && said.length === 1 && said[0].text ? { summary: said[0].text } : { role, customType, said };
  }
}

/** Returns a message in the native format in the same form. @param {any} message @param {number} i */
function expected(message, i) {
  const { role, content, summary, tool_call_id, is_error, command, output, exit_code, custom_type } = message;
  const parts = typeof content === "string" ? [{ type: "text", text: content }] : content;
  /** @param {any} part */
  const part = ({ type, text, signature, id, name, arguments: given, data: payload }) => {
    if (type === "reasoning") return { type, text, signature };
    return type === "tool_call" ? { type, id, name, given } : { type, text, payload };
  };
  const said = parts?.map(part);
  if (role === "compaction_summary") return { summary };
  if (i === 0 && role === "user" && said.length === 1 && said[0].text) return { summary: said[0].text };
  if (role === "branch_summary") return { branch: summary };
  if (role === "tool_result") return { role, id: tool_call_id, failed: is_error ?? false, said };
  if (role === "bash_execution") return { command, output, exitCode: exit_code };
  return { role, customType: custom_type, said };
}

/** Whether pi sends a message. `open` omits the others. @param {any} message */
const sent = ({ role, content, stopReason, excludeFromContext }) =>
  role !== "system" &&
  !excludeFromContext &&
  stopReason !== "aborted" &&
  stopReason !== "error" &&
  content?.length !== 0;

test("pi resumes what save has written", async () => {
  const folder = await mkdtemp(`${tmpdir()}/ctxfold-pi-`);
  try {
    const written = [];
    for (const file of files) {
      const text = await readFile(file, "utf8");
      for (const [name, passes] of WAYS) {
        const policy = { window: { tokens: 20_000, reserve: 0 }, passes };
        const compactor = createCompactor({ module, policy });
        const session = compactor.open(text);
        const done = await compactor.compact(session, { options: { force: true } });
        if (!done.report.changed) continue;
        /** @type {string} */
        const path = `${folder}/${written.length}.jsonl`;
        await writeFile(path, compactor.save(text, done));
        written.push({ what: `${file}, ${name}`, path, done, model: session.model });
      }
    }
    assert.ok(written.length > files.length, "too little was compacted");
    const { stdout } = await run(node, [pi, ...written.map(({ path }) => path)], { maxBuffer: 1 << 28 });
    const resumed = JSON.parse(stdout);
    for (const [i, { what, path, done, model }] of written.entries()) {
      const { messages, model: by, next, last } = resumed[i];
      const want = JSON.parse(JSON.stringify(/** @type {any[]} */ (done.messages).map(expected)));
      assert.deepEqual(JSON.parse(JSON.stringify(messages.filter(sent).map(native))), want, what);
      assert.equal(by.modelId, model, what);
      assert.equal(next, messages.length + 1, what);
      assert.equal(last.content, "Go on.", what);
      const session = createCompactor({ module }).open(await readFile(path, "utf8"));
      assert.equal(session.messages.length, want.length + 1, what);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
