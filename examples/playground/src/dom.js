/** Returns the element with an id. @param {string} id @returns {any} */
export const $ = (id) => document.getElementById(id);

const number = new Intl.NumberFormat("en");
/** Formats a number of tokens or messages. @param {number} n */
export const count = (n) => number.format(Math.round(n));

/** Formats a number with its noun, as in "1 message" or "2 messages". @param {number} n @param {string} word */
export const many = (n, word) => `${count(n)} ${word}${Math.round(n) === 1 ? "" : "s"}`;

/**
 * Creates an element with properties and children.
 * @param {string} tag
 * @param {Record<string, any>} properties
 * @param {(Node | string | undefined | false)[]} children
 */
export function element(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined) continue;
    if (name in node) /** @type {any} */ (node)[name] = value;
    else node.setAttribute(name, value);
  }
  node.append(.../** @type {(Node | string)[]} */ (children.filter((child) => child !== undefined && child !== false)));
  return node;
}

/**
 * Creates a button with an action. @param {string} text @param {() => void} act @param {Record<string, any>} properties
 */
export function button(text, act, properties = {}) {
  const node = element("button", { type: "button", ...properties }, text);
  node.addEventListener("click", act);
  return /** @type {HTMLButtonElement} */ (node);
}

/**
 * Creates a button that opens and closes the element after it.
 * @param {string} closed
 * @param {string} open
 * @param {(shown: boolean) => void} act
 * @param {string} [className]
 */
export function opener(closed, open, act, className = "") {
  const node = button(
    closed,
    () => {
      const shown = node.getAttribute("aria-expanded") !== "true";
      node.setAttribute("aria-expanded", String(shown));
      node.textContent = shown ? open : closed;
      act(shown);
    },
    { className },
  );
  node.setAttribute("aria-expanded", "false");
  return node;
}
