// node scripts/test.js FILE… runs test files, two at the same time, with shared resources: one browser, in which each
// test opens its own page, one tarball of the package, and the packages of each example, installed once. Tests have no
// time limits of their own: a file that hangs is stopped after two hours.
//
// Each file inherits V8's options. The scripts of package.json give --wasm-tiering-budget, by which functions of the
// module run longer before V8 optimizes them: the V8 of Node 20 does it so early that this takes up to a third of the CPU
// time of a file. Later versions have a similar default. runtimes.test.js runs the vectors in Node without the option.
import { createWriteStream, existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { launchOptions } from "../test/support/browser.js";
import { packed } from "../test/support/packed.js";
import times from "./times.js";

/**
 * These files start first, so that the long ones aren't the last to end. node --test would start files in
 * alphabetical order.
 */
const LONGEST = ["sdks", "fresh-start", "command", "bundlers", "edge", "plugins", "fit"];
const LIMIT_MS = 7_200_000;

/** @param {string} file */
function place(file) {
  const at = LONGEST.indexOf(basename(file, ".test.js"));
  return at < 0 ? LONGEST.length : at;
}

const given = process.argv.slice(2).map((file) => resolve(file));
const files = given.sort((one, other) => place(one) - place(other));
const folder = await mkdtemp(join(tmpdir(), "ctxfold-tests-"));
/** @type {import("playwright-core").BrowserServer | undefined} */
let browser;
let failed = false;
process.env.CTXFOLD_INSTALLED = folder;
try {
  if (files.some((file) => file.includes("browser"))) {
    process.env.CTXFOLD_TARBALL = join(folder, await packed(folder));
    if (existsSync(launchOptions.executablePath)) {
      const { chromium } = await import("playwright-core");
      browser = await chromium.launchServer(launchOptions);
      process.env.CTXFOLD_BROWSER = browser.wsEndpoint();
    }
  }
  const tests = run({ files, concurrency: 2, timeout: LIMIT_MS });
  tests.on("test:fail", () => {
    failed = true;
  });
  const written = process.env.CTXFOLD_TIMES;
  await Promise.all([
    pipeline(tests.compose(/** @type {any} */ (new spec())), process.stdout, { end: false }),
    written && pipeline(tests.compose(times), createWriteStream(written, { flags: "a" })),
  ]);
} finally {
  await browser?.close();
  await rm(folder, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);
