// Does all slow work: reading, compacting, checking. The page only receives what it displays.
import { blocksOf, gap, opening } from "./blocks.js";
import { ask, bytesOf, Held } from "./engine.js";
import { KINDS, partsOf, roleOf, shares } from "./parts.js";
import { fromChat, read } from "./read.js";

/** All figures are computed with this estimator, whatever the preset sets, so that they can be compared. */
const ESTIMATOR = "script";
const LOCAL = { summary: { mode: "local" } };

/** @type {import("./read.js").Conversation} */
let conversation;
/** @type {Held | undefined} */
let held;
/** @type {import("./exports.js").Chat[]} */
let chats = [];
/** The tokens of each message by kind, and the names of the tools that calls and results belong to. */
let shared = /** @type {[string, number][][]} */ ([]);
let tools = /** @type {Map<string, string>} */ (new Map());
/** The token count of each message. */
let counted = /** @type {number[]} */ ([]);
/** Whether the conversation was valid when it was opened. */
let sound = { valid: true, violations: /** @type {any[]} */ ([]) };
/** The displayed blocks. */
let blocks = /** @type {ReturnType<typeof blocksOf>} */ ([]);
let actions = /** @type {Map<number, any[]>} */ (new Map());

/** Returns the policy for the settings and a preset. @param {any} settings @param {string} preset */
const policyOf = ({ policy }, preset) => ({ ...policy, preset, format: conversation.format, estimator: ESTIMATOR });

/** @param {import("./read.js").Conversation} given */
async function take(given) {
  const {
    beside = 0,
    tokens,
    messages,
  } = await ask("estimate", { policy: { format: given.format, estimator: ESTIMATOR } }, given.bytes);
  const { violations, valid } = await ask("validate", { policy: { format: given.format } }, given.bytes);
  await held?.close();
  conversation = given;
  held = new Held(given.bytes, given.format);
  shared = given.list.map(shares);
  counted = messages ?? [];
  sound = { valid, violations: violations.slice(0, 5) };
  tools = new Map();
  for (const message of given.list) {
    for (const { kind, id, name, text } of partsOf(message)) {
      if (kind === "calls" && id && name) tools.set(id, `${name} ${line(text)}`);
    }
  }
  const sums = Object.fromEntries(KINDS.map((kind) => [kind, 0]));
  for (const [i, parts] of shared.entries()) add(sums, parts, counted[i] ?? 0);
  sums.system = (sums.system ?? 0) + beside;
  const { format, kind, model, title, skipped, list } = given;
  return {
    format,
    kind,
    model,
    title,
    skipped,
    count: list.length,
    tokens,
    sums,
    valid,
    broken: violations.length,
    violations: violations.slice(0, 5),
  };
}

/**
 * Adds a message's tokens to the sums, divided among its kinds.
 * @param {Record<string, number>} sums
 * @param {[string, number][]} parts
 * @param {number} tokens
 */
function add(sums, parts, tokens) {
  for (const [kind, share] of parts) sums[kind] = (sums[kind] ?? 0) + share * tokens;
}

/** Returns the first line of a text, as a label. @param {string} text */
const line = (text) => {
  const first = text.trim().split("\n", 1)[0] ?? "";
  return first.length > 60 ? `${first.slice(0, 59)}…` : first;
};

/** Reads a file. @param {Blob} file @param {string} format */
async function opened(file, format) {
  const found = await read(file, format);
  if ("conversation" in found) return take(found.conversation);
  chats = found.chats;
  return { chats: chats.map(({ title, date, count, kind }) => ({ title, date, count, kind })) };
}

/** Returns the figures for what a preset would do. @param {any} settings @param {string} preset */
async function measured(settings, preset) {
  const started = performance.now();
  const policy = { ...policyOf(settings, preset), log: true, archive: "places" };
  const report = await /** @type {Held} */ (held).report(policy, { ...LOCAL, force: settings.force });
  return figures(report, performance.now() - started);
}

/**
 * Returns the figures that the page shows, from a report and the time that the compaction took.
 * @param {any} report
 * @param {number} ms
 */
function figures(report, ms) {
  const { tokens, messages, reason, fits, over, changed, folded, cleared, dropped, left = [], decisions = [] } = report;
  const sums = Object.fromEntries(KINDS.map((kind) => [kind, 0]));
  let known = 0;
  for (const { message, after } of decisions) {
    if (message < 0) continue;
    add(sums, shared[message] ?? [], after);
    known += after;
  }
  for (const { action, message, tokens: saved } of report.actions) {
    if (saved >= 0 || (message >= 0 && action !== "restore")) continue;
    const kind = action === "restore" ? "results" : "digest"; // a restored file counts as a result
    sums[kind] = (sums[kind] ?? 0) - saved;
    known -= saved;
  }
  // The rest is sent in addition to the messages: the system prompt and the tools of a request body.
  sums.system = Math.max(0, (sums.system ?? 0) + tokens.after - known);
  return {
    tokens,
    messages,
    reason,
    fits,
    over: over?.text,
    changed,
    folded,
    cleared,
    dropped,
    broken: left.length,
    sums,
    ms,
  };
}

/** Returns the result of a preset as a conversation. @param {any} settings @param {string} preset */
async function shown(settings, preset) {
  const policy = { ...policyOf(settings, preset), log: true, archive: "places" };
  const options = { ...LOCAL, force: settings.force, answer: "edits" };
  const { report, edits } = await ask("plan", { policy, options }, conversation.bytes);
  blocks = blocksOf(conversation.list, counted, edits, report);
  actions = Map.groupBy(report.actions, (/** @type {any} */ { message }) => message);
  return opening(blocks).map(described);
}

