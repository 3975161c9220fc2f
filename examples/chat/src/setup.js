// Determines from the settings which model answers and what writes digests.
import { languageModelAvailability, summarizer, summarizerAvailability } from "ctxfold/chrome";
import { builtIn } from "./models/builtin.js";
import { endpoint } from "./models/endpoint.js";
import { script } from "./models/script.js";
import { noBuiltIn, noModel, notDownloaded } from "./problems.js";
import { settings } from "./settings.js";

/** The browser's model, once it has been loaded. @type {import("./models/model.js").Model | undefined} */
let own;

/** Reports whether the browser has a model, or would have to download it. */
export const availability = async () => (own ? "available" : languageModelAvailability());

/**
 * Downloads the browser's model. Call it in response to an action of the user.
 * @param {(loaded: number) => void} onDownload 0 to 1
 */
export async function download(onDownload) {
  own ??= await builtIn(onDownload);
}

/** Reports whether the browser has a summarizer. */
export { summarizerAvailability };

/** Downloads the browser's summarizer if necessary. Call it when the user selects it. */
export async function prepareSummarizer() {
  if ((await summarizerAvailability()) !== "unavailable") await summarizer();
  last = undefined;
}

/** The last setup, which is reused while the settings stay the same. @type {{key: string, made: import("./chat.js").Setup} | undefined} */
let last;

/** Creates the setup for the settings. Never rejects: if there is no model, its answer says why. */
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

/**
 * Returns the model that the settings select. Rejects if it isn't available.
 * @param {import("./settings.js").Settings} settings
 * @returns {Promise<import("./models/model.js").Model>}
 */
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
