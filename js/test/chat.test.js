import assert from "node:assert/strict";
import { before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { accessible, LOOKS, noBrowser, openPage, photograph } from "./support/browser.js";
import { built } from "./support/built.js";
import { files, serve } from "./support/server.js";

let dist = "";
before(async () => {
  if (!noBrowser) dist = await built("chat");
});

/** @param {import("node:test").TestContext} t */
async function open(t) {
  const page = await openPage(t);
  await page.goto(`${await serve(t, files(pathToFileURL(`${dist}/`)))}/`);
  await page.getByText("empty").waitFor();
  return page;
}

/** @param {import("playwright-core").Page} page @param {string} text */
async function speak(page, text) {
  await page.getByLabel("Your message").fill(text);
  await page.getByLabel("Your message").press("Enter");
}

/** Speaks and waits for the answer. @param {import("playwright-core").Page} page @param {string} text */
async function turn(page, text) {
  await speak(page, text);
  await page
    .locator(".message.assistant", { hasText: `You said “${text}”` })
    .last()
    .waitFor();
  await page.getByRole("button", { name: "Send" }).waitFor();
}

/**
 * From now on, until the page is loaded anew, the scripted model takes a minute instead of 400 ms: what is only there while it
 * works is then seen on a busy machine too.
 * @param {import("playwright-core").Page} page
 */
const slow = (page) =>
  page.evaluate(() => {
    const own = /** @type {any} */ (globalThis);
    const { setTimeout } = own;
    own.setTimeout = (/** @type {() => void} */ then, /** @type {number} */ ms) =>
      setTimeout(then, ms === 400 ? 60_000 : ms);
  });

/** What IndexedDB holds. @param {import("playwright-core").Page} page @returns {Promise<any>} */
const stored = (page) =>
  page.evaluate(
    () =>
      new Promise((resolve) => {
        const opening = indexedDB.open("ctxfold-chat");
        opening.onsuccess = () => {
          const reading = opening.result.transaction("conversations").objectStore("conversations").get("current");
          reading.onsuccess = () => {
            opening.result.close();
            resolve(reading.result);
          };
        };
      }),
  );

/** @param {import("playwright-core").Page} page @param {number} tokens */
async function windowOf(page, tokens) {
  await page.getByText("Settings").click();
  await page.getByLabel("Window (tokens)").fill(String(tokens));
  await page.getByText("Settings").click();
}

test("it compacts when that is due, and folded messages can be recalled", {
  skip: noBrowser,
  timeout: 120_000,
}, async (t) => {
  const page = await open(t);
  await windowOf(page, 2000);
  let turns = 0;
  while ((await page.locator(".digest").count()) === 0) {
    assert.ok(++turns < 30, "no compaction in 30 turns");
    await turn(page, `subject ${turns} of thirty`);
  }
  const { all, context } = await stored(page);
  assert.equal(all.length, 2 * turns);
  assert.ok(context.length < all.length);
  const [, tokens, limit] =
    (await page.locator("#tokens").textContent())?.match(/^(\d+) of 2000 tokens, compacted above (\d+)/) ?? [];
  assert.ok(Number(tokens) < Number(limit));

  await page.getByText(/folded messages$/).click();
  assert.ok((await page.locator(".folded .message").count()) > 2);
  await page.getByRole("button", { name: "Recall: quote this message of You in your next one" }).first().click();
  assert.match(await page.getByLabel("Your message").inputValue(), /^Earlier I said:\n> subject 1 of thirty\n/);
  await page.getByText("Settings").click();
  await page.getByRole("button", { name: "Forget this conversation" }).click();
  await page.getByText("Forgotten.").waitFor();
  assert.equal(await page.locator(".message").count(), 0);
});

test("a reload in the middle of a compaction loses nothing, and the compaction goes on", {
  skip: noBrowser,
  timeout: 120_000,
}, async (t) => {
  const page = await open(t);
  for (let i = 0; i < 14; i++) await turn(page, `subject ${i} of fourteen`);
  await slow(page);
  await page.getByRole("button", { name: "Compact now" }).click();
  await page.getByText("Compacting…").waitFor();
  const before = await stored(page);
  assert.ok(before.pending);
  await page.reload();
  await page.getByText(/^Compacted: \d+ → \d+ tokens\.$/).waitFor();
  const after = await stored(page);
  assert.deepEqual(after.all, before.all);
  assert.equal(after.pending, undefined);
  assert.ok(after.context.length < before.context.length);
  assert.equal(await page.locator(".digest").count(), 1);
  assert.match((await page.locator(".digest").textContent()) ?? "", /subject 0 of fourteen/);
  await page.reload();
  await page.locator(".digest").waitFor();
  await turn(page, "still here");
});

test("two tabs with one conversation: each sees what the other has said, and nothing is written over", {
  skip: noBrowser,
  timeout: 120_000,
}, async (t) => {
  const page = await open(t);
  const browser = await page.context().browser()?.newContext();
  assert.ok(browser);
  const first = await browser.newPage();
  await first.goto(page.url());
  await first.getByText("empty").waitFor();
  await turn(first, "said in the first tab");
  const second = await browser.newPage();
  await second.goto(page.url());
  await second.getByText("You said “said in the first tab”").waitFor();
  await turn(second, "said in the second tab");
  await first.getByText("You said “said in the second tab”").waitFor();
  await Promise.all([speak(first, "at once from one"), speak(second, "at once from two")]);
  await first.waitForFunction(() => document.querySelectorAll(".message.assistant").length === 4);
  const texts = (await stored(first)).all.map((/** @type {any} */ { content }) => content);
  for (const text of ["said in the first tab", "said in the second tab", "at once from one", "at once from two"]) {
    assert.equal(texts.filter((/** @type {string} */ said) => said === text).length, 1, text);
    assert.equal(texts.filter((/** @type {string} */ said) => said.includes(`You said “${text}”`)).length, 1, text);
  }
});

test("axe finds nothing, and it fits, in every look; all of it by keyboard", {
  skip: noBrowser,
  timeout: 180_000,
}, async (t) => {
  const page = await open(t);
  await accessible(page);
  for (let i = 0; i < 14; i++) await turn(page, `subject ${i} of fourteen`);
  const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim() ?? "");
  assert.equal(await page.evaluate(() => document.activeElement?.id), "text", "one can go on writing");
  await page.keyboard.press("Shift+Tab");
  assert.match(await focused(), /^Settings/);
  await page.keyboard.press("Enter");
  await page.getByLabel("Window (tokens)").waitFor();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Shift+Tab");
  assert.equal(await focused(), "Compact now");
  await page.keyboard.press("Enter");
  await page.getByText(/^Compacted: /).waitFor();
  await turn(page, "one more subject");
  const folded = page.locator(".folded > summary");
  await folded.focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  assert.equal(await focused(), "Recall");
  await page.keyboard.press("Enter");
  assert.match(await page.getByLabel("Your message").inputValue(), /^Earlier I said:/);
  await accessible(page);
  await page.getByLabel("Your message").fill("");
  await folded.click();
  for (const { look, size, colorScheme } of LOOKS) {
    await page.setViewportSize({ ...size, height: Math.min(size.height, 844) });
    await page.emulateMedia({ colorScheme });
    await page.getByText("Settings").click();
    await accessible(page);
    await page.getByText("Settings").click();
    await accessible(page);
    await page.locator(".digest").scrollIntoViewIfNeeded();
    await photograph(page, `chat-${look}`);
  }
});

