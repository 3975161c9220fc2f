// The conversation in IndexedDB: it survives a reload at any moment, also between the two halves of a compaction.

/**
 * @typedef {{role: string, content: string}} Message
 * @typedef {object} Conversation
 * @property {Message[]} all every message that was ever said; nothing is ever taken out
 * @property {{index: number, message: Message}[]} context what the model gets; the index is that in `all`, -1 for a digest
 * @property {object | undefined} state what the last compaction returned
 * @property {{plan: object, requests: any[], length: number} | undefined} pending a compaction that waits for its summaries,
 *   and how much of the context it was made for
 */

/** @returns {Conversation} */
export const empty = () => ({ all: [], context: [], state: undefined, pending: undefined });

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
export const restored = async () => (await result((await store("readonly")).get(KEY))) ?? empty();

/** Resolves when the conversation is on disk. @param {Conversation} conversation */
export async function keep(conversation) {
  const { transaction } = await store("readwrite").then((objects) => {
    objects.put(conversation, KEY);
    return objects;
  });
  await new Promise((resolve, reject) => {
    transaction.oncomplete = resolve;
    transaction.onabort = () => reject(transaction.error);
  });
}
