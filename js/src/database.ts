/** A database in the browser's IndexedDB that is opened when it is used first, and again when it was lost. */
export class Database {
  readonly #name: string;
  readonly #make: (database: IDBDatabase) => void;
  #opened: Promise<IDBDatabase> | undefined;

  /** `make` makes the object stores of a database that is new. */
  constructor(name: string, make: (database: IDBDatabase) => void) {
    this.#name = name;
    this.#make = make;
  }

  /** What `ask` asks one object store for. */
  async read<T>(kind: string, ask: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
    return settled(ask((await this.#open()).transaction(kind).objectStore(kind)));
  }

  /** Is done when what `change` does to one object store is kept. */
  async write(kind: string, change: (store: IDBObjectStore) => void): Promise<void> {
    // Strict: what a compaction removes must be on the disk before its result is used.
    const transaction = (await this.#open()).transaction(kind, "readwrite", { durability: "strict" });
    change(transaction.objectStore(kind));
    await new Promise<void>((done, failed) => {
      transaction.oncomplete = () => done();
      transaction.onabort = () => failed(transaction.error);
    });
  }

  /** Puts a value if what is there is as expected; reports whether it is kept. One transaction: no other page comes between. */
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
      const request = indexedDB.open(this.#name, 1);
      request.onupgradeneeded = () => this.#make(request.result);
      const database = await settled(request);
      // Another page that deletes or upgrades the database would wait for this one for ever.
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
