// The conformance kit (docs/inside/conformance.md): ctxfold keeps all promises, and the page has the results of these
// versions of other packages.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { finished } from "./support/plugin.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

test("compactors keep what they promise", async (t) => {
  // The results of other packages change with their versions alone, so that make test-long tries those.
  const all = (await readdir(`${root}js/test/compactors`)).filter((name) => name !== "protocol.js").sort();
  const files = process.env.CTXFOLD_LONG ? all : ["ctxfold.js", "trim-messages.js"];
  const commands = files.map((name) => `node js/test/compactors/${name}`);
  const child = spawn("go", ["run", "./internal/conformance", ...commands], { cwd: root });
  const printed = await finished(child).catch((error) => (error.code === "ENOENT" ? undefined : Promise.reject(error)));
  if (printed === undefined) return t.skip("Go is not installed");
  const rows = printed.split("\n").filter((line) => /^\| [^c|]|^\| c(?!ompactor)/.test(line));
  assert.equal(rows.length, files.length, printed);
  const own = rows.find((row) => row.startsWith("| ctxfold ")) ?? "";
  const counts = [...own.matchAll(/ (\d+) of (\d+) /g)];
  assert.equal(counts.length, 6, own);
  for (const [text, kept, tried] of counts) assert.equal(kept, tried, `${text} in\n${printed}`);
  const page = await readFile(`${root}docs/inside/conformance.md`, "utf8");
  /** Returns the promises in a row, without the remaining size, which depends on the digest. @param {string} row */
  const promised = (row) => row.replace(/ \d+ % \|$/, "");
  const told = page.split("\n").map(promised);
  for (const row of rows) assert.ok(told.includes(promised(row)), `docs/inside/conformance.md does not have\n${row}`);
});
