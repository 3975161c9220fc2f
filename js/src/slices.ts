/** Long work of a page in slices, so that it continues painting and answering its user. */

/** The longest that a slice takes, in milliseconds. A page is thought of as blocked from 50 on, and slow machines take four times as long. */
const SLICE_MS = 8;

/** Reports when a slice is over. Work that ends within the first slice is never interrupted. */
export class Slices {
  #since = performance.now();

  get over(): boolean {
    return performance.now() - this.#since > SLICE_MS;
  }

  /** Lets the page do what is waiting, and begins another slice. */
  async pause(): Promise<void> {
    await turn();
    this.#since = performance.now();
  }
}

/** Resolves in another task. Not by a timer: pages in the background have theirs once a second, or once a minute. */
function turn(): Promise<void> {
  const { scheduler } = globalThis as { scheduler?: { yield?: () => Promise<void> } };
  if (scheduler?.yield) return scheduler.yield();
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}
