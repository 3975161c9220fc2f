import { createCompactor } from "ctxfold/worker";
import { empty, keep, Outdated, restored, watch } from "./history.js";
import { answer, summary } from "./model.js";

/** @param {string} id @returns {any} */
const $ = (id) => document.getElementById(id);

let conversation = empty();
/** What is under way: an answer, a compaction, or nothing. @type {AbortController | undefined} */
let busy;

/** @param {string} text */
const say = (text) => {
  $("status").textContent = text;
};

const fields = () => $("settings").querySelector("form").elements;
const settings = () => {
  const { kind, url, model, key } = fields();
  return { kind: kind.value, url: url.value, model: model.value, key: key.value };
};
const sent = () => conversation.context.map(({ message }) => message);

function policy() {
  const tokens = Number(fields().window.value) || 4000;
  return { format: "openai-chat", window: { tokens, reserve: Math.round(tokens / 8) } };
}

/** It has the module, in a worker; the policy is the session's. */
const compactor = createCompactor();
/** Puts the conversation as it stands here into the module. */
const opened = () => compactor.session(sent(), { policy: policy(), state: conversation.state });
/** The context in the module: a turn sends it what the turn brings. */
let session = opened();

/** What is in the module may be another conversation by now. */
async function reopen() {
  await session.close();
  session = opened();
}

/** Goes on with what is on disk: another tab has changed it. */
async function adopt() {
  conversation = await restored();
  await reopen();
  await render();
  say("Another tab has gone on with this conversation.");
}

/** Puts a message behind the last one, also where that is another tab's by now. @param {string} role @param {string} content */
async function add(role, content) {
  for (;;) {
    const message = { role, content };
    conversation.context.push({ index: conversation.all.push(message) - 1, message });
    await session.append(message);
    try {
      await keep(conversation);
      return await render();
    } catch (error) {
      if (!(error instanceof Outdated)) throw error;
      await adopt();
    }
  }
}

/** Runs one thing at a time; Stop aborts it. @param {(signal: AbortSignal) => Promise<void>} work */
async function working(work) {
  busy = new AbortController();
  lock();
  try {
    await work(busy.signal);
  } catch (error) {
    if (busy.signal.aborted) say("Stopped.");
    else if (error instanceof Outdated) await adopt();
    else say(`That did not work: ${/** @type {Error} */ (error).message}`);
    await reopen();
  }
  busy = undefined;
  lock();
  $("text").focus();
}

function lock() {
  $("send").hidden = Boolean(busy);
  $("stop").hidden = !busy;
  $("compact").disabled = Boolean(busy) || conversation.context.length === 0;
}

/** The user has spoken: compact if that is due, then answer. @param {string} text */
async function turn(text) {
  await add("user", text);
  await working(async (signal) => {
    const { due } = await session.check();
    if (due && fields().automatic.checked) await compact(signal);
    say("The model writes…");
    const { text: reply } = await answer(settings(), sent(), { signal });
    await add("assistant", reply || "(nothing)");
    say("");
  });
}

/** Makes a plan and keeps it before anybody is asked, so that a reload can go on with it. @param {AbortSignal} signal */
async function compact(signal, force = false) {
  await settle(await session.plan({ policy: policy(), options: { force } }), signal);
}

/**
 * Takes a compaction to its end: summaries, step, until nothing is asked any more.
 * @param {any} result @param {AbortSignal} signal
 */
async function settle(result, signal) {
  while (result.requests.length > 0) {
    const { length } = conversation.context;
    conversation.pending = { plan: result.plan, requests: result.requests, length };
    await keep(conversation);
    say("Compacting…");
    const summaries = await Promise.all(
      result.requests.map(async (/** @type {any} */ request) => {
        try {
          return { id: request.id, ...(await summary(settings(), request, signal)) };
        } catch (error) {
          signal.throwIfAborted();
          return { id: request.id, error: String(error) };
        }
      }),
    );
    result = await session.step(result.plan, summaries);
  }
  const places = new Map(conversation.context.map(({ index, message }) => [message, index]));
  conversation.context = result.messages.map((/** @type {any} */ message) => ({
    index: places.get(message) ?? -1,
    message,
  }));
  conversation.state = result.state;
  conversation.pending = undefined;
  await keep(conversation);
  await render();
  const { reason, tokens } = result.report;
  say(reason === "compacted" ? `Compacted: ${tokens.before} → ${tokens.after} tokens.` : `Not compacted: ${reason}.`);
}

