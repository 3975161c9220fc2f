// Everything that takes time: reading the file, compacting, validating. The page gets only what it shows.
import { createCompactor, load } from "ctxfold";
import { byKind, preview, roleOf } from "./parts.js";

/** @type {{list: any[], body: any, format: string, window: number | undefined}} */
let conversation = { list: [], body: [], format: "", window: undefined };
/** The last result of each preset. @type {Map<string, any>} */
const results = new Map();
const LISTS = ["messages", "input", "contents"];

const loaded = load();
/** @param {import("ctxfold").Policy} policy */
const compactor = async (policy) => createCompactor({ module: await loaded, policy });

/** Reads a session file, or JSON that holds messages. @param {Blob} file @param {string} format */
async function read(file, format) {
  const text = await file.text();
  const any = await compactor({});
  try {
    const { messages, ...session } = any.open(text);
    conversation = { list: messages, body: messages, format: session.format, window: undefined };
    return { kind: session.kind, model: session.model, skipped: session.skipped };
  } catch (error) {
    if (error.code !== "unknown_session") throw error;
  }
  const body = JSON.parse(text);
  const key = LISTS.find((name) => Array.isArray(body?.[name]));
  const list = Array.isArray(body) ? body : key && body[key];
  if (!list) throw new Error("this JSON holds no list of messages");
  const detected = format === "auto" ? any.detect(text).format : format;
  if (!detected) throw new Error("several formats have messages like these: choose one");
  conversation = { list, body, format: detected, window: undefined };
  return { kind: "messages", model: body.model ?? "", skipped: [] };
}

/** The estimated tokens of the conversation's messages. @type {number[]} */
let tokensBefore = [];
/** What was decided of each message by the preset that is shown, and the result. */
let decided = {
  rows: /** @type {any[]} */ ([]),
  after: /** @type {any[]} */ ([]),
  tokens: /** @type {number[]} */ ([]),
};
/** Columns of the timeline: in long conversations several messages share one. */
const COLUMNS = 240;

/** @param {any} policy @param {number} most how many violations to return */
async function inspect(policy, most) {
  const { list, body, format } = conversation;
  const now = await compactor({ ...policy, format });
  const { messages: tokens = [], beside = 0 } = now.estimate(body);
  tokensBefore = tokens;
  const per = Math.max(1, Math.ceil(list.length / COLUMNS));
  const columns = [];
  for (let at = 0; at < list.length; at += per) {
    const part = tokens.slice(at, at + per);
    const sums = byKind(list.slice(at, at + per), part);
    columns.push({ at, end: at + part.length - 1, tokens: part.reduce((sum, each) => sum + each, 0), sums });
  }
  const sums = byKind(list, tokens);
  sums.system += beside;
  const { violations, valid } = now.validate(body);
  const shown = violations.slice(0, most);
  return {
    format,
    check: now.check(body),
    beside,
    count: list.length,
    sums,
    columns,
    violations: shown,
    broken: violations.length,
    valid,
  };
}

/** What one preset would do, counted as the whole page is: each preset decides by an estimator of its own. @param {any} policy @param {string} preset @param {boolean} force */
async function tryPreset(policy, preset, force) {
  const { body, format } = conversation;
  const now = await compactor({ ...policy, format, preset });
  const done = await now.compact(body, { options: { force } });
  results.set(preset, done);
  const valid = done.messages.length === 0 || now.validate(done.messages).valid;
  const { actions, ...report } = done.report;
  const unit = await compactor({ ...policy, format });
  const tokens = { ...report.tokens, before: unit.estimate(body).tokens, after: 0 };
  if (done.messages.length !== 0) tokens.after = unit.estimate(done.messages).tokens;
  return { report: { ...report, tokens }, valid };
}

