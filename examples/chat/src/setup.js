// Who answers and who writes digests, by the settings.
import { languageModelAvailability, summarizer, summarizerAvailability } from "ctxfold/chrome";
import { builtIn } from "./models/builtin.js";
import { endpoint } from "./models/endpoint.js";
import { script } from "./models/script.js";
import { noBuiltIn, noModel, notDownloaded } from "./problems.js";
import { settings } from "./settings.js";

/** The browser's model, once it is there. @type {import("./models/model.js").Model | undefined} */
let own;

/** Whether the browser has a model, and what it costs to get it. */
export const availability = async () => (own ? "available" : languageModelAvailability());

/** Downloads the browser's model. Call it when the user asks for that. @param {(loaded: number) => void} onDownload 0 to 1 */
export async function download(onDownload) {
  own ??= await builtIn(onDownload);
}

/** Whether the browser has a summarizer. */
export { summarizerAvailability };

/** Downloads the browser's summarizer where that is needed. Call it when the user chooses it. */
export async function prepareSummarizer() {
  if ((await summarizerAvailability()) !== "unavailable") await summarizer();
  last = undefined;
}

/** The last one, for settings that are the same. @type {{key: string, made: import("./chat.js").Setup} | undefined} */
let last;

/** Never rejects: where there is no model, its answer says why. */
export async function setup() {
  const chosen = settings();
  const { writer, window, automatic } = chosen;
  const key = JSON.stringify(chosen);
  if (last?.key === key) return last.made;
  try {
    const model = await modelOf(chosen);
    const summarize = { model: model.summarize, summarizer: await summarizing(writer), none: undefined }[writer];
    const made = { model, summarize, window: Math.min(window, model.contextWindow ?? window), automatic };
    last = { key, made };
    return made;
  } catch (why) {
    return { model: { answer: () => Promise.reject(why) }, summarize: undefined, window, automatic };
  }
}

/** @param {import("./settings.js").Settings} settings @returns {Promise<import("./models/model.js").Model>} */
async function modelOf({ kind, url, model, key }) {
  if (kind === "script") return script;
  if (kind === "endpoint") {
    if (!url || !model) throw noModel();
    return endpoint({ url, model, key });
  }
  const there = await availability();
  if (there === "unavailable") throw noBuiltIn();
  if (there !== "available") throw notDownloaded();
  own ??= await builtIn(() => {});
  return own;
}

/** @param {string} writer */
async function summarizing(writer) {
  if (writer !== "summarizer" || (await summarizerAvailability()) !== "available") return undefined;
  return (await summarizer()).summarize;
}
