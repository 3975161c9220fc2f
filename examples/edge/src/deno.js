// The proxy on Deno Deploy, and in Deno. Conversations are stored in Deno KV, which all isolates
// share.
import { Conversation } from "./conversation.js";
import { piecewise } from "./pieces.js";
import { admit, policyFor, serve } from "./proxy.js";

/**
 * The size of a piece in bytes. Deno KV accepts values of up to 64 KiB, including its own encoding.
 */
const PIECE_BYTES = 60_000;

const { Deno } = /** @type {any} */ (globalThis);
const setting = (/** @type {string} */ name) => Deno.env.get(name);
const kv = await Deno.openKv(setting("KV"));

/** Returns a conversation's part of the database. @param {string} name @returns {import("./pieces.js").Records} */
const recordsOf = (name) => ({
  heads: async () => {
    const heads = new Map();
    for await (const { key, value } of kv.list({ prefix: [name, "head"] })) heads.set(key.at(-1), value);
    return heads;
  },
  commit: async (set, remove) => {
    const change = kv.atomic();
    for (const [key, head] of set) change.set([name, "head", key], head);
    for (const key of remove) change.delete([name, "head", key]);
    await change.commit();
  },
  piece: async (id) => (await kv.get([name, "piece", id])).value,
  put: async (id, bytes) => void (await kv.set([name, "piece", id], bytes)),
  drop: async (ids) => void (await Promise.all(ids.map((id) => kv.delete([name, "piece", id])))),
});

Deno.serve(
  { port: Number(setting("PORT") ?? 8787), hostname: setting("HOST") },
  async (/** @type {Request} */ request) => {
    const admitted = await admit(request, setting("MAX_BODY"));
    if (admitted instanceof Response) return admitted;
    const storage = piecewise(recordsOf(admitted.name), PIECE_BYTES);
    const conversation = new Conversation(storage, policyFor(setting("WINDOW") ?? 128_000));
    return serve(request, admitted, conversation, setting("UPSTREAM") ?? "https://api.openai.com");
  },
);
