// Opens a newcomer's page in a browser.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { openPage } from "./browser.js";
import { files, serve } from "./server.js";

/**
 * Opens the page at an address and waits for the expected text.
 * @param {import("node:test").TestContext} t
 * @param {string} address
 * @param {string} expected
 * @param {number} workers the number of workers that the page should start: 0 if the tool leaves out the worker's file
 */
export async function shows(t, address, expected, workers) {
  const page = await openPage(t);
  await page.goto(address);
  const status = page.getByRole("status").filter({ hasText: ":" });
  await status.waitFor();
  assert.equal(await status.textContent(), expected);
  assert.equal(page.workers().length, workers);
}

/**
 * Serves the output of a tool. If the tool writes no page, a page is added that loads `script`.
 * @param {import("node:test").TestContext} t
 * @param {string} folder
 * @param {string} expected
 * @param {number} workers
 * @param {string} [script] a script tag
 */
export async function built(t, folder, expected, workers, script) {
  if (script) {
    await writeFile(
      `${folder}/index.html`,
      `<!doctype html><link rel="icon" href="data:,"><p role="status"></p>${script}`,
    );
  }
  await shows(t, `${await serve(t, files(pathToFileURL(`${folder}/`)))}/`, expected, workers);
}
