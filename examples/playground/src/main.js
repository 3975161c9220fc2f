import { ask } from "./asking.js";
import { conversation } from "./conversation.js";
import { $, button, count, element, many } from "./dom.js";
import { bars, choices, headline, outcome, verdicts } from "./result.js";
import { fault, fieldOf, fromAddress, listen, settings, show, toAddress, wanted } from "./settings.js";

/** The presets that the module offers. @type {{name: string, doc: string, policy: any}[]} */
let presets = [];
/** The worker's description of the conversation. @type {any} */
let source;
/** The file that was read last, to read it again in another format. @type {{file: Blob, name: string} | undefined} */
let given;
/** The number of the newest run. A run stops when a newer one has begun. */
let run = 0;

/** Announces a text to screen readers. @param {string} text */
const say = (text) => {
  $("status").textContent = text;
};

/** Shows what is wrong with a file; "" removes the message. @param {string} text */
function complain(text) {
  $("file-error").hidden = text === "";
  $("file-error").textContent = text;
}

/**
 * Reads a conversation and shows it. If it cannot be read, the current one stays.
 * @param {Blob} file
 * @param {string} name
 * @returns {Promise<string>} what is wrong with it
 */
async function open(file, name) {
  try {
    const found = await ask("open", file, settings.format);
    given = { file, name };
    if (found.chats) choose(found.chats, name);
    else await take(found, name);
    return "";
  } catch (error) {
    const { message, code } = /** @type {any} */ (error);
    if (/format/.test(code ?? "")) {
      given = { file, name };
      fault("format", message);
    }
    return message;
  }
}

/** Like open, but shows an error next to the button. @param {Blob} file @param {string} name */
async function openFile(file, name) {
  complain("");
  fault("format", "");
  $("source-facts").textContent = `Reading ${name}…`;
  const wrong = await open(file, name);
  if (wrong) {
    complain(`${name} cannot be read: ${wrong}`);
    describe();
  }
}

/** Shows a conversation that has been read. @param {any} found @param {string} name */
async function take(found, name) {
  source = { ...found, name };
  complain("");
  fault("format", "");
  $("sample").hidden = name === SAMPLE;
  describe();
  await compute();
}

function describe() {
  const { name, title, format, kind, count: messages, model, skipped } = source;
  $("source-name").textContent = title || name;
  const left = skipped.map((/** @type {any} */ { what, count: n }) => `${n} ${what}`).join(", ");
  $("source-facts").textContent = [
    kind === "messages" ? format : `${kind} (${format})`,
    model,
    many(messages, "message"),
    left && `without ${left}`,
  ]
    .filter(Boolean)
    .join(" · ");
  const { broken, valid, violations } = source;
  $("broken").hidden = broken === 0;
  $("broken").textContent =
    broken === 0
      ? ""
      : `The opened conversation breaks ${many(broken, "rule").replace(/^1 rule/, "one rule")} of the format: ${violations[0].text}. ${valid ? "The provider tolerates it." : "The provider would refuse it as it is; a compaction mends it."}`;
  $("save-repaired").parentElement.hidden = broken === 0;
}

/** Shows the figures of the selected preset immediately. @param {number} mine */
async function figures(mine) {
  const now = await ask("measure", wanted(), settings.preset);
  if (mine !== run) return undefined;
  headline(now, force);
  bars(source.sums, now);
  outcome(settings.preset, now);
  $("result").hidden = false;
  $("cost").textContent = `Computed in ${now.ms < 10 ? now.ms.toFixed(1) : count(now.ms)} ms, in this browser.`;
  return now;
}

/** Updates the whole page: the figures, the conversation, its check, and the other presets. */
async function compute() {
  const mine = ++run;
  toAddress();
  $("result").setAttribute("aria-busy", "true");
  try {
    const now = await figures(mine);
    if (!now) return;
    const blocks = await ask("show", wanted(), settings.preset);
    if (mine !== run) return;
    conversation(blocks);
    $("conversation-title").textContent = now.changed ? "What the model sees now" : "The conversation, unchanged";
    const check = await ask("verify", wanted(), settings.preset);
    if (mine !== run) return;
    verdicts(now, check);
    $("result").removeAttribute("aria-busy");
    say(spoken(now, check));
    await others(mine);
  } catch (error) {
    if (mine === run) refused(error);
  }
}

