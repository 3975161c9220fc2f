/**
 * The `ai` package judges compacted and repaired messages: its own validation, conversion and prompt code accept them.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  AISDKError,
  convertToModelMessages,
  generateText,
  jsonSchema,
  MissingToolResultsError,
  safeValidateUIMessages,
  tool,
  validateUIMessages,
} from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { createCompactor, load } from "ctxfold";
import { oneTurn, sessions } from "./ai-sessions.js";

const module = await load();

/**
 * Returns the prompt that generateText sends to a model for a list of ModelMessages. It throws if the messages are invalid.
 * @param {any[]} messages
 */
async function prompt(messages) {
  const model = new MockLanguageModelV3({
    doGenerate: /** @type {any} */ ({
      content: [{ type: "text", text: "ok" }],
      finishReason: { unified: "stop", raw: "stop" },
      usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
      warnings: [],
    }),
  });
  await generateText({ model, messages, allowSystemInMessages: true });
  assert.equal(model.doGenerateCalls.length, 1);
  return model.doGenerateCalls[0].prompt;
}

/** Returns the ids of tool calls and tool results in a prompt. @param {any[]} messages */
function tools(messages) {
  const parts = messages.flatMap(({ content }) => (typeof content === "string" ? [] : content));
  /** @param {string} type */
  const ids = (type) => parts.filter((part) => part.type === type).map((part) => part.toolCallId);
  return { calls: ids("tool-call"), results: ids("tool-result") };
}

/** @param {any[]} messages */
async function judgeModelMessages(messages) {
  const { calls, results } = tools(await prompt(messages));
  assert.deepEqual(results.toSorted(), calls.toSorted(), "every call has its result and every result its call");
  assert.equal(new Set(calls).size, calls.length, "ids are unique");
}

/** @param {any[]} messages */
async function judgeUIMessages(messages) {
  assert.deepEqual(await validateUIMessages({ messages }), messages);
  const { success } = await safeValidateUIMessages({ messages });
  assert.ok(success);
  assert.equal(new Set(messages.map(({ id }) => id)).size, messages.length, "ids of messages are unique");
  await judgeModelMessages(await convertToModelMessages(messages));
}

const formats = { "ai-sdk": judgeModelMessages, "ai-sdk-ui": judgeUIMessages };

/**
 * Compacts at windows that force it, given in percent of the messages' size, in four ways each, and has every result judged. If few is set,
 * it is two ways each.
 * @param {keyof typeof formats} format
 * @param {any[]} messages
 */
async function compactAndJudge(format, messages, percents = [80, 50, 20, 5], few = false) {
  const judge = formats[format];
  await judge(messages);
  const { tokens: size } = createCompactor({ module, policy: { format } }).estimate(messages);
  let changed = 0;
  let way = 0;
  for (const preset of /** @type {const} */ (["default", "window-budget"])) {
    for (const percent of percents) {
      const tokens = Math.max(64, Math.floor((size * percent) / 100));
      /** @type {import("ctxfold").Policy} */
      const policy = { preset, format, window: { tokens, reserve: Math.floor(tokens / 10) } };
      for (const summarize of [undefined, async () => "# Objective\nGo on.\n\n# Status\nAll before is done."]) {
        const drawn = (way + Math.floor(way / 2)) % 2 === 0; // of two windows the first has no summary, the second a model's
        way++;
        if (few && !drawn) continue;
        const compactor = createCompactor({ module, policy, ...(summarize && { summarize }) });
        const done = await compactor.compact(messages);
        await judge(done.messages);
        changed += done.report.changed ? 1 : 0;
      }
    }
  }
  const all = (few ? 2 : 4) * percents.length;
  assert.ok(changed >= all / 2, `only ${changed} of ${all} compactions changed anything`);
}

for (const { name, models, ui } of await sessions()) {
  const percents = name === "sample" ? undefined : [50, 5]; // the package is slow to validate megabytes
  const few = name !== "sample" && !process.env.CTXFOLD_LONG;
  test(`${name}: ModelMessages are accepted after compaction`, () => compactAndJudge("ai-sdk", models, percents, few));
  test(`${name}: UIMessages are accepted after compaction`, () => compactAndJudge("ai-sdk-ui", ui, percents, few));
  test(`${name}: UIMessages of one long turn are accepted after compaction`, () =>
    compactAndJudge("ai-sdk-ui", oneTurn(ui), percents, few));
  test(`${name}: UIMessages that were converted are accepted after compaction`, async () =>
    compactAndJudge("ai-sdk", await convertToModelMessages(ui), percents, few));
}

const long = "long ".repeat(400);
const user = { role: "user", content: "go" };
/** @param {string} toolCallId */
const call = (toolCallId) => ({ type: "tool-call", toolCallId, toolName: "read", input: { path: "a" } });
/** @param {string} toolCallId @param {any} output */
const result = (toolCallId, output = { type: "text", value: long }) => ({
  type: "tool-result",
  toolCallId,
  toolName: "read",
  output,
});
/** @param {any[]} content */
const assistant = (...content) => ({ role: "assistant", content });
/** @param {any[]} content */
const results = (...content) => ({ role: "tool", content });

