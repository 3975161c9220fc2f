// Support for tests of the edge example: an upstream that judges its requests, clients, and checks for all platforms.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createCompactor, load, memoryStore, restoreFrom } from "ctxfold";

/** The example's folder. */
export const example = fileURLToPath(new URL("../../../examples/edge", import.meta.url));
/** The number of turns in a conversation. */
export const TURNS = 8;
/** The window in which a conversation is compacted, in tokens. */
export const WINDOW = 3000;
/** The largest body that platforms accept here, in bytes. */
export const MAX_BODY = 4_000_000;

export const log = {
  requests: 0,
  /** The number of requests for each summary, by its prompt. @type {Map<string, number>} */
  summaries: new Map(),
  invalid: /** @type {string[]} */ ([]),
  /**
   * The most recently sent messages of each conversation, by the text of the last message.
   * @type {Map<string, any[]>}
   */
  sent: new Map(),
};

/** Checks that no summary was requested twice. */
export function paidOnce() {
  assert.ok(log.summaries.size > 0);
  assert.deepEqual(new Set(log.summaries.values()), new Set([1]));
}

/** Returns the violations for which the provider would reject the messages. @param {any[]} messages */
function broken(messages) {
  let open = new Set();
  for (const { role, content, tool_calls, tool_call_id } of messages) {
    if (role === "tool") {
      if (!open.delete(tool_call_id)) return `the result ${tool_call_id} answers no call`;
      continue;
    }
    if (open.size > 0) return `the calls ${[...open]} have no result`;
    if (!content && !tool_calls) return "an empty message";
    open = new Set((tool_calls ?? []).map((/** @type {any} */ { id }) => id));
  }
  return open.size > 0 ? "open calls at the end" : "";
}

/** The upstream answers every request, and records those that it should have rejected. */
const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  const { messages, max_completion_tokens, stream } = JSON.parse(text);
  const problem = broken(messages);
  if (problem) log.invalid.push(problem);
  if (max_completion_tokens) {
    const prompt = messages.at(-1).content;
    log.summaries.set(prompt, (log.summaries.get(prompt) ?? 0) + 1);
  } else {
    log.requests++;
    log.sent.set(messages.at(-1)?.content, messages);
  }
  if (stream) return streamed(response, messages[0].content === ENDLESS);
  const print = createHash("sha256").update(text).digest("hex").slice(0, 8);
  const content = max_completion_tokens
    ? `## Summary\nThe user asks and the tool answers, in the one turn as in the other, and has found ${print}.`
    : `An answer to ${messages.length} messages.`;
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ choices: [{ message: { role: "assistant", content }, finish_reason: "stop" }] }));
});
/** The number of streams that clients have read to the end, and the number of those that they left early. */
const streams = { ended: 0, left: 0 };
/** Lets waiting streams continue. */
let goOn = () => {};

/** A question with an endless answer. */
const ENDLESS = "And then?";

/**
 * Sends a stream whose second half follows only after the client has received the first.
 * @param {import("node:http").ServerResponse} response
 * @param {boolean} endless
 */
async function streamed(response, endless) {
  const goes = new Promise((go) => {
    goOn = () => go(undefined);
  });
  response.writeHead(200, { "content-type": "text/event-stream", "x-request-id": "req-1" });
  const say = (/** @type {string} */ content) =>
    response.write(`data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`);
  say("first");
  const saying = endless && setInterval(say, 20, "more");
  response.once("close", () => {
    if (saying) clearInterval(saying);
    if (response.writableFinished) streams.ended++;
    else streams.left++;
  });
  if (endless) return;
  await goes;
  response.end("data: [DONE]\n\n");
}

/** Starts the upstream. @returns {Promise<string>} its address */
export async function upstream() {
  await new Promise((listening) => server.listen(0, "127.0.0.1", () => listening(undefined)));
  return `http://127.0.0.1:${/** @type {any} */ (server.address()).port}`;
}

/** Stops the upstream. */
export function endUpstream() {
  server.closeAllConnections();
  server.close();
}

/** Returns the messages of one turn, with a tool. @param {string} name @param {number} turn */
export const spoken = (name, turn) => [
  { role: "user", content: `Question ${turn} of ${name}.` },
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: `${name}_${turn}`, type: "function", function: { name: "look", arguments: `{"at":${turn}}` } }],
  },
  { role: "tool", tool_call_id: `${name}_${turn}`, content: `${turn} of ${name}: ${"found it, ".repeat(200)}` },
];

/**
 * Sends a request to a path of the server under test and returns its response.
 * @typedef {(path: string, init?: any) => Promise<any>} Fetch
 */

/**
 * Returns a client of the proxy at an address. Each request has its own connection, because platforms close idle
 * connections after some seconds, and on a busy machine the next request may be sent at just that moment.
 * @param {string | URL} base @returns {Fetch}
 */
export const reach = (base) => (path, init) =>
  fetch(new URL(`.${path}`, base), { ...init, headers: { ...init?.headers, connection: "close" } });

/**
 * Sends a chat completion request with this body.
 * @param {Fetch} fetch
 * @param {unknown} body
 * @param {Record<string, string>} headers
 * @param {AbortSignal} [signal]
 */
