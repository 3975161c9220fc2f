// What the proxy does with a request, on any platform: whose it is, which conversation it belongs to, and where it goes.
import { createCompactor } from "ctxfold";

/** Where clients have the upstream's key. */
const CREDENTIALS = ["authorization", "api-key"];
/** What else the upstream is told. */
const PASSED = ["accept", "openai-organization", "openai-project", ...CREDENTIALS];
/** The largest body that is accepted, in bytes, if the platform's settings set none: docs/start/edge.md has what fits into 128 MB. */
const MAX_BODY = 4_200_000;

/** The policy of the proxy. @param {string | number} window the model's window, in tokens */
export const policyFor = (window) => ({
  format: "openai-chat",
  window: { tokens: Number(window), reserve: Math.round(Number(window) / 8) },
});

const compactor = createCompactor({ policy: { format: "openai-chat" } });

/**
 * @typedef {object} Admitted
 * @property {string} name the conversation's name
 * @property {Uint8Array} [bytes] the JSON of a POST
 * @property {string} model that the JSON names
 */

/**
 * Finds the conversation of a request.
 * @param {Request} request @param {string | number} [maxBody] the largest body that is taken, in bytes
 * @returns {Promise<Response | Admitted>} the refusal, where the request is not admitted
 */
export async function admit(request, maxBody = MAX_BODY) {
  const credentials = CREDENTIALS.map((name) => request.headers.get(name) ?? "");
  if (!credentials.some(Boolean)) return refusal(401, "send the upstream's key: Authorization: Bearer …");
  const { pathname } = new URL(request.url);
  const route = `${request.method} ${pathname}`;
  if (route !== "POST /v1/chat/completions" && route !== "GET /v1/conversation") {
    return refusal(404, `there is no ${route}`);
  }
  // Nobody else gets at a conversation, whatever its name is.
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

/** The body, unless it is too large: then no more of it is read. @param {Request} request @param {number} most bytes */
async function read(request, most) {
  if (Number(request.headers.get("content-length")) > most) return undefined;
  const chunks = [];
  let size = 0;
  const reader = request.body?.getReader();
  for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
    chunks.push(next.value);
    size += next.value.length;
    if (size > most) {
      reader?.cancel().catch(() => {}); // not waited for: a platform may hold the other half of a body that it has split
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

/** @param {Uint8Array} bytes @returns {any} undefined where it is no JSON */
function parsed(bytes) {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

/** What is wrong with the JSON of a request; "" where it is the upstream's to judge. @param {any} body */
function faultOf(body) {
  if (!Array.isArray(body?.messages)) return "the body must be a JSON object with a list of messages";
  if (body.messages.length === 0) return "messages: the list is empty; send at least one message";
  const wrong = body.messages.findIndex((/** @type {unknown} */ each) => each !== Object(each) || Array.isArray(each));
  return wrong < 0 ? "" : `messages[${wrong}]: no object`;
}

/**
 * What tells a conversation without a name apart: its first question. Others that begin with the same share what is stored, in which
 * each finds its own.
 * @param {any[]} messages
 */
async function beginning(messages) {
  await compactor.ready();
  const first = messages.findIndex(({ role }) => role === "user");
  try {
    return compactor.prints(messages.slice(0, first < 0 ? 1 : first + 1)).at(-1);
  } catch {
    return ""; // the upstream says what is wrong with it
  }
}

/**
 * Serves a request that was admitted: `POST /v1/chat/completions` as the upstream does, `GET /v1/conversation` says what is stored. The
 * upstream's answer is passed on while it comes.
 * @param {Request} request @param {Pick<Admitted, "bytes" | "model">} admitted
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

/** An error as the upstream has it. @param {number} status @param {string} message @param {string | null} param */
const refusal = (status, message, param = null) =>
  Response.json({ error: { message, type: TYPES[status] ?? "invalid_request_error", param, code: null } }, { status });

/** @type {Record<number, string>} */
const TYPES = { 401: "authentication_error", 502: "api_error" };

/** SHA-256 of a text, in hexadecimal digits. @param {string} text */
async function hash(text) {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Runs a small compaction while the worker starts, where platforms allow a second: engines compile the module's functions at their first
 * call, and the first request would pay for that.
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

warm().catch(() => {}); // a request meets the same failure, and says so
