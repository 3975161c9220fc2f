// One conversation of the proxy, on any platform: what was compacted is stored, and a compaction that was interrupted goes on.
import { createCompactor } from "ctxfold";

/**
 * @typedef {object} Storage where one conversation is kept
 * @property {(key: string) => any} get
 * @property {(change: {set?: Record<string, unknown>, remove?: string[], archive?: [number, unknown][]}) => void} write all of
 *   it or nothing; a message that is in the archive already stays as it is
 * @property {() => [number, unknown][]} archived
 *
 * @typedef {(body: object, signal: AbortSignal) => Promise<Response>} Send asks the upstream
 */

/** SHA-256 of the beginning of a history. @param {unknown[]} messages */
async function digest(messages) {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(JSON.stringify(messages)));
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Whether these messages begin as those that a record was made for. @param {any} record @param {unknown[]} messages */
const goesOn = async (record, messages) =>
  record && messages.length >= record.given && (await digest(messages.slice(0, record.given))) === record.hash;

export class Conversation {
  #storage;
  #policy;
  /** Requests of one conversation are served one after the other. @type {Promise<unknown>} */
  #last = Promise.resolve();

  /** @param {Storage} storage @param {import("ctxfold").Policy} policy */
  constructor(storage, policy) {
    this.#storage = storage;
    this.#policy = policy;
  }

  /** Called when a plan is stored and before a model is asked. */
  async planned() {}

  /**
   * Answers a request for a chat completion whose body holds the whole history.
   * @param {any} body @param {Send} send @param {AbortSignal} signal
   * @returns {Promise<Response>}
   */
  complete(body, send, signal) {
    const fitted = this.#last.then(() => this.#fit(body, send, signal));
    this.#last = fitted.catch(() => {});
    return fitted.then((messages) => send({ ...body, messages }, signal));
  }

  /** What is stored: how much of the history was compacted, and the messages that were taken out of it. */
  stored() {
    const memory = this.#storage.get("memory");
    return {
      given: memory?.given ?? 0,
      context: memory?.context ?? [],
      pending: Boolean(this.#storage.get("pending")),
      archive: this.#storage.archived(),
    };
  }

  /** The messages to send. @param {any} body @param {Send} send @param {AbortSignal} signal @returns {Promise<any[]>} */
  async #fit(body, send, signal) {
    const { messages } = body;
    const memory = this.#storage.get("memory");
    const known = await goesOn(memory, messages);
    const input = known ? [...memory.context, ...messages.slice(memory.given)] : messages;
    const compactor = createCompactor({ policy: this.#policy, state: known ? memory.state : undefined });
    await compactor.ready();

    const interrupted = this.#storage.get("pending");
    let pending = (await goesOn(interrupted, messages)) ? interrupted : undefined;
    /** @type {any} */
    let result = pending ?? compactor.plan(input);
    while (result.requests.length > 0) {
      const { plan, requests } = result;
      if (!pending) {
        pending = { given: messages.length, hash: await digest(messages), plan, requests, summaries: {} };
        this.#storage.write({ set: { pending } });
        await this.planned();
      }
      for (const request of requests) {
        // A summary that is there was paid for: it is not asked for again.
        pending.summaries[request.id] ??= await summary(request, body.model, send, signal);
        this.#storage.write({ set: { pending } });
      }
      result = compactor.step(input, plan, Object.values(pending.summaries));
      pending = undefined;
    }
    if (!result.report.changed) {
      this.#storage.write({ remove: ["pending"] });
      return input;
    }
    const { messages: context, state } = result;
    this.#storage.write({
      set: { memory: { given: messages.length, hash: await digest(messages), context, state } },
      remove: ["pending"],
      archive: takenOut(messages, context),
    });
    return context;
  }
}

/** The messages of a history that are not in a context as they were, with their places. @param {unknown[]} messages @param {unknown[]} context */
function takenOut(messages, context) {
  /** @type {Map<string, number>} */
  const kept = new Map();
  for (const text of context.map((message) => JSON.stringify(message))) kept.set(text, (kept.get(text) ?? 0) + 1);
  /** @type {[number, unknown][]} */
  const out = [];
  // Of two equal messages it is the newer one that was kept.
  for (let place = messages.length - 1; place >= 0; place--) {
    const text = JSON.stringify(messages[place]);
    const left = kept.get(text) ?? 0;
    if (left > 0) kept.set(text, left - 1);
    else out.push([place, messages[place]]);
  }
  return out;
}

/** Asks the upstream for a summary; where there is none, the digest is made without a model. @param {any} request @param {string} model @param {Send} send @param {AbortSignal} signal */
async function summary({ id, system, prompt, max_output_tokens }, model, send, signal) {
  const messages = [
    { role: "system", content: system },
    { role: "user", content: prompt },
  ];
  try {
    const response = await send({ model, messages, max_completion_tokens: max_output_tokens }, signal);
    const { choices } = /** @type {any} */ (await response.json());
    // An answer that does not say why it ended is half of one.
    return { id, text: choices[0].message.content, finish_reason: choices[0].finish_reason ?? "incomplete" };
  } catch (error) {
    return { id, error: String(error) };
  }
}

/**
 * Serves a conversation: `POST /v1/chat/completions` as the upstream does, `GET /v1/conversation` tells what is stored.
 * @param {Request} request @param {Conversation} conversation @param {string} upstream the address that requests are sent to
 */
export async function serve(request, conversation, upstream) {
  const { pathname } = new URL(request.url);
  if (request.method === "GET" && pathname === "/v1/conversation") return Response.json(conversation.stored());
  if (request.method !== "POST" || pathname !== "/v1/chat/completions")
    return new Response("not found", { status: 404 });
  const authorization = request.headers.get("authorization");
  const headers = { "content-type": "application/json", ...(authorization && { authorization }) };
  /** @type {Send} */
  const send = (body, signal) =>
    fetch(`${upstream}/v1/chat/completions`, { method: "POST", headers, body: JSON.stringify(body), signal });
  const body = /** @type {any} */ (await request.json().catch(() => undefined));
  if (!Array.isArray(body?.messages)) {
    return Response.json(
      { error: { message: "the body must be JSON with messages", type: "invalid_request_error" } },
      { status: 400 },
    );
  }
  return conversation.complete(body, send, request.signal);
}

/** The policy of the proxy. @param {string | number} window the model's window, in tokens */
export const policyFor = (window) => ({
  format: "openai-chat",
  window: { tokens: Number(window), reserve: Math.round(Number(window) / 8) },
});

/** The name of a request's conversation: clients send one with every request. @param {Request} request */
export const nameOf = (request) => request.headers.get("x-conversation") ?? "default";
