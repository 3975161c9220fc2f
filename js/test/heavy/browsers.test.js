// Firefox and WebKit, as Debian packages them: make test-js-long installs and runs them.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { freePort } from "../support/port.js";
import { files, serve } from "../support/server.js";
import { session as talk, tight } from "../support/session.js";
import { testedOn } from "../support/tested-on.js";
import { names, vectors } from "../support/vectors.js";

const root = new URL("../../../", import.meta.url);
const fixture = fileURLToPath(new URL("../../fixtures/browsers", import.meta.url));
const blank = "/js/test/support/page.html";
const WHAT = "vectors in a page and in a worker, compaction, `/worker`, IndexedDB";

const firefox = "/usr/bin/firefox-esr";
const miniBrowser = "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser";

/** @param {string} path */
function missing(path) {
  if (existsSync(path) || process.env.CI === "true") return false;
  console.error(`\n*** SKIPPED: there is no ${path} ***\n`);
  return `no ${path}`;
}

/**
 * What a page runs. It is sent as text, so it has nothing but its arguments.
 * @param {{files: string[], messages: any[], policy: object}} given
 */
async function inPage({ files, messages, policy }) {
  const at = location.origin;
  const { load, createCompactor, indexedDBStore } = await import(/** @type {any} */ (`${at}/js/dist/index.js`));
  const worker = await import(/** @type {any} */ (`${at}/js/dist/worker.js`));
  const { conform } = await import(/** @type {any} */ (`${at}/js/test/support/conformance.js`));
  const parts = files.map(async (name) => (await fetch(`${at}/testdata/vectors/${name}`)).json());
  const vectors = (await Promise.all(parts)).flat();
  const page = conform(await load(), vectors);

  const source = `import { load } from "${at}/js/dist/index.js"; import { conform } from "${at}/js/test/support/conformance.js";
    onmessage = async ({ data }) => postMessage(conform(await load(), data));`;
  const thread = new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })), { type: "module" });
  const inWorker = await new Promise((answer, failed) => {
    thread.onmessage = ({ data }) => answer(data);
    thread.onerror = failed;
    thread.postMessage(vectors);
  });

  const store = indexedDBStore("ctxfold-test");
  const here = await createCompactor({ policy, store }).compact(messages);
  const remote = worker.createCompactor({ policy });
  const held = remote.session(messages);
  const there = await held.compact();
  remote.close();
  const { handle } = here.report.actions.length ? (here.archive[0] ?? {}) : {};
  return {
    page,
    inWorker,
    reasons: [here.report.reason, there.report.reason],
    kept: typeof (await store.get(handle)) === "string",
  };
}

/** @param {any} result */
function allRight({ page, inWorker, reasons, kept }) {
  for (const { passed, failures } of [page, inWorker]) {
    assert.deepEqual(failures, []);
    assert.equal(passed, vectors.length);
  }
  assert.deepEqual(reasons, ["compacted", "compacted"]);
  assert.equal(kept, true);
}

const given = { files: names, messages: talk(20), policy: { ...tight, format: "openai-chat" } };

test("Firefox", { skip: missing(firefox), timeout: 300_000 }, async (t) => {
  const { default: puppeteer } = await import(
    pathToFileURL(createRequire(`${fixture}/package.json`).resolve("puppeteer-core")).href
  );
  const browser = await puppeteer.launch({ browser: "firefox", executablePath: firefox, headless: true });
  t.after(() => browser.close());
  const page = await browser.newPage();
  await page.goto((await serve(t, files(root))) + blank);
  allRight(await page.evaluate(inPage, given));
  const [, version] = (await browser.version()).match(/([\d.]+)/) ?? [];
  await testedOn("Firefox", version ?? "", WHAT);
});

test("WebKit", { skip: missing(miniBrowser), timeout: 300_000 }, async (t) => {
  const display = `:${90 + (process.pid % 900)}`;
  const screen = spawn("Xvfb", [display, "-screen", "0", "1024x768x24"], { stdio: "ignore" });
  const port = await freePort();
  const env = { ...process.env, DISPLAY: display, WEBKIT_DISABLE_COMPOSITING_MODE: "1" };
  const driver = spawn("WebKitWebDriver", [`--port=${port}`], { env, stdio: "ignore" });
  let session = "";
  t.after(async () => {
    if (session) await command("DELETE", session).catch(() => {});
    driver.kill();
    screen.kill();
  });

  /** One command of WebDriver. @param {string} method @param {string} path @param {object} [body] @returns {Promise<any>} */
  const command = async (method, path, body) => {
    const text = body && JSON.stringify(body);
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, ...(text && { body: text }) });
    const { value } = /** @type {any} */ (await response.json());
    if (!response.ok) throw new Error(JSON.stringify(value));
    return value;
  };
  for (let i = 0; i < 100; i++) {
    if (await command("GET", "/status").then(Boolean, () => false)) break;
    await new Promise((later) => setTimeout(later, 200));
  }
  const browserOptions = { binary: miniBrowser, args: ["--automation"] };
  const capabilities = { alwaysMatch: { "webkitgtk:browserOptions": browserOptions } };
  const { sessionId, capabilities: got } = await command("POST", "/session", { capabilities });
  session = `/session/${sessionId}`;
  await command("POST", `${session}/timeouts`, { script: 240_000 });
  await command("POST", `${session}/url`, { url: (await serve(t, files(root))) + blank });
  const script = `const [given, done] = arguments; (${inPage})(given).then(done, (error) => done({ error: String(error) }));`;
  const result = await command("POST", `${session}/execute/async`, { script, args: [given] });
  assert.equal(result.error, undefined);
  allRight(result);
  await testedOn("WebKit (GTK)", got.browserVersion, WHAT);
});
