/**
 * The tables of docs/inside/live.md and docs/guides/recipes.md, which show the results of the loops of apps. With
 * UPDATE_TESTED_ON=1 they are written; otherwise the pages must have nearly the same values.
 */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { posix } from "node:path";
import { updating } from "./tested-on.js";

/** The columns of a row. A page omits columns that it does not measure. */
const COLUMNS = {
  name: "client",
  compactions: "compactions",
  least: "the least",
  planned: "summaries planned",
  summaries: "asked for",
  breaks: "cache breaks",
  invalid: "refused",
  lost: "lost",
};

/** The tolerances for the values on the page, because the tokens of random ids vary from run to run. */
const OFF = { compactions: 1, least: 1, planned: 1, summaries: 1, breaks: 1 };

/**
 * Checks the table of a page against the results of the loops, or writes it.
 * @param {string} file the file to which the loops wrote their rows, one line of JSON each
 * @param {string} [path] the page in docs; its table has the same name
 */
export async function liveTable(file, path = "inside/live") {
  const name = posix.basename(path);
  const page = new URL(`../../../docs/${path}.md`, import.meta.url);
  const lines = (await readFile(file, "utf8")).trim().split("\n");
  const row = (/** @type {unknown[]} */ cells) => `| ${cells.join(" | ")} |\n`;
  const measured = lines.map((line) => JSON.parse(line));
  const keys = /** @type {(keyof typeof COLUMNS)[]} */ (Object.keys(COLUMNS)).filter((key) => key in measured[0]);
  const rows = measured.map((loop) => row(keys.map((key) => loop[key])));
  const body = [row(keys.map((key) => COLUMNS[key])), `|${keys.map(() => "---").join("|")}|\n`, ...rows].join("");
  const text = await readFile(page, "utf8");
  const [open, close] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`];
  const from = text.indexOf(open) + open.length;
  const to = text.indexOf(close);
  assert.ok(from >= open.length && to >= from, `${page.pathname} has no table`);
  if (updating) return writeFile(page, text.slice(0, from) + body + text.slice(to));
  const [, , ...said] = text.slice(from, to).trim().split("\n");
  assert.equal(said.length, measured.length);
  for (const [i, loop] of measured.entries()) {
    const cells = said[i]?.slice(2, -2).split(" | ") ?? [];
    const off = keys.filter((key, at) =>
      key in OFF
        ? !(Math.abs(loop[key] - Number(cells[at])) <= OFF[/** @type {keyof typeof OFF} */ (key)])
        : String(loop[key]) !== cells[at],
    );
    assert.deepEqual(
      off,
      [],
      `docs/${name.toUpperCase()}.md does not say what was measured: run npm run tested-on\n${said[i]}\n${rows[i]}`,
    );
  }
}
