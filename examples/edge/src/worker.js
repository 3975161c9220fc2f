// A Cloudflare Worker with a Durable Object for each conversation, which keeps it in SQLite.
import { DurableObject } from "cloudflare:workers";
import { Conversation, nameOf, policyFor, serve } from "./conversation.js";

/** @param {any} ctx @returns {import("./conversation.js").Storage} */
function sqlStorage({ storage }) {
  const { sql } = storage;
  sql.exec("CREATE TABLE IF NOT EXISTS record (key TEXT PRIMARY KEY, json TEXT NOT NULL)");
  sql.exec("CREATE TABLE IF NOT EXISTS archive (place INTEGER PRIMARY KEY, json TEXT NOT NULL)");
  return {
    get: (key) => {
      const [row] = sql.exec("SELECT json FROM record WHERE key = ?", key).toArray();
      return row && JSON.parse(row.json);
    },
    write: ({ set = {}, remove = [], archive = [] }) =>
      storage.transactionSync(() => {
        for (const [key, value] of Object.entries(set)) {
          sql.exec("INSERT OR REPLACE INTO record VALUES (?, ?)", key, JSON.stringify(value));
        }
        for (const key of remove) sql.exec("DELETE FROM record WHERE key = ?", key);
        for (const [place, message] of archive) {
          sql.exec("INSERT OR IGNORE INTO archive VALUES (?, ?)", place, JSON.stringify(message));
        }
      }),
    archived: () =>
      sql
        .exec("SELECT place, json FROM archive ORDER BY place")
        .toArray()
        .map((/** @type {any} */ { place, json }) => [place, JSON.parse(json)]),
  };
}

export class ConversationObject extends DurableObject {
  /** @param {any} ctx @param {any} env */
  constructor(ctx, env) {
    super(ctx, env);
    this.conversation = new Conversation(sqlStorage(ctx), policyFor(env.WINDOW));
  }

  /** @param {Request} request */
  fetch(request) {
    return serve(request, this.conversation, this.env.UPSTREAM);
  }
}

export default {
  /** @param {Request} request @param {any} env */
  fetch(request, env) {
    const { CONVERSATIONS } = env;
    return CONVERSATIONS.get(CONVERSATIONS.idFromName(nameOf(request))).fetch(request);
  },
};
