import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import axe from "axe-core";
import { chromium } from "playwright-core";

const BROWSER = "/usr/bin/chromium";
const SHELL = "/usr/bin/chromium-headless-shell";
const executablePath = process.env.CHROMIUM || (existsSync(SHELL) && !existsSync(BROWSER) ? SHELL : BROWSER);
/** The shell has no model, but says that one could be downloaded, and then waits for it without end. */
const withoutModels = executablePath.endsWith("headless-shell")
  ? ["--disable-blink-features=AIPromptAPI,AISummarizationAPI"]
  : [];

/** Why the browser tests cannot run, or false. In CI a missing browser is a failure, so nothing is skipped there. */
export const noBrowser = browserMissing();

function browserMissing() {
  if (existsSync(executablePath) || process.env.CI === "true") return false;
  const reason = `no Chromium at ${executablePath}; set CHROMIUM to its path`;
  console.error(`\n*** THE BROWSER TESTS ARE SKIPPED: ${reason} ***\n`);
  return reason;
}

/**
 * The time limit for waiting in a page or for a browser, in milliseconds. It is long enough for a very busy machine.
 */
export const LIMIT = 1_200_000;

/** Options with which the browser is started. */
export const launchOptions = {
  executablePath,
  timeout: LIMIT,
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    ...withoutModels,
  ],
};

/**
 * Opens a page in headless Chromium with its own storage, which is closed when the test ends. If the page logs an error, the test fails.
 * @param {import("node:test").TestContext} t
 */
export async function openPage(t) {
  const shared = process.env.CTXFOLD_BROWSER; // the browser that scripts/test.js has started
  const browser = shared ? await chromium.connect(shared) : await chromium.launch(launchOptions);
  t.after(() => browser.close());
  const page = await browser.newPage();
  page.setDefaultTimeout(LIMIT);
  page.on("pageerror", (error) => {
    throw error;
  });
  return page;
}

/**
 * Fails if axe finds an accessibility problem, or if the page is wider than its window.
 * @param {import("playwright-core").Page} page
 */
export async function accessible(page) {
  // Loading axe takes as long as running it, so a document loads it once.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe.source);
  const violations = await page.evaluate(async () => {
    // Without other types, axe spends nothing on describing the nodes that pass.
    const found = await /** @type {any} */ (globalThis).axe.run(document, { resultTypes: ["violations"] });
    return found.violations.map((/** @type {any} */ { id, nodes }) => [
      id,
      ...nodes.map((/** @type {any} */ node) => `${node.target}: ${node.failureSummary}`),
    ]);
  });
  assert.deepEqual(violations, []);
  const { wide, window } = await page.evaluate(() => ({
    wide: document.documentElement.scrollWidth,
    window: document.documentElement.clientWidth,
  }));
  assert.ok(wide <= window, `the page is ${wide} pixels wide in a window of ${window}`);
}

/**
 * The looks in which a page is tested.
 * @type {{look: string, size: {width: number, height: number}, colorScheme: "light" | "dark"}[]}
 */
export const LOOKS = [
  { look: "light", size: { width: 1100, height: 1000 }, colorScheme: "light" },
  { look: "dark", size: { width: 1100, height: 1000 }, colorScheme: "dark" },
  { look: "phone", size: { width: 390, height: 844 }, colorScheme: "light" },
  { look: "phone-dark", size: { width: 390, height: 844 }, colorScheme: "dark" },
];

/**
 * Takes a picture. With UPDATE_IMAGES=1 it is saved in docs/images.
 * @param {import("playwright-core").Page} page
 * @param {string} name
 */
export async function photograph(page, name) {
  if (process.env.UPDATE_IMAGES !== "1") return;
  await page.screenshot({ path: fileURLToPath(new URL(`../../../docs/images/${name}.png`, import.meta.url)) });
}
