import { Chat } from "./chat.js";
import { examples } from "./examples.js";
import { problemOf } from "./problems.js";
import { fill, settings, take } from "./settings.js";
import { availability, download, prepareSummarizer, setup, summarizerAvailability } from "./setup.js";
import { arrange, aside, bubble, element, figures, nodes, write } from "./view.js";

/** Returns the element with an id. @param {string} id @returns {any} */
const $ = (id) => document.getElementById(id);

const chat = new Chat(await setup());
/** The answer or compaction in progress, if any. @type {AbortController | undefined} */
let busy;
/** The answer that is being written. @type {HTMLLIElement | undefined} */
let live;

// Actions. Only one runs at a time, and the Stop button aborts it.

/**
 * Runs an action unless one is running, and then shows the result or the error.
 * @param {(signal: AbortSignal) => Promise<string | void>} work resolves to a message for the user, if any
 */
async function working(work) {
  if (busy) return;
  busy = new AbortController();
  const { signal } = busy;
  const { length } = chat.record.folds;
  forgive();
  try {
    await render();
    const said = await work(signal);
    idle();
    const fold = chat.record.folds[length];
    if (fold)
      say(
        `${figures(fold.count)} messages are folded: ${figures(fold.tokens.before)} → ${figures(fold.tokens.after)} tokens.`,
      );
    else if (said) say(said);
  } catch (error) {
    idle();
    if (signal.aborted) say("Stopped.");
    else complain(error, () => working(unanswered() ? answer : work));
  }
  busy = undefined;
  await render().catch(broken);
  refocus();
}

/** Restores the focus if the focused element has disappeared. */
function refocus() {
  if (document.activeElement === document.body) $("text").focus();
}

const unanswered = () => chat.record.shown.at(-1)?.role === "user";

/** @param {string} text */
const speak = (text) =>
  working(async (signal) => {
    $("text").value = "";
    try {
      return await answering((turn) => chat.say(text, turn), signal);
    } catch (error) {
      if (!unanswered()) $("text").value ||= text; // The text was never sent.
      throw error;
    }
  });
/** @param {AbortSignal} signal */
const answer = (signal) => answering((turn) => chat.answer(turn), signal);

/**
 * Shows an answer while it is being written. Resolves to a message about it for screen readers.
 * @param {(turn: any) => Promise<unknown>} ask
 * @param {AbortSignal} signal
 */
async function answering(ask, signal) {
  await chat.configure(await setup(), signal);
  toEnd();
  say("Answering…");
  let text = "";
  let frame = 0;
  const node = bubble("assistant");
  node.ariaBusy = "true";
  const draw = () => {
    frame = 0;
    following(() => {
      write(node, { role: "assistant", content: text });
      if (live) return;
      live = node;
      arrange($("messages"), list());
    });
  };
  const onText = (/** @type {string} */ whole) => {
    if (!text) say("Answering…");
    text = whole;
    frame ||= requestAnimationFrame(draw);
  };
  try {
    const ended = await ask({ signal, onText });
    return ended === "length" ? "The answer is cut off: it reached the model's limit." : undefined;
  } finally {
    cancelAnimationFrame(frame);
    live = undefined;
  }
}

/** @param {AbortSignal} signal */
async function compact(signal) {
  await chat.configure(await setup(), signal);
  const { changed } = await chat.compact(signal);
  if (unanswered()) return answer(signal);
  if (!changed) return "There is nothing to fold yet: the newest turn always stays.";
}

async function undo() {
  await chat.undo();
  return "Compaction undone.";
}

/** @param {import("./history.js").Message} message */
function quote({ role, content }) {
  const who = role === "user" ? "I" : "you";
  $("text").value = `Earlier ${who} said:\n> ${content.replaceAll("\n", "\n> ")}\n\n${$("text").value}`;
  $("text").focus();
}

// Messages for the user.

/** @param {string} text */
const say = (text) => {
  $("status").textContent = text;
};

/** Shows which model answers, so that users know where their messages go. */
function idle() {
  const { kind, url, model } = settings();
  const host = URL.canParse(url) ? new URL(url).host : "";
  const remote = host
    ? `Messages go to ${host}${model && `, ${model}`}.`
    : "No endpoint yet: choose one in the settings.";
  const own = "This browser's model answers. Nothing leaves your computer.";
  say({ script: "A script answers. Nothing leaves this page.", builtin: own, endpoint: remote }[kind]);
}

/**
 * Shows an error with advice and a button that remedies it, by calling `again` or by opening the settings.
 * @param {unknown} error
 * @param {() => void} again
 */
function complain(error, again) {
  const { message, advice, remedy } = problemOf(error);
  const [label, onclick] = {
    retry: ["Try again", again],
    settings: ["Open settings", openSettings],
    compact: ["Compact now", () => working(compact)],
  }[remedy];
  const text = element("div", {}, element("h2", {}, message), element("p", {}, advice));
  const act = element("button", { type: "button", textContent: label, onclick });
  const dismiss = element("button", { type: "button", className: "quiet", textContent: "Dismiss", onclick: forgive });
  const row = element("div", { className: "row" }, act, dismiss);
  following(() => $("problem").replaceChildren(element("div", { className: "notice bad" }, text, row)));
}

/** @param {unknown} error */
const broken = (error) => complain(error, () => location.reload());

function forgive() {
  $("problem").replaceChildren();
  refocus();
}

// The page.

