// Measures ctxfold against JSON.parse of the same text, in every JavaScript engine, in milliseconds.
import { conversation } from "./corpus.js";
import { medians, request, start } from "./module.js";

/**
 * Returns policies that are due for a conversation of the given size in bytes. `clear` only removes old tool results; `fold` only folds
 * half of it without a model.
 */
export function policies(bytes, estimator) {
  const tokens = Math.ceil(bytes / 4);
  const due = { format: "openai-chat", estimator, window: { tokens, reserve: 0 }, gate: { ratio: 0.3, target: 1 }, last_resort: false };
  return {
    clear: { ...due, passes: [{ pass: "clear", keep_recent: 2, min_reclaim: 0 }] },
    fold: { ...due, passes: [{ pass: "fold", keep_tokens: Math.ceil(tokens / 2), boundary: "turn" }], summary: { mode: "local" } },
  };
}

/** Returns a task that plans a compaction whose answer is a transcript. */
export function compaction(m, policy, text) {
  const whole = request(policy, text);
  const head = m.call("plan", whole, (answer) => new TextDecoder().decode(answer.slice(0, 400)));
  if (!head.includes('"changed":true')) throw new Error(`nothing was compacted: ${head}`);
  return () => m.call("plan", whole, (answer) => answer.slice());
}

/** Modules that have been called often enough for the engine to have fully optimized them. */
const warm = new WeakSet();

/**
 * Opens a session with messages, and returns the task of one turn. A host has new messages as objects, so the time
 * includes converting them to JSON.
 */
export function live(module, messages, mixed, estimator) {
  if (!warm.has(module)) {
    warm.add(module);
    const session = live(module, conversation(1e5, mixed), mixed, estimator);
    for (let i = 0; i < 500; i++) session.turn();
    for (let i = 0; i < 500; i++) session.plan();
  }
  const m = start(module);
  const turn = conversation(1, mixed).slice(1);
  const policy = { format: "openai-chat", estimator, window: { tokens: 1e9 } };
  const { session } = m.json("session_open", { policy, options: { answer: "edits" }, messages });
  return {
    memory: m.memory(),
    turn: () => {
      m.json("session_append", { session, messages: turn });
      m.json("check", { session });
    },
    plan: () => m.json("plan", { session }),
  };
}

export async function measure(module, { sizes, runs, estimator }) {
  const rows = [];
  for (const size of sizes) {
    for (const mixed of [false, true]) {
      const messages = conversation(size, mixed);
      const text = JSON.stringify(messages);
      const bytes = new TextEncoder().encode(text).length;
      const m = start(module);
      const { clear, fold } = policies(bytes, estimator);
      const report = request(clear, text, { answer: "report" });
      const count = request({ format: "openai-chat", estimator }, text);
      const session = live(module, messages, mixed, estimator);
      const times = await medians(runs, {
        parse: () => JSON.parse(text),
        plan: () => m.call("plan", report),
        compact: compaction(m, clear, text),
        estimate: () => m.call("check", count),
      });
      // Each task has a session of its own, because turns make a session longer, and garbage left by a plan would be
      // added to their time. One turn in a few dozen triggers a collection, so the median needs more runs to settle.
      const other = live(module, messages, mixed, estimator);
      Object.assign(times, await medians(7 * runs, { turn: session.turn }), await medians(runs, { sessionPlan: other.plan }));
      const row = { size, text: mixed ? "mixed" : "ascii", bytes, messages: messages.length, ...times };
      row.memory = m.memory() / bytes;
      row.sessionMemory = session.memory / bytes;
      if (size <= 1e7) {
        const again = start(module); // excludes the memory of a fold from the measurement above
        row.fold = (await medians(runs, { fold: compaction(again, fold, text) })).fold;
      }
      rows.push(row);
    }
  }
  const times = [];
  for (let i = 0; i < 51; i++) {
    const from = performance.now();
    new WebAssembly.Instance(module);
    times.push(performance.now() - from);
  }
  times.sort((a, b) => a - b);
  // This is elapsed time, because nothing else measures so short a time. On a busy machine the minimum is the most accurate.
  return { rows, starts: { instantiate: times[25], least: times[0] } };
}

/**
 * Returns the time, in milliseconds, from the compiled module to its first answer, in a process that has not run any
 * of its code before.
 */
export function first(module) {
  const small = request({ format: "openai-chat", window: { tokens: 1000 } }, '[{"role":"user","content":"Hello."}]');
  const from = performance.now();
  start(module).call("plan", small, (answer) => answer.slice());
  return performance.now() - from;
}
