import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { accessible, LOOKS, noBrowser, openPage, photograph } from "./support/browser.js";
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
  await presets.getByRole("button", { name: "window-budget" }).press("Enter");
  const other = page.getByText(/^window-budget: compacted\. 81 messages become/);
  const before = /([\d,]+) tokens become/;
  const [, counted] = before.exec((await other.textContent()) ?? "") ?? [];
  await page.getByRole("button", { name: "default", exact: true }).click();
  const shown = page.getByText(/^default: compacted\. 81 messages become/);
  assert.equal(before.exec((await shown.textContent()) ?? "")?.[1], counted, "presets are counted in one unit");

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
  await page.getByText("One rule is broken. The provider would refuse this conversation as it is.").waitFor();
  const repaired = await download(page, "Export the repaired conversation");
  assert.equal(repaired.messages.length, session(20).length);

  // Two turns of one role in a row are against the rules of Gemini, whose API takes them.
  const tolerated = Buffer.from(
    JSON.stringify({
      contents: [
        { role: "user", parts: [{ text: "a" }] },
        { role: "user", parts: [{ text: "b" }] },
      ],
    }),
  );
  await input.setInputFiles({ name: "twice.json", mimeType: "application/json", buffer: tolerated });
  await ready(page, "twice.json");
  await page.getByText("One rule is broken. The provider tolerates it.").waitFor();

  const large = [{ role: "user", content: `${"Much to say. ".repeat(2000)}` }];
  await input.setInputFiles({
    name: "large.json",
    mimeType: "application/json",
    buffer: Buffer.from(JSON.stringify(large)),
  });
  await ready(page, "large.json");
  await page.getByLabel("Reserve (tokens)").fill("100");
  await page.getByLabel("Window (tokens)").fill("2000");
  await page.getByText(/It does not fit: /).waitFor();
});

test("every supported format is read, and nothing leaves the page", {
  skip: noBrowser,
  timeout: 180_000,
}, async (t) => {
  const page = await open(t);
  /** @type {string[]} */
  const requests = [];
  page.on("request", (request) => requests.push(request.url()));
  page.on("websocket", (socket) => requests.push(socket.url()));
  const input = page.getByLabel("Choose a file");
  const format = page.locator("#facts dd").first();

  const folder = new URL("testdata/sessions/", root);
  const names = (await readdir(folder)).filter((name) => !name.endsWith(".golden.json"));
  assert.ok(names.length >= 8);
  for (const name of names) {
    await input.setInputFiles(fileURLToPath(new URL(name, folder)));
    await ready(page, name.replaceAll(".", "\\."));
    assert.match(
      (await format.textContent()) ?? "",
      /^[a-z-]+ \(from (claude-code|codex|gemini-cli|opencode|pi|roo-code)\)$/,
      name,
    );
  }

  /** A conversation for each wire format. @type {Map<string, Buffer>} */
  const wires = new Map();
  for (const name of ["validate.json", "formats.json"]) {
    const vectors = JSON.parse(await readFile(new URL(`testdata/vectors/${name}`, root), "utf8"));
    for (const { name, request } of vectors) {
      if (!/: (valid|estimate)$/.test(name)) continue;
      const { policy, messages } = JSON.parse(request);
      wires.set(policy?.format ?? "plain", Buffer.from(JSON.stringify(messages)));
    }
  }
  assert.equal(wires.size, 8, [...wires.keys()].join());
  for (const [wire, buffer] of wires) {
    await page.getByLabel("Format").selectOption(wire);
    await page
      .getByRole("status")
      .filter({ hasText: /^The conversation(: [\d,]+ messages| cannot be read)/ })
      .waitFor();
    await input.setInputFiles({ name: `${wire}.json`, mimeType: "application/json", buffer });
    await ready(page, `${wire}\\.json`);
    assert.equal(await format.textContent(), wire);
  }
  assert.deepEqual(requests, []);
});

test("its policy forbids it to send anything elsewhere", { skip: noBrowser }, async (t) => {
  const page = await open(t);
  const sent = await page.evaluate(async () => {
    const tries = [
      () => fetch("https://example.org/", { method: "POST", body: "text" }),
      () =>
        new Promise((resolve, reject) => {
          const image = new Image();
          image.onload = resolve;
          image.onerror = reject;
          image.src = "https://example.org/?text";
        }),
      () => import(/** @type {any} */ ("https://example.org/script.js")),
    ];
    let blocked = 0;
    document.addEventListener("securitypolicyviolation", () => blocked++);
    const done = await Promise.allSettled(tries.map((attempt) => attempt()));
    return { blocked, done: done.map(({ status }) => status) };
  });
  assert.deepEqual(sent, { blocked: 3, done: ["rejected", "rejected", "rejected"] });
});

for (const { look, size, colorScheme } of LOOKS) {
  test(`axe finds nothing, and it fits: ${look}`, { skip: noBrowser }, async (t) => {
    const page = await open(t);
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme });
    await page.reload();
    await page.getByText("Ready:").waitFor();
    await accessible(page);
    await page.getByRole("button", { name: "Use the sample session" }).click();
    await ready(page, "The sample session");
    await accessible(page);
    await page.getByRole("heading", { name: "Context" }).scrollIntoViewIfNeeded();
    await page.evaluate(() => document.querySelector("#context")?.scrollIntoView());
    await photograph(page, `playground-${look}`);
    await page.evaluate(() => document.querySelector("#diff-title")?.scrollIntoView());
    if (look !== "light") await photograph(page, `playground-messages-${look}`);
    await page.getByRole("button", { name: /^1\. user, folded/ }).click();
    await page.getByRole("dialog").waitFor();
    await accessible(page);
  });
}

test("all of it by keyboard", { skip: noBrowser }, async (t) => {
  const page = await open(t);
  /** The name of what has the focus. */
  const focused = () =>
    page.evaluate(() => {
      const at = /** @type {any} */ (document.activeElement);
      return at?.labels?.[0]?.textContent.trim() || at?.textContent.trim() || at?.id;
    });
  /** Goes on to what has this name. @param {RegExp} name */
  const tabTo = async (name) => {
    for (let i = 0; i < 60; i++) {
      await page.keyboard.press("Tab");
      if (name.test(await focused())) return;
    }
    assert.fail(`no ${name} is reached by Tab`);
  };
  await tabTo(/^Skip to the result/);
  await tabTo(/^Dark mode/);
  await page.keyboard.press("Space");
  await page.getByRole("button", { name: "Dark mode", pressed: true }).waitFor();
  await tabTo(/^Choose a file/);
  await tabTo(/^Use the sample/);
  await page.keyboard.press("Enter");
  await ready(page, "The sample session");
  for (const name of [/^Format/, /^Window/, /^Reserve/, /^Due above/, /^Compact although/]) await tabTo(name);
  await page.keyboard.press("Space");
  await ready(page, "The conversation");
  await tabTo(/^window-budget/);
  await page.keyboard.press("Enter");
  await page.getByText(/^window-budget: compacted/).waitFor();
  assert.match(await focused(), /^window-budget/);
  await tabTo(/^Show/);
  await page.keyboard.press("ArrowDown");
  await page.locator(".message.kept").first().waitFor({ state: "detached" });
  await tabTo(/^Export the result/);
  await tabTo(/^1\. user/);
  const opener = await focused();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  assert.equal(await focused(), "Close");
  await page.keyboard.press("Escape");
  assert.equal(await focused(), opener);
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
