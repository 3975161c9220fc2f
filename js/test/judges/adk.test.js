/** Google's ADK judges compacted events by the requests that it builds from them: every event is sent, and every call has its response. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeAll } from "./results.js";

const adk = "../../fixtures/adk/node_modules/@google/adk/dist/web/agents/processors/content_processor_utils.js";
/** @type {{ getContents: (events: any[], agent: string) => any[] }} */
const { getContents } = await import(new URL(adk, import.meta.url).href); // the package has no types

/** @param {any[]} events */
const texts = (events) =>
  events.flatMap(({ content }) => (content?.parts ?? []).flatMap((/** @type {any} */ part) => part.text ?? []));

/** @param {any[]} events */
function judge(events) {
  assert.equal(new Set(events.map(({ id }) => id)).size, events.length, "ids are unique");
  const times = events.map(({ timestamp }) => timestamp);
  assert.deepEqual(
    times,
    times.toSorted((a, b) => a - b),
    "events stand in the order of their times",
  );
  const agents = new Set(events.map(({ author }) => author));
  for (const agent of ["", "coder", "another", ...agents]) {
    const contents = getContents(structuredClone(events), agent);
    assert.equal(contents[0].role, "user", "the user speaks first");
    let open = 0;
    for (const [i, { role, parts }] of contents.entries()) {
      assert.ok(parts.length > 0, "a content has parts");
      assert.ok(role === "user" || role === "model", "a role is the user's or the model's");
      const calls = parts.filter((/** @type {any} */ part) => part.functionCall);
      const responses = parts.filter((/** @type {any} */ part) => part.functionResponse);
      for (const { functionResponse, functionCall } of [...calls, ...responses]) {
        const { id } = functionResponse ?? functionCall;
        assert.ok(id === undefined || !id.startsWith("adk-"), "the framework takes off the ids that are its own");
      }
      assert.ok(responses.length === open, `content ${i} answers ${responses.length} of ${open} calls`);
      open = calls.length;
    }
    const said = texts(contents.map((content) => ({ content }))).join("\n");
    for (const text of texts(events.filter(({ content }) => content?.parts[0]?.text !== ""))) {
      assert.ok(said.includes(text) || agent !== "", "every text is sent");
    }
  }
}

test("the judge refuses what is broken", () => {
  const user = { id: "1", author: "user", timestamp: 1, content: { role: "user", parts: [{ text: "hi" }] } };
  const call = { functionCall: { id: "c", name: "read", args: {} } };
  const response = { functionResponse: { id: "c", name: "read", response: {} } };
  const calling = { id: "2", author: "coder", timestamp: 2, content: { role: "model", parts: [call] } };
  const got = { id: "3", author: "coder", timestamp: 3, content: { role: "user", parts: [response] } };
  const done = { id: "4", author: "coder", timestamp: 4, content: { role: "model", parts: [{ text: "done" }] } };
  judge([user, calling, got, done]);
  judge([user, calling, { ...user, id: "5", timestamp: 2.5 }, got, done]);
  assert.throws(() => judge([user, calling, done]), /answers 0 of 1/);
  assert.throws(() => judge([user, got]), /No function call event found/);
  assert.throws(() => judge([user, calling, { ...got, author: "another" }, done]), /answers 0 of 1/);
  assert.throws(() => judge([user, { ...user, id: "2", content: { role: "user", parts: [] } }]), /has parts/);
  assert.throws(() => judge([done, user]), /speaks first|order of their times/);
  const both = { ...calling, content: { role: "model", parts: [{ text: "" }, call] } };
  assert.throws(() => judge([user, both, got]), /No function call event found/);
});

test("getContents takes compacted events", (t) => judgeAll(t, "adk", judge));
