// Handles the proxy's requests on any platform: finds their owner and their conversation, and forwards them.
import { createCompactor } from "ctxfold";

/** The headers in which clients send the upstream's key. */
const CREDENTIALS = ["authorization", "api-key"];
/** The headers that are passed on to the upstream. */
const PASSED = ["accept", "openai-organization", "openai-project", ...CREDENTIALS];
/** The default for the largest body that is accepted, in bytes; docs/start/edge.md explains what fits into 128 MB. */
const MAX_BODY = 4_200_000;

/** Returns the policy of the proxy. @param {string | number} window the model's window, in tokens */
export const policyFor = (window) => ({
  format: "openai-chat",
  window: { tokens: Number(window), reserve: Math.round(Number(window) / 8) },
});

const compactor = createCompactor({ policy: { format: "openai-chat" } });

/**
 * @typedef {object} Admitted
 * @property {string} name the conversation's name
 * @property {Uint8Array} [bytes] the JSON of a POST
 * @property {string} model the model named in the JSON
 */

/**
 * Finds the conversation of a request.
 * @param {Request} request
 * @param {string | number} [maxBody] the largest accepted body, in bytes
 * @returns {Promise<Response | Admitted>} the refusal if the request is not admitted
 */
export async function admit(request, maxBody = MAX_BODY) {
  const credentials = CREDENTIALS.map((name) => request.headers.get(name) ?? "");
  if (!credentials.some(Boolean)) return refusal(401, "send the upstream's key: Authorization: Bearer …");
  const { pathname } = new URL(request.url);
  const route = `${request.method} ${pathname}`;
  if (route !== "POST /v1/chat/completions" && route !== "GET /v1/conversation") {
    return refusal(404, `there is no ${route}`);
  }
  // Nobody else can access a conversation, whatever its name.
  const owner = await hash(JSON.stringify(credentials));
  const given = request.headers.get("x-conversation");
  if (request.method === "GET") {
    return given ? { name: `${owner}/${given}`, model: "" } : refusal(400, "name the conversation: x-conversation");
  }
  const bytes = await read(request, Number(maxBody));
  if (!bytes) return refusal(413, `the body has more than ${maxBody} bytes`);
  const body = parsed(bytes);
  const wrong = faultOf(body);
  if (wrong) return refusal(400, wrong, "messages");
  const name = given ? `${owner}/${given}` : `${owner}:${await beginning(body.messages)}`;
  return { name, bytes, model: String(body.model ?? "") };
}

/** Reads the body. Stops reading if it is too large. @param {Request} request @param {number} most bytes */
async function read(request, most) {
  if (Number(request.headers.get("content-length")) > most) return undefined;
  const chunks = [];
  let size = 0;
  const reader = request.body?.getReader();
  for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
    chunks.push(next.value);
    size += next.value.length;
    if (size > most) {
      reader?.cancel().catch(() => {}); // not awaited, because a platform may hold the other half of a body that it has split
      return undefined;
    }
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/** Parses JSON in UTF-8. @param {Uint8Array} bytes @returns {any} undefined if it is not JSON */
function parsed(bytes) {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

/** Returns the problem with the JSON of a request, or "" if the upstream should judge it. @param {any} body */
function faultOf(body) {
  if (!Array.isArray(body?.messages)) return "the body must be a JSON object with a list of messages";
  if (body.messages.length === 0) return "messages: the list is empty; send at least one message";
  const wrong = body.messages.findIndex((/** @type {unknown} */ each) => each !== Object(each) || Array.isArray(each));
  return wrong < 0 ? "" : `messages[${wrong}]: no object`;
}

/**
 * Returns the text that identifies a conversation without a name: its first question. Conversations with the same first question share a
 * store, in which each finds its own compactions.
 * @param {any[]} messages
 */
async function beginning(messages) {
  await compactor.ready();
  const first = messages.findIndex(({ role }) => role === "user");
  try {
    return compactor.prints(messages.slice(0, first < 0 ? 1 : first + 1)).at(-1);
  } catch {
    return ""; // the upstream reports what is wrong with it
  }
}

/**
 * Serves an admitted request: `POST /v1/chat/completions` as the upstream does, and `GET /v1/conversation` with what is stored. The
 * upstream's answer is passed on as it arrives.
 * @param {Request} request
 * @param {Pick<Admitted, "bytes" | "model">} admitted
 * @param {import("./conversation.js").Conversation} conversation
 * @param {string} upstream the address that requests are sent to
 */
export async function serve(request, { bytes, model }, conversation, upstream) {
  if (!bytes) return Response.json(await conversation.stored());
  const { pathname, search } = new URL(request.url);
  const headers = new Headers({ "content-type": "application/json" });
  for (const name of PASSED) {
    const value = request.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  /** @type {import("./conversation.js").Send} */
  const send = (body, signal) => fetch(upstream + pathname + search, { method: "POST", headers, body, signal });
  try {
    return await conversation.complete(bytes, model, send, request.signal);
  } catch (error) {
    request.signal.throwIfAborted();
    return refusal(502, `the upstream does not answer: ${error}`);
  }
}

/** Returns an error in the upstream's format. @param {number} status @param {string} message @param {string | null} param */
const refusal = (status, message, param = null) =>
  Response.json({ error: { message, type: TYPES[status] ?? "invalid_request_error", param, code: null } }, { status });

/** @type {Record<number, string>} */
const TYPES = { 401: "authentication_error", 502: "api_error" };

/** Returns the SHA-256 of a text, in hexadecimal digits. @param {string} text */
async function hash(text) {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Runs a small compaction while the worker starts, for which platforms allow a second of CPU time. Engines compile
 * the module's functions when they are first called, and otherwise the first request would have to wait for that.
 */
async function warm() {
  const small = createCompactor({ policy: { format: "openai-chat", window: { tokens: 1000 } } });
  await small.ready();
  const messages = Array.from({ length: 12 }, (_, i) => [
    { role: "user", content: `Question ${i}?` },
    {
      role: "assistant",
      content: null,
      tool_calls: [
        { id: `call_${i}`, type: "function", function: { name: "read", arguments: `{"path":"src/${i}.js"}` } },
      ],
    },
    { role: "tool", tool_call_id: `call_${i}`, content: `export const answer = ${i};\n`.repeat(40) },
    { role: "assistant", content: "An answer of some words. ".repeat(10) },
  ]).flat();
  const body = new TextEncoder().encode(JSON.stringify({ messages }));
  small.prints(body);
  const planned = small.plan(body, { memory: [], options: { archive: "bodies" } });
  if (!("plan" in planned)) return;
  const summaries = planned.requests.map(({ id }) => ({
    id,
    text: "## Summary\nThe user asks, and the assistant reads files and answers.",
  }));
  small.step(body, planned.plan, summaries, { memory: [] });
}

warm().catch(() => {}); // the first request will fail in the same way, and report it
