import assert from "node:assert/strict";
import { test } from "node:test";
import { accessible, LIMIT, openPage } from "./support/browser.js";
import {
  address,
  compactNow,
  FOLDED,
  forget,
  idle,
  inSettings,
  meter,
  open,
  openLong,
  options,
  problem,
  speak,
  stored,
  turn,
  use,
  withBuiltIn,
} from "./support/chat.js";
import { Endpoint } from "./support/chat-endpoint.js";
// Imported into the same process, because all tests of the chat share one build.
import "./chat/looks.js";

test("it invites, with three examples to start from", options, async (t) => {
  const page = await open(t);
  const examples = page.locator("#examples").getByRole("button");
  assert.equal(await examples.count(), 3);
  assert.deepEqual(await meter(page), { tokens: 0, window: 4000 });
  await page.getByText("Nothing leaves this page.").waitFor();
  for (const name of ["Plan a trip", "Understand something"]) {
    await page.getByRole("button", { name }).click();
    await idle(page);
    await page.locator(".message.assistant").waitFor();
    assert.equal(await page.locator(".message").count(), 2);
    assert.ok(await page.locator("#start").isHidden());
    await forget(page);
    assert.equal(await page.locator(".message").count(), 0);
    assert.deepEqual((await stored(page)).shown, []);
  }
  await openLong(page);
  assert.equal(await page.locator(".message").count(), 24);
});

