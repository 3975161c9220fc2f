/**
 * The protocol of internal/conformance: each line of JSON on standard input is answered by a line on standard output.
 */
import { createInterface } from "node:readline";

/**
 * Answers requests with a compactor.
 * @param {{ name: string, version: string, format: string, promises: string[] }} about
 * @param {{ compact(messages: any[], limit: number): any, restore?(messages: any[]): any }} compactor
 */
export function answers(about, { compact, restore }) {
  let last = Promise.resolve();
  createInterface({ input: process.stdin }).on("line", (line) => {
    last = last.then(async () => {
      /** @type {any} */
      let answer;
      try {
        const { op, messages, limit } = JSON.parse(line);
        if (op === "describe") answer = about;
        else answer = { messages: await (op === "compact" ? compact(messages, limit) : restore?.(messages)) };
      } catch (error) {
        answer = { error: String(error) };
      }
      process.stdout.write(`${JSON.stringify(answer)}\n`);
    });
  });
}

/**
 * Counts tokens in the same way as the limits of the cases: a quarter of the characters in all strings.
 * @param {unknown} value
 * @returns {number}
 */
export const tokens = (value) => Math.ceil(characters(value) / 4);

/** Counts the characters of all strings in a value. @param {unknown} value @returns {number} */
function characters(value) {
  if (typeof value === "string") return [...value].length;
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce((sum, each) => sum + characters(each), 0);
}

/** The summary that these tests use instead of a model's. */
export const summary = "The kilns and glazes of a pottery were looked at, one after the other.";
