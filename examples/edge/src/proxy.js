// What the proxy does with a request, on any platform: whose it is, which conversation it belongs to, and where it goes.
import { createCompactor } from "ctxfold";

/** Where clients have the upstream's key. */
const CREDENTIALS = ["authorization", "api-key"];
/** What else the upstream is told. */
const PASSED = ["accept", "openai-organization", "openai-project", ...CREDENTIALS];

/** The policy of the proxy. @param {string | number} window the model's window, in tokens */
export const policyFor = (window) => ({
  format: "openai-chat",
  window: { tokens: Number(window), reserve: Math.round(Number(window) / 8) },
});

const compactor = createCompactor({ policy: { format: "openai-chat" } });

/**
 * Finds the conversation of a request.
 * @param {Request} request
 * @returns {Promise<Response | {name: string, body?: any}>} the conversation's name and the JSON of the request, or the refusal
 */
export async function admit(request) {
  const { pathname } = new URL(request.url);
  const route = `${request.method} ${pathname}`;
  if (route !== "POST /v1/chat/completions" && route !== "GET /v1/conversation") {
    return refusal(404, `there is no ${route}`);
  }
  const credentials = CREDENTIALS.map((name) => request.headers.get(name) ?? "");
  if (!credentials.some(Boolean)) return refusal(401, "send the upstream's key: Authorization: Bearer …");
  // Nobody else gets at a conversation, whatever its name is.
  const owner = await hash(JSON.stringify(credentials));
  const given = request.headers.get("x-conversation");
  if (request.method === "GET") {
    return given ? { name: `${owner}/${given}` } : refusal(400, "name the conversation: x-conversation");
  }
  const body = await request.json().catch(() => undefined);
  const wrong = faultOf(body);
  if (wrong) return refusal(400, wrong, "messages");
  return { name: given ? `${owner}/${given}` : `${owner}:${await beginning(body.messages)}`, body };
}

/** What is wrong with the JSON of a request; "" where it is the upstream's to judge. @param {any} body */
function faultOf(body) {
  if (!Array.isArray(body?.messages)) return "the body must be a JSON object with a list of messages";
  if (body.messages.length === 0) return "messages: an empty list, where at least one message is wanted";
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
 * Serves a request that was admitted: `POST /v1/chat/completions` as the upstream does, `GET /v1/conversation` tells what is stored.
 * @param {Request} request @param {any} body the JSON of a POST @param {import("./conversation.js").Conversation} conversation
 * @param {string} upstream the address that requests are sent to
 */
export async function serve(request, body, conversation, upstream) {
  if (request.method === "GET") return Response.json(conversation.stored());
  const { pathname, search } = new URL(request.url);
  const headers = new Headers({ "content-type": "application/json" });
  for (const name of PASSED) {
    const value = request.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  /** @type {import("./conversation.js").Send} */
  const send = (body, signal) =>
    fetch(upstream + pathname + search, { method: "POST", headers, body: JSON.stringify(body), signal });
  try {
    return await conversation.complete(body, body.model, send, request.signal);
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
