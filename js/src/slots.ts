/** Lets so many at once pass, and the others wait for their turn, in their order. */
export class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  /** `count` is 1 or more; Infinity lets all pass. */
  constructor(count: number) {
    this.#free = Math.floor(count);
  }

  /** Resolves when a place is free, and takes it. Rejects with the signal's reason, and then has taken none. */
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

  /** Gives a place back: the next one that waits has it. */
  free(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free++;
  }
}
