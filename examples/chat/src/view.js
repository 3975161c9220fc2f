// Renders the page. Each message and each compaction has one node, which is reused as long as it exists.
import { markdown } from "./markdown.js";

/** @typedef {import("./history.js").Message} Message @typedef {import("./history.js").Fold} Fold */

/** @param {number} n */
export const figures = (n) => n.toLocaleString("en");
const counted = (/** @type {number} */ n) => `${figures(n)} message${n === 1 ? "" : "s"}`;

/**
 * Creates an element with properties and children.
 * @param {string} tag
 * @param {object} properties
 * @param {(Node | string)[]} children
 * @returns {any}
 */
export function element(tag, properties, ...children) {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
}

/** @type {WeakMap<Message, HTMLLIElement>} */
const messages = new WeakMap();
/** @type {WeakMap<Fold, HTMLLIElement>} */
const folds = new WeakMap();

/**
 * Returns the nodes of the whole conversation, with a line after the messages that each compaction has folded.
 * @param {import("./history.js").Conversation} conversation
 * @param {{undo: () => void, quote: (message: Message) => void}} actions
 * @returns {HTMLLIElement[]}
 */
export function nodes({ shown, sent, folds: made }, { undo, quote }) {
  const kept = new Set(sent);
  const all = [];
  for (const [i, message] of shown.entries()) {
    for (const fold of made) if (fold.place === i) all.push(lineOf(fold, undo));
    const node = nodeOf(message, quote);
    node.classList.toggle("folded", !kept.has(message));
    all.push(node);
  }
  for (const fold of made) {
    if (fold.place >= shown.length) all.push(lineOf(fold, undo));
    folds.get(fold)?.classList.toggle("last", fold === made.at(-1));
  }
  return all;
}

/**
 * Returns the node of a message, which is created on first use.
 * @param {Message} message
 * @param {(message: Message) => void} quote
 */
function nodeOf(message, quote) {
  const known = messages.get(message);
  if (known) return known;
  const node = bubble(message.role);
  write(node, message);
  const button = element("button", { type: "button", className: "quote quiet", textContent: "Quote" });
  button.setAttribute("aria-label", `Quote what ${message.role === "user" ? "you" : "the model"} said here`);
  button.addEventListener("click", () => quote(message));
  node.append(button);
  messages.set(message, node);
  return node;
}

/** Returns the node for a message without its text. @param {"user" | "assistant"} role @returns {HTMLLIElement} */
export const bubble = (role) =>
  element(
    "li",
    { className: `message ${role}` },
    element("h2", { className: "visually-hidden" }, role === "user" ? "You said" : "The model said"),
    element("div", { className: "text" }),
  );

/**
 * Writes a message's text into its node. The user's text is not parsed as Markdown. @param {HTMLLIElement} node @param {Message} message
 */
export function write(node, { role, content }) {
  node.querySelector(".text")?.replaceChildren(role === "user" ? content : markdown(content));
}

/**
 * Returns the line that represents a compaction, which is created on first use.
 * @param {Fold} fold
 * @param {() => void} undo
 */
function lineOf(fold, undo) {
  const known = folds.get(fold);
  if (known) return known;
  const { count, tokens, digest, local } = fold;
  const summary = element(
    "summary",
    {},
    element("span", { className: "what" }, `${counted(count)} folded into a digest`),
    element("span", { className: "figures" }, `${figures(tokens.before)} → ${figures(tokens.after)} tokens`),
  );
  const text = element("pre", { tabIndex: 0 }, digest);
  text.setAttribute("role", "region");
  text.setAttribute("aria-label", "Digest");
  const button = element("button", { type: "button", textContent: "Undo compaction" });
  button.addEventListener("click", undo);
  const details = element(
    "details",
    {},
    summary,
    element(
      "div",
      { className: "digest" },
      element(
        "p",
        {},
        `This is what the model reads in place of the ${counted(count)} above${local ? ". ctxfold wrote it without a model" : ""}.`,
      ),
      text,
      element(
        "div",
        { className: "undo" },
        button,
        element(
          "p",
          {},
          "All messages are sent again. Nothing is compacted after that until you choose “Compact now”.",
        ),
      ),
    ),
  );
  const node = element("li", { className: "fold" }, details);
  folds.set(fold, node);
  return node;
}

/**
 * Replaces the children of a list. Nodes that stay are not touched, so that they keep their focus and state and are not read aloud again.
 * @param {Element} list
 * @param {Element[]} wanted
 */
export function arrange(list, wanted) {
  const keep = new Set(wanted);
  for (const child of [...list.children]) if (!keep.has(child)) child.remove();
  for (const [i, node] of wanted.entries())
    if (list.children[i] !== node) list.insertBefore(node, list.children[i] ?? null);
}

/**
 * Returns a line with a button that asks the user to do something. @param {string} text @param {string} label @param {() => void} onclick
 */
export const aside = (text, label, onclick) =>
  element(
    "li",
    { className: "aside" },
    element("p", {}, text),
    element("button", { type: "button", textContent: label, onclick }),
  );