/** Returns the result as a sentence for screen readers. @param {any} now @param {any} check */
const spoken = ({ tokens, changed }, { valid, whole }) =>
  changed
    ? `${source.name}: ${count(tokens.before)} tokens became ${count(tokens.after)}, ${valid ? "valid" : "not valid"}, ${whole ? "nothing lost" : "not restored whole"}.`
    : `${source.name}: ${count(tokens.before)} tokens, nothing to do.`;

/** Shows an error of the module below the field that caused it. @param {any} error */
function refused(error) {
  const field = fieldOf(error);
  $("result").removeAttribute("aria-busy");
  if (field) fault(field, error.message);
  else complain(error.message);
}

/** Shows how many tokens the other presets would leave. @param {number} mine */
async function others(mine) {
  for (const { name } of presets) {
    if (name === settings.preset) continue;
    const now = await ask("measure", wanted(), name).catch((error) => ({ error: error.message }));
    if (mine !== run) return;
    outcome(name, now);
  }
  $("presets").dataset.done = String(mine);
}

/** Whether the slider is moving. Then only the figures are updated, by one request at a time. */
let moving = false;
let moved = false;
async function move() {
  moved = true;
  later();
  if (moving) return;
  moving = true;
  while (moved) {
    moved = false;
    await figures(++run).catch(refused);
  }
  moving = false;
}

/** The timer of the next update. @type {ReturnType<typeof setTimeout> | undefined} */
let waiting;
function later() {
  clearTimeout(waiting);
  waiting = setTimeout(compute, 160);
}

function force() {
  settings.force = true;
  show("force");
  compute().then(() => $("presets").querySelector(":checked")?.focus());
}

/** @param {string} name */
function preset(name) {
  settings.preset = name;
  describePreset();
  compute();
}

function describePreset() {
  const { doc = "" } = presets.find(({ name }) => name === settings.preset) ?? {};
  $("preset-doc").textContent = doc && `${doc[0]?.toUpperCase()}${doc.slice(1)}.`;
}

/** Lets the user select a conversation of an export. @param {any[]} chats @param {string} name */
function choose(chats, name) {
  if (source) describe();
  const list = () => {
    const wanted = $("choose-filter").value.toLowerCase();
    const found = chats
      .map((chat, index) => ({ ...chat, index }))
      .filter(({ title }) => title.toLowerCase().includes(wanted));
    $("choose-count").textContent =
      `${many(found.length, "conversation")}${found.length > 200 ? ", the first 200 are shown" : ""}`;
    $("choices").replaceChildren(
      ...found.slice(0, 200).map(({ title, date, count: messages, kind, index }) => {
        const item = button("", async () => {
          $("choose-sheet").close();
          await take(await ask("choose", index), name).catch((error) =>
            complain(`${title} cannot be read: ${error.message}`),
          );
        });
        item.append(
          element("b", {}, title),
          element("span", { className: "dim" }, [kind, date, many(messages, "message")].filter(Boolean).join(" · ")),
        );
        return element("li", {}, item);
      }),
    );
  };
  $("choose-filter").value = "";
  $("choose-filter").oninput = list;
  list();
  $("choose-sheet").showModal();
}