export const post = (fetch, body, headers, signal) =>
  fetch("/v1/chat/completions", {
    method: "POST",
    ...(signal && { signal }),
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

/** Returns the headers that a client sends with each request of a conversation. @param {string} name */
export const client = (name, key = "sk-1") => ({ authorization: `Bearer ${key}`, "x-conversation": name });

/**
 * Runs a client that sends its whole history with each request, and retries failed requests.
 * @param {Fetch} fetch
 * @param {string} name
 * @param {Record<string, string>} [headers]
 */
export async function converse(fetch, name, headers = client(name)) {
  /** @type {any[]} */
  const messages = [];
  let failures = 0;
  for (let turn = 0; turn < TURNS; turn++) {
    messages.push(...spoken(name, turn));
    for (;;) {
      const response = await post(fetch, { model: "m", messages }, headers).catch(() => undefined);
      if (response?.ok) {
        messages.push((await response.json()).choices[0].message);
        break;
      }
      await response?.text();
      assert.ok(++failures < 100, `${name} fails again and again`);
    }
  }
  return { messages, failures };
}

const module = await load();

/**
 * Checks that the last messages sent to the upstream are shorter than the history, and that the history can be
 * restored from them and the stored content.
 * @param {Fetch} fetch
 * @param {any[]} messages
 * @param {Record<string, string>} headers
 */
export async function whole(fetch, messages, headers) {
  const { compactions, pending, archive } = await (await fetch("/v1/conversation", { headers })).json();
  assert.deepEqual([compactions > 0, pending], [true, false]);
  const history = messages.at(-1).role === "assistant" ? messages.slice(0, -1) : messages;
  const sent = log.sent.get(history.at(-1).content) ?? [];
  assert.ok(JSON.stringify(sent).length < JSON.stringify(history).length);
  const store = memoryStore();
  for (const { handle, body } of archive) await store.put(handle, body);
  const compactor = createCompactor({ module, policy: { format: "openai-chat" } });
  assert.deepEqual((await restoreFrom(store, compactor, sent)).messages, history);
  return compactions;
}

/** Checks which requests a proxy rejects itself, and which it forwards. @param {Fetch} fetch */
export async function refuses(fetch) {
  const messages = [{ role: "user", content: "Hello?" }];
  const requests = log.requests;
  for (const [body, headers, status] of /** @type {[unknown, Record<string, string>, number][]} */ ([
    [{ model: "m", messages }, {}, 401],
    [{ model: "m", messages }, { "x-conversation": "mine" }, 401],
    [{ model: "m", messages: [] }, client("a"), 400],
    [{ model: "m", messages: [] }, { authorization: "Bearer sk-1" }, 400],
    [{ model: "m", messages: "Hello?" }, client("a"), 400],
    [{ model: "m", messages: [null] }, client("a"), 400],
    [{ model: "m" }, client("a"), 400],
    ["null", client("a"), 400],
    ["", client("a"), 400],
    ['{"model": "m", "messages": [', client("a"), 400],
  ])) {
    const response = await post(fetch, body, headers);
    const { error } = await response.json();
    assert.deepEqual([response.status, typeof error.message], [status, "string"], JSON.stringify(body));
  }
  for (const path of ["/v1/conversation", "/v1/models", "/"]) assert.equal((await fetch(path)).status, 401, path);
  assert.equal((await fetch("/v1/conversation", { headers: { authorization: "Bearer sk-1" } })).status, 400);
  assert.equal((await fetch("/v1/models", { headers: client("a") })).status, 404);
  // The body is too large: first by the client's header, then by its actual size.
  const large = { model: "m", messages: [{ role: "user", content: "x".repeat(MAX_BODY) }] };
  assert.equal((await answered(() => post(fetch, large, client("a")))).status, 413);
  const pieces = Array.from({ length: MAX_BODY / 1e6 + 1 }, () => new TextEncoder().encode("x".repeat(1e6)));
  const headers = { ...client("a"), "content-type": "application/json" };
  const chunked = await answered(() =>
    fetch("/v1/chat/completions", { method: "POST", headers, body: new Blob(pieces).stream(), duplex: "half" }),
  );
  assert.equal(chunked.status, 413);
  assert.equal(log.requests, requests, "nothing of it was sent");
  // Requests that only the upstream can judge are forwarded unchanged.
  for (const strange of [{ role: "user" }, { role: "exit", content: "Bye." }, { role: "user", content: "\ud83d" }]) {
    const response = await post(fetch, { model: "m", messages: [strange] }, client("strange"));
    assert.equal(response.status, 200);
    await response.text();
  }
  assert.equal(log.requests, requests + 3);
}

/**
 * Sends a request until there is a response, with a pause between attempts. A server that rejects a body before reading all of it may close the connection while the
 * client is still writing, and an HTTP/1.1 client may then miss the response.
 * @param {() => Promise<Response>} send
 */
async function answered(send) {
  for (let left = 300; ; left--) {
    try {
      return await send();
    } catch (error) {
      if (left === 0) throw error;
      await sleep(100);
    }
  }
}

/** Checks that a stream is forwarded as it arrives, and that it ends when the client leaves. @param {Fetch} fetch */
export async function passesStreams(fetch) {
  const body = { model: "m", stream: true, messages: [{ role: "user", content: "Hello?" }] };
  const { ended, left } = { ...streams };
  const response = await post(fetch, body, client("streams"));
  assert.deepEqual(
    [response.status, response.headers.get("content-type"), response.headers.get("x-request-id")],
    [200, "text/event-stream", "req-1"],
  );
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  let text = "";
  const next = async () => {
    const { done, value } = await reader.read();
    text += decoder.decode(value, { stream: true });
    return done;
  };
  while (!text.includes("first")) assert.equal(await next(), false);
  assert.ok(!text.includes("DONE"));
  goOn();
  while (!(await next()));
  assert.match(text, /DONE/);
  assert.deepEqual([streams.ended, streams.left], [ended + 1, left]);

  const controller = new AbortController();
  const endless = { ...body, messages: [{ role: "user", content: ENDLESS }] };
  const half = await post(fetch, endless, client("streams"), controller.signal);
  await half.body.getReader().read();
  controller.abort();
  // Waits until the upstream has stopped writing for a client that has left.
  while (streams.left === left) {
    await new Promise((later) => setTimeout(later, 50));
  }
}