/**
 * Returns a block in the form that the page displays.
 * @param {ReturnType<typeof opening>[number]} block
 * @returns {any}
 */
function described(block) {
  if (block.type === "gap") return block;
  if (block.type === "run") {
    const { indexes, digest, ...rest } = block;
    return { ...rest, count: indexes.length, digest: digest && described(digest), why: whyOf(indexes[0] ?? -1) };
  }
  const { message, index, status } = block;
  const parts = partsOf(message).map(labelled);
  if (status === "changed") {
    const old = partsOf(conversation.list[index]);
    for (const [i, part] of parts.entries()) {
      const was =
        old.length === parts.length ? old[i] : old.find(({ id, kind }) => id && id === part.id && kind === part.kind);
      if (was && was.text !== part.text) Object.assign(part, { was: cut(was.text) });
    }
  }
  const before =
    status === "added" ? 0 : block.tokens + (actions.get(index) ?? []).reduce((sum, { tokens }) => sum + tokens, 0);
  return {
    type: "message",
    status,
    index,
    role: roleOf(message),
    tokens: block.tokens,
    before,
    parts,
    why: whyOf(index),
  };
}

/** @param {number} index */
const whyOf = (index) =>
  index < 0 ? [] : (actions.get(index) ?? []).map(({ action, pass, rule }) => ({ action, pass, rule }));

/** The maximum length of a text on the page; the whole text is in the message's details. */
const MOST = 6000;
/** @param {string} text */
const cut = (text) => (text.length > MOST ? `${text.slice(0, MOST)}…` : text);

/** @param {import("./parts.js").Part} part */
function labelled({ kind, text, name, id }) {
  const label =
    kind === "calls"
      ? `${name ?? "call"} ${line(text)}`
      : kind === "results"
        ? ((id && tools.get(id)) ?? name ?? "")
        : "";
  return { kind, id, label: label.trim(), text: cut(text) };
}

/**
 * Checks whether the result is valid, and whether the input can be restored from it byte for byte.
 * @param {any} settings
 * @param {string} preset
 */
async function verified(settings, preset) {
  const policy = { ...policyOf(settings, preset), archive: "bodies" };
  const {
    messages,
    archive = [],
    state,
    report,
  } = await ask("plan", { policy, options: { ...LOCAL, force: settings.force } }, conversation.bytes);
  if (!report.changed) return { ...sound, whole: true, bodies: 0 };
  const result = bytesOf(messages);
  const format = { format: conversation.format };
  const { valid, violations } = await ask("validate", { policy: format }, result);
  const bodies = archive.map((/** @type {any} */ { handle, body }) => ({ handle, body }));
  const restored = await ask("restore", { policy: format, state, bodies, options: { answer: "messages" } }, result);
  const whole = JSON.stringify(restored.messages) === JSON.stringify(listOf(conversation.bytes));
  return { valid, whole, bodies: bodies.length, violations: violations.slice(0, 5) };
}

/** @param {Uint8Array} bytes */
const listOf = (bytes) => JSON.parse(new TextDecoder().decode(bytes));

/** The operations that the page can request. @type {Record<string, (...args: any[]) => unknown>} */
const operations = {
  info: () => ask("info", {}),
  open: opened,
  /** @param {number} index */
  choose: (index) => take(fromChat(/** @type {any} */ (chats[index]))),
  measure: measured,
  show: shown,
  verify: verified,
  /** Returns the next blocks of a gap, as many as are shown at once. @param {number} from @param {number} to */
  gap: (from, to) => {
    const end = Math.min(to, from + 30);
    return { blocks: blocks.slice(from, end).map(described), rest: end < to ? gap(blocks, end, to) : undefined };
  },
  /** Returns messages that a run represents. @param {number} from @param {number} at the first of these messages to show */
  run: (from, at) => {
    const run = blocks.find((block) => block.type === "run" && block.from === from);
    const indexes = run?.type === "run" ? run.indexes : [];
    const rows = indexes.slice(at, at + 30).map((index) => {
      const message = conversation.list[index];
      const tokens = (actions.get(index) ?? []).reduce((sum, { tokens }) => sum + tokens, 0);
      return {
        type: "message",
        status: "removed",
        index,
        role: roleOf(message),
        tokens,
        before: tokens,
        parts: partsOf(message).map(labelled),
        why: whyOf(index),
      };
    });
    return { rows, left: Math.max(0, indexes.length - at - rows.length) };
  },
  /**
   * Returns a message as JSON, before and after.
   * @param {number} index
   * @param {number} from the start of its run, for a message without an index
   */
  detail: (index, from) => {
    const block = blocks.find((each) =>
      each.type === "run" ? index < 0 && each.from === from : index >= 0 && each.index === index,
    );
    const row = block?.type === "run" ? block.digest : block;
    const text = (/** @type {any} */ message) => (message ? JSON.stringify(message, null, 2) : "");
    return { before: text(conversation.list[index]), after: row?.type === "message" ? text(row.message) : "" };
  },
  /** Returns the content of a file to save. @param {string} what @param {any} settings @param {string} preset */
  saved: async (what, settings, preset) => {
    const policy = { ...policyOf(settings, preset), archive: "places" };
    const given =
      what === "repaired"
        ? (await ask("repair", { policy: { format: policy.format } }, conversation.bytes)).messages
        : (await ask("plan", { policy, options: { ...LOCAL, force: settings.force } }, conversation.bytes))[what];
    return new Blob([JSON.stringify(given, null, 2)], { type: "application/json" });
  },
};

self.onmessage = async ({ data: { id, name, args } }) => {
  try {
    postMessage({ id, value: await operations[name]?.(...args) });
  } catch (error) {
    postMessage({ id, error: error.message, code: error.code, path: error.path });
  }
};
