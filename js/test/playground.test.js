import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { createCompactor } from "ctxfold";
import { accessible, LOOKS, noBrowser, openPage, photograph } from "./support/browser.js";
import { built } from "./support/built.js";
import { chatGPT, claude } from "./support/chats.js";
import { download, give, headline, recomputed, settled } from "./support/playground.js";
import { files, serve } from "./support/server.js";
import { session } from "./support/session.js";
import { failWhenSettled } from "./support/settled.js";

const root = new URL("../../", import.meta.url);
let dist = "";
before(async () => {
  if (!noBrowser) dist = await built("playground");
});

/** @param {import("node:test").TestContext} t @param {string} [hash] @param {Partial<(typeof LOOKS)[number]>} [look] */
async function open(t, hash = "", { size, colorScheme } = {}) {
  const page = await openPage(t);
  if (size) await page.setViewportSize(size);
  if (colorScheme) await page.emulateMedia({ colorScheme });
  await failWhenSettled(page);
  await page.goto(`${await serve(t, files(pathToFileURL(`${dist}/`)))}/${hash}`);
  await settled(page);
  return page;
}

test("a visitor sees a result first, and what it is made of", { skip: noBrowser }, async (t) => {
  const page = await open(t);
  assert.match(await headline(page), /^60,401 → tokens become [\d,]+ tokens$/);
  await page.getByText("✓ valid for the provider").waitFor();
  await page.getByText("✓ nothing lost").waitFor();
  await page.getByRole("img", { name: /^Before: 60,401 of 32,000 tokens: .*tool results [\d,]+/ }).waitFor();
  await page.getByRole("img", { name: /^After: [\d,]+ of 32,000 tokens: digest [\d,]+/ }).waitFor();
  const screens = await page.evaluate(() => document.documentElement.scrollHeight / innerHeight);
  assert.ok(screens <= 4, `${screens} screens`);

  const run = page.locator(".run");
  assert.match((await run.textContent()) ?? "", /^\d+ messages of [\d,]+ tokens folded into a digest of [\d,]+ tokens/);
  await run.getByRole("button", { name: "Read the digest" }).click();
  await run.getByText(/session digest/).waitFor();
  await run.getByRole("button", { name: "Show the originals" }).click();
  await run
    .getByText(/tollgate: an HTTP rate limiter/)
    .last()
    .waitFor();
  assert.equal(await run.locator(".message").count(), 30);
  await run.getByRole("button", { name: /^Show 30 more of/ }).click();
  await run.locator(".message").nth(30).waitFor();
  await run.getByRole("button", { name: "Hide the originals" }).click();
  assert.equal(await run.locator(".message").count(), 0);

  await page.locator(".message").last().hover();
  await page.getByRole("button", { name: "Message 81 as JSON" }).click();
  assert.match((await page.getByRole("dialog").textContent()) ?? "", /"role": "user"/);
  await page.keyboard.press("Escape");

  const result = await download(page, "Save the result");
  const report = await download(page, "Save the report");
  assert.equal(result.length, report.messages.after);
});

