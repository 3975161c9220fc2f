// A script in place of a model: it needs nothing, and fills the context. It writes no digests: ctxfold does.

/** How long the script takes for a few words, in milliseconds. */
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

/** @param {readonly {content: string}[]} messages */
function reply(messages) {
  const last = messages.at(-1)?.content.split("\n").at(-1) ?? "";
  const [topic] = last.match(/[\p{L}\p{N} ]{3,60}/u) ?? ["that"];
  return [
    `You said “${topic.trim()}”. I am a script, so this is all that I can tell you about it:\n`,
    `- I was sent **${messages.length} messages**. The meter at the top shows how many tokens they have.`,
    "- When the level reaches the mark, older messages are folded into a digest, and the newest ones stay as they are.",
    "- Nothing is lost. You still see every message here, and the digest can be opened and undone.\n",
    "For real answers, choose the model of your browser or any OpenAI-compatible endpoint in the settings.",
  ].join("\n");
}

/** @param {number} ms @param {AbortSignal} signal */
const wait = (ms, signal) =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
