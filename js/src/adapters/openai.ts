/**
 * The entry `ctxfold/openai`: compaction for the OpenAI client and compatible servers.
 *
 * `new OpenAI({ fetch: compactingFetch({ policy }) })` is all you need: the app keeps passing its whole history.
 */
import type { Summarize } from "ctxfold";
import { behindOf, finished } from "../finish.js";
import { checkOptions } from "../options.js";
import type { AdapterOptions } from "./conversations.js";
import { type Endpoint, fetchFor } from "./fetch.js";
import { compacted } from "./provider.js";

export { type AdapterOptions, isOverflow } from "./conversations.js";

const ENDPOINTS: readonly Endpoint[] = [
  { path: /\/chat\/completions$/, list: "messages", format: "openai-chat" },
  { path: /\/responses$/, list: "input", format: "openai-responses", held: ["previous_response_id", "conversation"] },
];

/**
 * Returns a `fetch` to pass as the client's `fetch` option. It compacts the `messages` of Chat Completions and the
 * `input` of Responses, streamed or not. A request that the provider rejects as too long is compacted further and
 * retried once. Requests that refer to a history stored by the provider (`previous_response_id`, `conversation`) are
 * sent unchanged.
 */
export function compactingFetch(options: AdapterOptions = {}, send: typeof fetch = fetch): typeof fetch {
  return fetchFor(ENDPOINTS, options, send);
}

interface Client {
  // biome-ignore lint/suspicious/noExplicitAny: the client's own overloads differ from version to version
  chat: { completions: { create(body: any, options?: any): PromiseLike<any> } };
  responses?: {
    // biome-ignore lint/suspicious/noExplicitAny: as above
    create?(body: any, options?: any): PromiseLike<any>;
    // biome-ignore lint/suspicious/noExplicitAny: as above
    compact?(body: any, options?: any): PromiseLike<any>;
  };
}

/**
 * Returns a summarizer that calls Chat Completions. Pass it a client whose `fetch` does not compact. If `model` is the
 * conversation's model, the summarizer can append its requests to the conversation, which is in the provider's prompt
 * cache (`policy.summary.request`); for a conversation of the Responses API, it calls that API. If `provider` is true and
 * the policy has `summary.provider`, OpenAI compacts the input of Responses itself (`responses.compact`), and the model
 * writes a summary only if that fails.
 */
export function summarizeWith(client: Client, options: { model: string; provider?: boolean }): Summarize {
  checkOptions(options, { model: true, provider: true }, "summarizeWith");
  const { model, provider = false } = options;
  const summarize: Summarize = async (
    { system, prompt, max_output_tokens, provider: own },
    { signal, conversation },
  ) => {
    if (provider && own?.format === "openai-responses") {
      return compacted(
        signal,
        async () => (await client.responses?.compact?.({ ...own.body, model }, { signal }))?.output,
      );
    }
    const messages = [
      { role: "system", content: system },
      { role: "user", content: prompt },
    ];
    const flat = { model, messages, max_completion_tokens: max_output_tokens };
    const body = conversation ? behindOf(conversation, model) : flat;
    if (conversation && "input" in body) return fromResponses(client, body, signal);
    const { choices, usage } = await client.chat.completions.create(body, { signal });
    const { message, finish_reason } = choices[0] ?? {};
    return {
      text: message?.content ?? "",
      finish_reason: message?.tool_calls?.length ? "tool_calls" : finished(finish_reason),
      ...(usage && { usage: counted(usage.prompt_tokens, usage.prompt_tokens_details, usage.completion_tokens) }),
    };
  };
  return Object.assign(summarize, { prefix: true });
}

async function fromResponses(client: Client, body: object, signal: AbortSignal) {
  if (!client.responses?.create) throw new Error("the client has no Responses API");
  const { output, status, incomplete_details, usage } = await client.responses.create(body, { signal });
  type Part = { type: string; text?: string };
  const items = output as { type: string; content?: Part[] }[];
  const parts = items.flatMap(({ content = [] }) => content);
  const reason = items.some(({ type }) => type === "function_call") ? "tool_calls" : incomplete_details?.reason;
  return {
    text: parts.map(({ type, text = "" }) => (type === "output_text" ? text : "")).join(""),
    finish_reason: finished(reason ?? status),
    ...(usage && { usage: counted(usage.input_tokens, usage.input_tokens_details, usage.output_tokens) }),
  };
}

/** Returns the provider's token counts. `all` is the number of input tokens, including cached tokens. */
function counted(all: number, details: { cached_tokens?: number } | undefined, output_tokens: number) {
  const cache_read_tokens = details?.cached_tokens ?? 0;
  return { input_tokens: all - cache_read_tokens, cache_read_tokens, cache_write_tokens: 0, output_tokens };
}
