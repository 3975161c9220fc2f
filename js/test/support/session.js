/**
 * An invented session of an agent that reads files. Each of its `turns` turns consists of a user's question, a tool
 * call, its result and an answer, about 550 tokens in total, in the wire format openai-chat.
 * @param {number} turns
 */
export function session(turns) {
  /** @type {any[]} */
  const messages = [{ role: "system", content: "You are a careful assistant." }];
  for (let i = 0; i < turns; i++) {
    const path = `src/module${i}.txt`;
    messages.push(
      { role: "user", content: `What does ${path} say? Question ${i}, größer als 漢字 🙂.` },
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: `call_${i}`, type: "function", function: { name: "read_file", arguments: JSON.stringify({ path }) } },
        ],
      },
      { role: "tool", tool_call_id: `call_${i}`, content: `line of module ${i}\n`.repeat(90) },
      { role: "assistant", content: `Module ${i} says the same line many times over. `.repeat(4) },
    );
  }
  return messages;
}

/** A policy under which a session of 20 turns must be folded. */
export const tight = { window: { tokens: 8000, reserve: 1000 } };

/** A summary that the module accepts. */
export const summary = "## Summary\nThe user asked what modules say; each says one line many times over.";
