// What is measured in every JavaScript engine: ctxfold beside JSON.parse of the same text, in milliseconds.
import { conversation } from "./corpus.js";
import { median, request, start } from "./module.js";

/** Policies that are due on a conversation of some bytes: `clear` takes out old tool results, `fold` folds half without a model. */
export function policies(bytes, estimator) {
  const tokens = Math.ceil(bytes / 4);
  const due = { format: "openai-chat", estimator, window: { tokens, reserve: 0 }, gate: { ratio: 0.3, target: 1 } };
  return {
    clear: { ...due, passes: [{ pass: "clear", keep_recent: 2, min_reclaim: 0 }] },
    fold: { ...due, passes: [{ pass: "fold", keep_tokens: Math.ceil(tokens / 2), boundary: "turn" }], summary: { mode: "local" } },
  };
}

export function measure(module, { sizes, runs, estimator }) {
  const rows = [];
  for (const size of sizes) {
    for (const mixed of [false, true]) {
      const messages = conversation(size, mixed);
      const text = JSON.stringify(messages);
      const bytes = new TextEncoder().encode(text).length;
      const row = { size, text: mixed ? "mixed" : "ascii", bytes, messages: messages.length };
      row.parse = median(runs, () => JSON.parse(text));
      const m = start(module);
      const { clear, fold } = policies(bytes, estimator);
      const report = request({ ...clear, answer: "report" }, text);
      row.plan = median(runs, () => m.call("plan", report));
      const run = (policy) => {
        const whole = request(policy, text);
        const head = m.call("plan", whole, (answer) => new TextDecoder().decode(answer.slice(0, 400)));
        if (!head.includes('"changed":true')) throw new Error(`nothing was compacted: ${head}`);
        return median(runs, () => m.call("plan", whole, (answer) => answer.slice()));
      };
      row.compact = run(clear);
      row.fold = run(fold);
      const count = request({ format: "openai-chat", estimator }, text);
      row.estimate = median(runs, () => m.call("check", count));
      row.memory = m.memory() / bytes;

      const live = start(module);
      const turn = conversation(1, mixed).slice(1);
      const { session } = live.json("session_open", {
        policy: { format: "openai-chat", estimator, window: { tokens: 1e9 } },
        messages,
      });
      // A host has the new messages as objects, so writing them as JSON counts.
      row.turn = median(Math.max(runs, 41), () => {
        live.json("session_append", { session, messages: turn });
        live.json("check", { session });
      });
      rows.push(row);
    }
  }
  const starts = { instantiate: 0, first: 0 };
  starts.instantiate = median(runs, () => new WebAssembly.Instance(module));
  const small = request({ format: "openai-chat", window: { tokens: 1000 } }, '[{"role":"user","content":"Hello."}]');
  const firsts = [];
  for (let i = 0; i < Math.max(runs, 9); i++) {
    const from = performance.now();
    start(module).call("plan", small, (answer) => answer.slice());
    firsts.push(performance.now() - from);
  }
  starts.first = Math.max(...firsts.slice(0, 1)); // the very first: nothing is warm
  starts.later = firsts.slice(1).sort((a, b) => a - b)[firsts.length >> 1];
  return { rows, starts };
}
