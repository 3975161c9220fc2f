// Bars and the timeline: plain elements with texts of their own, so that they can be read aloud.
import { KINDS } from "./parts.js";

const number = new Intl.NumberFormat("en");
export const count = (/** @type {number} */ n) => number.format(Math.round(n));

/** @param {string} tag @param {Record<string, any>} properties @param {(Node | string)[]} children */
export function element(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in node) /** @type {any} */ (node)[name] = value;
    else node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

/**
 * One bar of coloured parts against a window.
 * @param {string} label @param {Record<string, number>} sums @param {number} scale tokens that the whole width stands for
 * @param {{limit: number, window: number}} marks
 */
export function bar(label, sums, scale, { limit, window }) {
  const total = Object.values(sums).reduce((sum, tokens) => sum + tokens, 0);
  const spoken = KINDS.filter((kind) => sums[kind] >= 0.5).map((kind) => `${kind} ${count(sums[kind])}`);
  const track = element("div", {
    className: "track",
    role: "img",
    "aria-label": `${label}: ${count(total)} of ${count(window)} tokens: ${spoken.join(", ")}`,
  });
  for (const kind of KINDS) {
    if (sums[kind] < 0.5) continue;
    const part = element("span", { className: `part ${kind}`, title: `${kind}: ${count(sums[kind])} tokens` });
    part.style.inlineSize = `${(100 * sums[kind]) / scale}%`;
    track.append(part);
  }
  for (const [name, at] of /** @type {[string, number][]} */ ([
    ["limit", limit],
    ["window", window],
  ])) {
    const mark = element("i", { className: `mark ${name}`, title: `${name}: ${count(at)} tokens` });
    mark.style.insetInlineStart = `${Math.min(100, (100 * at) / scale)}%`;
    track.append(mark);
  }
  return element(
    "div",
    { className: "bar" },
    element("span", { className: "bar-label" }, `${label}: ${count(total)}`),
    track,
  );
}

/**
 * Tokens of each message, as columns in the order of the conversation.
 * @param {{at: number, end: number, tokens: number, sums: Record<string, number>}[]} columns
 * @param {number} messages
 */
export function timeline(columns, messages) {
  const highest = Math.max(1, ...columns.map(({ tokens }) => tokens));
  const largest = columns.reduce((best, column) => (column.tokens > best.tokens ? column : best), columns[0]);
  const box = element("div", {
    className: "columns",
    role: "img",
    "aria-label": `Tokens of ${messages} messages in their order; the most, ${count(largest?.tokens ?? 0)}, at message ${(largest?.at ?? 0) + 1}`,
  });
  for (const { at, end, sums, tokens } of columns) {
    const name = at === end ? `Message ${at + 1}` : `Messages ${at + 1} to ${end + 1}`;
    const column = element("span", { className: "column", title: `${name}: ${count(tokens)} tokens` });
    for (const kind of KINDS) {
      if (sums[kind] < 0.5) continue;
      const part = element("span", { className: `part ${kind}` });
      part.style.blockSize = `${(100 * sums[kind]) / highest}%`;
      column.append(part);
    }
    box.append(column);
  }
  const caption = element("div", { className: "axis" }, element("span", {}, "1"), element("span", {}, `${messages}`));
  return [box, caption];
}
