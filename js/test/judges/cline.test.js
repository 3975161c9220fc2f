/** Cline itself judges the session files that `save` writes: it resumes them, and the test examines its next request. */
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
// Cline requires a newer Node than this package.
const node = fileURLToPath(new URL("../../fixtures/runtimes/node_modules/.bin/node", import.meta.url));
const cline = fileURLToPath(new URL("../../fixtures/cline/cline.js", import.meta.url));
const module = await load();

const files = [fileURLToPath(new URL("testdata/sessions/cline.json", root))];
if (data !== undefined) {
  const real = ["cline_session.messages.json", "cline_basic.compaction.json", "cline_agentic.compaction.json"];
  files.push(...real.map((name) => `${data}/cline/${name}`));
}

/** @type {[name: string, passes: any[]][]} */
const WAYS = [
  ["as it is", []],
  ["folded", [{ pass: "fold", keep_tokens: 200 }]],
  ["cleared", [{ pass: "clear", keep_recent: 1 }]],
  ["both", [{ pass: "clear", keep_recent: 1 }, { pass: "reasoning" }, { pass: "fold", keep_tokens: 800 }]],
];

/**
 * Blocks, one after the other, without cache marks; messages of one role in a row are one. Of a result that is a list in a text, as Cline's
 * own tools write it, the id alone: Cline takes the list apart when it sends it, and leaves out what a later result has again.
 * @param {any[]} messages
 * @param {Set<string>} lists the ids of such results
 */
const said = (messages, lists) =>
  messages.flatMap(({ role, content }) => {
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
    return blocks.map((/** @type {any} */ { cache_control: _, ...block }) => {
      if (block.type !== "tool_result") return { role, ...block };
      const { tool_use_id: id, content: output } = block;
      if (typeof output === "string" && /^\[?{"query"/.test(output)) lists.add(id);
      return lists.has(id) ? { role, id } : { role, ...block };
    });
  });

test("Cline resumes what save has written", async () => {
  const folder = await mkdtemp(`${tmpdir()}/ctxfold-cline-`);
  try {
    const written = [];
    for (const file of files) {
      const text = await readFile(file, "utf8");
      for (const [name, passes] of WAYS) {
        const compactor = createCompactor({ module, policy: { window: { tokens: 20_000, reserve: 0 }, passes } });
        const session = compactor.open(text);
        assert.equal(session.kind, "cline");
        /** @type {string} */
        const path = `${folder}/${written.length}.json`;
        if (passes.length === 0) {
          await writeFile(path, text);
          written.push({ what: `${file}, ${name}`, path, messages: session.messages });
          continue;
        }
        const done = await compactor.compact(session, { options: { force: true } });
        if (!done.report.changed) continue;
        await writeFile(path, compactor.save(text, done));
        written.push({ what: `${file}, ${name}`, path, messages: done.messages });
      }
    }
    assert.ok(written.length > 2 * files.length, "too little was compacted");
    const { stdout } = await run(node, [cline, ...written.map(({ path }) => path)], { maxBuffer: 1 << 28 });
    const asked = JSON.parse(stdout);
    for (const [i, { what, messages }] of written.entries()) {
      /** @type {Set<string>} */
      const lists = new Set();
      const want = JSON.parse(JSON.stringify(said(messages, lists)));
      const blocks = said(asked[i], lists);
      assert.deepEqual(blocks.pop(), { role: "user", type: "text", text: "Go on." }, what);
      assert.deepEqual(blocks, want, what);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
