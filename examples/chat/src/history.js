// The conversation in IndexedDB: it survives a reload at any moment, also between the two halves of a compaction.

/**
 * @typedef {{role: string, content: string}} Message
 * @typedef {object} Conversation
 * @property {Message[]} all every message that was ever said; nothing is ever taken out
 * @property {{index: number, message: Message}[]} context what the model gets; the index is that in `all`, -1 for a digest
 * @property {object | undefined} state what the last compaction returned
 * @property {{plan: object, requests: any[], length: number} | undefined} pending a compaction that waits for its summaries,
 *   and how much of the context it was made for
 * @property {number} revision counts what was kept; two tabs have one conversation, and each sees by it that the other has gone on
 */

/** @returns {Conversation} */
export const empty = () => ({ all: [], context: [], state: undefined, pending: undefined, revision: 0 });

/** Another tab has kept this conversation since it was read: nothing was written over. */
export class Outdated extends Error {}

/** Tells the other tabs. */
const channel = new BroadcastChannel("ctxfold-chat");

/** @param {() => void} heard is called when another tab has kept the conversation */
export const watch = (heard) => channel.addEventListener("message", heard);

const STORE = "conversations";
const KEY = "current";

/** @template T @param {IDBRequest<T>} request @returns {Promise<T>} */
const result = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** @type {Promise<IDBDatabase> | undefined} */
let opened;

function database() {
  const request = indexedDB.open("ctxfold-chat", 1);
  request.onupgradeneeded = () => request.result.createObjectStore(STORE);
  return result(request);
}

/** @param {IDBTransactionMode} mode */
async function store(mode) {
  opened ??= database();
  return (await opened).transaction(STORE, mode, { durability: "strict" }).objectStore(STORE);
}

/** @returns {Promise<Conversation>} */
export const restored = async () => ({ ...empty(), ...(await result((await store("readonly")).get(KEY))) });

/**
 * Resolves when the conversation is on disk. Rejects with `Outdated` where another tab was faster.
 * @param {Conversation} conversation
 */
export async function keep(conversation) {
  const target = await store("readwrite");
  const kept = await result(target.get(KEY));
  if ((kept?.revision ?? 0) !== conversation.revision)
    throw new Outdated("another tab has gone on with this conversation");
  const revision = conversation.revision + 1;
  target.put({ ...conversation, revision }, KEY);
  await new Promise((resolve, reject) => {
    target.transaction.oncomplete = resolve;
    target.transaction.onabort = () => reject(target.transaction.error);
  });
  conversation.revision = revision;
  channel.postMessage(revision);
}