test("outputs of every type are accepted when they are cleared", async () => {
  const media = { type: "media", data: "iVBORw0KGgo=", mediaType: "image/png" };
  const outputs = [
    { type: "text", value: long },
    { type: "json", value: { text: long } },
    { type: "json", value: [long] },
    { type: "error-text", value: long },
    { type: "error-json", value: { text: long } },
    { type: "content", value: [{ type: "text", text: long }, media] },
    { type: "execution-denied", reason: "no" },
  ];
  const messages = outputs.flatMap((output, i) => [user, assistant(call(`c${i}`)), results(result(`c${i}`, output))]);
  /** @type {import("ctxfold").Policy} */
  const policy = { format: "ai-sdk", window: { tokens: 64 }, passes: [{ pass: "clear", keep_recent: 1 }] };
  const done = await createCompactor({ module, policy }).compact([
    ...messages,
    assistant(call("z")),
    results(result("z")),
  ]);
  assert.equal(done.report.cleared, 6);
  await judgeModelMessages(done.messages);
});

test("approvals and the provider's own tools are accepted after compaction", async () => {
  /** @type {any[]} */
  const messages = [{ role: "system", content: "Be kind." }];
  for (let i = 0; i < 12; i++) {
    const own = { type: "tool-call", toolCallId: `s${i}`, toolName: "web", input: {}, providerExecuted: true };
    const request = { type: "tool-approval-request", approvalId: `ap${i}`, toolCallId: `c${i}` };
    const response = { type: "tool-approval-response", approvalId: `ap${i}`, approved: true };
    messages.push(user, assistant(own, { ...result(`s${i}`), toolName: "web" }, call(`c${i}`), call(`d${i}`), request));
    messages.push(
      results(result(`d${i}`), response),
      results(result(`c${i}`)),
      assistant({ type: "text", text: long }),
    );
  }
  await compactAndJudge("ai-sdk", messages);
});

test("ModelMessages that are refused are accepted after repair", async () => {
  const compactor = createCompactor({ module, policy: { format: "ai-sdk", open_calls: "answer" } });
  const broken = {
    "no result before the user speaks": [user, assistant(call("c1"), call("c2")), results(result("c1")), user],
    "no result at the end": [user, assistant(call("c1"))],
    "a result behind the user's message": [user, assistant(call("c1")), user, results(result("c1"))],
  };
  for (const [name, messages] of Object.entries(broken)) {
    await assert.rejects(prompt(messages), MissingToolResultsError, name);
    await judgeModelMessages(compactor.repair(messages).messages);
  }
  const stray = [user, results(result("c1")), user]; // the package accepts this message, but the provider would not
  await judgeModelMessages(compactor.repair(stray).messages);
});

test("UIMessages that are refused are accepted after repair", async () => {
  const compactor = createCompactor({ module, policy: { format: "ai-sdk-ui" } });
  const ask = { id: "u1", role: "user", parts: [{ type: "text", text: "go" }] };
  const next = { id: "u2", role: "user", parts: [{ type: "text", text: "on" }] };
  /** @param {any} part */
  const waiting = (part) => [
    ask,
    { id: "a1", role: "assistant", parts: [{ toolCallId: "c1", input: {}, type: "tool-read", ...part }] },
    next,
  ];
  const broken = {
    "a message without parts": [ask, { id: "u3", role: "user", parts: [] }],
    "no output": waiting({ state: "input-available" }),
    "an approval that was asked for": waiting({ state: "approval-requested", approval: { id: "ap1" } }),
    "an approval that was given": waiting({ state: "approval-responded", approval: { id: "ap1", approved: true } }),
    "an approval that was denied": waiting({ state: "approval-responded", approval: { id: "ap1", approved: false } }),
    "a dynamic tool": waiting({ state: "input-available", type: "dynamic-tool", toolName: "rm" }),
  };
  for (const [name, messages] of Object.entries(broken)) {
    await assert.rejects(judgeUIMessages(messages), AISDKError.isInstance, name);
    await judgeUIMessages(compactor.repair(messages).messages);
  }
});

test("a cleared output keeps its JSON type, for what converts it to the model's", async () => {
  const search = tool({
    inputSchema: jsonSchema({ type: "object" }),
    toModelOutput: ({ output }) =>
      "hits" in output ? { type: "text", value: "hits" } : { type: "json", value: output },
  });
  const part = { type: "tool-search", state: "output-available", input: {}, output: { hits: [long] } };
  const messages = ["c1", "c2"].flatMap((toolCallId) => [
    { id: `u${toolCallId}`, role: "user", parts: [{ type: "text", text: "go" }] },
    { id: toolCallId, role: "assistant", parts: [{ ...part, toolCallId }] },
  ]);
  /** @type {import("ctxfold").Pass[]} */
  const passes = [{ pass: "clear", keep_recent: 1 }];
  /** @type {import("ctxfold").Policy} */
  const policy = { format: "ai-sdk-ui", window: { tokens: 64 }, passes, last_resort: false };
  const done = /** @type {any} */ (await createCompactor({ module, policy }).compact(messages));
  assert.equal(done.report.cleared, 1);
  await validateUIMessages({ messages: done.messages, tools: /** @type {any} */ ({ search }) });
  const converted = await convertToModelMessages(done.messages, { tools: { search } });
  assert.deepEqual(/** @type {any} */ (converted[2].content[0]).output, {
    type: "json",
    value: { cleared: "[Old tool result content cleared]" },
  });
});
