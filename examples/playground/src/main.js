import { bar, count, element, timeline } from "./charts.js";
import { KINDS } from "./parts.js";

/** @param {string} id @returns {any} */
const $ = (id) => document.getElementById(id);

const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
/** @type {Map<number, {resolve: (value: any) => void, reject: (error: Error) => void}>} */
const calls = new Map();
let made = 0;

worker.onmessage = ({ data: { id, value, error } }) => {
  const call = calls.get(id);
  calls.delete(id);
  if (error === undefined) call?.resolve(value);
  else call?.reject(new Error(error));
};

/** Runs an operation of worker.js. @param {string} name @param {any[]} args @returns {Promise<any>} */
const ask = (name, ...args) =>
  new Promise((resolve, reject) => {
    calls.set(++made, { resolve, reject });
    worker.postMessage({ id: made, name, args });
  });

/** Gives the browser time to paint and to hear. */
const pause = () => new Promise((later) => setTimeout(later));

/** @type {any} */
let inspected;
/** @type {Map<string, any>} */
let tried = new Map();
let chosen = "default";
let presets = /** @type {{name: string, doc: string}[]} */ ([]);
/** Tokens by kind of the result that is shown. @type {Record<string, number> | undefined} */
let after;
let shown = 0;
/** Each run gives up when a later one has begun. */
let run = 0;
/** What is shown. The page does not read it: ten megabytes would hold it up. @type {Blob | undefined} */
let file;
let source = { kind: "", model: "", skipped: [] };

/** @param {string} message */
const say = (message) => {
  $("status").textContent = message;
};

function policy() {
  const { window, reserve, ratio } = $("policy").elements;
  return {
    window: { tokens: Number(window.value), reserve: Number(reserve.value) },
    gate: { ratio: Number(ratio.value) },
  };
}

/** Reads a conversation and shows it. @param {Blob} given @param {string} name */
async function open(given, name) {
  say(`Reading ${name}…`);
  file = given;
  $("results").setAttribute("aria-busy", "true");
  try {
    source = await ask("read", file, $("policy").elements.format.value);
    await show(name);
  } catch (error) {
    $("results").hidden = true;
    say(`${name} cannot be read: ${/** @type {Error} */ (error).message}`);
  }
}

/** @param {string} name */
async function show(name) {
  const mine = ++run;
  if (!$("policy").reportValidity()) return;
  inspected = await ask("inspect", policy(), PAGE);
  if (mine !== run) return;
  $("results").hidden = false;
  facts();
  bars();
  $("timeline").replaceChildren(...timeline(inspected.columns, inspected.count));
  await pause();
  violations();
  tried = new Map();
  table();
  for (const [i, preset] of presets.entries()) {
    say(`${name}: trying preset ${i + 1} of ${presets.length}…`);
    const outcome = await ask("tryPreset", policy(), preset.name, $("policy").elements.force.checked).catch(
      (error) => ({ error: error.message }),
    );
    if (mine !== run) return;
    tried.set(preset.name, outcome);
    table();
  }
  await choose(chosen);
  $("results").removeAttribute("aria-busy");
  say(`${name}: ${count(inspected.count)} messages, ${count(inspected.check.tokens)} tokens.`);
}

function facts() {
  const { check, format } = inspected;
  const skipped = source.skipped.map((/** @type {any} */ { what, count: n }) => `${n} ${what}`).join(", ");
  const rows = [
    ["Format", `${format}${source.kind === "messages" ? "" : ` (from ${source.kind})`}`],
    ["Model", source.model],
    ["Messages", count(inspected.count)],
    ["Tokens", `${count(check.tokens)}, by estimate (${check.estimator})`],
    ["Compaction", check.due ? `due: over ${count(check.limit)}` : `not due: up to ${count(check.limit)}`],
    ["Left out of the file", skipped],
  ];
  $("facts").replaceChildren(
    ...rows
      .filter(([, value]) => value)
      .flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]),
  );
}

function bars() {
  const { check, sums, beside } = inspected;
  const marks = { limit: check.limit, window: check.window };
  const scale = Math.max(check.tokens, check.window);
  const all = [bar("Now", sums, scale, marks)];
  if (after) all.push(bar(`After ${chosen}`, { ...after, system: after.system + beside }, scale, marks));
  $("bars").replaceChildren(
    ...all,
    element("p", { className: "hint" }, "Marks: compaction is due (dashed); the window (solid)."),
  );
  $("legend").replaceChildren(
    ...KINDS.filter((kind) => sums[kind] >= 0.5).map((kind) =>
      element("li", {}, element("span", { className: `swatch ${kind}` }), `${kind} ${count(sums[kind])}`),
    ),
  );
}

