import assert from "node:assert/strict";
import { test } from "node:test";
import { createCompactor, fit } from "ctxfold";
import {
  languageModel,
  languageModelAvailability,
  summarizer,
  summarizerAvailability,
} from "../dist/adapters/chrome.js";
import { transformers } from "../dist/adapters/transformers.js";
import { webllm } from "../dist/adapters/webllm.js";

const BULLETS = [
  "- The user plans a ",
  "garden of 40 square metres.\n",
  "- Tomatoes stand in the sun.\n- Beans get a fence.\n",
];

/** Returns a chat with this many turns. @param {number} turns */
function chat(turns) {
  return Array.from({ length: 2 * turns }, (_, i) => ({
    role: i % 2 ? "assistant" : "user",
    content: `Turn ${i}: ${"the tomatoes want sun and the beans want a fence to climb on. ".repeat(6)}`,
  }));
}

/** Runs a function while a global of browsers is defined. @param {string} name @param {unknown} value @param {() => Promise<void>} body */
async function withGlobal(name, value, body) {
  const globals = /** @type {Record<string, unknown>} */ (globalThis);
  globals[name] = value;
  try {
    await body();
  } finally {
    delete globals[name];
  }
}

/** Records the calls of a fake browser API. */
class Log {
  /** @type {any[]} */ created = [];
  /** @type {string[]} */ asked = [];
  destroyed = 0;
  loaded = /** @type {number[]} */ ([]);
}

/**
 * Returns a fake of LanguageModel and Summarizer, according to their types.
 * @param {Log} log
 * @param {object} quota
 * @param {() => ReadableStream<string>} answer
 */
function builtIn(log, quota, answer) {
  /** @param {string} input */
  const streaming = (input) => {
    log.asked.push(input);
    return answer();
  };
  return {
    availability: async () => "downloadable",
    /** @param {any} options */
    create: async (options) => {
      log.created.push(options);
      if (options.monitor) {
        const monitor = new EventTarget();
        options.monitor(monitor);
        for (const loaded of [0.5, 1]) monitor.dispatchEvent(Object.assign(new Event("downloadprogress"), { loaded }));
      }
      return { ...quota, promptStreaming: streaming, summarizeStreaming: streaming, destroy: () => log.destroyed++ };
    },
  };
}

const bullets = () =>
  new ReadableStream({
    start(controller) {
      for (const text of BULLETS) controller.enqueue(text);
      controller.close();
    },
  });

test("the browser's language model writes the digest of a chat, in one request", async () => {
  const log = new Log();
  await withGlobal("LanguageModel", builtIn(log, { contextWindow: 6144 }, bullets), async () => {
    assert.equal(await languageModelAvailability(), "downloadable");
    const model = await languageModel({ languages: ["en", "de"], onDownload: (n) => log.loaded.push(n) });
    assert.deepEqual(log.loaded, [0.5, 1]);
    assert.equal(model.contextWindow, 6144);
    const deltas = /** @type {string[]} */ ([]);
    const history = chat(24);
    const { messages, report } = await fit(history, {
      policy: { window: { tokens: 4096 }, summary: model.limits },
      summarize: model.summarize,
      concurrency: model.concurrency,
      onDelta: ({ text }) => deltas.push(text),
    });
    assert.equal(report.summary.source, "model");
    assert.match(JSON.stringify(messages), /Tomatoes stand in the sun/);
    assert.deepEqual(deltas, BULLETS);
    assert.equal(log.asked.length, 1, "a chat that is shorter than a request makes one");
    assert.equal(log.created.length, 2, "one model to ask for the window, one for the request");
    assert.equal(log.destroyed, 2);
    assert.equal(log.created[1].initialPrompts[0].role, "system");
    assert.deepEqual(log.created[1].expectedInputs, [{ type: "text", languages: ["en", "de"] }]);
    assert.ok(log.created[1].signal instanceof AbortSignal);
  });
});

test("requests fit into the window that the browser tells, the older name of it too", async () => {
  const log = new Log();
  await withGlobal("Summarizer", builtIn(log, { inputQuota: 3072 }, bullets), async () => {
    assert.equal(await summarizerAvailability(), "downloadable");
    const model = await summarizer();
    assert.equal(model.contextWindow, 3072);
    const { report } = await createCompactor({
      policy: { window: { tokens: 4096 }, summary: model.limits },
      ...{ summarize: model.summarize, concurrency: model.concurrency },
    }).compact(chat(40));
    assert.equal(report.summary.source, "model");
    assert.ok(log.asked.length > 1, "a chat that is longer than a request makes more");
    for (const prompt of log.asked) assert.ok(prompt.length / 4 < 3072, `${prompt.length} characters`);
    assert.equal(log.created[1].type, "key-points");
    assert.equal(log.destroyed, log.created.length);
  });
});

test("without a model of the browser's, the error says so; one that fails has the local digest in its place", async () => {
  assert.equal(await languageModelAvailability(), "unavailable");
  assert.equal(await summarizerAvailability(), "unavailable");
  await assert.rejects(languageModel(), { name: "NotSupportedError", message: /this one has none/ });
  const api = { availability: async () => "unavailable", create: async () => assert.fail("made") };
  await withGlobal("Summarizer", api, () =>
    assert.rejects(summarizer(), { name: "NotSupportedError", message: /none of these languages/ }),
  );
  const log = new Log();
  const broken = () =>
    new ReadableStream({ start: (c) => c.error(new DOMException("too large", "QuotaExceededError")) });
  await withGlobal("LanguageModel", builtIn(log, {}, broken), async () => {
    const model = await languageModel();
    assert.equal(model.contextWindow, 4096, "what a browser that does not tell has at the least");
    const { report } = await fit(chat(24), {
      policy: { window: { tokens: 4096 } },
      summarize: model.summarize,
      concurrency: 1,
    });
    assert.equal(report.summary.source, "local");
    assert.equal(log.destroyed, log.created.length);
  });
});

