/** The `@google/genai` package judges compacted messages: a chat accepts them as its history and omits nothing. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { GoogleGenAI } from "@google/genai";
import { judgeAll } from "./results.js";

const { chats } = new GoogleGenAI({ apiKey: "none" }); // a chat without a question sends nothing

/** @param {any[]} history */
function judge(history) {
  const curated = chats.create({ model: "gemini-2.5-flash", history }).getHistory(true);
  assert.deepEqual(curated, history, "no content is invalid");
}

test("the judge refuses what is broken", () => {
  assert.throws(() => judge([{ role: "assistant", parts: [{ text: "hi" }] }]), /Role must be user or model/);
  assert.throws(
    () =>
      judge([
        { role: "user", parts: [{ text: "hi" }] },
        { role: "model", parts: [] },
      ]),
    /no content/,
  );
});

test("a chat takes compacted contents as its history", (t) => judgeAll(t, "gemini", judge));
