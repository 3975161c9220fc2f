import assert from "node:assert/strict";
import { test } from "node:test";
import { applyEdits, graft, serialize } from "../dist/live.js";

test("kept messages are the caller's own objects, in a new array", () => {
  const list = [{ n: 0 }, { n: 1 }, { n: 2 }, { n: 3 }];
  const inserted = { role: "user", content: "digest" };
  const out = applyEdits(list, [
    { keep: [0, 1] },
    { insert: inserted },
    { set: 2, message: { n: "changed" } },
    { keep: [3, 4] },
  ]);
  assert.deepEqual(out, [{ n: 0 }, inserted, { n: "changed" }, { n: 3 }]);
  assert.equal(out[0], list[0]);
  assert.equal(out[3], list[3]);
  assert.deepEqual(list, [{ n: 0 }, { n: 1 }, { n: 2 }, { n: 3 }]);
});

test("a list that was kept whole is the list itself", () => {
  const list = [{ n: 0 }, { n: 1 }];
  assert.equal(applyEdits(list, [{ keep: [0, 2] }]), list);
  assert.notEqual(applyEdits(list, [{ keep: [0, 1] }]), list);
  assert.deepEqual(applyEdits(list, []), []);
});

test("in a changed message, the parts that stayed are the caller's own", () => {
  const image = { type: "image", image: new Uint8Array([1, 2, 3]) };
  const link = { type: "file", url: new URL("https://example.org/a.png") };
  const original = { role: "tool", content: [image, link, { type: "text", text: "long" }] };
  const edited = JSON.parse(serialize(original));
  edited.content[2].text = "[cleared]";
  const out = /** @type {typeof original} */ (graft(original, edited));
  assert.equal(out.content[0], image);
  assert.equal(out.content[1], link);
  assert.deepEqual(out.content[2], { type: "text", text: "[cleared]" });
  assert.deepEqual(original.content[2], { type: "text", text: "long" });
});

test("parts that stayed are found again behind parts that were removed", () => {
  const data = { type: "file", data: new Uint8Array([9]) };
  const original = { content: [{ type: "reasoning" }, data, { type: "text", text: "t" }] };
  const out = /** @type {typeof original} */ (
    graft(original, { content: JSON.parse(serialize(original)).content.slice(1) })
  );
  assert.equal(out.content.length, 2);
  assert.equal(out.content[0], data);
  assert.equal(out.content[1], original.content[2]);
});

test("a field that was removed stays removed, and __proto__ is a field like any other", () => {
  assert.deepEqual(graft({ a: 1, b: 2 }, { a: 1 }), { a: 1 });
  const out = graft({ a: 1 }, JSON.parse(`{"__proto__":{"polluted":true}}`));
  assert.equal(/** @type {any} */ (out).polluted, undefined);
  assert.ok(Object.hasOwn(/** @type {object} */ (out), "__proto__"));
});

test("a value that was not changed is the original, whatever JSON makes of it", () => {
  const original = { at: new Date(0), skip: undefined, call: () => 1, n: -0 };
  assert.equal(graft(original, JSON.parse(serialize(original))), original);
});

test("binary data crosses as base64, as wire formats write it", () => {
  const bytes = Uint8Array.from({ length: 20_000 }, (_, i) => i % 256);
  const expected = Buffer.from(bytes).toString("base64");
  for (const data of [bytes, bytes.buffer, Buffer.from(bytes), new DataView(bytes.buffer)]) {
    assert.deepEqual(JSON.parse(serialize([{ data }])), [{ data: expected }]);
    assert.equal(/** @type {any} */ (graft({ data, x: 1 }, { data: expected })).data, data);
  }
  const part = new Uint8Array(bytes.buffer, 256, 3);
  assert.equal(serialize(part), `"AAEC"`);
});

test("messages that JSON cannot hold are an error that says so", () => {
  /** @type {any} */
  const cycle = {};
  cycle.self = cycle;
  for (const messages of [[cycle], [{ n: 1n }], undefined, () => 1]) {
    assert.throws(() => serialize(messages), { name: "CtxfoldError", code: "not_serializable", path: "messages" });
  }
});

test("values are written as JSON.stringify writes them, with binary data at any depth", () => {
  const deep = (/** @type {unknown} */ inner) => Array.from({ length: 40 }).reduce((value) => [{ value }], inner);
  const plain = [{ a: [1, undefined, null, Number.NaN], b: undefined, c: () => 1, d: Object.create(null) }];
  assert.equal(serialize(plain), JSON.stringify(plain));
  assert.equal(serialize(deep("x")), JSON.stringify(deep("x")));
  assert.equal(serialize(deep(new Uint8Array([9]))), JSON.stringify(deep("CQ==")));
  assert.equal(serialize([{ toJSON: () => ({ data: new Uint8Array([9]) }) }]), '[{"data":"CQ=="}]');
  class Part {
    data = new Uint8Array([9]);
  }
  assert.equal(serialize({ part: new Part() }), '{"part":{"data":"CQ=="}}');
});