/** Returns a fake of MLCEngine. @param {object} members @param {any[]} requests */
function engine(members, requests) {
  return {
    ...members,
    interrupted: 0,
    interruptGenerate() {
      this.interrupted++;
    },
    chat: {
      completions: {
        /** @param {any} request */
        create: async (request) => {
          requests.push(request);
          return (async function* () {
            for (const content of BULLETS) yield { choices: [{ delta: { content }, finish_reason: null }] };
            yield { choices: [{ delta: {}, finish_reason: "stop" }] };
            yield { choices: [] };
          })();
        },
      },
    },
  };
}

test("WebLLM: the window is the engine's, requests are streamed and ended", async () => {
  const requests = /** @type {any[]} */ ([]);
  const loaded = new Map([
    ["small", { context_window_size: 2048, sliding_window_size: -1 }],
    ["sliding", { context_window_size: -1, sliding_window_size: 1024 }],
  ]);
  const own = engine({ loadedModelIdToChatConfig: loaded }, requests);
  assert.equal(webllm(own).contextWindow, 2048);
  assert.equal(webllm(own, { model: "sliding" }).contextWindow, 1024);
  assert.equal(webllm(own, { contextWindow: 512 }).contextWindow, 512);
  assert.equal(webllm(engine({}, [])).contextWindow, 4096);
  const inWorker = { modelId: ["a", "b"], chatOpts: [{}, { context_window_size: 8192 }] };
  assert.equal(webllm(engine(inWorker, []), { model: "b" }).contextWindow, 8192);

  const { limits, ...model } = webllm(own, { model: "small" });
  const { report } = await fit(chat(24), {
    policy: { window: { tokens: 4096 }, summary: limits },
    summarize: model.summarize,
    concurrency: model.concurrency,
  });
  assert.equal(report.summary.source, "model");
  assert.ok(requests.every((r) => r.stream && r.model === "small" && r.max_tokens <= limits.max_output_tokens));

  const controller = new AbortController();
  const answer = model.summarize(/** @type {any} */ ({ system: "s", prompt: "p", max_output_tokens: 9 }), {
    signal: controller.signal,
  });
  controller.abort();
  await answer;
  assert.equal(own.interrupted, 1);
});

test("Transformers.js: the window is the lesser of the model's and its tokenizer's", async () => {
  /** @param {object} config @param {number} [written] */
  const generator = (config, written) => {
    const requests = /** @type {any[]} */ ([]);
    /** @param {any} messages @param {any} options */
    const run = async (messages, options) => {
      requests.push(options);
      for (const text of BULLETS) options.streamer?.options.callback_function(text);
      return [{ generated_text: [...messages, { role: "assistant", content: BULLETS.join("") }] }];
    };
    return Object.assign(run, { requests, model: { config }, tokenizer: { model_max_length: written } });
  };
  assert.equal(transformers(generator({ max_position_embeddings: 8192 }, 2048)).contextWindow, 2048);
  assert.equal(transformers(generator({ max_position_embeddings: 8192 }, 1e30)).contextWindow, 8192);
  assert.equal(transformers(generator({ text_config: { max_position_embeddings: 4000 } })).contextWindow, 4000);
  assert.equal(transformers(generator({})).contextWindow, 4096);

  class TextStreamer {
    /** @param {unknown} tokenizer @param {any} options */
    constructor(tokenizer, options) {
      this.tokenizer = tokenizer;
      this.options = options;
    }
  }
  class InterruptableStoppingCriteria {
    interrupted = false;
    interrupt() {
      this.interrupted = true;
    }
  }
  const small = generator({ max_position_embeddings: 8192 });
  const model = transformers(small, { TextStreamer, InterruptableStoppingCriteria });
  const deltas = /** @type {string[]} */ ([]);
  const { report } = await fit(chat(24), {
    policy: { window: { tokens: 4096 }, summary: model.limits },
    summarize: model.summarize,
    concurrency: model.concurrency,
    onDelta: ({ text }) => deltas.push(text),
  });
  assert.equal(report.summary.source, "model");
  assert.deepEqual(deltas, BULLETS);
  assert.equal(small.requests.length, 1);
  assert.ok(small.requests[0].max_new_tokens <= model.limits.max_output_tokens);

  const controller = new AbortController();
  const answer = model.summarize(/** @type {any} */ ({ system: "s", prompt: "p", max_output_tokens: 9 }), {
    signal: controller.signal,
  });
  controller.abort();
  await assert.rejects(async () => answer, { name: "AbortError" });
  assert.ok(small.requests[1].stopping_criteria.interrupted);
});

/** Checks that the adapters accept the published types. This is compiled, but never run. */
export const types = {
  /** @param {import("@mlc-ai/web-llm").MLCEngine | import("@mlc-ai/web-llm").WebWorkerMLCEngine | import("@mlc-ai/web-llm").ServiceWorkerMLCEngine} engine */
  webllm: (engine) => webllm(engine),
  /** @param {import("@huggingface/transformers").TextGenerationPipeline} generator @param {typeof import("@huggingface/transformers")} library */
  transformers: (generator, library) => transformers(generator, library),
  /** @returns {[Parameters<typeof LanguageModel.create>[0], Parameters<typeof Summarizer.create>[0]]} */
  chrome: () => [
    { expectedInputs: [{ type: "text", languages: ["en"] }], initialPrompts: [{ role: "system", content: "s" }] },
    {
      type: "key-points",
      format: "plain-text",
      length: "long",
      outputLanguage: "en",
      expectedContextLanguages: ["en"],
    },
  ],
};
