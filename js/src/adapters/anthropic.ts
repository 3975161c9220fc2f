/**
 * The entry `ctxfold/anthropic`: compaction for the client of Anthropic.
 *
 * `new Anthropic({ fetch: compactingFetch({ policy }) })` is all: the app, or the client's own tool runner, goes on giving
 * its whole history.
 */
import type { Summarize } from "ctxfold";
import { finished } from "../finish.js";
import { checkOptions } from "../options.js";
import type { AdapterOptions } from "./conversations.js";
import { type Endpoint, fetchFor } from "./fetch.js";
import { compacted } from "./provider.js";

export { type AdapterOptions, isOverflow } from "./conversations.js";

const ENDPOINTS: readonly Endpoint[] = [{ path: /\/v1\/messages$/, list: "messages", format: "anthropic" }];

/**
 * A `fetch` for the client's option of that name. It compacts the `messages` of the Messages API, streamed or not, and
 * sends a request once more, further compacted, that was refused as too long.
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

/** The room for what the API compacts by itself, in tokens: it chooses the length. */
const COMPACTED_TOKENS = 8192;

/**
 * A summarizer over the Messages API. Give it a client of its own, whose `fetch` does not compact. With `provider`, and
 * `policy.summary.provider`, the API compacts by itself (its parameter `compaction`), and the model is asked where it does not; `model`
 * is then to be that of the conversation.
 */
export function summarizeWith(client: Client, options: { model: string; provider?: boolean }): Summarize {
  checkOptions(options, { model: true, provider: true }, "summarizeWith");
  const { model, provider = false } = options;
  return async ({ system, prompt, max_output_tokens, provider: own }, { signal }) => {
    if (provider && own?.format === "anthropic") {
      return compacted(signal, async () => {
        const max_tokens = Math.max(max_output_tokens, COMPACTED_TOKENS);
        const body = { ...own.body, model, max_tokens, ...(own.beta && { betas: [own.beta] }) };
        const { content } = (await client.beta?.messages.create(body, { signal })) ?? {};
        return [{ role: "assistant", content }];
      });
    }
    const messages = [{ role: "user", content: prompt }];
    const answer = await client.messages.create({ model, system, messages, max_tokens: max_output_tokens }, { signal });
    const texts = answer.content.map((block: { type: string; text?: string }) =>
      block.type === "text" ? block.text : "",
    );
    return { text: texts.join(""), finish_reason: finished(answer.stop_reason) };
  };
}
