// The module, asked in its own JSON (docs/reference/abi.md): bytes go in once and edits come out, so that nothing is copied for the page.
import { CtxfoldError, load } from "ctxfold";

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const loaded = load();

/**
 * One operation of the module.
 * @param {string} op @param {Record<string, any>} head all of the request but its messages
 * @param {Uint8Array} [messages] JSON of them
 * @returns {Promise<any>}
 */
export function ask(op, head, messages) {
  const request = JSON.stringify(head);
  if (!messages) return call(op, [request]);
  return call(op, [request.length > 2 ? `${request.slice(0, -1)},"messages":` : '{"messages":', messages, "}"]);
}

/** The conversation of an agent's session file: the file is the request. @param {Uint8Array} file @returns {Promise<any>} */
export const open = (file) => call("open", [file]);

/** @param {string} op @param {(string | Uint8Array)[]} request @returns {Promise<any>} */
async function call(op, request) {
  const answer = JSON.parse(decoder.decode((await loaded).call(op, request)));
  if (answer.error) {
    const { code, message, path, offset } = answer.error;
    throw new CtxfoldError(code, message, { path, offset });
  }
  return answer;
}

/** @param {unknown} value @returns {Uint8Array} */
export const bytesOf = (value) => encoder.encode(typeof value === "string" ? value : JSON.stringify(value));

/** A conversation that stays in the module while the window is changed: it is read once. */
export class Held {
  /** @type {number | undefined} */
  #session;
  #bytes;
  #format;

  /** @param {Uint8Array} bytes @param {string} format */
  constructor(bytes, format) {
    this.#bytes = bytes;
    this.#format = format;
  }

  /** What a policy would do: the report alone, after which the session is as it was. @param {any} policy @param {any} options */
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
        this.#session = undefined; // the instance was returned because it had grown large
      }
    }
  }

  async close() {
    if (this.#session !== undefined) await ask("session_close", { session: this.#session }).catch(() => {});
    this.#session = undefined;
  }
}
