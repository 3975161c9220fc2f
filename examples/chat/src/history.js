// The conversation in IndexedDB. It is one record, so that what is shown and what is sent share their messages after a reload too.
import { openDB } from "idb";
import { insecure, noStorage } from "./problems.js";

/**
 * @typedef {{role: "user" | "assistant", content: string}} Message
 * @typedef {object} Fold a compaction, as the display shows it
 * @property {number} place the index in `shown` of the first message after the digest
 * @property {number} count how many messages of `shown` the digest represents
 * @property {{before: number, after: number}} tokens of what is sent
 * @property {string} digest what the model reads
 * @property {boolean} local the digest was written without a model
 * @property {{sent: Message[], state: import("ctxfold").State | undefined, shown: number}} undo the lists as they were, and how many were
 * shown
 * @typedef {object} Conversation
 * @property {Message[]} shown every message that was ever said: the display
 * @property {Message[]} sent what the model gets: a digest, and the same objects as in `shown`
 * @property {import("ctxfold").State | undefined} state what the last compaction returned
 * @property {Fold[]} folds the oldest first
 * @property {boolean} paused a compaction was undone: the next one is the user's to start
 * @property {boolean} compacting a compaction is under way; after a reload it is made again
 * @property {number} revision counts the writes, so that a tab sees that another one has written
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

/** @template T @param {(db: import("idb").IDBPDatabase) => Promise<T>} work */
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

/** Resolves when the conversation is on disk, and tells the other tabs. @param {Conversation} conversation */
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

/** @param {() => void} written is called when another tab has kept the conversation */
export const watch = (written) => channel.addEventListener("message", written);

/**
 * Runs one thing at a time in all tabs. Rejects with the signal's reason where it is aborted while it waits.
 * @template T @param {AbortSignal | undefined} signal @param {() => Promise<T>} work @returns {Promise<T>}
 */
export async function alone(signal, work) {
  if (!navigator.locks) throw insecure();
  return navigator.locks.request("ctxfold-chat", signal ? { signal } : {}, work);
}