/** Downloads a file. @param {string} what @param {string} name */
async function save(what, name) {
  const blob = await ask("saved", what, wanted(), settings.preset);
  const link = element("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** Shows the settings as a policy, with the code that uses it. */
function code() {
  const { policy } = wanted();
  const preset = settings.preset !== "default" && { preset: settings.preset, estimator: "script" };
  const written = JSON.stringify({ ...preset, format: source.format, ...policy, archive: "places" }, null, 2);
  const part = (/** @type {string} */ title, /** @type {string} */ text) => {
    const pre = element("pre", { tabIndex: 0 }, text);
    const copy = button("Copy", async () => {
      await navigator.clipboard.writeText(text);
      copy.textContent = "Copied";
    });
    return element("figure", {}, element("figcaption", {}, element("span", { className: "dim" }, title), copy), pre);
  };
  $("detail-title").textContent = "Use these settings";
  $("detail-body").replaceChildren(
    part("Policy, for every host", written),
    part(
      "JavaScript",
      `import { createCompactor } from "ctxfold";\n\nconst compactor = createCompactor({ policy, summarize });\nconst { messages } = await compactor.compact(history);`,
    ),
    part(
      "Go",
      `c := ctxfold.New(ctxfold.Options{})\nr, err := c.Compact(ctx, ctxfold.Input{Messages: history, Policy: policy}, summarizer)`,
    ),
    part("Address of this page, with the settings", location.href),
  );
  $("detail").showModal();
}

const SAMPLE = "Sample session";
async function sample() {
  const response = await fetch(new URL("../../../testdata/sample.anthropic.json", import.meta.url));
  await openFile(await response.blob(), SAMPLE);
}

$("file").addEventListener("change", async () => {
  const file = $("file").files[0];
  $("file").value = "";
  if (file) await openFile(file, file.name);
});
$("sample").addEventListener("click", async () => {
  settings.format = "auto";
  show("format");
  await sample();
  $("paste").focus();
});
$("paste").addEventListener("click", () => {
  fault("pasted", "");
  $("paste-sheet").showModal();
});
$("read-pasted").addEventListener("click", async () => {
  fault("pasted", "");
  const wrong = await open(new Blob([$("pasted").value]), "Pasted text");
  fault("pasted", wrong && `Can't read it: ${wrong}.`);
  if (wrong) $("pasted").focus();
  else $("paste-sheet").close();
});
document.addEventListener("paste", async (event) => {
  const target = /** @type {HTMLElement} */ (event.target);
  if (target.closest?.("input, textarea, dialog")) return;
  const file = event.clipboardData?.files[0];
  const text = event.clipboardData?.getData("text/plain");
  if (file) await openFile(file, file.name);
  else if (text) await openFile(new Blob([text]), "Pasted text");
});
for (const type of ["dragenter", "dragover"]) {
  document.addEventListener(type, (event) => {
    event.preventDefault();
    document.body.classList.add("over");
  });
}
document.addEventListener("dragleave", (event) => event.relatedTarget ?? document.body.classList.remove("over"));
document.addEventListener("drop", async (event) => {
  event.preventDefault();
  document.body.classList.remove("over");
  const file = event.dataTransfer?.files[0];
  const text = event.dataTransfer?.getData("text/plain");
  if (file) await openFile(file, file.name);
  else if (text) await openFile(new Blob([text]), "Dropped text");
});
$("save-result").addEventListener("click", () => save("messages", "compacted.json"));
$("save-report").addEventListener("click", () => save("report", "report.json"));
$("save-repaired").addEventListener("click", () => save("repaired", "repaired.json"));
$("code").addEventListener("click", code);
let dark = matchMedia("(prefers-color-scheme: dark)").matches;
const nameTheme = () => {
  $("theme").lastElementChild.textContent = dark ? "Switch to light" : "Switch to dark";
};
$("theme").addEventListener("click", () => {
  dark = !dark;
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  nameTheme();
});
nameTheme();

listen({
  moved: move,
  settled: later,
  again: () => (given ? openFile(given.file, given.name) : sample()),
});
try {
  const info = await ask("info");
  presets = info.presets;
  for (const { name } of info.formats) $("format").append(element("option", { value: name }, name));
  fromAddress();
  if (!presets.some(({ name }) => name === settings.preset)) settings.preset = "default";
  choices(presets, settings.preset, preset);
  describePreset();
  await sample();
} catch (error) {
  complain(`Can't load the module: ${/** @type {Error} */ (error).message}`);
}
