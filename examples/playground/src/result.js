// Displays the figures: the headline, two bars against the window, and the presets, all in tokens of the same estimator.
import { $, button, count, element, many } from "./dom.js";
import { KINDS } from "./parts.js";

/** @type {Record<string, string>} */
export const NAMES = {
  digest: "digest",
  system: "system",
  user: "user",
  assistant: "assistant",
  reasoning: "reasoning",
  calls: "tool calls",
  results: "tool results",
  images: "images and files",
};

/**
 * Shows how many tokens the result has, and a button to compact anyway if compaction isn't due.
 * @param {any} now the result of the preset
 * @param {() => void} force
 */
export function headline(now, force) {
  const { tokens, messages, changed } = now;
  $("headline").replaceChildren(
    ...(changed
      ? [
          element("span", { className: "before" }, count(tokens.before)),
          element("span", { className: "arrow", "aria-hidden": "true" }, " → "),
          element("span", { className: "visually-hidden" }, " tokens become "),
          element("span", { className: "after" }, count(tokens.after)),
        ]
      : [element("span", { className: "after" }, count(tokens.before))]),
    element("small", {}, changed ? " tokens" : ` tokens in a window of ${count(tokens.window)}`),
  );
  const smaller = tokens.before > 0 ? Math.round(100 * (1 - tokens.after / tokens.before)) : 0;
  const badges = changed
    ? [
        element(
          "span",
          {},
          `${many(messages.before, "message")} became ${count(messages.after)}${smaller > 0 ? `, ${smaller} % fewer tokens` : ""}`,
        ),
        element("span", { className: "badge", id: "valid" }, "checking…"),
        element("span", { className: "badge", id: "whole" }),
      ]
    : [
        element("span", {}, standing(now)),
        now.reason === "under_budget" && button("Compact anyway", force, { id: "anyway" }),
        element("span", { className: "badge", id: "valid" }, "checking…"),
      ];
  if (now.over) badges.push(element("span", { className: "notice bad", id: "over" }, `It does not fit: ${now.over}`));
  $("verdicts").replaceChildren(.../** @type {Node[]} */ (badges.filter(Boolean)));
}

/** Explains why nothing was changed. @param {any} now */
function standing({ reason, tokens }) {
  if (reason === "under_budget") return `Nothing to do: compaction is due above ${count(tokens.limit)}.`;
  if (reason === "no_progress") return "This preset can't make it shorter.";
  return `Nothing was changed (${reason}).`;
}

/** Shows the result of the check. @param {any} now @param {any} check */
export function verdicts(now, { valid, whole, bodies, violations = [] }) {
  const badge = $("valid");
  if (badge) {
    badge.className = `badge ${valid ? "good" : "bad"}`;
    badge.textContent = valid ? "✓ valid for the provider" : `✗ ${violations[0]?.text ?? "not valid"}`;
  }
  const kept = $("whole");
  if (kept && now.changed) {
    kept.className = `badge ${whole ? "good" : "bad"}`;
    kept.textContent = whole ? "✓ nothing lost" : "✗ not restored whole";
    kept.title = whole
      ? `Restored from the archive (${many(bodies, "entry").replace("entrys", "entries")}) and compared: the same bytes`
      : "";
  }
}

/**
 * Shows one bar for the tokens before the compaction and one for those after it, divided by kind.
 * @param {Record<string, number>} before
 * @param {any} now
 */
export function bars(before, now) {
  const { tokens, sums, changed } = now;
  const scale = Math.max(tokens.before, tokens.window);
  const all = [bar("Before", before, tokens.before, scale, tokens)];
  if (changed) all.push(bar("After", sums, tokens.after, scale, tokens));
  $("bars").replaceChildren(...all);
  const shown = KINDS.filter((kind) => (before[kind] ?? 0) >= 10 || (changed && (sums[kind] ?? 0) >= 10));
  $("legend").replaceChildren(
    ...shown.map((kind) => element("li", {}, element("i", { className: kind }), NAMES[kind])),
    element("li", { className: "marks" }, element("i", { className: "window" }), `window, ${count(tokens.window)}`),
    element("li", { className: "marks" }, element("i", { className: "limit" }), `due above ${count(tokens.limit)}`),
  );
}

/**
 * Returns one bar, with marks for the window and the limit.
 * @param {string} label
 * @param {Record<string, number>} sums
 * @param {number} total
 * @param {number} scale
 * @param {any} marks
 */
function bar(label, sums, total, scale, { limit, window }) {
  const kinds = KINDS.filter((kind) => (sums[kind] ?? 0) >= 0.5);
  const spoken = kinds.map((kind) => `${NAMES[kind]} ${count(sums[kind] ?? 0)}`).join(", ");
  const track = element("div", {
    className: "track",
    role: "img",
    "aria-label": `${label}: ${count(total)} of ${count(window)} tokens: ${spoken}`,
  });
  for (const kind of kinds) {
    const part = element("span", { className: kind, title: `${NAMES[kind]}: ${count(sums[kind] ?? 0)} tokens` });
    part.style.inlineSize = `${(100 * (sums[kind] ?? 0)) / scale}%`;
    track.append(part);
  }
  for (const [name, at] of /** @type {[string, number][]} */ ([
    ["limit", limit],
    ["window", window],
  ])) {
    if (!at) continue;
    const mark = element("i", { className: `mark ${name}` });
    mark.style.insetInlineStart = `${Math.min(100, (100 * at) / scale)}%`;
    track.append(mark);
  }
  return element(
    "div",
    { className: "bar" },
    element("span", { className: "bar-name", "aria-hidden": "true" }, label),
    track,
    element("b", {}, count(total)),
  );
}

/**
 * Shows the presets as radio buttons, each with the size that it would leave.
 * @param {{name: string, doc: string}[]} presets
 * @param {string} chosen
 * @param {(name: string) => void} choose
 */
export function choices(presets, chosen, choose) {
  $("presets").replaceChildren(
    ...presets.map(({ name }) => {
      const input = /** @type {HTMLInputElement} */ (
        element("input", {
          type: "radio",
          name: "preset",
          value: name,
          checked: name === chosen,
          className: "visually-hidden",
        })
      );
      input.addEventListener("change", () => choose(name));
      return element(
        "label",
        { className: "preset", id: `preset-${name}` },
        input,
        element("span", { className: "name" }, name),
        element("span", { className: "figures" }, "…"),
        element("span", { className: "thin", "aria-hidden": "true" }, element("i")),
      );
    }),
  );
}

/** Shows the size that a preset would leave. @param {string} name @param {any} now or an error */
export function outcome(name, now) {
  const label = $(`preset-${name}`);
  if (!label) return;
  const figures = label.querySelector(".figures");
  const thin = label.querySelector(".thin i");
  label.classList.toggle("off", Boolean(now.error));
  if (now.error) {
    figures.textContent = "window too small";
    label.title = now.error;
    thin.style.inlineSize = "0";
    return;
  }
  const { tokens, changed, fits, broken } = now;
  label.title = "";
  figures.textContent = `${count(tokens.after)}${fits ? "" : ", does not fit"}${broken ? ", not valid" : ""}${changed ? "" : " as it is"}`;
  thin.style.inlineSize = `${tokens.before > 0 ? Math.min(100, (100 * tokens.after) / tokens.before) : 0}%`;
}
