// node scripts/test.js FILE… runs test files, two at the same time, with shared resources: one browser, in which each
// test opens its own page, one tarball of the package, and the packages of each example, installed once. Short files share
// processes (TOGETHER). Tests have no time limits of their own: a process that hangs is stopped after two hours.
//
// Each process inherits V8's options. The scripts of package.json give --wasm-tiering-budget, by which functions of the
// module run longer before V8 optimizes them: the V8 of Node 20 does it so early that this takes up to a third of the CPU
// time of a process. Later versions have a similar default. runtimes.test.js runs the vectors in Node without the option.
import { createWriteStream, existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { pathToFileURL } from "node:url";
import { launchOptions } from "../test/support/browser.js";
import { packed } from "../test/support/packed.js";
import times from "./times.js";

/**
 * These start first, so that the long ones aren't the last to end. node --test would start files in alphabetical order.
 */
const LONGEST = [
  "sdks",
  "fresh-start",
  "command",
  "together-1",
  "bundlers",
  "together-2",
  "together-3",
  "edge",
  "plugins",
];
const LIMIT_MS = 7_200_000;

/**
 * The files of each list run in one process, one after the other, so that V8 compiles and optimizes the module once for all of
 * them. A file belongs here if its tests restore what they replace in the process, and don't depend on what its instance
 * of the module has done before. A process of its own has each file that checks a first call or numbers of sessions, and
 * each that mostly waits for programs.
 */
const TOGETHER = [
  "adapters apps background certain compact conversation digest faults fit",
  `idle imports json live local-models misuse open options prefix provider redact restore search seeds session slices slim store
    summarize usage volatile wasi`,
  `adk ag-ui agents ai assistant-ui bedrock chats convert-langchain convert-pi convert gemini genkit langchain-stored
    langchain mastra mcp mistral pi-live pi tanstack`,
].map((names) => names.split(/\s+/));

const nameOf = (/** @type {string} */ file) => basename(file).replace(/\.test\.m?js$/, "");

/** @param {string} file */
function place(file) {
  const at = LONGEST.indexOf(nameOf(file));
  return at < 0 ? LONGEST.length : at;
}

/**
 * Replaces the files that share a process by a file that imports them.
 * @param {string[]} files
 * @param {string} folder where the new files are written
 */
async function grouped(files, folder) {
  const made = [];
  for (const [i, names] of TOGETHER.entries()) {
    const group = files.filter((file) => names.includes(nameOf(file)));
    if (group.length < 2) continue;
    files = files.filter((file) => !group.includes(file));
    const file = join(folder, `together-${i + 1}.test.mjs`);
    await writeFile(file, group.map((each) => `await import(${JSON.stringify(pathToFileURL(each).href)});\n`).join(""));
    made.push(file);
  }
  return [...made, ...files];
}

const given = process.argv.slice(2).map((file) => resolve(file));
const folder = await mkdtemp(join(tmpdir(), "ctxfold-tests-"));
/** @type {import("playwright-core").BrowserServer | undefined} */
let browser;
let failed = false;
process.env.CTXFOLD_INSTALLED = folder;
try {
  const files = (await grouped(given, folder)).sort((one, other) => place(one) - place(other));
  if (given.some((file) => file.includes("browser"))) {
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
