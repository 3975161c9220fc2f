// A Cloudflare Worker with a Durable Object for each conversation, which stores it in SQLite.
import { DurableObject } from "cloudflare:workers";
import { Conversation } from "./conversation.js";
import { admit, policyFor, serve } from "./proxy.js";

/** The size of a piece in bytes. SQLite in a Durable Object accepts rows of up to 2 MB. */
const PIECE_BYTES = 1 << 20;
/** The header in which the worker tells the Durable Object the model, which it has read in the body. */
const MODEL = "x-ctxfold-model";

/**
 * Returns a conversation's storage in the SQLite database of its Durable Object.
 * @param {any} ctx
 * @returns {import("./conversation.js").Storage}
 */
function sqlStorage({ storage }) {
  const { sql } = storage;
  sql.exec("CREATE TABLE IF NOT EXISTS piece (key TEXT, part INTEGER, bytes BLOB NOT NULL, PRIMARY KEY (key, part))");
  /** @param {string} key */
  const get = (key) => {
    const rows = sql.exec("SELECT bytes FROM piece WHERE key = ? ORDER BY part", key).toArray();
    const decoder = new TextDecoder();
    const text = rows.map((/** @type {any} */ { bytes }) => decoder.decode(bytes, { stream: true })).join("");
    return text ? JSON.parse(text) : undefined;
  };
  return {
    get,
    list: (prefix) =>
      sql
        .exec("SELECT key FROM piece WHERE part = 0 AND substr(key, 1, ?) = ? ORDER BY key", prefix.length, prefix)
        .toArray()
        .map((/** @type {any} */ { key }) => get(key)),
    write: ({ remove = [], set = {} }) =>
      storage.transactionSync(() => {
        for (const prefix of remove) {
          sql.exec("DELETE FROM piece WHERE substr(key, 1, ?) = ?", prefix.length, prefix);
        }
        for (const [key, value] of Object.entries(set)) {
          sql.exec("DELETE FROM piece WHERE key = ?", key);
          const bytes = new TextEncoder().encode(JSON.stringify(value));
          for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
            const piece = bytes.slice(from, from + PIECE_BYTES).buffer;
            sql.exec("INSERT INTO piece VALUES (?, ?, ?)", key, from / PIECE_BYTES, piece);
          }
        }
      }),
  };
}

export class ConversationObject extends DurableObject {
  /** @param {any} ctx @param {any} env */
  constructor(ctx, env) {
    super(ctx, env);
    this.conversation = new Conversation(sqlStorage(ctx), policyFor(env.WINDOW));
  }

  /** @param {Request} request */
  async fetch(request) {
    const { headers, method } = request;
    const bytes = method === "POST" ? new Uint8Array(await request.arrayBuffer()) : undefined;
    const model = decodeURIComponent(headers.get(MODEL) ?? "");
    return serve(request, { bytes, model }, this.conversation, this.env.UPSTREAM);
  }
}

export default {
  /** Passes a request on to the Durable Object of its conversation. @param {Request} request @param {any} env */
  async fetch(request, { CONVERSATIONS, MAX_BODY }) {
    const admitted = await admit(request, MAX_BODY);
    if (admitted instanceof Response) return admitted;
    const { name, bytes, model } = admitted;
    const { url, method, signal } = request;
    const headers = new Headers(request.headers);
    headers.delete("content-length");
    headers.set(MODEL, encodeURIComponent(model));
    const passed = new Request(url, { method, headers, signal, ...(bytes && { body: bytes }) });
    return CONVERSATIONS.get(CONVERSATIONS.idFromName(name)).fetch(passed);
  },
};