function table() {
  const head = ["Preset", "Tokens after", "Cleared", "Shortened", "Folded", "Dropped", "Restored", "Mended", "Outcome"];
  const body = presets.map(({ name, doc }) => {
    const { report, error, valid } = tried.get(name) ?? {};
    const button = element(
      "button",
      { type: "button", disabled: !report, "aria-pressed": String(name === chosen) },
      name,
    );
    button.addEventListener("click", () => choose(name));
    const cells = report
      ? [
          saving(report.tokens),
          ...[report.cleared, report.truncated, report.folded, report.dropped, report.restored, report.repaired].map(
            count,
          ),
          `${report.reason}${report.fits ? "" : ", does not fit"}${valid ? ", valid" : ", not valid"}`,
        ]
      : [...head.slice(2).map(() => ""), error ?? "…"];
    const title = element("th", { scope: "row", title: doc }, button);
    return element("tr", {}, title, ...cells.map((cell) => element("td", {}, cell)));
  });
  const focused = $("presets").contains(document.activeElement) && document.activeElement?.textContent;
  $("presets").replaceChildren(
    element("thead", {}, element("tr", {}, ...head.map((cell) => element("th", { scope: "col" }, cell)))),
    element("tbody", {}, ...body),
  );
  if (focused) [...$("presets").querySelectorAll("button")].find(({ textContent }) => textContent === focused)?.focus();
}

/** @param {{before: number, after: number}} tokens */
function saving({ before, after }) {
  const part = before > 0 ? Math.round((100 * (before - after)) / before) : 0;
  return `${count(after)}${part > 0 ? ` (−${part} %)` : ""}`;
}

/** @param {string} preset */
async function choose(preset) {
  const { report } = tried.get(preset) ?? {};
  if (!report) return;
  chosen = preset;
  const mine = run;
  const answer = await ask("decisions", policy(), preset);
  if (mine !== run || chosen !== preset) return;
  after = answer;
  table();
  bars();
  const { messages, tokens, reason, over } = report;
  $("outcome").textContent =
    `${preset}: ${reason}. ${count(messages.before)} messages become ${count(messages.after)}, ${count(tokens.before)} tokens become ${count(tokens.after)}.${over ? ` It does not fit: ${over.text}.` : ""}`;
  await list();
}

/** How many messages are shown at once. */
const PAGE = 60;

async function list() {
  shown = 0;
  await more();
}

/** Actions in words. @type {Record<string, string>} */
const WORDS = {
  squeeze: "written shorter without losing what it says",
  clear: "tool result cleared",
  truncate: "shortened in the middle",
  fold: "folded into the digest",
  insert: "put in",
  restore: "file put back",
  strip: "reasoning taken out",
  drop: "taken out",
  move: "moved behind its call",
  rename: "given an id of its own",
  archive: "moved to the archive",
  dedupe: "a copy of a later result",
  replace: "halves of characters replaced",
  shrink: "image or file replaced by a placeholder",
  wrap: "put into the form that the provider wants",
  sign: "given the signature that the provider wants",
  add: "an empty reasoning_content, as others have one",
};

/** @param {any} row */
const badge = ({ status, actions }) =>
  status === "removed" && actions.some((/** @type {any} */ { action }) => action === "fold") ? "folded" : status;

/** What happened to a message, in words. @param {any} row */
function why({ status, actions }) {
  const done = actions.map((/** @type {any} */ { action, pass, tokens, tool, path, rule }) => {
    const about = [tool, path, rule].filter(Boolean).join(", ");
    const change = tokens > 0 ? `saves ${count(tokens)} tokens` : tokens < 0 ? `adds ${count(-tokens)} tokens` : "";
    const what = action === "insert" && pass === "fold" ? "the digest of what was folded" : (WORDS[action] ?? action);
    return [`${what}${about ? ` (${about})` : ""}`, change].filter(Boolean).join(", ");
  });
  if (done.length > 0) return done.join("; ");
  return (
    { kept: "kept as it is", removed: "taken out with its group", changed: "changed", added: "new" }[
      /** @type {string} */ (status)
    ] ?? ""
  );
}

async function more() {
  const { rows, total } = await ask("page", $("filter").value, shown, PAGE);
  const focused = $("messages").contains(document.activeElement) && document.activeElement?.textContent;
  if (shown === 0) $("messages").replaceChildren();
  const page = rows.map((/** @type {any} */ row) => {
    const { status, before, role, old, fresh } = row;
    const label = before >= 0 ? `${before + 1}. ${role}` : `new ${role}`;
    const tokens =
      old && fresh && status === "changed"
        ? `${count(old.tokens)} → ${count(fresh.tokens)}`
        : count((old ?? fresh).tokens);
    const texts = [];
    if (status === "changed" || status === "removed") texts.push(element("del", {}, old.text));
    if (status === "changed" || status === "added") texts.push(element("ins", {}, fresh.text));
    if (status === "kept") texts.push(element("span", {}, old.text));
    const button = element("button", { type: "button", className: "link" }, label);
    button.setAttribute("aria-label", `${label}, ${badge(row)}: show the whole message`);
    button.addEventListener("click", () => detail(label, row));
    return element(
      "li",
      { className: `message ${status}` },
      element(
        "div",
        { className: "message-head" },
        button,
        element("b", { className: "badge" }, badge(row)),
        element("span", {}, `${tokens} tokens`),
      ),
      element("p", { className: "why" }, why(row)),
      element("p", { className: "text" }, ...texts),
    );
  });
  shown += page.length;
  $("messages").append(...page);
  if (focused) focusMessage(focused);
  if (total === 0) $("messages").append(element("li", { className: "hint" }, "No message is like that."));
  $("more").hidden = shown >= total;
  $("more").textContent = `Show more messages (${count(total - shown)} left)`;
}

