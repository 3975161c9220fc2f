/** The table of docs/LIVE.md: what the loops of apps came to. UPDATE_TESTED_ON=1 writes it, without it the page must say the same. */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { updating } from "./tested-on.js";

const page = new URL("../../../docs/LIVE.md", import.meta.url);

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

/** @param {string} file what the loops have written, a line of JSON each */
export async function liveTable(file) {
  const lines = (await readFile(file, "utf8")).trim().split("\n");
  const keys = /** @type {(keyof typeof COLUMNS)[]} */ (Object.keys(COLUMNS));
  const row = (/** @type {unknown[]} */ cells) => `| ${cells.join(" | ")} |\n`;
  const rows = lines.map((line) => JSON.parse(line)).map((loop) => row(keys.map((key) => loop[key])));
  const body = [row(Object.values(COLUMNS)), `|${keys.map(() => "---").join("|")}|\n`, ...rows].join("");
  const text = await readFile(page, "utf8");
  const [open, close] = ["<!-- live -->\n", "<!-- /live -->"];
  const from = text.indexOf(open) + open.length;
  const to = text.indexOf(close);
  assert.ok(from >= open.length && to >= from, "docs/LIVE.md has no table");
  if (updating) return writeFile(page, text.slice(0, from) + body + text.slice(to));
  assert.equal(text.slice(from, to), body, "docs/LIVE.md does not say what was measured: run npm run tested-on");
}