test("a cleared result shows what it was, and what is left of it", { skip: noBrowser }, async (t) => {
  const page = await open(t, "#window=72000");
  const cleared = page.locator(".altered.cleared").first();
  await cleared.locator("summary").click();
  await cleared.getByText(/^\[Old tool result content cleared[.,]/).waitFor();
  const [original = "", now = ""] = await cleared.locator("pre").allTextContents();
  assert.ok(original.length > now.length && !original.startsWith("["), original.slice(0, 100));
});

test("the slider computes the figures anew while it moves", { skip: noBrowser }, async (t) => {
  const page = await open(t);
  const slider = page.getByLabel("Context window");
  const before = await headline(page);
  await slider.focus();
  await recomputed(page, () => page.keyboard.press("PageDown"));
  assert.notEqual(await headline(page), before);
  const window = await page.getByLabel("Tokens", { exact: true }).inputValue();
  assert.equal(await slider.getAttribute("aria-valuetext"), `${window} tokens`);
  assert.equal(new URL(page.url()).hash, `#window=${window.replace(",", "")}`);

  // While the slider is being dragged, the headline changes before anything has settled.
  const seen = await page.evaluate(async () => {
    const found = new Set();
    const slider = /** @type {HTMLInputElement} */ (document.querySelector("#slider"));
    const watched = new MutationObserver(() => found.add(document.querySelector("#headline")?.textContent));
    watched.observe(/** @type {Node} */ (document.querySelector("#headline")), { childList: true, subtree: true });
    for (let stop = 10; found.size < 3; stop = stop < 33 ? stop + 1 : 10) {
      slider.value = String(stop);
      slider.dispatchEvent(new Event("input", { bubbles: true }));
      await new Promise((later) => setTimeout(later, 100));
    }
    return [...found];
  });
  assert.ok(seen.every(Boolean), seen.join());
  await recomputed(page, () => slider.press("End"));
  assert.match(await headline(page), /^60,401 tokens in a window of 1,024,000$/);
  await page.getByText(/^Nothing to do: compaction is due above/).waitFor();
  await recomputed(page, () => page.getByRole("button", { name: "Compact anyway" }).click());
  assert.match(await headline(page), /^60,401 → /);
  await page.getByText("✓ nothing lost").waitFor();
});

test("presets are compared in one unit, and each result is valid and restored whole", {
  skip: noBrowser,
}, async (t) => {
  const page = await open(t);
  const names = await page.getByRole("radio").evaluateAll((all) => all.map((each) => each.getAttribute("value")));
  assert.ok(names.length >= 6, names.join());
  const policy = { format: "anthropic", estimator: "script" };
  const unit = createCompactor({ policy: /** @type {any} */ (policy) });
  await unit.ready();
  for (const name of names) {
    if (name !== "default") await recomputed(page, () => page.locator(`#preset-${name}`).click());
    assert.match(await headline(page), /^60,401 → /, `${name}: before`);
    await page.getByText("✓ valid for the provider").waitFor();
    await page.getByText("✓ nothing lost").waitFor();
    const after = /become ([\d,]+)/.exec(await headline(page))?.[1];
    assert.equal(await page.locator(`#preset-${name} .figures`).textContent(), after);
    const { tokens } = unit.estimate(await download(page, "Save the result"));
    const figure = Number(after?.replaceAll(",", ""));
    assert.ok(Math.abs(tokens - figure) < 0.01 * figure, `${name}: ${figure}, and the result by itself ${tokens}`);
  }
});

test("settings are in the address, and what is wrong with one is said at its field", { skip: noBrowser }, async (t) => {
  const page = await open(t, "#window=64000&preset=layered&reserve=1000&ratio=0.5&force=true");
  assert.equal(await page.getByLabel("Tokens", { exact: true }).inputValue(), "64,000");
  assert.ok(await page.getByRole("radio", { name: /^layered/ }).isChecked());
  await page.getByText("due above 31,500").waitFor();
  await page.getByText("More settings").click();
  assert.ok(await page.getByLabel("Compact even if it is not due").isChecked());

  /** @param {string} field @param {string} value @param {RegExp} says */
  const wrong = async (field, value, says) => {
    const input = page.getByLabel(field, { exact: true });
    await input.fill(value);
    await page
      .locator(`#${await input.getAttribute("aria-describedby")}`)
      .filter({ hasText: says })
      .waitFor();
    assert.equal(await input.getAttribute("aria-invalid"), "true");
  };
  await wrong("Tokens", "many", /^Must be a whole number from 500/);
  await wrong("Tokens reserved for the answer", "64000", /^Must be less than the window, 64,000/);
  await wrong("Compact above this share of the window", "3", /^Must be a number from 0.05 to 1/);
  await page.getByLabel("Compact above this share of the window").fill("");
  await page.getByLabel("Tokens reserved for the answer").fill("");
  await recomputed(page, () => page.getByLabel("Tokens", { exact: true }).fill("16k"));
  assert.equal(await page.locator("[aria-invalid]").count(), 0);
  assert.match(new URL(page.url()).hash, /window=16000/);

  // For a window that is too small for a preset, the module's error is shown, and the other presets stay available.
  await recomputed(page, () => page.locator("#preset-default").click());
  await recomputed(page, () => page.getByLabel("Tokens", { exact: true }).fill("10000"));
  assert.equal(await page.locator("#preset-turn-tail .figures").textContent(), "window too small");
  await page.locator("#preset-turn-tail").click();
  await page.locator("#window-error").filter({ hasText: "window.reserve leaves nothing" }).waitFor();

  await page.getByRole("button", { name: "Use these settings" }).click();
  const policy = JSON.parse((await page.getByRole("dialog").locator("pre").first().textContent()) ?? "");
  assert.deepEqual(policy, {
    preset: "turn-tail",
    estimator: "script",
    format: "anthropic",
    window: { tokens: 10_000 },
    archive: "places",
  });
});

test("an address with a value that is not valid says so", { skip: noBrowser }, async (t) => {
  const page = await open(t, "#window=lots");
  await page.locator("#window-error").filter({ hasText: "The address says “lots”" }).waitFor();
  assert.match(await headline(page), /^60,401 → /);
});

test("a file of a coding agent, a broken file, and one with violations", { skip: noBrowser }, async (t) => {
  const page = await open(t);
  await recomputed(page, () =>
    page.getByLabel("Open your own…").setInputFiles(fileURLToPath(new URL("testdata/sessions/codex.jsonl", root))),
  );
  await page.getByText(/^codex \(openai-responses\) · /).waitFor();

  await give(page, "broken.json", '[{"role": "user",\n "content": oh}]');
  const fault = page.getByRole("alert").filter({ hasText: "broken.json cannot be read" });
  assert.equal(
    await fault.textContent(),
    "broken.json cannot be read: invalid JSON at line 2, column 13: expected a value, found 'o'",
  );
  assert.match((await page.locator("#source-facts").textContent()) ?? "", /^codex/, "what was shown stays");
  await give(page, "none.json", '{"a": 1}');
  await page.getByText("none.json cannot be read: this JSON holds no list of messages").waitFor();

  const broken = session(20).toSpliced(3, 1);
  await recomputed(page, () => give(page, "lost.json", JSON.stringify({ model: "m", messages: broken })));
  await page.getByText(/^The opened conversation breaks one rule .*The provider would refuse it as it is/).waitFor();
  assert.match((await page.locator("#valid").textContent()) ?? "", /^✗ /);
  const repaired = await download(page, "Save a repaired copy, not compacted");
  assert.equal(repaired.messages.length, session(20).length);

  const twice = {
    contents: [
      { role: "user", parts: [{ text: "a" }] },
      { role: "user", parts: [{ text: "b" }] },
    ],
  };
  await recomputed(page, () => give(page, "twice.json", JSON.stringify(twice)));
  await page.getByText(/^The opened conversation breaks one rule .*The provider tolerates it/).waitFor();

  const large = [{ role: "user", content: `${"Much to say. ".repeat(2000)}` }];
  await recomputed(page, () => give(page, "large.json", JSON.stringify(large)));
  await recomputed(page, () => page.getByLabel("Tokens", { exact: true }).fill("2000"));
  await page.getByText(/^It does not fit: /).waitFor();
});

test("exports of ChatGPT and of Claude.ai", { skip: noBrowser }, async (t) => {
  const page = await open(t);
  await recomputed(page, () => give(page, "conversations.json", JSON.stringify([chatGPT])));
  await page.getByText("ChatGPT (plain) · gpt-5 · 3 messages").waitFor();
  const said = (await page.locator("#blocks").innerText()).replace(/\s+/g, " ");
  for (const text of [
    "How does a lock work?",
    "Canals Water levels.",
    "[web.run] Locks lift boats.",
    "Water is let in.",
    "[image] And this one?",
  ]) {
    assert.ok(said.includes(text), `${text} is not in ${said}`);
  }
  assert.ok(!said.includes("thrown away"), "only the current branch");
  assert.equal(await page.locator("#broken").isHidden(), true);

  await give(page, "claude.json", JSON.stringify(claude));
  const sheet = page.getByRole("dialog", { name: "Choose a conversation" });
  await sheet.getByRole("listitem").first().waitFor();
  assert.deepEqual(await sheet.getByRole("listitem").allInnerTexts(), [
    "Bread\nClaude.ai · 2026-02-01 · 2 messages",
    "Older\nClaude.ai · 2025-02-01 · 1 message",
  ]);
  await accessible(page);
  await sheet.getByLabel("Title contains").fill("bre");
  assert.equal(await sheet.getByRole("listitem").count(), 1);
  await recomputed(page, () => sheet.getByRole("button", { name: /^Bread/ }).click());
  assert.equal(await page.locator("#source-name").textContent(), "Bread");
  const bread = (await page.locator("#blocks").innerText()).replace(/\s+/g, " ");
  for (const text of [
    "[recipe.txt] 500 g of flour",
    "[thinking] Flour first.",
    '[search] {"query":"flour"}',
    "[result of search] Type 550.",
    "Take type 550.",
  ]) {
    assert.ok(bread.includes(text), `${text} is not in ${bread}`);
  }

  // Tests a ZIP as it is downloaded, in which a large export has several files.
  const { zipSync, strToU8 } = await import(`${pathToFileURL(dist)}/../node_modules/fflate/esm/browser.js`);
  const zip = zipSync({
    "user.json": strToU8("{}"),
    "conversations-000.json": strToU8(JSON.stringify([chatGPT])),
    "conversations-001.json": strToU8(JSON.stringify([{ ...chatGPT, title: "More boats" }])),
  });
  await give(page, "export.zip", Buffer.from(zip));
  await sheet.getByRole("button", { name: /^More boats/ }).waitFor();
  assert.equal(await sheet.getByRole("listitem").count(), 2);
  await sheet.getByRole("button", { name: "Close" }).click();
  await give(page, "broken.zip", Buffer.from(zip.slice(0, 60)));
  await page.getByText("broken.zip cannot be read: this ZIP file is broken").waitFor();
  await give(page, "other.zip", Buffer.from(zipSync({ "a.txt": strToU8("a") })));
  await page.getByText(/^other\.zip cannot be read: this ZIP file holds no conversations\.json/).waitFor();
});

test("every supported format is read and shown, and nothing leaves the page", {
  skip: noBrowser,
}, async (t) => {
  const page = await open(t);
  const { origin } = new URL(page.url());
  /** @type {string[]} */
  const requests = [];
  page.on("request", (request) => requests.push(request.url()));
  page.on("websocket", (socket) => requests.push(socket.url()));
  const facts = page.locator("#source-facts");

  const folder = new URL("testdata/sessions/", root);
  const names = (await readdir(folder)).filter((name) => !name.endsWith(".golden.json"));
  assert.ok(names.length >= 8);
  for (const name of names) {
    await recomputed(page, () => page.getByLabel("Open your own…").setInputFiles(fileURLToPath(new URL(name, folder))));
    const text = (await facts.textContent()) ?? "";
    assert.match(
      text,
      /^(claude-code|cline|codex|copilot|gemini-cli|goose|letta|librechat|llamaindex|open-webui|opencode|openhands|pi|roo-code|semantic-kernel) \([a-z-]+\) · /,
      name,
    );
    assert.ok((await page.locator("#blocks").innerText()).length > 40, name);
  }

  /** A conversation in each wire format. @type {Map<string, string>} */
  const wires = new Map();
  for (const name of ["validate.json", "formats.json"]) {
    const vectors = JSON.parse(await readFile(new URL(`testdata/vectors/${name}`, root), "utf8"));
    for (const { name, request } of vectors) {
      if (!/: (valid|estimate)$/.test(name)) continue;
      const { policy, messages } = JSON.parse(request);
      wires.set(policy?.format ?? "plain", JSON.stringify(messages));
    }
  }
  assert.equal(wires.size, 8, [...wires.keys()].join());
  await page.getByText("More settings").click();
  for (const [wire, text] of wires) {
    await page.getByLabel("Format").selectOption(wire);
    await recomputed(page, () => give(page, `${wire}.json`, text));
    await facts.filter({ hasText: new RegExp(`^${wire} · `) }).waitFor();
    assert.equal(await page.locator(".said:empty").count(), 0, `${wire}: each message says something`);
  }
  assert.deepEqual(
    requests.filter((url) => !url.startsWith(origin) && !url.startsWith("blob:")),
    [],
  );
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

test("axe finds nothing, and it fits, in every look", { skip: noBrowser }, async (t) => {
  const page = await open(t);
  /**
   * Checks one state of the page in every look.
   * @param {(look: string) => Promise<unknown>} [also] what else is done in each look
   */
  const looks = async (also) => {
    for (const { look, size, colorScheme } of LOOKS) {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await accessible(page);
      await also?.(look);
    }
  };
  await looks(async (look) => {
    await photograph(page, `playground-${look}`);
    const screens = await page.evaluate(() => document.documentElement.scrollHeight / innerHeight);
    assert.ok(screens <= 4, `${screens} screens`);
  });

  await page.getByRole("button", { name: "Show the originals" }).click();
  await page.locator(".run .message").first().waitFor();
  await page.locator(".altered summary").first().click();
  await looks(async (look) => {
    if (look !== "dark") return;
    await page.evaluate(() => document.querySelector("#conversation-title")?.scrollIntoView());
    await photograph(page, `playground-messages-${look}`);
  });
  await page.getByRole("button", { name: "Hide the originals" }).click();

  await page.getByText("More settings").click();
  await page.getByLabel("Tokens reserved for the answer").fill("all of it");
  await give(page, "broken.json", "{oh}");
  await page.getByRole("alert").filter({ hasText: "broken.json" }).waitFor();
  await looks();
  await page.getByRole("button", { name: "Use these settings" }).click();
  await looks();
  await page.getByRole("button", { name: "Close" }).click();
  await page.getByRole("button", { name: "Paste" }).click();
  await looks();
});

test("all of it by keyboard", { skip: noBrowser }, async (t) => {
  const page = await open(t);
  /** Returns the name of the focused element. */
  const focused = () =>
    page.evaluate(() => {
      const at = /** @type {any} */ (document.activeElement);
      return at?.ariaLabel || at?.labels?.[0]?.textContent.trim() || at?.textContent.trim() || at?.id;
    });
  /** Presses Tab until the element with this name has the focus. @param {RegExp} name */
  const tabTo = async (name) => {
    const passed = [];
    for (let i = 0; i < 60; i++) {
      await page.keyboard.press("Tab");
      const now = await focused();
      if (name.test(now)) return;
      passed.push(now);
    }
    assert.fail(`no ${name} is reached by Tab: ${passed.join(" | ")}`);
  };
  await tabTo(/^Skip to the result/);
  await tabTo(/^GitHub/);
  await tabTo(/^Switch to dark/);
  await page.keyboard.press("Space");
  await page.getByRole("button", { name: "Switch to light" }).waitFor();
  await tabTo(/^Open your own/);
  await tabTo(/^Paste/);
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  await tabTo(/^Messages as JSON/);
  await page.keyboard.type("no messages");
  await tabTo(/^Show what compaction/);
  await page.keyboard.press("Enter");
  await page.locator("#pasted-error").filter({ hasText: "Can't read it: invalid JSON at line 1" }).waitFor();
  assert.match(await focused(), /^Messages as JSON/);
  await page.keyboard.press("Escape");
  assert.match(await focused(), /^Paste/);
  await tabTo(/^Context window/);
  await recomputed(page, () => page.keyboard.press("ArrowLeft"));
  await tabTo(/^Tokens/);
  await tabTo(/^default/);
  await recomputed(page, () => page.keyboard.press("ArrowRight"));
  assert.match(await focused(), /^layered/);
  await recomputed(page, () => page.keyboard.press("ArrowLeft"));
  await tabTo(/^More settings/);
  await page.keyboard.press("Enter");
  for (const name of [/^Format/, /^Tokens reserved/, /^Compact above/, /^Compact even/]) await tabTo(name);
  await tabTo(/^Save the result/);
  await tabTo(/^Read the digest/);
  await page.keyboard.press("Enter");
  await page.getByText(/session digest/).waitFor();
  await tabTo(/^Show the originals/);
  await page.keyboard.press("Enter");
  await tabTo(/^Message 1 as JSON/);
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  assert.match(await focused(), /^Message 1 as JSON/);
});

test("what is pasted or dropped is read, and the dark mode is one key away", { skip: noBrowser }, async (t) => {
  const page = await open(t);
  const text = JSON.stringify(session(20));
  await recomputed(page, () =>
    page.evaluate((given) => {
      const data = new DataTransfer();
      data.items.add(new File([given], "dropped.json"));
      document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true }));
    }, text),
  );
  assert.equal(await page.locator("#source-name").textContent(), "dropped.json");
  await recomputed(page, () => page.getByRole("button", { name: "Back to the sample" }).click());
  assert.equal(await page.locator("#source-name").textContent(), "Sample session");
  await recomputed(page, () =>
    page.evaluate((given) => {
      const data = new DataTransfer();
      data.setData("text/plain", given);
      document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true }));
    }, text),
  );
  assert.equal(await page.locator("#source-name").textContent(), "Pasted text");
  await page.getByRole("button", { name: "Paste", exact: true }).click();
  await page.getByLabel("Messages as JSON").fill(JSON.stringify(session(3)));
  await recomputed(page, () => page.getByRole("button", { name: "Show what compaction does to it" }).click());
  await page.getByText("openai-chat · 13 messages").waitFor();

  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.getByRole("button", { name: "Switch to dark" }).press("Space");
  assert.notEqual(await ground(), light);
});

