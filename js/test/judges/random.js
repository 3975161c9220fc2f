/** Generates random conversations in a neutral format, and converts them to the formats of LangChain and pi. */
import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";

const png = "iVBORw0KGgo=";

/** The number of random conversations that are converted to each format. */
export const SEEDS = process.env.CTXFOLD_LONG ? 300 : 100;

/**
 * @typedef {{ texts: string[], image: boolean, fails: boolean }} Outcome
 * @typedef {{ id: string, name: string, args: Record<string, unknown>, result: Outcome }} Call
 * @typedef {{ who: "system" | "user" | "assistant", texts: string[], image: boolean, reasoning: string, calls: Call[] }} Turn
 */

/** Returns a generator of numbers from 0 to 1, seeded (mulberry32). @param {number} seed */
function numbers(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const words = [
  "read",
  "the file",
  'a "quoted" word',
  "größer",
  "日本語",
  "x\ny",
  "{}",
  "[1, 2]",
  "🙂",
  "\\n",
  "</tag>",
  "%t",
];

/** Returns a conversation in which all calls have results, and which ends with a user message. @param {number} seed @returns {Turn[]} */
export function conversation(seed) {
  const next = numbers(seed);
  /** @param {number} n */
  const below = (n) => Math.floor(next() * n);
  /** @param {number} percent */
  const chance = (percent) => next() * 100 < percent;
  let said = 0;
  const text = () => `${said++} ${Array.from({ length: 1 + below(4) }, () => words[below(words.length)]).join(" ")}`;
  const texts = () => Array.from({ length: chance(25) ? 2 : 1 }, text);
  /** @returns {Outcome} */
  const outcome = () => {
    const kind = below(8);
    if (kind === 3) return { texts: [""], image: false, fails: false };
    const answers = kind === 0 ? [JSON.stringify({ n: said++, list: [text(), null, true] })] : texts();
    return { texts: answers, image: kind === 1, fails: kind === 2 };
  };
  /** Returns a turn with random texts. @param {Turn["who"]} who @param {Partial<Turn>} [rest] @returns {Turn} */
  const turn = (who, rest) => ({ who, texts: texts(), image: false, reasoning: "", calls: [], ...rest });
  const turns = chance(50) ? [turn("system", { texts: [text()] })] : [];
  let calls = 0;
  for (let left = 1 + below(6); left > 0; left--) {
    turns.push(turn("user", { image: chance(20) }));
    for (let steps = below(4); steps > 0; steps--) {
      const made = Array.from({ length: 1 + below(3) }, () => ({
        id: `call_${calls++}`,
        name: ["read", "write_file", "list-all"][below(3)] ?? "",
        args: chance(20) ? {} : { path: text(), deep: { list: [below(9), null, "x"], flag: chance(50) } },
        result: outcome(),
      }));
      turns.push(
        turn("assistant", {
          ...(chance(40) && { texts: [] }),
          reasoning: chance(30) ? text() : "",
          calls: made,
        }),
      );
    }
    turns.push(turn("assistant", { reasoning: chance(30) ? text() : "" }));
  }
  turns.push(turn("user"));
  return turns;
}

const image = { type: "image_url", image_url: { url: `data:image/png;base64,${png}` } };
/** Returns a text block. @param {string} text */
const block = (text) => ({ type: "text", text });
/** Returns a string if there is a single text, otherwise blocks. @param {string[]} texts @param {any[]} more @returns {any} */
const content = (texts, ...more) =>
  texts.length === 1 && more.length === 0 ? texts[0] : [...texts.map(block), ...more];

/** Converts turns to LangChain's messages. @param {Turn[]} turns @returns {any[]} */
export function asLangChain(turns) {
  return turns.flatMap(
    /** @returns {any} */ ({ who, texts, image: shows, reasoning, calls }) => {
      if (who === "system") return new SystemMessage(texts.join("\n"));
      if (who === "user") return new HumanMessage({ content: content(texts, ...(shows ? [image] : [])) });
      const thought = reasoning === "" ? [] : [{ type: "reasoning", reasoning }];
      const tool_calls = calls.map(({ id, name, args }) => ({
        id,
        name,
        args,
        type: /** @type {const} */ ("tool_call"),
      }));
      const said = thought.length > 0 ? [...thought, ...texts.map(block)] : texts.length > 0 ? content(texts) : "";
      return [
        new AIMessage({ content: said, tool_calls }),
        ...calls.map(({ id, name, result }) => {
          const status = result.fails ? /** @type {const} */ ("error") : undefined;
          const held = content(result.texts, ...(result.image ? [image] : []));
          return new ToolMessage({ content: held, tool_call_id: id, name, ...(status && { status }) });
        }),
      ];
    },
  );
}

/**
 * Converts turns to pi's messages. The system prompt is returned separately.
 * @param {Turn[]} turns
 * @returns {any[]}
 */
export function asPi(turns) {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost };
  const picture = { type: "image", data: png, mimeType: "image/png" };
  let timestamp = 0;
  return turns.flatMap(({ who, texts, image: shows, reasoning, calls }) => {
    timestamp++;
    if (who === "system") return [];
    if (who === "user") return { role: "user", content: content(texts, ...(shows ? [picture] : [])), timestamp };
    const thought = reasoning === "" ? [] : [{ type: "thinking", thinking: reasoning }];
    const made = calls.map(({ id, name, args }) => ({ type: "toolCall", id, name, arguments: args }));
    const by = { api: "anthropic-messages", provider: "anthropic", model: "m", usage, timestamp };
    return [
      {
        role: "assistant",
        content: [...thought, ...texts.map(block), ...made],
        stopReason: calls.length > 0 ? "toolUse" : "stop",
        ...by,
      },
      ...calls.map(({ id, name, result: { texts: answers, image: held, fails } }) => ({
        role: "toolResult",
        toolCallId: id,
        toolName: name,
        content: [...answers.map(block), ...(held ? [picture] : [])],
        isError: fails,
        timestamp,
      })),
    ];
  });
}
