/**
 * The entry `ctxfold/ai-sdk`: compaction for the AI SDK, between the steps of an agent (`prepareStep`) or around a
 * language model (`compactionMiddleware`).
 */
import { generateText, type LanguageModel } from "ai";
import type { Summarize } from "ctxfold";
import { finished } from "../finish.js";
import { type AdapterOptions, Conversations, isOverflow } from "./conversations.js";

export { type AdapterOptions, isOverflow } from "./conversations.js";

const FORMAT = "ai-sdk";

/**
 * Returns a function for the option `prepareStep` of `generateText`, `streamText` and agents. Each compaction is made
 * only once, whether or not the SDK passes its result on to the next step (version 7 does, version 6 doesn't).
 */
export function prepareStep(
  options: AdapterOptions = {},
): <M extends object>(step: { messages: M[]; model?: unknown }) => Promise<{ messages?: M[] }> {
  const conversations = new Conversations(options, FORMAT, "prepareStep");
  return async ({ messages, model }) => {
    const fitted = await conversations.fit(messages, { next: nextOf(model) });
    return fitted === messages ? {} : { messages: [...fitted] };
  };
}

interface CallOptions {
  prompt: object[];
  abortSignal?: AbortSignal | undefined;
}

interface Call<R> {
  // biome-ignore-start lint/suspicious/noExplicitAny: the types of models and calls differ between versions of the SDK
  doGenerate: () => PromiseLike<R>;
  doStream: () => PromiseLike<R>;
  params: any;
  model: any;
  // biome-ignore-end lint/suspicious/noExplicitAny: as above
}

/**
 * The middleware that `wrapLanguageModel` accepts. The SDK's own type has additional members, which don't matter
 * here.
 */
export interface CompactionMiddleware<V extends string> {
  /** The version of the AI SDK's middleware interface. */
  readonly specificationVersion: V;
  // biome-ignore-start lint/suspicious/noExplicitAny: as above
  /** Makes a model call with a prompt that fits, and returns its result. */
  wrapGenerate(call: Call<any>): Promise<any>;
  /** Like `wrapGenerate`, for calls that stream their result. */
  wrapStream(call: Call<any>): Promise<any>;
  // biome-ignore-end lint/suspicious/noExplicitAny: as above
}

/**
 * Returns middleware for `wrapLanguageModel`. Every model call gets a prompt that fits. A call that the provider rejects
 * as too long is compacted further and retried once. The app's own messages stay unchanged. `specificationVersion` is
 * `v4` for version 7 of the SDK; version 6 needs `v3`.
 */
export function compactionMiddleware<V extends "v3" | "v4" = "v4">({
  specificationVersion = "v4" as V,
  ...options
}: AdapterOptions & { specificationVersion?: V } = {}): CompactionMiddleware<V> {
  const conversations = new Conversations(options, FORMAT, "compactionMiddleware");
  const run = async <R>(
    params: CallOptions,
    model: unknown,
    call: (params: CallOptions) => PromiseLike<R>,
  ): Promise<R> => {
    const { prompt, abortSignal: signal } = params;
    const next = nextOf(model);
    const fitted = await conversations.fit(prompt, { signal, next });
    try {
      return await call({ ...params, prompt: fitted.map(asPrompt) });
    } catch (error) {
      if (!(await isOverflow(error, options.module))) throw error;
      const forced = await conversations.fit(prompt, { signal, next, refused: error });
      if (forced === prompt) throw error;
      return call({ ...params, prompt: forced.map(asPrompt) });
    }
  };
  return {
    specificationVersion,
    wrapGenerate: ({ params, model }) => run(params, model, (fitted) => model.doGenerate(fitted)),
    wrapStream: ({ params, model }) => run(params, model, (fitted) => model.doStream(fitted)),
  };
}

/**
 * Returns the model that will be called, and its provider. `model` is the SDK's model object, or the model's name at
 * a gateway.
 */
function nextOf(model: unknown): { model?: string; provider?: string } {
  if (typeof model === "string") return { model };
  const { modelId, provider } = (model ?? {}) as { modelId?: unknown; provider?: unknown };
  return {
    ...(typeof modelId === "string" && { model: modelId }),
    ...(typeof provider === "string" && { provider }),
  };
}

/**
 * Converts a message to the form that models accept. In that form, unlike in an app's messages, only system messages
 * may have a string as their content.
 */
function asPrompt(message: object): object {
  const { role, content } = message as { role: string; content: unknown };
  if (role === "system" || typeof content !== "string") return message;
  return { ...message, content: [{ type: "text", text: content }] };
}

/** Returns a summarizer that calls a model of the SDK. */
export function summarizeWith(model: LanguageModel): Summarize {
  return async ({ system, prompt, max_output_tokens: maxOutputTokens }, { signal: abortSignal }) => {
    const answer = await generateText({ model, system, prompt, maxOutputTokens, abortSignal });
    return { text: answer.text, finish_reason: reasonOf(answer) };
  };
}

/**
 * Returns the SDK's finish reason, or `incomplete` if the provider has reported none. The SDK then sets `unknown`,
 * `error` or `other` itself.
 */
function reasonOf(answer: { finishReason: string; rawFinishReason?: string | undefined }): string {
  const { finishReason, rawFinishReason } = answer;
  const whole = finishReason !== "unknown" && finishReason !== "error" && (finishReason !== "other" || rawFinishReason);
  return finished(whole ? finishReason : undefined);
}
