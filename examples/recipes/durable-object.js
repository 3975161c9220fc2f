// Cloudflare Durable Objects: a conversation's object stores its history, and its compactions next to it.
import { fit } from "ctxfold";

/** @typedef {{get<T>(key: string): Promise<T | undefined>, put(entries: Record<string, unknown>): Promise<void>}} Storage that of the object */

/**
 * Returns a conversation that is stored in a Durable Object.
 * @param {Storage} storage
 * @param {(messages: object[]) => Promise<string>} askMyModel
 * @param {import("ctxfold").FitOptions} options
 */
export function conversation(storage, askMyModel, options) {
  const memory = {
    load: (/** @type {string} */ key) => storage.get(`ctxfold:${key}`),
    save: (/** @type {string} */ key, /** @type {string} */ json) => storage.put({ [`ctxfold:${key}`]: json }),
  };
  return async (/** @type {string} */ text) => {
    const history = (await storage.get("history")) ?? [];
    history.push({ role: "user", content: text });
    const { messages } = await fit(history, { format: "openai-chat", ...options, memory });
    history.push({ role: "assistant", content: await askMyModel(messages) });
    await storage.put({ history });
    return history.at(-1).content;
  };
}
