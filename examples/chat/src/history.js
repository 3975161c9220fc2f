// Stores the conversation in IndexedDB, as a single record, so that `shown` and `sent` still share their messages after a reload.
import { openDB } from "idb";
import { insecure, noStorage } from "./problems.js";

/**
 * @typedef {{role: "user" | "assistant", content: string}} Message
 * @typedef {object} Fold a compaction, as the display shows it
 * @property {number} place the index in `shown` of the first message after the digest
 * @property {number} count how many messages of `shown` the digest represents
 * @property {{before: number, after: number}} tokens the size of what is sent, in tokens
 * @property {string} digest the text that the model reads
 * @property {boolean} local whether the digest was written without a model
 * @property {{sent: Message[], state: import("ctxfold").State | undefined, shown: number}} undo the previous lists, and how many messages
 *   were shown
 * @typedef {object} Conversation
 * @property {Message[]} shown every message that was ever said: the display
 * @property {Message[]} sent the messages for the model: a digest, and the same objects as in `shown`
 * @property {import("ctxfold").State | undefined} state the state that the last compaction returned
 * @property {Fold[]} folds the oldest first
 * @property {boolean} paused whether a compaction was undone; then only the user can start the next one
 * @property {boolean} compacting whether a compaction is in progress; after a reload it is repeated
 * @property {number} revision the number of writes, by which a tab detects that another one has written
 */

/** @returns {Conversation} */
export const empty = () => ({
  shown: [],
  sent: [],
  state: undefined,
  folds: [],
  paused: false,
  compacting: false,
  revision: 0,
});

const STORE = "conversations";
const KEY = "current";

/** @type {ReturnType<typeof openDB> | undefined} */
let opened;

/**
 * Runs work on the database, which is opened first if necessary.
 * @template T
 * @param {(db: import("idb").IDBPDatabase) => Promise<T>} work
 */
async function stored(work) {
  try {
    opened ??= openDB("ctxfold-chat", 2, {
      upgrade(db) {
        for (const name of db.objectStoreNames) db.deleteObjectStore(name);
        db.createObjectStore(STORE);
      },
    });
    return await work(await opened);
  } catch (error) {
    opened = undefined;
    throw noStorage(error);
  }
}

/** @returns {Promise<Conversation>} */
export const restored = async () => (await stored((db) => db.get(STORE, KEY))) ?? empty();

/** Resolves once the conversation is on disk, and notifies other tabs. @param {Conversation} conversation */
export async function keep(conversation) {
  const revision = conversation.revision + 1;
  await stored((db) => {
    const writing = db.transaction(STORE, "readwrite", { durability: "strict" });
    writing.store.put({ ...conversation, revision }, KEY);
    return writing.done;
  });
  conversation.revision = revision;
  channel.postMessage(revision);
}

const channel = new BroadcastChannel("ctxfold-chat");

/** Calls `written` whenever another tab has stored the conversation. @param {() => void} written */
export const watch = (written) => channel.addEventListener("message", written);

/**
 * Runs one piece of work at a time, across all tabs. Rejects with the signal's reason if it is aborted while waiting.
 * @template T
 * @param {AbortSignal | undefined} signal
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function alone(signal, work) {
  if (!navigator.locks) throw insecure();
  return navigator.locks.request("ctxfold-chat", signal ? { signal } : {}, work);
}