test("printed, it keeps the result and leaves out what is for clicking", { skip: noBrowser }, async (t) => {
  const page = await open(t);
  await page.emulateMedia({ media: "print" });
  for (const name of ["#headline", "#bars", "#blocks"]) assert.ok(await page.locator(name).isVisible(), name);
  for (const name of ["#settings", "#paste", "nav"]) assert.ok(await page.locator(name).isHidden(), name);
});

test("10 MB are read behind the page; with CTXFOLD_LONG no task of the page takes 100 ms", {
  skip: noBrowser,
}, async (t) => {
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
  // Passes the file by its path, because the browser would otherwise decode it on the page.
  const folder = await mkdtemp(join(tmpdir(), "ctxfold-"));
  t.after(() => rm(folder, { recursive: true }));
  await writeFile(`${folder}/large.json`, text);
  await page.getByLabel("Open your own…").setInputFiles(`${folder}/large.json`);
  await page.getByText("18,001 messages", { exact: false }).first().waitFor();
  await page.getByText("✓ nothing lost").waitFor();
  await page.getByRole("button", { name: "Show the originals" }).first().click();
  await page.locator(".run .message").nth(29).waitFor();
  const tasks = await page.evaluate(() => /** @type {any} */ (globalThis).tasks);
  const longest = Math.max(0, ...tasks);
  t.diagnostic(`longest task ${longest} ms`);
  // The duration of a task depends on the machine. Parsing the text on the page would add a task of at least a second.
  if (process.env.CTXFOLD_LONG) assert.ok(longest < 100, `tasks of ${tasks} ms`);
});