/** Gives a message of the list the focus, unless that is still somewhere in it. @param {string} label */
function focusMessage(label) {
  if ($("messages").contains(document.activeElement)) return;
  [...$("messages").querySelectorAll("button")].find(({ textContent }) => textContent === label)?.focus();
}

/** @param {string} label @param {any} row */
async function detail(label, row) {
  const texts = await ask("detail", chosen, row.before, row.after);
  $("detail-title").textContent = label;
  $("detail-why").textContent = why(row);
  $("detail-before").textContent = texts.before || "It was not there.";
  $("detail-after").textContent = texts.after || "It is not there any more.";
  $("detail").showModal();
  // The list may be written anew meanwhile, and the browser then finds no button to give the focus back to.
  $("detail").addEventListener("close", () => focusMessage(label), { once: true });
}

function violations() {
  const { violations: found, broken, valid } = inspected;
  const verdict = valid ? "The provider tolerates it." : "The provider would refuse this conversation as it is.";
  $("verdict").textContent =
    found.length === 0
      ? "None: the provider would accept this conversation."
      : `${broken === 1 ? "One rule is" : `${count(broken)} rules are`} broken. ${verdict}`;
  $("violations").replaceChildren(
    ...found.map((/** @type {any} */ { rule, message, path, text: what, severity, repair }) =>
      element(
        "li",
        {},
        element("b", {}, rule),
        ` message ${message + 1}: ${what} (${severity}) `,
        element("code", {}, path),
        repair ? ` Repair: ${repair}.` : "",
      ),
    ),
  );
  if (broken > found.length) $("violations").append(element("li", {}, `and ${count(broken - found.length)} more`));
  $("export-repaired").hidden = found.length === 0;
}

/** Offers a file. @param {Promise<Blob>} blob @param {string} name */
async function save(blob, name) {
  const href = URL.createObjectURL(await blob);
  element("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 10_000);
  say(`${name} is saved.`);
}

$("file").addEventListener("change", async () => {
  const [given] = $("file").files;
  if (given) await open(given, given.name);
  $("file").value = "";
});
$("sample").addEventListener("click", async () => {
  const response = await fetch(new URL("../../../testdata/sample.anthropic.json", import.meta.url));
  await open(await response.blob(), "The sample session");
});
for (const type of ["dragenter", "dragover"]) {
  document.addEventListener(type, (event) => {
    event.preventDefault();
    $("drop").classList.add("over");
  });
}
document.addEventListener("dragleave", (event) => event.relatedTarget ?? $("drop").classList.remove("over"));
document.addEventListener("drop", async (event) => {
  event.preventDefault();
  $("drop").classList.remove("over");
  const given = event.dataTransfer?.files[0];
  if (given) await open(given, given.name);
});
/** @type {ReturnType<typeof setTimeout> | undefined} */
let typing;
$("policy").addEventListener("input", (/** @type {Event} */ event) => {
  if (!file) return;
  clearTimeout(typing);
  const again = /** @type {any} */ (event.target).name === "format";
  typing = setTimeout(() => (again && file ? open(file, "The conversation") : show("The conversation")), 250);
});
$("policy").addEventListener("submit", (/** @type {Event} */ event) => event.preventDefault());
$("filter").addEventListener("change", list);
$("more").addEventListener("click", more);
$("export").addEventListener("click", () => save(ask("exported", "messages", chosen), "compacted.json"));
$("export-report").addEventListener("click", () => save(ask("exported", "report", chosen), "report.json"));
$("export-repaired").addEventListener("click", () => save(ask("repaired", policy()), "repaired.json"));
$("theme").addEventListener("click", () => theme($("theme").getAttribute("aria-pressed") !== "true"));

/** @param {boolean} dark */
function theme(dark) {
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  $("theme").setAttribute("aria-pressed", String(dark));
}
theme(matchMedia("(prefers-color-scheme: dark)").matches);

try {
  const info = await ask("info");
  presets = info.presets;
  for (const { name } of info.formats) $("policy").elements.format.append(element("option", { value: name }, name));
  say("Ready: choose a file, or use the sample session.");
} catch (error) {
  say(`The module cannot be loaded: ${/** @type {Error} */ (error).message}`);
}
