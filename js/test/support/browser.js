import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

const executablePath = process.env.CHROMIUM || "/usr/bin/chromium";

/** Why the browser tests cannot run, or false. In CI a missing browser is a failure, so nothing is skipped there. */
export const noBrowser = browserMissing();

function browserMissing() {
  if (existsSync(executablePath) || process.env.CI === "true") return false;
  const reason = `no Chromium at ${executablePath}; set CHROMIUM to its path`;
  console.error(`\n*** THE BROWSER TESTS ARE SKIPPED: ${reason} ***\n`);
  return reason;
}

/**
 * A page of a headless Chromium; the browser closes when the test ends. What the page logs as an error fails the test.
 * @param {import("node:test").TestContext} t
 */
export async function openPage(t) {
  const browser = await chromium.launch({
    executablePath,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
  t.after(() => browser.close());
  const page = await browser.newPage();
  page.on("pageerror", (error) => {
    throw error;
  });
  return page;
}
