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
 * For the option `prepareStep` of `generateText`, `streamText` and agents. What a step gets is compacted once: it makes no
 * difference whether the SDK carries the messages on to the next step (version 7) or not (version 6).
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

/** What `wrapLanguageModel` takes; the SDK's own type has no other members that matter here. */
export interface CompactionMiddleware<V extends string> {
  readonly specificationVersion: V;
  // biome-ignore-start lint/suspicious/noExplicitAny: as above
  wrapGenerate(call: Call<any>): Promise<any>;
  wrapStream(call: Call<any>): Promise<any>;
  // biome-ignore-end lint/suspicious/noExplicitAny: as above
}

/**
 * Middleware for `wrapLanguageModel`: every call of the model gets a prompt that fits, and a call that is refused as too long is
 * made once more, further compacted. The app's own messages are left alone. `specificationVersion` is `v4`, that of
 * version 7 of the SDK; version 6 wants `v3`.
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
      const forced = await conversations.fit(prompt, { signal, next, force: true });
      return call({ ...params, prompt: forced.map(asPrompt) });
    }
  };
  return {
    specificationVersion,
    wrapGenerate: ({ params, model }) => run(params, model, (fitted) => model.doGenerate(fitted)),
    wrapStream: ({ params, model }) => run(params, model, (fitted) => model.doStream(fitted)),
  };
}

/** Who is asked: a model of the SDK, or its name at a gateway. */
function nextOf(model: unknown): { model?: string; provider?: string } {
  if (typeof model === "string") return { model };
  const { modelId, provider } = (model ?? {}) as { modelId?: unknown; provider?: unknown };
  return {
    ...(typeof modelId === "string" && { model: modelId }),
    ...(typeof provider === "string" && { provider }),
  };
}

/** A message as a model takes it: of the messages of an app, only those of the system may have a text for their content. */
function asPrompt(message: object): object {
  const { role, content } = message as { role: string; content: unknown };
  if (role === "system" || typeof content !== "string") return message;
  return { ...message, content: [{ type: "text", text: content }] };
}

/** A summarizer over any model of the SDK. */
export function summarizeWith(model: LanguageModel): Summarize {
  return async ({ system, prompt, max_output_tokens: maxOutputTokens }, { signal: abortSignal }) => {
    const answer = await generateText({ model, system, prompt, maxOutputTokens, abortSignal });
    return { text: answer.text, finish_reason: reasonOf(answer) };
  };
}

/** The SDK has names of its own for an answer that ended without a reason of the provider's. */
function reasonOf(answer: { finishReason: string; rawFinishReason?: string | undefined }): string {
  const { finishReason, rawFinishReason } = answer;
  const whole = finishReason !== "unknown" && finishReason !== "error" && (finishReason !== "other" || rawFinishReason);
  return finished(whole ? finishReason : undefined);
}
