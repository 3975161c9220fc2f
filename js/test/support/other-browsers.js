// Drives Firefox and WebKit, as packaged by Debian, with the same few functions: Firefox through BiDi, WebKit through its WebDriver.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { LIMIT } from "./browser.js";
import { freePort } from "./port.js";

const fixture = fileURLToPath(new URL("../../fixtures/browsers", import.meta.url));
const firefoxPath = "/usr/bin/firefox-esr";
const miniBrowser = "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser";

/**
 * A page in a browser.
 * @typedef {object} Driven
 * @property {string} version
 * @property {(url: string) => Promise<unknown>} goto
 * @property {<A, R>(run: (given: A) => R, given?: A) => Promise<Awaited<R>>} evaluate runs a function in the page.
 *   `run` is sent as source text, so it can use its argument, but no variables of the enclosing scope
 * @property {(key: string) => Promise<unknown>} press presses a key, given by its name, such as Tab or Enter
 * @property {(text: string) => Promise<unknown>} type
 */

/** @typedef {{name: string, skip: string | false, open: (t: import("node:test").TestContext) => Promise<Driven>}} Browser */

/** Returns the reason to skip tests in a browser, or false. @param {string} path */
function missing(path) {
  if (existsSync(path) || process.env.CI === "true") return false;
  console.error(`\n*** SKIPPED: there is no ${path} ***\n`);
  return `no ${path}`;
}

/** @type {Browser["open"]} */
async function openFirefox(t) {
  const { default: puppeteer } = await import(
    pathToFileURL(createRequire(`${fixture}/package.json`).resolve("puppeteer-core")).href
  );
  const browser = await puppeteer.launch({ browser: "firefox", executablePath: firefoxPath, headless: true });
  t.after(() => browser.close());
  const page = await browser.newPage();
  const [, version = ""] = (await browser.version()).match(/([\d.]+)/) ?? [];
  return {
    version,
    goto: (url) => page.goto(url),
    evaluate: (run, given) => page.evaluate(run, given),
    press: (key) => page.keyboard.press(key),
    type: (text) => page.keyboard.type(text),
  };
}

/** Keys as WebDriver names them (https://www.w3.org/TR/webdriver2/#keyboard-actions). @type {Record<string, string>} */
const KEYS = {
  Tab: "\uE004",
  Enter: "\uE007",
  Escape: "\uE00C",
  " ": " ",
  ArrowLeft: "\uE012",
  ArrowRight: "\uE014",
};

/** @type {Browser["open"]} */
async function openWebKit(t) {
  const display = `:${90 + (process.pid % 900)}`;
  const screen = spawn("Xvfb", [display, "-screen", "0", "1100x1000x24"], { stdio: "ignore" });
  const port = await freePort();
  const env = { ...process.env, DISPLAY: display, WEBKIT_DISABLE_COMPOSITING_MODE: "1" };
  const driver = spawn("WebKitWebDriver", [`--port=${port}`], { env, stdio: "ignore" });
  let session = "";
  t.after(async () => {
    if (session) await command("DELETE", session).catch(() => {});
    driver.kill();
    screen.kill();
  });

  /** Sends one WebDriver command. @param {string} method @param {string} path @param {object} [body] @returns {Promise<any>} */
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
  await command("POST", `${session}/timeouts`, { script: LIMIT });
  /** Returns the actions of pressing and releasing a key. @param {string} value */
  const stroke = (value) => [
    { type: "keyDown", value },
    { type: "keyUp", value },
  ];
  /** Sends keystrokes. @param {string[]} keys */
  const strokes = (keys) =>
    command("POST", `${session}/actions`, { actions: [{ type: "key", id: "keys", actions: keys.flatMap(stroke) }] });
  return {
    version: got.browserVersion,
    goto: (url) => command("POST", `${session}/url`, { url }),
    evaluate: async (run, given) => {
      const script = `const [given, done] = arguments;
        Promise.resolve(given).then(${run}).then((value) => done({ value }), (error) => done({ error: String(error) }));`;
      const { value, error } = await command("POST", `${session}/execute/async`, { script, args: [given ?? null] });
      if (error !== undefined) throw new Error(error);
      return value;
    },
    press: (key) => strokes([/** @type {string} */ (KEYS[key])]),
    type: (text) => strokes([...text]),
  };
}

/** @type {Browser[]} */
export const OTHER_BROWSERS = [
  { name: "Firefox", skip: missing(firefoxPath), open: openFirefox },
  { name: "WebKit (GTK)", skip: missing(miniBrowser), open: openWebKit },
];
