// Implements a conversation's storage on databases with small values: each value is stored in pieces, and a small head record lists them.

/**
 * @typedef {object} Records one conversation's part of a database
 * @property {() => Promise<Map<string, Head>>} heads returns the heads of the stored values, by key
 * @property {(set: Map<string, Head>, remove: string[]) => Promise<void>} commit changes heads: all of them or none
 * @property {(name: string) => Promise<Uint8Array>} piece returns a piece
 * @property {(name: string, bytes: Uint8Array) => Promise<void>} put stores a piece under a new name
 * @property {(names: string[]) => Promise<void>} drop deletes pieces
 *
 * @typedef {{id: string, pieces: number}} Head says where a value's pieces are
 */

/**
 * Writes pieces before the heads that refer to them, and drops them afterwards, so an interrupted write leaves the previous values intact.
 * It leaves some unused pieces, but does no other harm.
 * @param {Records} records
 * @param {number} most the maximum size of a piece in bytes
 * @returns {import("./conversation.js").Storage}
 */
export function piecewise(records, most) {
  const names = (/** @type {Head} */ { id, pieces }) => Array.from({ length: pieces }, (_, i) => `${id}/${i}`);

  /** @param {Head} head */
  const read = async (head) => {
    const decoder = new TextDecoder();
    const pieces = await Promise.all(names(head).map((name) => records.piece(name)));
    return JSON.parse(pieces.map((bytes) => decoder.decode(bytes, { stream: true })).join("") + decoder.decode());
  };

  /** Stores a value in pieces and returns its head. @param {unknown} value @returns {Promise<Head>} */
  const write = async (value) => {
    const bytes = new TextEncoder().encode(JSON.stringify(value));
    const head = { id: crypto.randomUUID(), pieces: Math.ceil(bytes.length / most) };
    await Promise.all(names(head).map((name, i) => records.put(name, bytes.slice(i * most, (i + 1) * most))));
    return head;
  };

  return {
    get: async (key) => {
      const head = (await records.heads()).get(key);
      return head && read(head);
    },
    list: async (prefix) => {
      const found = [...(await records.heads())].filter(([key]) => key.startsWith(prefix));
      return Promise.all(found.map(([, head]) => read(head)));
    },
    write: async ({ remove = [], set = {} }) => {
      const added = new Map();
      for (const [key, value] of Object.entries(set)) added.set(key, await write(value));
      const before = await records.heads();
      const gone = [...before.keys()].filter((key) => remove.some((prefix) => key.startsWith(prefix)));
      await records.commit(
        added,
        gone.filter((key) => !added.has(key)),
      );
      const dropped = [...before].filter(([key]) => added.has(key) || gone.includes(key));
      await records.drop(dropped.flatMap(([, head]) => names(head)));
    },
  };
}
