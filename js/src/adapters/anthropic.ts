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
}

/** A summarizer over the Messages API. Give it a client of its own, whose `fetch` does not compact. */
export function summarizeWith(client: Client, options: { model: string }): Summarize {
  checkOptions(options, { model: true }, "summarizeWith");
  const { model } = options;
  return async ({ system, prompt, max_output_tokens }, { signal }) => {
    const messages = [{ role: "user", content: prompt }];
    const answer = await client.messages.create({ model, system, messages, max_tokens: max_output_tokens }, { signal });
    const texts = answer.content.map((block: { type: string; text?: string }) =>
      block.type === "text" ? block.text : "",
    );
    return { text: texts.join(""), finish_reason: finished(answer.stop_reason) };
  };
}