function list() {
  const items = nodes(chat.record, { undo: () => working(undo), quote });
  if (live && unanswered()) items.push(live);
  if (busy || $("problem").hasChildNodes()) return items;
  if (unanswered()) items.push(aside("This message has no answer.", "Answer it", () => working(answer)));
  if (chat.record.paused) {
    const text =
      "Compaction is undone: every message is sent again, and nothing is compacted until you choose “Compact now”.";
    items.push(aside(text, "Compact now", () => working(compact)));
  }
  return items;
}

/** Applies a change, and keeps the page scrolled to the end if it was. @param {() => void} change */
function following(change) {
  const { scrollHeight } = document.documentElement;
  const atEnd = innerHeight + scrollY > scrollHeight - 80;
  change();
  if (atEnd) toEnd();
}
const toEnd = () => scrollTo(0, document.documentElement.scrollHeight);

let renders = 0;
async function render() {
  const current = ++renders;
  const { shown, sent } = chat.record;
  following(() => {
    arrange($("messages"), list());
    $("start").hidden = shown.length > 0;
    $("send").hidden = Boolean(busy);
    $("stop").hidden = !busy;
  });
  $("compact").disabled = Boolean(busy) || sent.length === 0;
  $("show-digest").hidden = chat.record.folds.length === 0;
  const { tokens, limit, window } = await chat.check();
  if (current !== renders) return;
  $("tokens").textContent = `${figures(tokens)} / ${figures(window)}`;
  $("context").style.setProperty("--level", `${Math.min(1, tokens / window)}`);
  $("context").style.setProperty("--limit", `${limit / window}`);
  $("context").classList.toggle("over", tokens > limit);
  $("context").title = `At the mark, ${figures(limit)} tokens, older messages are folded`;
  $("context-text").textContent = `The next message sends ${figures(tokens)} of ${figures(window)} tokens. ${
    chat.record.paused
      ? "Automatic compaction is paused, because you undid one."
      : settings().automatic
        ? `Above ${figures(limit)}, older messages are folded into a digest.`
        : "Automatic compaction is off in the settings."
  }`;
}

// Events.

$("compose").addEventListener("submit", (/** @type {Event} */ event) => {
  event.preventDefault();
  const text = $("text").value.trim();
  if (!busy && text) speak(text);
});
$("text").addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  $("compose").requestSubmit();
});
$("stop").addEventListener("click", () => busy?.abort(new DOMException("stopped by the user", "AbortError")));
$("compact").addEventListener("click", () => {
  $("about-context").hidePopover();
  working(compact);
});
$("show-digest").addEventListener("click", () => {
  $("about-context").hidePopover();
  const details = $("messages").querySelector(".fold.last details");
  details.open = true;
  details.scrollIntoView({ block: "center" });
  details.querySelector("summary").focus({ preventScroll: true });
});
$("examples").append(
  ...examples.map(({ title, text, message, messages, ask }) => {
    const start = async () => {
      if (!messages) return speak(message);
      await working(async () => chat.replace(await messages()));
      if (!ask) return;
      $("text").value = ask;
      $("text").dispatchEvent(new Event("input"));
      $("text").focus();
    };
    const button = element(
      "button",
      { type: "button", onclick: start },
      element("b", {}, title),
      element("span", {}, text),
    );
    return element("li", {}, button);
  }),
);

function openSettings() {
  fill($("setup"));
  $("settings").showModal();
  describeOwn();
}
/** Shows the state of the browser's own model. */
async function describeOwn() {
  const now = await availability();
  $("availability").textContent = {
    available: "Nothing leaves your computer.",
    downloading: "Nothing leaves your computer. It is being downloaded.",
    downloadable: "Nothing leaves your computer. It has to be downloaded once, a few gigabytes.",
    unavailable: "Not in this browser: Chrome and Edge on a desktop computer have one.",
  }[now];
  $("download").hidden = now === "available" || now === "unavailable";
  $("writer").options.namedItem("summarizer").disabled = (await summarizerAvailability()) === "unavailable";
}
$("open-settings").addEventListener("click", openSettings);
$("setup").addEventListener("submit", (/** @type {Event} */ event) => event.preventDefault());
$("setup").addEventListener("change", (/** @type {any} */ { target }) => {
  if (take($("setup"), target) && target.value === "summarizer") prepareSummarizer().catch(refuse);
});
$("settings").addEventListener("close", async () => {
  forgive();
  idle();
  if (!busy) await chat.configure(await setup());
});
/** @param {unknown} error */
function refuse(error) {
  $("settings").addEventListener("close", () => complain(error, openSettings), { once: true });
  $("settings").close();
}
$("download").addEventListener("click", async () => {
  $("downloaded").hidden = false;
  try {
    await download((loaded) => {
      $("downloaded").value = loaded;
    });
  } catch (error) {
    refuse(error);
  }
  $("downloaded").hidden = true;
  await describeOwn();
});
$("delete").addEventListener("click", async () => {
  $("settings").close();
  busy?.abort(new DOMException("the conversation is deleted", "AbortError"));
  await chat.replace([]);
  say("The conversation is deleted.");
});
chat.addEventListener("change", () => render().catch(broken));
chat.addEventListener("compacting", () => say("Compacting: writing a digest of the older messages…"));

try {
  idle();
  await chat.refresh();
  await render();
  toEnd();
  if (chat.record.compacting) await working(compactAgain);
} catch (error) {
  broken(error);
}

/** Repeats a compaction that a reload has interrupted. @param {AbortSignal} signal */
async function compactAgain(signal) {
  await chat.resume(signal);
}
