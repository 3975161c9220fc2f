// Simulates a provider's prompt cache. Anthropic caches a prefix of at least 1,024 tokens up to each breakpoint, looks for a cached prefix
// up to 20 blocks before a breakpoint, and accepts 4 breakpoints. OpenAI caches in steps of 128 tokens from 1,024 on. A token is 4
// characters here.
import { createHash } from "node:crypto";

const LEAST = 1024;
const LOOK_BACK = 20;
const MOST_MARKS = 4;
const STEP = 128;
const CHARS = 4;

const hash = (/** @type {string} */ text) => createHash("sha256").update(text).digest("hex");

export class PromptCache {
  /** @type {Set<string>} */
  #entries = new Set();

  /**
   * Counts how many tokens a request of the Messages API reads from the cache, and caches the prefixes that it marks.
   * Changing the tool choice invalidates the cached messages.
   * @param {any} body
   */
  messages({ tools = [], system = [], messages, tool_choice, thinking }) {
    /** @type {[string, unknown?][]} */
    const blocks = [...tools, ...system].map(({ cache_control, ...block }) => [JSON.stringify(block), cache_control]);
    blocks.push([JSON.stringify([tool_choice, thinking])]);
    for (const { role, content } of messages) {
      const parts = typeof content === "string" ? [{ type: "text", text: content }] : content;
      for (const { cache_control, ...part } of parts) blocks.push([role + JSON.stringify(part), cache_control]);
    }
    const marks = blocks.flatMap(([, mark], i) => (mark ? [i] : []));
    if (marks.length > MOST_MARKS) throw new Error(`${marks.length} blocks have cache_control`);
    let text = "";
    const ends = blocks.map(([block]) => {
      text += `${block}\n`;
      return { tokens: Math.floor(text.length / CHARS), key: hash(text) };
    });
    let read = 0;
    for (const at of marks.toReversed()) {
      for (let i = at; i >= 0 && i > at - LOOK_BACK && read === 0; i--) {
        if (this.#entries.has(ends[i].key)) read = ends[i].tokens;
      }
    }
    let end = read;
    for (const at of marks) {
      if (ends[at].tokens < LEAST) continue;
      this.#entries.add(ends[at].key);
      end = Math.max(end, ends[at].tokens);
    }
    return { input: Math.floor(text.length / CHARS) - end, read, write: end - read };
  }

  /**
   * Counts how many tokens of a request are read from the cache of a provider that caches without breakpoints.
   * @param {any} body
   */
  automatic({ tools, messages }) {
    const text = [tools, ...messages].map((part) => JSON.stringify(part)).join("\n");
    let read = 0;
    for (let at = LEAST; at * CHARS <= text.length; at += STEP) {
      const key = hash(text.slice(0, at * CHARS));
      if (this.#entries.has(key)) read = at;
      this.#entries.add(key);
    }
    return { input: Math.floor(text.length / CHARS) - read, read };
  }
}
