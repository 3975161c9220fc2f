// node shapes.js FOLDER: writes shapes.json from real sessions. It only contains numbers: how many model calls the turns have, and
// quantiles of the sizes of messages.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { quantileSorted } from "simple-statistics";

/** The quantiles that are stored for each size. */
export const AT = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1];

const length = (value) => (typeof value === "string" ? value.length : value === undefined ? 0 : JSON.stringify(value).length);
const lines = (text) => text.split("\n").filter(Boolean).map((line) => JSON.parse(line));

/** The content of one message: the model's text and calls, the user's text, or tool results. */
const user = (n) => ({ user: n });
const model = (text, call) => ({ text, call });
const result = (n) => ({ result: n });

const blocks = {
  text: (b, role) => (role === "user" ? user(length(b.text)) : model(length(b.text), 0)),
  tool_use: (b) => model(0, length(b.input)),
  toolCall: (b) => model(0, length(b.arguments)),
  tool_result: (b) => result(length(b.content)),
};
const contentOf = ({ role, content }) => (typeof content === "string" ? [blocks.text({ text: content }, role)] : (content ?? []).flatMap((b) => blocks[b.type]?.(b, role) ?? []));

const chat = (messages) =>
  messages.flatMap(({ role, content, tool_calls }) => {
    if (role === "user") return [user(length(content))];
    if (role === "tool") return [result(length(content))];
    return role === "assistant" ? [model(length(content ?? ""), (tool_calls ?? []).reduce((n, c) => n + length(c.function?.arguments), 0))] : [];
  });

const codex = {
  message: (p) => (p.role === "user" ? [user(length(p.content))] : p.role === "assistant" ? [model(length(p.content), 0)] : []),
  function_call: (p) => [model(0, length(p.arguments))],
  custom_tool_call: (p) => [model(0, length(p.input))],
  function_call_output: (p) => [result(length(p.output))],
  custom_tool_call_output: (p) => [result(length(p.output))],
};

/**
 * For each folder, whether its sessions are those of agents, and a function that returns the events in the sessions
 * of a file.
 */
const READERS = {
  claude_code: ["agent", (text) => [lines(text).flatMap((l) => (l.message && !l.isSidechain && !l.isMeta && !l.isCompactSummary ? contentOf(l.message) : []))]],
  codex: ["agent", (text) => [lines(text).flatMap(({ type, payload }) => (type === "response_item" ? (codex[payload.type]?.(payload) ?? []) : []))]],
  pi: ["agent", (text) => [lines(text).flatMap(({ message }) => (!message ? [] : message.role === "toolResult" ? [result(length(message.content))] : contentOf(message)))]],
  openai_chat: ["", (text) => ((all) => (Array.isArray(all) ? all.map(({ traj }) => chat(traj)) : [chat(all.messages)]))(JSON.parse(text))],
  sharegpt_zh: [
    "chat",
    (text) =>
      JSON.parse(text).map(({ conversations }) =>
        conversations.flatMap(({ from, value }) => ({ human: [user(length(value))], gpt: [model(length(value), 0)], function_call: [model(0, length(value))], observation: [result(length(value))] })[from] ?? []),
      ),
  ],
};

/** Returns the shape of a session: the number of model calls in each turn, and quantiles of sizes in characters. */
function shapeOf(events) {
  const turns = [];
  const sizes = { user: [], text: [], call: [], result: [] };
  let step;
  let last;
  for (const event of events) {
    const kind = "user" in event ? "user" : "result" in event ? "result" : "model";
    if (kind === "user") {
      turns.push(0);
      sizes.user.push(event.user);
    } else if (turns.length === 0) continue;
    else if (kind === "model") {
      if (last !== "model") {
        turns[turns.length - 1]++;
        step = { text: 0, call: 0, result: 0 };
        for (const name of ["text", "call", "result"]) sizes[name].push(0);
      }
      for (const name of ["text", "call"]) sizes[name][sizes[name].length - 1] += event[name];
    } else if (step) sizes.result[sizes.result.length - 1] += event.result;
    last = kind;
  }
  const kept = turns.filter((calls) => calls > 0);
  if (kept.length === 0) return undefined;
  const quantiles = (list) => AT.map((at) => Math.round(quantileSorted(list.toSorted((a, b) => a - b), at)));
  return { calls: kept, ...Object.fromEntries(Object.entries(sizes).map(([name, list]) => [name, quantiles(list)])) };
}

if (process.argv[2]) {
  const shapes = { agent: [], chat: [] };
  for (const [folder, [kind, read]] of Object.entries(READERS)) {
    for (const file of readdirSync(`${process.argv[2]}/${folder}`)) {
      const sessions = read(readFileSync(`${process.argv[2]}/${folder}/${file}`, "utf8"));
      for (const session of sessions) {
        const shape = shapeOf(session);
        if (shape) shapes[kind || (sessions.length > 1 ? "chat" : "agent")].push(shape);
      }
    }
  }
  const list = (kind) => `  "${kind}": [\n${shapes[kind].map((s) => `    ${JSON.stringify(s)}`).join(",\n")}\n  ]`;
  writeFileSync(new URL("shapes.json", import.meta.url), `{\n  "quantiles": ${JSON.stringify(AT)},\n${list("agent")},\n${list("chat")}\n}\n`);
}
