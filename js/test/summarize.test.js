import assert from "node:assert/strict";
import { test } from "node:test";
import { createCompactor } from "ctxfold";
import { requestSummary } from "../dist/summarize.js";
import { session, summary, tight } from "./support/session.js";

/**
 * Compacts a session that needs one summary.
 * @param {import("ctxfold").Summarize | undefined} summarize
 * @param {import("ctxfold").CompactorOptions} options
 */
const compact = (summarize, options = {}) =>
  createCompactor({ policy: tight, ...(summarize && { summarize }), ...options }).compact(session(20));

/**
 * Asserts the source of the digest, and that the report has a score.
 * @param {any} report
 * @param {{ source: string, why?: string }} want
 */
function written(report, want) {
  const { score, error, ...summary } = report.summary;
  assert.equal(typeof error === "string" && error !== "", want.why === "summarizer_failed", "what the host said");
  assert.deepEqual(summary, want);
  assert.ok(score > 0 && score <= 1, `score ${score}`);
}

/** Asserts that the result has the local digest and the newest messages. @param {any} done @param {string} why */
function isLocal({ messages, report }, why) {
  written(report, { source: "local", why });
  assert.equal(report.reason, "compacted");
  assert.deepEqual(messages.at(-1), session(20).at(-1));
}

test("a summarizer may answer at once or later, with a text or with a text and why it ended", async () => {
  const answers = [
    summary,
    Promise.resolve(summary),
    { text: summary },
    { text: summary, finish_reason: "stop" },
    Promise.resolve({ text: summary, finish_reason: null }),
  ];
  for (const answer of answers) {
    const { messages, report } = await compact(() => answer);
    written(report, { source: "model" });
    assert.ok(messages.some((m) => m.content?.includes(summary)));
  }
});

test("a summarizer gets the request and a signal", async () => {
  let asked = 0;
  await compact(async (request, { signal }) => {
    asked++;
    assert.equal(typeof request.id, "string");
    assert.ok(request.system.length > 0 && request.prompt.length > 0);
    assert.ok(request.input_tokens > request.prompt.length / 8);
    assert.equal(signal.aborted, false);
    return summary;
  });
  assert.equal(asked, 1);
});

test("without a summarizer the digest is local and nothing failed", async () => {
  const { report } = await compact(undefined);
  written(report, { source: "local" });
});

test("a summarizer that fails, in any way, costs no message", async () => {
  /** @type {any[]} */
  const failing = [
    () => {
      throw new Error("no quota");
    },
    async () => {
      throw new Error("no quota");
    },
    () => Promise.reject("a text"),
    () => Promise.reject(undefined),
    () => Promise.reject(Object.create(null)),
    () => Promise.reject(new Error("half a pair: \ud83d")),
    () => undefined,
    () => null,
    () => 42,
    () => ({ text: 42 }),
    () => ({
      get text() {
        throw new Error("a getter");
      },
    }),
  ];
  for (const summarize of failing) isLocal(await compact(summarize), "summarizer_failed");
});

test("a model's text that is empty or cut off is not taken", async () => {
  isLocal(await compact(() => "  "), "empty_summary");
  isLocal(await compact(() => ({ text: summary, finish_reason: "length" })), "cut_off");
});

test("a text that ends inside a surrogate pair is taken, without the half", async () => {
  const { messages, report } = await compact(() => `${summary} \ud83d`);
  assert.equal(report.summary.source, "model");
  assert.ok(messages.some((m) => m.content?.includes(`${summary} \ufffd`)));
});

test("a summarizer that hangs is given up after summaryTimeoutMs, and told so", async () => {
  /** @type {AbortSignal | undefined} */
  let seen;
  const hangs = (/** @type {any} */ _request, /** @type {{signal: AbortSignal}} */ { signal }) => {
    seen = signal;
    return new Promise(() => {});
  };
  isLocal(await compact(/** @type {any} */ (hangs), { summaryTimeoutMs: 30 }), "summarizer_failed");
  assert.equal(seen?.aborted, true);
  assert.equal(seen?.reason.name, "TimeoutError");
});

test("an endless timeout is allowed, one that makes no sense is not", async () => {
  const { report } = await compact(async () => summary, { summaryTimeoutMs: Number.POSITIVE_INFINITY });
  assert.equal(report.summary.source, "model");
  for (const summaryTimeoutMs of [0, -1, Number.NaN]) {
    assert.throws(() => createCompactor({ summaryTimeoutMs }), { code: "invalid_option", path: "summaryTimeoutMs" });
  }
  assert.throws(() => createCompactor({ summarize: /** @type {any} */ ("no") }), { path: "summarize" });
});

test("an abort rejects with the caller's reason, reaches the summarizer, and changes nothing", async () => {
  const controller = new AbortController();
  const reason = new Error("the user left");
  /** @type {AbortSignal | undefined} */
  let seen;
  const compactor = createCompactor({
    policy: tight,
    summarize: (_request, { signal }) => {
      seen = signal;
      queueMicrotask(() => controller.abort(reason));
      return new Promise(() => {});
    },
  });
  await assert.rejects(compactor.compact(session(20), { signal: controller.signal }), reason);
  assert.equal(seen?.reason, reason);
  assert.equal(compactor.state, undefined);
  await assert.rejects(compactor.compact(session(20), { signal: controller.signal }), reason);
  await assert.rejects(compactor.compact(session(1), { signal: AbortSignal.abort() }), { name: "AbortError" });
  assert.equal((await compactor.compact(session(1))).report.reason, "under_budget");
});

