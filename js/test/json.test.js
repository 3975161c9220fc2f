import assert from "node:assert/strict";
import { test } from "node:test";
import { decode, members } from "../dist/json.js";

/** @param {string} text */
const read = (text) => Object.fromEntries([...members(new TextEncoder().encode(text))].map(([k, v]) => [k, decode(v)]));

test("members come out as they are written", () => {
  const messages = String.raw`[{"role": "user",  "content": "a \"quoted\" , } ] \\"}, 1.0e+2, {"n":1e400}]`;
  assert.deepEqual(read(`{"report":{"a":[1,2]},"messages":${messages},"state":null}`), {
    report: `{"a":[1,2]}`,
    messages,
    state: "null",
  });
});

test("any order, any white space", () => {
  assert.deepEqual(read(` {\n "a" :1 ,\t"b" : "x" } `), { a: "1 ", b: ` "x" ` });
  assert.deepEqual(read(`{}`), {});
});

test("text outside ASCII and a byte order mark inside a string are kept", () => {
  assert.deepEqual(read(`{"a":"漢字 🙂 \uFEFF"}`), { a: `"漢字 🙂 \uFEFF"` });
});

test("what ends too early is an error", () => {
  for (const text of ["", "null", `{"a":"x`, `{"a":"x\\"`, `{"a":[1,`, `{"a`, `{"a"`]) {
    assert.throws(() => read(text), SyntaxError, text);
  }
});
