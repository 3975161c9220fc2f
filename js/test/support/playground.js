// Actions that the playground's tests perform on its page.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** @typedef {import("playwright-core").Page} Page */

/** Waits until everything is computed: the selected preset, its check, and the other presets. @param {Page} page */
export const settled = (page) => page.locator("#presets[data-done]").waitFor();

/**
 * Performs an action that makes the page compute everything again, and waits until that is done.
 * @param {Page} page
 * @param {() => Promise<unknown>} act
 */
export async function recomputed(page, act) {
  const done = () => page.locator("#presets").getAttribute("data-done");
  const last = await done();
  await act();
  await page.waitForFunction((old) => document.querySelector("#presets")?.getAttribute("data-done") !== old, last);
}

/** Returns the text of the headline. @param {Page} page */
export const headline = async (page) =>
  ((await page.locator("#headline").textContent()) ?? "").replace(/\s+/g, " ").trim();

/**
 * Opens a file with this name and text in the playground.
 * @param {Page} page
 * @param {string} name
 * @param {string | Buffer} text
 */
export const give = (page, name, text) =>
  page.getByLabel("Open your own…").setInputFiles({ name, mimeType: "application/json", buffer: Buffer.from(text) });

/** Clicks a button that downloads a file, and returns its JSON. @param {Page} page @param {string} button */
export async function download(page, button) {
  const waiting = page.waitForEvent("download");
  await page.getByRole("button", { name: button }).click();
  const folder = await mkdtemp(join(tmpdir(), "ctxfold-download-"));
  try {
    const file = join(folder, "file.json");
    await (await waiting).saveAs(file); // the browser may run in another process, whose files have no path here
    return JSON.parse(await readFile(file, "utf8"));
  } finally {
    await rm(folder, { recursive: true });
  }
}
