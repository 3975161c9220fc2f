// The proxy as a Vercel Edge Function. The routes are in `api`, and conversations are stored in Redis through its REST
// API.
import { Conversation } from "./conversation.js";
import { piecewise } from "./pieces.js";
import { admit, policyFor, serve } from "./proxy.js";

/** The size of a piece in bytes. Redis over REST accepts requests of up to 1 MB, and a piece is sent as base64. */
const PIECE_BYTES = 500_000;

/**
 * Runs commands in one transaction and returns their results.
 * @param {unknown[][]} commands
 * @returns {Promise<any[]>}
 */
async function redis(...commands) {
  const { KV_REST_API_URL, KV_REST_API_TOKEN } = process.env;
  const response = await fetch(`${KV_REST_API_URL}/multi-exec`, {
    method: "POST",
    headers: { authorization: `Bearer ${KV_REST_API_TOKEN}` },
    body: JSON.stringify(commands),
  });
  if (!response.ok) throw new Error(`Redis answers ${response.status}: ${await response.text()}`);
  const answers = /** @type {{result: any, error?: string}[]} */ (await response.json());
  const failed = answers.find(({ error }) => error);
  if (failed) throw new Error(`Redis: ${failed.error}`);
  return answers.map(({ result }) => result);
}

/** Returns a conversation's part of the database. @param {string} name @returns {import("./pieces.js").Records} */
const recordsOf = (name) => ({
  heads: async () => {
    const [list] = await redis(["HGETALL", name]);
    /** @type {[string, any][]} */
    const heads = [];
    for (let i = 0; i < list.length; i += 2) heads.push([list[i], JSON.parse(list[i + 1])]);
    return new Map(heads);
  },
  commit: async (set, remove) => {
    const fields = [...set].flatMap(([key, head]) => [key, JSON.stringify(head)]);
    const commands = [];
    if (fields.length > 0) commands.push(["HSET", name, ...fields]);
    if (remove.length > 0) commands.push(["HDEL", name, ...remove]);
    if (commands.length > 0) await redis(...commands);
  },
  piece: async (id) => {
    const [text] = await redis(["GET", `${name}/${id}`]);
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  },
  put: async (id, bytes) => {
    let text = "";
    for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
    await redis(["SET", `${name}/${id}`, btoa(text)]);
  },
  drop: async (ids) => {
    if (ids.length > 0) await redis(["DEL", ...ids.map((id) => `${name}/${id}`)]);
  },
});

/** Handles a request. Vercel serves the files in `api` under /api. @param {Request} given */
export default async function handler(given) {
  const url = new URL(given.url);
  url.pathname = url.pathname.replace(/^\/api\//, "/");
  const { UPSTREAM = "https://api.openai.com", WINDOW = "128000", MAX_BODY } = process.env;
  const request = new Request(url, given);
  const admitted = await admit(request, MAX_BODY);
  if (admitted instanceof Response) return admitted;
  const storage = piecewise(recordsOf(admitted.name), PIECE_BYTES);
  return serve(request, admitted, new Conversation(storage, policyFor(WINDOW)), UPSTREAM);
}
