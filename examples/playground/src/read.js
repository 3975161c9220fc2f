// Reads a conversation from a file or a text: session files of agents, exports of chats (zipped or not), or messages as JSON.
import { CtxfoldError } from "ctxfold";
import { ask, bytesOf, open } from "./engine.js";
import { chatsOf, newestFirst } from "./exports.js";

const LISTS = ["messages", "input", "contents"];

/**
 * @typedef {object} Conversation
 * @property {any[]} list the messages
 * @property {Uint8Array} bytes the JSON that contains the messages: the list, or a whole request body
 * @property {string} format
 * @property {string} kind the kind of file that it was read from
 * @property {string} model
 * @property {string} title
 * @property {{what: string, count: number}[]} skipped the content of a session file that is not a message
 */

/**
 * Returns a conversation, or the chats of an export, from which the user should select one.
 * @param {Blob} file
 * @param {string} format a wire format, or "auto"
 * @returns {Promise<{conversation: Conversation} | {chats: import("./exports.js").Chat[]}>}
 */
export async function read(file, format) {
  const head = new Uint8Array(await file.slice(0, 4).arrayBuffer());
  if (head[0] === 0x50 && head[1] === 0x4b) return { chats: await unzipped(file) };
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (bytes.length === 0) throw new Error("this is empty");
  const session = await sessionOf(bytes);
  if (session) return { conversation: session };
  const json = await parse(bytes);
  const chats = chatsOf(json);
  if (chats) return chats.length === 1 && chats[0] ? { conversation: fromChat(chats[0]) } : { chats };
  return { conversation: await fromJSON(json, bytes, format) };
}

/**
 * Reads a coding agent's session file. Returns undefined for other files.
 * @param {Uint8Array} bytes
 * @returns {Promise<Conversation | undefined>}
 */
async function sessionOf(bytes) {
  const { messages: list, kind, format, model, skipped } = await opened(bytes);
  if (!list) return undefined;
  return { list, bytes: bytesOf(list), format, kind, model: model ?? "", title: "", skipped: skipped ?? [] };
}

/** @param {Uint8Array} bytes */
async function opened(bytes) {
  try {
    return await open(bytes);
  } catch (error) {
    if (error.code === "unknown_session") return {};
    throw error;
  }
}

/**
 * Reads a list of messages, or a request body that contains one.
 * @param {any} json
 * @param {Uint8Array} bytes
 * @param {string} format
 * @returns {Promise<Conversation>}
 */
async function fromJSON(json, bytes, format) {
  const key = LISTS.find((name) => Array.isArray(json?.[name]));
  const list = Array.isArray(json) ? json : key && json[key];
  if (!list) throw new Error("this JSON holds no list of messages");
  if (list.length === 0) throw new Error("the list of messages is empty");
  let found = format;
  if (format === "auto") {
    found = (await ask("detect", {}, bytes)).format;
    if (!found) {
      throw new CtxfoldError("ambiguous_format", "several formats have messages like these: choose one", {
        path: "policy.format",
      });
    }
  }
  return { list, bytes, format: found, kind: "messages", model: json.model ?? "", title: "", skipped: [] };
}

/**
 * Returns a conversation that the user has selected from an export.
 * @param {import("./exports.js").Chat} chat
 * @returns {Conversation}
 */
export function fromChat(chat) {
  const list = chat.messages();
  return {
    list,
    bytes: bytesOf(list),
    format: chat.format,
    kind: chat.kind,
    model: chat.model,
    title: chat.title,
    skipped: [],
  };
}

/** Returns the chats of a zipped export, from conversations.json or from the files that a large one is split into. @param {Blob} file */
async function unzipped(file) {
  const { unzipSync } = await import("fflate");
  let files;
  try {
    files = unzipSync(new Uint8Array(await file.arrayBuffer()), {
      filter: ({ name }) => /(^|\/)conversations[^/]*\.json$/.test(name),
    });
  } catch {
    throw new Error("this ZIP file is broken");
  }
  const found = [];
  for (const bytes of Object.values(files)) found.push(...(chatsOf(await parse(bytes)) ?? []));
  if (found.length === 0)
    throw new Error("this ZIP file holds no conversations.json with chats of ChatGPT or Claude.ai");
  return newestFirst(found);
}

/** Parses JSON. An error comes from the module, because browsers don't report its position. @param {Uint8Array} bytes */
async function parse(bytes) {
  const text = new TextDecoder().decode(bytes);
  try {
    return JSON.parse(text);
  } catch (error) {
    const broken = await ask("detect", {}, bytes).catch((found) => found);
    if (!(broken instanceof CtxfoldError) || broken.offset === undefined) throw error;
    const before = new TextDecoder().decode(bytes.slice(0, Math.max(0, broken.offset - BEFORE))).split("\n");
    const column = (before.at(-1)?.length ?? 0) + 1;
    throw new CtxfoldError(broken.code, `invalid JSON at line ${before.length}, column ${column}: ${broken.message}`);
  }
}

/** The number of bytes in a request before its messages, which offsets count too. */
const BEFORE = '{"messages":'.length;
