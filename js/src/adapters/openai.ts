/**
 * The entry `ctxfold/openai`: compaction for the client of OpenAI and of servers that speak like it.
 *
 * `new OpenAI({ fetch: compactingFetch({ policy }) })` is all: the app goes on giving its whole history.
 */
import type { Summarize } from "ctxfold";
import { finished } from "../finish.js";
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
 * A `fetch` for the client's option of that name. It compacts the `messages` of Chat Completions and the `input` of
 * Responses, streamed or not, and sends a request once more, further compacted, that was refused as too long. Requests
 * whose history is held by the provider (`previous_response_id`, `conversation`) pass as they are.
 */
export function compactingFetch(options: AdapterOptions = {}, send: typeof fetch = fetch): typeof fetch {
  return fetchFor(ENDPOINTS, options, send);
}

interface Client {
  // biome-ignore lint/suspicious/noExplicitAny: the client's own overloads differ from version to version
  chat: { completions: { create(body: any, options?: any): PromiseLike<any> } };
  // biome-ignore lint/suspicious/noExplicitAny: as above
  responses?: { compact?(body: any, options?: any): PromiseLike<any> };
}

/**
 * A summarizer over Chat Completions. Give it a client of its own, whose `fetch` does not compact. With `provider`, and
 * `policy.summary.provider`, the input of Responses is compacted by OpenAI (`responses.compact`), and the model is asked where it is not.
 */
export function summarizeWith(client: Client, options: { model: string; provider?: boolean }): Summarize {
  checkOptions(options, { model: true, provider: true }, "summarizeWith");
  const { model, provider = false } = options;
  return async ({ system, prompt, max_output_tokens, provider: own }, { signal }) => {
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
    const body = { model, messages, max_completion_tokens: max_output_tokens };
    const { choices } = await client.chat.completions.create(body, { signal });
    return { text: choices[0]?.message?.content ?? "", finish_reason: finished(choices[0]?.finish_reason) };
  };
}
