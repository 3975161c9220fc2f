// Displays the result as a conversation: turns as cards, runs that a digest represents as one line, and cleared
// content where it was.
import { ask } from "./asking.js";
import { $, button, count, element, many, opener } from "./dom.js";
import { NAMES } from "./result.js";

/** The names of actions on one message. @type {Record<string, string>} */
const WORDS = {
  squeeze: "written shorter, with nothing of it lost",
  clear: "result cleared",
  truncate: "shortened in the middle",
  fold: "folded",
  strip: "reasoning removed",
  drop: "taken out",
  collapse: "replaced by a line",
  move: "moved behind its call",
  rename: "given an id of its own",
  archive: "moved to the archive",
  dedupe: "a copy of a later result",
  replace: "broken characters replaced",
  shrink: "replaced by a placeholder",
  wrap: "put into the form that the provider wants",
  sign: "given the signature that the provider wants",
  restore: "file put back",
};

/** @type {Record<string, string>} */
const ROLES = { user: "User", assistant: "Assistant", system: "System", developer: "System", tool: "Tool" };

/** @param {any[]} blocks */
export function conversation(blocks) {
  $("blocks").replaceChildren(...blocks.map(shown));
}

/** Returns the element that displays a block. @param {any} block @returns {HTMLElement} */
function shown(block) {
  if (block.type === "run") return run(block);
  if (block.type === "gap") return gap(block);
  return message(block);
}

/** Returns one line for removed messages. @param {any} block */
function run({ from, count: folded, tokens, digest, why }) {
  const inside = element("ol", { className: "inside" });
  const text = element("div", { className: "digest-text" });
  const name = /^(fold|collapse)$/.test(why[0]?.action) ? "folded" : "taken out";
  const stands = digest ? (isDigest(digest) ? "a digest" : "a line") : "";
  const buttons = [
    opener("Show the originals", "Hide the originals", async (open) => {
      inside.replaceChildren();
      if (open) await originals(inside, from, 0);
    }),
  ];
  if (digest) {
    buttons.unshift(
      opener(`Read ${stands.replace(/^a /, "the ")}`, `Close ${stands.replace(/^a /, "the ")}`, (open) => {
        text.replaceChildren(
          ...(open ? digest.parts.map((/** @type {any} */ part) => element("pre", { tabIndex: 0 }, part.text)) : []),
        );
      }),
    );
  }
  return element(
    "li",
    { className: "run" },
    element(
      "div",
      { className: "run-line" },
      element(
        "p",
        {},
        element("b", {}, many(folded, "message")),
        element("span", { className: "dim" }, ` of ${count(tokens)} tokens `),
        digest ? `${name} into ` : `${name}${name === "folded" ? ", and only their number is left" : ""}`,
        digest && element("b", { className: "to" }, `${stands} of ${many(digest.tokens, "token")}`),
      ),
      element("div", { className: "actions" }, ...buttons),
    ),
    text,
    inside,
  );
}

/** @param {any} digest */
const isDigest = (digest) => digest.tokens > 60;

/**
 * Adds the original messages of a run to a list, from the message number `at` on, and a button that adds more.
 * @param {HTMLElement} into
 * @param {number} from
 * @param {number} at
 */
async function originals(into, from, at) {
  const { rows, left } = await ask("run", from, at);
  into.append(...rows.map(message));
  if (left === 0) return;
  const more = element("li", { className: "more-line" });
  more.append(
    button(`Show ${Math.min(30, left)} more of ${count(left)}`, async () => {
      more.remove();
      const last = into.lastElementChild;
      await originals(into, from, at + rows.length);
      /** @type {HTMLElement | null | undefined} */ (last?.nextElementSibling?.querySelector("button"))?.focus();
    }),
  );
  into.append(more);
}

/** Returns a line for the messages between the first and the last ones. @param {any} block */
function gap({ from, to, kept, changed, folded }) {
  const said = [
    kept > 0 && `${many(kept, "message")} kept as ${kept === 1 ? "it is" : "they are"}`,
    changed > 0 && `${count(changed)} shortened or cleared in place`,
    folded > 0 && `${count(folded)} folded`,
  ];
  const item = element("li", { className: "gap" }, element("p", { className: "dim" }, said.filter(Boolean).join(", ")));
  const more = button("Show them", async () => {
    const answer = await ask("gap", from, to);
    const rows = [...answer.blocks, ...(answer.rest ? [answer.rest] : [])].map(shown);
    const inside = item.contains(document.activeElement);
    item.replaceWith(...rows);
    if (inside)
      /** @type {HTMLElement | null | undefined} */ (
        rows.map((row) => row.querySelector("button")).find(Boolean)
      )?.focus();
  });
  item.append(more);
  return item;
}

