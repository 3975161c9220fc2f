// Who answers: any OpenAI-compatible endpoint, or a script that needs nothing.

/** @typedef {{kind: string, url: string, model: string, key: string}} Settings */

/** How long the script takes, in milliseconds: long enough to see it work. */
const SCRIPT_TAKES = 400;

/** @param {number} ms @param {AbortSignal} signal */
const wait = (ms, signal) =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });

/** @param {{role: string, content: string}[]} messages */
function script(messages) {
  const last = messages.at(-1)?.content ?? "";
  const [topic] = last
    .split("\n")
    .at(-1)
    ?.match(/[\p{L}\p{N} ]{3,60}/u) ?? ["that"];
  const sentences = [
    `You said “${topic.trim()}”.`,
    `I have been given ${messages.length} messages, and this is what a script can say about them.`,
    "Each answer is long on purpose, so that the context fills up and you can watch it being compacted.",
    "When the bar reaches its mark, older turns are folded into a digest and the newest ones stay as they are.",
    "Nothing is lost: the folded messages stay in this browser, and you can recall any of them.",
  ];
  return sentences.join(" ");
}

/**
 * Asks the model. Rejects with the signal's reason, or with an error that says what the endpoint answered.
 * @param {Settings} settings
 * @param {{role: string, content: string}[]} messages
 * @param {{signal: AbortSignal, limit?: number}} options `limit` is the most tokens that the answer may have
 * @returns {Promise<{text: string, finish_reason: string}>}
 */
export async function answer({ kind, url, model, key }, messages, { signal, limit }) {
  if (kind === "script") {
    await wait(SCRIPT_TAKES, signal);
    return { text: script(messages), finish_reason: "stop" };
  }
  const response = await fetch(`${url.replace(/\/$/, "")}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(key && { authorization: `Bearer ${key}` }) },
    body: JSON.stringify({ model, messages, ...(limit && { max_tokens: limit }) }),
    signal,
  });
  if (!response.ok)
    throw new Error(`the endpoint answers ${response.status}: ${(await response.text()).slice(0, 300)}`);
  const { choices } = await response.json();
  return { text: choices[0].message.content ?? "", finish_reason: choices[0].finish_reason };
}

/**
 * A summary. The script's is as good as a script can make it.
 * @param {Settings} settings @param {{system: string, prompt: string, max_output_tokens: number}} request @param {AbortSignal} signal
 */
export async function summary(settings, { system, prompt, max_output_tokens: limit }, signal) {
  if (settings.kind !== "script") {
    const messages = [
      { role: "system", content: system },
      { role: "user", content: prompt },
    ];
    const { text, finish_reason } = await answer(settings, messages, { signal, limit });
    // An answer that does not say why it ended is half of one.
    return { text, finish_reason: finish_reason ?? "incomplete" };
  }
  await wait(3 * SCRIPT_TAKES, signal);
  const said = [...prompt.matchAll(/You said “([^”]+)”/g)].map(([, topic]) => `- ${topic}`);
  const text = `## Summary\nThe user tries out a chat that compacts itself. They have spoken of:\n${said.join("\n")}`;
  return { text, finish_reason: "stop" };
}
