import type { Format } from "ctxfold";
import { type AdapterOptions, Conversations, isOverflow } from "./conversations.js";

/**
 * An endpoint of a provider: a pattern for the end of its path, the key of the messages in a request body, and their
 * format.
 */
export interface Endpoint {
  /** Matches the end of the path. */
  path: RegExp;
  /** The key of the messages in a request body. */
  list: "messages" | "input";
  /** The wire format of the messages. */
  format: Format;
  /** Keys in a body that refer to a history stored by the provider. A request with one of them isn't compacted. */
  held?: readonly string[];
}

/**
 * Returns a `fetch` that compacts the messages of requests to these endpoints and sends all other requests unchanged. A
 * request that the provider rejects as too long is compacted further and retried once.
 */
export function fetchFor(endpoints: readonly Endpoint[], options: AdapterOptions, send: typeof fetch): typeof fetch {
  const byFormat = new Map(
    endpoints.map(({ format }) => [format, new Conversations(options, format, "compactingFetch")]),
  );
  return async (input, init) => {
    const address = typeof input === "string" || input instanceof URL ? String(input) : input.url;
    const endpoint = endpoints.find(({ path }) => path.test(new URL(address, "http://localhost").pathname));
    if (!endpoint) return send(input, init);
    const body = bodyOf(init?.body);
    const messages = body?.[endpoint.list];
    if (!Array.isArray(messages) || endpoint.held?.some((name) => body?.[name])) return send(input, init);

    const conversations = byFormat.get(endpoint.format) as Conversations;
    const within = { body: body as object, list: endpoint.list };
    const next = { provider: new URL(address, "http://localhost").host };
    const written = (list: readonly unknown[]) => JSON.stringify({ ...body, [endpoint.list]: list });
    const { signal } = init ?? {};
    const fitted = await conversations.fit(messages, { within, signal, next });
    const response = await send(input, fitted === messages ? init : { ...init, body: written(fitted) });
    if (response.ok) return response;
    const refusal = { status: response.status, responseBody: await response.clone().text() };
    if (!(await isOverflow(refusal, options.module))) return response;
    const forced = await conversations.fit(messages, { within, signal, next, refused: refusal });
    if (forced === messages) return response;
    return send(input, { ...init, body: written(forced) });
  };
}

/** Returns the parsed body of a request, or undefined if the body isn't JSON text. */
function bodyOf(body: unknown): Record<string, unknown> | undefined {
  if (typeof body !== "string") return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
