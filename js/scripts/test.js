// node scripts/test.js FILE…: runs test files with what they share: one browser, which each test opens a page of its own in, and one
// tarball of the package. Two files run at the same time. No test has a limit of its own: what hangs ends after half an hour.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { launchOptions } from "../test/support/browser.js";
import { packed } from "../test/support/packed.js";

const files = process.argv.slice(2);
const whole = files.some((file) => file.includes("browser"));
const folder = await mkdtemp(join(tmpdir(), "ctxfold-tests-"));
const env = { ...process.env };
/** @type {import("playwright-core").BrowserServer | undefined} */
let browser;
let code = 1;
try {
  if (whole) {
    env.CTXFOLD_TARBALL = join(folder, await packed(folder));
    if (existsSync(launchOptions.executablePath)) {
      const { chromium } = await import("playwright-core");
      browser = await chromium.launchServer(launchOptions);
      env.CTXFOLD_BROWSER = browser.wsEndpoint();
    }
  }
  const times = fileURLToPath(new URL("times.js", import.meta.url));
  const reporters = process.env.CTXFOLD_TIMES
    ? [
        "--test-reporter=spec",
        "--test-reporter-destination=stdout",
        `--test-reporter=${times}`,
        `--test-reporter-destination=${folder}/times.txt`,
      ]
    : [];
  const child = spawn(
    process.execPath,
    ["--test", "--test-concurrency=2", "--test-timeout=1800000", ...reporters, ...files],
    { stdio: "inherit", env },
  );
  [code] = await once(child, "exit");
  if (process.env.CTXFOLD_TIMES) {
    const { appendFile, readFile } = await import("node:fs/promises");
    await appendFile(process.env.CTXFOLD_TIMES, await readFile(`${folder}/times.txt`));
  }
} finally {
  await browser?.close();
  await rm(folder, { recursive: true, force: true });
}
process.exit(code ?? 1);
