// Measures conversations of typical sizes: chats and agent sessions of 20 to 500 KB, half of which is folded without a model. The unit is
// the time of JSON.parse for a megabyte of chat in the same process.
import { chat, conversation } from "./corpus.js";
import { compaction, policies } from "./engine.js";
import { medians, request, start } from "./module.js";

const SIZES = [2e4, 1e5, 5e5];
const KINDS = ["chat", "agent"];

const messagesOf = (kind, size) => (kind === "chat" ? chat(size) : conversation(size, false));

/** Returns the policy that folds a conversation of this kind and size, and its messages as JSON. */
function folding(kind, size, estimator) {
  const text = JSON.stringify(messagesOf(kind, size));
  return { text, policy: policies(new TextEncoder().encode(text).length, estimator).fold };
}

/** Returns the median time of JSON.parse for a megabyte of chat, in milliseconds. */
async function unit(runs) {
  const text = JSON.stringify(chat(1e6));
  return (await medians(runs, { parse: () => JSON.parse(text) })).parse;
}

/** Folds repeatedly in one warm instance. Returns the milliseconds per fold, and the instance's memory in bytes afterwards. */
export async function warm(module, { runs, estimator }) {
  const rows = [];
  for (const kind of KINDS) {
    for (const size of SIZES) {
      const { text, policy } = folding(kind, size, estimator);
      const m = start(module);
      const { fold } = await medians(runs, { fold: compaction(m, policy, text) });
      rows.push({ kind, size, fold, memory: m.memory() });
    }
  }
  return { unit: await unit(runs), rows };
}

/** The number of processes that fold a conversation once. */
const PROCESSES = 9;

/**
 * Adds the medians of first folds to the rows of `warm`: `once` folds a conversation in a new process, with `cold`.
 * Each time is divided by the unit of its own process, because the processes run at different times.
 */
export async function withFirst({ unit, rows }, once) {
  const middle = (list) => list.sort((a, b) => a - b)[list.length >> 1];
  for (const row of rows) {
    const each = [];
    while (each.length < PROCESSES) each.push(await once(row.kind, row.size));
    Object.assign(row, { first: middle(each.map((x) => x.first)), ofFirst: middle(each.map((x) => x.first / x.unit)) });
  }
  return { unit, rows };
}

/** Returns the elapsed time, in milliseconds, of the first fold in a process that has only compiled the module. */
export async function cold(module, kind, size, estimator) {
  const { text, policy } = folding(kind, size, estimator);
  const whole = request(policy, text);
  const from = performance.now();
  const m = start(module);
  const ready = performance.now();
  m.call("plan", whole, (answer) => answer.slice());
  const done = performance.now();
  return { kind, size, instantiate: ready - from, first: done - ready, unit: await unit(9) };
}
