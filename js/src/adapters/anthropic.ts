/**
 * The entry `ctxfold/anthropic`: compaction for the Anthropic client.
 *
 * `new Anthropic({ fetch: compactingFetch({ policy }) })` is all you need: the app, or the client's own tool runner,
 * keeps passing its whole history.
 */
import type { Summarize } from "ctxfold";
import { behindOf, finished } from "../finish.js";
import { checkOptions } from "../options.js";
import type { AdapterOptions } from "./conversations.js";
import { type Endpoint, fetchFor } from "./fetch.js";
import { compacted } from "./provider.js";

export { type AdapterOptions, isOverflow } from "./conversations.js";

const ENDPOINTS: readonly Endpoint[] = [{ path: /\/v1\/messages$/, list: "messages", format: "anthropic" }];

/**
 * Returns a `fetch` to pass as the client's `fetch` option. It compacts the `messages` of Messages API requests, streamed
 * or not. A request that the provider rejects as too long is compacted further and retried once.
 */
export function compactingFetch(options: AdapterOptions = {}, send: typeof fetch = fetch): typeof fetch {
  return fetchFor(ENDPOINTS, options, send);
}

interface Client {
  // biome-ignore lint/suspicious/noExplicitAny: the client's own overloads differ from version to version
  messages: { create(body: any, options?: any): PromiseLike<any> };
  // biome-ignore lint/suspicious/noExplicitAny: as above
  beta?: { messages: { create(body: any, options?: any): PromiseLike<any> } };
}

/** The lowest token limit for the API's own compaction. The API determines the length of its summaries itself. */
const COMPACTED_TOKENS = 8192;

/**
 * Returns a summarizer that calls the Messages API. Pass it a client whose `fetch` does not compact. If `model` is
 * the conversation's model, the summarizer can append its requests to the conversation, which is in the provider's
 * prompt cache (`policy.summary.request`). If `provider` is true and the policy has `summary.provider`, the API
 * compacts the conversation itself (parameter `compaction`), and the model writes a summary only if that fails.
 * `model` must then also be the conversation's model.
 */
export function summarizeWith(client: Client, options: { model: string; provider?: boolean }): Summarize {
  checkOptions(options, { model: true, provider: true }, "summarizeWith");
  const { model, provider = false } = options;
  const summarize: Summarize = async (
    { system, prompt, max_output_tokens, provider: own },
    { signal, conversation },
  ) => {
    if (provider && own?.format === "anthropic") {
      return compacted(signal, async () => {
        const max_tokens = Math.max(max_output_tokens, COMPACTED_TOKENS);
        const body = { ...own.body, model, max_tokens, ...(own.beta && { betas: [own.beta] }) };
        const { content } = (await client.beta?.messages.create(body, { signal })) ?? {};
        return [{ role: "assistant", content }];
      });
    }
    const flat = { system, messages: [{ role: "user", content: prompt }], max_tokens: max_output_tokens };
    const body = { ...(conversation ? behindOf(conversation, model) : flat), model };
    const answer = await client.messages.create(body, { signal });
    const texts = answer.content.map((block: { type: string; text?: string }) =>
      block.type === "text" ? block.text : "",
    );
    const { usage } = answer;
    return {
      text: texts.join(""),
      finish_reason: finished(answer.stop_reason),
      ...(usage && {
        usage: {
          input_tokens: usage.input_tokens,
          cache_read_tokens: usage.cache_read_input_tokens,
          cache_write_tokens: usage.cache_creation_input_tokens,
          output_tokens: usage.output_tokens,
        },
      }),
    };
  };
  return Object.assign(summarize, { prefix: true });
}
