// Generates random conversations with the shapes of real ones. The same seed generates the same conversations.
import { readFileSync } from "node:fs";
import seedrandom from "seedrandom";

export const SHAPES = JSON.parse(readFileSync(new URL("shapes.json", import.meta.url), "utf8"));

/** Returns a random number whose distribution has the given quantiles. */
function between(quantiles, random) {
  const at = random();
  const next = Math.max(1, SHAPES.quantiles.findIndex((q) => q >= at));
  const [from, to] = [SHAPES.quantiles[next - 1], SHAPES.quantiles[next]];
  return Math.round(quantiles[next - 1] + ((at - from) / (to - from)) * (quantiles[next] - quantiles[next - 1]));
}

/**
 * Yields `count` conversations, of which the share `agents` (0 to 1) are agent sessions. A conversation is a list of turns, each with the
 * number of characters that the user writes and a list of steps. A step is one model call: the numbers of characters of its text, of its
 * tool calls, and of their results.
 */
export function* conversations(seed, count, agents) {
  const random = seedrandom(seed);
  for (let i = 0; i < count; i++) {
    const kind = random() < agents ? "agent" : "chat";
    const list = SHAPES[kind];
    const shape = list[Math.floor(random() * list.length)];
    const turns = shape.calls.map((calls) => ({
      user: between(shape.user, random),
      steps: Array.from({ length: calls }, (_, step) => {
        const text = between(shape.text, random);
        const last = step === calls - 1;
        return { text, call: last ? 0 : between(shape.call, random), result: last ? 0 : between(shape.result, random) };
      }),
    }));
    yield { kind, turns };
  }
}

const WORDS = "the a file test reads writes line error value returns list of and in is not found build run function type name path old new".split(" ");

/** Returns a text of the given length, in which no two lines are alike. */
export function text(length, random) {
  let made = "";
  while (made.length < length) made += `${WORDS[Math.floor(random() * WORDS.length)]}${random() < 0.1 ? ` ${Math.floor(random() * 1e6)}\n` : " "}`;
  return made.slice(0, length);
}

/**
 * Yields the histories that a client sends, one for each model call. It is the same list each time, with messages
 * added.
 */
export function* requests({ turns }, name, random) {
  const messages = [];
  let number = 0;
  for (const [at, { user, steps }] of turns.entries()) {
    messages.push({ role: "user", content: `Conversation ${name}, turn ${at}. ${text(user, random)}` });
    for (const step of steps) {
      yield messages;
      const answer = { role: "assistant", content: text(Math.max(step.text, step.call ? 0 : 1), random) };
      if (step.call) {
        const id = `call_${name}_${++number}`;
        messages.push({ ...answer, tool_calls: [{ id, type: "function", function: { name: "read", arguments: JSON.stringify({ of: text(step.call, random) }) } }] });
        messages.push({ role: "tool", tool_call_id: id, content: text(step.result, random) });
      } else messages.push(answer);
    }
  }
}
