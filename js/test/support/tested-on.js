/**
 * The tables in docs/start/platforms.md and docs/start/integrations.md: the platforms on which the package was
 * tested, and its size. Tests of a platform or a tool call `testedOn`. With UPDATE_TESTED_ON=1 they write their row;
 * otherwise they check that the row exists.
 */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";

const start = new URL("../../../docs/start/", import.meta.url);

/** The columns of each table, which is between `<!-- name -->` and `<!-- /name -->`. */
const HEADS = {
  "tested-on": ["where", "version", "what runs there"],
  bundlers: ["tool", "version", "what is built and run"],
  sdks: ["library", "version", "what is tested"],
  "first-load": ["first call in a page", "longest block", "first result"],
  sizes: ["file", "bytes", "gzip", "brotli"],
};

/** Returns the page of a table. @param {keyof typeof HEADS} table */
const pageOf = (table) => new URL(table === "sdks" ? "integrations.md" : "platforms.md", start);

/** Whether to rewrite the tables. */
export const updating = process.env.UPDATE_TESTED_ON === "1";

/**
 * Returns a page's text before a table, the table, and the text after it.
 * @param {string} text
 * @param {keyof typeof HEADS} table
 */
function parts(text, table) {
  const [open, close] = [`<!-- ${table} -->\n`, `<!-- /${table} -->`];
  const from = text.indexOf(open) + open.length;
  const to = text.indexOf(close);
  assert.ok(from >= open.length && to >= from, `${pageOf(table).pathname} has no table ${table}`);
  return { before: text.slice(0, from), body: text.slice(from, to), after: text.slice(to) };
}

/** Returns the rows of a table, by their first cell. @param {string} body @returns {Map<string, string[]>} */
function rowsOf(body) {
  const lines = body.split("\n").slice(2).filter(Boolean);
  return new Map(
    lines.map((line) => {
      const cells = line.split("|").map((cell) => cell.trim());
      return [cells[1] ?? "", cells.slice(2, -1)];
    }),
  );
}

/** Returns the cells of one row after the first. @param {keyof typeof HEADS} table @param {string} name */
export async function row(table, name) {
  return rowsOf(parts(await readFile(pageOf(table), "utf8"), table).body).get(name);
}

/** Writes one row. @param {keyof typeof HEADS} table @param {string} name @param {string[]} cells */
export async function write(table, name, ...cells) {
  const { before, body, after } = parts(await readFile(pageOf(table), "utf8"), table);
  const rows = rowsOf(body).set(name, cells);
  const lines = [HEADS[table], HEADS[table].map(() => "---")];
  for (const key of [...rows.keys()].sort()) lines.push([key, .../** @type {string[]} */ (rows.get(key))]);
  const text = lines.map((line, i) => (i === 1 ? `|${line.join("|")}|\n` : `| ${line.join(" | ")} |\n`)).join("");
  await writeFile(pageOf(table), before + text + after);
}

/**
 * Writes or checks the row of a platform or a tool.
 * @param {string} where the platform's or the tool's name, by which rows are sorted
 * @param {string} version as the program reports it
 * @param {string} what
 * @param {keyof typeof HEADS} [table]
 */
export async function testedOn(where, version, what, table = "tested-on") {
  if (updating) return write(table, where, version, what);
  const cells = await row(table, where);
  assert.equal(cells?.at(-1), what, `the table ${table} needs a row for ${where}: run npm run tested-on`);
}
