// Turns the result of a compaction into blocks to display: messages, runs of messages that a digest represents, and
// in long results a gap that can be opened.

/**
 * A message of the result, by its index in the conversation (-1 for a new one).
 * @typedef {{type: "message", status: "kept" | "changed" | "added", index: number, message: any, tokens: number}} Row
 */
/**
 * Consecutive messages that were removed, and the digest that represents them.
 * @typedef {{type: "run", from: number, indexes: number[], tokens: number, digest: Row | undefined}} Run
 */
/**
 * A gap between the first and the last blocks of a long result, with the number of blocks that it hides, by status.
 * @typedef {{type: "gap", from: number, to: number, kept: number, changed: number, folded: number}} Gap
 */

/**
 * Returns the rows and runs of messages that the playground shows for a compacted transcript, in order.
 * @param {any[]} list
 * @param {number[]} counted the token count of each message in list
 * @param {any[]} edits
 * @param {any} report
 * @returns {(Row | Run)[]}
 */
export function blocksOf(list, counted, edits, report) {
  const places = new Set();
  for (const edit of edits) {
    if (edit.keep) for (let i = edit.keep[0]; i < edit.keep[1]; i++) places.add(i);
    else if (edit.set !== undefined) places.add(edit.set);
  }
  const decisions = report.decisions ?? [];
  const added = report.actions.filter((/** @type {any} */ { message, action }) => message < 0 || action === "restore");
  /** @type {(Row | Run)[]} */
  const blocks = [];
  /** @type {Row[]} */
  let waiting = [];
  let next = 0;
  /** Adds what precedes a message of the conversation: removed messages, and what replaced them. @param {number} end */
  const upTo = (end) => {
    const gone = [];
    for (; next < end; next++) if (!places.has(next)) gone.push(next);
    if (gone.length > 0) {
      const digest = waiting.shift();
      const tokens = gone.reduce((sum, i) => sum + (counted[i] ?? 0), 0);
      blocks.push({ type: "run", from: gone[0] ?? 0, indexes: gone, tokens, digest });
    }
    blocks.push(...waiting);
    waiting = [];
    next = Math.max(next, end);
  };
  for (const edit of edits) {
    if (edit.insert !== undefined) {
      const action = added.shift();
      waiting.push({
        type: "message",
        status: "added",
        index: -1,
        message: edit.insert,
        tokens: Math.max(0, -(action?.tokens ?? 0)),
      });
    } else if (edit.set !== undefined) {
      upTo(edit.set);
      blocks.push(row("changed", edit.set, edit.message, decisions[edit.set]?.after ?? 0));
      next = Math.max(next, edit.set + 1);
    } else {
      upTo(edit.keep[0]);
      for (let i = edit.keep[0]; i < edit.keep[1]; i++) blocks.push(row("kept", i, list[i], counted[i] ?? 0));
      next = Math.max(next, edit.keep[1]);
    }
  }
  upTo(list.length);
  return blocks;
}

/**
 * Returns the block of a message that the result still contains.
 * @param {"kept" | "changed"} status
 * @param {number} index
 * @param {any} message
 * @param {number} tokens
 * @returns {Row}
 */
const row = (status, index, message, tokens) => ({ type: "message", status, index, message, tokens });

/** The number of blocks before and after a gap. */
const [HEAD, TAIL] = [3, 5];

/**
 * Returns the first and the last blocks, with a gap between them if there are many.
 * @param {(Row | Run)[]} blocks
 * @returns {(Row | Run | Gap)[]}
 */
export function opening(blocks) {
  if (blocks.length <= HEAD + TAIL + 1) return blocks;
  const [from, to] = [HEAD, blocks.length - TAIL];
  return [...blocks.slice(0, from), gap(blocks, from, to), ...blocks.slice(to)];
}

/**
 * Returns a gap that hides the blocks from `from` up to `to`.
 * @param {(Row | Run)[]} blocks
 * @param {number} from
 * @param {number} to
 * @returns {Gap}
 */
export function gap(blocks, from, to) {
  const inside = blocks.slice(from, to);
  const count = (/** @type {string} */ status) =>
    inside.filter((block) => block.type === "message" && block.status === status).length;
  const folded = inside.reduce((sum, block) => sum + (block.type === "run" ? block.indexes.length : 0), 0);
  return { type: "gap", from, to, kept: count("kept"), changed: count("changed") + count("added"), folded };
}
