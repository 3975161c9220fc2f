/** A semaphore. Calls that wait for a slot get one in the order in which they were made. */
export class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  /** `count` is the number of slots, at least 1; with Infinity no call ever waits. */
  constructor(count: number) {
    this.#free = Math.floor(count);
  }

  /**
   * Takes a slot as soon as one is free, in the order of the calls. Rejects with the signal's reason, without a slot,
   * if the signal is aborted before.
   */
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

  /** Frees a slot, which the next waiting call gets. */
  free(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free++;
  }
}