/** Goes on with a compaction that a reload has interrupted. */
async function resume() {
  const { pending } = conversation;
  if (!pending) return;
  await working((signal) => settle(pending, signal));
}

/** @param {string} tag @param {string} className @param {(Node | string)[]} children */
function element(tag, className, ...children) {
  const node = document.createElement(tag);
  node.className = className;
  node.append(...children);
  return node;
}

/** @param {{role: string, content: string}} message @param {boolean} folded */
function bubble({ role, content }, folded) {
  const who = { user: "You", assistant: "Model" }[role] ?? role;
  const item = element("li", `message ${role}`, element("b", "who", who), element("p", "", content));
  if (folded) {
    const button = /** @type {HTMLButtonElement} */ (element("button", "recall", "Recall"));
    button.type = "button";
    button.setAttribute("aria-label", `Recall: quote this message of ${who} in your next one`);
    button.addEventListener("click", () => {
      $("text").value =
        `Earlier ${who === "You" ? "I" : "you"} said:\n> ${content.replaceAll("\n", "\n> ")}\n\n${$("text").value}`;
      $("text").focus();
    });
    item.append(button);
  }
  return item;
}

async function render() {
  const kept = new Set(conversation.context.map(({ index }) => index));
  const folded = conversation.all.filter((_, i) => !kept.has(i));
  const items = [];
  if (folded.length > 0) {
    const list = element("ol", "folded-list", ...folded.map((message) => bubble(message, true)));
    const summary = element("summary", "", `${folded.length} folded messages`);
    const wasOpen = $("messages").querySelector("details")?.open ?? false;
    const details = /** @type {HTMLDetailsElement} */ (element("details", "folded", summary, list));
    details.open = wasOpen;
    items.push(element("li", "", details));
  }
  for (const { index, message } of conversation.context) {
    if (index >= 0) {
      items.push(bubble(message, false));
      continue;
    }
    const text = element("p", "", message.content);
    text.tabIndex = 0; // it scrolls, and there is nothing in it that a keyboard could reach
    items.push(element("li", "message digest", element("b", "who", "Digest"), text));
  }
  $("messages").replaceChildren(...items);
  items.at(-1)?.scrollIntoView({ block: "end" });
  await measure();
}

async function measure() {
  if (conversation.context.length === 0) {
    $("tokens").textContent = "empty";
    $("meter").value = 0;
    return;
  }
  const { tokens, limit, window } = await session.check();
  Object.assign($("meter"), { max: window, high: limit, low: limit, optimum: 0, value: tokens });
  $("tokens").textContent = `${tokens} of ${window} tokens, compacted above ${limit}`;
}

$("compose").addEventListener("submit", (/** @type {Event} */ event) => {
  event.preventDefault();
  const text = $("text").value.trim();
  if (busy || !text) return;
  $("text").value = "";
  turn(text);
});
$("text").addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  $("compose").requestSubmit();
});
$("stop").addEventListener("click", async () => {
  busy?.abort(new DOMException("stopped by the user", "AbortError"));
  conversation.pending = undefined;
  await keep(conversation);
});
$("compact").addEventListener("click", () => working((signal) => compact(signal, true)));
$("clear").addEventListener("click", async () => {
  busy?.abort(new DOMException("the conversation is forgotten", "AbortError"));
  conversation = { ...empty(), revision: (await restored()).revision };
  await reopen();
  await keep(conversation);
  await render();
  lock();
  say("Forgotten.");
});
watch(() => busy || adopt());
fields().window.addEventListener("change", async () => {
  await reopen();
  await measure();
});

try {
  conversation = await restored();
  await reopen();
  await render();
  lock();
  await resume();
} catch (error) {
  say(`The conversation cannot be restored: ${/** @type {Error} */ (error).message}`);
}
