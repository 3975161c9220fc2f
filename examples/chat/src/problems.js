// Problems that may occur, and advice on how to solve them.

/** What the button next to a problem does. @typedef {"retry" | "settings" | "compact"} Remedy */

export class Problem extends Error {
  /**
   * @param {string} title
   * @param {string} advice what to do
   * @param {Remedy} remedy
   * @param {object} [facts] by which ctxfold recognizes an overflow
   */
  constructor(title, advice, remedy, facts = {}) {
    super(title);
    this.name = "Problem";
    this.advice = advice;
    this.remedy = remedy;
    Object.assign(this, facts);
  }
}

/** Returns an error as a problem that can be shown to the user. @param {unknown} error @returns {Problem} */
export function problemOf(error) {
  if (error instanceof Problem) return error;
  const { name, message, code } = /** @type {any} */ (error);
  if (code === "load_failed") return notLoaded();
  if (name === "NotSupportedError") return noBuiltIn();
  return new Problem("That didn't work", `${message}.`.replace(/\.\.$/, "."), "retry");
}

const notLoaded = () =>
  new Problem("ctxfold is not loaded", "Its module didn't load. Check the connection, then try again.", "retry");

export const noModel = () =>
  new Problem(
    "No model yet",
    "Enter the base URL of your endpoint and the name of a model in the settings.",
    "settings",
  );

export const noBuiltIn = () =>
  new Problem(
    "This browser has no built-in model",
    "Chrome and Edge on a desktop computer have one. Here, use an endpoint or the scripted answers: choose in the settings.",
    "settings",
  );

export const notDownloaded = () =>
  new Problem(
    "The browser's model isn't downloaded yet",
    "Download it once, in the settings. It then works offline.",
    "settings",
  );

/** @param {unknown} error */
export const noStorage = (error) =>
  new Problem(
    "The conversation can't be saved",
    `Let this page store data (private windows may not), or make room on the disk. The browser says: “${/** @type {Error} */ (error).message}”`,
    "retry",
  );

export const insecure = () =>
  new Problem(
    "This page wasn't loaded securely",
    "Tabs can only share a conversation over https or on localhost. Open the page there.",
    "retry",
  );

/**
 * Returns the problem that the conversation leaves no room for an answer.
 * @param {number} tokens
 * @param {number} window
 * @param {boolean} held whether compaction waits for the user
 */
export const noRoom = (tokens, window, held) =>
  held
    ? new Problem(
        "The conversation no longer fits",
        `It has ${figures(tokens)} tokens, and the window ${figures(window)}. Automatic compaction is off or paused: compact now, and the message is answered.`,
        "compact",
      )
    : new Problem(
        "The message does not fit",
        `Even compacted, the conversation is larger than the window of ${figures(window)} tokens. Shorten your message, or raise the window in the settings.`,
        "settings",
      );

/**
 * Returns the problem that an endpoint cannot be reached, with the likely reason.
 * @param {string} url
 * @param {unknown} cause
 */
export function unreachable(url, cause) {
  const { protocol, hostname } = new URL(url, location.href);
  const local = ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
  if (!navigator.onLine && !local)
    return new Problem("You are offline", "Connect to the network, then try again.", "retry");
  if (location.protocol === "https:" && protocol === "http:" && !local) {
    return new Problem(
      `This page can't reach ${hostname}`,
      "Browsers block http addresses on a page that was loaded over https. Use the endpoint's https address.",
      "settings",
    );
  }
  return new Problem(
    `No answer from ${new URL(url, location.href).host}`,
    `No server is running there, or it doesn't accept requests from this page (CORS); browsers don't say which. Start the server, and let it accept ${location.origin}: with OLLAMA_ORIGINS in Ollama, with “Enable CORS” in LM Studio.`,
    "retry",
    { cause },
  );
}

/**
 * Returns the problem that an endpoint has answered with an error status.
 * @param {Response} response
 * @param {string} body
 * @param {{url: string, model: string, key: string}} settings
 */
export function refused({ status, headers }, body, { url, model, key }) {
  const { host } = new URL(url, location.href);
  const said = quoted(body);
  const facts = { status, responseBody: body };
  if (status === 401 || status === 403) {
    const title = key ? `${host} refuses the API key` : `${host} wants an API key`;
    return new Problem(title, `Enter a valid key in the settings.${said}`, "settings", facts);
  }
  if (status === 404) {
    const advice = `Check both in the settings: a base URL usually ends in /v1, and the model must be one that the endpoint has.${said}`;
    return new Problem(`No model “${model}” at ${url}`, advice, "settings", facts);
  }
  if (status === 429) {
    const seconds = Number(headers.get("retry-after"));
    const when = seconds > 0 ? `Wait ${seconds} seconds, then try again.` : "Wait a moment, then try again.";
    return new Problem(`Too many requests to ${host}`, `${when}${said}`, "retry", facts);
  }
  return status >= 500
    ? new Problem(
        `${host} failed (${status})`,
        `Your conversation is safe. Try again in a moment.${said}`,
        "retry",
        facts,
      )
    : new Problem(
        `${host} refuses the request (${status})`,
        `Check the model in the settings.${said}`,
        "settings",
        facts,
      );
}

/** @param {string} [said] */
export const brokenOff = (said) =>
  new Problem(
    "The answer was cut off",
    `The connection ended before the answer did. Try again.${quoted(said ?? "")}`,
    "retry",
  );

/** @param {string} url */
export const notAnEndpoint = (url) =>
  new Problem(
    "That is not an OpenAI-compatible endpoint",
    `${url} answers with something else. A base URL usually ends in /v1: check it in the settings.`,
    "settings",
  );

/** Returns the endpoint's message as a sentence. @param {string} body */
function quoted(body) {
  let said = body;
  try {
    const { error, message } = JSON.parse(body);
    said = error?.message ?? error ?? message ?? body;
  } catch {}
  return said ? ` It says: “${String(said).slice(0, 300)}”` : "";
}

const figures = (/** @type {number} */ n) => n.toLocaleString("en");
