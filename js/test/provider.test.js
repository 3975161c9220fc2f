// Tests summary.provider: the results of Anthropic's and OpenAI's own compactions are used unchanged; if they fail, the model is asked.
import assert from "node:assert/strict";
import { test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { createCompactor, load } from "ctxfold";
import * as anthropic from "ctxfold/anthropic";
import * as openai from "ctxfold/openai";
import OpenAI from "openai";
import { summary } from "./support/session.js";

const module = await load();
const text = (/** @type {number} */ n) => `File ${n}: ${"It has lines and words. ".repeat(40)}`;
/** @type {import("@anthropic-ai/sdk/resources/beta/messages/messages").BetaCompactionBlock} */
const block = {
  type: "compaction",
  content: "The user counts files.",
  encrypted_content: null,
  signature: "c2ln+/==",
  tool_changes: [],
};
/** @type {import("openai/resources/responses/responses").ResponseCompactionItem} */
const item = { id: "cmp_1", type: "compaction", encrypted_content: "Z0FBQUFB".repeat(40) };
const first = { type: "message", role: "user", content: [{ type: "input_text", text: "Read file 0." }] };

/** The requests to the fake servers. @type {{path: string, beta: string | null, body: any}[]} */
let asked = [];
/** Whether their own compaction fails, and how. @type {"" | "status" | "empty"} */
let fails = "";

/** @param {string | URL | Request} url @param {RequestInit} [init] */
async function server(url, init) {
  const { pathname } = new URL(String(url));
  const headers = new Headers(init?.headers);
  const body = JSON.parse(String(init?.body));
  asked.push({ path: pathname, beta: headers.get("anthropic-beta"), body });
  const own = pathname === "/v1/responses/compact" || "compaction" in body;
  if (own && fails === "status") {
    return Response.json({ error: { type: "invalid_request_error", message: "no" } }, { status: 400 });
  }
  const empty = fails === "empty";
  if (pathname === "/v1/responses/compact") {
    return Response.json({
      id: "resp_1",
      object: "response.compaction",
      created_at: 1,
      output: empty ? [first] : [first, item],
    });
  }
  if (own) {
    const content = [empty ? { ...block, content: null, signature: null } : block];
    return Response.json({ type: "message", role: "assistant", content, stop_reason: "compaction" });
  }
  if (pathname === "/v1/messages") {
    return Response.json({
      type: "message",
      role: "assistant",
      content: [{ type: "text", text: summary }],
      stop_reason: "end_turn",
    });
  }
  return Response.json({ choices: [{ message: { role: "assistant", content: summary }, finish_reason: "stop" }] });
}

const claude = new Anthropic({ apiKey: "k", baseURL: "https://claude.example", fetch: server, maxRetries: 0 });
const gpt = new OpenAI({ apiKey: "k", baseURL: "https://gpt.example/v1", fetch: server, maxRetries: 0 });

/** @type {Record<string, {summarize: import("ctxfold").Summarize, plain: import("ctxfold").Summarize, body: any, list: string, made: any[], path: string, beta: string | null}>} */
const PROVIDERS = {
  anthropic: {
    summarize: anthropic.summarizeWith(claude, { model: "claude-opus-4-5", provider: true }),
    plain: anthropic.summarizeWith(claude, { model: "claude-opus-4-5" }),
    body: {
      model: "claude-opus-4-5",
      system: "Be brief.",
      messages: Array.from({ length: 30 }, (_, n) => [
        { role: "user", content: `Read file ${n}.` },
        { role: "assistant", content: [{ type: "text", text: text(n) }] },
      ]).flat(),
    },
    list: "messages",
    made: [{ role: "assistant", content: [block] }],
    path: "/v1/messages",
    beta: "compact-2026-09-04",
  },
  "openai-responses": {
    summarize: openai.summarizeWith(gpt, { model: "gpt-5", provider: true }),
    plain: openai.summarizeWith(gpt, { model: "gpt-5" }),
    body: {
      model: "gpt-5",
      instructions: "Be brief.",
      input: Array.from({ length: 30 }, (_, n) => [
        { role: "user", content: `Read file ${n}.` },
        { type: "message", role: "assistant", content: [{ type: "output_text", text: text(n), annotations: [] }] },
      ]).flat(),
    },
    list: "input",
    made: [first, item],
    path: "/v1/responses/compact",
    beta: null,
  },
};

for (const [format, { summarize, plain, body, list, made, path, beta }] of Object.entries(PROVIDERS)) {
  /** @type {import("ctxfold").Policy} */
  const policy = {
    window: { tokens: 20_000, reserve: 0 },
    gate: { ratio: 0.3 },
    summary: { provider: true },
    passes: [{ pass: "fold", keep_tokens: 1000 }],
  };
  const compact = async (/** @type {import("ctxfold").Summarize} */ with_, of = policy) => {
    asked = [];
    const compactor = createCompactor({ module, policy: of, summarize: with_ });
    await compactor.ready();
    return compactor.compact(body);
  };

  test(`${format}: the provider's own goes into the result unchanged`, async () => {
    fails = "";
    const { messages, report } = await compact(summarize);
    assert.equal(report.summary.source, "provider");
    assert.deepEqual(/** @type {any} */ (messages)[list].slice(0, made.length), made);
    assert.equal(asked.length, 1);
    const request = /** @type {(typeof asked)[0]} */ (asked[0]);
    assert.equal(request.path, path);
    assert.equal(request.beta, beta);
    const { model, max_tokens, compaction, ...rest } = request.body;
    assert.equal(model, body.model);
    /** @type {import("@anthropic-ai/sdk/resources/beta/messages/messages").BetaCompactionConfig} */
    const config = { type: "summarize" };
    assert.deepEqual(compaction, format === "anthropic" ? config : undefined);
    assert.equal(max_tokens, format === "anthropic" ? 8192 : undefined);
    const { system, instructions } = body;
    const sent = rest[list];
    assert.deepEqual(rest, { [list]: sent, ...(system && { system }), ...(instructions && { instructions }) });
    assert.deepEqual(sent, body[list].slice(0, sent.length));
    assert.ok(sent.length > 40 && sent.length < 60);
  });

  for (const how of /** @type {const} */ (["status", "empty"])) {
    test(`${format}: the model is asked where the provider fails (${how})`, async () => {
      fails = how;
      const { report } = await compact(summarize);
      assert.equal(report.summary.source, "model");
      assert.equal(asked.length, 2);
      fails = "";
    });
  }

  test(`${format}: a summarizer that does not ask it, and a policy that does not want it`, async () => {
    for (const [with_, of] of /** @type {const} */ ([
      [plain, policy],
      [summarize, { ...policy, summary: {} }],
    ])) {
      const { report } = await compact(with_, of);
      assert.equal(report.summary.source, "model");
      assert.deepEqual(
        asked.map((each) => each.path === "/v1/responses/compact" || "compaction" in each.body),
        [false],
      );
    }
  });

  test(`${format}: an abort is an abort`, async () => {
    const compactor = createCompactor({ module, policy, summarize });
    await compactor.ready();
    await assert.rejects(compactor.compact(body, { signal: AbortSignal.abort(new Error("gone")) }), /gone/);
  });
}
