import { CtxfoldError } from "./errors.js";

/** An IndexedDB database. It is opened when it is first used, and again if the connection is lost. */
export class Database {
  readonly #name: string;
  readonly #make: (database: IDBDatabase) => void;
  #opened: Promise<IDBDatabase> | undefined;

  /** `make` creates the object stores when the database is new. */
  constructor(name: string, make: (database: IDBDatabase) => void) {
    this.#name = name;
    this.#make = make;
  }

  /** Resolves to the result of a request, which `ask` makes on one object store. */
  async read<T>(kind: string, ask: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
    return settled(ask((await this.#open()).transaction(kind).objectStore(kind)));
  }

  /** Resolves once the changes that `change` makes to one object store are committed. */
  async write(kind: string, change: (store: IDBObjectStore) => void): Promise<void> {
    // Strict: what a compaction removes must be on disk before its result is used.
    const transaction = (await this.#open()).transaction(kind, "readwrite", { durability: "strict" });
    change(transaction.objectStore(kind));
    await new Promise<void>((done, failed) => {
      transaction.oncomplete = () => done();
      transaction.onabort = () => failed(transaction.error);
    });
  }

  /**
   * Writes a value if `expected` returns true for the current one, and resolves to whether it did. It uses one
   * transaction, so no other page can interfere.
   */
  async swap<T>(kind: string, key: string, expected: (kept: T) => boolean, value: T): Promise<boolean> {
    let swapped = false;
    await this.write(kind, (store) => {
      const kept: IDBRequest<T> = store.get(key);
      kept.onsuccess = () => {
        swapped = expected(kept.result);
        if (swapped) store.put(value, key);
      };
    });
    return swapped;
  }

  #open(): Promise<IDBDatabase> {
    this.#opened ??= this.#connect();
    return this.#opened;
  }

  async #connect(): Promise<IDBDatabase> {
    const lost = () => {
      this.#opened = undefined;
    };
    try {
      if (!globalThis.indexedDB) {
        throw new CtxfoldError(
          "store_failed",
          "there is no IndexedDB here: use memoryStore() or memoryJournal() instead",
        );
      }
      const request = indexedDB.open(this.#name, 1);
      request.onupgradeneeded = () => this.#make(request.result);
      const database = await settled(request);
      // Otherwise a page that deletes or upgrades the database would wait for this connection forever.
      database.onversionchange = () => {
        database.close();
        lost();
      };
      database.onclose = lost;
      return database;
    } catch (cause) {
      lost();
      throw cause;
    }
  }
}

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((done, failed) => {
    request.onsuccess = () => done(request.result);
    request.onerror = () => failed(request.error);
  });
}
