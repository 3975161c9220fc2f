// A script that stands in for a model, to fill the context without any model. It writes no digests, so ctxfold does.

/** The script's pause after a few words, in milliseconds. */
const PACE = 25;
const WORDS = /(?:\S+\s*){1,4}/g;

/** @type {import("./model.js").Model} */
export const script = {
  async answer(messages, { signal, onText }) {
    for (const words of reply(messages).match(WORDS) ?? []) {
      await wait(PACE, signal);
      onText(words);
    }
  },
};

/** Returns the scripted answer to the last message. @param {readonly {role?: string, content: string}[]} messages */
function reply(messages) {
  const last = messages.at(-1)?.content.split("\n").at(-1) ?? "";
  const [topic] = last.match(/[\p{L}\p{N} ]{3,80}/u) ?? ["that"];
  const found = search(last, messages.slice(0, -1));
  const sent = `I was sent **${messages.length} ${messages.length === 1 ? "message" : "messages"}**`;
  return [
    `You said “${topic.trim()}”. I am a script: I can only repeat what I was sent.\n`,
    found ? `${sent}, and this is the nearest to it:\n\n> ${found}\n` : `${sent}, and nothing in them is about it.\n`,
    messages.length > 2
      ? "For real answers, choose another model in the settings."
      : "The meter at the top shows how many tokens they have. At its mark, older messages are folded into a digest: say what matters, go on until then, and ask me for it.",
  ].join("\n");
}

/** The longest sentence that is repeated, in UTF-16 units. */
const LONGEST = 300;

/**
 * Returns the sentence that shares the most rare words with a question. If several share equally many, the newest is
 * returned, because the user may have corrected the others. The script's own sentences are ignored.
 * @param {string} question
 * @param {readonly {role?: string, content: string}[]} messages
 */
function search(question, messages) {
  const asked = wordsOf(question);
  const sentences = messages
    .filter(({ content }) => !content.startsWith("You said “"))
    .flatMap(({ content }) => content.split(/(?<=[.!?])\s+|\n+/))
    .map((text) => text.replace(/^[\s>*-]*(?:user: )?/, "").trim())
    .filter((text) => text && !text.endsWith("?") && text.length <= LONGEST)
    .map((text) => ({ text, words: wordsOf(text) }));
  /** @type {Map<string, number>} */
  const weights = new Map();
  for (const word of asked) {
    const having = sentences.filter(({ words }) => words.has(word)).length;
    if (having > 0) weights.set(word, Math.log(1 + sentences.length / having));
  }
  const best = { text: "", weight: 0 };
  for (const { text, words } of sentences) {
    let weight = 0;
    for (const [word, each] of weights) if (words.has(word)) weight += each;
    if (weight > 0 && weight >= best.weight) Object.assign(best, { text, weight });
  }
  return best.text;
}

/** Returns the words with at least four letters, and the numbers, of a text. @param {string} text */
const wordsOf = (text) => new Set(text.toLowerCase().match(/\p{L}{4,}|\p{N}+/gu) ?? []);

/**
 * Resolves after a time in milliseconds, or rejects if the signal is aborted.
 * @param {number} ms
 * @param {AbortSignal} signal
 */
const wait = (ms, signal) =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
