import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";
import { createCompactor, load } from "ctxfold";
import { createCompactor as createRemote } from "ctxfold/worker";

const module = await load();
const folder = new URL("../../testdata/sessions/", import.meta.url);
const names = (await readdir(folder)).filter((name) => !name.endsWith(".golden.json"));

test("there are session files", () => assert.ok(names.length > 0, `no files in ${folder}`));

for (const name of names) {
  test(`${name}: text gives live messages, bytes give bytes, and the other operations take them`, async () => {
    const bytes = await readFile(new URL(name, folder));
    const golden = JSON.parse(await readFile(new URL(`${name}.golden.json`, folder), "utf8"));
    const compactor = createCompactor({ module });
    const live = compactor.open(bytes.toString());
    assert.deepEqual(live, golden);

    const { messages, ...rest } = compactor.open(bytes);
    assert.ok(messages instanceof Uint8Array);
    assert.deepEqual({ ...rest, messages: JSON.parse(new TextDecoder().decode(messages)) }, golden);

    const next = createCompactor({ module, policy: { format: live.format, window: { unlimited: true } } });
    assert.equal(next.check(live.messages).messages, golden.messages.length);
    assert.equal(next.estimate(messages).tokens, next.estimate(live.messages).tokens);
  });
}

for (const name of names) {
  test(`${name}: what open has answered is checked, compacted and saved whole`, async (t) => {
    const bytes = await readFile(new URL(name, folder));
    /** @type {import("ctxfold").Pass[]} */
    const passes = [{ pass: "fold", keep_tokens: 20 }];
    const options = { module, policy: { window: { tokens: 20_000 }, passes } };
    const force = { options: { force: true } };
    const compactor = createCompactor(options);
    const live = compactor.open(bytes.toString());
    const raw = compactor.open(bytes);
    assert.equal(compactor.check(live).source, live.usage ? "measured" : "estimated");
    assert.equal(compactor.estimate(raw).tokens, compactor.estimate(live).tokens);
    assert.equal(compactor.detect(live).format, live.format);

    const done = await createCompactor(options).compact(live, force);
    assert.ok(Array.isArray(done.messages));
    const cut = await createCompactor(options).compact(raw, force);
    assert.deepEqual(JSON.parse(new TextDecoder().decode(cut.messages)), done.messages);
    const worker = createRemote({ policy: options.policy });
    t.after(() => worker.close());
    assert.deepEqual((await worker.compact(live, force)).messages, done.messages);
    assert.deepEqual((await worker.check(raw)).source, compactor.check(raw).source);

    if (live.kind === "copilot" || live.kind === "letta") {
      assert.throws(() => compactor.save(bytes.toString(), done), { code: "cannot_save" });
      return;
    }
    const next = compactor.save(bytes.toString(), done);
    if (!done.report.changed) {
      assert.equal(next, bytes.toString());
      assert.equal(compactor.save(bytes, cut), bytes);
    } else {
      /** @param {string} text A compaction has the time at which it was saved, and ids that come of it. */
      const timeless = (text) =>
        text.replaceAll(
          /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|20\d\d-[0-9T:.-]+Z?|\b1[0-9]{9}(?:[0-9]{3})?\b|(ses|msg|prt)_[0-9a-f]{26}/g,
          "",
        );
      assert.equal(timeless(Buffer.from(compactor.save(bytes, cut)).toString()), timeless(next));
      assert.equal(timeless(await worker.save(bytes.toString(), done)), timeless(next));
      const again = compactor.open(next);
      assert.equal(again.usage, null);
      // Cline's file names the model in each answer, and here all answers are folded.
      assert.equal(again.model, live.kind === "cline" ? "" : live.model);
      if (live.kind === "claude-code" || live.kind === "codex") assert.deepEqual(again.messages, done.messages);
      else assert.ok(again.messages.length <= done.messages.length);
      assert.equal(compactor.save(next, { messages: again.messages, report: done.report }), next);
    }
  });
}

test("what a file cannot hold is an error", async () => {
  const compactor = createCompactor({ module });
  const file = await readFile(new URL("pi-v3.jsonl", folder), "utf8");
  /** @type {import("ctxfold").Left["report"]} */
  const report = { changed: true, tokens: { before: 1, after: 1, limit: 0, window: 0, source: "estimated", bound: 1 } };
  assert.throws(
    () =>
      compactor.save(file, {
        messages: [
          { role: "user", content: "a" },
          { role: "compaction_summary", summary: "b" },
        ],
        report,
      }),
    { code: "cannot_save" },
  );
  assert.throws(() => compactor.save("[]", { messages: [{ role: "user" }], report }), { code: "unknown_session" });
});

test("half a surrogate pair in the text of a file keeps nobody from opening it and saving it", async () => {
  const compactor = createCompactor({ module });
  const text = await readFile(new URL("pi-v3.jsonl", folder), "utf8");
  const file = text.replace("Two euro", "Two euro \ud83d");
  assert.notEqual(file, text);
  const { messages } = compactor.open(file);
  assert.match(JSON.stringify(messages), /Two euro \ufffd/);
  /** @type {import("ctxfold").Left["report"]} */
  const report = { changed: true, tokens: { before: 1, after: 1, limit: 0, window: 0, source: "estimated", bound: 1 } };
  const saved = compactor.save(file, { messages: messages.slice(-1), report });
  assert.ok(saved.startsWith(file.toWellFormed()) && saved.length > file.length);
  assert.equal(compactor.open(saved).messages.length, 1);
});

test("an error names the byte of the file", async () => {
  const compactor = createCompactor({ module });
  const text = await readFile(new URL("claude-code.jsonl", folder), "utf8");
  const line = text.indexOf("\n") + 1;
  const broken = `${text.slice(0, line)}{"type":nul}\n${text.slice(line)}`;
  const offset = Buffer.byteLength(text.slice(0, line)) + `{"type":`.length;
  for (const file of [broken, Buffer.from(broken)]) {
    assert.throws(() => compactor.open(file), { code: "invalid_json", path: "type", offset, message: /^line 2: / });
  }
  assert.throws(() => compactor.open("[]"), { code: "unknown_session", offset: 0 });
  assert.throws(() => compactor.open("é\ud800"), { code: "unknown_session", path: "", offset: 0 });
  assert.throws(() => compactor.open(/** @type {any} */ ({ messages: [] })), { code: "invalid_option" });
});