/** Returns the card of a message. @param {any} block @returns {HTMLElement} */
function message({ status, index, role, tokens, before, parts, why }) {
  const restored = status === "added" && parts[0]?.text.startsWith("[Restored file");
  const name = status === "added" ? (restored ? "Put back" : "Added") : (ROLES[role] ?? role);
  const onlyResults = parts.length > 0 && parts.every((/** @type {any} */ { kind }) => kind === "results");
  const figure =
    status === "changed" && before !== tokens
      ? [
          element("s", {}, count(before)),
          element("span", { className: "visually-hidden" }, " became "),
          ` ${count(tokens)}`,
        ]
      : [count(tokens)];
  return element(
    "li",
    { className: `message ${status}${onlyResults ? " tools" : ""}`, "data-role": role },
    element(
      "div",
      { className: "who" },
      element("span", { className: `role ${onlyResults ? "results" : role}` }, onlyResults ? "Tool results" : name),
    ),
    element(
      "div",
      { className: "said" },
      ...pieces(parts, why),
      status === "changed" && parts.every((/** @type {any} */ { was }) => was === undefined) && reasons(why),
    ),
    element(
      "div",
      { className: "tokens" },
      element("span", {}, ...figure),
      index >= 0 &&
        button("JSON", () => detail(index, `Message ${index + 1}`), {
          className: "link json",
          "aria-label": `Message ${index + 1} as JSON`,
        }),
    ),
  );
}

/**
 * Returns the parts of a message: texts as paragraphs, and all other parts as rows that can be opened.
 * @param {any[]} parts
 * @param {any[]} why
 */
function pieces(parts, why) {
  /** @type {HTMLElement[]} */
  const all = [];
  for (const part of parts) {
    const node = piece(part, why);
    const last = all.at(-1);
    if (!node.classList.contains("chip")) all.push(node);
    else if (last?.className === "chips") last.append(node);
    else all.push(element("div", { className: "chips" }, node));
  }
  return all;
}

/**
 * Returns a note that says what was done to a message, or false if nothing was.
 * @param {{action: string, rule?: string}[]} why
 */
function reasons(why) {
  const said = [...new Set(why.map(({ action, rule }) => `${WORDS[action] ?? action}${rule ? ` (${rule})` : ""}`))];
  return said.length > 0 && element("p", { className: "note" }, said.join("; "));
}

/** A text is cut off at this many characters until the user opens it. */
const SHORT = 320;

/**
 * Returns the element that displays a part of a message.
 * @param {{kind: string, label: string, text: string, was?: string}} part
 * @param {any[]} why
 */
function piece({ kind, label, text, was }, why) {
  if (was !== undefined) return changed({ kind, label, text, was }, why);
  if (kind === "calls") {
    return text.length > label.length && !label.includes(text.trim())
      ? element("details", { className: "chip" }, element("summary", {}, label), element("pre", { tabIndex: 0 }, text))
      : element("p", { className: "chip" }, label);
  }
  if (kind === "reasoning") {
    return element(
      "details",
      { className: "chip" },
      element("summary", {}, "Reasoning"),
      element("p", { className: "text" }, text),
    );
  }
  if (kind === "results" || /^\[Restored file/.test(text)) {
    const [first = "", ...rest] = text.split("\n");
    const title = kind === "results" ? label || "result" : first.replace(/^\[.*?\] */, "");
    const body = kind === "results" ? text : rest.join("\n").trim();
    return element(
      "details",
      { className: "chip result" },
      element("summary", {}, title, element("span", { className: "dim" }, ` ${glimpse(body)}`)),
      element("pre", { tabIndex: 0 }, body || "(empty)"),
    );
  }
  if (text.length <= SHORT) return element("p", { className: "text" }, text);
  const body = element("p", { className: "text" }, `${text.slice(0, SHORT).trimEnd()}…`);
  const more = opener(
    "Show all of it",
    "Show less",
    (open) => {
      body.textContent = open ? text : `${text.slice(0, SHORT).trimEnd()}…`;
    },
    "link",
  );
  return element("div", {}, body, more);
}

/** @param {string} text */
function glimpse(text) {
  const lines = text.trim().split("\n");
  return lines.length > 1 ? many(lines.length, "line") : (lines[0] ?? "").slice(0, 80);
}

/**
 * Returns a part that a pass has changed. When opened, it shows the text before and after.
 * @param {any} part
 * @param {any[]} why
 */
function changed({ kind, label, text, was }, why) {
  const cleared = text.length < 400 && text.startsWith("[");
  const squeezed = why.some(({ action }) => action === "squeeze");
  const what = cleared ? "cleared" : squeezed ? "squeezed" : text.length < was.length ? "shortened" : "changed";
  return element(
    "details",
    { className: `chip altered ${what}` },
    element(
      "summary",
      {},
      element("span", { className: "label" }, label || (NAMES[kind] ?? kind)),
      " ",
      element("span", { className: "state" }, what),
    ),
    element("p", { className: "note" }, "The original"),
    element("pre", { tabIndex: 0 }, was),
    element("p", { className: "note" }, "What the model sees now"),
    element("pre", { tabIndex: 0 }, text),
  );
}

/**
 * Opens a dialog that shows a message as JSON, before and after the compaction.
 * @param {number} index
 * @param {string} title
 */
export async function detail(index, title) {
  const { before, after } = await ask("detail", index, -1);
  $("detail-title").textContent = title;
  const side = (/** @type {string} */ name, /** @type {string} */ text) =>
    element("figure", {}, element("figcaption", { className: "dim" }, name), element("pre", { tabIndex: 0 }, text));
  const same = before === after || !after;
  $("detail-body").replaceChildren(
    ...(same
      ? [side(after ? "Before and after" : "Before; now folded", before)]
      : [side("Before", before), side("After", after)]),
  );
  $("detail").showModal();
}