test(
  "it compacts when that is due: a quiet line that opens, and the display keeps the whole history",
  options,
  async (t) => {
    const page = await open(t);
    await openLong(page);
    const { tokens } = await meter(page);
    assert.equal(await page.locator(".fold").count(), 0);
    await turn(page, "And what about slugs");
    await page.getByText(/^\d+ messages are folded: 2,\d+ → 1,\d+ tokens\.$/).waitFor();
    assert.ok((await meter(page)).tokens < tokens);
    assert.equal(await page.locator(".message").count(), 26, "nothing has left the display");
    assert.equal(
      await page.locator(".message", { hasText: "session digest" }).count(),
      0,
      "and the digest is nobody's message",
    );
    const { shown, sent, shared, folds } = await stored(page);
    assert.equal(shown.length, 26);
    assert.ok(sent.length < 8);
    assert.equal(
      shared,
      await page.locator(".message:not(.folded)").count(),
      "what is sent is what is shown, as the same objects",
    );

    const line = page.locator(".fold");
    assert.equal(await line.count(), 1);
    const digest = line.getByRole("region", { name: "Digest" });
    assert.ok(await digest.isHidden());
    await line.getByText(FOLDED).click();
    assert.equal(await digest.textContent(), sent[0].content, "what the model reads");
    assert.equal(await digest.textContent(), folds[0].digest);
    await line.getByText("ctxfold wrote it without a model").waitFor();

    await page.locator(".folded").first().hover();
    await page.getByRole("button", { name: "Quote what you said here" }).first().click();
    assert.match(await page.getByLabel("Your message").inputValue(), /^Earlier I said:\n> I'd like to turn my balcony/);
  },
);

test("undo puts the conversation back, and nothing is compacted until the user says so", options, async (t) => {
  const page = await open(t);
  await openLong(page);
  const before = await stored(page);
  await turn(page, "And what about slugs");
  const compacted = await stored(page);
  await page.getByRole("button", { name: /^Context:/ }).click();
  await page.getByRole("button", { name: "Show the digest" }).click();
  await page.getByText("Nothing is compacted after that until you choose “Compact now”.").waitFor();
  await page.getByRole("button", { name: "Undo compaction" }).click();
  await page.getByText("Compaction undone.").waitFor();
  await page.getByText("Compaction is undone: every message is sent again").waitFor();
  assert.equal(await page.locator(".fold").count(), 0);
  const undone = await stored(page);
  assert.deepEqual(undone.sent, undone.shown);
  assert.deepEqual(undone.shown, compacted.shown);
  assert.equal(undone.shared, 26, "the very same messages");
  assert.deepEqual(undone.state, before.state);

  await turn(page, "It is not compacted again");
  assert.equal(await page.locator(".fold").count(), 0, "though it is due");
  await page.reload();
  await page.getByText("Compaction is undone: every message is sent again").waitFor();
  await turn(page, "Nor after a reload");
  assert.equal(await page.locator(".fold").count(), 0);

  await speak(page, `A message that no longer fits. ${"The snails are back, and the beans are gone. ".repeat(120)}`);
  const alert = await problem(page, "The conversation no longer fits", "Compact now");
  await alert.getByRole("button", { name: "Compact now" }).click();
  await page.locator(".fold").waitFor();
  await page.locator(".message.assistant", { hasText: "You said “A message that no longer fits" }).waitFor();
  await idle(page);
  assert.equal(await alert.getByRole("heading").count(), 0);
  assert.equal((await stored(page)).paused, false);
});

test("after several compactions, each undo takes back the newest", options, async (t) => {
  const page = await open(t);
  await inSettings(page, () => page.getByLabel("Window, in tokens").fill("1000"));
  let turns = 0;
  while ((await page.locator(".fold").count()) < 2) {
    assert.ok(++turns < 30, "no two compactions in 30 turns");
    await turn(page, `subject ${turns} of thirty`);
  }
  const { folds, shown } = await stored(page);
  for (const { undo } of folds.toReversed()) {
    await page.locator(".fold.last summary").click();
    await page.getByRole("button", { name: "Undo compaction" }).click();
    await page.getByText("Compaction undone.").waitFor();
    await idle(page);
    const { sent } = await stored(page);
    assert.deepEqual(sent, [...undo.sent, ...shown.slice(undo.shown)]);
  }
  assert.deepEqual((await stored(page)).sent, shown);
});

test("an endpoint answers in a stream, Stop keeps what has come, and the key goes nowhere else", options, async (t) => {
  const endpoint = await Endpoint.start(t);
  const other = await Endpoint.start(t);
  const page = await open(t);
  await use(page, endpoint);
  await page.getByText(`Messages go to ${new URL(endpoint.url).host}, tiny.`).waitFor();
  await inSettings(page, () => page.getByLabel("API key").fill("secret"));
  await speak(page, "hold");
  const live = page.locator(".message.assistant");
  await live.getByText("You said “hold”,", { exact: true }).waitFor();
  assert.equal(await live.getAttribute("aria-busy"), "true");
  endpoint.release();
  await page.getByText("You said “hold”, and tiny answers that.").waitFor();
  await idle(page);
  assert.equal(await live.getAttribute("aria-busy"), null);
  assert.equal(await page.locator(".message.assistant strong").textContent(), "that");
  assert.deepEqual(endpoint.requests[0], {
    model: "tiny",
    messages: [{ role: "user", content: "hold" }],
    stream: true,
  });
  assert.deepEqual(endpoint.keys, ["Bearer secret"]);

  await speak(page, "hold");
  await page.locator("[aria-busy]").getByText("You said “hold”,", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByText("Stopped.").waitFor();
  await idle(page);
  assert.equal((await stored(page)).shown.at(-1).content, "You said “hold”, ");
  await turn(page, "go on");
  await speak(page, "no stream");
  await page.getByText("In one piece.").waitFor();
  await idle(page);
  await speak(page, "too long");
  await page.getByText("The answer is cut off").waitFor();

  assert.ok(!JSON.stringify(await page.evaluate(() => ({ ...localStorage }))).includes("secret"));
  assert.ok(!JSON.stringify(await stored(page)).includes("secret"));
  await use(page, other);
  await turn(page, "somebody else");
  assert.deepEqual(other.keys, [undefined]);
  await use(page, endpoint);
  await page.reload();
  await turn(page, "in this tab it is kept");
  assert.equal(endpoint.keys.at(-1), "Bearer secret");
});

test("the model writes the digest, and a reload in the middle of it loses nothing", options, async (t) => {
  const endpoint = await Endpoint.start(t);
  const page = await open(t);
  await openLong(page);
  await use(page, endpoint);
  endpoint.slow = true;
  await compactNow(page);
  await page.getByText("Compacting: writing a digest of the older messages…").waitFor();
  const before = await stored(page);
  assert.equal(before.compacting, true);
  await page.reload();
  await page.getByText("Compacting: writing a digest of the older messages…").waitFor();
  endpoint.slow = false;
  endpoint.release();
  await page.getByText(/^\d+ messages are folded: /).waitFor();
  const after = await stored(page);
  assert.deepEqual(after.shown, before.shown);
  assert.equal(after.compacting, false);
  assert.ok(after.sent.length < before.sent.length);
  assert.match(after.folds[0].digest, /They never want plastic pots/);
  await page.reload();
  await page.getByText(FOLDED).click();
  assert.equal(await page.getByText("ctxfold wrote it without a model").count(), 0);

  await page.getByRole("button", { name: "Undo compaction" }).click();
  await page.getByText("Compaction undone.").waitFor();
  endpoint.slow = true;
  await compactNow(page);
  await page.getByText("Compacting: writing a digest of the older messages…").waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByText("Stopped.").waitFor();
  const stopped = await stored(page);
  assert.equal(stopped.compacting, false);
  assert.deepEqual(stopped.sent, before.sent);
});

test("a reload in the middle of an answer leaves the message, which can be answered", options, async (t) => {
  const endpoint = await Endpoint.start(t);
  const page = await open(t);
  await use(page, endpoint);
  await speak(page, "hold");
  await page.locator("[aria-busy]").waitFor();
  await page.reload();
  await page.getByText("This message has no answer.").waitFor();
  await page.getByRole("button", { name: "Answer it" }).click();
  await page.locator("[aria-busy]").waitFor();
  endpoint.release();
  await page.getByText("and tiny answers that.").waitFor();
  await idle(page);
  assert.equal((await stored(page)).shown.length, 2);
  assert.equal(await page.getByText("This message has no answer.").count(), 0);
});

test("what the endpoint refuses as too long is compacted, and sent once more", options, async (t) => {
  const endpoint = await Endpoint.start(t);
  const page = await open(t);
  await openLong(page);
  await use(page, endpoint);
  await inSettings(page, () => page.getByLabel("Window, in tokens").fill("8000"));
  endpoint.window = 2500;
  await turn(page, "does it fit");
  assert.equal(await page.locator(".fold").count(), 1);
  assert.ok(JSON.stringify(endpoint.requests.at(-1)).length / 4 < 2500);
});

test("each error says what to do", options, async (t) => {
  const endpoint = await Endpoint.start(t);
  const page = await open(t);
  const { host } = new URL(endpoint.url);
  await inSettings(page, () => page.getByRole("radio", { name: /^An endpoint/ }).check());
  await speak(page, "hello");
  await (await problem(page, "No model yet", "Open settings")).getByRole("button", { name: "Open settings" }).click();
  await page.getByLabel("Base URL").fill(endpoint.url);
  await page.getByRole("textbox", { name: "Model" }).fill("tiny");
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("button", { name: "Answer it" }).click();
  await page.getByText("You said “hello”").waitFor();
  await idle(page);

  await speak(page, "fail 401");
  const alert = await problem(page, `${host} wants an API key`, "Open settings");
  await alert.getByText("It says: “because I was told to”").waitFor();
  await accessible(page);
  await inSettings(page, () => page.getByLabel("API key").fill("wrong"));
  await page.getByRole("button", { name: "Answer it" }).click();
  await problem(page, `${host} refuses the API key`, "Open settings");
  await speak(page, "fail 404");
  await (await problem(page, `No model “tiny” at ${endpoint.url}`, "Open settings"))
    .getByText("usually ends in /v1")
    .waitFor();
  await speak(page, "fail 429");
  await (await problem(page, `Too many requests to ${host}`, "Try again")).getByText("Wait 7 seconds").waitFor();
  await speak(page, "fail 503");
  await (await problem(page, `${host} failed (503)`, "Try again")).getByText("Your conversation is safe.").waitFor();
  await speak(page, "fail 418");
  await problem(page, `${host} refuses the request (418)`, "Open settings");
  await speak(page, "a web page");
  await problem(page, "That is not an OpenAI-compatible endpoint", "Open settings");
  await speak(page, "break");
  await problem(page, "The answer was cut off", "Try again");
  const broken = endpoint.requests.length;
  await alert.getByRole("button", { name: "Try again" }).click();
  await problem(page, "The answer was cut off", "Try again");
  assert.equal(endpoint.requests.length, broken + 1);
  await page.getByRole("button", { name: "Dismiss" }).click();
  assert.equal(await alert.getByRole("heading").count(), 0);

  endpoint.cors = false;
  await speak(page, "not from here");
  await (await problem(page, `No answer from ${host}`, "Try again"))
    .getByText(`let it accept ${new URL(page.url()).origin}`)
    .waitFor();
  endpoint.cors = true;
  await alert.getByRole("button", { name: "Try again" }).click();
  await page.getByText("You said “not from here”").waitFor();
  await idle(page);

  await inSettings(page, () => page.getByRole("radio", { name: /^This browser's model/ }).check());
  await speak(page, "hello browser");
  await problem(page, "This browser has no built-in model", "Open settings");
  await inSettings(page, () => page.getByRole("radio", { name: /^A script/ }).check());
  await speak(page, "The snails are back, and the beans are gone. ".repeat(500));
  await problem(page, "The message does not fit", "Open settings");
});

test("where the page may not store anything, it says so", options, async (t) => {
  const page = await openPage(t);
  await page.addInitScript(() => {
    indexedDB.open = () => {
      throw new DOMException("storage is blocked", "SecurityError");
    };
  });
  await page.goto(await address(t));
  await (await problem(page, "The conversation can't be saved", "Try again")).getByText("storage is blocked").waitFor();
  await speak(page, "not lost");
  await problem(page, "The conversation can't be saved", "Try again");
  assert.equal(await page.getByLabel("Your message").inputValue(), "not lost");
});

test("what a model writes cannot run, load or restyle anything", options, async (t) => {
  const page = await open(t);
  await inSettings(page, () => page.getByRole("radio", { name: /^An endpoint/ }).check());
  await page.route("http://evil.example/**", async (route) => {
    const content =
      '<img src="http://evil.example/leak.png" onerror="window.hacked=1"><script>window.hacked=1</script>' +
      '<style>body{display:none}</style> [a link](javascript:window.hacked=1) and [another](https://example.org/) <b id="send" onclick="window.hacked=1">bold</b>';
    const choices = [{ message: { content }, finish_reason: "stop" }];
    await route.fulfill({
      json: { choices },
      headers: { "access-control-allow-origin": "*", "access-control-allow-headers": "*" },
    });
  });
  await inSettings(page, async () => {
    await page.getByLabel("Base URL").fill("http://evil.example/v1");
    await page.getByRole("textbox", { name: "Model" }).fill("tiny");
  });
  await speak(page, "hello");
  const text = page.locator(".message.assistant .text");
  await text.getByText("bold").click();
  assert.equal(await text.locator("img, script, style, [id], [onclick]").count(), 0);
  assert.equal(await text.locator("a[href^='javascript']").count(), 0);
  assert.equal(await text.getByRole("link", { name: "another" }).getAttribute("rel"), "noopener noreferrer");
  assert.equal(await page.evaluate(() => /** @type {any} */ (globalThis).hacked), undefined);
});

test("the browser's own model answers and writes digests", options, async (t) => {
  const page = await open(t, (page) => withBuiltIn(page, "downloadable"));
  await page.getByRole("button", { name: "Settings", exact: true }).click();
  await page.getByRole("radio", { name: /^This browser's model/ }).check();
  await page.getByText("It has to be downloaded once").waitFor();
  await page.getByRole("button", { name: "Done" }).click();
  await speak(page, "Hello there");
  const alert = await problem(page, "The browser's model isn't downloaded yet", "Open settings");
  await alert.getByRole("button", { name: "Open settings" }).click();
  await page.getByRole("button", { name: "Download the model" }).click();
  await page.getByRole("button", { name: "Download the model" }).waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("button", { name: "Answer it" }).click();
  await page.getByText("You said “Hello there”").waitFor();
  await page.getByText("/ 3,072").waitFor(); // the model's own window, which is smaller
  await forget(page);

  await openLong(page);
  await turn(page, "And what about slugs");
  await page.getByText(/^\d+ messages are folded: /).waitFor();
  assert.match((await stored(page)).folds.at(-1).digest, /They never want plastic pots/);
  const asked = await page.evaluate(() => /** @type {any} */ (globalThis).asked);
  assert.equal(asked.at(-1).input, "And what about slugs");
  assert.match(asked.at(-1).prompts[0].content, /They never want plastic pots/);

  await forget(page);
  await inSettings(page, () => page.getByLabel("Digests are written by").selectOption("summarizer"));
  await openLong(page);
  await turn(page, "And what about slugs");
  await page.getByText(/^\d+ messages are folded: /).waitFor();
  assert.match((await stored(page)).folds.at(-1).digest, /A summarizer wrote this/);
  await page.reload();
  await page.getByText("This browser's model answers. Nothing leaves your computer.").waitFor();
});

test("what the browser's model finds too large is compacted, and asked once more", options, async (t) => {
  const page = await open(t, (page) => withBuiltIn(page, "available", { contextWindow: 8192, capacity: 2500 }));
  await openLong(page);
  await inSettings(page, async () => {
    await page.getByRole("radio", { name: /^This browser's model/ }).check();
    await page.getByLabel("Window, in tokens").fill("8000");
  });
  await turn(page, "And what about slugs");
  assert.equal(await page.locator(".fold").count(), 1);
});

test(
  "two tabs with one conversation: each sees what the other has said, and nothing is written over",
  options,
  async (t) => {
    const page = await open(t);
    const browser = await page.context().browser()?.newContext();
    assert.ok(browser);
    browser.setDefaultTimeout(LIMIT);
    const first = await browser.newPage();
    await first.goto(page.url());
    await first.getByRole("heading", { name: "Chat as long as you like" }).waitFor();
    await turn(first, "said in the first tab");
    const second = await browser.newPage();
    await second.goto(page.url());
    await second.getByText("You said “said in the first tab”").waitFor();
    await turn(second, "said in the second tab");
    await first.getByText("You said “said in the second tab”").waitFor();
    await Promise.all([speak(first, "at once from one"), speak(second, "at once from two")]);
    for (const tab of [first, second]) {
      await tab.waitForFunction(() => document.querySelectorAll(".message.assistant:not([aria-busy])").length === 4);
      await idle(tab);
    }
    const texts = (await stored(first)).shown.map((/** @type {any} */ { content }) => content);
    assert.equal(texts.length, 8);
    for (const text of ["said in the first tab", "said in the second tab", "at once from one", "at once from two"]) {
      const at = texts.indexOf(text);
      assert.ok(texts[at + 1].includes(`You said “${text}”`), text);
    }
    await compactNow(first);
    await second.locator(".fold").waitFor();
    await second.locator(".fold summary").click();
    await second.getByRole("button", { name: "Undo compaction" }).click();
    await first.locator(".fold").waitFor({ state: "detached" });
    await turn(first, "after all that");
    assert.equal((await stored(second)).sent.length, 10);
  },
);
