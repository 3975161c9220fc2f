/**
 * The README's table of where the package was tested. The tests that run a platform name it here; with UPDATE_TESTED_ON=1
 * they write their row, without it they only want it to be there.
 */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";

const readme = new URL("../../README.md", import.meta.url);
const TABLE = /(?<=<!-- tested-on -->\n)[\s\S]*?(?=<!-- \/tested-on -->)/;
const HEAD = "| where | version | what runs there |\n|---|---|---|\n";

/**
 * @param {string} where the platform's name, by which rows are sorted
 * @param {string} version as the platform tells it
 * @param {string} what
 */
export async function testedOn(where, version, what) {
  const text = await readFile(readme, "utf8");
  const rows = new Map(
    (text.match(TABLE)?.[0] ?? "")
      .split("\n")
      .slice(2)
      .filter(Boolean)
      .map((row) => [row.split("|")[1]?.trim() ?? "", row]),
  );
  if (process.env.UPDATE_TESTED_ON !== "1") {
    const row = rows.get(where);
    assert.ok(row?.endsWith(`| ${what} |`), `the README's table wants a row for ${where}: run npm run tested-on`);
    return;
  }
  rows.set(where, `| ${where} | ${version} | ${what} |`);
  const table = [...rows.keys()].sort().map((name) => `${rows.get(name)}\n`);
  await writeFile(
    readme,
    text.replace(TABLE, () => HEAD + table.join("")),
  );
}
