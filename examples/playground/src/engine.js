// Calls the module with its own JSON (docs/reference/abi.md): bytes are passed in once and edits are returned, so nothing is copied for the
// page.
import { CtxfoldError, load } from "ctxfold";

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const loaded = load();

/**
 * Runs one operation of the module.
 * @param {string} op
 * @param {Record<string, any>} head the members of the request except the messages
 * @param {Uint8Array} [messages] the messages as JSON
 * @returns {Promise<any>}
 */
export function ask(op, head, messages) {
  const request = JSON.stringify(head);
  if (!messages) return call(op, [request]);
  return call(op, [request.length > 2 ? `${request.slice(0, -1)},"messages":` : '{"messages":', messages, "}"]);
}

/** Extracts the conversation from an agent's session file. The file is the request. @param {Uint8Array} file @returns {Promise<any>} */
export const open = (file) => call("open", [file]);

/**
 * Calls the module and returns its answer. Throws if the answer is an error.
 * @param {string} op
 * @param {(string | Uint8Array)[]} request
 * @returns {Promise<any>}
 */
async function call(op, request) {
  const answer = JSON.parse(decoder.decode((await loaded).call(op, request)));
  if (answer.error) {
    const { code, message, path, offset } = answer.error;
    throw new CtxfoldError(code, message, { path, offset });
  }
  return answer;
}

/** Returns a text or a JSON value as bytes. @param {unknown} value @returns {Uint8Array} */
export const bytesOf = (value) => encoder.encode(typeof value === "string" ? value : JSON.stringify(value));

/** A conversation that stays in the module while the window changes, so that it is read only once. */
export class Held {
  /** @type {number | undefined} */
  #session;
  #bytes;
  #format;

  /** Takes the messages as JSON, and their wire format. @param {Uint8Array} bytes @param {string} format */
  constructor(bytes, format) {
    this.#bytes = bytes;
    this.#format = format;
  }

  /** Returns only the report of what a policy would do. The session stays unchanged. @param {any} policy @param {any} options */
  async report(policy, options) {
    for (let again = false; ; again = true) {
      this.#session ??= (await ask("session_open", { policy: { format: this.#format } }, this.#bytes)).session;
      try {
        const { report } = await ask("plan", {
          session: this.#session,
          policy,
          options: { ...options, answer: "report" },
        });
        return report;
      } catch (error) {
        if (again || error.code !== "session_closed") throw error;
        this.#session = undefined; // the instance was replaced because it had grown large
      }
    }
  }

  async close() {
    if (this.#session !== undefined) await ask("session_close", { session: this.#session }).catch(() => {});
    this.#session = undefined;
  }
}
