// The model built into the browser, if there is one (Chrome, Edge). No text leaves the computer.
import { languageModel } from "ctxfold/chrome";
import { pieces } from "./model.js";

const english = [{ type: "text", languages: ["en"] }];

/**
 * If the model must be downloaded first, call this in the event handler of a user action. Rejects with a `NotSupportedError` if there is no
 * model.
 * @param {(loaded: number) => void} onDownload called with the downloaded share, from 0 to 1
 * @returns {Promise<import("./model.js").Model>}
 */
export async function builtIn(onDownload) {
  return { ...(await languageModel({ onDownload })), answer };
}

/** @type {import("./model.js").Model["answer"]} */
async function answer(messages, { signal, onText }) {
  const { LanguageModel } = /** @type {any} */ (globalThis);
  const session = await LanguageModel.create({
    expectedInputs: english,
    expectedOutputs: english,
    initialPrompts: messages.slice(0, -1),
    signal,
  });
  try {
    const stream = session.promptStreaming(messages.at(-1)?.content, { signal });
    for await (const piece of pieces(/** @type {ReadableStream<string>} */ (stream))) onText(piece);
  } finally {
    session.destroy();
  }
}