test("Stop ends a compaction and an answer", { skip: noBrowser, timeout: 120_000 }, async (t) => {
  const page = await open(t);
  for (let i = 0; i < 14; i++) await turn(page, `subject ${i} of fourteen`);
  await slow(page);
  await page.getByRole("button", { name: "Compact now" }).click();
  await page.getByText("Compacting…").waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByText("Stopped.").waitFor();
  assert.equal((await stored(page)).pending, undefined);
  await speak(page, "one more");
  await page.getByText("The model writes…").waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByText("Stopped.").waitFor();
  assert.equal((await stored(page)).all.length, 29);
});

test("an OpenAI-compatible endpoint answers; what it refuses is shown", {
  skip: noBrowser,
  timeout: 120_000,
}, async (t) => {
  const cors = { "access-control-allow-origin": "*", "access-control-allow-headers": "*" };
  const address = await serve(t, async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    if (request.method === "OPTIONS") return response.writeHead(204, cors).end();
    const { messages, model } = JSON.parse(text);
    const said = messages.at(-1).content;
    if (said === "fail") return response.writeHead(429, cors).end("slow down");
    const content = `${model} with ${request.headers.authorization}: You said “${said}”`;
    response.writeHead(200, { ...cors, "content-type": "application/json" });
    response.end(JSON.stringify({ choices: [{ message: { role: "assistant", content }, finish_reason: "stop" }] }));
  });
  const page = await open(t);
  await page.getByText("Settings").click();
  await page.getByRole("combobox", { name: /^Model/ }).selectOption("endpoint");
  await page.getByLabel("Base URL").fill(`${address}/v1/`);
  await page.getByLabel("Model name").fill("tiny");
  await page.getByLabel("API key").fill("secret");
  await turn(page, "hello");
  await page.getByText("tiny with Bearer secret: You said “hello”").waitFor();
  await speak(page, "fail");
  await page.getByText("That did not work: the endpoint answers 429: slow down").waitFor();
  await page.getByLabel("Compact when it is due").uncheck();
  await turn(page, "again");
});
