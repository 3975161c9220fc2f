// The model that is built into the browser, where there is one (Chrome, Edge). Nothing leaves the computer.
import { languageModel } from "ctxfold/chrome";
import { pieces } from "./model.js";

const english = [{ type: "text", languages: ["en"] }];

/**
 * Call it in an event handler where the model has to be downloaded first. Rejects with a `NotSupportedError` where there is none.
 * @param {(loaded: number) => void} onDownload gets the share that is downloaded, 0 to 1
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