/** Splits the record, which is far too long for one request, into many requests. */
const split = { ...tight, summary: { max_input_tokens: 2500, max_output_tokens: 300 } };

test("the requests of a round are asked at the same time, and each has its own answer", async () => {
  let running = 0;
  let most = 0;
  const { report } = await createCompactor({
    policy: split,
    summarize: async () => {
      most = Math.max(most, ++running);
      await new Promise((later) => setTimeout(later, 5));
      running--;
      return summary;
    },
  }).compact(session(40));
  assert.ok(most > 2, `${most} at once`);
  assert.equal(report.summary.source, "model");
});

test("a model that is busy is asked again as late as it says, and an error that is none is not", async () => {
  /** @type {import("ctxfold").SummaryRequest} */
  const request = { id: "1", scope: "session", system: "s", prompt: "p", max_output_tokens: 10, input_tokens: 2 };
  const thrown = (/** @type {object} */ error) =>
    requestSummary(request, () => Promise.reject(Object.assign(new Error("no"), error)), { timeoutMs: 1000 });
  const seen = { body: "no" };
  assert.deepEqual(await thrown({ status: 429, headers: new Headers({ "retry-after": "2" }) }), {
    error: "no",
    failure: { ...seen, status: 429, retry_after: "2" },
  });
  assert.deepEqual(await thrown({ statusCode: 529, responseHeaders: { "retry-after-ms": "500" } }), {
    error: "no",
    failure: { ...seen, status: 529, retry_after_ms: "500" },
  });
  assert.deepEqual(await thrown({ status: 503, headers: new Headers({ "x-should-retry": "false" }) }), {
    error: "no",
    failure: { ...seen, status: 503, should_retry: "false" },
  });
  assert.deepEqual(await thrown({ code: "insufficient_quota" }), {
    error: "no",
    failure: { ...seen, body: "no\ninsufficient_quota" },
  });

  let asked = 0;
  const { report } = await createCompactor({
    policy: tight,
    summarize: () => {
      if (++asked === 1)
        throw Object.assign(new Error("slow down"), { status: 429, headers: { "retry-after": "0.01" } });
      return summary;
    },
  }).compact(session(20));
  assert.deepEqual([report.summary.source, asked], ["model", 2]);

  asked = 0;
  const spent = await createCompactor({
    policy: tight,
    summarize: () => {
      asked++;
      throw Object.assign(new Error("no credit"), { status: 429, code: "insufficient_quota" });
    },
  }).compact(session(20));
  assert.deepEqual([spent.report.summary.source, asked], ["local", 1]);
});

test("a model that answers one request at a time is asked for one at a time, and the queue costs no time", async () => {
  let running = 0;
  let most = 0;
  let asked = 0;
  const { report } = await createCompactor({
    policy: split,
    concurrency: 1,
    summaryTimeoutMs: 250,
    summarize: async () => {
      asked++;
      most = Math.max(most, ++running);
      await new Promise((later) => setTimeout(later, 100));
      running--;
      return summary;
    },
  }).compact(session(40));
  assert.ok(asked >= 4, `${asked} requests`); // together they take longer than one time limit
  assert.equal(most, 1);
  written(report, { source: "model" });
});

test("two requests at once are two, and what waits when the caller aborts is never asked", async () => {
  let running = 0;
  let most = 0;
  const compactor = createCompactor({
    policy: split,
    concurrency: 2,
    summarize: async () => {
      most = Math.max(most, ++running);
      await new Promise((later) => setTimeout(later, 5));
      running--;
      return summary;
    },
  });
  await Promise.all([compactor.compact(session(40)), compactor.compact(session(40))]);
  assert.equal(most, 2);

  const controller = new AbortController();
  let asked = 0;
  const aborted = createCompactor({
    policy: split,
    concurrency: 1,
    summarize: () => {
      asked++;
      queueMicrotask(() => controller.abort(new Error("the user left")));
      return new Promise(() => {});
    },
  }).compact(session(40), { signal: controller.signal });
  await assert.rejects(aborted, /the user left/);
  assert.equal(asked, 1);
  for (const concurrency of [0, -1, Number.NaN]) {
    assert.throws(() => createCompactor({ concurrency }), { code: "invalid_option", path: "concurrency" });
  }
});

test("bullets, as the summarizer of a browser writes them, are taken at once", async () => {
  let asked = 0;
  const bullets =
    "* The user asked what each module says.\n* Each module says one line many times over.\n* Nothing is open.";
  const { report } = await compact(() => {
    asked++;
    return bullets;
  });
  assert.equal(asked, 1);
  written(report, { source: "model" });
});

/** @param {any[]} pieces */
const stream = (...pieces) =>
  (async function* () {
    yield* pieces;
  })();

test("a stream whose pieces say why the model ended is whole only if the last one does", async () => {
  const [half, rest] = [summary.slice(0, 60), summary.slice(60)];
  for (const pieces of [
    [half, rest],
    [{ text: half }, { text: rest, finish_reason: "stop" }],
    [{ text: half, finish_reason: null }, { text: rest }, { finish_reason: "end_turn" }],
  ]) {
    const { messages, report } = await compact(() => stream(...pieces));
    written(report, { source: "model" });
    assert.ok(messages.some((m) => m.content?.includes(summary)));
  }
  for (const pieces of [
    [{ text: half }, { text: rest }],
    [{ text: half, finish_reason: null }],
    [{ text: summary, finish_reason: "length" }],
  ]) {
    isLocal(await compact(() => stream(...pieces)), "cut_off");
  }
  isLocal(await compact(() => stream({ choices: [{ delta: { content: summary } }] })), "summarizer_failed");
});
