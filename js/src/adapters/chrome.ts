/**
 * The entry `ctxfold/chrome`: summarizers that use the models built into the browser. `languageModel` uses the Prompt
 * API (https://webmachinelearning.github.io/prompt-api/), `summarizer` the Summarizer API
 * (https://webmachinelearning.github.io/writing-assistance-apis/).
 */
import type { Summarize } from "ctxfold";
import { checkOptions, type Names } from "../options.js";
import { type LocalModel, localModel, windowOf } from "./local-model.js";

export type { LocalModel } from "./local-model.js";

/** The availability of a model: immediate, after a download (which may be in progress), or none. */
export type Availability = "unavailable" | "downloadable" | "downloading" | "available";

/** Options of Chrome's built-in models. */
export interface BuiltInOptions {
  /**
   * The languages of the conversation, which Chrome requires, as BCP 47 tags. `summarizer` writes in the first one.
   * Default: `["en"]`.
   */
  languages?: readonly string[];
  /** Called with the downloaded share of the model, from 0 to 1. */
  onDownload?: (loaded: number) => void;
  /** Ends the wait for the model when it is aborted. */
  signal?: AbortSignal;
}

const BUILT_IN_OPTIONS: Names<BuiltInOptions> = { languages: true, onDownload: true, signal: true };

interface Model {
  readonly contextWindow?: number;
  readonly inputQuota?: number;
  destroy(): void;
}

interface Session extends Model {
  promptStreaming(input: string, options?: { signal?: AbortSignal }): ReadableStream<string>;
}

interface BuiltInSummarizer extends Model {
  summarizeStreaming(input: string, options?: { signal?: AbortSignal; context?: string }): ReadableStream<string>;
}

interface Api<M> {
  availability(options?: object): Promise<Availability>;
  create(options?: object): Promise<M>;
}

/** The window in tokens to assume if the browser doesn't report one: the smallest window of Chrome's models. */
const LEAST_WINDOW = 4096;

/**
 * Resolves to the availability of the model for `languageModel`, which is `unavailable` in browsers without the
 * Prompt API.
 */
export async function languageModelAvailability(options: BuiltInOptions = {}): Promise<Availability> {
  return (await api<Session>("LanguageModel")?.availability(promptOptions(options))) ?? "unavailable";
}

/**
 * Resolves to the availability of the model for `summarizer`, which is `unavailable` in browsers without the
 * Summarizer API.
 */
export async function summarizerAvailability(options: BuiltInOptions = {}): Promise<Availability> {
  return (await api<BuiltInSummarizer>("Summarizer")?.availability(summarizerOptions(options))) ?? "unavailable";
}

/**
 * Returns a summarizer that uses the browser's language model. If the model must be downloaded, call this function in the
 * event handler of a user action, such as a click; otherwise browsers refuse the download. Rejects with a
 * `NotSupportedError` if there is no model, and with the browser's own errors.
 */
export async function languageModel(options: BuiltInOptions = {}): Promise<LocalModel> {
  const { create, contextWindow } = await ready(api<Session>("LanguageModel"), "LanguageModel", promptOptions, options);
  const summarize: Summarize = async ({ system, prompt }, { signal, onDelta }) => {
    const session = await create({ initialPrompts: [{ role: "system", content: system }], signal });
    return readStream(session, session.promptStreaming(prompt, { signal }), onDelta);
  };
  return localModel(summarize, contextWindow);
}

/**
 * Returns a summarizer that uses the browser's Summarizer API. That API writes bullet points, which are used
 * unchanged, and takes no prompt, so the instructions for a model are passed to it as context. Rejects like
 * `languageModel`.
 */
export async function summarizer(options: BuiltInOptions = {}): Promise<LocalModel> {
  const { create, contextWindow } = await ready(
    api<BuiltInSummarizer>("Summarizer"),
    "Summarizer",
    summarizerOptions,
    options,
  );
  const summarize: Summarize = async ({ system, prompt }, { signal, onDelta }) => {
    const model = await create({ signal });
    return readStream(model, model.summarizeStreaming(prompt, { context: system, signal }), onDelta);
  };
  return localModel(summarize, contextWindow);
}

function api<M>(name: string): Api<M> | undefined {
  return (globalThis as Record<string, unknown>)[name] as Api<M> | undefined;
}

function promptOptions(options: BuiltInOptions): object {
  checkOptions(options, BUILT_IN_OPTIONS, "languageModel");
  const { languages = ["en"] } = options;
  const expected = [{ type: "text", languages: [...languages] }];
  return { expectedInputs: expected, expectedOutputs: expected };
}

function summarizerOptions(options: BuiltInOptions): object {
  checkOptions(options, BUILT_IN_OPTIONS, "summarizer");
  const { languages = ["en"] } = options;
  return {
    type: "key-points",
    format: "plain-text",
    length: "long",
    expectedInputLanguages: [...languages],
    expectedContextLanguages: ["en"],
    outputLanguage: languages[0],
  };
}

/**
 * Creates a first model, which starts a download if necessary and reports the size of the context window. Returns that
 * size in tokens, and a function that creates the models for requests in the same way.
 */
async function ready<M extends Model>(
  api: Api<M> | undefined,
  name: string,
  optionsOf: (options: BuiltInOptions) => object,
  options: BuiltInOptions,
): Promise<{ create(more: object): Promise<M>; contextWindow: number }> {
  const core = optionsOf(options);
  const availability = (await api?.availability(core)) ?? "unavailable";
  if (!api || availability === "unavailable") {
    const why = api ? "has no model for it, or none of these languages" : "has none";
    throw new DOMException(
      `${name} is an API for models that are built into the browser, and this one ${why}`,
      "NotSupportedError",
    );
  }
  const monitor = (m: EventTarget) =>
    m.addEventListener("downloadprogress", (event) => options.onDownload?.((event as ProgressEvent).loaded));
  const { signal } = options;
  const first = await api.create({ ...core, monitor, ...(signal && { signal }) });
  const contextWindow = windowOf(first.contextWindow, first.inputQuota) ?? LEAST_WINDOW;
  first.destroy();
  return { create: (more) => api.create({ ...core, ...more }), contextWindow };
}

/**
 * Returns the text of a stream, and releases the model that produced it, even if the stream fails. `onDelta` gets each
 * piece.
 */
async function readStream(
  model: Model,
  stream: ReadableStream<string>,
  onDelta?: (text: string) => void,
): Promise<string> {
  const reader = stream.getReader();
  try {
    for (let text = ""; ; ) {
      const { done, value } = await reader.read();
      if (done) return text;
      text += value;
      onDelta?.(value);
    }
  } finally {
    model.destroy();
  }
}
