import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { noBrowser, openPage } from "./support/browser.js";
import { built } from "./support/built.js";
import { files, serve } from "./support/server.js";
import { session } from "./support/session.js";

const root = new URL("../../", import.meta.url);
let dist = "";
before(async () => {
  if (!noBrowser) dist = await built("playground");
});

/** @param {import("node:test").TestContext} t */
async function open(t) {
  const page = await openPage(t);
  await page.goto(`${await serve(t, files(pathToFileURL(`${dist}/`)))}/`);
  await page.getByText("Ready:").waitFor();
  return page;
}

/** @param {import("playwright-core").Page} page @param {string} name */
const ready = (page, name) =>
  page
    .getByRole("status")
    .filter({ hasText: new RegExp(`^${name}: [\\d,]+ messages`) })
    .waitFor();

/** @param {import("playwright-core").Page} page @param {string} button */
async function download(page, button) {
  const waiting = page.waitForEvent("download");
  await page.getByRole("button", { name: button }).click();
  return JSON.parse(await readFile(await (await waiting).path(), "utf8"));
}

test("the sample: bars, timeline, presets, diff, details and export", { skip: noBrowser }, async (t) => {
  const page = await open(t);
  await page.getByRole("button", { name: "Use the sample session" }).click();
  await ready(page, "The sample session");
  await page.getByRole("img", { name: /^Now: [\d,]+ of 32,000 tokens: .*results [\d,]+/ }).waitFor();
  await page.getByRole("img", { name: /^After default: / }).waitFor();
  await page.getByRole("img", { name: /^Tokens of 81 messages/ }).waitFor();

  const presets = page.locator("#presets tbody tr");
  assert.ok((await presets.count()) >= 2);
  for (const row of await presets.allTextContents()) assert.match(row, /compacted|no_progress|under_budget/, row);
  await presets.nth(1).getByRole("button").press("Enter");
  await page.getByText(/^window-budget: compacted\. 81 messages become/).waitFor();
  await page.getByRole("button", { name: "default", exact: true }).click();
  await page.getByText(/^default: compacted\. 81 messages become/).waitFor();

  assert.ok((await page.locator(".message.removed").count()) > 10);
  await page.getByRole("combobox", { name: /^Show/ }).selectOption("kept");
  await page.locator(".message:not(.kept)").first().waitFor({ state: "detached" });
  await page.getByRole("combobox", { name: /^Show/ }).selectOption("touched");
  await page.locator(".message.kept").first().waitFor({ state: "detached" });
  await page.getByRole("combobox", { name: /^Show/ }).selectOption("all");
  await page.locator(".message").nth(59).waitFor();
  await page.getByRole("button", { name: /^Show more messages/ }).click();
  await page.locator(".message").nth(60).waitFor();

  await page.getByRole("button", { name: /^1\. user, folded/ }).click();
  assert.match((await page.getByRole("dialog").locator("#detail-before").textContent()) ?? "", /tollgate/);
  await page.keyboard.press("Escape");
  assert.equal(await page.getByRole("dialog").count(), 0);

  const result = await download(page, "Export the result");
  const report = await download(page, "Export the report");
  assert.equal(result.length, report.messages.after);
});

test("the policy's controls run it again", { skip: noBrowser }, async (t) => {
  const page = await open(t);
  await page.getByRole("button", { name: "Use the sample session" }).click();
  await ready(page, "The sample session");
  await page.getByLabel("Window (tokens)").fill("200000");
  await ready(page, "The conversation");
  await page.getByText(/^default: under_budget\./).waitFor();
  await page.getByLabel("Compact although it is not due").check();
  await page.getByText(/^default: compacted\./).waitFor();
  await page.getByLabel("Reserve (tokens)").fill("100000");
  await page.getByText("due: over", { exact: false }).or(page.getByText("not due: up to 80,000")).first().waitFor();
  await page.getByLabel("Due above").fill("0.1");
  await page.getByText("due: over 10,000").waitFor();
  await page.getByLabel("Format").selectOption("gemini");
  await page
    .getByRole("status")
    .filter({ hasText: /cannot be read|messages/ })
    .waitFor();
});

test("a file of a coding agent, a broken file, and one with violations", { skip: noBrowser }, async (t) => {
  const page = await open(t);
  const input = page.getByLabel("Choose a file");
  await input.setInputFiles(fileURLToPath(new URL("testdata/sessions/codex.jsonl", root)));
  await ready(page, "codex.jsonl");
  await page.getByText("openai-responses (from codex)").waitFor();

  await input.setInputFiles({ name: "broken.json", mimeType: "application/json", buffer: Buffer.from("{oh") });
  await page.getByText(/^broken\.json cannot be read: /).waitFor();
  assert.ok(await page.locator("#results").isHidden());

  const broken = session(20).toSpliced(3, 1);
  const buffer = Buffer.from(JSON.stringify({ model: "m", messages: broken }));
  await input.setInputFiles({ name: "lost.json", mimeType: "application/json", buffer });
  await ready(page, "lost.json");
  await page.getByText("One rule is broken.").waitFor();
  const repaired = await download(page, "Export the repaired conversation");
  assert.equal(repaired.messages.length, session(20).length);
});

test("a file that is dropped is read, and the dark mode is one key away", { skip: noBrowser }, async (t) => {
  const page = await open(t);
  await page.evaluate(
    (text) => {
      const data = new DataTransfer();
      data.items.add(new File([text], "dropped.json"));
      document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true }));
    },
    JSON.stringify(session(20)),
  );
  await ready(page, "dropped.json");
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.getByRole("button", { name: "Dark mode" }).press("Space");
  assert.notEqual(await ground(), light);
});

test("10 MB keep the page responsive: no task over 100 ms", { skip: noBrowser, timeout: 120_000 }, async (t) => {
  const page = await open(t);
  await page.evaluate(() => {
    const tasks = /** @type {number[]} */ ([]);
    Object.assign(globalThis, { tasks });
    new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({
      type: "longtask",
    });
  });
  const text = JSON.stringify(session(4500));
  assert.ok(text.length > 10e6, `${text.length}`);
  // By its path, as the browser would else decode it on the page.
  const folder = await mkdtemp(join(tmpdir(), "ctxfold-"));
  t.after(() => rm(folder, { recursive: true }));
  await writeFile(`${folder}/large.json`, text);
  await page.getByLabel("Choose a file").setInputFiles(`${folder}/large.json`);
  await ready(page, "large.json");
  await page.getByRole("button", { name: /^Show more messages/ }).click();
  const tasks = await page.evaluate(() => /** @type {any} */ (globalThis).tasks);
  const longest = Math.max(0, ...tasks);
  t.diagnostic(`longest task ${longest} ms`);
  assert.ok(longest < 100, `tasks of ${tasks} ms`);
});
