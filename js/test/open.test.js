import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";
import { createCompactor, load } from "ctxfold";

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

    const next = createCompactor({ module, policy: { format: live.format } });
    assert.equal(next.check(live.messages).messages, golden.messages.length);
    assert.equal(next.estimate(messages).tokens, next.estimate(live.messages).tokens);
  });
}

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