/** Every message's decision under a preset, and what stands in the result. @param {any} policy @param {string} preset */
async function decisions(policy, preset) {
  const { list, format } = conversation;
  const done = results.get(preset);
  const after = Array.isArray(done.messages)
    ? done.messages
    : done.messages[LISTS.find((name) => done.messages[name]) ?? ""];
  const place = new Map(list.map((message, i) => [message, i]));
  const actions = Map.groupBy(done.report.actions, (/** @type {any} */ action) => action.message);
  const estimate = after.length > 0 ? (await compactor({ ...policy, format })).estimate(after) : { messages: [] };
  const tokens = estimate.messages ?? [];
  const rows = [];
  let next = 0;
  const touched = (/** @type {number} */ i) => actions.get(i) ?? [];
  /** Messages of the input that are not in the result, up to an index. @param {number} end */
  const removedBefore = (end) => {
    for (; next < end; next++) rows.push({ status: "removed", before: next, after: -1, actions: touched(next) });
  };
  const inserted = [...(actions.get(-1) ?? [])];
  for (const [i, message] of after.entries()) {
    const same = place.get(message);
    if (same !== undefined) {
      removedBefore(same);
      rows.push({ status: "kept", before: same, after: i, actions: [] });
      next = same + 1;
      continue;
    }
    const changed = changedFrom(next, message, after[i + 1], place, touched);
    if (changed >= 0) {
      removedBefore(changed);
      rows.push({ status: "changed", before: changed, after: i, actions: touched(changed) });
      next = changed + 1;
    } else {
      rows.push({ status: "added", before: -1, after: i, actions: inserted.splice(0, 1) });
    }
  }
  removedBefore(list.length);
  decided = { rows, after, tokens };
  return byKind(after, tokens);
}

/** Some of the decisions, with what the page shows of their messages. @param {string} filter @param {number} from @param {number} size */
function page(filter, from, size) {
  const rows = decided.rows.filter(({ status }) => filter === "all" || (filter === "kept") === (status === "kept"));
  const shown = rows.slice(from, from + size).map((row) => {
    const [old, fresh] = [conversation.list[row.before], decided.after[row.after]];
    return {
      ...row,
      role: roleOf(old ?? fresh),
      old: old && { tokens: tokensBefore[row.before] ?? 0, text: preview(old) },
      fresh: fresh && { tokens: decided.tokens[row.after] ?? 0, text: preview(fresh) },
    };
  });
  return { rows: shown, total: rows.length };
}

/** Actions that leave their message where it was. */
const IN_PLACE = new Set([
  "squeeze",
  "clear",
  "strip",
  "rename",
  "truncate",
  "archive",
  "dedupe",
  "drop",
  "sign",
  "wrap",
  "replace",
]);

/** The message of the input that a new object stands for, or -1. */
function changedFrom(from, message, following, place, touched) {
  const end = place.get(following) ?? conversation.list.length;
  for (let i = from; i < end; i++) {
    const candidate = conversation.list[i];
    if (roleOf(candidate) !== roleOf(message)) continue;
    const mine = idsOf(candidate);
    if (mine ? mine === idsOf(message) : touched(i).some((/** @type {any} */ { action }) => IN_PLACE.has(action)))
      return i;
  }
  return -1;
}

/** The ids of calls and results in a message. @param {any} message */
const idsOf = (message) =>
  [...JSON.stringify(message).matchAll(/"(?:tool_call_id|tool_use_id|call_id|toolCallId)":"([^"]+)"/g)]
    .map(([, id]) => id)
    .join();

/** @type {Record<string, (...args: any[]) => unknown>} */
const operations = {
  info: async () => (await compactor({})).info(),
  read,
  inspect,
  tryPreset,
  decisions,
  page,
  detail: (preset, before, after) => {
    const done = results.get(preset);
    const list = Array.isArray(done.messages)
      ? done.messages
      : done.messages[LISTS.find((name) => done.messages[name]) ?? ""];
    const text = (/** @type {any} */ message) => (message ? JSON.stringify(message, null, 2) : "");
    return { before: text(conversation.list[before]), after: text(list[after]) };
  },
  exported: (what, preset) =>
    new Blob([JSON.stringify(results.get(preset)[what], null, 2)], { type: "application/json" }),
  repaired: async (policy) => {
    const now = await compactor({ ...policy, format: conversation.format });
    return new Blob([JSON.stringify(now.repair(conversation.body).messages, null, 2)], { type: "application/json" });
  },
};

self.onmessage = async ({ data: { id, name, args } }) => {
  try {
    postMessage({ id, value: await operations[name]?.(...args) });
  } catch (error) {
    postMessage({ id, error: error.message, code: error.code });
  }
};
