// Tests the chat and the playground in Firefox and WebKit by keyboard, like test/chat.test.js and test/playground.test.js in Chromium.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { built } from "../support/built.js";
import { OTHER_BROWSERS } from "../support/other-browsers.js";
import { files, serve } from "../support/server.js";
import { testedOn } from "../support/tested-on.js";

const WHAT = "the walk through both pages, by keyboard";
/** @type {Record<string, string>} */
const dist = {};
before(async () => {
  if (OTHER_BROWSERS.every(({ skip }) => skip)) return;
  for (const name of ["chat", "playground"]) dist[name] = await built(name);
});

/** @param {import("../support/other-browsers.js").Driven} page */
function walker(page) {
  /** Waits until a function of the page returns a value, and returns it. @template A, R @param {(given: A) => R} find @param {A} [given] */
  const until = async (find, given) => {
    for (let i = 0; i < 300; i++) {
      const found = await page.evaluate(find, given);
      if (found) return found;
      await new Promise((later) => setTimeout(later, 100));
    }
    assert.fail(`nothing in 30 s for ${find} of ${JSON.stringify(given)}`);
  };
  /** Waits for a visible text. @param {string} text */
  const seen = (text) => until((given) => document.body.innerText.includes(given), text);
  /** Returns the name of the focused element. */
  const focused = () =>
    page.evaluate(() => {
      const at = /** @type {any} */ (document.activeElement);
      const name = at?.getAttribute("aria-label") || at?.labels?.[0]?.textContent || at?.textContent || at?.id || "";
      return name.trim().replace(/\s+/g, " ").slice(0, 80);
    });
  /** Presses Tab until the element with this name has the focus. @param {RegExp} name */
  const tabTo = async (name) => {
    const passed = [];
    for (let i = 0; i < 60; i++) {
      await page.press("Tab");
      const now = await focused();
      if (name.test(now)) return;
      passed.push(now);
    }
    assert.fail(`no ${name} is reached by Tab: ${passed.join(" | ")}`);
  };
  /** Focuses an element, as when a user comes back to it. @param {string} selector */
  const focus = (selector) =>
    page.evaluate((given) => /** @type {HTMLElement | null} */ (document.querySelector(given))?.focus(), selector);
  /** Waits until an element exists and is visible. @param {string} selector */
  const shown = (selector) => until((given) => document.querySelector(given)?.checkVisibility() === true, selector);
  /** @param {string} selector */
  const gone = (selector) => until((given) => document.querySelector(given)?.checkVisibility() !== true, selector);
  /** Waits until the chat is waiting for its user. */
  const idle = () =>
    until(() =>
      [...document.querySelectorAll("button")].some(
        (b) => b.getAttribute("aria-label") === "Send" && b.checkVisibility(),
      ),
    );
  return { until, seen, focused, tabTo, focus, shown, gone, idle };
}

for (const { name, skip, open } of OTHER_BROWSERS) {
  test(`the chat in ${name}`, { skip }, async (t) => {
    const page = await open(t);
    const { until, seen, focused, tabTo, focus, shown, gone, idle } = walker(page);
    const address = `${await serve(t, files(pathToFileURL(`${dist.chat}/`)))}/`;
    await page.goto(address);
    await seen("Chat as long as you like");
    await tabTo(/^Settings/);
    await tabTo(/^Open a long conversation/);
    await page.press("Enter");
    await seen("November to February");
    await until(() => document.activeElement?.id === "text");
    await page.type("And what about slugs");
    await page.press("Enter");
    await shown(".fold");
    await until(() => document.querySelectorAll(".message.assistant:not([aria-busy])").length === 13);
    await idle();
    assert.equal(await page.evaluate(() => document.querySelectorAll(".message").length), 26);

    await focus("#context");
    await page.press("Enter");
    await tabTo(/^Show the digest/);
    await page.press("Enter");
    await shown(".fold [role=region]");
    await seen("ctxfold wrote it without a model");
    await page.goto(address);
    await shown(".fold");
    assert.equal(await page.evaluate(() => document.querySelectorAll(".message").length), 26, "a reload loses nothing");
    await focus(".fold summary");
    await page.press("Enter");
    await tabTo(/^Undo compaction/);
    await page.press("Enter");
    await seen("Compaction undone.");
    await gone(".fold");

    await focus("#open-settings");
    await page.press("Enter");
    await shown("dialog[open]");
    await page.press("Escape");
    await gone("dialog[open]");
    assert.match(await focused(), /^Settings/, "the focus is back where it was");
    await testedOn(`${name}, pages`, page.version, WHAT);
  });

  test(`the playground in ${name}`, { skip }, async (t) => {
    const page = await open(t);
    const { until, seen, focused, tabTo, shown, gone } = walker(page);
    await page.goto(`${await serve(t, files(pathToFileURL(`${dist.playground}/`)))}/`);
    const done = () => page.evaluate(() => document.querySelector("#presets")?.getAttribute("data-done") ?? "");
    /** @param {string} key */
    const recomputed = async (key) => {
      const last = await done();
      await page.press(key);
      await until((old) => document.querySelector("#presets")?.getAttribute("data-done") !== old, last);
    };
    await shown("#presets[data-done]");
    const headline = () => page.evaluate(() => document.querySelector("#headline")?.textContent ?? "");
    const first = await headline();
    assert.match(first, /60,401/);
    await tabTo(/^Dark/);
    await page.press(" ");
    await shown("button[aria-pressed=true]");
    await tabTo(/^Paste/);
    await page.press("Enter");
    await shown("dialog[open]");
    await tabTo(/^Messages as JSON/);
    await page.type("no messages");
    await tabTo(/^Show what compaction/);
    await page.press("Enter");
    await seen("It cannot be read: invalid JSON at line 1");
    await page.press("Escape");
    await gone("dialog[open]");
    assert.match(await focused(), /^Paste/);
    await tabTo(/^Context window/);
    await recomputed("ArrowLeft");
    assert.notEqual(await headline(), first, "the slider computes the result anew");
    await tabTo(/^default/);
    await recomputed("ArrowRight");
    assert.match(await focused(), /^layered/);
    await recomputed("ArrowLeft");
    await tabTo(/^Read the digest/);
    await page.press("Enter");
    await seen("session digest");
    await tabTo(/^Show the originals/);
    await page.press("Enter");
    await tabTo(/^Message 1 as JSON/);
    await page.press("Enter");
    await shown("dialog[open]");
    await page.press("Escape");
    await gone("dialog[open]");
    assert.match(await focused(), /^Message 1 as JSON/);
  });
}
