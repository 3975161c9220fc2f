/** A semaphore whose waiters are served in order. */
export class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  /** `count` is the number of slots, at least 1; Infinity never blocks. */
  constructor(count: number) {
    this.#free = Math.floor(count);
  }

  /** Resolves once a slot is free, and takes it. If it rejects with the signal's reason, no slot was taken. */
  take(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      if (this.#free > 0) {
        this.#free--;
        return resolve();
      }
      const abort = () => {
        this.#waiting.splice(this.#waiting.indexOf(start), 1);
        reject(signal?.reason);
      };
      const start = () => {
        signal?.removeEventListener("abort", abort);
        resolve();
      };
      signal?.addEventListener("abort", abort, { once: true });
      this.#waiting.push(start);
    });
  }

  /** Frees a slot; the next waiter gets it. */
  free(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free++;
  }
}
